"""The rate without privacy: the exact least regret, a game that is played, and wrong bounds."""

from typing import Any

import numpy as np
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.papers.p002 import without_privacy
from tests.replication.papers.small_checks import SEED, verdict

GRID = {"K, gap, T": [[2, 0.5, 31], [30, 0.5, 63]]}


def test_the_least_regret_lies_between_its_bounds() -> None:
    assert verdict(without_privacy.without_privacy, GRID) == "holds"
    assert any(point.lazy_fails for point in without_privacy.without_privacy(GRID))


def test_the_error_is_that_of_the_leader_of_coin_flips() -> None:
    """Five standard errors: false alarm once in 10^6."""
    n, gap, rounds, games = 4, 0.4, 6, 40_000
    rng = rng_for(SEED, "leader")
    totals = np.array(
        [rng.binomial(rounds, (1 + gap) / 2, games), *rng.binomial(rounds, (1 - gap) / 2, (n - 1, games))]
    )
    wrong = (totals + 0.5 * rng.random(totals.shape)).argmax(axis=0) > 0
    exact = float(without_privacy.least_errors(n, gap, rounds + 1)[-1])
    assert abs(wrong.mean() - exact) < 5 * wrong.std() / np.sqrt(games)


def test_the_bound_from_below_by_hand() -> None:
    for n, gap in ((2, 0.2), (30, 0.5)):
        rho = (1 + 3 * gap**2) / (1 - gap**2)
        first, second = 1 - 1 / n, 1 - 1 / n - np.sqrt((rho - 1) / n)
        for rounds, expected in ((1, first), (2, first + second)):
            assert float(without_privacy._from_below(n, gap, rounds)) == pytest.approx(gap * expected)


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        (
            "_from_below",
            lambda n, gap, rounds: 2.5 * gap * sum(without_privacy.least_errors(n, gap, rounds)) / 2,
        ),
        (
            "_from_above",
            lambda n, gap, rounds: 0.95 * gap * sum(without_privacy.least_errors(n, gap, rounds)),
        ),
        ("wrong_leader", lambda best, other, n: without_privacy.ball(1) - 1 / without_privacy.ball(n)),
        ("leads", lambda kind, gap, most: LEADS(kind, 1.01 * gap, most)),
    ],
)
def test_wrong_bounds_and_wrong_laws_are_caught(name: str, wrong: Any, put: Any) -> None:
    put(without_privacy, name, wrong)
    assert verdict(without_privacy.without_privacy, GRID) == "fails"


LEADS = without_privacy.leads
