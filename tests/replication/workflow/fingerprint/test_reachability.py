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


@each(
    ("what", "file", "old", "new"),
    [
        ("comment", "stages.py", "# a comment", "# another one"),
        ("docstring", "stages.py", '"""Run."""', '"""Run differently."""'),
        ("only a docstring", "stages.py", '"""Only a docstring stands here."""', "pass"),
        ("layout", "stages.py", "[SCALE * LOCAL, ", "[(SCALE*LOCAL),\n        "),
        ("unused function", "stages.py", "listed_too + UNUSED", "listed_too - UNUSED"),
        ("attribute docstring", "stages.py", "UNUSED = 4", 'UNUSED = 4\n"""What it means."""'),
        ("import of another name", "stages.py", ", unused\n", ", unused, shared\n"),
        ("import of a library", "stages.py", "import math\n", "import math\nimport zlib\n"),
        ("import a.b", "stages.py", "import toy.deep.down\n", "import toy.deep.down\nimport toy.core\n"),
        ("beside a re-export", "core.py", "x + 2", "x + 3"),
        ("beside a.b.f", "deep/down.py", "f_unused(x):\n    return x", "f_unused(x):\n    return -x"),
        ("beside an attribute", "attributes.py", "not_used(x)", "not_used(y)"),
        ("beside a constant", "constants.py", "NOT_MINE = 9", "NOT_MINE = 8"),
        ("beside a local import", "local.py", "not_late(x)", "not_late(y)"),
        ("beside what a package offers lazily", "offered/other.py", "x = 1", "x = 2"),
        ("unrelated module", "unrelated.py", "return 1", "return 2"),
    ],
)
def test_what_the_entry_cannot_reach_does_not_change_it(
    write: Write, what: str, file: str, old: str, new: str
) -> None:
    root = write(TOY)
    before = reach(root)
    edit(root, file, old, new)
    assert reach(root) == before


@each(
    ("what", "file", "old", "new"),
    [
        ("the function itself", "stages.py", "called(x), late", "called(2 * x), late"),
        ("default argument", "stages.py", "eta=DEFAULT", "eta=SECOND"),
        ("constant in a default argument", "constants.py", "DEFAULT = 0.5", "DEFAULT = 0.6"),
        ("annotated constant", "stages.py", "LOCAL: int = 3", "LOCAL: int = 4"),
        ("tuple of constants", "stages.py", "FIRST, SECOND = 1, 2", "FIRST, SECOND = 0, 2"),
        ("augmented constant", "stages.py", "LATER += [2]", "LATER += [3]"),
        ("decorator", "stages.py", "function(x) + 1", "function(x) + 2"),
        ("in a dict", "stages.py", "def listed(x):\n    return x", "def listed(x):\n    return -x"),
        ("local import", "stages.py", "from .local import late", "from .local import not_late as late"),
        ("another library", "stages.py", "import math\n", "import cmath as math\n"),
        ("callee in another module", "plain.py", "shared(x) + 1", "shared(x) + 2"),
        ("callee of a callee", "plain.py", "shared(x):\n    return x", "shared(x):\n    return -x"),
        ("loose statement", "plain.py", '"ignore"', '"error"'),
        ("through a re-export", "core.py", "x + 1", "x + 3"),
        ("the re-export", "__init__.py", "chosen as", "other as"),
        ("import a.b", "deep/down.py", "* 2", "* 4"),
        ("relative import", "deep/down.py", "..plain import shared", "..plain import unused as shared"),
        ("import a.b as c", "deep/inner/bottom.py", "* 3", "* 4"),
        ("attribute", "attributes.py", "def used(x):\n    return x", "def used(x):\n    return -x"),
        ("class base", "bases.py", "factor = 5", "factor = 6"),
        ("method", "bases.py", "return x * self", "return x / self"),
        ("conditional definition", "variants.py", "(1 / 3)", "(2 / 3)"),
        ("conditional import", "variants.py", "import cbrt", "import sqrt as cbrt"),
        ("through a local import", "local.py", "x + 10", "x + 11"),
        ("module passed around", "whole.py", "return x", "return -x"),
        ("offered lazily by a package", "offered/lazy.py", "x = 1", "x = 2"),
        ("new loose statement", "constants.py", "NOT_MINE = 9", "NOT_MINE = 9\ndel NOT_MINE"),
    ],
)
def test_what_the_entry_can_reach_changes_it_until_it_is_reverted(
    write: Write, what: str, file: str, old: str, new: str
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
IMPORTS_F = "from functools import cache\nfrom .a import f\n"


@pytest.mark.parametrize(
    ("what", "module", "beside", "edited"),
    [
        (
            "two imports swapped",
            "from .a import f as g, g as f\ndef run():\n    return f() - g()\n",
            {},
            {"m.py": "from .a import f, g\ndef run():\n    return f() - g()\n"},
        ),
        (
            "side effect of a local import",
            "from . import a\ndef run():\n    from . import b\n    return a.f()\n",
            {"b.py": "print(1)\n"},
            {"b.py": "print(2)\n"},
        ),
        (
            "side effect of a package",
            "from .sub.deep import h\ndef run():\n    return h()\n",
            {"sub/deep.py": "def h(): 1\n"},
            {"sub/__init__.py": "print(1)\n"},
        ),
        (
            "side effect of an imported module",
            "from . import a, b\ndef run():\n    return a.REGISTRY\n",
            {"b.py": "from .a import REGISTRY\n"},
            {"b.py": "from .a import REGISTRY\nREGISTRY['x'] = 1\n"},
        ),
        ("called by a loose statement", "from .a import f\nf()\ndef run():\n    return 1\n", {}, F_CHANGED),
        (
            "module under another name",
            "from . import a\nalias = a\ndef run():\n    return alias.f()\n",
            {},
            F_CHANGED,
        ),
        (
            "package passed around",
            "from . import sub\ndef run():\n    return vars(sub)\n",
            {"sub/__init__.py": "", "sub/b.py": A},
            {"sub/b.py": F_CHANGED["a.py"]},
        ),
        (
            "class that looks past a parameter",
            "def run(f):\n    class C:\n        f = f\n    return C\nfrom .a import f\n",
            {},
            F_CHANGED,
        ),
        (
            "name bound by a loop",
            "for K in range(3):\n    pass\ndef run():\n    return K\n",
            {},
            {"m.py": "for K in range(4):\n    pass\ndef run():\n    return K\n"},
        ),
        # What has the name of a function and is none does not count.
        ("not: a parameter", f"{IMPORTS_F}def run(f):\n    return f\n", {}, F_CHANGED),
        ("not: a variable", f"{IMPORTS_F}def run():\n    f = 1\n    return lambda: f\n", {}, F_CHANGED),
        ("not: a function inside", f"{IMPORTS_F}def run():\n    def f(): 1\n    return f()\n", {}, F_CHANGED),
        ("not: a text", f"{IMPORTS_F}def run(x: 'f'):\n    return x\n", {}, F_CHANGED),
        (
            "not: what is unused and decorated",
            f"{IMPORTS_F}@cache\ndef unused():\n    return f()\ndef run():\n    return 1\n",
            {},
            F_CHANGED,
        ),
    ],
)
def test_less_usual_ways_to_depend_on_code(
    write: Write, what: str, module: str, beside: dict[str, str], edited: dict[str, str]
) -> None:
    root = write({"__init__.py": "", "a.py": A, "m.py": module} | beside)
    before = reach(root, "toy.m:run")
    write(edited)
    assert (reach(root, "toy.m:run") == before) == what.startswith("not: ")


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
