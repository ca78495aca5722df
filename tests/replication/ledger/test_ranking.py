"""Headlines come first, by their places; below a claim stand its steps, and beside a slip its mended form."""

from typing import Any

from private_experts.replication.ledger.ranking import (
    FALLS,
    added,
    concludes,
    errata_counted,
    falls_in_words,
    headlines,
    is_corrected_form,
    reading_order,
    rows_of,
)
from private_experts.replication.ledger.verdicts import without_steps
from tests.replication.ledger.ledgers import entry as made
from tests.replication.ledger.ledgers import slip


def entry(name: str, place: str = "Section 2", verdict: str = "holds", **more: Any) -> dict[str, Any]:
    return made(name, verdict, verdict, place=place, rests_on=[], **more)


def names(entries: list[Any]) -> list[str]:
    return [record["id"] for record in entries]


def test_headlines_come_in_the_order_of_their_places() -> None:
    given = [entry("000/plain"), entry("000/third", headline=3), entry("001/first", headline=1)]
    assert names(headlines(given)) == ["001/first", "000/third"]
    assert names(reading_order(given)) == ["001/first", "000/third", "000/plain"]


def test_what_is_not_in_the_paper_is_not_said_by_its_theorem() -> None:
    beside = entry("000/beside", "Beside Theorem 3; not in the paper")
    right = entry("000/better", "Theorem 3", erratum=slip("E000-1", severity="fatal"))
    printed = entry("000/better/as-printed", "Theorem 3", "fails", erratum=slip("E000-1", severity="fatal"))
    guessed = entry("000/guess", "Theorem 3", erratum=slip("E000-2", "heuristic"))
    remark = entry("000/remark", "Theorem 3", erratum=slip("E000-3", severity="remark"))
    every = (beside, right, printed, guessed, remark, entry("000/plain"))
    assert [added(claim) for claim in every] == [True, False, False, False, False, False]
    assert [is_corrected_form(claim) for claim in every] == [False, True, False, False, False, False]


def test_a_paper_concludes_what_it_reproduces_from_its_data_and_prints() -> None:
    seen = entry("000/seen", "Table 2", kind="reproduction")
    own = entry("000/own", "Beside Table 2; not in the paper", kind="reproduction")
    assert [concludes(claim) for claim in (seen, own, entry("000/plain"))] == [True, False, False]
    printed = entry("000/printed", "Table 2", "fails", kind="reproduction", erratum=slip("E000-1"))
    failed = [claim | {"verdict": "fails"} for claim in (seen, seen, own)]
    assert falls_in_words([printed, *failed]) == "1 false; 2 not so on these data; 1 " + FALLS[2]


def test_it_is_said_why_errata_and_false_statements_differ_in_number() -> None:
    def wrong(name: str, slip_name: str, **more: Any) -> dict[str, Any]:
        return entry(f"000/{name}/as-printed", verdict="fails", erratum=slip(slip_name), **more)

    false = [wrong("one", "E000-1"), wrong("two", "E000-1"), wrong("other", "E000-2")]
    step = wrong("step", "E000-3", step_of="000/one")
    gap = entry("000/gap", erratum=slip("E000-4", severity="gap"))
    theirs = entry("000/a/as-printed", verdict="fails", erratum=slip("E000-5", "cited work"))
    assert errata_counted([*false, step, gap, theirs]) == (
        "2 have the 3 false statements that are counted, 1 are of steps, which are not counted, and 1 of "
        "gaps in proofs, without a false statement"
    )


def test_steps_follow_what_they_serve_and_the_mended_form_what_was_printed() -> None:
    wrong = {"verdict": "fails", "erratum": slip("E000-1")}
    given = [
        entry("000/alone"),
        entry("000/step", step_of="000/pair"),
        entry("000/pair", erratum=slip("E000-1")),
        entry("000/pair/as-printed", **wrong, headline=1),
        entry("000/guess", erratum=slip("E000-2", "heuristic")),
        entry("000/guess/as-bound", verdict="fails", erratum=slip("E000-2", "heuristic")),
    ]
    rows = rows_of(given)
    assert {rows[name] for name in ("000/step", "000/pair", "000/pair/as-printed")} == {"000/pair/as-printed"}
    assert rows["000/guess"] == "000/guess"  # what the paper did not print has a row of its own
    ordered = names(reading_order(given))
    assert ordered == [
        *("000/pair/as-printed", "000/pair", "000/step"),
        *("000/alone", "000/guess", "000/guess/as-bound"),
    ]
    assert names(without_steps(reading_order(given))) == [name for name in ordered if name != "000/step"]


def test_the_single_wrong_statement_of_an_erratum_has_the_row_of_its_mended_ones() -> None:
    wrong = entry("000/proof/as-printed", verdict="fails", erratum=slip("E000-1"))
    is_corrected_form = entry("000/lemma", erratum=slip("E000-1"))
    assert rows_of([is_corrected_form, wrong])["000/lemma"] == "000/proof/as-printed"
    another = entry("000/other/as-printed", verdict="fails", erratum=slip("E000-1"))
    # which of the two it mends is not known
    twin = entry("000/proof", erratum=slip("E000-1"))
    rows = rows_of([is_corrected_form, twin, wrong, another])
    assert (rows["000/lemma"], rows["000/proof"]) == ("000/lemma", "000/proof/as-printed")
