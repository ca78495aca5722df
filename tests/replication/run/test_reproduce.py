"""A run that ends badly says so."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from private_experts.replication.run import reproduce
from private_experts.replication.run.strays import marked, strays


def test_a_run_that_a_signal_ended_does_not_end_in_silence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Snakefile").touch()
    monkeypatch.setattr(reproduce, "snakemake", lambda _: os.kill(os.getpid(), signal.SIGKILL))
    assert reproduce.main([]) == -9
    assert capsys.readouterr().err.splitlines() == [
        "private-experts: signal 9 ended Snakemake",
        "private-experts: ending processes that a killed run left: 1",  # the server of its jobs
        "private-experts: the same command goes on from here",
    ]


def test_what_a_killed_run_left_on_a_cluster_is_cancelled_before_the_next_begins(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Snakefile").touch()
    cancelled = tmp_path / "cancelled"
    monkeypatch.setattr(reproduce, "orphans", lambda _: ["7", "8"])
    monkeypatch.setattr(reproduce, "cancel", lambda numbers, _: cancelled.write_text(" ".join(numbers)))
    monkeypatch.setattr(reproduce, "snakemake", lambda _: os._exit(cancelled.read_text() != "7 8"))
    assert reproduce.main([]) == 0
    assert "cancelling 2 jobs that a killed run left on the cluster" in capsys.readouterr().err


def test_what_a_killed_run_left_here_is_ended_before_the_next_begins(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Snakefile").touch()
    lock = tmp_path / ".snakemake/reproduce.lock"
    lock.parent.mkdir()
    lock.touch()
    with marked(lock), subprocess.Popen(["sleep", "600"]) as left:
        monkeypatch.setattr(reproduce, "snakemake", lambda _: os._exit(left.pid in strays(lock)))
        try:
            assert reproduce.main([]) == 0
            assert left.wait(timeout=60) == -signal.SIGKILL
        finally:
            left.kill()
    assert "ending processes that a killed run left: 1\n" in capsys.readouterr().err


def test_a_run_that_fails_says_which_products_are_its_own(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Snakefile").touch()
    (tmp_path / "results").mkdir()
    monkeypatch.setattr(reproduce, "snakemake", lambda _: os._exit(1))
    manifest = tmp_path / "results/manifest.json"
    manifest.write_text('{"data": {"label": "HHS"}, "outputs": {"a.csv": {"bytes": 1, "sha256": ""}}}')
    assert reproduce.main([]) == 1
    assert "  1 gone: a.csv\n" in capsys.readouterr().err
    manifest.write_text("no manifest")
    assert reproduce.main([]) == 1
    assert capsys.readouterr().err == "\n"
