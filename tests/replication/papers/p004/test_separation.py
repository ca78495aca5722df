"""What adaptivity costs: the check gives its verdict, and another one when something is wrong."""

import math

import pytest

from private_experts.privacy.guarantees import PureDP
from private_experts.replication.balls.balls import ball, near
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import separation
from private_experts.replication.papers.p004.adaptive_adversaries import least_of_best, most_earned
from tests.each import each
from tests.replication.papers.small_checks import wrong

GAME = {"selection": ["laplace", "gumbel"], "T": [10**8], "gap": [1.0]}


def verdicts(**changes) -> tuple[str, ...]:
    """Return the verdicts on the regrets and on the library's."""
    points = separation.separation(GAME | changes)
    parts = ([point for point in points if point.where["what"] == what] for what in ("regret", "library"))
    return tuple(map(decide, parts))


def test_adaptivity_costs_more_than_privacy_on_stationary_streams() -> None:
    assert verdicts() == ("holds", "holds")
    regrets = [point for point in separation.separation(GAME) if point.where["what"] == "regret"]
    assert all(point.lazy_fails and not point.vacuous for point in regrets)
    assert verdicts(T=[10**4]) == ("fails", "holds")  # not yet


@each(
    ("name", "mutant", "expected"),
    [
        ("wrong_by_gumbel", lambda right, n, ahead: right(n, ahead / 100), ("fails", "fails")),
        ("program", 1 + 2e-6, ("holds", "fails")),
    ],
)
def test_a_hundredth_of_the_level_and_a_program_that_is_slightly_off_are_caught(
    name, mutant, expected
) -> None:
    with wrong(separation, name, mutant):
        assert verdicts() == expected


@each("horizon", [8, 64, 512])
def test_the_least_share_is_nearly_that_of_the_exact_order_statistics(horizon) -> None:
    level = 1 / math.sqrt(horizon)
    exact = least_of_best(horizon, 4 * horizon) - most_earned(horizon, PureDP(level, "central"))
    assert exact - 0.7 / horizon <= near(separation.least_adaptive(horizon, ball(level))) <= exact


def test_the_stationary_share_is_that_of_the_blocks() -> None:
    lost = 1 + sum(size * 127 / (127 + math.exp(size * 0.25 / 4)) for size in (2, 4, 8, 16))
    assert near(separation.stationary("gumbel", 16, ball(0.25), 1.0)) == pytest.approx(lost / 16)
