"""Formulas and settings are equal with NumPy's numbers, whose small integers overflow, as with Python's."""

import importlib
import inspect
import pkgutil
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pytest

import private_experts
from private_experts.distribution_learning import (
    CentredCoordinate,
    HadamardResponse,
    NoisyCoordinate,
    NoisyVector,
    RandomizedResponse,
    ResponsePosterior,
    SignDesign,
    SubsetSelection,
)
from private_experts.privacy import ApproximateDP, PureDP
from private_experts.private_oco import PCOMW, Ball, GibbsEveryRound, LinearGibbs
from private_experts.randomness import rng_for
from private_experts.validation import plain_numbers
from tests.each import each

VALUES: dict[str, float] = {
    name: value
    for value, names in (
        (200, "horizon budget queries width count rounds steps epoch cost"),
        (100, "sensitivity noise_scale disagreement mechanisms revealed rise draws"),
        (64, "size"),
        (20, "n experts m pairs parts labels groups dimension t"),
        (16, "largest"),
        (3, "level switches batch under_root truth"),
        (2, "lipschitz diameter span moved"),
        (1, "mu rho"),
        (1.0, "steepness"),
        (0.5, "epsilon rate largest_rate amplitude gap shift log_phi lam spread takes_back noise beta reach"),
        (0.25, "p"),
        (0.125, "delta eta alpha u information"),
        (0.0625, "least"),
        (0.03125, "excess"),
    )
    for name in names.split()
}


def formulas() -> Iterator[tuple[str, Callable[..., Any]]]:
    """Return the library's public functions of numbers alone, by their names."""
    for found in pkgutil.walk_packages(private_experts.__path__, "private_experts."):
        if "replication" in found.name or found.name.endswith("__main__"):
            continue
        for name, function in vars(importlib.import_module(found.name)).items():
            if (
                inspect.isfunction(function)
                and function.__module__ == found.name
                and not name.startswith("_")
                and not inspect.isgeneratorfunction(inspect.unwrap(function))  # a context manager
            ):
                kinds = [
                    parameter.annotation for parameter in inspect.signature(function).parameters.values()
                ]
                if kinds and all(kind in (int, float, int | None, float | None) for kind in kinds):
                    yield f"{found.name}.{name}", function


FORMULAS = dict(formulas())


def of_numpy(value: float) -> Any:
    return np.uint8(value) if isinstance(value, int) else np.float16(value)


def same(function: Callable[..., Any], given: dict[str, float]) -> bool:
    plain, numpys = function(**given), function(**{name: of_numpy(value) for name, value in given.items()})
    several = (result if isinstance(result, tuple | list) else [result] for result in (plain, numpys))
    return all(np.array_equal(*pair) for pair in zip(*several, strict=True))


@pytest.mark.parametrize("name", FORMULAS)
def test_a_formula_is_the_same_for_numbers_of_numpy(name):
    function = FORMULAS[name]
    assert same(function, {name: VALUES[name] for name in inspect.signature(function).parameters})


def test_a_formula_that_overflows_is_found_by_this_table():
    def doubled(horizon: int) -> int:
        return 2 * horizon

    with pytest.warns(RuntimeWarning, match="overflow"):
        assert not same(doubled, {"horizon": 200})
    assert same(plain_numbers(doubled), {"horizon": 200})
    assert len(FORMULAS) > 70


PURE, APPROXIMATE = PureDP(3.0, "local"), ApproximateDP(3.0, 1e-3, "local")
MECHANISMS: dict[str, Callable[[type], Any]] = {
    "vector": lambda kind: NoisyVector(kind(20), APPROXIMATE, horizon=kind(200)),
    "coordinate": lambda kind: NoisyCoordinate(kind(20), PURE, horizon=kind(200)),
    "centred": lambda kind: CentredCoordinate(kind(20), PURE, horizon=kind(200)),
    "response": lambda kind: RandomizedResponse(kind(20), PURE, labels=kind(100), horizon=kind(200)),
    "posterior": lambda kind: ResponsePosterior(kind(20), PURE, labels=kind(100), horizon=kind(200)),
    "subsets": lambda kind: SubsetSelection(kind(20), PURE, labels=kind(100), horizon=kind(200)),
    "signs": lambda kind: HadamardResponse(kind(20), PURE, labels=kind(100), horizon=kind(200)),
    "design": lambda kind: SignDesign(kind(20), PURE, labels=kind(100), horizon=kind(200)),
}


@each("name", MECHANISMS)
def test_a_mechanism_is_the_same_for_numbers_of_numpy(name):
    plain, numpys = MECHANISMS[name](int), MECHANISMS[name](np.uint8)
    assert numpys.risk_bound == plain.risk_bound
    assert numpys.learning_rate == plain.learning_rate
    assert getattr(numpys, "proved", None) == getattr(plain, "proved", None)


def test_a_convex_player_has_the_same_guarantee_for_numbers_of_numpy():
    def levels(kind: type) -> tuple[float, float]:
        rng = rng_for(0, "draws")
        family = LinearGibbs(Ball(kind(200), kind(2)), beta=kind(3), lam=kind(100))
        lazy = PCOMW(
            family, log_phi=0.1, p=0.25, budget=kind(200), horizon=kind(200), lipschitz=kind(1), rng=rng
        )
        fresh = GibbsEveryRound(family, horizon=kind(200), lipschitz=kind(1), rng=rng, repetitions=kind(2))
        return lazy.guarantee.mu, fresh.guarantee.mu

    assert levels(np.uint8) == levels(int)
