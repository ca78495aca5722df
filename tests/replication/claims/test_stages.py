"""The stage of a claim: from its check to its evidence and verdict on disk."""

import json
from pathlib import Path
from typing import Any

import pytest

from private_experts.replication.claims import checking, stages
from private_experts.replication.claims.evidence import NotRunError, Point, decide
from tests.each import each


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that runs the stage on a check, and gives its evidence and verdict."""

    def of(check: Any, **options: Any) -> tuple[list[str], dict[str, Any]]:
        monkeypatch.setattr(checking, "named", lambda name: check)
        evidence, verdict = tmp_path / "e.csv", tmp_path / "v.json"
        stages.claim(
            check="x:y", grid='{"n": 2}', evidence=evidence, verdict=verdict, **{"repetitions": 2, "cap": 8} | options
        )
        return evidence.read_text().splitlines(), json.loads(verdict.read_text())

    return of


def test_the_stage_gives_the_check_its_grid_its_repetitions_and_its_seed(run: Any) -> None:
    def check(grid: dict[str, Any], repetitions: int, seed: int) -> list[Point]:
        straddles = repetitions < 8
        return [Point({"n": grid["n"]}, 0.0, 1.0, -1.0, 2.0 if straddles else 0.5, notes={"seed": seed})]

    evidence, verdict = run(check, seed=11)
    assert evidence[0] == "n,value,low,high,sense,bound,margin_low,margin_high,verdict,seed"
    assert evidence[1] == "2,0.0,-1.0,0.5,<=,1.0,0.5,2.0,holds,11"
    assert len(evidence) == 2  # of the last experiment alone
    assert (verdict["verdict"], verdict["repetitions"], verdict["seed"], verdict["points"]) == ("holds", 8, 11, 1)
    assert verdict["margin"] == [0.5, 2.0]
    assert verdict["worst"]["n"] == 2


def test_what_json_cannot_say_is_told_as_text(run: Any) -> None:
    _, verdict = run(lambda grid, repetitions, seed: [Point({"mu": float("inf")}, float("nan"), 1.0)], seed=1)
    assert verdict["verdict"] == "undecided"
    assert (verdict["worst"]["mu"], verdict["worst"]["value"]) == ("inf", "nan")


def test_a_check_that_cannot_be_run_leaves_its_reason(run: Any) -> None:
    def check(grid: dict[str, Any], repetitions: int, seed: int) -> list[Point]:
        raise NotRunError("too few weeks")

    evidence, verdict = run(check, seed=1)
    assert evidence == ["reason", "too few weeks"]
    assert verdict == {"verdict": "not run", "reason": "too few weeks"}


def test_a_check_without_points_is_not_run_and_no_traceback(run: Any) -> None:
    assert decide([]) == "undecided"
    _, verdict = run(lambda grid, repetitions, seed: [], seed=1)
    assert verdict["verdict"] == "not run"
    assert verdict["reason"]


@each("kind", ["synthetic", "file"])
def test_a_claim_about_real_data_is_not_run_on_synthetic_data(kind: str, run: Any, tmp_path: Path) -> None:
    provenance = tmp_path / "provenance.json"
    provenance.write_text(json.dumps({"kind": kind, "label": "a label"}))
    _, verdict = run(
        lambda grid, repetitions, seed: [Point({}, 0.0, 1.0)], seed=1, provenance=provenance, real_data_only=True
    )
    assert verdict["verdict"] == ("not run" if kind == "synthetic" else "holds")
