"""A run as one zip: everything that its page links to, nothing about hospitals, and the same bytes again."""

import hashlib
import json
import os
import re
import shutil
import subprocess
import zipfile
from pathlib import Path
from typing import Any

import pytest
from rocrate.rocrate import ROCrate

from private_experts.errors import InputError
from private_experts.replication.report import bundle, crate
from private_experts.replication.workflow.cli import main
from tests.replication.report.test_crate import MANIFEST

ROOT = Path(__file__).parents[3]
LINKS = ("../results/claims/000/a.csv", "tables/table-2.csv", "../docs/map.md")
PAGE = "".join(f'<a href="{link}">it</a>' for link in LINKS)
LEFT = {  # by a run
    "paper/index.html": PAGE,
    "paper/tables/table-2.csv": "state\n",
    "results/claims.json": "{}",
    "results/verdicts.txt": "1 holds\n",
    "results/claims/000/a.csv": "value\n1\n",
    "results/hospital/reports.csv": "hospital_pk\n",
    "results/logs/page.log": "took 1.00 s\n",
}


def sums(*names: str) -> dict[str, dict[str, str]]:
    return {name: {"sha256": hashlib.sha256(LEFT[name].encode()).hexdigest()} for name in names}


@pytest.fixture
def project(tmp_path: Path) -> Path:
    for name in ("Snakefile", "pyproject.toml", "CITATION.cff", "README.md", "docs/map.md", "config/study.yaml"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    for name, text in LEFT.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    manifest: dict[str, Any] = MANIFEST | {
        "config": {"values": {"pathvars": {"paper": "paper"}}},
        "outputs": sums("paper/tables/table-2.csv"),
        "evidence": sums("results/claims.json", "results/claims/000/a.csv"),
    }
    (tmp_path / "results/manifest.json").write_text(json.dumps(manifest), encoding="utf-8")
    return tmp_path


def bundled(project: Path) -> Path:
    assert main(["bundle", "--root", str(project)]) == 0
    return project / "results/bundle.zip"


def test_links_of_the_page_work_where_it_is_unpacked(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    elsewhere = tmp_path_factory.mktemp("elsewhere")
    zipfile.ZipFile(bundled(project)).extractall(elsewhere)
    links = re.findall(r'href="([^"]+)"', (elsewhere / "paper/index.html").read_text(encoding="utf-8"))
    assert tuple(links) == LINKS
    assert [link for link in links if not (elsewhere / "paper" / link).resolve().is_file()] == []


def test_hospital_data_stays_out(project: Path) -> None:
    names = zipfile.ZipFile(bundled(project)).namelist()
    assert [name for name in names if "hospital" in name or name.endswith(".log")] == []


def test_it_reads_back_as_a_crate_that_has_all_its_files(project: Path) -> None:
    archive = bundled(project)
    read, names = ROCrate(archive), {*zipfile.ZipFile(archive).namelist()}
    assert {each.id for each in read.root_dataset["hasPart"]} == names - {crate.METADATA}
    run = read.root_dataset["mentions"]
    assert {each.id for each in run["result"]} == {
        *("paper/index.html", "paper/tables/table-2.csv"),
        *("results/claims.json", "results/claims/000/a.csv", "results/manifest.json", "results/verdicts.txt"),
    }
    assert read.get("README.md")["about"] is read.root_dataset


def test_the_same_results_make_the_same_bytes(project: Path) -> None:
    first = bundled(project).read_bytes()
    os.utime(project / "paper/index.html", (1, 1))
    assert bundled(project).read_bytes() == first
    (project / "README.md").write_text("another")
    assert bundled(project).read_bytes() != first


def test_the_crate_says_when_the_code_is_no_longer_that_of_the_run(project: Path) -> None:
    def git(*arguments: str) -> str:
        who = ("-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        return subprocess.run(
            ["git", "-C", project, *who, *arguments], check=True, capture_output=True, text=True
        ).stdout.strip()

    def told() -> str:
        with zipfile.ZipFile(bundled(project)) as archive:
            entities = json.loads(archive.read(crate.METADATA))["@graph"]
        (action,) = (each["description"] for each in entities if each["@id"] == "#run")
        return str(action)

    git("init", "--quiet")
    git("add", "Snakefile", "config", "README.md")
    git("commit", "--quiet", "--message", "a")
    record = project / "results/manifest.json"
    code = {"code": {"commit": git("rev-parse", "HEAD"), "dirty": False}}
    record.write_text(json.dumps(json.loads(record.read_text()) | code), encoding="utf-8")
    assert "changed since" not in told()
    with (project / "Snakefile").open("a", encoding="utf-8") as file:
        file.write("# changed")
    assert "changed since" in told()


def test_what_is_not_as_a_run_left_it_is_refused(project: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    def refused(said: str, results: Path = project / "results") -> None:
        with pytest.raises(InputError, match=said):
            bundle.write(project, results, project / "out.zip")
        assert not (project / "out.zip").exists()

    elsewhere = tmp_path_factory.mktemp("elsewhere") / "results"
    shutil.copytree(project / "results", elsewhere)
    refused("lies outside of", elsewhere)
    # A job that fails removes what it writes, and the run may have replaced what other jobs write.
    for name in ("results/claims/000/a.csv", "results/claims.json", "paper/tables/table-2.csv"):
        (project / name).write_text("changed\n")
        refused(f"{name}: is not as the run left it")
        (project / name).unlink()
        refused(f"{name}: is not as the run left it")
        (project / name).write_text(LEFT[name])
    for name in ("results/verdicts.txt", "paper/index.html"):
        (project / name).unlink()
        refused(f"{name}: no such file")
        (project / name).write_text(LEFT[name])
    (project / "results/manifest.json").unlink()
    refused("run make reproduce first")
