import ast
import json
import os
import re
import shutil
import subprocess
import sys
import textwrap
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import private_experts
from private_experts.errors import InputError
from private_experts.replication.run.fingerprint import fingerprint, reach, stamp
from tests.audit import executed_definitions, untracked

ENTRY = "toy.stages:run"

TOY = {
    "__init__.py": """
        from .core import chosen as exported
        """,
    "stages.py": '''
        """Stages."""

        import math
        import os.path as paths

        import toy.deep.down
        import toy.deep.inner.bottom as bottom
        from toy import exported, whole
        from . import attributes
        from .bases import Derived
        from .constants import *
        from .plain import callee as called, unused
        from .variants import fast

        LOCAL: int = 3
        FIRST, SECOND = 1, 2
        LATER = [1]
        LATER += [2]
        UNUSED = 4


        def run(x, eta=DEFAULT):
            """Run."""
            from .local import late

            # a comment
            table = [called(x), late(x), exported(x), attributes.used(x), toy.deep.down.f(x), bottom.g(x)]
            table += [SCALE * LOCAL, FIRST, LATER, fast(x), math.log(x), paths.sep]
            return hand_over(whole), Derived().value(x), decorated(x), table


        def hand_over(module):
            return module


        def wrap(function):
            return lambda x: function(x) + 1


        @wrap
        def decorated(x):
            """Only a docstring stands here."""


        def never_called(x):
            return x + UNUSED + unused(x)
        ''',
    "core.py": "def chosen(x):\n    return x + 1\n\ndef other(x):\n    return x + 2\n",
    "deep/__init__.py": "from .inner.bottom import g\n",
    "deep/down.py": """
        from ..plain import shared


        def f(x):
            return shared(x) * 2


        def f_unused(x):
            return x
        """,
    "deep/inner/bottom.py": "def g(x):\n    return x * 3\n",  # a folder without __init__.py
    "attributes.py": "def used(x):\n    return x\n\ndef not_used(x):\n    return x\n",
    "bases.py": """
        class Base:
            factor = 5

            def value(self, x):
                return self.scaled(x)


        class Derived(Base):
            def scaled(self, x):
                return x * self.factor
        """,
    "constants.py": "DEFAULT = 0.5\nSCALE = 2\nNOT_MINE = 9\n",
    "plain.py": """
        import warnings

        warnings.simplefilter("ignore")


        def callee(x):
            return shared(x) + 1


        def shared(x):
            return x


        def unused(x):
            return x
        """,
    "variants.py": """
        try:
            from math import cbrt
        except ImportError:
            cbrt = None

        if cbrt is None:
            def fast(x):
                return x ** (1 / 3)
        else:
            fast = cbrt
        """,
    "local.py": "def late(x):\n    return x + 10\n\ndef not_late(x):\n    return x\n",
    "whole.py": "def by_name(x):\n    return x\n",
    "unrelated.py": "def lonely():\n    return 1\n",
}


@pytest.fixture
def write(tmp_path: Path) -> Callable[..., Path]:
    def write(files: dict[str, str], package: str = "toy") -> Path:
        for name, text in files.items():
            path = tmp_path / package / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(textwrap.dedent(text), encoding="utf-8")
        return tmp_path

    return write


def edit(root: Path, file: str, old: str, new: str) -> None:
    path = root / "toy" / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


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


def changes(write: Callable[..., Path], entry: str, files: dict[str, str], edited: dict[str, str]) -> bool:
    root = write(files)
    before = fingerprint(entry, root)
    write(edited)
    return fingerprint(entry, root) != before


