import os
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.run.fingerprint import Source, fingerprint, reach
from tests.replication.run.fingerprint.toy import ENTRY, TOY, changes, edit


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        pytest.param("stages.py", "# a comment", "# another one", id="comment"),
        pytest.param("stages.py", '"""Run."""', '"""Run differently."""', id="docstring"),
        pytest.param("stages.py", '"""Stages."""', "", id="module docstring"),
        pytest.param("stages.py", '"""Only a docstring stands here."""', "pass", id="only a docstring"),
        pytest.param("stages.py", "[SCALE * LOCAL, ", "[(SCALE*LOCAL),\n        ", id="layout"),
        pytest.param("stages.py", "x + UNUSED", "x - UNUSED", id="unused function"),
        pytest.param("stages.py", "UNUSED = 4", "UNUSED = 5", id="unused constant"),
        pytest.param("stages.py", "UNUSED = 4", 'UNUSED = 4\n"""What it means."""', id="attribute docstring"),
        pytest.param("stages.py", ", unused\n", ", unused, shared\n", id="import of another name"),
        pytest.param("stages.py", "import math\n", "import math\nimport zlib\n", id="import of a library"),
        pytest.param("stages.py", "import toy.deep.down\n", "import toy.deep.down\nimport toy.core\n", id="import a.b"),
        pytest.param("stages.py", "from . import attributes", "from toy import attributes", id="import spelt out"),
        pytest.param("core.py", "x + 2", "x + 3", id="beside a re-export"),
        pytest.param("deep/down.py", "f_unused(x):\n    return x", "f_unused(x):\n    return -x", id="beside a.b.f"),
        pytest.param("attributes.py", "not_used(x)", "not_used(y)", id="beside an attribute"),
        pytest.param("constants.py", "NOT_MINE = 9", "NOT_MINE = 8", id="beside a star"),
        pytest.param("local.py", "not_late(x)", "not_late(y)", id="beside a local import"),
        pytest.param("unrelated.py", "return 1", "return 2", id="unrelated module"),
    ],
)
def test_what_the_entry_cannot_reach_does_not_change_it(write, file, old, new):
    root = write(TOY)
    before = fingerprint(ENTRY, root)
    edit(root, file, old, new)
    assert fingerprint(ENTRY, root) == before


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        pytest.param("stages.py", "called(x), late", "called(2 * x), late", id="the function itself"),
        pytest.param("stages.py", "eta=DEFAULT", "eta=SECOND", id="default argument"),
        pytest.param("constants.py", "DEFAULT = 0.5", "DEFAULT = 0.6", id="constant in a default argument"),
        pytest.param("constants.py", "SCALE = 2", "SCALE = 3", id="constant through a star"),
        pytest.param("stages.py", "LOCAL: int = 3", "LOCAL: int = 4", id="annotated constant"),
        pytest.param("stages.py", "FIRST, SECOND = 1, 2", "FIRST, SECOND = 0, 2", id="tuple of constants"),
        pytest.param("stages.py", "LATER += [2]", "LATER += [3]", id="augmented constant"),
        pytest.param("stages.py", "LATER += [2]", "LATER = [3]", id="constant assigned twice"),
        pytest.param("stages.py", "@wrap\n", "", id="decorator taken away"),
        pytest.param("stages.py", "function(x) + 1", "function(x) + 2", id="decorator"),
        pytest.param("stages.py", "from .local import late", "from .local import not_late as late", id="local import"),
        pytest.param("stages.py", "import callee as called", "import shared as called", id="another import"),
        pytest.param("stages.py", "import math\n", "import cmath as math\n", id="another library"),
        pytest.param("plain.py", "shared(x) + 1", "shared(x) + 2", id="callee in another module"),
        pytest.param("plain.py", "shared(x):\n    return x", "shared(x):\n    return -x", id="callee of a callee"),
        pytest.param("plain.py", '"ignore"', '"error"', id="loose statement"),
        pytest.param("core.py", "x + 1", "x + 3", id="through a re-export"),
        pytest.param("__init__.py", "chosen as", "other as", id="the re-export"),
        pytest.param("deep/down.py", "* 2", "* 4", id="import a.b"),
        pytest.param("deep/down.py", "..plain import shared", "..plain import unused as shared", id="relative import"),
        pytest.param("deep/inner/bottom.py", "* 3", "* 4", id="import a.b as c"),
        pytest.param("attributes.py", "def used(x):\n    return x", "def used(x):\n    return -x", id="attribute"),
        pytest.param("bases.py", "factor = 5", "factor = 6", id="class base"),
        pytest.param("bases.py", "return x * self", "return x / self", id="method"),
        pytest.param("variants.py", "(1 / 3)", "(2 / 3)", id="conditional definition"),
        pytest.param("variants.py", "import cbrt", "import sqrt as cbrt", id="conditional import"),
        pytest.param("local.py", "x + 10", "x + 11", id="through a local import"),
        pytest.param("whole.py", "return x", "return -x", id="module passed around"),
        pytest.param("constants.py", "NOT_MINE = 9", "NOT_MINE = 9\ndel NOT_MINE", id="new loose statement"),
    ],
)
def test_what_the_entry_can_reach_changes_it_until_it_is_reverted(write, file, old, new):
    root = write(TOY)
    before = fingerprint(ENTRY, root)
    edit(root, file, old, new)
    assert fingerprint(ENTRY, root) != before
    write(TOY)
    assert fingerprint(ENTRY, root) == before


