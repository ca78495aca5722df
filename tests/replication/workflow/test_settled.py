"""What Snakemake need not look at again, and what it must."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml

from private_experts.replication.verify import code_origin
from private_experts.replication.workflow import job_parent, plan, reproduce, run_lock, settled
from tests.each import each

ROOT = Path(__file__).parents[3]
FILES = ("src/a.py", "results/manifest.json", "results/a.csv", ".snakemake/metadata/a", "my.csv")


@pytest.fixture(autouse=True)
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a project's folder after a run that ended."""
    home = tmp_path / "home"
    shutil.copytree(ROOT / "config", home / "config")
    for name in FILES:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        (home / name).write_text("one")
    (tmp_path / "other").mkdir()
    monkeypatch.chdir(home)
    monkeypatch.setattr(run_lock, "_held", {})
    return home


def keep_times(path: Path) -> None:
    facts = path.stat()
    path.write_text("two")
    os.utime(path, ns=(facts.st_atime_ns, facts.st_mtime_ns))


SEEN: dict[str, Callable[[], object]] = {
    "code": lambda: Path("src/a.py").write_text("longer"),
    "an edit with the old date": lambda: keep_times(Path("src/a.py")),
    "a product that is gone": lambda: Path("results/a.csv").unlink(),
    "a new file": lambda: Path("claims.yaml").touch(),
    "a job that did not end": lambda: shutil.copytree(".snakemake/metadata", ".snakemake/incomplete"),
    "a record of Snakemake's": lambda: Path(".snakemake/metadata/a").unlink(),
    "a variable": lambda: os.environ.update({"PRIVATE_EXPERTS_REPLACE": "1"}),
}


@each("what", SEEN)
def test_every_change_that_may_ask_for_a_job_is_seen(what: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PRIVATE_EXPERTS_REPLACE", "0")
    settled.settle(settled.state())
    assert settled.is_settled(settled.state())
    SEEN[what]()
    assert not settled.is_settled(settled.state())


def test_what_no_run_reads_is_not_seen_and_what_changed_meanwhile_is_looked_at_again() -> None:
    before = settled.state()
    for name in ("src/__pycache__/a.pyc", ".git/index", ".snakemake/log/a.log", f"results/{run_lock.LOCK}"):
        Path(name).parent.mkdir(parents=True, exist_ok=True)
        Path(name).touch()
    assert settled.state() == before
    Path("src/a.py").write_text("two")  # while Snakemake looked; it is looked at again
    settled.settle(before)
    assert not settled.is_settled(before)
    assert not settled.is_settled(settled.state())


def test_each_study_and_each_source_of_data_is_settled_for_itself(project: Path) -> None:
    small = Path("config/smoke.yaml")
    Path("results/smoke").mkdir()
    Path("results/smoke/manifest.json").touch()
    for configfiles, data in (([small], None), ([], "synthetic"), ([], "my.csv")):
        assert not settled.is_settled(settled.state(configfiles, data))
        settled.settle(settled.state(configfiles, data), configfiles, data)
        assert settled.is_settled(settled.state(configfiles, data))
    assert not settled.is_settled(settled.state())
    outside = str(project.parent / "theirs.csv")
    Path(outside).write_text("one")
    before = settled.state(data=outside)
    keep_times(Path(outside))
    assert settled.state(data=outside) != before


@each(
    "changes",
    [
        {"pathvars": {"results": "../other"}},
        {"hospital": {"data": "../theirs.csv"}},
        {"pathvars": {"results": "results/never-made"}},
    ],
)
def test_files_that_are_not_seen_and_runs_that_did_not_end_settle_nothing(changes: object) -> None:
    Path("../other/manifest.json").touch()
    Path("mine.yaml").write_text(yaml.safe_dump(changes))
    mine = [Path("mine.yaml")]
    settled.settle(settled.state(mine), mine)
    assert not settled.is_settled(settled.state(mine))


def test_a_link_to_a_folder_elsewhere_settles_nothing_and_one_within_does_no_harm() -> None:
    Path("profiles").symlink_to("config")
    assert settled.state()
    Path("elsewhere").symlink_to("../other")
    assert settled.state() == ""
    settled.settle("")
    assert not settled.is_settled("")


def test_snakemake_is_not_asked_again_by_a_run_or_a_plan_but_with_other_options(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    runs: list[str] = []

    def note(what: str) -> bool:
        runs.append(what)
        return True

    monkeypatch.setattr(reproduce, "summary", lambda *_: note("summary"))
    monkeypatch.setattr(reproduce, "snakemake", lambda *_: note("run"))
    monkeypatch.setattr(plan, "_dry_run", lambda _: str(note("plan")))
    assert reproduce.main([]) == reproduce.main([]) == 0
    assert plan.plan_lines() == [plan.NOTHING]
    assert runs == ["run", "summary", "summary"]
    reproduce.main(["--configfile", "config/smoke.yaml"])  # another study
    reproduce.main(["--forceall"])
    Path("src/a.py").write_text("two")
    assert plan.plan_lines() == plan.plan_lines() == [plan.NOTHING]
    assert runs[3:] == ["run", "summary", "run", "summary", "plan"]


def test_what_a_run_lets_its_jobs_know_is_no_change(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (job_parent.VARIABLE, code_origin._VARIABLE):
        monkeypatch.setenv(name, "")  # put back in the end
        monkeypatch.delenv(name)
    before = settled.state()
    job_parent.mark()
    code_origin.mark()
    monkeypatch.setenv("PYTHONSAFEPATH", "1")
    settled.settle(before)
    assert settled.is_settled(before)


def test_a_run_that_fails_and_a_plan_with_jobs_settle_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reproduce, "snakemake", lambda *_: False)
    monkeypatch.setattr(plan, "_dry_run", lambda _: "rule games:\n    reason: Missing output files: a\n")
    assert reproduce.main([]) == 1
    assert plan.plan_lines()[0] == "1 jobs would run."
    assert not settled.is_settled(settled.state())
