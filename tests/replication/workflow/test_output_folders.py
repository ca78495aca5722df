"""Where a run may write: nothing of the project's own, of other people, or of the study is overwritten unawares."""

import json
import subprocess
from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.workflow.config import laid_over
from private_experts.replication.workflow.output_folders import SOURCES, check
from private_experts.replication.yaml_text import load_yaml
from tests.each import each

ROOT = Path(__file__).parents[3]
STUDY = load_yaml((ROOT / "config/study.yaml").read_text(encoding="utf-8"))
MINE = {"results": "results/mine", "paper": "results/mine/paper", "logs": "results/mine/logs"}


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    home = tmp_path / "project"
    (home / "config").mkdir(parents=True)
    (home / "config/study.yaml").write_text((ROOT / "config/study.yaml").read_text(encoding="utf-8"))
    (home / "link").symlink_to(home / "claims")
    (home / "paper").mkdir()
    (home / "paper/report.tex").touch()
    monkeypatch.chdir(home)
    return home


def config(**changes: object) -> dict[str, object]:
    return laid_over(STUDY, changes)


@each("folder", ["/", ".", "..", "results/..", "../project", "src", "src/mine", ".git", ".venv/x", "docs", "link"])
@each("name", ["results", "paper", "logs", "resources"])
def test_the_projects_own_files_are_no_place_for_results(project: Path, name: str, folder: str) -> None:
    with pytest.raises(InputError, match=f"config: pathvars.{name}: {folder} (is|lies|has)"):
        check(config(pathvars={name: folder}), project, {})


@each("name", ["results", "paper", "logs", "resources"])
@each("folder", ["requirements.lock", "Makefile/x", "Makefile/x/y", "/dev/null", "/dev/null/x"])
def test_a_file_is_no_folder(project: Path, name: str, folder: str) -> None:
    for file in ("requirements.lock", "Makefile"):
        (project / file).touch()
    said = (
        f"^config: pathvars.{name}: {folder} cannot be a folder, for .* is a file; write a folder such as results/mine$"
    )
    with pytest.raises(InputError, match=said):
        check(config(pathvars={name: folder}), project, {})


def test_every_folder_of_the_project_is_known_as_its_own() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    folders = {line.partition("/")[0] for line in listed.splitlines() if "/" in line and not line.startswith(".")}
    assert folders - {"results", "paper"} == {*SOURCES}


def test_a_folder_with_other_peoples_files_is_refused_and_one_of_an_earlier_run_is_not(
    project: Path, tmp_path: Path
) -> None:
    site = tmp_path / "site"
    there = config(pathvars=MINE | {"paper": str(site)})
    check(there, project, {})
    site.mkdir()
    check(there, project, {})
    (site / "index.html").write_text("mine")
    with pytest.raises(InputError, match="has files in it that no run has made"):
        check(there, project, {})
    (site / "data.json").write_text('{"kind": "file", "label": "HHS"}')
    check(there, project, {})


def test_a_lock_alone_does_not_make_other_peoples_files_those_of_a_run(project: Path, tmp_path: Path) -> None:
    site, code = tmp_path / "site", tmp_path / "site/code"
    there = config(pathvars=MINE | {"results": str(site), "paper": str(site / "paper")})
    site.mkdir()
    (site / ".lock").write_text("7")
    check(there, project, {})  # of a run that was killed at once
    (site / "thesis.txt").write_text("mine")
    with pytest.raises(InputError, match=f"results: {site} has files in it that no run has made"):
        check(there, project, {})
    code.mkdir()
    (code / "replication.study.own_counts.own_counts.txt").touch()
    check(there, project, {})  # of one that was killed later