HARD = [
    pytest.param(
        {
            "m.py": "from .a import f\nfrom .b import f\ndef run():\n    return f()\n",
            "b.py": "def f():\n    return 3\n",
        },
        {"m.py": "from .b import f\nfrom .a import f\ndef run():\n    return f()\n"},
        id="two imports of one name swapped",
    ),
    pytest.param(
        {"m.py": "from . import a\ndef run():\n    from . import b\n    return a.f()\n", "b.py": "print(1)\n"},
        {"b.py": "print(2)\n"},
        id="side effect of a local import",
    ),
    pytest.param(
        {"m.py": "from .sub.deep import h\ndef run():\n    return h()\n", "sub/deep.py": "def h(): 1\n"},
        {"sub/__init__.py": "print(1)\n"},
        id="side effect of a package",
    ),
    pytest.param(
        {"m.py": "from .a import f\nf()\ndef run():\n    return 1\n"},
        {"a.py": "def f():\n    return 7\n"},
        id="called by a loose statement",
    ),
    pytest.param(
        {
            "m.py": "from . import a, b\ndef run():\n    return a.REGISTRY\n",
            "b.py": "from .a import *\n@note\ndef x(): 1\n",
        },
        {"b.py": "from .a import *\n@note\ndef x(): 2\n"},
        id="registered by a decorator from a star",
    ),
    pytest.param(
        {"m.py": "if True:\n    from .a import f\ndef run():\n    return f()\n"},
        {"a.py": "def f():\n    return 7\n"},
        id="conditional import",
    ),
    pytest.param(
        {"m.py": "def run(x: int):\n    return run.__annotations__\n"},
        {"m.py": "from __future__ import annotations\ndef run(x: int):\n    return run.__annotations__\n"},
        id="__future__",
    ),
    pytest.param(
        {"m.py": "from . import sub\ndef run():\n    return getattr(sub, 'deep')\n", "sub/deep.py": "def h(): 1\n"},
        {"sub/deep.py": "def h(): 2\n"},
        id="package passed around",
    ),
    pytest.param(
        {"m.py": "from . import b\ndef run():\n    return getattr(b, 'f')\n", "b.py": "from .a import *\n"},
        {"a.py": "def f():\n    return 7\n"},
        id="module with a star passed around",
    ),
    pytest.param(
        {"__init__.py": "", "m.py": "from .a import f as g, g as f\ndef run():\n    return f() - g()\n"},
        {"m.py": "from .a import f, g\ndef run():\n    return f() - g()\n"},
        id="two imports swapped",
    ),
    pytest.param(
        {
            "m.py": "from .a import *\nfrom .b import *\ndef run():\n    return f()\n",
            "b.py": "def f():\n    return 3\n",
        },
        {"m.py": "from .b import *\nfrom .a import *\ndef run():\n    return f()\n"},
        id="two stars swapped",
    ),
    pytest.param(
        {"m.py": "from .b import *\ndef run():\n    return f()\n", "b.py": "from .a import *\n__all__ = ['f']\n"},
        {"b.py": "from .a import *\n__all__ = ['g']\n"},
        id="__all__ of a star",
    ),
    pytest.param(
        {"m.py": "A = 1\nB = A\nA = 2\ndef run():\n    return A, B\n"},
        {"m.py": "A = 1\nA = 2\nB = A\ndef run():\n    return A, B\n"},
        id="order of assignments",
    ),
    pytest.param(
        {"m.py": "from . import a, b\ndef run():\n    return a.REGISTRY\n", "b.py": "from .a import REGISTRY\nX = 1\n"},
        {"b.py": "from .a import REGISTRY\nREGISTRY['x'] = 1\n"},
        id="side effect of an imported module",
    ),
    pytest.param(
        {
            "m.py": "from . import a, b\ndef run():\n    return a.REGISTRY\n",
            "b.py": "from .a import note\n@note\ndef x(): 1\n",
        },
        {"b.py": "from .a import note\n@note\ndef x(): 2\n"},
        id="registered by a decorator",
    ),
    pytest.param(
        {
            "m.py": "def load():\n    global a\n    from . import a\n"
            "def use():\n    return a.f()\ndef run():\n    load()\n    use()\n"
        },
        {"a.py": "def f():\n    return 7\n"},
        id="global import",
    ),
    pytest.param(
        {"m.py": "from . import a\nalias = a\ndef run():\n    return alias.f()\n"},
        {"a.py": "def f():\n    return 7\n"},
        id="module under another name",
    ),
    pytest.param(
        {
            "m.py": "import toy\nfrom .sub import deep\ndef run():\n    return toy.sub.deep.h()\n",
            "sub/deep.py": "def h(): 1\n",
        },
        {"sub/deep.py": "def h(): 2\n"},
        id="submodule as an attribute",
    ),
    pytest.param(
        {"m.py": "from . import lazy\ndef run():\n    return lazy.f()\n", "lazy.py": "def __getattr__(name): 1\n"},
        {"lazy.py": "def __getattr__(name): 2\n"},
        id="module __getattr__",
    ),
    pytest.param(
        {"m.py": "for K in range(3):\n    pass\ndef run():\n    return K\n"},
        {"m.py": "for K in range(4):\n    pass\ndef run():\n    return K\n"},
        id="name bound by a loop",
    ),
    pytest.param(
        {"m.py": "T = [(last := i) for i in range(3)]\ndef run():\n    return last\n"},
        {"m.py": "T = [(last := i) for i in range(4)]\ndef run():\n    return last\n"},
        id="name bound by :=",
    ),
    pytest.param(
        {"m.py": "from numpy import *\ndef run():\n    return log(1)\n"},
        {"m.py": "from math import *\ndef run():\n    return log(1)\n"},
        id="star of a library",
    ),
    pytest.param(
        {"m.py": "TEXT = 'a'\ndef run():\n    return TEXT\n"},
        {"m.py": "TEXT = 'b'\ndef run():\n    return TEXT\n"},
        id="string that is not a docstring",
    ),
    pytest.param(
        {
            "m.py": "from dataclasses import dataclass\n"
            "@dataclass\nclass C:\n    a: int\n    b: int\ndef run():\n    return C\n"
        },
        {
            "m.py": "from dataclasses import dataclass\n"
            "@dataclass\nclass C:\n    b: int\n    a: int\ndef run():\n    return C\n"
        },
        id="fields of a dataclass",
    ),
]


