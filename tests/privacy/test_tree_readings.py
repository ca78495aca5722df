"""The tree without padding, and with a sensitivity a round: noise of a prefix, cost of a datum, exactly."""

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.privacy import GaussianDP
from private_experts.privacy.tree import TreeSums, height
from private_experts.randomness import rng_for
from tests.each import each
from tests.privacy.test_tree import Silent


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


def reading(horizon, bounds, noise, padded=True, mu=0.5, **changes):
    guarantee = GaussianDP(mu, "central")
    return TreeSums(1, guarantee, horizon=horizon, sensitivity=bounds, noise=noise, padded=padded, **changes)


def some_bounds(horizon):
    return rng_for(0, "test tree", "bounds", horizon).uniform(0.1, 1.0, horizon)


@each("padded", [True, False])
@each("weekly", [True, False])
@each("horizon", [2, 13])
def test_a_prefix_has_the_noise_of_the_nodes_that_tile_it_and_of_its_padding(horizon, weekly, padded):
    bounds, h, mu = some_bounds(horizon) if weekly else np.full(horizon, 0.3), height(horizon), 0.5
    sums = reading(horizon, bounds if weekly else 0.3, Variances(), padded, mu)
    for t in range(horizon):
        of_nodes = [bounds[node].max() for node in tiles(t)]
        missing = h - len(of_nodes) if padded else int(t == 0)
        of_nodes += missing * [bounds[: max(1, t)].max()]
        expected = h / mu**2 * sum(bound**2 for bound in of_nodes)
        np.testing.assert_allclose(sums.release(), expected, rtol=1e-12)
        sums.add(np.zeros(1))


class Nodes:
    """Keeps which data every node protects, and its noise."""

    def __init__(self):
        self.drawn = []

    def perturb(self, values, scale, repetitions):
        self.drawn.append((values != 0, scale))
        return np.tile(values, (repetitions, 1))


def costs(horizon, bounds, mu, kind=TreeSums):
    """Return the exact level of the datum of each round: of the shift that it makes in all nodes together."""
    nodes, guarantee = Nodes(), GaussianDP(mu, "central")
    sums = kind(horizon, guarantee, horizon=horizon, sensitivity=bounds, noise=nodes, padded=False)
    for datum in np.eye(horizon)[:-1]:
        sums.add(datum)
    return np.array(bounds) * np.sqrt(sum(inside / scale**2 for inside, scale in nodes.drawn))


class ForTheSmallest(TreeSums):
    """A mutant: a node's noise is for the smallest sensitivity of its rounds."""

    def _scale_of(self, start, end):
        return float(self.node_scale[start:end].min())


@each("horizon", [2, 13, 94])
def test_with_a_sensitivity_for_each_round_no_datum_costs_more_than_the_level(horizon):
    for bounds in (some_bounds(horizon), np.geomspace(0.1, 1.0, horizon), np.geomspace(1.0, 0.1, horizon)):
        assert costs(horizon, bounds, 0.5).max() <= 0.5 * (1 + 1e-12)
    # Where sensitivities fall, all h nodes of the first datum are for its own.
    assert costs(horizon, bounds, 0.5)[0] == pytest.approx(0.5, rel=1e-12)
    if horizon > 2:  # some node is of two rounds
        assert costs(horizon, bounds, 0.5, ForTheSmallest).max() > 0.5 * (1 + 1e-3)
    assert costs(horizon, 0.3, 0.5)[0] == pytest.approx(0.5, rel=1e-12)


def test_more_noise_may_be_asked_for_in_some_rounds():
    nodes = Nodes()
    sums = reading(4, np.array([0.1, 0.2, 0.3, 0.4]), nodes, mu=1.0, scale=np.array([0.5, 0.5, 0.6, 0.8]))
    for _ in range(3):
        sums.add(np.ones(1))
    np.testing.assert_allclose([scale**2 for _, scale in nodes.drawn], [0.125, 0.125, 0.18])


@each(
    ("bounds", "changes", "message"),
    [
        (np.ones(3), {}, r"shape \(3,\)"),
        (np.array([0.1, 0.0, 0.1, 0.1]), {}, "positive"),
        (np.array([0.1, 0.1, 0.3, 0.1]), {"scale": 0.5}, "sums with noise of 0.6, and scale = 0.5"),
    ],
)
def test_sensitivities_of_rounds_that_do_not_fit_are_refused(bounds, changes, message):
    with pytest.raises(InputError, match=message):
        reading(4, bounds, Silent(), mu=1.0, **changes)
