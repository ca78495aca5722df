"""A line on the terminal shows what takes long."""

import io
import sys
import time

import pytest

from private_experts.replication.verify import verify_progress as module
from private_experts.replication.verify.verify_progress import progress


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def shown(stream: io.StringIO, monkeypatch: pytest.MonkeyPatch, done: float) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    with progress(lambda: "2 of 9", lambda: done, 10.0):
        end = time.monotonic() + 0.5
        while "2 of 9" not in stream.getvalue() and time.monotonic() < end:
            time.sleep(0.01)
    return stream.getvalue()


def test_what_takes_long_is_shown_on_a_terminal_and_what_is_short_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "2 of 9" not in shown(Terminal(), monkeypatch, 5.0)
    monkeypatch.setattr(module, "PATIENCE", 0.01)
    monkeypatch.setattr(module, "PAUSE", 0.02)
    assert "2 of 9, 0.0 s, about 0.0 s left" in shown(Terminal(), monkeypatch, 5.0)
    assert shown(io.StringIO(), monkeypatch, 5.0) == ""  # a file


def test_what_takes_longer_than_expected_promises_no_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "PATIENCE", 0.01)
    monkeypatch.setattr(module, "PAUSE", 0.02)
    assert "2 of 9, 0.0 s, longer than expected" in shown(Terminal(), monkeypatch, 11.0)