@pytest.mark.parametrize(("files", "edited"), HARD)
def test_less_usual_ways_to_depend_on_code(write, files, edited):
    shared = {
        "a.py": "def f():\n    return 1\ndef g():\n    return 2\nREGISTRY = {}\ndef note(x):\n    return x\n",
    }
    assert changes(write, "toy.m:run", shared | files, edited)


EASY = [
    pytest.param(
        {"m.py": "import functools\n@functools.cache\ndef unused():\n    return 1\ndef run():\n    return 1\n"},
        {"m.py": "import functools\n@functools.cache\ndef unused():\n    return 2\ndef run():\n    return 1\n"},
        id="unused function with a decorator of a library",
    ),
    pytest.param(
        {
            "m.py": "from __future__ import annotations\n"
            "class Unused:\n    @property\n    def x(self):\n        return 1\ndef run():\n    return 1\n"
        },
        {
            "m.py": "from __future__ import annotations\n"
            "class Unused:\n    @property\n    def x(self):\n        return 2\ndef run():\n    return 1\n"
        },
        id="unused class with a builtin decorator",
    ),
    pytest.param(
        {"m.py": "UNUSED = [i for i in range(3)]\ndef run():\n    return [i for i in range(3)]\n"},
        {"m.py": "UNUSED = [i for i in range(4)]\ndef run():\n    return [i for i in range(3)]\n"},
        id="variable of a comprehension",
    ),
    pytest.param({"m.py": "def run(): return 'a'\n"}, {"m.py": 'def run(): return u"a"\n'}, id="spelling of a string"),
    pytest.param(
        {"m.py": "import other\ndef run():\n    return other.f()\n", "../other/__init__.py": "def f(): 1\n"},
        {"../other/__init__.py": "def f(): 2\n"},
        id="another package in the same folder",
    ),
]


@pytest.mark.parametrize(("files", "edited"), EASY)
def test_look_alikes_do_not_count(write, files, edited):
    assert not changes(write, "toy.m:run", files, edited)


