"""Each check of the dyadic tree gives the expected verdict on a small grid, and another one for a mutant."""

from typing import Any

import numpy as np
import pytest

from private_experts.privacy.tree import TreeSums, height
from private_experts.replication.ledger.checking import points_of
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import tree_baseline
from tests.each import each

CHECKED = tree_baseline
SEED = 1
CHECKS: dict[str, tuple[Any, dict[str, Any]]] = {
    "nodes": (tree_baseline.tree_nodes, {"T": [2, 3, 9, 32, 33]}),
    "variance": (tree_baseline.tree_variance, {"T": [2, 3, 9, 32, 33], "tolerance": 1e-12}),
    "privacy": (tree_baseline.tree_privacy, {"T": [9, 33]}),
}


def verdict(name: str) -> str:
    check, grid = CHECKS[name]
    return decide(points_of(check, grid, 2, SEED))


@each("name", CHECKS)
def test_it_holds(name: str) -> None:
    assert verdict(name) == "holds"


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


class Unpadded(TreeSums):
    """Pads no prefix with fresh noise."""

    def release(self) -> Any:
        prefix = np.zeros((self._repetitions, self._zeros.size))
        for level in sorted(self._released):
            prefix += self._released[level]
        return prefix


class Overcrowded(TreeSums):
    """Releases each merged node twice, so that a datum lies in too many nodes."""

    def add(self, vector: Any) -> None:
        levels = len(self._sums)
        super().add(vector)
        if len(self._sums) <= levels:
            self._noise.perturb(next(reversed(self._sums.values())), self.node_scale, self._repetitions)


class Lopsided(TreeSums):
    """Gives a node more noise the higher it stands, by as much as keeps the noise of the first node."""

    def add(self, vector: Any) -> None:
        scale = self.node_scale
        self.node_scale = scale * (1 + 0.1 * len(self._sums))
        super().add(vector)
        self.node_scale = scale


MUTANTS: dict[str, tuple[str, Any, set[str]]] = {
    "0.8 times the noise": ("TreeSums", Quieter, {"variance", "privacy"}),
    "no padding": ("TreeSums", Unpadded, {"variance"}),  # less noise, and private all the same
    "nodes released twice": ("TreeSums", Overcrowded, {"nodes"}),
    "noise that differs from node to node": ("TreeSums", Lopsided, {"variance"}),
    "a height that is one too low": ("height", lambda horizon: height(horizon) - 1, {"nodes", "privacy"}),
    "a height that is rounded down": (
        "height",
        lambda horizon: max(1, int(np.log2(horizon))),
        {"nodes", "privacy"},
    ),
}


@pytest.mark.parametrize("mutant", MUTANTS)
def test_it_is_caught(mutant: str, put: Any) -> None:
    name, instead, caught_by = MUTANTS[mutant]
    put(**{name: instead})
    assert {check for check in caught_by if verdict(check) == "fails"} == caught_by


def test_each_datum_is_counted_in_its_nodes() -> None:
    # Rounds 1 to 4 fill the nodes [1], [1 2], [3], [1 2 3 4], and round 2 and 4 complete larger ones.
    np.testing.assert_array_equal(tree_baseline.nodes(5), [3, 2, 2, 1])


def test_loadings_show_the_nodes_of_a_prefix_and_its_fresh_part() -> None:
    loadings = tree_baseline.loadings(3, 2.0)
    shared = (loadings != 0) & (loadings != 0)[:, None]
    assert (loadings**2).sum(axis=1).tolist() == pytest.approx([8.0, 8.0, 8.0])
    assert shared[0, 1].sum() == 0  # the empty prefix shares nothing with that of one datum
