"""The median trick, and mutants."""

from fractions import Fraction

import numpy as np
import pytest

from private_experts.distribution_learning.risk import total_variation
from private_experts.replication.balls.balls import near, precision
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import median

GRID = {"k": [3, 27], "r": [0.1], "M": 4, "instances": 20}


def test_the_central_estimate_is_near() -> None:
    points = median.median_trick(GRID, 1)
    assert decide(points) == "holds"
    assert max(point.value for point in points if "line" in str(point.where["quantity"])) == pytest.approx(
        3, abs=1e-5
    )


def test_the_binomial_probability_is_that_of_three_runs() -> None:
    (first, *_) = median.median_trick(GRID, 1)
    assert first.value == pytest.approx(3 * (1 / 3) ** 2 * (2 / 3) + (1 / 3) ** 3)


def test_another_choice_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(median, "central", lambda estimates: 0)
    assert decide(median.median_trick(GRID, 1)) == "fails"


def test_runs_that_are_bad_with_a_half_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(median, "_GOOD", Fraction(1, 2))
    assert decide(median.median_trick(GRID, 1)) == "fails"


def test_a_distance_is_the_librarys_without_rounding() -> None:
    p, q = ([0.1, 0.2, 0.7], [0.3, 0.3, 0.4])
    with precision():
        assert near(median.distance(p, q)) == pytest.approx(float(total_variation(p, q)), rel=1e-15)


def test_good_runs_are_good() -> None:
    rng = np.random.default_rng(0)
    truth = np.array([0.1, 0.2, 0.7])
    near = median._near(truth, 0.05, 200, rng)
    np.testing.assert_allclose(near.sum(axis=1), 1.0)
    assert (near >= 0).all()
    assert 0.04 < total_variation(truth, near).max() <= 0.05 + 1e-12
