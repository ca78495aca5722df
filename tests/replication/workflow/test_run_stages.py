"""What the manifest of a run says beside the checksums."""

import json
from pathlib import Path

import pytest

from private_experts.replication.report import job_record
from private_experts.replication.report import manifest as report
from private_experts.replication.study.formats import QUALITY
from private_experts.replication.workflow.run_stages import manifest


def test_it_says_how_panels_differ_from_the_papers_and_has_each_definition_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(report, "collect", lambda *words: {"data": {}})
    monkeypatch.setattr(job_record, "refuse_changes", lambda *folders: None)
    shapes = {"NM": (148, 24, 5.0, 9.0), "PA": (94, 146, 4.0, 12.0), "CA": (148, 293, 6.0, 11.0)}
    names = ("weeks", "hospitals", "smallest_beds_least", "smallest_beds_most")
    rows = [{"state": state} | dict(zip(names, shape, strict=True)) for state, shape in shapes.items()]
    cells = [",".join(str(row.get(name, 0)) for name in QUALITY) for row in rows]
    for name, text in {
        "quality.csv": "\n".join([",".join(QUALITY), *cells, ""]),
        "ledger.json": '{"claims": []}',
        "provenance.json": "{}",
        "a.txt": "b 2\na 1\n",
        "b.txt": "b 2\nc 3\n",
    }.items():
        (tmp_path / name).write_text(text)
    config = {"pathvars": dict.fromkeys(("logs", "results", "paper"), str(tmp_path))}
    given = [tmp_path / name for name in ("provenance.json", "quality.csv", "ledger.json")]
    stamps = [tmp_path / "a.txt", tmp_path / "b.txt"]
    written = {name.partition(".")[0]: tmp_path / name for name in ("manifest.json", "definitions.txt")}
    manifest(config, *given[:2], [*shapes], given[2], tmp_path, [], [], stamps, **written)
    shape, beds = json.loads((tmp_path / "manifest.json").read_text())["data"]["shape"]
    assert shape.startswith("PA: 94 weeks and 146 hospitals, the paper has 148 and 146")
    assert beds.startswith("smallest bed count of a week: 4.0 to 12.0, the paper has 4.3 to 14.6")
    assert (tmp_path / "definitions.txt").read_text() == "a 1\nb 2\nc 3\n"
