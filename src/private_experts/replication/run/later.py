"""NumPy, pandas and requests are not imported by Snakemake's process, which starts sooner and needs none of them.

Three places import them. Snakemake imports each plugin that is installed, whether or not a run uses it, and the one
for Slurm imports pandas for a report that nobody asked for. Snakemake looks whether a rule's parameter is a table of
pandas. And it opens its own rules with smart_open, which could download them.

The standard library has a ``LazyLoader``, but up to Python 3.11 a second import statement makes it load.
"""

import importlib
import sys
from importlib.util import find_spec
from types import ModuleType
from typing import Any


class _Later(ModuleType):
    """Stands for a package until something of it is asked for."""

    def __getattr__(self, name: str) -> Any:
        if sys.modules.get(self.__name__) is self:
            sys.modules.pop(self.__name__, None)  # another thread may have been faster
        return getattr(importlib.import_module(self.__name__), name)


def put_off(*packages: str) -> None:
    """Let packages be imported when something of them is used, and not where an import statement names them."""
    for package in packages:
        spec = None if package in sys.modules else find_spec(package)
        if spec:
            sys.modules[package] = later = _Later(package)
            later.__spec__ = spec


def plain(persistence: Any) -> None:
    """Let a class of Snakemake's records take all parameters of rules for plain values, as they are here.

    A class without the method that asks for more, as in another version of Snakemake, is left as it is.
    """
    if hasattr(persistence, "_serialize_param_builtin"):
        persistence._serialize_param = property(lambda self: self._serialize_param_builtin)
