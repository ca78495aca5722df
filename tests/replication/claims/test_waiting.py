"""Estimates rest on the last run where they can, and a line tells of what takes long."""

import io
import time
from typing import Any

import pytest

from private_experts.replication.claims import waiting
from private_experts.replication.claims.recomputing import Question
from private_experts.replication.claims.waiting import estimated, telling
from tests.replication.claims.ledgers import KNOWN

CHANCY = KNOWN.claims["000/lemma-3"]


def question(**more: Any) -> Question:
    return Question(CHANCY, seed=1, **more)


def test_the_last_run_knows_better_than_the_claim() -> None:
    assert estimated(question(), {CHANCY.id: 77.0}, quick_before=False) == (77.0, "by the last run here")
    assert estimated(question(), {}, quick_before=False) == (CHANCY.seconds, "by a run elsewhere")


def test_a_run_on_quick_grids_tells_of_quick_grids_alone() -> None:
    took = {CHANCY.id: 0.5}
    assert estimated(question(), took, quick_before=True).seconds == CHANCY.seconds
    assert estimated(question(quick=True), took, quick_before=True).seconds == 0.5
    assert "or less" in estimated(question(quick=True), took, quick_before=False).words()


def test_ten_times_the_repetitions_take_ten_times_as_long() -> None:
    first, _ = CHANCY.effective_repetitions(False)
    assert estimated(question(repetitions=10 * first), {}, quick_before=False).seconds == 10 * CHANCY.seconds


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("stream", [io.StringIO, Terminal])
def test_what_takes_long_is_told_and_what_is_short_is_not(
    stream: type[io.StringIO], monkeypatch: pytest.MonkeyPatch
) -> None:
    out = stream()
    with telling("{:.0f} s".format, out):
        pass
    assert out.getvalue().replace("\r\x1b[K", "") == ""
    monkeypatch.setattr(waiting, "PATIENCE", 0.01)
    monkeypatch.setattr(waiting, "OFTEN", 0.01)
    with telling("{:.0f} s".format, out):
        end = time.monotonic() + 10
        while out.getvalue().count("0 s") < (2 if out.isatty() else 1) and time.monotonic() < end:
            time.sleep(0.01)
    assert out.getvalue().count("0 s") >= (2 if out.isatty() else 1)
    assert out.getvalue().endswith("\r\x1b[K" if out.isatty() else "0 s\n")  # on a terminal it goes away again
