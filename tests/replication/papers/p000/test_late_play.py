"""Claims about late reports: each gives its verdict, and another one when something is wrong."""

from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.delayed import Delayed
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import late_play
from tests.replication.papers.small_checks import SEED, verdict

COPIES = {"stream": ["easy"], "n": [4], "T": [800], "delay": [2], "late": ["all", "drawn"], "eta": 1.4142}
LATE = {"stream": ["turncoat"], "n": [2], "T": [400], "delay": [3], "eta": 1.4142}


def test_copies_that_take_turns_have_the_bound_and_uniform_play_breaks_it() -> None:
    points = late_play.delayed_copies(COPIES, 20, SEED)
    assert decide(points) == "holds"
    assert all(point.lazy_fails for point in points)


class Unheard(Delayed):
    """Whatever arrives is told to nobody."""

    def update(self, arrived: Any) -> None:
        for copy in self.copies:
            copy.total[:] = 0.0  # type: ignore[attr-defined]
        super().update(arrived)


def test_copies_that_forget_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(late_play, "Delayed", Unheard)
    assert verdict(late_play.delayed_copies, COPIES | {"late": ["all"]}, 20) == "fails"


def test_a_drawn_delay_is_from_none_to_the_largest() -> None:
    drawn = late_play._delays("drawn", 3, 400, SEED)
    assert {*np.asarray(drawn).tolist()} == {0, 1, 2, 3}
    assert late_play._delays("all", 3, 400, SEED) == 3


def test_being_told_late_costs_at_most_the_switches() -> None:
    assert verdict(late_play.late_reports, LATE, 100) == "holds"


@pytest.mark.parametrize("more", [1, -1])
def test_a_play_that_is_late_by_another_number_is_caught(more: int, monkeypatch: pytest.MonkeyPatch) -> None:
    given = late_play._walk
    monkeypatch.setattr(
        late_play,
        "_walk",
        lambda gains, eta, repetitions, wait, *key: given(
            gains, eta, repetitions, wait + more * (wait > 0), *key
        ),
    )
    points = late_play.late_reports(LATE, 100, SEED)
    assert decide([point for point in points if point.where["of"] == "plays that differ"]) == "fails"


def test_a_count_of_a_quarter_of_the_switches_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    given = late_play.switches
    monkeypatch.setattr(late_play, "switches", lambda actions: given(actions) / 4)
    points = late_play.late_reports(LATE | {"delay": [8]}, 400, SEED)
    assert decide([point for point in points if point.where["of"] == "regret"]) == "fails"
