"""The plays of Algorithm 2: each check gives its verdict, and another one when something is wrong."""

from itertools import cycle

import numpy as np
import pytest

from private_experts.algorithms.all_windows import AllWindows
from private_experts.replication.balls.balls import ball
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import tracking
from tests.replication.papers.small_checks import verdict, wrong

EVENT = {"N": 10**10, "T": 16384, "epsilon": 1.0, "highest": [-10.0, -50.0], "fall": 600}


def test_printed_plays_tell_more_than_they_say_and_neither_part_alone_would_be_enough() -> None:
    found = []  # the hazards for both neighbours, the slowest part
    with wrong(tracking, "hazards", lambda right, *given: found.append(right(*given)) or found[-1]):
        (point,) = tracking.tracking_plays_printed(EVENT)
    assert decide([point]) == "fails"
    assert 1.20 < point.value < 1.21
    again = cycle(found)
    with wrong(tracking, "hazards", lambda *given: next(again)):
        for part, value in (("ending", 0.455), ("selected", 0.747)):
            with wrong(tracking, part, lambda *given: (ball(1), ball(1))):
                (point,) = tracking.tracking_plays_printed(EVENT)
            assert decide([point]) == "holds"
            assert point.value == pytest.approx(value, abs=2e-3)
        # The check of the mended noise catches the printed one.
        with wrong(tracking, "chances", lambda right, grid, sensitivity: right(grid, 1.0)):
            assert verdict(tracking.tracking_plays, EVENT) == "fails"


def test_the_queries_are_those_of_the_algorithm() -> None:
    horizon, stages = 16384, (100, 10, 10)
    rows = tracking.gains(horizon, stages, True)[4000:8400]
    limits = tracking.thresholds(100, horizon, 1.0, 1.0)
    windows = AllWindows(3, len(rows), 1)
    for row in rows:
        windows.add(row[None], row[:1])
    regrets = windows.regrets(np.zeros(1, dtype=int))[0]
    t = 8399
    found = tracking.queries(tracking._totals_ahead(tracking.gains(horizon, stages, True)), limits, t)
    begin = horizon // 4 + 1  # the first window that is kept begins with this round
    np.testing.assert_allclose(found, regrets[begin - 4000 :] - limits[t - begin + 1 : 0 : -1])
