"""The last words of a run, however it ended."""

import argparse
import importlib
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


def test_a_config_that_is_not_yaml_and_a_package_that_a_run_lacks_are_told_in_one_line(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (project / "mine.yaml").write_text("seed: [")
    for words, line in (
        (["--configfile", "mine.yaml"], "mine.yaml: is not valid YAML"),
        ([], "a run needs the package packagink, which is not installed: "),
    ):
        with pytest.raises(SystemExit) as ended:
            reproduce.main(words)
        said = capsys.readouterr().err
        assert (ended.value.code, said.count("\n")) == (2, 1)
        assert said.startswith(f"private-experts: {line}")
        monkeypatch.setattr(reproduce, "snakemake", lambda *_: importlib.import_module("packagink.markers"))


@pytest.mark.parametrize("words", [(), ("This event loop is already running",)])
def test_a_run_that_is_stopped_says_how_it_goes_on(
    words: tuple[str, ...], project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def stopped(*_: object) -> bool:
        """End as Snakemake does after Ctrl-C, also where its cleaning up fails."""
        try:
            os.kill(os.getpid(), signal.SIGINT)
            signal.pause()
        except KeyboardInterrupt:
            for word in words:
                raise RuntimeError(word) from None
            return False
        return True

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    monkeypatch.setattr(reproduce, "snakemake", stopped)
    try:
        assert reproduce.main([]) == 130
    finally:
        signal.signal(signal.SIGINT, before)
    assert capsys.readouterr().err == "private-experts: stopped; the same command goes on from here\n"


def test_an_error_of_snakemake_is_told_unless_the_run_was_stopped(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_: object) -> bool:
        raise RuntimeError("This event loop is already running")

    told: list[Exception] = []
    monkeypatch.setattr(reproduce, "snakemake", fails)
    monkeypatch.setattr(cli, "print_exception", told.append)
    assert reproduce.main([]) == 1
    assert [str(error) for error in told] == ["This event loop is already running"]


def test_a_run_and_a_plan_use_the_cores_that_they_may_and_a_person_may_name_others(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    commands: list[list[str]] = []
    monkeypatch.setattr(reproduce, "usable_cores", lambda: 3)
    monkeypatch.setattr(reproduce, "snakemake", lambda words, _: commands.append([*words]) or True)
    reproduce.main([])
    reproduce.main(["--cores", "1"])
    monkeypatch.setattr(plan, "usable_cores", lambda: 3)
    monkeypatch.setattr(plan, "_dry_run", lambda words: commands.append([*words]) or "")
    plan.plan_lines()
    assert [cli.parse_args(words[words.index("--cores") :])[1].cores for words in commands] == [3, 1, 3]


@pytest.mark.parametrize("data", ["synthetic", 'a b/o\'clock "ü": {1}\\.csv'])
def test_a_run_and_a_plan_take_the_data_that_are_named_and_keep_other_settings(
    project: Path, monkeypatch: pytest.MonkeyPatch, data: str
) -> None:
    taken: list[dict[str, object]] = []

    def take(options: argparse.Namespace, _: object) -> bool:
        taken.append(cli.parse_config(options.config))
        return True

    monkeypatch.setattr(cli, "args_to_api", take)
    monkeypatch.setattr(plan, "_dry_run", lambda words: take(cli.parse_args(words[3:])[1], None) and "")
    reproduce.main(["--data", data, "--config", "seed=7"])
    reproduce.main([])
    plan.plan_lines(data=data)
    assert taken == [{"seed": 7, "hospital": {"data": data}}, {}, {"hospital": {"data": data}}]


def test_a_plan_says_that_a_variable_of_earlier_versions_is_not_read(
    project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HHS_FACILITY_CSV", "/a/b.csv")
    monkeypatch.setattr(plan, "_dry_run", lambda _: "")
    plan.plan_lines()
    assert capsys.readouterr().err == (
        "private-experts: HHS_FACILITY_CSV is set, but not read; write make reproduce DATA=/a/b.csv\n"
    )
