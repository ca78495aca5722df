"""Running a check: from a claim's grid to its evidence and the record of its verdict."""

import csv
import io
import json
import math

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.replication.balls import balls
from private_experts.replication.ledger import checking
from private_experts.replication.ledger.checking import (
    computed,
    imported_function,
    plain,
    points_of,
    table_of,
)
from private_experts.replication.ledger.evidence import NotRunError, Point
from private_experts.replication.ledger.experiments import Experiment
from private_experts.replication.study.formats import REPORT_NOISE
from tests.each import each


@pytest.fixture
def check_of(monkeypatch):
    """Let the name of a check stand for a made-up one, and note how it is called."""
    calls = []

    def check(grid, repetitions, seed, panels=None, table=None, report_noise=None):
        given = {"panels": panels, "table": table, "report_noise": report_noise}
        calls.append((grid, repetitions, seed, given))
        if "reason" in grid:
            raise NotRunError(grid["reason"])
        width = 10 / repetitions
        return [
            Point({"n": n}, 1.0, bound, 1.0 - width, 1.0 + width, trivial=grid.get("trivial"))
            for n, bound in zip("ab", grid["bounds"], strict=True)
        ]

    def found(entry):
        assert entry == "private_experts.replication.papers.paper:check"
        return check

    monkeypatch.setattr(checking, "imported_function", found)
    return calls


def experiment(grid, repetitions=100, cap=100, real_data_only=False):
    return Experiment("paper:check", grid, repetitions, cap, real_data_only)


def test_the_record_is_of_the_point_nearest_to_failing(check_of):
    rows, record = computed(experiment({"bounds": [9.0, 3.0]}, 100, 400), 7)
    assert [row["n"] for row in rows] == ["a", "b"]
    facts = {"verdict": "holds", "points": 2, "repetitions": 100, "seed": 7}
    assert {key: record[key] for key in facts} == facts
    assert record["worst"] == rows[1]
    assert record["margin"] == pytest.approx([1.9, 2.1])
    assert [(repetitions, seed) for _, repetitions, seed, _ in check_of] == [(100, 7)]
    assert "vacuous" not in record
    assert computed(experiment({"bounds": [9.0, 3.0], "trivial": 4.0}), 7)[1]["vacuous"] == 1


def test_what_a_check_refuses_to_do_is_recorded_with_its_reason(check_of):
    found = computed(experiment({"reason": "no such state"}), 1)
    assert found == ([], {"verdict": "not run", "reason": "no such state"})


def test_each_statement_is_decided_by_itself_and_none_hides_another(monkeypatch):
    bounds = {"high": 9.0, "low": 0.5, "narrow": 1.0}

    def check(grid, repetitions, seed):
        [name] = grid["statement"]
        if name == "elsewhere":
            raise NotRunError("no such state")
        at = {"narrow": {"cells": 2}}.get(name, {"n": name})
        return [Point({"statement": name, **at}, 1.0, bounds[name], 0.9, 1.1, notes={"played": repetitions})]

    monkeypatch.setattr(checking, "imported_function", lambda entry: check)
    rows, record = computed(experiment({"statement": [*bounds, "elsewhere"]}, 10, 40), 1)
    parts = {part["name"]: part for part in record["statements"]}
    verdicts = {"high": "holds", "low": "fails", "narrow": "undecided", "elsewhere": "not run"}
    assert {name: part["verdict"] for name, part in parts.items()} == verdicts
    assert parts["elsewhere"] == {"name": "elsewhere", "verdict": "not run", "reason": "no such state"}
    assert parts["high"]["worst"]["bound"] == 9.0
    # the undecided one alone plays on, and the claim's verdict is that of all points
    assert [row["played"] for row in rows] == [10, 10, 40]
    assert (record["verdict"], record["points"], record["repetitions"]) == ("fails", 3, 40)
    assert record["worst"]["statement"] == "low"
    # one table: what places any point stands before the values
    assert [[*row][:3] for row in rows] == [["statement", "n", "cells"]] * 3
    idle = computed(experiment({"statement": ["elsewhere", "elsewhere"]}), 1)
    assert idle[0] == []
    assert (idle[1]["verdict"], idle[1]["reason"]) == ("not run", "elsewhere: no such state")


