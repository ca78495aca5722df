"""What the page says, before any template: numbers, evidence, verdicts, errata, Table 2, times."""

from typing import Any

import pytest

from private_experts.replication.ledger.evidence import Point, worst
from private_experts.replication.ledger.grading import Grade
from private_experts.replication.ledger.timing import Account
from private_experts.replication.report.page import cards, evidence_rows, hospital_data
from tests.replication.ledger.ledgers import entry as made_up
from tests.replication.ledger.ledgers import slip
from tests.replication.report.page.conftest import WEEKS, as_csv, manifest, table_2


def rows_of(points: list[Point]) -> list[dict[str, str]]:
    return [{name: str(value) for name, value in point.row().items()} for point in points]


POINTS = [
    Point({"n": 1}, 1.0, 2.0, 0.5, 1.5, notes={"draws": 7}),
    Point({"n": 2}, 1.0, 1.05, 0.9, 1.1, notes={"draws": 7}),
    Point({"n": 3}, 3.0, 2.0, 2.5, 3.5, notes={"draws": 7}),
    Point({"n": 4}, 1.99, 2.0, notes={"draws": 7}),
    Point({"n": 5}, 9.0, 2.0, 8.0, 10.0, ">=", {"draws": 7}),
]


def test_the_evidence_begins_with_the_point_that_the_verdict_calls_worst() -> None:
    table = evidence_rows.table(rows_of(POINTS))
    assert [row["where"] for row in table["rows"]] == [["3"], ["2"], ["4"], ["1"], ["5"]]
    for points in (POINTS, POINTS[:2], POINTS[3:], POINTS[:1]):
        first = evidence_rows.table(rows_of(points))["rows"][0]
        assert first["where"] == [str(worst(points).where["n"])]
    assert (table["where"], table["notes"], table["exact"], table["total"]) == (["n"], ["draws"], False, 5)


def test_a_row_of_evidence_has_its_interval_its_bound_and_its_margin() -> None:
    row = evidence_rows.table(rows_of(POINTS))["rows"][0]
    assert (row["value"], row["interval"], row["relation"], row["bound"]) == ("3", "[2.5, 3.5]", "≰", "2")
    assert (row["margin"], row["room"], row["verdict"], row["notes"]) == (
        "[−1.5, −0.5]",
        "−17 %",
        "fails",
        ["7"],
    )
    assert evidence_rows.table(rows_of(POINTS[3:4]))["exact"] is True
    # A place has no notes: a share of the bound beside another one would be read as the same.
    noted = {"T": "3200", "eta": "", "value": "9", "low": "8", "verdict": "fails", "share": "8.2"}
    assert evidence_rows.parameters(noted) == [("T", "3200")]
    assert evidence_rows.table([{"reason": "synthetic data"}])["rows"] == []  # of a claim that was not run


def test_of_many_points_the_nearest_to_failing_stand_there_and_the_rest_is_counted() -> None:
    last = evidence_rows.SHOWN + 2
    table = evidence_rows.table(rows_of([Point({"n": n}, float(n), 300.0) for n in range(last + 1)]))
    assert table["total"] == last + 1
    assert [row["where"][0] for row in table["rows"]] == [str(n) for n in range(last, 2, -1)]


def entry(name: str, verdict: str = "holds", expected: str | None = "holds", **more: Any) -> dict[str, Any]:
    """Return a claim of the ledger with all that its card shows."""
    of_card = {
        **{"kind": "exact", "place": "Lemma 1", "standing": ["FOUND"], "rule": "Counted.", "needs": None},
        **{"repetitions": 2, "seconds": 2, "figures": [], "code": {"file": "src/a.py", "fingerprint": "ff"}},
        "grid": {"n": [2, [3, 4], "a, b"], "tolerance": 1e-9, "pairs": [{"eta": [1.5, 3], "T": 9}]},
        **{"command": f"private-experts verify {name}", "grade": Grade("measured", share=0.97).record()},
    }
    if verdict != "not run":
        of_card |= {"points": 1, "seed": 5, "worst": Point({"n": 2}, 1.0, 1.0).row(), "margin": [0.0, 0.0]}
    return made_up(name, verdict, expected) | of_card | more