def test_imports_for_type_checkers_do_not_count(write):
    files = {
        "m.py": "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from .a import A\n"
        "def run(x: 'A'):\n    return x\n",
        "a.py": "class A:\n    x = 1\nprint('a')\n",
    }
    assert not changes(write, "toy.m:run", files, {"a.py": "class A:\n    x = 2\nprint('b')\n"})


def test_what_a_decorator_may_have_registered_is_reached_by_name(write):
    root = write({"m.py": "from .a import note\n@note\ndef x(): 1\ndef run(): 2\n", "a.py": "def note(x): return x\n"})
    assert "toy.m:x" in reach("toy.m:run", root)


def test_circular_imports_end(write):
    root = write({"a.py": "from .b import *\ndef f(): return g()\n", "b.py": "from .a import *\ndef g(): return f()\n"})
    assert {"toy.a:f", "toy.b:g"} <= reach("toy.a:f", root).keys()


LOCK = (
    "numpy==2.1.0 \\\n    --hash=sha256:aa \\\n    --hash=sha256:bb\n    # via scipy\n"
    "win==1 ; sys_platform == 'win32' \\\n    --hash=sha256:cc\n"
)


@pytest.mark.parametrize(
    ("old", "new", "same"),
    [
        ("numpy==2.1.0", "numpy==2.1.1", False),
        ("'win32'", "'darwin'", False),
        ("win==1 ;", "win==1;", True),
        ("# via scipy", "# via pandas", True),
        ("sha256:bb", "sha256:dd", True),
        ("numpy", "# made by a tool\n--index-url https://example.org\nnumpy", True),
    ],
)
def test_only_the_pins_of_the_lock_count(write, tmp_path, old, new, same):
    root, lock = write(TOY), tmp_path / "requirements.lock"
    lock.write_text(LOCK)
    before = fingerprint(ENTRY, root, lock)
    assert before != fingerprint(ENTRY, root)
    lock.write_text(LOCK.replace(old, new, 1))
    assert (fingerprint(ENTRY, root, lock) == before) is same


def test_the_order_of_the_pins_does_not_matter(write, tmp_path):
    root, one, two = write(TOY), tmp_path / "one.lock", tmp_path / "two.lock"
    one.write_text("a==1\nb==2\n")
    two.write_text("b==2\n\na==1  # why\n")
    assert fingerprint(ENTRY, root, one) == fingerprint(ENTRY, root, two)


def test_a_missing_lock_is_an_input_error(write, tmp_path):
    with pytest.raises(InputError, match=r"none\.lock"):
        fingerprint(ENTRY, write(TOY), tmp_path / "none.lock")


def test_the_stamp_is_written_only_when_its_text_changes(write, tmp_path):
    root, lock, folder = write(TOY), tmp_path / "requirements.lock", tmp_path / "stamps"
    lock.write_text(LOCK)
    path = stamp(ENTRY, folder, lock=lock, root=root)
    assert path == folder / "stages.run.txt"
    lines = path.read_text().splitlines()
    assert lines[:-1] == [f"{name} {digest}" for name, digest in reach(ENTRY, root).items()]
    assert re.fullmatch("locked versions [0-9a-f]{16}", lines[-1])
    os.utime(path, (1, 1))
    edit(root, "stages.py", "# a comment", "# another comment")
    assert stamp(ENTRY, folder, lock=lock, root=root) == path
    assert path.stat().st_mtime == 1
    edit(root, "plain.py", "shared(x) + 1", "shared(x) + 2")
    stamp(ENTRY, folder, lock=lock, root=root)
    assert path.stat().st_mtime > 1
    changed = set(path.read_text().splitlines()) ^ set(lines)
    assert {line.partition(" ")[0] for line in changed} == {"toy.plain:callee"}


def test_modules_of_the_same_name_have_stamps_of_their_own(write, tmp_path):
    root = write({"a/rules.py": "def run(): 1\n", "b/rules.py": "def run(): 2\n"})
    names = {stamp(f"toy.{name}.rules:run", tmp_path / "stamps", root=root).name for name in "ab"}
    assert names == {"a.rules.run.txt", "b.rules.run.txt"}


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


