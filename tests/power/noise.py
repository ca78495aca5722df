"""The generic mutants: all noise that the library draws, or all that it asks for, times a factor.

*Drawn* noise is scaled behind the mechanism's back. The mechanism promises what it did before, and adds less.
Draws of the checks that are no noise, such as random instances, stay as they are. *Calibrated* noise is
scaled where a scale follows from a guarantee, so that mechanism and check both hear of the other scale. Of a
selection's noise the rate is the inverse.
"""

import functools
import importlib
import pkgutil
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from typing import Any, Literal

import numpy as np

import private_experts

Kind = Literal["drawn", "calibrated"]

# Who draws noise. The checks among them play a mechanism's walk themselves.
DRAWING = tuple(
    f"private_experts.{room}"
    for room in (
        *("privacy.", "algorithms.", "distribution_learning."),
        *("replication.study.batching.", "replication.study.players."),
        *("replication.papers.p000.walks", "replication.papers.p000.batches"),
        *("replication.papers.p004.past_plays", "replication.papers.p004.marginals"),
    )
)
INSTANCES = {"theorem_2"}  # a check of theirs that draws the means of Gaussians, which are no noise

# Functions of noise, and how: they return noise or a scale, or their second argument is a rate or a scale, as
# that of exact laws. The lies of randomised response have no scale. What a check writes itself, such as 2 /
# epsilon, is not reached.
How = Literal["returned", "rate", "scale"]
CHECKS = "replication.papers"
FUNCTIONS: dict[Kind, dict[str, How]] = {
    "drawn": {
        "algorithms.noisy_fixed_share:_laplace": "returned",
        "privacy.selection:exponential_mechanism": "rate",
    },
    "calibrated": {
        "privacy.guarantees:GaussianDP.noise_scale": "returned",
        "privacy.above_threshold:AboveThreshold.query_scale": "returned",
        "privacy.above_threshold:halting_law": "rate",
        "privacy.selection:exponential_law": "rate",
        "privacy.selection:report_noisy_max_law": "scale",
        "distribution_learning.scaling:Scaling.noise": "returned",
        "replication.study.batching.batch_size_laws:noise_scale": "returned",
        f"{CHECKS}.p004.noisy:scale_of": "returned",
        f"{CHECKS}.p004.noisy:gaussian_scale_of": "returned",
        f"{CHECKS}.p004.share_bounds:private_scale": "returned",
        f"{CHECKS}.p004.mechanisms:noise_scale": "returned",
    },
}


class Watch:
    """How often noise was drawn or asked for."""

    seen = 0


@contextmanager
def noise_times(factor: float, kind: Kind) -> Iterator[Watch]:
    """Scale all noise of a kind by a factor, and count it."""
    watch, made = Watch(), np.random.default_rng
    forget()
    # Each undoes what it did even when the next one fails, or all tests that follow have this noise.
    with ExitStack() as undo:
        undo.callback(forget)
        for name, how in FUNCTIONS[kind].items():
            undo.callback(_replaced(name, how, factor, watch))
        if kind == "drawn":
            scaled = type("Scaled", (_Scaled,), {"factor": factor, "watch": watch})
            undo.callback(setattr, np.random, "default_rng", made)
            np.random.default_rng = lambda seed=None: scaled(made(seed).bit_generator)  # type: ignore[assignment]
        yield watch


class _Scaled(np.random.Generator):
    """A generator whose noise is `factor` times as large. Only who draws noise notices."""

    factor: float
    watch: Watch

    def __reduce__(self) -> tuple[Any, ...]:  # for copies, which some games make
        return type(self), (self.bit_generator,)

    def _of_caller(self) -> float:
        caller: Any = sys._getframe(2)
        # A comprehension is a function of its own, in the one that has it.
        names = {caller.f_code.co_name, caller.f_back.f_code.co_name}
        noise = caller.f_globals.get("__name__", "").startswith(DRAWING) and not names & INSTANCES
        self.watch.seen += noise
        return self.factor if noise else 1.0

    def standard_normal(self, *words: Any, **more: Any) -> Any:
        return super().standard_normal(*words, **more) * self._of_caller()

    def standard_gamma(self, *words: Any, **more: Any) -> Any:
        return super().standard_gamma(*words, **more) * self._of_caller()


def _scaling(draw: Callable[..., Any]) -> Callable[..., Any]:
    """Return a method of `_Scaled` for one of numpy's that takes a scale."""

    def drawn(self: _Scaled, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        return draw(self, loc, self._of_caller() * np.asarray(scale), size)

    return drawn


for _name in ("normal", "laplace", "gumbel"):
    setattr(_Scaled, _name, _scaling(getattr(np.random.Generator, _name)))


def _replaced(name: str, how: How, factor: float, watch: Watch) -> Callable[[], None]:
    """Put a scaled function into every place where it is known by name; return what undoes it."""
    module, _, path = name.partition(":")
    owner: Any = importlib.import_module(f"private_experts.{module}")
    *classes, attribute = path.split(".")
    for class_ in classes:
        owner = getattr(owner, class_)
    original = vars(owner)[attribute]
    places = (
        [owner] if classes else [module for module in _modules() if vars(module).get(attribute) is original]
    )
    mutant = _mutant(original, how, factor, watch)
    for place in places:
        setattr(place, attribute, mutant)
    return lambda: [setattr(place, attribute, original) for place in places] and None


def _mutant(original: Any, how: How, factor: float, watch: Watch) -> Any:
    inner = getattr(original, "fget", None) or getattr(original, "func", None)
    if inner is not None:  # a property, cached or not
        return property(_mutant(inner, how, factor, watch))

    @functools.wraps(original)
    def mutant(*words: Any, **more: Any) -> Any:
        watch.seen += 1
        if how != "returned":
            second = words[1] / factor if how == "rate" else words[1] * factor
            return original(words[0], second, *words[2:], **more)
        return factor * original(*words, **more)

    return mutant


CACHED = type(functools.cache(lambda: None))


def forget() -> None:
    """Empty the caches of the package, whose values may rest on what was replaced."""
    for module in [module for name, module in sys.modules.items() if name.startswith("private_experts")]:
        for member in vars(module).values():
            if isinstance(member, CACHED) and member.__module__.startswith("private_experts"):
                member.cache_clear()


@functools.cache
def _modules() -> tuple[Any, ...]:
    """Return all modules of the package, loaded now: one that is loaded under a mutant would keep it."""
    names = [package.name for package in pkgutil.walk_packages(private_experts.__path__, "private_experts.")]
    return tuple(importlib.import_module(name) for name in names if not name.endswith("__main__"))
