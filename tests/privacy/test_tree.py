import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from private_experts.errors import InputError
from private_experts.privacy import GaussianDP, SimulatedNoise
from private_experts.privacy.tree import TreeSums, height, least_scale
from private_experts.randomness import rng_for
from tests.each import each

SCALE = 0.5
NOTHING = GaussianDP(math.inf, "central")


def tree(n, horizon, node_scale, noise, repetitions=1):
    """Return sums with this noise on each node. They promise nothing, so every noise will do."""
    scale = node_scale * math.sqrt(height(horizon))
    return TreeSums(
        n, NOTHING, horizon=horizon, sensitivity=1.0, noise=noise, scale=scale, repetitions=repetitions
    )


class Silent:
    """No noise at all, whatever the scale."""

    def perturb(self, values, scale, repetitions):
        return np.tile(values, (repetitions, 1))


@each(
    ("horizon", "levels"),
    [(1, 1), (2, 1), (3, 2), (4, 2), (256, 8), (257, 9), (2**40, 40)],
)
def test_height_is_the_binary_logarithm_rounded_up_and_at_least_1(horizon, levels):
    assert height(horizon) == levels
    assert tree(1, horizon, SCALE, Silent()).height == levels


@settings(deadline=None, max_examples=20, derandomize=True)
@given(st.integers(1, 70), st.integers(1, 4), st.integers(1, 3), st.randoms(use_true_random=False))
def test_without_noise_every_prefix_sum_is_exact(horizon, n, repetitions, random):
    sums = tree(n, horizon, 0.0, SimulatedNoise(rng_for(0)), repetitions)
    total = np.zeros(n)
    np.testing.assert_array_equal(sums.release(), np.zeros((repetitions, n)))
    for _ in range(horizon - 1):
        vector = np.array([random.randrange(-8, 9) / 8 for _ in range(n)])  # sums of eighths are exact
        total += vector
        sums.add(vector)
        np.testing.assert_array_equal(sums.release(), np.tile(total, (repetitions, 1)))


@each("horizon", [1, 13])
def test_more_rounds_than_the_tree_serves_are_refused_in_one_line(horizon):
    sums = tree(1, horizon, SCALE, Silent())
    served = 2 ** height(horizon)
    for _ in range(served - 1):
        sums.release()
        sums.add(np.ones(1))
    assert sums.release() == served - 1
    sums.add(np.ones(1))
    with pytest.raises(
        InputError,
        match=rf"{served} vectors were added, and .* serves {served - 1} at most; give the true horizon$",
    ) as caught:
        sums.release()
    assert "\n" not in str(caught.value)


@settings(deadline=None, max_examples=30, derandomize=True)
@given(st.integers(1, 10**6), st.floats(0.01, 10), st.floats(0.01, 10))
def test_the_noise_of_a_node_is_just_enough_for_the_guarantee(horizon, sensitivity, mu):
    # h releases of node noise compose to sqrt(h) * D / node_scale.
    h = height(horizon)
    guarantee = GaussianDP(mu, "central")
    sums = TreeSums(1, guarantee, horizon=horizon, sensitivity=sensitivity, noise=Silent())
    assert math.sqrt(h * (sensitivity / sums.node_scale) ** 2) == pytest.approx(mu)
    assert sums.guarantee == guarantee
    assert 2 ** (h - 1) < horizon <= 2**h or horizon == 1


def test_sensitivities_of_less_precision_are_taken_as_floats():
    few = np.array([0.1, 0.7, 0.3], dtype=np.float32)
    settings = {"horizon": 3, "noise": Silent()}
    given, wide = (
        TreeSums(1, GaussianDP(0.3, "central"), sensitivity=s, **settings) for s in (few, few.astype(float))
    )
    np.testing.assert_array_equal(given.gram(1), wide.gram(1))


@each("factor", [1 - 1e-13, 2.0])
def test_more_noise_than_is_needed_may_be_asked_for(factor):
    guarantee = GaussianDP(0.5, "central")
    scale = factor * least_scale(guarantee, 0.1, 72)
    sums = TreeSums(1, guarantee, horizon=72, sensitivity=0.1, noise=Silent(), scale=scale)
    assert sums.node_scale * math.sqrt(7) == pytest.approx(scale, rel=1e-15)


@each("scale", [1.4 * (1 - 1e-11), math.nan, math.inf])
def test_less_noise_than_the_guarantee_needs_is_refused(scale):
    with pytest.raises(
        InputError, match=r"^private prefix sums: 0\.5-GDP \(central\) needs sums with noise of 1\.4,"
    ):
        TreeSums(1, GaussianDP(0.5, "central"), horizon=72, sensitivity=0.1, noise=Silent(), scale=scale)


def test_a_horizon_or_a_sensitivity_that_is_none_is_refused():
    for wrong in ({"horizon": 0}, {"sensitivity": -1.0}):
        with pytest.raises(InputError, match=next(iter(wrong))):
            TreeSums(1, NOTHING, **({"horizon": 8, "sensitivity": 1.0} | wrong), noise=Silent())


def test_labelled_sensitivities_are_refused_as_rounds_to_come_have_no_labels() -> None:
    reach = pd.Series([0.1, 0.2, 0.3], index=["w3", "w2", "w1"])
    with pytest.raises(
        InputError, match="sensitivity: a Series; give an array with one number for each of 3"
    ):
        TreeSums(2, GaussianDP(1.0, "central"), horizon=3, sensitivity=reach, noise=SimulatedNoise(1))
