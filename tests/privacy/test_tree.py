"""The tree: its sums, the noise of a prefix and the cost of a datum, exactly, with padding and without it."""

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
NOTHING, HALF = GaussianDP(math.inf, "central"), GaussianDP(0.5, "central")


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


@each("factor", [1 - 1e-13, 2.0])
def test_more_noise_than_is_needed_may_be_asked_for(factor):
    scale = factor * least_scale(HALF, 0.1, 72)
    sums = TreeSums(1, HALF, horizon=72, sensitivity=0.1, noise=Silent(), scale=scale)
    assert sums.node_scale * math.sqrt(7) == pytest.approx(scale, rel=1e-15)


@each("scale", [1.4 * (1 - 1e-11), math.nan, math.inf])
def test_less_noise_than_the_guarantee_needs_is_refused(scale):
    with pytest.raises(
        InputError, match=r"^private prefix sums: 0\.5-GDP \(central\) needs sums with noise of 1\.4,"
    ):
        TreeSums(1, HALF, horizon=72, sensitivity=0.1, noise=Silent(), scale=scale)


class Variances:
    """Instead of independent noise of variance s^2, add s^2: on zero data, sums show their exact variance."""

    def perturb(self, values, scale, repetitions):
        return np.tile(values + scale**2, (repetitions, 1))


def tiles(t):
    """The dyadic nodes that tile the first t data, as ranges, largest first."""
    start, nodes = 0, []
    for level in reversed(range(t.bit_length())):
        if t >> level & 1:
            nodes.append(range(start, start + 2**level))
            start += 2**level
    return nodes


def some_bounds(horizon):
    return rng_for(0, "test tree", "bounds", horizon).uniform(0.1, 1.0, horizon)


@each("padded", [True, False])
@each("weekly", [True, False])
@each("horizon", [2, 13])
def test_a_prefix_has_the_noise_of_the_nodes_that_tile_it_and_of_its_padding(horizon, weekly, padded):
    bounds, h = some_bounds(horizon) if weekly else np.full(horizon, 0.3), height(horizon)
    given = {"sensitivity": bounds if weekly else 0.3, "noise": Variances(), "padded": padded}
    sums = TreeSums(1, HALF, horizon=horizon, **given)
    for t in range(horizon):
        of_nodes = [bounds[node].max() for node in tiles(t)]
        missing = h - len(of_nodes) if padded else int(t == 0)
        of_nodes += missing * [bounds[: max(1, t)].max()]
        expected = h / HALF.mu**2 * sum(bound**2 for bound in of_nodes)
        np.testing.assert_allclose(sums.release(), expected, rtol=1e-12)
        sums.add(np.zeros(1))


class Nodes:
    """Keeps which data every node protects, and its noise."""

    def __init__(self):
        self.drawn = []

    def perturb(self, values, scale, repetitions):
        self.drawn.append((values != 0, scale))
        return np.tile(values, (repetitions, 1))


def costs(horizon, bounds):
    """Return the exact level of the datum of each round: of the shift that it makes in all nodes together."""
    nodes = Nodes()
    sums = TreeSums(horizon, HALF, horizon=horizon, sensitivity=bounds, noise=nodes, padded=False)
    for datum in np.eye(horizon)[:-1]:
        sums.add(datum)
    return np.array(bounds) * np.sqrt(sum(inside / scale**2 for inside, scale in nodes.drawn))


@each("horizon", [2, 13, 94])
def test_with_a_sensitivity_for_each_round_no_datum_costs_more_than_the_level(horizon):
    for bounds in (some_bounds(horizon), np.geomspace(0.1, 1.0, horizon), np.geomspace(1.0, 0.1, horizon)):
        assert costs(horizon, bounds).max() <= HALF.mu * (1 + 1e-12)
    # Where sensitivities fall, all h nodes of the first datum are for its own.
    assert costs(horizon, bounds)[0] == pytest.approx(HALF.mu, rel=1e-12)
    assert costs(horizon, 0.3)[0] == pytest.approx(HALF.mu, rel=1e-12)


def test_more_noise_may_be_asked_for_in_some_rounds():
    nodes, given = Nodes(), {"sensitivity": [0.1, 0.2, 0.3, 0.4], "scale": np.array([0.5, 0.5, 0.6, 0.8])}
    sums = TreeSums(1, GaussianDP(1.0, "central"), horizon=4, noise=nodes, padded=False, **given)
    for _ in range(3):
        sums.add(np.ones(1))
    np.testing.assert_allclose([scale**2 for _, scale in nodes.drawn], [0.125, 0.125, 0.18])


def test_sensitivities_of_less_precision_are_taken_as_floats():
    few = np.array([0.1, 0.7, 0.3], dtype=np.float32)
    given, wide = (
        TreeSums(1, GaussianDP(0.3, "central"), sensitivity=some, horizon=3, noise=Silent())
        for some in (few, few.astype(float))
    )
    np.testing.assert_array_equal(given.gram(1), wide.gram(1))


@each(
    ("changes", "message"),
    [
        ({"horizon": 0}, "horizon"),
        ({"sensitivity": -1.0}, "sensitivity"),
        ({"sensitivity": 0.0}, "sensitivity"),  # true sums would be released under a promise
        ({"sensitivity": np.ones(3)}, r"shape \(3,\)"),
        ({"sensitivity": np.array([0.1, 0.0, 0.1, 0.1])}, "positive"),
        (
            {"sensitivity": np.array([0.1, 0.1, 0.3, 0.1]), "scale": 0.5},
            "sums with noise of 0.6, and scale = 0.5",
        ),
        # rounds to come have no labels
        (
            {"sensitivity": pd.Series(np.ones(4))},
            "sensitivity: a Series; give an array with one number for each of 4",
        ),
    ],
)
def test_a_horizon_and_sensitivities_that_do_not_fit_are_refused(changes, message):
    given = {"horizon": 4, "sensitivity": 1.0, "noise": Silent(), "padded": False} | changes
    with pytest.raises(InputError, match=message):
        TreeSums(1, GaussianDP(1.0, "central"), **given)
