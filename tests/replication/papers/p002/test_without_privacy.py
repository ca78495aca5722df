"""The rate without privacy: the exact least regret, a game that is played, and wrong bounds."""

from typing import Any

import numpy as np
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.papers.p002 import without_privacy
from private_experts.replication.papers.p002.without_privacy import _from_below, ball, leads, least_errors
from tests.each import each
from tests.replication.papers.small_checks import SEED, verdict

GRID = {"K, gap, T": [[2, 0.5, 31], [30, 0.5, 63]]}


@each(
    ("mutants", "found"),
    [
        ({}, "holds"),
        ({"_from_below": lambda n, gap, rounds: 1.25 * gap * sum(least_errors(n, gap, rounds))}, "fails"),
        ({"_from_above": lambda n, gap, rounds: 0.95 * gap * sum(least_errors(n, gap, rounds))}, "fails"),
        ({"wrong_leader": lambda best, other, n: ball(1) - 1 / ball(n)}, "fails"),
        ({"leads": lambda kind, gap, most: leads(kind, 1.01 * gap, most)}, "fails"),
    ],
)
def test_the_least_regret_lies_between_its_bounds_and_wrong_ones_are_caught(mutants: Any, found: str) -> None:
    assert verdict(without_privacy.without_privacy, GRID, **mutants) == found


def test_a_play_that_never_learns_breaks_the_bound() -> None:
    assert any(point.lazy_fails for point in without_privacy.without_privacy(GRID))


def test_the_error_is_that_of_the_leader_of_coin_flips() -> None:
    """Five standard errors: false alarm once in 10^6."""
    n, gap, rounds, games = 4, 0.4, 6, 40_000
    rng = rng_for(SEED, "leader")
    totals = np.array(
        [rng.binomial(rounds, (1 + gap) / 2, games), *rng.binomial(rounds, (1 - gap) / 2, (n - 1, games))]
    )
    wrong = (totals + 0.5 * rng.random(totals.shape)).argmax(axis=0) > 0
    exact = float(least_errors(n, gap, rounds + 1)[-1])
    assert abs(wrong.mean() - exact) < 5 * wrong.std() / np.sqrt(games)


def test_the_bound_from_below_by_hand() -> None:
    for n, gap in ((2, 0.2), (30, 0.5)):
        rho = (1 + 3 * gap**2) / (1 - gap**2)
        first, second = 1 - 1 / n, 1 - 1 / n - np.sqrt((rho - 1) / n)
        for rounds, expected in ((1, first), (2, first + second)):
            assert float(_from_below(n, gap, rounds)) == pytest.approx(gap * expected)
