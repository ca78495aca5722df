"""The plays of Algorithm 2: each check gives its verdict, and another one when something is wrong."""

from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.all_windows import AllWindows
from private_experts.replication.claims.checks.paper_004 import tracking
from private_experts.replication.claims.evidence import decide

SEED = 1

EVENT = {"N": 10**10, "T": 16384, "epsilon": 1.0, "highest": [-10.0, -50.0], "fall": 600, "noise": [0, 160, 8.0]}


def test_printed_plays_tell_more_than_they_say() -> None:
    (point,) = tracking.tracking_plays_printed(EVENT, 2, SEED)
    assert decide([point]) == "fails"
    assert 1.19 < point.value < 1.25


@pytest.mark.parametrize("gentle", ["queries", "selection"])
def test_either_part_alone_would_not_be_enough(gentle: str, put: Any) -> None:
    if gentle == "queries":
        stopping = tracking.stopping
        put(tracking, "stopping", lambda rows, limits, stages, scale, noise: stopping(
            tracking.gains(len(rows) - 1, stages, False), limits, stages, scale, noise))  # fmt: skip
    else:
        law = tracking.report_noisy_max_law
        put(tracking, "report_noisy_max_law", lambda scores, *rest: law(np.floor(scores / 10), *rest))
    assert decide(tracking.tracking_plays_printed(EVENT, 2, SEED)) == "holds"


def test_the_printed_noise_is_caught(put: Any) -> None:
    chances = tracking.chances
    put(tracking, "chances", lambda grid, sensitivity: chances(grid, 1.0))
    assert decide(tracking.tracking_plays(EVENT, 2, SEED)) == "fails"


def test_the_queries_are_those_of_the_algorithm() -> None:
    horizon, stages = 16384, (100, 10, 10)
    rows = tracking.gains(horizon, stages, True)[4000:8400]
    limits = tracking.thresholds(100, horizon, 1.0, 1.0)
    windows = AllWindows(3, len(rows), 1)
    for each in rows:
        windows.add(each[None], each[:1])
    regrets = windows.regrets(np.zeros(1, dtype=int))[0]
    t = 8399
    found = tracking.queries(tracking._totals(tracking.gains(horizon, stages, True)), limits, t)
    begin = horizon // 4 + 1  # the first window that is kept begins with this round
    np.testing.assert_allclose(found, regrets[begin - 4000 :] - limits[t - begin + 1 : 0 : -1])
