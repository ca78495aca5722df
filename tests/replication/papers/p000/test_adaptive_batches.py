"""An adversary that sees the plays breaks the proxy law; one that does not see them does not."""

from typing import Any

import numpy as np

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import adaptive_batches

CHECKED = adaptive_batches
GRID = {"n": [2], "eta": [4.5], "T": 100, "t": 80, "b": [1, 2]}


def test_remark_2_holds_and_an_adversary_that_looks_away_is_caught(put: Any) -> None:
    assert decide(adaptive_batches.remark_2(GRID, 1000, 1)) == "holds"
    put(against_the_leader=lambda actions, n: np.zeros((actions.size, n)))
    assert decide(adaptive_batches.remark_2(GRID, 400, 1)) == "fails"
