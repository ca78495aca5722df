"""The stage of a claim: from its check to its evidence and verdict on disk."""

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from private_experts.errors import InputError
from private_experts.replication.ledger import checking, timing
from private_experts.replication.ledger.evidence import Point
from private_experts.replication.plotting import figures
from private_experts.replication.report import claims_stages
from private_experts.replication.study.formats import EVIDENCE
from tests.each import each
from tests.replication.ledger.ledgers import entry


@pytest.fixture
def claims(tmp_path: Path) -> Any:
    """Return a function that writes claims to a file, by id and with what is changed of each."""

    def write(**changed: dict[str, Any]) -> dict[str, Any]:
        entries = [
            {"id": f"000/{name}", "check": "x:y", "grid": {"n": 2}} | changes
            for name, changes in changed.items()
        ]
        path = tmp_path / "000.yaml"
        path.write_text(yaml.safe_dump({"paper": "000", "claims": entries}), encoding="utf-8")
        return {"claims": [entry["id"] for entry in entries], "claim_files": [path]}

    return write


@pytest.fixture
def run(tmp_path: Path, claims: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that runs the stage on a check, and gives its evidence and verdict."""

    def of(check: Any, **options: Any) -> tuple[list[str], dict[str, Any]]:
        monkeypatch.setattr(checking, "imported_function", lambda name: check)
        evidence, verdict = tmp_path / "e.csv", tmp_path / "v.json"
        claims_stages.checks(**claims(x={"cap": 8}), evidence=[evidence], verdicts=[verdict], **options)
        record = json.loads(verdict.read_text())
        assert verdict.read_text() == json.dumps(record, indent=1) + "\n"
        return evidence.read_text().splitlines(), record

    return of


def test_a_figure_has_the_weeks_of_the_states_of_its_claims(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    drawing = SimpleNamespace(draw="x:y", claims=["000/x"], sampled=True, on_data=True)
    labels: list[tuple[str, bool]] = []
    monkeypatch.setattr(claims_stages, "drawings", lambda files, names: [drawing])
    monkeypatch.setattr(checking, "imported_function", lambda name: lambda tables: None)
    monkeypatch.setattr(figures, "save", lambda figure, stem, *label: labels.append(label))
    provenance = tmp_path / "provenance.json"
    label = {"label": "reports, 1 to 9 weeks by state, of NM", "kind": "file", "weeks": {"NM": 9, "OH": 1}}
    provenance.write_text(json.dumps(label), encoding="utf-8")
    rows = tmp_path / "000/x.csv"
    rows.parent.mkdir()
    for names, cells in (("state,", "NM,"), ("", "")):
        rows.write_text(f"{names}{','.join(EVIDENCE)}\n{cells}1,1,1,<=,1,1,1,holds\n", encoding="utf-8")
        claims_stages.claim_figures(["a"], [], tmp_path, 1, tmp_path, provenance)
    assert labels == [("reports, 9 weeks, of NM", False), ("reports, 1 to 9 weeks by state, of NM", False)]


def test_the_stage_gives_the_check_its_grid_its_repetitions_and_its_seed(run: Any) -> None:
    def check(grid: dict[str, Any], repetitions: int, seed: int) -> list[Point]:
        straddles = repetitions < 8
        return [Point({"n": grid["n"]}, 0.0, 1.0, -1.0, 2.0 if straddles else 0.5, notes={"seed": seed})]

    evidence, verdict = run(check, seed=11)
    assert evidence[0] == "n,value,low,high,sense,bound,margin_low,margin_high,verdict,seed"
    assert evidence[1] == "2,0.0,-1.0,0.5,<=,1.0,0.5,2.0,holds,11"
    assert len(evidence) == 2  # of the last experiment alone
    known = {"verdict": "holds", "repetitions": 8, "seed": 11, "points": 1, "margin": [0.5, 2.0]}
    assert verdict.items() >= known.items()
    assert verdict["worst"]["n"] == 2


def test_a_check_without_points_leaves_its_reason(run: Any) -> None:
    evidence, verdict = run(lambda grid, repetitions, seed: [], seed=1)
    assert verdict == {"verdict": "not run", "reason": "no point of the grid applies to this data"}
    assert evidence == ["reason", verdict["reason"]]
    _, verdict = run(lambda grid, repetitions, seed: [Point({"mu": float("inf")}, float("nan"), 1.0)], seed=1)
    assert (verdict["worst"]["mu"], verdict["worst"]["value"]) == ("inf", "nan")  # JSON has neither


def written(folder: Path, *names: str) -> dict[str, list[Path]]:
    suffixes = {"evidence": "csv", "verdicts": "json"}
    return {kind: [folder / f"{name}.{suffix}" for name in names] for kind, suffix in suffixes.items()}


def test_claims_that_share_a_job_do_not_see_each_other(
    tmp_path: Path, claims: Any, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    """Each one's evidence is what it would be alone, and the log says what each took."""

    def check(grid: dict[str, Any], repetitions: int, seed: int) -> list[Point]:
        grid["n"].append(1)  # a check that spoils what it is given
        return [Point({}, float(len(grid["n"])), 9.0)]

    monkeypatch.setattr(checking, "imported_function", lambda name: check)
    shared = {"grid": {"n": [1, 2]}}  # which the file has once
    codes = [tmp_path / "a.txt", tmp_path / "b.txt"]
    for number, code in enumerate(codes):
        code.write_text(str(number))
    claims_stages.checks(
        **claims(a=shared, b=shared), seed=1, check_code=codes, **written(tmp_path, "a", "b")
    )
    a, b = (json.loads((tmp_path / f"{name}.json").read_text()) for name in "ab")
    assert (a["worst"]["value"], b["worst"]["value"]) == (3.0, 3.0)
    assert a["fingerprint"] != b["fingerprint"]
    (tmp_path / "of.log").write_text(capfd.readouterr().err)
    assert [account.of for _, account in timing.read(tmp_path)] == ["000/a", "000/b"]


@each(
    ("names", "message"),
    [(["000/a"], "1 claims need as many files of evidence"), (["000/a", "000/c"], "there is no 000/c")],
)
def test_claims_that_do_not_fit_are_refused(
    names: list[str], message: str, tmp_path: Path, claims: Any
) -> None:
    with pytest.raises(InputError, match=message):
        claims_stages.checks(names, claims(a={}, b={})["claim_files"], seed=1, **written(tmp_path, "a", "b"))
    assert [path.name for path in tmp_path.iterdir()] == ["000.yaml"]


def test_a_check_that_refuses_its_grid_is_named_by_its_claim(
    tmp_path: Path, claims: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    def check(grid: dict[str, Any], repetitions: int, seed: int) -> list[Point]:
        raise InputError("n: too small")

    monkeypatch.setattr(checking, "imported_function", lambda name: check)
    with pytest.raises(InputError, match="000/b: n: too small"):
        claims_stages.checks(**claims(b={}), seed=1, **written(tmp_path, "b"))


def test_a_step_that_is_not_as_expected_ends_the_run_like_any_claim(tmp_path: Path) -> None:
    served = entry("000/a", rests_on=[])
    ledger, counts = tmp_path / "claims.json", tmp_path / "verdicts.txt"
    for expected, ends in (("fails", False), ("holds", True)):
        step = entry("000/step", "fails", expected, step_of="000/a", rests_on=[])
        ledger.write_text(json.dumps({"claims": [served, step]}), encoding="utf-8")
        if ends:
            said = r"1 did not come out as expected: 000/step \(fails, expected holds\)"
            with pytest.raises(InputError, match=said):
                claims_stages.verdicts(ledger, counts)
        else:
            claims_stages.verdicts(ledger, counts)
            assert "000: 1 claims: 1 holds; 0 not as expected; 1 steps below them" in counts.read_text()
