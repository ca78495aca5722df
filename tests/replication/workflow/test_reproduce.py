"""The last words of a run, however it ended."""

import os
import shutil
import signal
from pathlib import Path

import pytest
from snakemake import cli

from private_experts.replication.workflow import plan, reproduce, run_lock

ROOT = Path(__file__).parents[3]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a folder that a run takes for the project's, in which nothing is locked."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run_lock, "_held", {})
    (tmp_path / "Snakefile").touch()
    shutil.copytree(ROOT / "config", tmp_path / "config")
    return tmp_path


def test_a_run_that_fails_has_exit_code_1(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reproduce, "snakemake", lambda _: False)
    assert reproduce.main([]) == 1


def test_a_run_that_is_stopped_says_how_it_goes_on(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(_: object) -> bool:
        """End as Snakemake does after Ctrl-C."""
        try:
            os.kill(os.getpid(), signal.SIGINT)
            signal.pause()
        except KeyboardInterrupt:
            return False
        return True

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(reproduce, "snakemake", stopped)
    try:
        assert reproduce.main([]) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err == "private-experts: stopped; the same command goes on from here\n"


def test_a_run_and_a_plan_use_the_cores_that_they_may_and_a_person_may_name_others(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[str]] = []
    monkeypatch.setattr(reproduce, "usable_cores", lambda: 3)
    monkeypatch.setattr(reproduce, "snakemake", lambda words: asked.append([*words]) or True)
    reproduce.main([])
    reproduce.main(["--cores", "1"])
    monkeypatch.setattr(plan, "usable_cores", lambda: 3)
    monkeypatch.setattr(plan, "_said", lambda words: asked.append([*words]) or "")
    plan.plan_lines()
    assert [cli.parse_args(words[words.index("--cores") :])[1].cores for words in asked] == [3, 1, 3]
