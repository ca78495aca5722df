"""A small package whose fingerprint the tests know."""

import textwrap
from pathlib import Path

from private_experts.replication.workflow.fingerprint import Source

ENTRY = "toy.stages:run"

# Every common way to depend on code, and beside each something that does not count.
TOY = {
    "__init__.py": """
        from .core import chosen as exported
        """,
    "stages.py": '''
        """Stages."""

        import functools
        import math
        import os.path as paths

        import toy.deep.down
        import toy.deep.inner.bottom as bottom
        from toy import exported, whole
        from . import attributes, offered
        from .bases import Derived
        from .constants import DEFAULT, SCALE
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
            table += [TABLE["one"](x), PARTIAL()]
            return hand_over(whole), Derived().value(x), decorated(x), offered.Lazy(), table


        def hand_over(module):
            return module


        def wrap(function):
            return lambda x: function(x) + 1


        @wrap
        def decorated(x):
            """Only a docstring stands here."""


        def listed(x):
            return x


        def bound_to(x):
            return x


        TABLE = {"one": listed}
        PARTIAL = functools.partial(bound_to, x=1)


        def never_called(listed_too):
            return listed_too + UNUSED + unused(1)
        ''',
    "core.py": "def chosen(x):\n    return x + 1\n\ndef other(x):\n    return x + 2\n",
    "deep/__init__.py": "from .inner.bottom import g\n",
    "deep/inner/__init__.py": "",
    "deep/down.py": """
        from ..plain import shared


        def f(x):
            return shared(x) * 2


        def f_unused(x):
            return x
        """,
    "deep/inner/bottom.py": "def g(x):\n    return x * 3\n",
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
    "offered/__init__.py": """
        from typing import TYPE_CHECKING

        if TYPE_CHECKING:
            from .lazy import Lazy
            from .other import Other
        """,
    "offered/lazy.py": "class Lazy:\n    x = 1\n",
    "offered/other.py": "class Other:\n    x = 1\n",
    "local.py": "def late(x):\n    return x + 10\n\ndef not_late(x):\n    return x\n",
    "whole.py": "def by_name(x):\n    return x\n",
    "unrelated.py": "def lonely():\n    return 1\n",
}


def put(folder: Path, files: dict[str, str]) -> None:
    """Write files into a package's folder."""
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(textwrap.dedent(text), encoding="utf-8")


def edit(root: Path, file: str, old: str, new: str) -> None:
    path = root / "toy" / file
    text = path.read_text(encoding="utf-8")
    assert text.count(old) == 1
    path.write_text(text.replace(old, new), encoding="utf-8")


def reach(root: Path, entry: str = ENTRY) -> dict[str, str]:
    """Return what an entry of the small package reaches now."""
    return Source(root, "toy").reach(entry)
