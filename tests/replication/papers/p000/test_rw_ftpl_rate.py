"""RW-FTPL's rate is reached, and a mutant's is not."""

import math
from typing import Any

import numpy as np
import pytest

from private_experts.replication.balls.balls import ball, lower, precision, upper
from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.papers.p000 import rw_ftpl_rate

CHECKED = rw_ftpl_rate
GRID = {"n": [2, 10], "T": [100, 10000], "mu": [1.0], "multiple": [0.5, 1, 2], "share": 0.1}

regret = rw_ftpl_rate.regret_of_leader


def shares(grid: dict[str, Any]) -> list[Point]:
    """Return the points that are no comparison with the library."""
    return [point for point in rw_ftpl_rate.rate_attained(grid) if point.where["what"] == "share"]


def test_the_rate_is_reached() -> None:
    assert decide(rw_ftpl_rate.rate_attained(GRID)) == "holds"


def test_a_sixth_of_the_regret_is_caught(put: Any) -> None:
    put(regret_of_leader=lambda *given: regret(*given) / 6)
    assert decide(shares(GRID)) == "fails"


@pytest.mark.parametrize("factor", [0.999, 1.001])
def test_another_regret_of_the_library_is_caught(factor: float, put: Any) -> None:
    right = rw_ftpl_rate.regret_of_rise
    put(regret_of_rise=lambda *given: factor * right(*given))
    assert decide(rw_ftpl_rate.rate_attained(GRID)) == "fails"


def test_a_share_that_is_not_reached_for_sure_does_not_hold() -> None:
    [reached] = shares(GRID | {"n": [10], "T": [100]})
    for share, verdict in (
        (reached.low, "holds"),
        (reached.value, "undecided"),
        (1.001 * reached.high, "fails"),
    ):
        assert decide(shares(GRID | {"n": [10], "T": [100], "share": share})) == verdict
    assert reached.certified


@pytest.mark.parametrize("horizon", [50, 500])
def test_the_regret_of_two_experts_has_a_closed_form(horizon: int) -> None:
    t = np.arange(1, horizon + 1)
    behind = [0.5 * math.erfc(0.3 * (s - 1) / (2 * math.sqrt(s))) for s in t]
    with precision():
        found = regret(2, horizon, 1.0, 0.3)
        assert found.contains(ball(0.3 * sum(behind)))
        assert upper(found) - lower(found) < 1e-3
