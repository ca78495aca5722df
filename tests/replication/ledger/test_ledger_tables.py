"""The ledger as tables: counts, rows, and Markdown that no statement can break."""

from typing import Any

from private_experts.replication.ledger.evidence import Point
from private_experts.replication.ledger.grading import Grade
from private_experts.replication.ledger.ledger_tables import counts, markdown, rows, shown_point, stated
from tests.replication.ledger.ledgers import slip


def entry(name: str, verdict: str, expected: str | None = "holds", **more: Any) -> dict[str, Any]:
    known = {"holds": "measured", "fails": "counterexample"}.get(verdict, "")
    return {
        **{"id": name, "paper": name[:3], "place": "Lemma 1", "kind": "exact", "erratum": None},
        **{"standing": ["FOUND", "DERIVED"], "statement": "One is one."},
        **{"verdict": verdict, "expected": expected, "grade": Grade(known, share=0.75).record()},
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
        "paper 000: 5 claims: 2 holds, 2 fails, 1 not run; 1 not as expected; 2 without an expected verdict",
        "paper 001: 1 claims: 1 undecided; 1 not as expected",
        "how they are known: 2 measured, 2 counterexamples",
    ]
    assert counts(LEDGER[:1]) == ["paper 001: 1 claims: 1 undecided; 1 not as expected"]


def test_errata_are_counted_with_who_said_them_and_told_in_a_row_and_in_markdown() -> None:
    made = [
        entry("000/a/as-printed", "fails", "fails", erratum=slip("E000-1", severity="fatal")),
        entry("000/b/as-bound", "fails", "fails", erratum=slip("E000-2", "heuristic")),
    ]
    assert counts(made)[:-1] == [
        "paper 000: 2 claims: 2 fails; 0 not as expected; errata: 1 fatal; 1 listed separately"
    ]
    own, other = rows(made)
    assert (own["erratum"], own["said_by"], own["severity"]) == ("E000-1", "paper", "fatal")
    assert (other["erratum"], other["said_by"], other["severity"]) == ("E000-2", "heuristic", "")
    text = markdown(made, "made up")
    assert "| E000-1 | A slip | paper | fatal | Section 1, $x$ |" in text
    assert "| E000-2 | A slip | heuristic |  | Section 1, $x$ |" in text
    assert "Errata" not in markdown(LEDGER, "made up")


def test_vacuous_points_are_counted_and_do_not_say_where_a_point_is() -> None:
    point = Point({"n": 2}, 1.0, 2.0, trivial=1.5)
    worth = Grade("measured", share=0.5, vacuous=0.25).record()
    (row,) = rows([entry("000/a", "holds", vacuous=1, points=4, grade=worth)])
    assert (row["vacuous"], row["vacuous_share"]) == (1, 0.25)
    (cells,) = table(markdown([entry("000/a", "holds", grade=worth)], "made up"))
    assert cells[4] == "measured, 0.5 of the bound; 25 % of the points vacuous"
    (cells,) = table(markdown([entry("000/a", "holds", grade=worth | {"vacuous": 1.0})], "made up"))
    assert cells[4] == "measured, 0.5 of the bound"  # its words say what has vacuous points alone
    assert shown_point(entry("000/a", "holds", worst=point.row())) == "1 ≤ 2 at n = 2"


def test_a_lazy_program_is_told_with_the_points_at_which_it_fails() -> None:
    point = Point({"n": 2}, 1.0, 2.0, lazy=3.0)
    lazy = entry("000/a", "holds", lazy="a learner that never learns", lazy_fails=1, lazy_points=3)
    (row, other) = rows([lazy, entry("000/b", "holds", no_lazy="no learner plays")])
    line_of = "a learner that never learns fails at 1 of 3 points that are not vacuous"
    assert (row["lazy"], row["lazy_fails"], row["lazy_points"]) == (line_of, 1, 3)
    assert (other["lazy"], other["lazy_fails"], other["lazy_points"]) == ("none: no learner plays", "", "")
    assert table(markdown([lazy], "made up"))[0][5] == line_of
    assert shown_point(entry("000/a", "holds", worst=point.row())) == "1 ≤ 2 at n = 2"


def test_a_row_is_flat_and_has_the_margin_in_two_columns() -> None:
    more = {"rests_on": ["000/b", "001/c"], "margin": [0.25, 0.5], "points": 4, "repetitions": 100}
    more["statement"] = "At most\n$\\sqrt{2T}$, or 5 %."
    row, idle = rows([entry("000/a", "holds", **more), LEDGER[-1]])
    known = {"margin_low": 0.25, "margin_high": 0.5, "points": 4, "repetitions": 100, "reason": ""}
    known |= {"standing": "FOUND DERIVED", "known": "measured", "share": 0.75, "rests_on": "000/b 001/c"}
    assert row.items() >= (known | {"statement": r"At most $\sqrt{2T}$, or 5 %."}).items()
    assert not any(isinstance(value, list | dict) for value in row.values())
    known = {"margin_low": "", "margin_high": "", "points": 0, "reason": "synthetic data", "expected": ""}
    assert idle.items() >= known.items()