def shown(made: dict[str, Any], time: dict[str, float] | None = None) -> dict[str, Any]:
    return cards.claim(made, 0, [], time, {"f": "A figure"})


def test_a_claim_has_all_that_a_reviewer_asks_for() -> None:
    seen = shown(entry("000/a", figures=["f"]), Account("000/a", 12.3, 12.0, 80.0, 0.0))
    assert seen["command"] == "private-experts verify 000/a"
    assert seen["grid"] == [("n", "2, (3, 4), “a, b”"), ("tolerance", "1e−9"), ("pairs", "(eta 1.5, 3; T 9)")]
    assert seen["nearest"]["place"] == [("n", "2")]
    assert (seen["time"], seen["memory"], seen["seed"], seen["points"]) == ("12 s", "80 MB", 5, 1)
    assert seen["figures"] == [{"name": "f", "title": "A figure"}]
    assert seen["code"]["fingerprint"] == "ff"
    assert (seen["repetitions"], seen["lazy"]) == ("", "")  # there is no chance in it
    assert shown(entry("000/a", kind="stochastic", repetitions=20000))["repetitions"] == "20\u202f000"
    lazy = {"lazy": "a learner that never learns", "lazy_fails": 0, "lazy_points": 1}
    told = "a learner that never learns fails at 0 of 1 point that is not vacuous"
    assert shown(entry("000/a", **lazy))["lazy"] == told
    # one that was not run says why, and what it would cost
    seen = shown(entry("000/a", "not run", reason="synthetic data"))
    assert (seen["nearest"], seen["near"], seen["reason"]) == (None, None, "synthetic data")
    assert (seen["time"], seen["estimate"], seen["points"]) == ("", "2.0 s", 0)


@pytest.mark.parametrize(
    ("verdict", "expected", "erratum", "label", "surprising"),
    [
        ("holds", "holds", None, "as expected", False),
        ("fails", "fails", None, "known not to hold", False),
        ("fails", "holds", None, "expected: holds", True),
        ("undecided", "holds", None, "expected: holds", True),
        ("fails", None, None, "a question of ours: no verdict is expected", False),
        ("not run", "holds", None, "expected: holds", False),
        ("fails", "fails", slip("E000-1", severity="fatal"), "erratum: fatal error", False),
        ("fails", "fails", slip("E000-1", "cited work"), "slip of a cited work", False),
    ],
)
def test_a_surprise_is_called_one_and_what_fails_says_whose_slip_it_is(
    verdict: str, expected: str | None, erratum: dict[str, Any] | None, label: str, surprising: bool
) -> None:
    seen = shown(entry("000/a", verdict, expected, erratum=erratum))
    assert (seen["expectation"], seen["surprising"]) == (label, surprising)


def test_what_the_paper_concludes_from_its_data_is_not_so_on_others_and_a_false_statement_is_false() -> None:
    for expected in ("fails", None):
        seen = shown(entry("000/a", "fails", expected, kind="reproduction"))
        assert (seen["expectation"], seen["sign"]) == ("a conclusion of the paper", "≠")
        assert seen["verdict_label"] == "not so on these data"
    seen = shown(entry("000/a", "fails", None, kind="reproduction", place="Beside; not in the paper"))
    assert seen["expectation"] == "a question of ours: no verdict is expected"


def test_an_erratum_puts_what_is_printed_beside_what_is_mended_in_the_order_of_their_numbers() -> None:
    fatal = slip("E000-10", severity="fatal")
    wrong = entry("000/b/as-printed", "fails", "fails", erratum=fatal)
    corrected, other = entry("000/b", erratum=fatal), entry("000/c", erratum=slip("E000-2", "nobody"))
    second, tenth = cards.errata([shown(claim) for claim in (entry("000/a"), wrong, corrected, other)])
    assert [second["name"], tenth["name"]] == ["E000-2", "E000-10"]
    assert [card["id"] for card in tenth["wrong"]] == ["000/b/as-printed"]
    assert (tenth["papers"], tenth["heading"], second["papers"]) == (True, "As printed", False)
    assert [card["id"] for card in tenth["mended"]] == ["000/b"]
    assert second["wrong"] == []
    places = ("Section 1; Theorem 2", "Theorem 2; the abstract", "Beside Theorem 2; not in the paper")
    named = zip(("000/b/as-printed", "000/b", "000/c"), places, strict=True)
    (seen,) = cards.errata([shown(entry(name, erratum=slip("E000-1"), place=place)) for name, place in named])
    assert seen["places"] == ["Section 1", "Theorem 2", "the abstract"]  # each once


