"""The logarithmic Sobolev inequality for Gibbs measures on an interval. [001, Lemma 3.2]"""

from typing import Any

import numpy as np

from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, largest, log, precision, sqrt, square
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.balls.piecewise_gaussian import PiecewiseGaussian
from private_experts.replication.balls.piecewise_linear import line
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p001.convex_losses import Maxima
from private_experts.replication.papers.p001.measures import Case, cases, on_interval
from private_experts.replication.papers.p001.waves import Wave, integrals

_BITS = 90
_TOLERANCES = (0.1, 1e-3, 1e-6, 1e-10, 1e-14, 1e-18)  # the last for waves so small that exponentials are left


def _random_wave(rng: np.random.Generator) -> Wave:
    """Return a random wave."""
    rise, wave, shift, size = map(ball, rng.normal(0, 1, 4).tolist())
    return Wave(rise, 3 * wave, shift, size)


def _sides(law: PiecewiseGaussian, wave: Wave, tolerance: float) -> tuple[Ball, Ball]:
    """Return both sides of the inequality in units of the curvature, whose constant is 1."""
    total = sqrt(ball(law.curvature)) * law.total
    squares, logs, slopes = (integral / total for integral in integrals(law, wave, tolerance))
    return logs - squares * log(squares), 2 * slopes


def _share(law: PiecewiseGaussian, wave: Wave) -> Ball:
    """Return the left side as a share of the right, as sharply as is needed to tell whether it is less."""
    share = ball(0)
    for tolerance in _TOLERANCES:
        left, right = _sides(law, wave, tolerance)
        share = left / right
        if share < 1:
            break
    return share


def _exponential(law: PiecewiseGaussian, tilt: Any) -> Ball:
    """Return the left side as a share of the right for ``g = exp(tilt sqrt(c) x)`` and a law without loss."""
    scale = 2 * tilt * sqrt(ball(law.curvature))
    along = line(1.0, law.exponent.knots[0], law.exponent.knots[-1])
    tilted = PiecewiseGaussian(law.curvature, law.exponent + along * scale)
    return (scale * tilted.of(along).mean() - law.of(along).log_moment(scale)) / (2 * square(ball(tilt)))


def _attained(case: Case, tilt: Any) -> list[Ball]:
    """Return the share that an exponential has for the measure without loss, below 1 by an edge alone."""
    return [_exponential(on_interval(Maxima(), case.beta, case.lam), tilt)]


def log_sobolev(grid: Grid, seed: int) -> list[Point]:
    """E[g^2 log g^2] - E[g^2] log E[g^2] is at most 2 / (beta lam) E|g'|^2, on an interval.

    Exponentials of linear functions attain it where the measure is a Gaussian.
    [mathematics/001.md#concentration]
    """
    points = []
    for case in cases(grid):
        rng, shares = rng_for(seed, "log sobolev", *case.where.values()), []
        with precision(_BITS):
            for loss, _ in case.pairs(grid["G"], grid["instances"], rng):
                law = on_interval(loss, case.beta, case.lam)
                shares += [_share(law, _random_wave(rng)) for _ in range(3)]
        (linear,) = case.sharply(_attained, 1, grid["tilt"])
        with precision(case.bits):
            points.append(at_point({**case.where, "functions": "worst"}, largest([*shares, linear]), ball(1)))
            if case.far:
                where = {**case.where, "functions": "exponential"}
                points.append(at_point(where, linear, 1 - ball(grid["allowed"]), sense=">="))
    return points
