"""The privacy of Algorithm 1's vector: composition against closed forms, and what the quadrature refuses."""

import math

import numpy as np
import pytest

from private_experts.distribution_learning.classes import needle
from private_experts.distribution_learning.vector_privacy import coordinates, delta_bounds, level_at
from private_experts.errors import InputError
from tests.each import each


def one_laplace(shift: float, epsilon: float) -> float:
    """Return the delta of one Laplace mechanism, ``1 - e^((epsilon - shift) / 2)``."""
    return max(1 - math.exp((epsilon - shift) / 2), 0.0)


@each("shift", [0.1, 1.0, 5.0])
@each("share", [0.0, 0.3, 0.99, 1.0])
def test_one_coordinate_has_the_closed_form(shift: float, share: float) -> None:
    low, high = delta_bounds(1, shift, share * shift)
    assert low - 1e-12 <= one_laplace(shift, share * shift) <= high + 1e-12
    assert high - low < 1e-3 * shift


@each("mechanisms", [2, 7])
def test_at_the_largest_loss_but_one_grid_step_only_agreement_counts(mechanisms: int) -> None:
    """All losses are largest with probability 2^-K, and then they add up to K shift."""
    shift = 1.0
    low, high = delta_bounds(mechanisms, shift, mechanisms * shift - 0.001)
    assert low == pytest.approx(0.5**mechanisms * -math.expm1(-0.001), rel=0.02)
    assert low <= high


@each("experts", [1, 2, 3])
def test_densities_integrate_to_one(experts: int) -> None:
    densities, weights = coordinates(needle(experts, 0.9), 50, 20.0, 1)
    np.testing.assert_allclose(densities @ weights, 1.0, rtol=1e-12)


def test_the_level_is_where_delta_is_reached() -> None:
    level = level_at(lambda epsilon: one_laplace(1.0, epsilon), 0.01, 5.0)
    assert level == pytest.approx(1 + 2 * math.log(0.99))


def test_more_than_three_distributions_are_refused() -> None:
    with pytest.raises(InputError, match="at most 3"):
        coordinates(needle(4, 0.9), 50, 20.0, 1)