def as_read(rows: list[dict[str, Any]]) -> list[dict[str, str]]:
    lines = as_csv(rows).splitlines()
    return [dict(zip(lines[0].split(","), line.split(","), strict=True)) for line in lines[1:]]


def test_table_2_stands_beside_the_published_one_with_differences_that_test_something() -> None:
    table = hospital_data.table_2(as_read(table_2()))
    mexico = table["states"][0]
    assert (mexico["state"], mexico["weeks"]) == ("NM", "72")
    first = mexico["levels"][0]
    assert first["mu"] == "∞"
    assert first["gains"][0] == {"here": "0.279", "pm": "0.003", "paper": "0.271", "difference": ""}
    assert first["ratios"][0] == {"here": "1.52", "pm": "", "paper": "1.52", "difference": "+0.00"}
    # 40.14 / 13.38 and 40.14 / 43.91
    assert [ratio["paper"] for ratio in first["ratios"][1:]] == ["3.00", "0.91"]
    vermont = table["states"][-1]["levels"][0]
    assert vermont["gains"][0] == {"here": "0.007", "pm": "0.003", "paper": "", "difference": ""}
    assert table["complete"] is False
    whole = hospital_data.table_2(as_read(table_2(weeks=148)))
    assert whole["complete"] is True
    assert whole["states"][0]["levels"][0]["gains"][0]["difference"] == "−0.136"  # (20.07 - 40.14) / 148


def test_the_state_of_the_data_is_its_coverage_and_its_checksum_or_that_it_is_synthetic() -> None:
    seen = hospital_data.data(manifest()["data"], as_read(table_2()), WEEKS)
    assert (seen["weeks"], seen["of"], seen["share"]) == ("72 weeks", 148, "49 %")
    assert (seen["weeks_of_states"], seen["sha256"], seen["synthetic"]) == ("72 weeks", "ab" * 32, False)
    shape = {"state": "NM", "weeks": "72", "hospitals": "24", "published": 24}
    assert seen["shapes"][0].items() >= shape.items()
    assert seen["shapes"][-1]["published"] is None
    longer = [row | {"weeks": "94"} if row["state"] == "NM" else row for row in as_read(table_2())]
    seen = hospital_data.data(manifest()["data"] | {"weeks": {"AS": 51, "NM": 94}}, longer, [])
    assert (seen["weeks"], seen["share"]) == ("72 to 94 weeks by state", "at least 49 %")
    assert seen["weeks_of_states"] == "51 to 94 weeks by state"
    made_up = hospital_data.data(manifest(synthetic=True)["data"], as_read(table_2()), WEEKS)
    assert made_up["synthetic"] is True


def test_a_step_that_is_not_as_expected_is_marked_at_the_claim_that_it_serves() -> None:
    made = [
        entry("000/a"),
        entry("000/step", "fails", "holds", step_of="000/a"),
        entry("000/fine", step_of="000/a"),
        entry("000/b/as-printed", "fails", "fails", erratum=slip("E000-1")),
        entry("000/b", erratum=slip("E000-1")),
        entry("000/plain"),
        entry("000/headline", headline=1),
    ]
    seen = {row["id"]: row for row in cards.rows([shown(claim) for claim in made])}
    first = {name for name, row in seen.items() if row["first"] and row["row"] == name}
    assert first == {"000/a", "000/b/as-printed", "000/headline"}
    assert [step["id"] for step in seen["000/a"]["steps"]] == ["000/step", "000/fine"]
    assert [card["id"] for card in seen["000/a"]["alarming"]] == ["000/step"]
    assert [seen[name]["row"] for name in ("000/step", "000/b")] == ["000/a", "000/b/as-printed"]
    assert [card["id"] for card in seen["000/b/as-printed"]["mended"]] == ["000/b"]
    assert (seen["000/b/as-printed"]["label"], seen["000/b"]["mends"], seen["000/a"]["mends"]) == (
        "As printed",
        True,
        False,
    )
