"""What people ask of a whole run: refused in one line before Snakemake starts, which would answer with a traceback."""

import os
from pathlib import Path

import pytest

from private_experts.replication.run import asked, reproduce
from tests.bad_input.desk import assert_one_line
from tests.each import each

ROOT = Path(__file__).parents[2]
CONFIGS = {
    "absent.yaml": None,
    "list.yaml": b"[1, 2]",
    "nothing.yaml": b"",
    "open.yaml": b"a: [1,",
    "tabs.yaml": b"a:\n\t- 1",
    "latin.yaml": b"\xff\xfe",
    "nul.yaml": b"a: \x00",
    "itself.yaml": b"&a [*a]",
}


@pytest.fixture
def plan(command):
    return lambda *words: command("plan", *words)


@pytest.fixture
def reproduced(capsys):
    """Run as `make reproduce` does, in vain: Snakemake must not start."""

    def run(*words):
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            reproduce.main([str(word) for word in words])
        return int(end.value.code or 0), capsys.readouterr().err

    return run


@pytest.fixture(params=["plan", "reproduced"])
def answer(request, monkeypatch):
    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(reproduce, "snakemake", lambda _: os._exit(1))
    return request.getfixturevalue(request.param)


def test_a_config_file_that_is_none(answer, tmp_path):
    for name, content in CONFIGS.items():
        path = tmp_path / name
        if content is not None:
            path.write_bytes(content)
        code, error = answer("--configfile", ROOT / "config" / "smoke.yaml", path)
        assert_one_line(code, error)
        assert name in error
    code, error = answer("--configfile", tmp_path)
    assert_one_line(code, error)
    assert "directory" in error


@each("words", [["--cores", "two"], ["-c0"], ["--cores", "1.5"]])
def test_cores_in_snakemakes_words(reproduced, monkeypatch, words):
    monkeypatch.chdir(ROOT)
    code, error = reproduced(*words)
    assert_one_line(code, error)
    assert "--cores: " in error


@each("words", [[], ["--cores"], ["-c"], ["--cores", "all"], ["-c2", "--colour"], ["-n", "results/x.csv"]])
def test_words_that_mean_something_or_that_only_snakemake_knows_are_passed_on(monkeypatch, words):
    monkeypatch.chdir(ROOT)
    asked.check_words(words)
    asked.check_words([*words, "--configfiles", "config/smoke.yaml"])


@each(
    ("words", "looks"),
    [
        (["snakemake", "--lint"], True), (["snakemake", "--report=it.html"], True), (["-S"], True),
        (["snakemake", "-n", "-c2"], False), (["snakemake", "--until", "ledger", "--config", "a=--lint"], False),
    ],
)  # fmt: skip
def test_what_only_looks_is_told_from_what_makes_results(words, looks):
    assert asked.only_looks(words) is looks


def test_a_folder_that_is_not_the_project(answer, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, error = answer()
    assert_one_line(code, error)
    assert "no Snakefile in this folder" in error
    assert list(tmp_path.iterdir()) == []
