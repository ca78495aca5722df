"""Each check of the dyadic tree gives the expected verdict on a small grid, and another one for a mutant."""

from typing import Any

import numpy as np
import pytest

from private_experts.privacy.tree import TreeSums, height
from private_experts.replication.papers.p000 import tree_baseline
from tests.replication.papers.small_checks import verdict

CHECKED = tree_baseline
ALL = {"T": [2, 3, 9, 32, 33]}


def verdicts() -> list[str]:
    """Return the verdicts on nodes, variance and privacy."""
    return [
        verdict(tree_baseline.tree_nodes, ALL),
        verdict(tree_baseline.tree_variance, ALL | {"tolerance": 1e-12}),
        verdict(tree_baseline.tree_privacy, {"T": [9, 33]}),
    ]


class Quieter(TreeSums):
    """Has 0.8 times the noise."""

    def quietly(self, method: Any, *given: Any) -> Any:
        scale, self.node_scale = self.node_scale, 0.8 * self.node_scale
        found = method(*given)
        self.node_scale = scale
        return found

    def add(self, vector: Any) -> None:
        self.quietly(super().add, vector)

    def release(self) -> Any:
        return self.quietly(super().release)


def test_they_hold_and_less_noise_and_a_height_that_is_one_too_low_are_caught(put: Any) -> None:
    assert verdicts() == ["holds"] * 3
    put(TreeSums=Quieter)
    assert verdicts() == ["holds", "fails", "fails"]
    put(TreeSums=TreeSums, height=lambda horizon: height(horizon) - 1)
    assert verdicts()[::2] == ["fails", "fails"]


def test_each_datum_is_counted_in_its_nodes() -> None:
    # Rounds 1 to 4 fill the nodes [1], [1 2], [3], [1 2 3 4], and round 2 and 4 complete larger ones.
    np.testing.assert_array_equal(tree_baseline.nodes(5), [3, 2, 2, 1])


def test_loadings_show_the_nodes_of_a_prefix_and_its_fresh_part() -> None:
    loadings = tree_baseline.loadings(3, 2.0)
    shared = (loadings != 0) & (loadings != 0)[:, None]
    assert (loadings**2).sum(axis=1).tolist() == pytest.approx([8.0, 8.0, 8.0])
    assert shared[0, 1].sum() == 0  # the empty prefix shares nothing with that of one datum
