"""The levels of persons in several rounds hold as stated, and not for what leaves out what rounds share."""

import math

import numpy as np
import pytest

from private_experts.privacy import participation
from private_experts.privacy.strategies_in_rounds import optimal_band
from private_experts.privacy.tight_tree import TightTreeSums
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import central_prefix_sums
from private_experts.replication.papers.p000.several_rounds import in_several_rounds

GRID = {
    "mechanism": ["tree-honaker", "square-root", "band"],
    "pattern": ["rising"],
    "T": [7],
    "mu": [0.5],
    "kind": ["anywhere", "in a row", "3 apart"],
    "k": [1, 2, 4],
    "excess": 0.1,
}


def test_stated_levels_are_those_of_the_worst_rounds() -> None:
    points = in_several_rounds(GRID)
    assert decide(points) == "holds"
    assert len(points) == 3 * 3 * 3 * 3 + 3


STATED = {
    "as for independent reports": lambda gram, asked: math.sqrt(asked.rounds * gram.diagonal().max()),
    "k mu": lambda gram, asked: asked.rounds * math.sqrt(gram.diagonal().max()),
    "one round only": lambda gram, asked: math.sqrt(gram.diagonal().max()),
    "first rounds": lambda gram, asked: math.sqrt(np.abs(gram[: asked.rounds, : asked.rounds]).sum()),
}


@pytest.mark.parametrize("name", STATED)
def test_wrong_levels_fail(name, monkeypatch) -> None:
    monkeypatch.setattr(participation, "level_in_rounds", STATED[name])
    assert decide(in_several_rounds(GRID)) == "fails"


def test_products_that_leave_out_a_node_fail(monkeypatch) -> None:
    gram = TightTreeSums.gram

    def without_largest(self, span):
        self._scales = self._scales[:-1]
        return gram(self, span)

    monkeypatch.setattr(TightTreeSums, "gram", without_largest)
    assert decide(in_several_rounds(GRID | {"mechanism": ["tree-honaker"]})) == "fails"


@pytest.mark.parametrize("wider", [1, 3])
def test_strategies_with_more_diagonals_than_rounds_are_apart_fail(wider, monkeypatch) -> None:
    def of_more(workload, sensitivity, width):
        return optimal_band(workload, sensitivity, width + wider)

    monkeypatch.setattr(central_prefix_sums, "optimal_band", of_more)
    assert decide(in_several_rounds(GRID | {"mechanism": ["band"], "excess": 9.0})) == "fails"
