"""The bound on how a noisy leader's gain bends: it holds, and what is wrong with it or near it is caught."""

import math
from typing import Any

import numpy as np
import pytest
from scipy import integrate, stats

from private_experts.replication.balls.balls import ball, precision
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import half_divergence as checks
from tests.each import each
from tests.replication.papers.remembered import remembered
from tests.replication.papers.small_checks import failing, found, times, verdict

CHECKED = checks
GRID = {
    "n": [4],
    "shift": [0.0, 1.0],
    "drawn": {"n": [3], "spread": [0.5], "each": 1},
    "odd": {"shift": -0.541, "ratio": 1.09},
}
exact_bend, curvature, rest = checks.bend, checks.largest_curvature, checks.rest
bend = remembered(exact_bend)  # which is asked at one precision
COMPUTED = {"bend": bend}


def test_it_holds() -> None:
    points = checks.curvature(GRID)
    assert decide(points) == "holds"
    assert all(point.certified for point in points)


@each(
    ("mutants", "caught"),
    [
        ({"largest_curvature": times(0.7, curvature)}, {"bend", "library"}),
        ({"bend": times(2, bend)}, {"bend", "even cut", "conjecture"}),  # half the noise
        ({"bend": lambda groups: bend([(1, mean, side) for _, mean, side in groups])}, {"even cut"}),
        ({"rest": times(0.99, rest), "largest_curvature": curvature.__wrapped__}, {"library"}),
    ],
)
def test_what_is_wrong_is_caught(mutants: Any, caught: set[str]) -> None:
    assert failing(found(checks.curvature, GRID, **mutants), "what") >= caught


def test_a_ratio_that_three_experts_do_not_reach_is_refused() -> None:
    assert verdict(checks.curvature, GRID | {"odd": {"shift": -0.541, "ratio": 1.1}}) == "fails"


@each("sides", [[True, False, False], [True, False, True]])
def test_the_bend_is_the_second_difference_of_the_mean_of_the_largest(sides: list[bool]) -> None:
    means = np.array([0.3, -0.2, 0.5])

    def largest(shift: float) -> float:
        at = means + shift * np.array(sides)

        def above(x: float) -> float:
            return float((x > 0) - math.exp(stats.norm.logcdf(x - at).sum()))

        return float(integrate.quad(above, -12, 14, points=[0.0], epsabs=1e-11, limit=200)[0])

    step = 0.01
    slope = (largest(step) - 2 * largest(0.0) + largest(-step)) / step**2
    with precision():
        bent = exact_bend([(1, float(mean), side) for mean, side in zip(means, sides, strict=True)])
        alike = exact_bend([(2, 0.1, True), (3, 0.0, False)])
        apart = exact_bend([(1, 0.1, True), (1, 0.1, True), (2, 0.0, False), (1, 0.0, False)])
    assert float(bent) == pytest.approx(slope, abs=1e-4)
    assert abs(alike - apart) < ball(1e-12)
