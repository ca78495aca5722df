"""The closed form of the delta of Laplace mechanisms together, against integrals and the library's convolution."""

import math

import mpmath
import pytest

from private_experts.distribution_learning.vector_privacy import delta_bounds
from private_experts.replication.balls.balls import ball, near, precision
from private_experts.replication.papers.p003.laplace_sums import together
from tests.each import each


@each("epsilon", [0.0, 0.3, 0.69])
def test_one_mechanism_has_the_known_curve(epsilon: float) -> None:
    with precision():
        assert near(together(1, ball(0.7), ball(epsilon))) == pytest.approx(-math.expm1((epsilon - 0.7) / 2), rel=1e-14)


@each(("shift", "epsilon"), [(0.7, 0.2), (0.7, 1.1), (2.5, 0.0), (2.5, 4.0)])
def test_two_mechanisms_have_the_integral_over_one_of_the_curve_of_the_other(shift: float, epsilon: float) -> None:
    def curve(level: float) -> float:  # of one mechanism, at any level
        if level >= shift:
            return 0.0
        return -math.expm1((level - shift) / 2) if level >= -shift else -math.expm1(level)

    inner = mpmath.quad(
        lambda v: curve(epsilon - v) * math.exp((v - shift) / 2) / 4,
        sorted({-shift, shift, min(max(epsilon - shift, -shift), shift), min(max(epsilon + shift, -shift), shift)}),
    )
    true = curve(epsilon - shift) / 2 + math.exp(-shift) / 2 * curve(epsilon + shift) + inner
    with precision():
        assert near(together(2, ball(shift), ball(epsilon))) == pytest.approx(float(true), rel=1e-12)


@each(
    ("mechanisms", "shift", "epsilon"),
    [(3, 0.7, 0.0), (3, 0.7, 1.0), (4, 1.4, 2.8), (5, 3.0, 9.0), (32, 0.2, 1.0), (64, 0.1, 1.0)],
)
def test_it_lies_between_the_bounds_of_losses_rounded_down_and_up(
    mechanisms: int, shift: float, epsilon: float
) -> None:
    low, high = delta_bounds(mechanisms, shift, epsilon, 2000)
    with precision():
        found = together(mechanisms, ball(shift), ball(epsilon))
        assert found.rad() < 1e-30
        assert low < found < high
        assert high - low < 1e-2 * low


def test_beyond_the_largest_loss_there_is_nothing_left_and_balls_across_it_keep_both_sides() -> None:
    with precision():
        assert together(4, ball(0.5), ball(2.0)) == 0
        across = together(4, ball(0.5), ball(2.0 - 1e-12, 2.0 + 1e-12))
        assert across.contains(0)
        assert across.contains(together(4, ball(0.5), ball(2.0 - 1e-12)).mid())
        # The second term begins at epsilon = 1.
        across = together(4, ball(0.5), ball(1.0 - 1e-12, 1.0 + 1e-12))
        assert across.contains(together(4, ball(0.5), ball(1.0)).mid())
        assert across.rad() < 1e-9
