import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.workflow.fingerprint import Source, reachability
from private_experts.replication.workflow.fingerprint.reachability import HERE, PACKAGE
from tests.each import each
from tests.replication.workflow.fingerprint.toy import ENTRY, TOY, edit, reach

Write = Callable[..., Path]


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        pytest.param("stages.py", "# a comment", "# another one", id="comment"),
        pytest.param("stages.py", '"""Run."""', '"""Run differently."""', id="docstring"),
        pytest.param("stages.py", '"""Only a docstring stands here."""', "pass", id="only a docstring"),
        pytest.param("stages.py", "[SCALE * LOCAL, ", "[(SCALE*LOCAL),\n        ", id="layout"),
        pytest.param("stages.py", "listed_too + UNUSED", "listed_too - UNUSED", id="unused function"),
        pytest.param("stages.py", "UNUSED = 4", 'UNUSED = 4\n"""What it means."""', id="attribute docstring"),
        pytest.param("stages.py", ", unused\n", ", unused, shared\n", id="import of another name"),
        pytest.param("stages.py", "import math\n", "import math\nimport zlib\n", id="import of a library"),
        pytest.param(
            "stages.py", "import toy.deep.down\n", "import toy.deep.down\nimport toy.core\n", id="import a.b"
        ),
        pytest.param("core.py", "x + 2", "x + 3", id="beside a re-export"),
        pytest.param(
            "deep/down.py", "f_unused(x):\n    return x", "f_unused(x):\n    return -x", id="beside a.b.f"
        ),
        pytest.param("attributes.py", "not_used(x)", "not_used(y)", id="beside an attribute"),
        pytest.param("constants.py", "NOT_MINE = 9", "NOT_MINE = 8", id="beside a constant"),
        pytest.param("local.py", "not_late(x)", "not_late(y)", id="beside a local import"),
        pytest.param("offered/other.py", "x = 1", "x = 2", id="beside what a package offers lazily"),
        pytest.param("unrelated.py", "return 1", "return 2", id="unrelated module"),
    ],
)
def test_what_the_entry_cannot_reach_does_not_change_it(write: Write, file: str, old: str, new: str) -> None:
    root = write(TOY)
    before = reach(root)
    edit(root, file, old, new)
    assert reach(root) == before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        pytest.param("stages.py", "called(x), late", "called(2 * x), late", id="the function itself"),
        pytest.param("stages.py", "eta=DEFAULT", "eta=SECOND", id="default argument"),
        pytest.param("constants.py", "DEFAULT = 0.5", "DEFAULT = 0.6", id="constant in a default argument"),
        pytest.param("stages.py", "LOCAL: int = 3", "LOCAL: int = 4", id="annotated constant"),
        pytest.param("stages.py", "FIRST, SECOND = 1, 2", "FIRST, SECOND = 0, 2", id="tuple of constants"),
        pytest.param("stages.py", "LATER += [2]", "LATER += [3]", id="augmented constant"),
        pytest.param("stages.py", "function(x) + 1", "function(x) + 2", id="decorator"),
        pytest.param(
            "stages.py", "def listed(x):\n    return x", "def listed(x):\n    return -x", id="in a dict"
        ),
        pytest.param(
            "stages.py", "from .local import late", "from .local import not_late as late", id="local import"
        ),
        pytest.param("stages.py", "import math\n", "import cmath as math\n", id="another library"),
        pytest.param("plain.py", "shared(x) + 1", "shared(x) + 2", id="callee in another module"),
        pytest.param(
            "plain.py", "shared(x):\n    return x", "shared(x):\n    return -x", id="callee of a callee"
        ),
        pytest.param("plain.py", '"ignore"', '"error"', id="loose statement"),
        pytest.param("core.py", "x + 1", "x + 3", id="through a re-export"),
        pytest.param("__init__.py", "chosen as", "other as", id="the re-export"),
        pytest.param("deep/down.py", "* 2", "* 4", id="import a.b"),
        pytest.param(
            "deep/down.py", "..plain import shared", "..plain import unused as shared", id="relative import"
        ),
        pytest.param("deep/inner/bottom.py", "* 3", "* 4", id="import a.b as c"),
        pytest.param(
            "attributes.py", "def used(x):\n    return x", "def used(x):\n    return -x", id="attribute"
        ),
        pytest.param("bases.py", "factor = 5", "factor = 6", id="class base"),
        pytest.param("bases.py", "return x * self", "return x / self", id="method"),
        pytest.param("variants.py", "(1 / 3)", "(2 / 3)", id="conditional definition"),
        pytest.param("variants.py", "import cbrt", "import sqrt as cbrt", id="conditional import"),
        pytest.param("local.py", "x + 10", "x + 11", id="through a local import"),
        pytest.param("whole.py", "return x", "return -x", id="module passed around"),
        pytest.param("offered/lazy.py", "x = 1", "x = 2", id="offered lazily by a package"),
        pytest.param("constants.py", "NOT_MINE = 9", "NOT_MINE = 9\ndel NOT_MINE", id="new loose statement"),
    ],
)
def test_what_the_entry_can_reach_changes_it_until_it_is_reverted(
    write: Write, file: str, old: str, new: str
) -> None:
    root = write(TOY)
    before = reach(root)
    edit(root, file, old, new)
    assert reach(root) != before
    write(TOY)
    assert reach(root) == before


