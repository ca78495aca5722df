"""What a job took: said in its log, and read from there."""

import sys
import time
from pathlib import Path

import pytest

from private_experts.replication.ledger.timing import Account, Meter, read


def test_what_is_said_is_what_is_read(tmp_path: Path) -> None:
    accounts = [Account("000/theorem-1", 12.34, 1.25, 80.0, 0.0), Account("", 13.0, 2.0, 102.0, 0.41)]
    (tmp_path / "checks").mkdir()
    lines = ["a warning that took 3 s", *(spent.line() for spent in accounts)]
    (tmp_path / "checks/x.log").write_text("\n".join(lines) + "\n")
    (tmp_path / "silent.log").write_text("")
    assert list(read(tmp_path)) == [("checks/x", spent) for spent in accounts]


def test_a_job_counts_the_start_of_its_process_and_a_part_of_it_does_not(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    whole, part = Meter(), Meter("a part")
    end = time.process_time() + 0.05
    while time.process_time() < end:
        pass
    job, claim = whole.account(), part.account()
    assert claim.start == 0
    assert 0.05 <= claim.cpu < 1
    assert claim.seconds >= 0.04
    assert 0 < job.start < job.cpu
    assert job.cpu >= job.start + 0.05
    assert 10 < job.megabytes == claim.megabytes < 10_000
    monkeypatch.setattr(sys, "platform", "darwin")  # whose system counts bytes
    assert Meter().account().megabytes == pytest.approx(job.megabytes / 1024, rel=0.1)
