"""The levels of persons in several rounds hold as stated, and not for what leaves out what rounds share."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from private_experts.privacy import participation
from private_experts.privacy.strategies_in_rounds import optimal_band
from private_experts.privacy.tight_tree import TightTreeSums
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import central_prefix_sums
from private_experts.replication.papers.p000.several_rounds import in_several_rounds

GRAM, BANDS = TightTreeSums.gram, {"mechanism": ["band"], "excess": 9.0}
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


def alone(gram: Any) -> float:
    return math.sqrt(gram.diagonal().max())


LEVELS: list[Callable[[Any, Any], float]] = [
    lambda gram, asked: alone(gram),  # of one round
    lambda gram, asked: math.sqrt(asked.rounds) * alone(gram),  # of independent reports
    lambda gram, asked: math.sqrt(np.abs(gram[: asked.rounds, : asked.rounds]).sum()),  # of the first rounds
]


def without_largest(self: Any, span: int) -> Any:
    self._scales = self._scales[:-1]
    return GRAM(self, span)


def wider(by: int) -> Any:
    return lambda workload, sensitivity, width: optimal_band(workload, sensitivity, width + by)


@pytest.mark.parametrize(
    ("grid", "where", "name", "mutant"),
    [
        *(({"mechanism": ["square-root"]}, participation, "level_in_rounds", level) for level in LEVELS),
        # what leaves out a node, and strategies with more diagonals than rounds are apart
        ({"mechanism": ["tree-honaker"]}, TightTreeSums, "gram", without_largest),
        *((BANDS, central_prefix_sums, "optimal_band", wider(by)) for by in (1, 3)),
    ],
)
def test_levels_that_leave_out_what_rounds_share_fail(
    grid: Any, where: Any, name: str, mutant: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(where, name, mutant)
    assert decide(in_several_rounds(GRID | grid)) == "fails"
