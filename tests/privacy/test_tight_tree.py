"""The tree without padding: node noise by hand, the last vector, and what is refused."""

import math

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.privacy import GaussianDP, SimulatedNoise, TightTreeSums
from private_experts.privacy.tight_tree import node_scales
from private_experts.randomness import rng_for
from tests.each import each


def tree_of(n, bounds, mu, noise, repetitions=1, refined=False):
    guarantee = GaussianDP(mu, "central")
    return TightTreeSums(
        n, guarantee, sensitivity=bounds, noise=noise, refined=refined, repetitions=repetitions
    )


def source(*key):
    return SimulatedNoise(rng_for(0, "test tight tree", *key))


class Counted:
    """No noise, and a count of how often it was drawn."""

    draws = 0

    def perturb(self, values, scale, repetitions):
        self.draws += 1
        return np.tile(values, (repetitions, 1))


def test_node_scales_by_hand():
    # Rounds 1 to 4 of 5 are summed. Left children are the nodes 1, 3, [1 2] and [1 4]. Round 1 lies in three
    # of them; with the bounds below it costs 1 + 1/4 + 1/9, more than any other round: round 3 costs 2.
    levels = node_scales(np.array([1.0, 2.0, 3.0, 1.0, 9.0]), 0.5, siblings=False)
    cost = max(1 + 1 / 4 + 1 / 9, 1 + 4 / 9, 1 + 1, 1 / 9)
    factor = math.sqrt(cost) / 0.5
    expected = [[1, np.inf, 3, np.inf], [2, np.inf], [3]]
    for level, scales in zip(levels, expected, strict=True):
        np.testing.assert_allclose(level, factor * np.array(scales))


def test_no_sum_with_the_last_vector_is_released():
    noise = Counted()
    tree = tree_of(9, np.ones(4), 1.0, noise)
    for _ in range(3):
        tree.add(np.zeros(9))
    tree.release()
    drawn = noise.draws
    tree.add(np.ones(9))
    assert noise.draws == drawn
    with pytest.raises(InputError, match="serves 4 rounds"):
        tree.release()


def test_what_rounds_share_is_the_mean_over_trees_of_experts():
    reaches = rng_for(0, "test tight tree", "reaches").uniform(0.02, 0.4, (9, 5))
    wide, *alone = (
        tree_of(n, bounds, 1.0, source())
        for n, bounds in ((5, reaches), *((1, reach) for reach in reaches.T))
    )
    for seen in (lambda tree: tree.node_shifts(), lambda tree: tree.gram(9)):
        np.testing.assert_allclose(seen(wide), np.mean([seen(tree) for tree in alone], axis=0))


@each("bounds", [np.ones(0), np.array([1.0, 0.0]), np.ones((2, 3)), 1.0])
def test_bounds_that_do_not_fit_are_refused(bounds):
    with pytest.raises(InputError, match="sensitivity"):
        tree_of(2, bounds, 1.0, source())


@each("siblings", [False, True])
@each("rounds", [9, 700])
def test_what_a_datum_moves_in_all_nodes_adds_up_to_the_level(siblings, rounds):
    scales, spent = node_scales(np.ones(rounds), 0.5, siblings), np.zeros(rounds - 1)
    for level, of_nodes in enumerate(scales):
        inside = np.arange(min(rounds - 1, len(of_nodes) << level))
        spent[inside] += of_nodes[inside >> level] ** -2.0
    assert math.sqrt(spent.max()) == pytest.approx(0.5, rel=1e-12)
