"""The dartboard on a cover keeps its bound, and something wrong does not."""

from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.dartboard_parameters import theorem_2_regret
from private_experts.replication.balls.balls import ball, near, power
from private_experts.replication.balls.sums import gamma
from private_experts.replication.papers.dartboard_law import dartboard_law
from private_experts.replication.papers.p001 import covered_dartboard
from private_experts.replication.papers.p001.covered_dartboard import point_laws, regret_bound
from private_experts.replication.papers.p001.exact_chains import Between
from tests.each import each
from tests.replication.papers.small_checks import times, verdict

pytestmark = pytest.mark.usefixtures("in_balls")

COVER = {"losses": ["constant", "linear"], "T": [100], "n": [20], "eta_p": [[0.1, 0.3]]}


def backwards(*given: Any) -> Between:
    low, high = point_laws(*given)
    return Between(low[:, ::-1], high[:, ::-1])


@each(
    ("mutants", "found"),
    [
        ({}, "holds holds holds"),
        ({"point_laws": backwards}, "fails fails holds"),
        ({"regret_bound": times(0.45, regret_bound)}, "fails holds fails"),
        ({"theorem_2_regret": times(1 + 1e-8, theorem_2_regret)}, "holds holds fails"),
    ],
)
def test_the_dartboard_keeps_its_bound_on_a_cover_and_nothing_else_does(mutants: Any, found: str) -> None:
    assert verdict(covered_dartboard.dartboard_on_cover, COVER, last=2, **mutants) == found


@each("eta", [0.01, 0.3])
def test_factors_are_powers_with_the_error_that_is_stated(eta: float) -> None:
    losses = np.linspace(0, 1, 41)
    for found, loss in zip(covered_dartboard.factors(losses, eta).tolist(), losses.tolist(), strict=True):
        assert abs(found / power(1 - ball(eta), ball(loss)) - 1) < gamma(covered_dartboard._STEPS)


def test_bounds_are_around_the_programs_regret_and_near_each_other() -> None:
    losses = np.random.default_rng(1).uniform(-1, 1, (30, 8))
    scaled = losses - losses.min(axis=1, keepdims=True)
    scaled /= scaled.max()
    regret = covered_dartboard.expected(point_laws(*covered_dartboard.chain(scaled, 0.2, 0.3), 8), losses)
    regret -= covered_dartboard.best_total(losses)
    law = dartboard_law(scaled, 0.2, 0.3, 9).sum(axis=-1)
    assert near(regret) == pytest.approx(float((law * losses).sum() - losses.sum(axis=0).min()), rel=1e-9)
    assert regret.rad() < 1e-9


def test_the_error_of_the_best_total_grows_with_the_losses_and_not_with_their_sum() -> None:
    half = 2.0**-53  # of the last bit of 1, which is dropped
    best = covered_dartboard.best_total(np.array([[1.0], [half], [half], [-1.0]]))
    assert best.contains(ball(2 * half))


def test_the_bound_is_the_dartboards_own_and_half_a_cell_for_each_round() -> None:
    point = covered_dartboard.dartboard_on_cover(COVER, 1)[0]
    assert point.bound == pytest.approx(theorem_2_regret(0.1, 0.3, 100, 20) + 100 / 40, rel=1e-12)
