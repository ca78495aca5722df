"""What adaptivity costs: the check gives its verdict, and another one when something is wrong."""

import math
from typing import Any

import pytest

from private_experts.privacy.guarantees import PureDP
from private_experts.replication.balls.balls import ball, near
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import separation
from private_experts.replication.papers.p004.adaptive_adversaries import least_of_best, most_earned
from tests.each import each

GAME = {"selection": ["laplace", "gumbel"], "T": [10**8], "gap": [1.0]}
WRONG = separation.wrong_by_gumbel


def verdicts(grid: Any = GAME) -> tuple[str, str]:
    """Return the verdicts on the regrets and on the library's."""
    points = separation.separation(grid)
    return tuple(
        decide([point for point in points if point.where["what"] == what]) for what in ("regret", "library")
    )


def test_adaptivity_costs_more_than_privacy_on_stationary_streams() -> None:
    assert verdicts() == ("holds", "holds")
    regrets = [point for point in separation.separation(GAME) if point.where["what"] == "regret"]
    assert all(point.lazy_fails and not point.vacuous for point in regrets)
    assert verdicts(GAME | {"T": [10**4]}) == ("fails", "holds")  # not yet


def test_selections_with_a_hundredth_of_their_level_are_caught(put: Any) -> None:
    put(separation, "wrong_by_gumbel", lambda n, ahead: WRONG(n, ahead / 100))
    assert verdicts() == ("fails", "fails")


def test_a_program_that_is_slightly_off_is_caught(put: Any) -> None:
    program = separation.program
    put(separation, "program", lambda *game: program(*game) * (1 + 2e-6))
    assert verdicts() == ("holds", "fails")


@each("horizon", [8, 64, 512])
def test_the_least_share_is_nearly_that_of_the_exact_order_statistics(horizon: int) -> None:
    level = 1 / math.sqrt(horizon)
    exact = least_of_best(horizon, 4 * horizon) - most_earned(horizon, PureDP(level, "central"))
    assert exact - 0.7 / horizon <= near(separation.least_adaptive(horizon, ball(level))) <= exact


def test_the_stationary_share_is_that_of_the_blocks() -> None:
    shares = [
        (n - 1) / (n - 1 + math.exp(size * 0.25 / 4)) for n, size in ((128, 2), (128, 4), (128, 8), (128, 16))
    ]
    lost = 1 + sum(size * share for size, share in zip((2, 4, 8, 16), shares, strict=True))
    assert near(separation.stationary("gumbel", 16, ball(0.25), 1.0)) == pytest.approx(lost / 16)
