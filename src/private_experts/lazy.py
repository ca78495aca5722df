"""Packages that import what they offer when it is first used, after the `attach` of lazy_loader.

Importing one module imports its package first. If that imported all its modules, each program would wait for whatever
one of them needs: SciPy's special functions alone take twice as long as NumPy. So a package names what it offers for
type checkers, which the code fingerprint reads too:

    if TYPE_CHECKING:
        from private_experts.algorithms.hedge import Hedge

    attach(__name__)
"""

import sys

# Names of version 0.2 that go in version 0.4, without `private_experts`, and what each is called now.
RENAMED = {
    "distribution_learning.Learner": "distribution_learning.LabelLearner",
    "distribution_learning.play": "distribution_learning.play_labels",
    "CorrelatedSums": "MatrixSums",
    "games.instances": "games.streams",
    "games.shifting_streams": "games.streams",
    "games.stochastic": "games.streams",
    "privacy.composed": "privacy.composition.advanced_epsilon",
    "privacy.exact_composition.composed_delta": "privacy.exact_composition.delta",
    "privacy.exact_composition.composed_epsilon": "privacy.exact_composition.epsilon",
    "private_oco.private_accounting.composed_epsilon": "private_oco.private_accounting.advanced_epsilon",
    "private_oco.regret": "private_oco.convex_regret",
    "privacy.CorrelatedSums": "privacy.MatrixSums",
    "privacy.PrivatePrefixSums": "privacy.TreeSums",
    "privacy.TightTree": "privacy.TightTreeSums",
    "privacy.factorization.noise": "privacy.factorization.noise_deviation",
}

# Functions of version 0.2 that go in version 0.4, of `private_experts.old_names`, and what to write instead.
RETIRED = {
    "algorithms.approximate_parameters": "ShrinkingDartboard(n, guarantee, ...), or DartboardParameters.for_guarantee",
    "algorithms.batched_parameters": "ShrinkingDartboard(n, guarantee, batched=True, ...)",
    "algorithms.pure_parameters": "ShrinkingDartboard(n, guarantee, ...), or DartboardParameters.for_guarantee",
    "privacy.gaussian_mechanism.compose": "compose(...)",
    "privacy.to_approximate": "compose(guarantee, delta=...), or guarantee.epsilon(delta) of a GaussianDP",
    "to_approximate": "compose(guarantee, delta=...), or guarantee.epsilon(delta) of a GaussianDP",
    "algorithms.min_noise": "TreeFTPL(..., scale='min_noise')",
    "algorithms.min_regret": "TreeFTPL(..., scale='min_regret')",
}


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
                    import_module(f"{package}.{name}") if source == package else getattr(import_module(source), name)
                )
                setattr(module, name, found)
                return found
        return renamed(package, name)

    def offered() -> list[str]:
        names = vars(sys.modules[package])
        return sorted({*names["__all__"], *(name for name in names if name.startswith("__"))})

    vars(sys.modules[package]).update(__getattr__=missing, __dir__=offered)


def attach_renamed(module: str) -> None:
    """Let a module that is no package give what was renamed in it, or moved elsewhere, by its old name."""
    vars(sys.modules[module])["__getattr__"] = lambda name: renamed(module, name)


def renamed(module: str, name: str) -> object:
    """Return what has another name now, with a warning that says which; refuse a name that there never was."""
    old = f"{module}.{name}".removeprefix("private_experts.")
    place, _, last = RENAMED.get(old, old).rpartition(".")
    new = f"{RENAMED.get(place, place)}.{last}".lstrip(".")  # a module that was renamed has all that it had
    if name.startswith("__") or (old not in RETIRED and new == old):
        raise AttributeError(f"module {module!r} has no attribute {name!r}")
    import warnings
    from importlib import import_module

    instead = RETIRED.get(old) or f"private_experts.{new}"
    warnings.warn(f"private_experts.{old} goes in version 0.4: write {instead}", DeprecationWarning, stacklevel=3)
    place, _, last = f"private_experts.{f'old_names.{name}' if old in RETIRED else new}".rpartition(".")
    found: object = getattr(import_module(place), last)
    return found
