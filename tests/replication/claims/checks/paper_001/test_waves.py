"""Integrals of waves are those of quadrature, and what is known roughly holds what is known well."""

import math
from itertools import pairwise

import pytest
from scipy.integrate import quad

from private_experts.replication.claims.certified.balls import ball, near, precision
from private_experts.replication.claims.certified.piecewise_gaussian import PiecewiseGaussian, gibbs
from private_experts.replication.claims.certified.piecewise_linear import maximum
from private_experts.replication.claims.checks.paper_001.waves import Wave, integrals

WAVES = [(0.3, 1.1, 0.4, 0.5), (-1.2, 2.0, 1.0, -1.6), (2.5, -0.3, 2.0, 1.0)]  # rise, wave, shift, size


def law() -> PiecewiseGaussian:
    return gibbs(maximum([-1.5, 0.25, 2.0], [0.0, 0.5, -0.5], -2.0, 6.0), 3.0, 1.5)


def by_quadrature(numbers: tuple[float, ...]) -> list[float]:
    """Return the three integrals, with the density's kinks and the wave's zeros among the ends of intervals."""
    rise, wave, shift, size = numbers
    root = math.sqrt(4.5)

    def of(y: float) -> tuple[float, float, float]:
        x = y / root
        density = math.exp(-3 * (max(-1.5 * x, 0.25 * x + 0.5, 2 * x - 0.5) + 0.75 * x * x) + 2 * rise * y)
        v, change = 1 + size * math.sin(wave * y + shift), size * wave * math.cos(wave * y + shift)
        logs = v * v * (2 * rise * y + (math.log(v * v) if v else 0))
        return density * v * v, density * logs, density * (rise * v + change) ** 2

    zeros = [
        (turn - shift + 2 * math.pi * k) / wave
        for turn in ((math.asin(-1 / size), math.pi - math.asin(-1 / size)) if abs(size) >= 1 else ())
        for k in range(-12, 13)
    ]
    low, high = -2 * root, 6 * root
    ends = sorted({low, high, -0.5 / 1.75 * root, 1.0 / 1.75 * root, 0.0, 3.0, *(z for z in zeros if low < z < high)})
    return [sum(quad(lambda y: of(y)[k], *each)[0] for each in pairwise(ends)) for k in range(3)]  # noqa: B023


@pytest.mark.parametrize("numbers", WAVES)
def test_they_are_those_of_quadrature(numbers: tuple[float, ...]) -> None:
    with precision(90):
        found = integrals(law(), Wave(*map(ball, numbers)), 1e-7)
        assert [near(each) for each in found] == pytest.approx(by_quadrature(numbers), rel=2e-6)
        assert all(each.rad() < 1e-5 * found[2] for each in found)


@pytest.mark.parametrize("numbers", WAVES)
def test_rough_balls_hold_the_fine_ones(numbers: tuple[float, ...]) -> None:
    with precision(90):
        fine, *rough = (integrals(law(), Wave(*map(ball, numbers)), each) for each in (1e-8, 1e-2, 1.0))
        for found in rough:
            assert all(one.contains(two.mid()) for one, two in zip(found, fine, strict=True))
        assert any(abs(one.mid() - two) > two.rad() for one, two in zip(rough[1], fine, strict=True))
