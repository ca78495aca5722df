"""Integrals of waves are those of quadrature, and what is known roughly holds what is known well."""

import math
from itertools import pairwise

import pytest
from scipy.integrate import quad

from private_experts.replication.balls.balls import ball, exp, flint, largest, log, near, pi, precision
from private_experts.replication.balls.piecewise_gaussian import PiecewiseGaussian, gibbs
from private_experts.replication.balls.piecewise_linear import line, maximum
from private_experts.replication.papers.p001 import waves
from private_experts.replication.papers.p001.waves import Wave, _Panel, integrals
from tests.each import each
from tests.replication.papers.replaced import put

pytestmark = pytest.mark.usefixtures("in_balls")

WAVES = [(0.3, 1.1, 0.4, 0.5), (-1.2, 2.0, 1.0, -1.6), (2.5, -0.3, 2.0, 1.0)]  # rise, wave, shift, size


def law() -> PiecewiseGaussian:
    return gibbs(maximum([-1.5, 0.25, 2.0], [0.0, 0.5, -0.5], -2.0, 6.0), 3.0, 1.5)


def by_quadrature(numbers: tuple[float, ...]) -> list[float]:
    """Return the three integrals, with the density's kinks and the wave's zeros among intervals' ends."""
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
    ends = sorted(
        {low, high, -0.5 / 1.75 * root, 1.0 / 1.75 * root, 0.0, 3.0, *(z for z in zeros if low < z < high)}
    )
    parts = list(pairwise(ends))
    return [sum(quad(lambda y: of(y)[k], *part)[0] for part in parts) for k in range(3)]  # noqa: B023


@each("numbers", WAVES)
def test_they_are_those_of_quadrature_and_rough_balls_hold_the_fine_ones(numbers: tuple[float, ...]) -> None:
    with precision(90):
        wave = Wave(*map(ball, numbers))
        fine, *rough = (integrals(law(), wave, tolerance) for tolerance in (1e-8, 1e-2, 1.0))
        assert [near(integral) for integral in fine] == pytest.approx(by_quadrature(numbers), rel=2e-6)
        assert all(integral.rad() < 1e-5 * fine[2] for integral in fine)
        assert any(abs(one.mid() - two) > two.rad() for one, two in zip(rough[1], fine, strict=True))
        with put(waves, _NODES=1):  # of Gauss's rule
            rough.append(integrals(law(), wave, 10.0))
        for found in rough:
            assert all(one.contains(two.mid()) for one, two in zip(found, fine, strict=True))


def test_bounds_on_a_disc_are_attained_on_its_edge() -> None:
    panel = _Panel(ball(1), ball(3), ball(2), ball(0.5))
    # its slope is 0 in the middle
    assert panel.size(ball(2)).overlaps(abs(exp(panel.exponent(flint().acb(2, 2)))))
    # where the wave is steep, and flat
    for shift, moves in ((0, ball(1).sinh()), (pi() / 2, ball(1).cosh() - 1)):
        wave = Wave(ball(0), ball(-0.5), ball(shift), ball(-0.25))
        _, moved, steepest = wave.around(ball(0), ball(2))
        assert moved.overlaps(moves / 4)
        assert steepest.overlaps(ball(1).cosh() / 8)
    turning = Wave(ball(3), ball(0.5), ball(0.7), ball(2))
    value, moved, steepest = turning.around(ball(0), ball(1))
    circle = [flint().acb(math.cos(angle), math.sin(angle)) for angle in range(7)]
    slopes = [abs(3 * (1 + sine) + 0.5 * cosine) for sine, cosine in map(turning.parts, circle)]
    assert value.overlaps(1 + 2 * ball(0.7).sin())
    assert 0.8 * steepest < largest(slopes) < steepest


def test_what_the_logarithm_adds_to_an_error_is_counted() -> None:
    panel = _Panel(ball(-0.05), ball(0.05), ball(0), ball(0))
    high = waves._rests(panel, Wave(ball(0), ball(0), pi() / 2, ball(999)), math.inf, 10)  # v is 1000
    assert high is not None
    assert high[0][1] >= log(ball(1000**2)) * high[0][0]
    nearly = Wave(ball(0), ball(1), ball(-0.7), 0.999 / ball(0.7).sin())  # nearly 0
    nought = waves._rests(panel, nearly, math.inf, 10)
    assert nought is not None
    assert not nought[1]
    size = 0.999 / math.sin(0.7)

    def left_out(y: float) -> float:
        v = 1 + size * math.sin(y - 0.7)
        return -v * v * math.log(v * v) * math.exp(-y * y / 2)

    assert nought[0][1] > quad(left_out, -0.05, 0.05, points=[-0.0008])[0]


def test_tails_hold_a_logarithm_that_is_large() -> None:
    flat = gibbs(line(0.0, -2.0, 6.0), 1.0, 1.0)
    bounds = waves._tails(flat, Wave(ball(0), ball(0), pi() / 2, ball(21)), ball(-1), ball(1))
    outside = sum(quad(lambda y: math.exp(-y * y / 2), *ends)[0] for ends in ((-2, -1), (1, 6)))
    assert [near(bound.upper()) for bound in bounds[:2]] == pytest.approx(
        [22**2 * outside, (22**2 * math.log(22**2) + 1) * outside], rel=1e-7
    )