@each(
    ("changes", "said"),
    [
        ({"results": "paper", "paper": "results"}, "paper: results is the folder of results"),
        ({"results": "paper"}, "results: paper is the folder of paper"),
        ({"paper": "results"}, "paper: results is the folder of results"),
        ({"results": "out", "paper": "out"}, "paper: out is the folder of results"),
        ({"results": "out", "paper": "./out/../out"}, "paper: ./out/../out is the folder of results"),
        ({"results": "mine", "resources": "mine"}, "resources: mine is the folder of results"),
        ({"resources": "results/smoke"}, "resources: results/smoke lies in the folder of results"),
        ({"paper": "results/hospital"}, "paper: results/hospital lies in the folder of results"),
        ({"results": "paper/mine"}, "results: paper/mine lies in the folder of paper"),
        ({"paper": "paper/tables"}, "paper: paper/tables lies in the folder of paper"),
        ({"logs": "paper/logs"}, "logs: paper/logs lies in the folder of paper"),
        ({"results": "results/logs/mine"}, "results: results/logs/mine lies in the folder of logs"),
        ({"resources": "out", "results": "out/mine"}, "results: out/mine lies in the folder of resources"),
    ],
)
def test_folders_whose_files_would_mix_are_refused(project: Path, changes: dict[str, str], said: str) -> None:
    with pytest.raises(InputError, match=rf"^config: pathvars\.{said}.*would mix; write .* such as results/mine.*$"):
        check(config(pathvars=changes), project, {})
    (project / "config/study.yaml").write_text(json.dumps(config(pathvars=changes)))  # nor when the study says so
    with pytest.raises(InputError, match="would mix"):
        check(config(pathvars=changes), project, {})


def test_folders_as_the_projects_configs_have_them_are_allowed(project: Path) -> None:
    for pathvars in (
        load_yaml((ROOT / "config/smoke.yaml").read_text(encoding="utf-8"))["pathvars"],
        MINE,
        MINE | {"resources": "results/mine/resources"},
        {"results": "results/mine", "paper": "results/other/paper", "logs": "results/other/logs"},
    ):
        check(config(pathvars=pathvars), project, {})


def test_logs_are_not_written_among_other_peoples_files(project: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"config: pathvars\.logs: /etc has files in it that no run has made"):
        check(config(pathvars={"logs": "/etc"}), project, {})
    logs, site = tmp_path / "logs", tmp_path / "site"
    (site / "logs").mkdir(parents=True)
    (site / "logs/a.log").touch()
    (site / "code").mkdir()
    (site / "code/replication.study.own_counts.own_counts.txt").touch()
    (site / ".lock").touch()
    check(config(pathvars={"results": str(site), "logs": str(site / "logs")}), project, {})  # of an earlier run
    logs.mkdir()
    check(config(pathvars={"results": str(site), "logs": str(logs)}), project, {})


def test_the_studys_own_folders_may_be_links_to_another_disk(project: Path, tmp_path: Path) -> None:
    (project / "paper").rename(tmp_path / "disk")
    (project / "paper").symlink_to(tmp_path / "disk")
    check(config(), project, {})


def test_a_home_is_not_what_a_folder_begins_with(project: Path) -> None:
    with pytest.raises(InputError, match=r"results: ~/mine would be a folder of that name here; write the path"):
        check(config(pathvars=MINE | {"results": "~/mine"}), project, {})


def test_a_config_of_ones_own_does_not_overwrite_the_study(project: Path) -> None:
    said = (
        r"config: hospital.states is not as in config/study.yaml, and the run would overwrite the study's results "
        r"\(pathvars.logs: results/logs\); add pathvars: \{results: results/mine, "
    )
    other = {"hospital": {"states": ["VT"]}}
    with pytest.raises(InputError, match=said):
        check(config(**other), project, {})
    with pytest.raises(InputError, match=r"seed .* \(pathvars.paper: paper\)"):
        check(config(seed=7, pathvars=MINE | {"paper": "paper"}), project, {"PRIVATE_EXPERTS_REPLACE": "0"})
    check(config(**other), project, {"PRIVATE_EXPERTS_REPLACE": "1"})
    check(config(**other, pathvars=MINE), project, {})
    check(config(), project, {})
    check(config(hospital={"source": "file", "file": "reports.csv"}), project, {})  # the overwrite guard looks at these
    study = project / "config/study.yaml"
    study.write_text(study.read_text().replace("seed: 2026", "seed: 7"))
    check(config(seed=7), project, {})  # the study itself is another one now
