"""Quick grids with shorter games, for tests in which nothing is decided.

Nothing but the length of the games differs from the quick grids: each way that a check can take is taken.
"""

import math
from collections.abc import Sequence
from typing import Any

from private_experts.replication.ledger.evidence import Point
from private_experts.replication.ledger.ledger import Claim

SHORTER: dict[str, dict[str, Any]] = {
    "000/batching-regret": {"T, alpha": [[30, 1.0]], "least": 30},
    "000/corollary-2": {"T": [20]},
    "000/looseness-regime": {"T": 150, "t": 75},
    "000/looseness": {"T": 150, "t": 75},
    "000/looseness/not-claimed": {"T": 150, "t": 75},
    "000/theorem-3": {"T": [20], "singled_out": [["orthogonal", 4, 40, 1.0, "easy"]]},
    "000/theorem-3-fresh": {"T": [50]},
    "000/theorem-3/as-printed": {
        "pairs": [
            {"learners": ["contrary"], "eta": [1.5], "T": [80]},
            {"learners": ["wandering"], "eta": [3.0], "T": [100]},
        ]
    },
    "000/tree-rate": {"T": [16]},
    "001/every-round-play": {"T": [20]},
    "001/theorem-4-2-play": {"T": [20], "S": [6]},
    "001/theorem-4-1-regret": {"T": [50]},
    "003/theorem-3": {"K": [3], "level": {"eps": 1.0, "T_over_least": 10000, "copies": 2000}},
    "003/any-labels-rivals": {"T": 50, "M": 32},
    "003/any-labels": {"T": 50, "M": [16]},
    "003/adaptive-features": {"T": 120},
    "003/centred-reports": {"T_long": [1000], "T": [100]},
    "003/labels": {"M": [8, 32]},
    "003/lemma-7": {"T": [60]},
    "003/theorem-4": {"T_long": [1000], "T": [100]},
    "004/adaptive-regret": {"T": [100], "paths": 20},
    "004/leader-sign/as-printed": {"T": [256]},
    "004/noisy-growth": {
        "base": {"T": 64, "S": 1, "epsilon": 1.0},
        "along": {"T": [32, 64], "S": [3, 15], "epsilon": [0.5, 1.0]},
    },
    "004/theorem-3-6": {"cells": [[512, 1, 50.0, "dyadic"], [64, 1, 10.0, "all"]]},
    "004/softmax-intervals": {"T": [1024]},
    "004/softmax-tracking": {"cells": [[1024, 1, 10.0, "all"]]},
    "004/theorem-5-1": {"phase": [8]},
}


def short_grid(claim: Claim) -> dict[str, Any]:
    """Return a claim's quick grid, with the shortest games."""
    return {**claim.experiment(quick=True).grid, **SHORTER.get(claim.id, {})}


def assert_lazy(points: Sequence[Point]) -> None:
    """Assert that a claim's lazy program was computed with it, and is a number wherever it was."""
    lazy = [point.lazy for point in points if point.lazy is not None]
    assert lazy
    assert all(map(math.isfinite, lazy))
