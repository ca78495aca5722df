"""What a round costs, and mutants that cost more the longer the game or the more experts there are."""

from collections import deque
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.algorithms.rw_meta import RWMeta
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import complexity
from private_experts.walks import delay
from tests.replication.papers.small_checks import found, verdict

CHECKED = complexity
GRID = {"n": [2, 24], "completed": [0, 10**6], "T": [3, 20], "m": [5]}


# the parts of it on which searches, and what stays, show what is wrong
SEARCHES, KEPT = GRID | {"m": []}, GRID | {"completed": [], "n": [2]}


def test_a_round_costs_what_is_claimed() -> None:
    points, whats = found(complexity.complexity, GRID), {"bisection", "table", "RW-AdaBatch", "RW-Meta"}
    assert decide(points) == "holds"
    assert {point.where["what"] for point in points} >= whats | {"RW-AdaBatch, growth", "RW-Meta, growth"}
    assert delay.look_up.__module__ == "private_experts.walks.leader_change"  # what counted is gone


@pytest.mark.parametrize("way", ["bisection", "table"])
def test_a_search_that_tries_every_size_is_caught(way: str, put: Any) -> None:
    def one_by_one(gap: float, eta: float, n: int, alpha: float, completed: int, exact: bool) -> int:
        size = 1
        while size < 100 and delay.log_bound(np.array([gap / size])) < -1:
            size += 1
        return size

    put(delay, compute_delay=one_by_one)
    assert verdict(complexity.complexity, SEARCHES, of={"what": way}) == "fails"


@pytest.mark.parametrize("algorithm", [RWAdaBatch, RWMeta])
@pytest.mark.parametrize(
    ("holder", "kept", "caught"),
    [
        (list, lambda report: report.values, "{}"),  # its reports
        # a number a round, in whatever holds it
        (deque, lambda report: float(report.values[0, 0]), "{}, growth"),
    ],
)
def test_an_algorithm_that_keeps_more_the_longer_the_game_is_caught(
    holder: Any, kept: Any, caught: str, algorithm: Any, put: Any
) -> None:
    update = algorithm.update

    def hoard(self: Any, report: Any) -> None:
        self.__dict__.setdefault("hoard", holder()).append(kept(report))
        update(self, report)

    put(algorithm, update=hoard)
    what = caught.format("RW-AdaBatch" if algorithm is RWAdaBatch else "RW-Meta")
    assert verdict(complexity.complexity, KEPT, of={"what": what}) == "fails"
