"""Everything asked of piecewise Gaussian laws agrees with quadrature, and their balls are narrow."""

from typing import Any

import mpmath
import numpy as np
import pytest

from private_experts.replication.balls.balls import Ball, ball, near, precision
from private_experts.replication.balls.piecewise_gaussian import PiecewiseGaussian, divergence, gibbs
from private_experts.replication.balls.piecewise_linear import exact, line, maximum
from tests.each import each

LOSS = [-3.0, 0.2, 5.0], [-1.0, 0.3, -4.0]
OTHER = [0.7, -1.0], [0.1, 0.4]
ENDS = (-2.0, 3.0)
CASES = {"flat": (0.4, 0.5), "steep": (40.0, 3.0)}


NODES, WEIGHTS = np.polynomial.legendre.leggauss(150)
KNOTS = np.sort([*ENDS, -13 / 32, 3 / 17, 43 / 48, -0.4, 0.5, 1.0])  # of all that is integrated
X = ((KNOTS[1:] + KNOTS[:-1])[:, None] / 2 + np.diff(KNOTS)[:, None] / 2 * NODES).ravel()


def values(lines: Any) -> Any:
    slopes, heights = (np.array(line)[:, None] for line in lines)
    return (slopes * X + heights).max(axis=0)


def integrals(case: str) -> dict[str, float]:
    """Return integrals against the unnormalised density, by Gauss-Legendre quadrature between knots."""
    beta, lam = CASES[case]
    other = values(OTHER)
    inner = {
        "one": np.ones_like(X),
        "other": other,
        "exp": np.exp(-1.5 * other),
        "below": X < 0.5,
        "above": X > 0.5,
        "at least": other >= 0.8,
        "less": other < 0.8,
        "two": np.exp(-beta * other),
        "two other": other * np.exp(-beta * other),
    }
    masses = (np.diff(KNOTS)[:, None] / 2 * WEIGHTS).ravel() * np.exp(-beta * (values(LOSS) + lam * X**2 / 2))
    return {name: float(masses @ values) for name, values in inner.items()}


def laws(case: str) -> tuple[PiecewiseGaussian, PiecewiseGaussian, Any]:
    loss, other = maximum(*LOSS, *ENDS), maximum(*OTHER, *ENDS)
    return gibbs(loss, *CASES[case]), gibbs(loss + other, *CASES[case]), other


def agrees(found: Ball, true: Any) -> None:
    assert near(found) == pytest.approx(float(true), rel=1e-10, abs=1e-300)
    assert near(found.rad()) <= 1e-25 * max(abs(near(found)), 1e-3)


@each("case", CASES)
@precision()
def test_masses_means_moments_and_divergences_are_those_of_the_density(case: str) -> None:
    (law, other_law, other), beta = laws(case), CASES[case][0]
    variable = law.of(other)
    by = integrals(case)
    one, two = by["one"], by["two"]
    agrees(law.total, one)
    agrees(law.below(0.5), by["below"] / one)
    agrees(law.above(exact(0.5)), by["above"] / one)
    agrees(variable.mean(), by["other"] / one)
    agrees(variable.log_moment(ball(-1.5)), np.log(by["exp"] / one))
    agrees(variable.at_least(0.8), by["at least"] / one)
    agrees(variable.at_most(0.8), by["less"] / one)
    agrees(divergence(law, other_law), beta * by["other"] / one + np.log(two / one))
    agrees(divergence(other_law, law), -beta * by["two other"] / two - np.log(two / one))


@precision()
def test_far_tails_keep_their_digits() -> None:
    law = gibbs(line(0.0, -50.0, 50.0), 1.0, 1.0)
    agrees(law.below(-30.0), mpmath.ncdf(-30))
    agrees(law.above(30.0), mpmath.ncdf(-30))
    agrees(law.mass(29.0, 30.0), mpmath.ncdf(-29) - mpmath.ncdf(-30))
    assert law.mass(-60, 60).contains(1)
    assert law.mass(2.0, 1.0) == 0
    assert law.above(50.0) == 0


@precision()
def test_a_level_that_may_or_may_not_be_reached_on_a_flat_piece_leaves_both_open() -> None:
    flat = maximum([0.0, 1.0], [1.0, 0.0], 0.0, 2.0)
    variable = gibbs(line(0.0, 0.0, 2.0), 1.0, 1.0).of(flat)
    above, whole = near(variable.at_least(1.001)), variable.at_least(ball(0.999))
    assert whole.contains(1)
    assert variable.at_least(ball(1)).contains(1)  # at least, and surely so
    unsure = variable.at_least(ball(0.999, 1.001))
    assert unsure.contains(1)
    assert unsure.contains(variable.law.above(1.001))
    assert above < 0.5


def test_laws_of_different_curvatures_are_refused() -> None:
    with pytest.raises(ValueError, match="different curvatures"):
        gibbs(line(0.0, 0.0, 1.0), 1.0, 1.0).log_ratio(gibbs(line(0.0, 0.0, 1.0), 1.0, 2.0))
