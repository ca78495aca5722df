"""The median trick, and mutants."""

from fractions import Fraction

import numpy as np
import pytest

from private_experts.distribution_learning.risk import total_variation
from private_experts.replication.balls.balls import near, precision
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import median
from tests.each import each
from tests.replication.papers.small_checks import SEED, wrong

GRID = {"k": [3, 27], "r": [0.1], "M": 4, "instances": 20}


def test_the_central_estimate_is_near() -> None:
    points = median.median_trick(GRID, SEED)
    assert decide(points) == "holds"
    on_a_line = [point.value for point in points if "line" in str(point.where["quantity"])]
    assert max(on_a_line) == pytest.approx(3, abs=1e-5)
    # the binomial probability of three runs
    assert points[0].value == pytest.approx(3 * (1 / 3) ** 2 * (2 / 3) + (1 / 3) ** 3)


@each(("name", "mutant"), [("central", lambda right, estimates: 0), ("_GOOD", Fraction(1, 2))])
def test_another_choice_and_runs_that_are_bad_with_a_half_are_caught(name, mutant) -> None:
    with wrong(median, name, mutant):
        assert decide(median.median_trick(GRID, SEED)) == "fails"


def test_a_distance_is_the_librarys_without_rounding() -> None:
    p, q = ([0.1, 0.2, 0.7], [0.3, 0.3, 0.4])
    with precision():
        assert near(median.distance(p, q)) == pytest.approx(float(total_variation(p, q)), rel=1e-15)


def test_good_runs_are_good() -> None:
    truth = np.array([0.1, 0.2, 0.7])
    found = median._near(truth, 0.05, 200, np.random.default_rng(0))
    np.testing.assert_allclose(found.sum(axis=1), 1.0)
    assert (found >= 0).all()
    assert 0.04 < total_variation(truth, found).max() <= 0.05 + 1e-12
