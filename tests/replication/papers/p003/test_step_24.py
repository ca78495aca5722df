"""Step (24) with channels that differ, and mutants; the arithmetic after it."""

import math

import numpy as np
import pytest

from private_experts.replication.balls.balls import ball, near, precision
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import channels, classes, lower_bound_class, step_24
from tests.each import each
from tests.replication.papers.small_checks import SEED, failing, verdict, wrong

MIXED = {"N": [8], "eps": [0.5, 1.0], "T_over_least": [100]}
PRINTED = {"N": [64], "eps": [0.1], "T_over_least": [100]}
CHANNELS = {"all channels in turn", "all rows in turn", "two rows in turn", "all"}


def test_the_sum_over_rounds_finds_a_pair_and_one_round_does_not() -> None:
    points = step_24.step_24(MIXED, SEED)
    assert decide(points) == "holds"
    assert {point.where["channels"] for point in points} == CHANNELS
    assert verdict(step_24.step_24_printed, PRINTED) == "fails"
    with wrong(step_24, "_OTHERS", 1):  # one channel in all rounds
        points = step_24.step_24_printed(PRINTED)
    assert decide(points) == "holds"
    assert points[0].value == 0


@each(("first", "second"), [(0.52, 0.64), (0.64, 0.52), (0.4, 0.6)])
def test_the_total_variation_is_that_of_counted_reports(first, second) -> None:
    law = {p: [math.comb(6, k) * p**k * (1 - p) ** (6 - k) for k in range(7)] for p in (first, second)}
    exact = sum(max(p - q, 0.0) for p, q in zip(law[first], law[second], strict=True))
    with precision():
        found = step_24.apart(ball(first), ball(second), 6)
    assert near(found) == pytest.approx(exact, rel=1e-12)


def test_another_pair_is_caught() -> None:
    with wrong(step_24, "_least", lambda right, totals: int(np.argmax([near(total) for total in totals]))):
        points = step_24.step_24({"N": [32], "eps": [0.1], "T_over_least": [100]}, SEED)
    assert "two rows in turn" in failing(points, "channels")


def test_a_gap_a_bit_over_three_times_too_large_is_caught() -> None:
    """No channel that is tried comes nearer to the bound: all lose a factor of nine in the divergence."""
    with wrong(step_24, "exact_gap", 3.3):
        assert failing(step_24.step_24(MIXED | {"eps": [0.1]}, SEED), "quantity") >= {"sum of KL", "Pinsker"}


def test_a_library_with_another_divergence_is_caught() -> None:
    with wrong(step_24, "kl", 1 + 1e-9):
        assert failing(step_24.step_24(MIXED, SEED), "quantity") == {"KL, library"}


def test_balls_are_around_the_reports_of_the_class_and_their_total_variation() -> None:
    pairs, rounds, epsilon = 63, 600, 0.7
    halves = classes.lower_bound_class(pairs, classes.lower_bound_gap(pairs, rounds, epsilon))[2:4]
    row = channels.law(channels.row(pairs + 1, 2), epsilon)
    with precision():
        reports = step_24._reports(pairs, rounds, ball(epsilon))
        apart, exact = step_24._event(rounds, *reports), step_24.apart(*reports, rounds)
        assert near(apart) == pytest.approx(near(exact), rel=1e-9)
    assert [near(chance) for chance in reports] == pytest.approx([*(halves @ row)[:, 0]], rel=1e-13)


def test_the_constant_of_theorem_3_follows_from_the_total_variation() -> None:
    """After (24), by arithmetic: a test errs with probability 1/3 (25), so a prediction costs a / 132 (18).

    Within a / 33 of one half a prediction tells the halves apart, as every prediction is a / 16 away from one
    (19).
    """
    errs = (1 - math.sqrt(1 / 18)) / 2
    assert errs >= 1 / 3 > (1 - 0.34) / 2
    assert 1 / 16 >= 1 / 33
    assert min(errs, 1 / 3) / 33 >= 1 / lower_bound_class._CONSTANT