# Less usual ways to depend on code; `a.py` is in all of these packages.
A = "def f():\n    return 1\n\ndef g():\n    return 2\n\nREGISTRY = {}\n"
F_CHANGED = {"a.py": A.replace("return 1", "return 7")}


@pytest.mark.parametrize(
    ("files", "edited"),
    [
        pytest.param(
            {"m.py": "from .a import f as g, g as f\ndef run():\n    return f() - g()\n"},
            {"m.py": "from .a import f, g\ndef run():\n    return f() - g()\n"},
            id="two imports swapped",
        ),
        pytest.param(
            {
                "m.py": "from . import a\ndef run():\n    from . import b\n    return a.f()\n",
                "b.py": "print(1)\n",
            },
            {"b.py": "print(2)\n"},
            id="side effect of a local import",
        ),
        pytest.param(
            {"m.py": "from .sub.deep import h\ndef run():\n    return h()\n", "sub/deep.py": "def h(): 1\n"},
            {"sub/__init__.py": "print(1)\n"},
            id="side effect of a package",
        ),
        pytest.param(
            {
                "m.py": "from . import a, b\ndef run():\n    return a.REGISTRY\n",
                "b.py": "from .a import REGISTRY\n",
            },
            {"b.py": "from .a import REGISTRY\nREGISTRY['x'] = 1\n"},
            id="side effect of an imported module",
        ),
        pytest.param(
            {"m.py": "from .a import f\nf()\ndef run():\n    return 1\n"},
            F_CHANGED,
            id="called by a loose statement",
        ),
        pytest.param(
            {"m.py": "from . import a\nalias = a\ndef run():\n    return alias.f()\n"},
            F_CHANGED,
            id="module under another name",
        ),
        pytest.param(
            {
                "m.py": "from . import sub\ndef run():\n    return vars(sub)\n",
                "sub/__init__.py": "",
                "sub/b.py": A,
            },
            {"sub/b.py": A.replace("return 1", "return 7")},
            id="package passed around",
        ),
        pytest.param(
            {"m.py": "def run(f):\n    class C:\n        f = f\n    return C\nfrom .a import f\n"},
            F_CHANGED,
            id="class that looks past a parameter",
        ),
        pytest.param(
            {"m.py": "for K in range(3):\n    pass\ndef run():\n    return K\n"},
            {"m.py": "for K in range(4):\n    pass\ndef run():\n    return K\n"},
            id="name bound by a loop",
        ),
    ],
)
def test_less_usual_ways_to_depend_on_code(
    write: Write, files: dict[str, str], edited: dict[str, str]
) -> None:
    root = write({"__init__.py": "", "a.py": A} | files)
    before = reach(root, "toy.m:run")
    write(edited)
    assert reach(root, "toy.m:run") != before


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("def run(f):\n    return f\n", id="parameter"),
        pytest.param("def run():\n    f = 1\n    return lambda: f\n", id="variable"),
        pytest.param("def run():\n    def f(): 1\n    return f()\n", id="function inside"),
        pytest.param("def run(x: 'f'):\n    return x\n", id="text"),
        pytest.param(
            "@cache\ndef unused():\n    return f()\ndef run():\n    return 1\n", id="unused, decorated"
        ),
    ],
)
def test_what_has_the_name_of_a_function_and_is_none_does_not_count(write: Write, text: str) -> None:
    root = write({"a.py": A, "m.py": f"from functools import cache\nfrom .a import f\n{text}"})
    before = reach(root, "toy.m:run")
    write(F_CHANGED)
    assert reach(root, "toy.m:run") == before


