"""The law of leader changes agrees with simulation, quadrature by other means, and closed forms."""

import math

import numpy as np
import pytest
from scipy import stats

from private_experts.errors import InputError
from private_experts.replication.papers.p000 import switching
from private_experts.replication.papers.p000.switching import (
    change_probability,
    expected_changes,
    most_changes,
)
from tests.each import each


@each("steps", [1.0, 4.0, 100.0])
def test_two_experts_change_with_the_angle_over_pi_by_quadrature_as_well(steps: float) -> None:
    angle = math.atan(1 / math.sqrt(steps))
    assert float(change_probability(steps, 2)) == pytest.approx(angle / math.pi, rel=1e-14)
    assert switching._turned(angle, 2) == pytest.approx(angle / math.pi, rel=1e-10)


def test_three_experts_change_as_an_orthant_probability_says() -> None:
    """P(0 leads X and Y): four jointly normal differences are positive, by scipy's multivariate normal."""
    ratio = math.sqrt(4 / 5)
    gap = np.array([[1.0, -1.0, 0.0], [1.0, 0.0, -1.0]])
    both = np.block([[gap, np.zeros_like(gap)], [np.zeros_like(gap), gap]])
    pairs = np.kron(np.array([[1.0, ratio], [ratio, 1.0]]), np.eye(3))
    zero, covariance = np.zeros(4), both @ pairs @ both.T
    stays = 3 * stats.multivariate_normal.cdf(zero, zero, covariance, abseps=5e-7, releps=5e-7)
    assert float(change_probability(4.0, 3)) == pytest.approx(1 - stays, abs=3e-6)


@each("n", [2, 3])
def test_the_sum_is_that_of_the_single_steps(n: int) -> None:
    for rounds in (1, 2, 3, 25):
        alone = change_probability(np.arange(1.0, rounds), n).sum() if rounds > 1 else 0.0
        assert expected_changes(rounds, n) == pytest.approx(float(alone), rel=1e-8)


def test_the_bound_lies_above_every_sum_and_close_to_it_in_the_long_run() -> None:
    for n in (2, 3, 10, 100):
        for rounds in (2, 10, 1000, 100_000):
            assert expected_changes(rounds, n) <= most_changes(rounds, n) <= rounds or rounds <= 10
        assert expected_changes(10**6, n) > 0.995 * most_changes(10**6, n)
    assert most_changes(100, 2, 3.0) == pytest.approx(
        (2 / math.sqrt(math.pi) + 0.5) * 10 / math.sqrt(math.pi)
    )


def test_one_expert_has_no_rival() -> None:
    with pytest.raises(InputError, match="at least 2"):
        change_probability(1.0, 1)


def test_rounds_that_are_computed_in_blocks_are_all_counted(monkeypatch):
    whole = expected_changes(60, 3)
    monkeypatch.setattr(switching, "_BLOCK", 8)
    assert expected_changes(60, 3) == whole