def test_reach_is_neither_everything_nor_nothing(write):
    reached = reach(ENTRY, write(TOY))
    assert list(reached) == sorted(reached)
    assert all(re.fullmatch("[0-9a-f]{16}", digest) for digest in reached.values())
    assert {name for name in reached if name.startswith("toy.stages")} == {
        f"toy.stages:{name}"
        for name in (
            *("run", "hand_over", "wrap", "decorated", "LOCAL", "FIRST", "LATER", "<module>"),
            *("math", "paths", "toy", "bottom", "exported", "whole", "attributes", "Derived", "called", "fast"),
        )
    }
    assert {"toy.plain:callee", "toy.plain:shared", "toy.plain:<module>", "toy.core:chosen"} <= reached.keys()
    assert {"toy.variants:fast", "toy.bases:Base", "toy.deep.inner.bottom:g", "toy.whole:by_name"} <= reached.keys()
    assert not {"toy.plain:unused", "toy.core:other", "toy.attributes:not_used"} & reached.keys()
    assert not any(name.startswith("toy.unrelated") for name in reached)


def test_a_stage_of_its_own_reaches_nothing_else(write):
    assert list(reach("toy.unrelated:lonely", write(TOY))) == ["toy.unrelated:lonely"]


def test_a_new_or_touched_file_does_not_matter(write):
    root = write(TOY)
    before = fingerprint(ENTRY, root)
    write({"brand_new.py": "def run():\n    return 1\n", "deep/also_new.py": ""})
    os.utime(root / "toy" / "stages.py", (1, 1))
    assert fingerprint(ENTRY, root) == before


def test_imports_for_type_checkers_do_not_count(write):
    files = {
        "m.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .a import A\n"
        "def run(x: 'A'):\n    return x\n",
        "a.py": "class A:\n    x = 1\nprint('a')\n",
    }
    assert not changes(write, "toy.m:run", files, {"a.py": "class A:\n    x = 2\nprint('b')\n"})


def test_what_a_package_names_for_type_checkers_counts_for_those_who_ask_it_for_that(write):
    files = {
        "sub/__init__.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n"
        "    from .a import A\n    from .b import B\n",
        "sub/a.py": "class A:\n    x = 1\nprint('a')\n",
        "sub/b.py": "class B:\n    x = 1\nprint('b')\n",
        "m.py": "from .sub import A\ndef run():\n    return A()\n",
        "n.py": "from .sub.b import B\ndef run():\n    return B()\n",
    }
    edited = {"sub/a.py": "class A:\n    x = 2\nprint('A')\n"}
    assert changes(write, "toy.m:run", files, edited)
    assert not changes(write, "toy.n:run", files, edited)


def test_what_a_decorator_may_have_registered_is_reached_by_name(write):
    root = write({"m.py": "from .a import note\n@note\ndef x(): 1\ndef run(): 2\n", "a.py": "def note(x): return x\n"})
    assert "toy.m:x" in reach("toy.m:run", root)


