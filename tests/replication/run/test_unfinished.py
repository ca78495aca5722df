"""Products of two runs side by side are told apart."""

import json
from pathlib import Path

import pytest

from private_experts.errors import InputError
from private_experts.replication.files import sha256
from private_experts.replication.run.stages import summary
from private_experts.replication.run.unfinished import lines

NAMES = ["paper/a.csv", "paper/b.csv", "paper/c.csv"]


@pytest.fixture
def results(tmp_path: Path) -> Path:
    """Return the folder of results of a run that ended."""
    for name in NAMES:
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text("one")
    told = {name: {"bytes": 3, "sha256": sha256(tmp_path / name)} for name in NAMES}
    (tmp_path / "results/hospital").mkdir(parents=True)
    provenance(tmp_path, "HHS reports")
    manifest = {"data": {"kind": "file", "label": "HHS reports"}, "outputs": told}
    (tmp_path / "results/manifest.json").write_text(json.dumps(manifest))
    return tmp_path / "results"


def provenance(root: Path, label: str) -> None:
    (root / "results/hospital/provenance.json").write_text(json.dumps({"kind": "file", "label": label}))


def test_after_a_run_that_ended_there_is_nothing_to_tell(results: Path, tmp_path: Path) -> None:
    assert lines(results, tmp_path) == []
    assert lines(tmp_path / "elsewhere", tmp_path) == []


def test_what_a_later_run_replaced_and_removed_is_named_with_its_data(results: Path, tmp_path: Path) -> None:
    provenance(tmp_path, "SYNTHETIC DATA")
    (tmp_path / NAMES[1]).write_text("two")
    (tmp_path / NAMES[2]).unlink()
    assert lines(results, tmp_path) == [
        "A later run has begun to replace these 3 products, and has not ended:",
        "  1 of the later run, on SYNTHETIC DATA: paper/b.csv",
        "  1 gone: paper/c.csv",
        "  1 of the last run that ended, on HHS reports: paper/a.csv",
    ]


def test_on_the_same_data_a_later_run_is_not_told_from_a_person(results: Path, tmp_path: Path) -> None:
    (tmp_path / NAMES[0]).write_text("other")
    assert lines(results, tmp_path)[:2] == [
        "A later run that has not ended, or somebody, changed some of these 3 products:",
        "  1 changed: paper/a.csv",
    ]


@pytest.mark.parametrize(
    "content", ["", "[]", "{}", '{"data": 1, "outputs": {}}', '{"data": {"label": ""}, "outputs": 3}']
)
def test_a_damaged_manifest_is_refused_in_one_line(content: str, results: Path, tmp_path: Path) -> None:
    (results / "manifest.json").write_text(content)
    with pytest.raises(InputError, match=r"manifest\.json: "):
        lines(results, tmp_path)


def test_the_summary_ends_with_it(results: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys) -> None:
    manifest = json.loads((results / "manifest.json").read_text())
    manifest["config"] = {"values": {"pathvars": {"paper": "paper"}}}
    (results / "manifest.json").write_text(json.dumps(manifest))
    monkeypatch.chdir(tmp_path)
    summary(Path("results/manifest.json"))
    assert "A later run" not in capsys.readouterr().out
    provenance(tmp_path, "SYNTHETIC DATA")
    Path(NAMES[0]).write_text("two")
    summary(Path("results/manifest.json"))
    assert capsys.readouterr().out.endswith(
        "  2 of the last run that ended, on HHS reports: paper/b.csv, paper/c.csv\n"
    )
