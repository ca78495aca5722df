"""Jobs that a killed run left on a cluster are found by their folder, and cancelled before the next run."""

import os
import sys
from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.run import orphans as module
from private_experts.replication.run.orphans import cancel, orphans

# A cluster of files: a job is a file with its number, folder and comment, which squeue tells of in the order asked for.
SQUEUE = """
case "$*" in *--me*--noheader*) ;; *) exit 3 ;; esac
for format; do :; done
cat "$QUEUE"/* 2>/dev/null | while IFS='|' read -r number folder comment; do
  echo "$format" | sed "s#%A#$number#; s#%Z#$folder#; s#%k#$comment#"
done
"""
SCANCEL = 'cd "$QUEUE" && rm "$@"'


@pytest.fixture
def queue(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return the folder of jobs of an imitation of Slurm."""
    (tmp_path / "bin").mkdir()
    (tmp_path / "queue").mkdir()
    command(tmp_path, "squeue", SQUEUE)
    command(tmp_path, "scancel", SCANCEL)
    monkeypatch.setenv("QUEUE", str(tmp_path / "queue"))
    monkeypatch.setenv("PATH", f"{tmp_path}/bin:{os.environ['PATH']}")
    return tmp_path / "queue"


def command(home: Path, name: str, script: str) -> None:
    path = home / "bin" / name
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)


def submit(queue: Path, number: str, folder: Path, comment: str = "rule_games_wildcards_NM") -> None:
    (queue / number).write_text(f"{number}|{folder}|{comment}\n")


def test_jobs_of_this_folder_that_snakemake_submitted_are_found_and_cancelled(queue: Path, tmp_path: Path) -> None:
    here, linked = tmp_path / "project", tmp_path / "link"
    here.mkdir()
    linked.symlink_to(here)
    submit(queue, "7", here)
    submit(queue, "8", linked)
    submit(queue, "9", tmp_path / "other")
    submit(queue, "10", here, "mine | own")
    submit(queue, "11", here, "(null)")
    assert orphans(here) == orphans(linked) == ["7", "8"]
    cancel(orphans(here), here)
    assert orphans(here) == []
    assert {path.name for path in queue.iterdir()} == {"9", "10", "11"}


@pytest.mark.parametrize("then", [SQUEUE, "exit 1"])
def test_jobs_that_do_not_end_stop_the_run_and_so_do_those_of_which_nobody_tells(
    then: str, queue: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    submit(queue, "7", tmp_path)
    assert orphans(tmp_path) == ["7"]
    command(tmp_path, "scancel", "exit 0")
    command(tmp_path, "squeue", then)
    monkeypatch.setattr(module, "ANSWER", 0.3)
    with pytest.raises(InputError, match="jobs 7 of an earlier run"):
        cancel(["7"], tmp_path)


@pytest.mark.parametrize("script", [None, "exit 1", "echo nonsense"])
def test_where_slurm_is_not_or_does_not_answer_nothing_is_found(
    script: str | None, queue: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if script is None:
        monkeypatch.setenv("PATH", str(Path(sys.executable).parent))
    else:
        command(tmp_path, "squeue", script)
    submit(queue, "7", tmp_path)
    assert orphans(tmp_path) == []
