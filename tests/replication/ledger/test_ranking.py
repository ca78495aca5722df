"""Headlines come first, by rank; below a claim stand its steps, and beside a slip its mended form."""

from typing import Any

import pytest

from private_experts.replication.ledger.ranking import added, headlines, mended, rank, reading_order, rows_of
from private_experts.replication.ledger.verdicts import without_steps
from tests.replication.ledger.ledgers import KNOWN, everything, slip
from tests.replication.ledger.ledgers import entry as made


def entry(name: str, place: str = "Section 2", verdict: str = "holds", **more: Any) -> dict[str, Any]:
    return made(name, verdict, verdict, place=place, rests_on=[], **more)


def names(entries: list[Any]) -> list[str]:
    return [each["id"] for each in entries]


PLAIN = entry("000/plain", headline=True)
BETTER = {  # each is ahead of the plain one by one thing alone
    "abstract": entry("000/better", "Abstract and Section 4", headline=True),
    "theorem": entry("000/better", "Lemma 1, Theorem 4.1", headline=True),
    "fatal": entry("000/better/as-printed", verdict="fails", erratum=slip("E000-1", severity="fatal"), headline=True),
    "rate": entry(
        "000/better/as-printed", verdict="fails", erratum=slip("E000-1", severity="rate not proved"), headline=True
    ),
    "lazy": entry("000/better", lazy="a learner that never learns", lazy_fails=1, lazy_points=9, headline=True),
}


@pytest.mark.parametrize("what", BETTER)
def test_a_headline_is_ahead_by(what: str) -> None:
    assert headlines([PLAIN, BETTER[what], entry("000/no-headline", "Theorem 1")]) == [BETTER[what], PLAIN]


@pytest.mark.parametrize("what", ["abstract", "fatal", "lazy"])
def test_the_reasons_count_in_this_order_and_vacuous_points_last(what: str) -> None:
    ahead = ["abstract", "fatal", "lazy"]
    later = [BETTER[each] for each in ahead[ahead.index(what) + 1 :]]
    assert all(rank(BETTER[what]) > rank(each) for each in later)
    vacuous = entry("000/vacuous", vacuous=600, headline=True)  # of 1200 points
    assert rank(vacuous) < rank(PLAIN) < rank(BETTER["lazy"])


def test_what_is_not_in_the_paper_is_not_said_by_its_theorem() -> None:
    beside = entry("000/beside", "Beside Theorem 3; not in the paper")
    right = entry("000/better", "Theorem 3", erratum=slip("E000-1", severity="fatal"))
    printed = entry("000/better/as-printed", "Theorem 3", "fails", erratum=slip("E000-1", severity="fatal"))
    guessed = entry("000/guess", "Theorem 3", erratum=slip("E000-2", "heuristic"))
    remark = entry("000/remark", "Theorem 3", erratum=slip("E000-3", severity="remark"))
    every = (beside, right, printed, guessed, remark, PLAIN)
    assert [added(each) for each in every] == [True, False, False, False, False, False]
    assert [mended(each) for each in every] == [False, True, False, False, False, False]
    assert [rank(each)[:2] for each in (beside, right, printed)] == [(False, 0), (False, 0), (True, 2)]


def test_steps_follow_what_they_serve_and_the_mended_form_what_was_printed() -> None:
    wrong = {"verdict": "fails", "erratum": slip("E000-1")}
    given = [
        entry("000/alone"),
        entry("000/step", step_of="000/pair"),
        entry("000/pair", erratum=slip("E000-1")),
        entry("000/pair/as-printed", **wrong, headline=True),
        entry("000/guess", erratum=slip("E000-2", "heuristic")),
        entry("000/guess/as-bound", verdict="fails", erratum=slip("E000-2", "heuristic")),
    ]
    rows = rows_of(given)
    assert {rows[name] for name in ("000/step", "000/pair", "000/pair/as-printed")} == {"000/pair/as-printed"}
    assert rows["000/guess"] == "000/guess"  # what the paper did not print has a row of its own
    ordered = names(reading_order(given))
    assert ordered == ["000/pair/as-printed", "000/pair", "000/step", "000/alone", "000/guess", "000/guess/as-bound"]
    assert names(without_steps(reading_order(given))) == [name for name in ordered if name != "000/step"]


def test_the_single_wrong_statement_of_an_erratum_has_the_row_of_its_mended_ones() -> None:
    wrong = entry("000/proof/as-printed", verdict="fails", erratum=slip("E000-1"))
    mended = entry("000/lemma", erratum=slip("E000-1"))
    assert rows_of([mended, wrong])["000/lemma"] == "000/proof/as-printed"
    another = entry("000/other/as-printed", verdict="fails", erratum=slip("E000-1"))
    assert rows_of([mended, wrong, another])["000/lemma"] == "000/lemma"  # which of the two it mends is not known


def test_about_thirty_claims_of_all_papers_are_headlines_and_some_are_steps() -> None:
    entries = everything()["claims"]
    first = headlines(entries)
    assert 25 <= len(first) <= 35
    assert {each["paper"] for each in first} == {*KNOWN.papers}
    assert 10 <= len(entries) - len(without_steps(entries)) <= 50
    assert names(first)[:2] == ["000/theorem-3/as-printed", "004/theorem-5-2-privacy/as-printed"]  # the fatal ones
    rows = rows_of(entries)
    assert [name for name in names(entries) if rows[name] == name][: len(first)] == [rows[each["id"]] for each in first]