@pytest.mark.parametrize("text", ["x = 1\nx = = 2\n", "x = 1\nx = '\n"])
def test_a_syntax_error_names_file_and_line(write, text):
    root = write({**TOY, "plain.py": text})
    with pytest.raises(InputError, match=r"plain\.py:2: not valid Python"):
        fingerprint(ENTRY, root)


# What the three versions parse, quote or print in different ways.
VERSIONS = r'''
    import dataclasses

    TEXTS = [u"u", b"b", 'it''s', "\u0378 \U0001fae8", 1e400, -0.0, 10_000, ..., 1j]


    @dataclasses.dataclass(frozen=True)
    class Row:
        name: str = "it's \"quoted\""

        def text(self, d, w: int = 3, *args, k=None, **kw) -> str:
            return f"{d['a']!r:>{w}} {d['b']}" if d else f"{self.name:{'>'}{w}}" f'{w=}' "{{}}"


    async def run(x, /, *, y=(z := 2)):
        match x:
            case {"a": [1, *rest], **more} if rest:
                return f"{x!s:{y}.{z}f}" f'{"nested " + f"{x:{y}}"}' """ "three" """
            case Row(name=None) | -1 as found:
                return [i async for i in found], {**more}, lambda *a, b=1: (yield), more[1:2, ::3]
        try:
            with (open("a") as a, open("b") as b):
                pass
        except* (OSError, ValueError) as error:
            raise RuntimeError(f"{error}\n{Row().text({}):\t<{y}}") from error
        return f"", f"{x}" "", rf"\d{x:\d}", f"{x:}", TEXTS
    '''


def interpreter(version: str) -> str | None:
    """Find another Python: on the search path, or installed beside the one that runs."""
    beside = sorted(Path(sys.base_prefix).parent.glob(f"{version}.*/bin/python"))
    for candidate in (shutil.which(f"python{version}"), *map(str, beside)):
        if candidate is not None:
            shown = subprocess.run([candidate, "--version"], capture_output=True, text=True, check=False)
            if shown.returncode == 0 and shown.stdout.startswith(f"Python {version}."):
                return candidate
    return None


