"""The check of the true transport distance gives its verdict, another on a wrong one; plans are proved."""

from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from scipy.sparse import csr_array

from private_experts.private_oco.gibbs import GridGibbs
from private_experts.replication.balls.balls import ball, lower, precision, upper
from private_experts.replication.balls.cells import Cells, normalised
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import wasserstein_disc
from private_experts.replication.papers.p001.transport import least_radius
from private_experts.replication.papers.p001.wasserstein_disc import LEFT, flow, least_step, left_over, whole
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


def test_units_are_all_given_out_and_are_no_further_than_one_from_masses() -> None:
    masses = np.random.default_rng(6).dirichlet(np.full(50, 0.1))
    units = whole(masses)
    assert units.sum() == 10**9
    assert np.abs(units - masses * 1e9).max() < 1 + 1e-6


def test_what_a_plan_leaves_is_what_is_missing_from_its_rows_and_too_much_in_its_columns() -> None:
    one, two = law(0.5, 0.5, 0.0), law(0.0, 0.5, 0.5)
    exact = np.array([[0, 5, 0], [0, 0, 5], [0, 0, 0]]) * 10**8
    less, more = exact.copy(), exact.copy()
    less[0, 1] -= 3 * 10**8
    more[0, 1] += 10**8
    with precision():
        for plan, left in ((exact, 0.0), (less, 0.3), (more, 0.1), (exact.T, 1.0)):
            assert left <= upper(left_over(one, two, csr_array(plan))) < left + 1e-12
        with pytest.raises(ValueError, match="less than nothing"):
            left_over(one, two, csr_array(-exact))


@each(("more", "ends"), [(0.9e-6, (0, 0)), (0.9999e-6, (0, 1)), (1e-6, (0, 1)), (1.0001e-6, (1, 1))])
@each("guess", [0.0, 3.0])
def test_what_units_do_not_decide_is_inside_the_ball(
    more: float, ends: tuple[int, int], guess: float
) -> None:
    """A millionth may stay, and the first cell has so much more than it may keep."""
    with precision():
        step = least_step(law(0.5 + more, 0.5 - more, 0.0), law(0.5, 0.5, 0.0), POINTS, guess)
    assert (lower(step), upper(step)) == pytest.approx(ends, abs=1e-7)


def test_more_cells_than_units_can_stand_for_are_refused() -> None:
    with (
        precision(),
        put(wasserstein_disc, _UNITS=10**5),
        pytest.raises(ValueError, match="on 3 cells rounding"),
    ):
        least_step(law(0.4, 0.3, 0.3), law(0.333333, 0.333333, 0.333334), np.arange(3.0)[:, None], 1.0)


def test_rounding_of_distances_is_counted() -> None:
    """Squares but the first are just below half the last bit of 1, and are lost when added to it."""
    points = np.zeros((2, 128))
    points[1, ::8] = 0.99 * 2.0**-26.5
    points[1, 0] = 1.0
    with precision():
        step = least_step(law(1.0, 0.0), law(0.0, 1.0), points, 0.0)
    square = sum(Fraction(coordinate) ** 2 for coordinate in points[1].tolist())
    assert Fraction(lower(step)) ** 2 <= square <= Fraction(upper(step)) ** 2


def test_plans_that_go_too_far_are_refused_and_sets_that_prove_nothing_leave_it_open() -> None:
    both = law(0.5, 0.5, 0.0), law(0.0, 0.5, 0.5)
    far = lambda units, others, near: flow(units, others, near | True)  # noqa: E731
    with put(wasserstein_disc, flow=far), pytest.raises(ValueError, match="too far"):
        least_step(*both, POINTS, 2.0)
    with put(wasserstein_disc, flow=lambda *given: (flow(*given)[0], np.zeros(3, dtype=bool))):
        step = least_step(*both, POINTS, 2.0)
    assert (lower(step), upper(step)) == pytest.approx((0, 2), abs=1e-7)
