"""The tree without padding: node noise by hand, averaging by hand, and what is refused."""

import math

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.privacy import GaussianDP, SimulatedNoise, TightTree
from private_experts.privacy.tight_tree import node_scales
from private_experts.randomness import rng_for
from tests.each import each


def tree_of(n, bounds, mu, noise, repetitions=1, refined=False):
    guarantee = GaussianDP(mu, "central")
    return TightTree(n, guarantee, sensitivity=bounds, noise=noise, refined=refined, repetitions=repetitions)


def source(*key):
    return SimulatedNoise(rng_for(0, "test tight tree", *key))


class Draws:
    """Adds draw k times its scale, on coordinate k: sums show the weights of the draws in them."""

    def __init__(self, n):
        self.n, self.scales = n, []

    def perturb(self, values, scale, repetitions):
        report = np.tile(values, (repetitions, 1))
        report[:, len(self.scales)] += 1
        self.scales.append(scale)
        return report


def test_node_scales_by_hand():
    # Rounds 1 to 4 of 5 are summed. Left children are the nodes 1, 3, [1 2] and [1 4]. Round 1 lies in three of them;
    # with the bounds below it costs 1 + 1/4 + 1/9, more than any other round: round 3 costs 2.
    levels = node_scales(np.array([1.0, 2.0, 3.0, 1.0, 9.0]), 0.5, siblings=False)
    cost = max(1 + 1 / 4 + 1 / 9, 1 + 4 / 9, 1 + 1, 1 / 9)
    factor = math.sqrt(cost) / 0.5
    expected = [[1, np.inf, 3, np.inf], [2, np.inf], [3]]
    for level, scales in zip(levels, expected, strict=True):
        np.testing.assert_allclose(level, factor * np.array(scales))


def test_every_node_is_drawn_with_its_scale():
    bounds, draws = np.array([1.0, 2.0, 3.0, 1.0, 9.0]), Draws(5)
    tree = tree_of(5, bounds, 0.5, draws)
    for _ in range(4):
        tree.add(np.zeros(5))
    (first, _, third, _), (second, _), (fourth,) = node_scales(bounds, 0.5, siblings=False)
    np.testing.assert_allclose(draws.scales, [2.0, first, second, third, fourth])  # before any round: 1 / 0.5


@each(("rounds", "nodes"), [(1, 0), (2, 1), (3, 2), (4, 2), (5, 3), (9, 4), (148, 8)])
def test_with_one_bound_for_all_the_worst_round_lies_in_so_many_nodes(rounds, nodes):
    for siblings in (False, True):
        finite = [level[np.isfinite(level)] for level in node_scales(np.ones(rounds), 1.0, siblings)]
        assert len(finite) == nodes
        for level in finite:
            np.testing.assert_allclose(level, math.sqrt(nodes))
        assert sum(map(len, finite)) <= (2 * rounds if siblings else rounds)


def test_averaging_by_hand():
    # With equal noise, [1 2] is estimated by itself, of variance 1, and by its children, of variance 2: weights 2/3 and
    # 1/3. In units of the node noise the variance is 2/3.
    draws = Draws(8)
    tree = tree_of(8, np.ones(4), 1.0, draws, refined=True)
    for _ in range(2):
        tree.add(np.zeros(8))
    assert len(draws.scales) == 4  # the start, 1, 2, [1 2]
    np.testing.assert_allclose(tree.release()[0], [0, 1 / 3, 1 / 3, 2 / 3, 0, 0, 0, 0])
    tree.add(np.zeros(8))
    np.testing.assert_allclose(tree.release()[0], [0, 1 / 3, 1 / 3, 2 / 3, 1, 0, 0, 0])


def test_no_sum_with_the_last_vector_is_released():
    draws = Draws(9)
    tree = tree_of(9, np.ones(4), 1.0, draws)
    for _ in range(3):
        tree.add(np.zeros(9))
    tree.release()
    drawn = len(draws.scales)
    tree.add(np.ones(9))
    assert len(draws.scales) == drawn
    with pytest.raises(InputError, match="serves 4 rounds"):
        tree.release()


@each("bounds", [np.ones(0), np.array([1.0, 0.0]), np.array([np.nan]), np.ones((2, 2)), 1.0, [1.0, 2.0]])
def test_bounds_that_do_not_fit_are_refused(bounds):
    with pytest.raises(InputError, match="sensitivity"):
        tree_of(2, bounds, 1.0, source())
