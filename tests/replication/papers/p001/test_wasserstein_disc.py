"""The check of the true transport distance gives its verdict, another on a wrong one; plans are proved."""

from itertools import product
from typing import Any

import numpy as np
import pytest

from private_experts.private_oco.gibbs import GridGibbs
from private_experts.replication.balls.balls import ball, lower, precision, upper
from private_experts.replication.balls.cells import Cells, normalised
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import wasserstein_disc
from private_experts.replication.papers.p001.transport import least_radius
from private_experts.replication.papers.p001.wasserstein_disc import LEFT, flow, least_step
from tests.each import each
from tests.replication.papers.replaced import put
from tests.replication.papers.small_checks import failing, found, times

POINTS = np.array([[0.0], [1.0], [3.0]])
DISC = {"beta": [3.0], "lam": [4.0], "G": 2.0, "cells": 14, "instances": 1}


def law(*masses: float) -> Cells:
    return normalised(np.log(np.maximum(masses, 1e-300)))


def steps(further: float) -> dict[str, Any]:
    """Return distances of 0.25, and a shift of the mean that goes further."""
    known = {"least_step": lambda *given: ball(0.25), "least_radius": lambda *given: 0.25}
    return {**known, "shift": lambda *given: ball(0.25) + further}


@each(
    ("mutants", "pairs"),
    [
        ({}, set()),
        ({"least_step": times(0.8, least_step)}, {"linear", "program's"}),
        ({"least_step": times(1.6, least_step)}, {"worst", "program's"}),
        ({"least_radius": lambda *given: least_radius(*given) + 1e-6}, {"program's"}),
        ({"GridGibbs": lambda points, beta, lam: GridGibbs(points, beta=beta, lam=lam / 2)}, {"worst"}),
        (steps(3e-6), set()),  # a millionth of the diameter is allowed to the mean, and no more
        (steps(5e-6), {"linear"}),
    ],
)
def test_it_holds_and_another_distance_is_caught(mutants: Any, pairs: set[str]) -> None:
    points = found(wasserstein_disc.disc, DISC, **mutants)
    assert failing(points, "pair") == pairs
    assert mutants or decide(points) == "holds"


@each("guess", [0.0, 2.0, 9.0])
def test_mass_goes_no_further_than_it_must_whatever_is_guessed(guess: float) -> None:
    with precision():
        step = least_step(law(0.5, 0.5, 0.0), law(0.0, 0.5, 0.5), POINTS, guess)  # 0 to 1, and 1 to 3
        assert step.contains(2)
        assert upper(step) - lower(step) < 1e-14
        assert least_step(law(0.2, 0.8, 0.0), law(0.2, 0.8, 0.0), POINTS, guess).contains(0)


def by_sets(one: Cells, two: Cells, points: Any) -> float:
    """Return the least distance by Strassen's theorem: no set has more mass than all that is within reach."""
    apart = np.linalg.norm(points[:, None] - points, axis=-1)
    sets = [np.array(members) for members in product([False, True], repeat=len(points)) if any(members)]
    for radius in np.unique(apart):
        near = apart <= radius + 1e-12
        if all(
            one.masses[members].sum() <= two.masses[near[members].any(axis=0)].sum() + LEFT
            for members in sets
        ):
            return float(radius)
    raise AssertionError("the largest distance is always enough")


def test_the_least_step_is_that_of_all_sets_of_cells() -> None:
    rng = np.random.default_rng(5)
    for _ in range(10):
        points, (one, two) = rng.random((6, 2)), (law(*masses) for masses in rng.dirichlet(np.ones(6), 2))
        with precision():
            step = least_step(one, two, points, 0.3)
        low, high, true = lower(step), upper(step), by_sets(one, two, points)
        assert low * (1 - 1e-14) <= true <= high * (1 + 1e-14)
        assert high - low < 1e-13


def test_plans_that_go_too_far_are_refused_and_sets_that_prove_nothing_leave_it_open() -> None:
    both = law(0.5, 0.5, 0.0), law(0.0, 0.5, 0.5)
    far = lambda units, others, near: flow(units, others, near | True)  # noqa: E731
    with put(wasserstein_disc, flow=far), pytest.raises(ValueError, match="too far"):
        least_step(*both, POINTS, 2.0)
    with put(wasserstein_disc, flow=lambda *given: (flow(*given)[0], np.zeros(3, dtype=bool))):
        step = least_step(*both, POINTS, 2.0)
    assert (lower(step), upper(step)) == pytest.approx((0, 2), abs=1e-7)