@each(("kind", "run"), [("file", True), ("healthdata", True), ("synthetic", False)])
def test_a_claim_about_real_data_does_not_run_on_synthetic_data(check_of, tmp_path, kind, run):
    provenance = tmp_path / "provenance.json"
    provenance.write_text(json.dumps({"kind": kind, "label": "x"}), encoding="utf-8")
    for real_data_only in (False, True):
        check_of.clear()
        decided_by = experiment({"bounds": [9, 9]}, real_data_only=real_data_only)
        _, record = computed(decided_by, 1, provenance=provenance)
        expected = run or not real_data_only
        assert (record["verdict"] == "holds") == bool(check_of) == expected
        if not expected:
            assert record == {"verdict": "not run", "reason": "synthetic data"}


def test_panels_and_tables_are_read_and_handed_on(check_of, tmp_path):
    (tmp_path / "NM.csv").write_text("week,smallest_beds,010001\n2021-01-01,80.0,0.75\n", encoding="utf-8")
    (tmp_path / "table.csv").write_text("state\nNM\n", encoding="utf-8")
    noise = tmp_path / "noise.csv"
    noise.write_text(f"{','.join(REPORT_NOISE)}\nNM,rw-ftpl,1.0,local,9,1,1.0,8.5,0.5\n", encoding="utf-8")
    files = [tmp_path / "NM.csv"], tmp_path / "table.csv"
    computed(experiment({"bounds": [9, 9]}), 1, *files, report_noise=[noise])
    [(*_, given)] = check_of
    assert given["report_noise"]["squares"].tolist() == [8.5]
    assert given["panels"]["NM"].density.tolist() == [[0.75]]
    assert given["table"]["state"].tolist() == ["NM"]


def test_a_column_that_the_table_lacks_is_told_and_another_key_is_a_defect(monkeypatch, tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("state\nNM\n", encoding="utf-8")
    for check, error, words in (
        (lambda table: table["beds"], InputError, "table.csv: column beds is missing; "),
        (lambda table: {}["state"], KeyError, "state"),
    ):
        monkeypatch.setattr(checking, "imported_function", lambda entry, check=check: check)
        with pytest.raises(error, match=words):
            computed(experiment({}), 1, table=table)


def test_a_check_is_given_what_its_signature_names_and_nothing_else():
    offered = {"grid": {"n": [1]}, "repetitions": 50, "seed": 3, "panels": {}}
    assert points_of(lambda grid: [grid], **offered) == [{"n": [1]}]
    assert points_of(lambda seed, panels, grid: [seed, panels, grid], **offered) == [3, {}, {"n": [1]}]
    # through what wraps it
    assert points_of(balls.precision()(lambda grid: [grid]), **offered) == [{"n": [1]}]
    with pytest.raises(TypeError, match="table"):
        points_of(lambda grid, table: [], **offered)


def test_a_table_has_every_column_of_any_row_and_reads_back():
    text = table_of([{"n": 1, "note": "a, b"}, {"n": 2, "other": math.inf}])
    assert text == 'n,note,other\n1,"a, b",\n2,,inf\n'
    assert [row["n"] for row in csv.DictReader(io.StringIO(text))] == ["1", "2"]


def test_a_function_is_found_by_its_entry_and_a_stranger_is_told():
    here = "private_experts.replication.ledger.checking"
    assert imported_function(f"{here}:imported_function") is imported_function
    for stranger in (f"{here}:no", "private_experts.no:imported_function"):
        with pytest.raises(InputError, match=f"unknown check {stranger}"):
            imported_function(stranger)


def test_records_become_what_json_can_say():
    record = {1: np.float64(0.5), "a": (np.int64(3), [math.inf, -math.inf, math.nan])}
    record["b"] = {"c": np.bool_(True), "d": None}
    assert plain(record) == {"1": 0.5, "a": [3, ["inf", "-inf", "nan"]], "b": {"c": True, "d": None}}
    assert json.loads(json.dumps(plain(record), allow_nan=False)) == plain(record)


def test_evidence_in_ball_arithmetic_does_not_depend_on_what_was_checked_before():
    claim = Experiment("p000.gap_law:gap_distribution", {"n": [10], "e": [0.0001]}, 2, 2, False), 1
    first = computed(*claim)
    with balls.precision(400):  # keeps longer nodes, which the next integral would use
        balls.integral(lambda z: (-z * z).exp(), -30, 30)
    assert computed(*claim) == first
