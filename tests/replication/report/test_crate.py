"""A run as an RO-Crate: the library that wrote it reads it back, and every file is there with its checksum."""

import hashlib
import json
from pathlib import Path
from typing import Any

import pytest
from rocrate.rocrate import ROCrate

from private_experts.replication.report import citation, crate

ROOT = Path(__file__).parents[3]
MANIFEST: dict[str, Any] = {
    "code": {"commit": "0123abc", "dirty": True},
    "data": {"kind": "file", "name": "export.csv", "sha256": "00ff", "label": "HHS hospital reports (export.csv)"},
    "machine": {"python": "3.12.1", "system": "Linux", "cores": 2, "packages": {"snakemake": "9.20.0"}},
    "seeds": {"study": 2026},
}
TEXTS = {"Snakefile": "rule all:\n", "config/study.yaml": "seed: 1\n", "paper/claims.csv": "id\n", "page.html": "<p>"}
SOURCES = ("Snakefile", "config/study.yaml")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in TEXTS.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / crate.METADATA).write_text(json.dumps(metadata(tmp_path)), encoding="utf-8")
    return tmp_path


def metadata(folder: Path, **changes: Any) -> dict[str, Any]:
    cited, _ = citation.read(ROOT)
    return crate.described({name: folder / name for name in TEXTS}, SOURCES, MANIFEST | changes, cited, 1_790_000_000.5)


def test_it_reads_back_with_the_workflow_its_run_all_files_and_what_is_known(folder: Path) -> None:
    read = ROCrate(folder)
    assert read.mainEntity.id == crate.WORKFLOW
    assert read.mainEntity["programmingLanguage"]["version"] == "9.20.0"
    run = read.root_dataset["mentions"]
    assert run["instrument"] is read.mainEntity
    assert {each.id for each in run["result"]} == TEXTS.keys() - {*SOURCES}
    assert {each.id for each in run["object"]} == {"config/study.yaml", "#hospital-reports", "#seed-of-the-run"}
    assert {each.id for each in read.root_dataset["hasPart"]} == TEXTS.keys()
    for name in TEXTS.keys() - {crate.WORKFLOW}:
        content = (folder / name).read_bytes()
        assert read.get(name)["sha256"] == hashlib.sha256(content).hexdigest()
        assert read.get(name)["contentSize"] == str(len(content))
    assert run["endTime"] == "2026-09-21T14:13:20+00:00"
    assert "commit 0123abc, changed since" in run["description"]
    assert {"startTime", "agent"}.isdisjoint(run.properties())  # which are not known
    assert read.get("#hospital-reports")["sha256"] == "00ff"
    assert read.get("#seed-of-the-run")["value"] == "2026"
    profiles = ["Process Run Crate", "Workflow Run Crate", "Workflow RO-Crate"]
    assert [each["name"] for each in read.root_dataset["conformsTo"]] == profiles
    titles = [each["title"] for each in citation.read(ROOT)[0]["references"]]
    assert [each["name"] for each in read.root_dataset["citation"]] == titles


def test_every_entity_that_is_referred_to_is_described(folder: Path) -> None:
    graph = metadata(folder)["@graph"]
    known = {each["@id"] for each in graph}
    outside = ("https://w3id.org/", "https://bioschemas.org/", "https://doi.org/", "https://snakemake.readthedocs.io")

    def referred(value: Any) -> list[str]:
        if isinstance(value, dict) and {*value} == {"@id"}:
            return [value["@id"]]
        inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else []
        return [name for each in inner for name in referred(each)]

    names = {name for entity in graph for name in referred([each for key, each in entity.items() if key != "@id"])}
    assert [name for name in names - known if not name.startswith(outside)] == []


def test_the_same_run_has_the_same_metadata(folder: Path) -> None:
    assert json.dumps(metadata(folder)) == json.dumps(metadata(folder))


def test_synthetic_data_has_no_file_to_name(folder: Path) -> None:
    made_up = {"kind": "synthetic", "label": "SYNTHETIC DATA (seed 1)"}
    entity = next(each for each in metadata(folder, data=made_up)["@graph"] if each["@id"] == "#hospital-reports")
    assert entity == {"@id": "#hospital-reports", "@type": "CreativeWork", "name": "SYNTHETIC DATA (seed 1)"}
