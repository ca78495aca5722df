"""What a notebook reads."""

import json
import math

import numpy as np
import pytest

from private_experts.replication.report.notebook_reader import (
    PAPER_VARIABLE,
    RESULTS_VARIABLE,
    MissingResultsError,
    find,
)
from private_experts.replication.study.data import panel as panels
from tests.replication.ledger.ledgers import entry, slip, small


@pytest.fixture
def clone(tmp_path, monkeypatch):
    monkeypatch.delenv(RESULTS_VARIABLE, raising=False)
    monkeypatch.delenv(PAPER_VARIABLE, raising=False)
    for folder in ("paper/tables", "paper/figures", "results/hospital/study/panels"):
        (tmp_path / folder).mkdir(parents=True)
    (tmp_path / "paper/replication.py").write_text("")
    (tmp_path / "results/claims.json").write_text(json.dumps(small()))
    (tmp_path / "paper/tables/table-2.csv").write_text("state,mu\nNM,inf\n")
    (tmp_path / "paper/figures/002-regret.png").write_bytes(b"PNG")
    panel = panels.Panel(("2021-01-01",), ("a", "b"), np.array([[0.1, 0.2]]), np.array([5.0]))
    panels.write(tmp_path / "results/hospital/study/panels/NM.csv", panel)
    return tmp_path


def test_results_are_found_from_anywhere_in_the_clone_and_where_the_environment_says(clone, monkeypatch):
    monkeypatch.chdir(clone / "results/hospital")
    results = find()
    assert results.table("table-2")["mu"].tolist() == [math.inf]
    assert results.panel("NM").density.tolist() == [[0.1, 0.2]]
    picture = results.picture("002-regret")
    assert (picture.png, picture.alt) == (b"PNG", "A line.")
    assert (results.picture_of("002/alone").png, results.picture_of("000/pair")) == (b"PNG", None)
    monkeypatch.setenv(RESULTS_VARIABLE, str(clone / "elsewhere"))
    assert (find(clone).results, find(clone).paper) == (clone / "elsewhere", clone / "paper")


@pytest.mark.parametrize(
    "ask", [lambda run: run.data, lambda run: run.table("none"), lambda run: run.panel("VT")]
)
def test_what_no_run_has_made_is_told_in_one_line_of_a_notebook(clone, ask):
    (clone / "results/claims.json").unlink()
    with pytest.raises(MissingResultsError) as error:
        ask(find(clone))
    assert error.value._render_traceback_() == [str(error.value)]
    assert "run `make reproduce`" in str(error.value)
    assert str(clone) not in str(error.value)


def test_outside_of_a_clone_it_says_what_to_do(tmp_path, monkeypatch):
    monkeypatch.delenv(RESULTS_VARIABLE, raising=False)
    said = "open the notebook in a clone, or set PRIVATE_EXPERTS_RESULTS"
    with pytest.raises(MissingResultsError, match=said):
        find(tmp_path)


def test_synthetic_data_are_named_loudly(clone):
    assert "nothing can be concluded" in find(clone).data
    (clone / "results/claims.json").write_text(json.dumps(small() | {"synthetic": False, "data": "reports"}))
    assert find(clone).data == "Data: reports"


def test_verdicts_and_grades_are_counted_by_paper(clone):
    counts = find(clone).verdicts().set_index("paper")
    assert counts.loc["000", ["claims", "holds", "fails", "undecided", "not run"]].tolist() == [5, 2, 1, 1, 1]
    assert counts.loc["002", ["claims", "holds", "fails", "not as expected"]].tolist() == [2, 1, 1, 1]
    assert counts["errata"].tolist() == [1, 0]  # of 002 it is a cited work that slips
    grades = find(clone).grades().set_index("paper")
    assert [*grades.columns] == ["measured", "counterexample"]
    assert [grades.loc[paper].tolist() for paper in ("000", "002")] == [[2, 1], [1, 1]]


def test_a_claim_is_told_with_the_point_that_its_verdict_shows(clone):
    results = find(clone)
    assert results.verdict_on("000/pair/as-printed").startswith("fails, ")
    assert " at n = 2" in results.verdict_on("000/pair/as-printed")
    assert results.verdict_on("000/idle").startswith("not run, ")
    assert results.verdict_on("000/nothing") == "not in this ledger"


def test_claims_come_nearest_to_failing_first(clone):
    ledger = small()
    ledger["claims"][2]["worst"] |= {"margin_low": 0.1, "margin_high": 0.2}  # of a bound of 2
    (clone / "results/claims.json").write_text(json.dumps(ledger))
    claims = find(clone).claims("000")
    holds = claims[claims["verdict"] == "holds"]
    assert holds["claim"].tolist() == ["000/pair", "000/plain"]
    assert holds["margin"].tolist() == [0.05, 0.25]
    by_claim = claims.set_index("claim")
    assert by_claim.loc["000/plain", "how it is known, and how near"] == "measured, 0.75 of the bound"
    assert by_claim.loc["000/observed", "expected"] == ""
    assert by_claim.loc["000/pair/as-printed", "margin"] == -0.2  # the upper end decides that it fails
    assert by_claim.loc["000/pair", "statement"] == r"At most 50 % of $x \le y$."
    assert math.isnan(by_claim.loc["000/idle", "margin"])
    assert find(clone).claims("004").empty


def test_errata_are_those_of_the_paper_in_their_order(clone):
    ledger = small()
    first = entry("000/tenth", erratum=slip("E000-10"))
    second = entry("000/second", erratum=slip("E000-2", "heuristic"))
    ledger["claims"] = [first, second, *ledger["claims"]]
    (clone / "results/claims.json").write_text(json.dumps(ledger))
    errata = find(clone).errata("000").set_index("claim")
    # the last is no paper's
    assert [*errata.index] == ["000/pair/as-printed", "000/pair", "000/tenth", "000/second"]
    said_by = errata[["said by", "severity"]].to_numpy().tolist()
    assert said_by == [["paper", "constant"]] * 3 + [["heuristic", ""]]
    assert errata["counterexample"].tolist()[:2] == ["2.5 ≰ 2 at n = 2", ""]
    assert find(clone).errata("003").empty
