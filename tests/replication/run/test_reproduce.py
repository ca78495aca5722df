"""A run that ends badly says so."""

import sys
from pathlib import Path

import pytest

from private_experts.replication.run import reproduce


def test_a_run_that_a_signal_ended_does_not_end_in_silence(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "Snakefile").touch()
    monkeypatch.setattr(reproduce, "SNAKEMAKE", [sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"])
    assert reproduce.main([]) == -9
    assert capsys.readouterr().err == "private-experts: signal 9 ended Snakemake; the same command goes on from here\n"