@pytest.mark.parametrize("version", ["3.11", "3.12", "3.13"])
def test_the_fingerprint_is_the_same_on_every_python(write, version):
    root = write({**TOY, "versions.py": VERSIONS})
    python = interpreter(version)
    if python is None:
        pytest.skip(f"no Python {version} on the search path or beside this one")
    source = Path(private_experts.__file__).parent
    entries = [
        (ENTRY, root),
        ("toy.versions:run", root),
        ("private_experts.replication.run.fingerprint:stamp", source.parent),
    ]
    program = f"""if True:
        import json, sys, types
        from pathlib import Path
        package = sys.modules["private_experts"] = types.ModuleType("private_experts")
        package.__path__ = [{str(source)!r}]  # not its __init__.py, as the other Python may lack the libraries
        from private_experts.replication.run.fingerprint import reach
        print(json.dumps([reach(entry, Path(root)) for entry, root in json.load(sys.stdin)]))
    """
    given_to = json.dumps([(entry, str(root)) for entry, root in entries])
    ran = subprocess.run([python, "-I", "-c", program], input=given_to, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert json.loads(ran.stdout) == [reach(entry, root) for entry, root in entries]


STAGES = textwrap.dedent(TOY["stages.py"])
STARTS = sorted({node.lineno for node in ast.walk(ast.parse(STAGES)) if isinstance(node, ast.stmt)})


@settings(deadline=None)  # files are read anew for each example
@given(
    st.lists(
        st.tuples(
            st.sampled_from(STARTS),
            st.sampled_from(["", "# why", "    # why", "\t#" + "x = 1", "#: \N{GREEK SMALL LETTER ETA}"]),
        )
    )
)
def test_comments_and_blank_lines_never_matter(tmp_path_factory, insertions):
    root = tmp_path_factory.mktemp("toy")
    for name, text in TOY.items():
        (root / "toy" / name).parent.mkdir(parents=True, exist_ok=True)
        (root / "toy" / name).write_text(textwrap.dedent(text), encoding="utf-8")
    before = reach(ENTRY, root)
    lines = STAGES.splitlines()
    for line, text in sorted(insertions, reverse=True):
        lines.insert(line - 1, text)
    (root / "toy" / "stages.py").write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert reach(ENTRY, root) == before


AUDITED = {
    "__init__.py": "",
    "stages.py": """
        from . import helpers

        DOUBLE = lambda x: 2 * x


        def run(x):
            from .late import Late

            return [DOUBLE(i) for i in range(x)], helpers.outer(x), Late().method(x)


        def blind(x):
            return getattr(__import__("audited.helpers").helpers, "hid" + "den")(x)
        """,
    "helpers.py": """
        def outer(x):
            def inner(y):
                return y

            return inner(x)


        def hidden(x):
            return x
        """,
    "late.py": """
        def at_import(x):
            return x


        VALUE = [at_import(1) for _ in range(2)]


        class Late:
            def method(self, x):
                return x
        """,
}


@pytest.fixture
def audited(write, monkeypatch):
    root = write(AUDITED, package="audited")
    monkeypatch.syspath_prepend(root)
    yield root
    for name in [name for name in sys.modules if name.partition(".")[0] == "audited"]:
        del sys.modules[name]


def test_the_audit_names_the_definitions_that_ran(audited):
    import audited.stages as stages  # type: ignore[import-not-found]

    ran = executed_definitions(lambda: stages.run(2), audited / "audited")
    assert ran == {"audited.stages:run", "audited.stages:DOUBLE", "audited.helpers:outer", "audited.late:Late"}
    assert untracked(lambda: stages.run(2), "audited.stages:run", root=audited) == set()


def test_the_audit_catches_a_blind_spot(audited):
    import audited.stages as stages

    missed = {"audited.helpers:hidden"}
    assert "audited.helpers:hidden" not in reach("audited.stages:blind", audited)
    assert untracked(lambda: stages.blind(2), "audited.stages:blind", root=audited) == missed
    assert untracked(lambda: stages.blind(2), "audited.stages:blind", frozenset(missed), root=audited) == set()


def test_the_audit_watches_threads_and_restores_the_profiler(audited):
    import audited.helpers as helpers

    def call() -> None:
        thread = threading.Thread(target=helpers.hidden, args=(1,))
        thread.start()
        thread.join()
        raise LookupError

    before = sys.getprofile(), threading.getprofile()
    ran: set[str] = set()
    with pytest.raises(LookupError):
        executed_definitions(call, audited / "audited")
    assert (sys.getprofile(), threading.getprofile()) == before

    def quietly() -> None:
        with pytest.raises(LookupError):
            call()

    ran = executed_definitions(quietly, audited / "audited")
    assert ran == {"audited.helpers:hidden"}


def test_this_package_tracks_its_own_fingerprint(tmp_path):
    entry = "private_experts.replication.run.fingerprint:stamp"
    assert untracked(lambda: stamp(entry, tmp_path), entry) == set()


def test_fifteen_stamps_of_a_package_of_sixty_files_take_less_than_a_second(write, tmp_path):
    function = "\n\ndef f{n}(x):\n    total = [np.log(x + i) for i in range({n})]\n    return sum(total) / len(total)\n"
    body = "import numpy as np\n" + "".join(function.format(n=n) for n in range(20))
    files = {
        f"m{i}.py": f"from .m{i + 1} import f1 as below\n{body}\ndef run(x):\n    return below(x)\n" for i in range(59)
    }
    root = write({**files, "m59.py": body})
    start = time.process_time()
    for i in range(15):
        stamp(f"toy.m{i}:run", tmp_path / "stamps", root=root)
    assert time.process_time() - start < 1
