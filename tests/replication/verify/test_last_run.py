"""What the reader's commands know of the last run; without a run that is nothing, and they say so."""

import json
from pathlib import Path
from typing import Any

import pytest

from private_experts.errors import InputError
from private_experts.replication.ledger.yaml_text import load_yaml
from private_experts.replication.study.players import report_noise_files
from private_experts.replication.verify.last_run import SEED, LastRun
from tests.replication.ledger.ledgers import KNOWN

REPORT_NOISE = KNOWN.claims["000/recorded-noise"]
ON_DATA, ON_TABLE = KNOWN.claims["000/proxy-law-hospital"], KNOWN.claims["000/table-2-values"]


def left(root: Path, name: str, content: Any) -> None:
    (root / "results" / name).parent.mkdir(parents=True, exist_ok=True)
    (root / "results" / name).write_text(content if isinstance(content, str) else json.dumps(content))


def test_without_a_run_nothing_is_known_and_the_seed_is_that_of_the_study(tmp_path: Path) -> None:
    run = LastRun(tmp_path, tmp_path / "results")
    assert (run.seed, run.quick, run.entries) == (SEED, False, {})
    with pytest.raises(InputError, match="needs hospital data"):
        run.inputs_of(ON_DATA)
    study = Path(__file__).parents[3] / "config/study.yaml"
    assert load_yaml(study.read_text(encoding="utf-8"))["seed"] == SEED
    left(tmp_path, "manifest.json", {"config": {"values": {"seed": 5, "evidence": {"quick": True}}}})
    run = LastRun(tmp_path, tmp_path / "results")
    assert (run.seed, run.quick, run.pinned) == (5, True, True)
    for kind, pinned in (("pinned", True), ("file", False)):
        left(tmp_path, "manifest.json", {"data": {"kind": kind}})
        assert LastRun(tmp_path, tmp_path / "results").pinned is pinned


def test_it_gives_a_claim_the_results_that_it_rests_on(tmp_path: Path) -> None:
    values = {"hospital": {"states": ["NM"]}, "pathvars": {"paper": "results/paper"}}
    left(tmp_path, "manifest.json", {"config": {"values": values}})
    run = LastRun(tmp_path, tmp_path / "results")
    left(tmp_path, "hospital/provenance.json", {})
    with pytest.raises(InputError, match=r"NM\.csv is missing"):
        run.inputs_of(ON_DATA)
    left(tmp_path, "hospital/study/panels/NM.csv", "week\n")
    left(tmp_path, "paper/tables/table-2.csv", "state\n")
    assert [path.name for path in run.inputs_of(ON_DATA)["panels"]] == ["NM.csv"]
    assert run.inputs_of(ON_TABLE)["table"] == tmp_path / "results/paper/tables/table-2.csv"
    missing = r"(central-learners|rw-ftpl)\.report-noise\.csv is missing"
    with pytest.raises(InputError, match=missing):
        run.inputs_of(REPORT_NOISE)
    for path in report_noise_files(Path(), ["NM"]):
        left(tmp_path, str(path), "state\n")
    assert run.inputs_of(REPORT_NOISE)["report_noise"] == report_noise_files(tmp_path / "results", ["NM"])
    assert run.inputs_of(KNOWN.claims["000/tree-nodes"]) == {}
