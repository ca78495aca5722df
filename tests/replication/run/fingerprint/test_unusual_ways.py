"""Less usual ways to depend on code, and what only looks like one."""

import pytest

from tests.replication.run.fingerprint.toy import changes

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
    pytest.param(
        {"m.py": "class C:\n    from .a import f as g\ndef run():\n    return C.g\n"},
        {"a.py": "def f():\n    return 3\ndef g():\n    return 2\nREGISTRY = {}\ndef note(x):\n    return x\n"},
        id="import in the body of a class",
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
