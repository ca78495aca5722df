"""An adversary that sees the plays breaks the proxy law; one that does not see them does not."""

from typing import Any

import numpy as np

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import adaptive_batches

CHECKED = adaptive_batches
GRID = {"n": [2], "eta": [4.5], "T": 100, "t": 80, "b": [1, 2]}


def test_remark_2_holds() -> None:
    assert decide(adaptive_batches.remark_2(GRID, 1000, 1)) == "holds"


def test_remark_2_catches_an_adversary_that_looks_away(put: Any) -> None:
    put(against_the_leader=lambda actions, n: np.zeros((actions.size, n)))
    assert decide(adaptive_batches.remark_2(GRID, 400, 1)) == "fails"


def test_the_adversary_pays_all_but_the_last_play() -> None:
    assert adaptive_batches.against_the_leader(np.array([0, 2]), 3).tolist() == [[0, 1, 1], [1, 1, 0]]
