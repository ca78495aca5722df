"""The last words of a run."""

import json
from pathlib import Path

import pytest

from private_experts.replication.files import sha256
from private_experts.replication.report import summary
from private_experts.replication.workflow import run_stages
from tests.each import each


def test_summary_says_the_data_its_shape_and_where_things_lie():
    manifest = {
        "config": {"values": {"pathvars": {"paper": "results/smoke/paper"}}},
        "data": {"kind": "synthetic", "label": "SYNTHETIC DATA (seed 1)", "shape": ["NM: 30 weeks"]},
        "outputs": {"paper/tables/table-2.csv": {}, "paper/tables/table-2.md": {}, "paper/figures/figure-2.pdf": {}},
    }
    lines = summary.lines(manifest)
    assert lines[0] == "Page:     results/smoke/paper/index.html"
    said = "\n".join(lines)
    assert "SYNTHETIC DATA (seed 1)" in said
    assert "HHS_FACILITY_CSV" in said
    assert "NM: 30 weeks" in said
    assert "paper/tables/  (table-2)" in said
    assert "HHS_FACILITY_CSV" not in "\n".join(summary.lines(manifest | {"data": {"kind": "file", "label": "x"}}))


NAMES = ["paper/a.csv", "paper/b.csv", "paper/c.csv"]


@pytest.fixture
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("paper").mkdir()
    Path("results/hospital").mkdir(parents=True)
    for name in NAMES:
        Path(name).write_text("one")
    manifest = {
        "config": {"values": {"pathvars": {"paper": "paper"}}},
        "data": {"kind": "file", "label": "HHS reports"},
        "outputs": {name: {"sha256": sha256(Path(name))} for name in NAMES},
    }
    Path("results/manifest.json").write_text(json.dumps(manifest))
    return Path("results")


def test_products_of_two_runs_side_by_side_are_told_apart(results: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert summary.unfinished(results) == summary.unfinished(Path("elsewhere")) == []
    Path(NAMES[1]).write_text("two")
    Path(NAMES[2]).unlink()
    said = "Since the last run that ended, on HHS reports, 1 of 3 products were replaced and 1 removed"
    assert summary.unfinished(results) == [said]
    (results / "hospital/provenance.json").write_text('{"kind": "synthetic", "label": "SYNTHETIC DATA"}')
    assert summary.unfinished(results) == [f"{said}; what is new rests on SYNTHETIC DATA"]
    run_stages.summary(results / "manifest.json")
    assert capsys.readouterr().out.splitlines()[-1].startswith(said)


@each("content", ["", "[]", "{}", '{"data": 1, "outputs": {}}', '{"data": {"label": ""}, "outputs": 3}'])
def test_a_damaged_manifest_tells_nothing(content: str, results: Path) -> None:
    (results / "manifest.json").write_text(content)
    assert summary.unfinished(results) == []
