"""The ledger as people read it: counts, rows, and Markdown that no statement can break."""

import json
from pathlib import Path
from typing import Any

import pytest

from private_experts.replication.claims import stages
from private_experts.replication.claims.evidence import NotRunError, Point, decide
from private_experts.replication.claims.terminal import counts, markdown, rows


def entry(name: str, verdict: str, expected: str | None = "holds", **more: Any) -> dict[str, Any]:
    return {
        "id": name,
        "paper": name.partition("/")[0],
        "place": "Lemma 1",
        "standing": ["FOUND", "DERIVED"],
        "kind": "exact",
        "statement": "One is one.",
        "verdict": verdict,
        "expected": expected,
        "as_expected": expected is None or verdict in (expected, "not run"),
        **more,
    }


LEDGER = [
    entry("001/c", "undecided"),
    entry("000/a", "holds"),
    entry("000/b", "holds", None),
    entry("000/c", "fails", "fails"),
    entry("000/d", "fails"),
    entry("000/e", "not run", None, reason="synthetic data"),
]


def test_verdicts_are_counted_by_paper_in_one_line_each() -> None:
    assert counts(LEDGER) == [
        "paper 000: 5 claims: 2 holds, 2 fails, 1 not run; 1 otherwise than expected; 2 observed without expectation",
        "paper 001: 1 claims: 1 undecided; 1 otherwise than expected",
    ]


def test_the_counts_of_verdicts_add_up_to_the_claims() -> None:
    for line in counts(LEDGER):
        total, said = line.split(" claims: ")
        verdicts = said.partition(";")[0].split(", ")
        assert sum(int(each.partition(" ")[0]) for each in verdicts) == int(total.split()[-1])


def test_a_row_is_flat_and_has_the_margin_in_two_columns() -> None:
    (row,) = rows([entry("000/a", "holds", margin=[0.25, 0.5], points=4, repetitions=100)])
    assert (row["margin_low"], row["margin_high"]) == (0.25, 0.5)
    assert (row["points"], row["repetitions"], row["standing"], row["reason"]) == (4, 100, "FOUND DERIVED", "")
    assert not any(isinstance(value, list | dict) for value in row.values())


def test_a_row_of_a_claim_that_was_not_run_has_the_reason_and_no_margin() -> None:
    (row,) = rows([entry("000/e", "not run", None, reason="synthetic data")])
    assert (row["margin_low"], row["margin_high"], row["points"]) == ("", "", 0)
    assert (row["reason"], row["expected"]) == ("synthetic data", "")


def table(text: str) -> list[list[str]]:
    """Read the cells of the Markdown table, its head and rule aside."""
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.replace("\\|", "\0").strip("|").split("|")] for line in lines[2:]]


def test_every_claim_has_one_line_of_five_cells_whatever_its_words() -> None:
    statement = "P(|X| > x)\nis at most\n  2 | 3"
    nearest = {"state": "a|b", "value": 0.5, "sense": "<=", "bound": 1.0}
    (cells,) = table(markdown([entry("000/a", "holds", statement=statement, worst=nearest)], "made up"))
    assert len(cells) == 5
    assert cells[1] == "P(\0X\0 > x) is at most 2 \0 3"
    assert cells[4] == "0.5 <= 1 at state = a\0b"


def test_a_surprise_is_marked_and_what_was_only_observed_is_named_so() -> None:
    cells = {row[0]: row[2:4] for row in table(markdown(LEDGER, "made up"))}
    assert cells["`000/a`"] == ["**holds**", "holds"]
    assert cells["`000/d`"] == ["**fails** (!)", "holds"]
    assert cells["`000/b`"] == ["**holds**", "observed"]


def test_the_worst_point_is_told_by_its_numbers_and_its_place_on_the_grid() -> None:
    row = Point({"n": 2, "eta": 0.123456}, 1.23456, 2.0, 1.0, 1.5, ">=", {"largest": 7}).row()
    (cells,) = table(markdown([entry("000/a", "fails", worst=row)], "made up"))
    assert cells[4] == "1.235 >= 2 at n = 2, eta = 0.1235, largest = 7"
    (bare,) = table(markdown([entry("000/a", "holds", worst=Point({}, 0.0, 0.0).row())], "made up"))
    assert bare[4] == "0 <= 0"


def test_the_reason_stands_where_nothing_was_run() -> None:
    assert table(markdown(LEDGER, "made up"))[-1][4] == "synthetic data"


def test_the_counts_stand_above_the_table_and_the_data_below() -> None:
    lines = markdown(LEDGER, "SYNTHETIC").splitlines()
    assert lines[2:4] == [f"- {line}" for line in counts(LEDGER)]
    assert lines[-1] == "Data: SYNTHETIC."


# The stage around a check


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that runs the stage on a check, and gives its evidence and verdict."""

    def of(check: Any, **options: Any) -> tuple[list[str], dict[str, Any]]:
        monkeypatch.setattr(stages, "_named", lambda name: check)
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


@pytest.mark.parametrize("kind", ["synthetic", "file"])
def test_a_claim_about_real_data_is_not_run_on_synthetic_data(kind: str, run: Any, tmp_path: Path) -> None:
    provenance = tmp_path / "provenance.json"
    provenance.write_text(json.dumps({"kind": kind, "label": "a label"}))
    _, verdict = run(
        lambda grid, repetitions, seed: [Point({}, 0.0, 1.0)], seed=1, provenance=provenance, real_data_only=True
    )
    assert verdict["verdict"] == ("not run" if kind == "synthetic" else "holds")
