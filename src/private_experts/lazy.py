"""Packages that import what they offer when it is first used, after the `attach` of lazy_loader.

Importing one module imports its package first. If that imported all its modules, each program would wait for
whatever one of them needs: SciPy's special functions alone take twice as long as NumPy. So a package names
what it offers for type checkers, which the code fingerprint reads too:

    if TYPE_CHECKING:
        from private_experts.algorithms.hedge import Hedge

    attach(__name__)
"""

import sys


def attach(package: str) -> None:
    """Let a package import a name when it is first used, from where the imports in its own source say.

    `dir` tells what it offers (``__all__``), whether or not that was used.
    """

    def missing(name: str) -> object:
        import ast  # slow to load, and not needed by those who import the modules themselves
        from importlib import import_module
        from pathlib import Path

        module = sys.modules[package]
        for node in ast.walk(ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8"))):
            if isinstance(node, ast.ImportFrom) and any(alias.name == name for alias in node.names):
                source = str(node.module)
                found = (
                    import_module(f"{package}.{name}")
                    if source == package
                    else getattr(import_module(source), name)
                )
                setattr(module, name, found)
                return found
        from private_experts.errors import did_you_mean

        meant = "" if name.startswith("_") else did_you_mean(name, vars(module)["__all__"])
        raise AttributeError(f"module {package!r} has no attribute {name!r}{meant}")

    def offered() -> list[str]:
        names = vars(sys.modules[package])
        return sorted({*names["__all__"], *(name for name in names if name.startswith("__"))})

    vars(sys.modules[package]).update(__getattr__=missing, __dir__=offered)
