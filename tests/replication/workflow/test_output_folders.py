"""Where a run may write: nothing of the project's own or of the study is overwritten unawares."""

import re
import subprocess
from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.ledger.yaml_text import load_yaml
from private_experts.replication.workflow.config import laid_over
from private_experts.replication.workflow.output_folders import SOURCES, check
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


OURS = ("/", ".", "..", "results/..", "../project", "src", "src/mine", ".git", ".venv/x", "docs", "link")


@each("folder", OURS)
@each("name", ["results", "paper", "logs", "downloads"])
def test_the_projects_own_files_are_no_place_for_results(project: Path, name: str, folder: str) -> None:
    with pytest.raises(InputError, match=f"config: pathvars.{name}: {folder} is the project"):
        check(config(pathvars={name: folder}), project, {})


def test_every_folder_of_the_project_is_known_as_its_own() -> None:
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    folders = {*re.findall(r"^([^./][^/\n]*)/", listed, re.MULTILINE)}
    assert folders - {"results", "paper"} == {*SOURCES}


def test_folders_as_the_projects_configs_have_them_are_allowed(project: Path, tmp_path: Path) -> None:
    for pathvars in (
        load_yaml((ROOT / "config/smoke.yaml").read_text(encoding="utf-8"))["pathvars"],
        MINE,
        MINE | {"downloads": "results/mine/downloads"},
        {"results": "results/mine", "paper": "results/other/paper", "logs": "results/other/logs"},
    ):
        check(config(pathvars=pathvars), project, {})

    # the study's own may be links to another disk
    (project / "paper").rename(tmp_path / "disk")
    (project / "paper").symlink_to(tmp_path / "disk")
    check(config(), project, {})


def test_a_config_of_ones_own_does_not_overwrite_the_study(project: Path) -> None:
    message = (
        r"config: hospital.states is not as in config/study.yaml, and the run would overwrite the study's "
        r"results \(pathvars.logs: results/logs\); add pathvars: \{results: results/mine, "
    )
    other = {"hospital": {"states": ["VT"]}}
    with pytest.raises(InputError, match=message):
        check(config(**other), project, {})
    with pytest.raises(InputError, match=r"seed .* \(pathvars.paper: paper\)"):
        check(config(seed=7, pathvars=MINE | {"paper": "paper"}), project, {"PRIVATE_EXPERTS_REPLACE": "0"})
    check(config(**other), project, {"PRIVATE_EXPERTS_REPLACE": "1"})
    check(config(**other, pathvars=MINE), project, {})
    check(config(), project, {})
    check(config(hospital={"data": "reports.csv"}), project, {})  # the overwrite guard looks at these
    study = project / "config/study.yaml"
    study.write_text(study.read_text().replace("seed: 2026", "seed: 7"))
    check(config(seed=7), project, {})  # the study itself is another one now