def table(text: str) -> list[list[str]]:
    lines = [line for line in text.splitlines() if line.startswith("|")]
    return [[cell.strip() for cell in line.replace("\\|", "\0").strip("|").split("|")] for line in lines[2:]]


def test_a_row_has_the_digits_of_a_margin_and_of_a_share_that_are_no_rounding_errors() -> None:
    grade = Grade("measured", share=0.45317387727714614).record()
    (row,) = rows([entry("000/a", "holds", grade=grade, margin=[9.996438e-12, 9.994160e-12])])
    assert (row["share"], row["margin_low"], row["margin_high"]) == (0.453174, 1e-11, 1e-11)


def test_every_claim_has_one_line_of_seven_cells_whatever_its_words() -> None:
    statement = "$P(|X| > \\|x\\|)$\nis at most\n  2 | 3"
    nearest = {"state": "a|b", "value": 0.5, "sense": "<=", "bound": 1.0}
    (cells,) = table(markdown([entry("000/a", "holds", statement=statement, worst=nearest)], "made up"))
    assert len(cells) == 7
    assert cells[1] == r"$P(\vert X\vert  > \Vert x\Vert )$ is at most 2 " + "\0 3"
    assert cells[6] == "0.5 ≤ 1 at state = a\0b"


def test_a_surprise_is_marked_and_a_claim_without_an_expected_verdict_says_so() -> None:
    entries = [*LEDGER, entry("000/f", "holds")]
    text = markdown(entries, "SYNTHETIC")
    counted = "".join(f"- {line}\n" for line in counts(entries))
    assert text.partition("\n| ")[0] == f"# Claims and verdicts\n\n{counted}"
    assert text.splitlines()[-1] == "Data: SYNTHETIC."
    cells = {row[0]: row[2:] for row in table(text)}
    assert cells["`000/a`"][:2] == ["**holds**", "holds"]
    assert cells["`000/d`"][:2] == ["**fails** (!)", "holds"]
    assert cells["`000/b`"][:2] == ["**holds**", "observed"]
    assert cells["`000/e`"][4] == "synthetic data"


def test_the_point_that_a_verdict_shows_is_told_by_its_numbers_and_its_place_on_the_grid() -> None:
    def cell_text(verdict: str, point: Point) -> str:
        ((*_, cell),) = table(markdown([entry("000/a", verdict, worst=point.row())], "made up"))
        return cell

    failing = Point({"n": 2, "eta": 0.123456}, 1.23456, 2.0, 1.0, 1.5, ">=", {"largest": 7})
    assert cell_text("fails", failing) == "counterexample: 1.235 ≱ 2 at n = 2, eta = 0.1235, largest = 7"
    assert cell_text("undecided", Point({}, 3.0, 2.0, 1.0, 5.0)) == "3 ≰ 2"
    assert cell_text("holds", Point({}, 0.0, 0.0)) == "0 ≤ 0"


def test_statements_are_named_by_verdict_and_one_that_differs_is_told_by_its_name() -> None:
    parts = [("a", "holds", "holds"), ("b", "fails", "holds"), ("c", "holds", "holds")]
    statements = [{"name": n, "verdict": v, "expected": None, "pinned": p} for n, v, p in parts]
    made = entry("000/made", "fails", None, pinned="fails", differs=True, statements=statements)
    by_verdict = "holds: a, c; fails: b"
    assert (stated(made), stated(LEDGER[0])) == (by_verdict, "")
    assert rows([made])[0]["statements"] == by_verdict
    assert f" {by_verdict}. |" in markdown([made], "made up")
    assert counts([made])[-1].endswith("000/made (b: fails, there holds)")


def test_the_counts_end_with_the_verdicts_that_differ_from_those_on_the_pinned_data() -> None:
    def found(name: str, verdict: str, there: str, differs: bool = False) -> dict[str, Any]:
        return entry(name, verdict, None, pinned=there, differs=differs)

    same, idle = found("000/0", "fails", "fails"), found("000/1", "not run", "holds")
    known = entry("000/9", "holds", "holds", pinned="holds", differs=False)
    assert not any("hospital data" in counts([*LEDGER, *more])[-1] for more in ([], [known]))
    told = "verdicts on hospital data: "
    assert counts([*LEDGER, same, idle])[-1] == f"{told}1, as found; none known to differ"
    assert counts([*LEDGER, same, found("000/1", "holds", "fails", True)])[-1] == (
        f"{told}2, as found; 1 differ from the pinned data's: 000/1 (holds, there fails)"
    )
