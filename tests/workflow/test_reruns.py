"""What is redone of results that came from elsewhere, and when nothing or a given file changed."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

from private_experts.replication.study.data import synthetic
from private_experts.replication.study.data.overwrite_guard import REPLACE_VARIABLE
from tests.workflow.conftest import (
    CODE,
    CONFIGS,
    ROOT,
    SNAKEMAKE,
    DryRun,
    Job,
    Plan,
    Project,
    before_any_run,
    copy_project,
    edited,
)
from tests.workflow.expected import (
    AFTER_DRAWN,
    AFTER_GAMES,
    CLAIM,
    EVERYTHING,
    LAST,
    LEARNED,
    PACKAGE,
    PLAYED,
    kind,
    of,
)


def test_the_study_of_these_tests_has_every_rule(everything: set[Job]) -> None:
    assert {kind(job) for job in everything} == {item for item in EVERYTHING if not isinstance(item, Job)}
    assert {job for job in everything if kind(job) == "checks"} == {*CLAIM.values()}


def test_snakemake_and_the_console_script_use_the_copys_package(project: Project) -> None:
    compiled = [path.name.partition(".")[0] for path in (project / PACKAGE).rglob("__pycache__/*.pyc")]
    assert {"stamps", "rw_meta"} <= set(compiled)  # the DAG imports the one, a job's console script the other
    with edited(project / PACKAGE / "replication/workflow/cli.py", 'prog=«PROGRAM→"the-copy"»,'):
        script = shutil.which("private-experts", path=str(Path(sys.executable).parent))
        assert script
        assert project.run(script, "--help").stdout.startswith("usage: the-copy")


def test_a_clone_with_results_and_stamps_redoes_what_a_later_edit_reaches_and_without_stamps_everything(
    finished: Path, tmp_path: Path, dry_run: DryRun, everything: set[Job]
) -> None:
    clone = copy_project(finished, tmp_path / "clone", ".snakemake")
    with edited(clone / PACKAGE / "algorithms/credited_leader.py", "self._round += «1→2»"):
        assert dry_run(clone) == of(everything, LEARNED | PLAYED | AFTER_GAMES)
        shutil.rmtree(clone / CODE)
        assert dry_run(clone) == everything


def test_an_intermediate_result_that_was_changed_is_refused_and_made_again_when_it_is_deleted(
    finished: Path, tmp_path: Path, dry_run: DryRun
) -> None:
    copy = copy_project(finished, tmp_path / "copy")
    for name in (
        "games/study/main/rw-ftpl.totals.csv",
        "hospital/reports.csv",
        "hospital/study/panels/NM.csv",
        "claims/000/lemma-3.json",
        "readings/weekly.csv",
        "paper/tables/table-2.csv",
    ):
        path = copy / "results/smoke" / name
        before = path.read_text()
        path.write_text(before.replace("1", "11", 1))
        done = copy.fork(*SNAKEMAKE[2:], "-n")
        assert done.returncode == 2
        assert done.stderr.splitlines()[-1] == (
            f"private-experts: results/smoke/{name}: is not what its job wrote; delete it, and the next "
            "run makes it again"
        )
        path.unlink()
        assert dry_run(copy)
        path.write_text(before)


def test_every_json_is_read_by_a_strict_parser(finished: Path) -> None:
    def refuse(constant: str) -> None:
        raise ValueError(constant)

    files = [*(finished / "results/smoke").rglob("*.json"), *(finished / "results/smoke").rglob("*.ipynb")]
    assert {"manifest.json", "claims.json", "provenance.json", "lemma-3.json"} <= {
        path.name for path in files
    }
    for path in files:
        json.loads(path.read_text(encoding="utf-8"), parse_constant=refuse)


def test_what_is_gone_is_made_again_with_what_rests_on_it(
    project: Project, dry_run: DryRun, everything: set[Job]
) -> None:
    removed = {
        "paper/tables/generality.md": {"generality"} | LAST,
        "claims/000/lemma-3.csv": {CLAIM["000/lemma-3"]} | AFTER_DRAWN,
        "claims/000/lemma-3.json": {CLAIM["000/lemma-3"]} | AFTER_DRAWN,
    }
    for name, jobs in removed.items():
        path = project / "results/smoke" / name
        content, times = path.read_bytes(), path.stat()
        path.unlink()
        found = dry_run(project)
        path.write_bytes(content)
        os.utime(path, ns=(times.st_atime_ns, times.st_mtime_ns))
        assert found == of(everything, jobs), name


def test_every_file_that_a_job_writes_is_asked_for(plan: Plan) -> None:
    """Snakemake makes an intermediate file that is gone only for a job that would run anyway."""
    others = [files for job, files in plan.items() if job != Job("all")]
    made = frozenset().union(*(files.outputs for files in others))
    assert len(made) > 100
    assert made <= plan[Job("all")].inputs


def test_results_of_another_config_without_the_records_of_their_run_are_refused(
    finished: Path, tmp_path: Path
) -> None:
    """Snakemake would keep them: it tells by its records alone which config a file is of."""
    copy = copy_project(finished, tmp_path / "copy", ".snakemake")
    done = copy.fork("-n", *SNAKEMAKE[2:], "--config", "seed=7")
    assert done.returncode == 2
    assert re.search(
        r"results/smoke/\S+ and \d+ more: may be of another seed than", done.stderr.splitlines()[-1]
    )
    shutil.copytree(finished / ".snakemake", copy / ".snakemake", dirs_exist_ok=True)
    assert copy.fork("-n", *SNAKEMAKE[2:], "--config", "seed=7").returncode == 0


def test_a_given_file_reruns_what_rests_on_it_when_its_content_changed_and_only_then(
    finished: Path, tmp_path: Path, dry_run: DryRun
) -> None:
    file = tmp_path / "reports.csv"
    table = synthetic.reports(("NM", "VT"), weeks=12, seed=1, hospitals={"NM": 12, "VT": 5})
    table.to_csv(file, index=False, float_format="%.10g")
    given = before_any_run(tmp_path / "project", finished)
    game = "results/smoke/games/study/main/yardsticks.totals.csv"
    named = {"hospital": {"data": str(file)}}
    (given / "mine.yaml").write_text(yaml.safe_dump(named))
    configs = ("--configfile", *CONFIGS, "mine.yaml")
    done = given.fork(game, "--no-hooks", *configs)
    assert done.returncode == 0, done.stderr
    assert '"kind": "file"' in (given / "results/smoke/hospital/provenance.json").read_text()

    os.utime(file)
    assert dry_run(given, game, config=named) == set()
    file.write_text(file.read_text().replace("SYNTHETIC HOSPITAL", "HOSPITAL"))
    rerun = {
        Job("reports"),
        Job("panels", "scenario=study"),
        Job("games", "scenario=study, part=main, algorithm=yardsticks"),
    }
    for files in (configs, ("--configfile", *CONFIGS)):  # another content, and synthetic data
        refused = given.fork(game, "-n", *files)
        assert refused.returncode == 2
        looked = given.fork("--list-rules", *files)
        assert looked.returncode == 0, "it makes no results"
        line = refused.stderr.splitlines()[-1]
        assert line.startswith("private-experts: results/smoke: the results here were computed from THE FILE")
    given.environment[REPLACE_VARIABLE] = "1"
    assert dry_run(given, game, config=named) == rerun


def test_the_default_profile_is_found(project: Project, dry_run: DryRun, tmp_path: Path) -> None:
    tracked = subprocess.run(["git", "ls-files", "-s"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert "\n120000 " not in tracked.stdout  # a link that is checked out as a text file is none
    # A copy's profile forbids to compare contents, so a touched file counts as changed exactly when it is
    # read.
    copy = copy_project(project.root, tmp_path / "copy")
    os.utime(copy / "results/smoke/hospital/reports.csv")
    assert dry_run(copy) == set()
    profile = copy / "profiles/default/config.yaml"
    profile.write_text(profile.read_text(encoding="utf-8").replace("2GB", "0"))
    assert dry_run(copy) != set()
