"""RW-FTPL's rate is reached, and a mutant's is not."""

import math
from typing import Any

import numpy as np

from private_experts.replication.balls.balls import ball, lower, precision, upper
from private_experts.replication.papers.p000 import rw_ftpl_rate
from tests.each import each
from tests.replication.papers.small_checks import times, verdict

GRID = {"n": [2, 10], "T": [100, 10000], "mu": [1.0], "multiple": [0.5, 1, 2], "share": 0.1}

FEW, SHARE = GRID | {"n": [10], "T": [100]}, {"what": "share"}
regret, rise = rw_ftpl_rate.regret_of_leader, rw_ftpl_rate.regret_of_rise


@each(
    ("of", "mutants", "expected"),
    [
        ({}, {}, "holds"),
        (SHARE, {"regret_of_leader": lambda *given: regret(*given) / 6}, "fails"),
        # another regret of the library
        ({}, {"regret_of_rise": times(0.999, rise)}, "fails"),
        ({}, {"regret_of_rise": times(1.001, rise)}, "fails"),
    ],
)
def test_the_rate_is_reached_and_other_regrets_are_caught(of: Any, mutants: Any, expected: str) -> None:
    assert verdict(rw_ftpl_rate.rate_attained, GRID, of=of, **mutants) == expected


def test_a_share_that_is_not_reached_for_sure_does_not_hold() -> None:
    [reached] = [point for point in rw_ftpl_rate.rate_attained(FEW) if SHARE.items() <= point.where.items()]
    assert reached.certified
    for share, expected in (
        (reached.low, "holds"),
        (reached.value, "undecided"),
        (1.001 * reached.high, "fails"),
    ):
        assert verdict(rw_ftpl_rate.rate_attained, FEW | {"share": share}, of=SHARE) == expected


@each("horizon", [50, 500])
def test_the_regret_of_two_experts_has_a_closed_form(horizon: int) -> None:
    t = np.arange(1, horizon + 1)
    behind = [0.5 * math.erfc(0.3 * (s - 1) / (2 * math.sqrt(s))) for s in t]
    with precision():
        ball_of = regret(2, horizon, 1.0, 0.3)
        assert ball_of.contains(ball(0.3 * sum(behind)))
        assert upper(ball_of) - lower(ball_of) < 1e-3
