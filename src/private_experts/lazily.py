"""Packages that import what they offer when it is first asked for.

Importing one module imports its package first. Were all its neighbours imported as well, each program would wait for
whatever one of them needs: SciPy's special functions alone take twice as long as NumPy. So a package names what it
offers for type checkers, and puts the imports off:

    if TYPE_CHECKING:
        from private_experts.algorithms.hedge import Hedge

    put_off(__name__)

The code fingerprint reads such imports of a package as it reads any other.
"""

import sys
from importlib import import_module


def put_off(package: str) -> None:
    """Let a package import what its source says when it is asked for it by name.

    Parameters
    ----------
    package : str
        The package's own ``__name__``. Its source names in imports, under ``if TYPE_CHECKING:``, what it offers.

    Examples
    --------
    >>> import private_experts.convex  # it calls put_off
    >>> private_experts.convex.Ball(2, 0.5).diameter  # imported here
    1.0
    >>> private_experts.convex.Cube
    Traceback (most recent call last):
        ...
    AttributeError: module 'private_experts.convex' has no attribute 'Cube'
    """

    def missing(name: str) -> object:
        import ast  # slow to load, and those who import the modules themselves never come here
        from pathlib import Path

        module = sys.modules[package]
        for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and any(alias.name == name for alias in node.names):
                source = str(node.module)
                found = (
                    import_module(f"{package}.{name}") if source == package else getattr(import_module(source), name)
                )
                setattr(module, name, found)
                return found
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    vars(sys.modules[package])["__getattr__"] = missing
