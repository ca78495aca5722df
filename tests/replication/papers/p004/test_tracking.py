"""The plays of Algorithm 2: each check gives its verdict, and another one when something is wrong."""

from itertools import cycle
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.all_windows import AllWindows
from private_experts.replication.balls.balls import ball
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import tracking
from private_experts.replication.papers.p004.event import hazards
from tests.replication.papers.small_checks import verdict

EVENT = {"N": 10**10, "T": 16384, "epsilon": 1.0, "highest": [-10.0, -50.0], "fall": 600}


@pytest.fixture(scope="module")
def found() -> list[Any]:
    """Return the hazards of the event with the printed noise, for both neighbours, the slowest part."""
    found: list[Any] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(tracking, "hazards", lambda *given: found.append(hazards(*given)) or found[-1])
        tracking.tracking_plays_printed(EVENT)
    return found


def test_printed_plays_tell_more_than_they_say_and_neither_part_alone_would_be_enough(
    found: Any, put: Any
) -> None:
    again = cycle(found)
    put(tracking, "hazards", lambda *given: next(again))
    (point,) = tracking.tracking_plays_printed(EVENT)
    assert decide([point]) == "fails"
    assert 1.20 < point.value < 1.21
    for part, value in (("ending", 0.455), ("selected", 0.747)):
        right = getattr(tracking, part)
        put(tracking, part, lambda *given: (ball(1), ball(1)))
        (point,) = tracking.tracking_plays_printed(EVENT)
        put(tracking, part, right)
        assert decide([point]) == "holds"
        assert point.value == pytest.approx(value, abs=2e-3)


def test_the_printed_noise_is_caught(found: Any, put: Any) -> None:
    again = cycle(found)
    put(tracking, "hazards", lambda *given: next(again))
    chances = tracking.chances
    put(tracking, "chances", lambda grid, sensitivity: chances(grid, 1.0))
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
