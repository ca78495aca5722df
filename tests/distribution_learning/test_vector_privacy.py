"""The privacy of Algorithm 1's vector: quadrature against draws, composition against closed forms."""

import math

import numpy as np
import pytest

from private_experts.distribution_learning.classes import needle, packed
from private_experts.distribution_learning.clipping import clip
from private_experts.distribution_learning.vector_privacy import composed_delta, coordinates, delta_at, level_at
from private_experts.errors import InputError
from private_experts.randomness import rng_for
from tests.each import each


def one_laplace(shift: float, epsilon: float) -> float:
    """Return the delta of one Laplace mechanism, ``1 - e^((epsilon - shift) / 2)``."""
    return max(1 - math.exp((epsilon - shift) / 2), 0.0)


@each("shift", [0.1, 1.0, 5.0])
@each("share", [0.0, 0.3, 0.99, 1.0])
def test_one_coordinate_has_the_closed_form(shift: float, share: float) -> None:
    low, high = composed_delta(1, shift, share * shift)
    assert low - 1e-12 <= one_laplace(shift, share * shift) <= high + 1e-12
    assert high - low < 1e-3 * shift


@each("mechanisms", [2, 7])
def test_at_the_largest_loss_but_one_grid_step_only_agreement_counts(mechanisms: int) -> None:
    """All losses are largest with probability 2^-K, and then they add up to K shift."""
    shift = 1.0
    low, high = composed_delta(mechanisms, shift, mechanisms * shift - 0.001)
    assert low == pytest.approx(0.5**mechanisms * -math.expm1(-0.001), rel=0.02)
    assert low <= high


def test_composition_of_two_agrees_with_draws() -> None:
    rng, shift, epsilon, draws = rng_for(0, "two Laplace"), 1.0, 0.8, 400_000
    z = rng.laplace(size=(draws, 2))
    loss = (np.abs(z - shift) - np.abs(z)).sum(axis=1)
    gains = np.maximum(-np.expm1(epsilon - loss), 0.0)
    low, high = composed_delta(2, shift, epsilon)
    error = 6 * gains.std() / math.sqrt(draws)  # a false alarm below 1e-8
    assert low - error < gains.mean() < high + error


@each("experts", [1, 2, 3])
def test_densities_integrate_to_one(experts: int) -> None:
    densities, weights = coordinates(needle(experts, 0.9), 50, 20.0, 1)
    np.testing.assert_allclose(densities @ weights, 1.0, rtol=1e-12)


@each("noise", [3.0, 30.0])
def test_the_quadrature_agrees_with_drawn_reports(noise: float) -> None:
    classes, horizon, epsilon, draws = packed(2, 3), 50, 0.1, 50_000
    densities, weights = coordinates(classes, horizon, noise, 4)
    exact = delta_at(densities, weights, epsilon)
    clipped, rng = clip(classes, horizon), rng_for(0, "vector", noise)
    centres = np.log(clipped.values)

    def law(label: int, z: np.ndarray) -> np.ndarray:
        kernel = np.exp(-np.abs(z[:, :, None] - centres) / noise).prod(axis=1)
        return np.asarray(kernel @ clipped.owners[label])

    drawn = []
    for first in (0, 2):
        owner = rng.choice(6, p=clipped.owners[first], size=draws)
        z = centres[:, owner].T + rng.laplace(scale=noise, size=(draws, 2))
        for second in (3, 5):
            gains = np.maximum(1 - math.exp(epsilon) * law(second, z) / law(first, z), 0.0)
            drawn.append((gains.mean(), 6 * gains.std() / math.sqrt(draws)))  # a false alarm below 1e-7 in all
    assert max(mean - error for mean, error in drawn) <= exact
    assert exact <= max(mean + error for mean, error in drawn) + 1e-6


def test_the_level_is_where_delta_is_reached() -> None:
    level = level_at(lambda epsilon: one_laplace(1.0, epsilon), 0.01, 5.0)
    assert level == pytest.approx(1 + 2 * math.log(0.99))


def test_more_than_three_distributions_are_refused() -> None:
    with pytest.raises(InputError, match="at most 3"):
        coordinates(needle(4, 0.9), 50, 20.0, 1)