def test_reach_is_neither_everything_nor_nothing(write: Write) -> None:
    reached = reach(write(TOY))
    assert list(reached) == sorted(reached)
    assert all(re.fullmatch("[0-9a-f]{16}", digest) for digest in reached.values())
    own = (
        "run hand_over wrap decorated listed bound_to TABLE PARTIAL LOCAL FIRST LATER <module> functools math"
    )
    own += " paths toy bottom exported whole attributes offered Derived DEFAULT SCALE called fast"
    found = {name for name in reached if name.startswith("toy.stages")}
    assert found == {f"toy.stages:{name}" for name in own.split()}
    assert {"toy.plain:callee", "toy.plain:shared", "toy.plain:<module>", "toy.core:chosen"} <= reached.keys()
    assert {"toy.variants:fast", "toy.bases:Base", "toy.deep.inner.bottom:g"} <= reached.keys()
    assert not {"toy.plain:unused", "toy.core:other", "toy.attributes:not_used"} & reached.keys()
    assert [*reach(write({}), "toy.unrelated:lonely")] == ["toy.unrelated:lonely"]


def test_every_folder_of_code_is_a_package() -> None:
    """Names that lead into another one would be followed no further."""
    folders = {path.parent for path in (HERE / PACKAGE).rglob("*.py")}
    assert [folder for folder in folders if not (folder / "__init__.py").is_file()] == []


def test_a_new_or_touched_file_does_not_matter(write: Write) -> None:
    root = write(TOY)
    before = reach(root)
    write({"brand_new.py": "def run():\n    return 1\n", "deep/also_new.py": ""})
    os.utime(root / "toy" / "stages.py", (1, 1))
    assert reach(root) == before


def test_circular_imports_end(write: Write) -> None:
    root = write(
        {"a.py": "from .b import g\ndef f(): return g()\n", "b.py": "from .a import f\ndef g(): return f()\n"}
    )
    assert {"toy.a:f", "toy.b:g"} <= reach(root, "toy.a:f").keys()


@each("entry", ["toy.stages:rum", "toy.stage:run", "toys.stages:run", "toy.stages", "toy..stages:"])
def test_an_unknown_entry_is_refused(write: Write, entry: str) -> None:
    with pytest.raises(InputError, match=re.escape(entry)):
        reach(write(TOY), entry)


# ---------------------------------------------------------------- what was parsed before


@pytest.fixture
def parsed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return a list that gets the name of each module that is parsed."""
    names: list[str] = []

    def parse(name, *given):
        names.append(name)
        return original(name, *given)

    original = reachability.parse
    monkeypatch.setattr(reachability, "parse", parse)
    return names


def test_only_what_changed_is_parsed_again_and_the_answer_is_the_same(
    write: Write, tmp_path: Path, parsed: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    root, memo = write(TOY), tmp_path / "kept/parsed.json"

    def parsed_for_an_answer() -> list[str]:
        parsed.clear()
        source = Source(root, "toy", memo)
        answer = source.reach(ENTRY)
        source.keep()
        found = [*parsed]
        assert answer == reach(root)
        return found

    first = parsed_for_an_answer()
    assert len(first) == len({*first}) > 5
    assert parsed_for_an_answer() == []
    edit(root, "plain.py", "shared(x) + 1", "shared(x) + 2")
    assert parsed_for_an_answer() == ["toy.plain"]
    (root / "toy/attributes").mkdir()  # a module that becomes a package: its relative imports lead elsewhere
    (root / "toy/attributes.py").rename(root / "toy/attributes/__init__.py")
    assert parsed_for_an_answer() == ["toy.attributes"]
    for damaged in ("", "{}", memo.read_text()[:-9]):
        memo.write_text(damaged)
        assert sorted(parsed_for_an_answer()) == sorted(first)
    monkeypatch.setattr(reachability, "_reader", lambda: "another version of the code that parses")
    assert sorted(parsed_for_an_answer()) == sorted(first)
