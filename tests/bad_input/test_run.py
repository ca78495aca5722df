"""What people ask of a whole run: refused in one line before Snakemake starts and gives a traceback."""

import shutil
from pathlib import Path

import pytest
from snakemake import cli

from private_experts.replication.workflow import reproduce, run_lock
from tests.bad_input.desk import assert_one_line

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
    "twice.yaml": b"seed: 1\nseed: 2\n",
    "twice.json": b'{"seed": 1, "seed": 2}',
    "endless.yaml": b"sensitivity: &a {b: *a}\n",
}


@pytest.fixture
def project(tmp_path, monkeypatch):
    """Return a folder that is taken for the project's, in which Snakemake must not start."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(run_lock, "_held", {})
    monkeypatch.setattr(cli, "args_to_api", lambda *_: pytest.fail("Snakemake was started"))
    (tmp_path / "Snakefile").touch()
    shutil.copytree(ROOT / "config", tmp_path / "config")
    return tmp_path


@pytest.fixture
def plan(command):
    return lambda *words: command("plan", *words)


@pytest.fixture
def reproduced(capsys):
    """Run as `make reproduce` does, in vain."""

    def run(*words):
        capsys.readouterr()
        with pytest.raises(SystemExit) as end:
            reproduce.main([str(word) for word in words])
        return int(end.value.code or 0), capsys.readouterr().err

    return run


@pytest.fixture(params=["plan", "reproduced"])
def answer(request, project):
    return request.getfixturevalue(request.param)


def test_a_config_file_that_is_none(answer, project):
    for name, content in CONFIGS.items():
        path = project / name
        if content is not None:
            path.write_bytes(content)
        code, error = answer("--configfile", project / "config/smoke.yaml", path)
        assert_one_line(code, error)
        assert name in error
    code, error = answer("--configfile", project)
    assert_one_line(code, error)
    assert "directory" in error


def test_a_study_that_is_none(project, reproduced):
    (project / "config/study.yaml").write_text("a: [1,")
    code, error = reproduced()
    assert_one_line(code, error)
    assert "study.yaml" in error