def test_circular_imports_end(write):
    root = write({"a.py": "from .b import *\ndef f(): return g()\n", "b.py": "from .a import *\ndef g(): return f()\n"})
    assert {"toy.a:f", "toy.b:g"} <= reach("toy.a:f", root).keys()


@pytest.mark.parametrize(
    ("entry", "says"),
    [
        ("toy.stages:rum", r"no rum in toy\.stages; near it: .*\brun\b"),
        ("toy.stage:run", r"no module toy\.stage in .*; near it: toy\.stages"),
        ("toys.stages:run", "no module"),
        ("toy.stages", "package.module:name"),
        ("toy..stages:run", "package.module:name"),
    ],
)
def test_an_unknown_entry_is_one_line_with_the_names_near_it(write, entry, says):
    with pytest.raises(InputError, match=says) as caught:
        reach(entry, write(TOY))
    assert "\n" not in str(caught.value)


def test_the_shortest_way_names_what_it_passes_through_and_no_imports(write: Callable[..., Path]) -> None:
    ways = Source(write(TOY), "toy").ways(ENTRY, ["toy.plain:shared", "toy.bases:Base", ENTRY, "toy.unrelated:lonely"])
    assert ways == {
        "toy.plain:shared": [ENTRY, "toy.plain:callee", "toy.plain:shared"],
        "toy.bases:Base": [ENTRY, "toy.bases:Derived", "toy.bases:Base"],
        ENTRY: [ENTRY],
    }


def test_there_is_a_way_to_all_that_is_reached(write: Callable[..., Path]) -> None:
    root = write(TOY)
    reached = reach(ENTRY, root)
    ways = Source(root, "toy").ways(ENTRY, reached)
    assert ways.keys() == reached.keys()
    assert {(way[0], way[-1] == definition) for definition, way in ways.items()} == {(ENTRY, True)}


@pytest.mark.parametrize(
    ("definition", "file", "begins"),
    [
        ("toy.deep.down:f_unused", "deep/down.py", "def f_unused(x):"),
        ("toy.deep:g", "deep/__init__.py", "from .inner.bottom import g"),
        ("toy.stages:LATER", "stages.py", "LATER += [2]"),  # where it is bound last
        ("toy.stages:decorated", "stages.py", "def decorated(x):"),
        ("toy.stages:called", "stages.py", "from .plain import callee as called, unused"),
        ("toy.stages:<module>", "stages.py", ""),
        ("toy.stages:nothing", "stages.py", ""),
    ],
)
def test_a_definition_is_found_in_its_file(write: Callable[..., Path], definition: str, file: str, begins: str) -> None:
    root = write(TOY)
    path, line = Source(root, "toy").where(definition)
    assert path == root / "toy" / file
    assert path.read_text().splitlines()[line - 1] == begins


def test_a_definition_of_a_module_that_is_gone_is_at_the_beginning_of_nothing(write: Callable[..., Path]) -> None:
    root = write(TOY)
    assert Source(root, "toy").where("toy.none:f") == (root / "toy/none.py", 1)


TWICE = {
    "__init__.py": "",
    "m.py": "from . import twice, notes, odd\ndef run():\n    return twice.f() + notes.f() + odd.f()\n",
    "twice.py": "def f():\n    return 1\n",
    "twice/__init__.py": "def f():\n    return 2\n",
    "notes": "no code\n",  # neither a module nor a package
    "odd.py/inside.txt": "a folder that is called like a module\n",
    "odd/__init__.py": "def f():\n    return 3\n",
}


def test_a_package_comes_before_a_module_of_its_name_and_only_files_and_folders_of_code_count(write):
    root = write(TWICE)
    (root / "toy/gone.py").symlink_to("nowhere.py")
    source = Source(root, "toy")
    assert {
        name for name in source.reach("toy.m", "run") if name.startswith(("toy.twice", "toy.notes", "toy.odd"))
    } == {
        "toy.twice:f",
        "toy.odd:f",
    }
    assert source.state("toy.twice").startswith("__init__.py ")
    assert [source.state(f"toy.{name}") for name in ("notes", "gone", "missing", "twice.f")] == ["none"] * 4
    assert source.state("json") == "none"  # not of the package
