"""Runs after one edit at a time leave the bytes of one run after all of them."""

import hashlib
from contextlib import ExitStack
from pathlib import Path

from tests.workflow.conftest import LEDGER, SNAKEMAKE, TIMED, Project, before_any_run, copy_project, edited
from tests.workflow.expected import PACKAGE
from tests.workflow.test_reruns_of_code import REAL

# A word of a claim, a key, what is shown, and code that plays, checks, draws and writes.
EDITS = [
    (LEDGER, "In the «dyadic→binary» tree over $T$ rounds"),
    ("config/study.yaml", "confidence: 0.9«5→»\n"),
    ("paper/replication.py", "SEED = «2026→2027»"),
    (f"{PACKAGE}/replication/papers/p000/meta.py", "«→# One.\n# Two.\n# Three.\n»def agreement("),
    (f"{PACKAGE}/replication/plotting/palette.py", '"#D55E0«0→1»"'),
    *(
        (f"{PACKAGE}/{REAL[name][0]}", REAL[name][1])
        for name in ("a yardstick", "a check", "a drawing", "how tables are written", "the explorer's script")
    ),
]
# What tells when, where or how long, as the records of Snakemake do.
OWN = {TIMED, "manifest.json", ".lock", "parsed.json"}


def run(project: Project) -> None:
    done = project.fork(*SNAKEMAKE[2:], "--cores", "2")
    assert done.returncode == 0, done.stderr


def contents(project: Project) -> dict[str, str]:
    """Return the SHA-256 of every file that a run leaves, but for what tells of the run itself."""
    results = project / "results/smoke"
    return {
        str(path.relative_to(results)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in results.rglob("*")
        if path.is_file() and path.name not in OWN and path.suffix != ".log"
    }


def test_ten_edits_one_after_another_give_every_byte_of_a_fresh_run(finished: Path, tmp_path: Path) -> None:
    one_by_one = copy_project(finished, tmp_path / "one-by-one")
    fresh = before_any_run(tmp_path / "fresh", finished)
    before = contents(one_by_one)
    with ExitStack() as kept:
        for file, edit in EDITS:
            for project in (one_by_one, fresh):
                kept.enter_context(edited(project / file, edit))
            run(one_by_one)
        run(fresh)
        after = contents(one_by_one)
        assert after == contents(fresh)
        assert sum(before.get(name) != after[name] for name in after) > 20
