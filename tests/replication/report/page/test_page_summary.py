"""The first screen: the gravest first, what the data say of the headline, what stayed open, and why."""

from typing import Any

from private_experts.replication.ledger.errata import SEVERITIES
from private_experts.replication.report.page import cards
from private_experts.replication.report.page.page_summary import (
    by_weight,
    findings,
    readings_table,
    summary,
    under_readings,
)
from private_experts.replication.study.statements import BEST
from tests.replication.ledger.ledgers import slip
from tests.replication.report.page.test_view import entry


def shown(*entries: dict[str, Any]) -> list[dict[str, Any]]:
    return [cards.claim(record, order, [], None, {}) for order, record in enumerate(entries)]


CLAIMS = shown(
    entry("000/a", "fails", "fails", erratum=slip("E000-1", severity="boundary")),
    entry("000/b", "fails", "fails", erratum=slip("E000-2", severity="constant")),
    entry("000/c", "fails", "fails", erratum=slip("E000-10", severity="fatal")),
    entry("000/d", "fails", "fails", erratum=slip("E000-3", severity="constant")),
    entry("001/e", "fails", "fails", erratum=slip("E001-1", "cited work")),
    entry("001/l", "fails", "fails", erratum=slip("E001-2", severity="remark")),
    entry("001/m", "fails", "fails", erratum=slip("E001-3", severity="proof fails")),
    entry("000/f", "fails", None, kind="reproduction", headline=1),
    entry("000/table-2-printed-words", headline=1),
    entry("000/g", "not run", None, kind="reproduction", reason="few weeks"),
    entry("000/h", "undecided"),
    entry("000/i", standing=["TEMPLATE"]),
)


def test_errata_come_by_weight_the_grave_named_the_lesser_counted_those_of_others_apart() -> None:
    ordered = by_weight(cards.errata(CLAIMS))
    assert [erratum["name"] for erratum in ordered] == ["E000-10", "E001-3", "E000-2", "E000-3", "E000-1"]
    assert {*cards.NOUNS} >= {*SEVERITIES}
    seen = summary(CLAIMS, cards.errata(CLAIMS), [])
    grave = {severity: [erratum["name"] for erratum in of] for severity, of in seen["grave"].items()}
    known = {"fatal": ["E000-10"], "proof fails": ["E001-3"], "constant": ["E000-2", "E000-3"]}
    assert {severity: grave[severity] for severity in known} == known
    assert (seen["lesser"], seen["elsewhere"]) == ({"boundary": 1}, {"cited work": 1, "remark": 1})


def test_of_what_fails_the_reader_is_told_who_said_it_or_what_was_known() -> None:
    known, surprise = entry("000/j", "fails", "fails"), entry("000/k", "fails", "holds", as_expected=False)
    ours = entry("000/o", "fails", None, standing=["DERIVED"])
    step = entry("000/p", "fails", "fails", step_of="000/h")  # is not counted
    assert summary([*CLAIMS, *shown(known, surprise, ours, step)], [], [])["failing"] == [
        "5 belong to errata of the papers",
        "1 belongs to a remark",
        "1 was said by others or by no source",
        "1 is a conclusion of the paper that is not so on these data",
        "1 answers a question of ours",
        "1 was known not to hold",
    ]


def test_the_headline_and_what_stayed_open_come_from_the_ledger() -> None:
    rows = [{"ratio_to_min_noise": "1.25", "ratio_to_rw_ftpl": "1.5"}, {"ratio_to_min_noise": "2.5"}]
    seen = summary(CLAIMS, [], rows)
    assert [card["id"] for card in seen["headline"]] == ["000/table-2-printed-words", "000/f"]
    assert seen["reproduced"] == {"fails": 1, "not run": 1}
    assert seen["ratios"] == [
        {"baseline": "Min Noise", "cells": 2, "low": "1.25", "high": "2.50"},
        {"baseline": "RW-FTPL", "cells": 1, "low": "1.50", "high": "1.50"},
    ]
    idle = {reason: [claim["id"] for claim in claims] for reason, claims in seen["idle"].items()}
    assert idle == {"few weeks": ["000/g"]}
    assert [card["id"] for card in seen["undecided"]] == ["000/h"]
    assert (seen["unseen"], seen["unread"]) == (1, 1)


def test_each_paper_has_what_stands_what_falls_and_what_could_not_be_seen_by_verdict() -> None:
    named = {"headline": 1, "short": "it $x$"}
    made = [
        entry("000/a", **named),
        entry("000/b"),
        entry("000/c", "fails", "fails", erratum=slip("E000-1", severity="fatal"), **named),
        entry("000/d", "fails", None, kind="reproduction"),
        entry("000/e", "undecided", **named),
        entry("000/f", "not run", standing=["TEMPLATE", "DERIVED"], reason="few weeks"),
        entry("000/g", place="Section 1; not in the paper", **named),
        entry("000/h", "fails", "fails", step_of="000/a"),
        entry("000/i", "undecided", None, place="Section 1; not in the paper", **named),
        entry("001/a"),
        entry("001/b", "fails", "fails", erratum=slip("E001-1", "cited work")),
        entry("001/c", "fails", None, standing=["DERIVED"]),  # a question of ours
    ]
    papers = [{"paper": "000", "title": "One"}, {"paper": "001", "title": "Two"}]
    first, second = findings(shown(*made), papers)
    ids = {part: [card["id"] for card in cards] for part, cards in first["named"].items()}
    assert ids == {"stands": ["000/a"], "falls": ["000/c"], "open": ["000/e", "000/i"], "others": []}
    assert first["verdicts"] == {"holds": 3, "fails": 2, "undecided": 2, "not run": 1}  # without the step
    assert first["falls"] == "1 false, 1 of them fatal; 1 not so on these data"
    assert [card["id"] for card in first["better"]] == ["000/g"]
    assert (first["unseen"], second["unseen"]) == (1, 0)
    assert second["verdicts"] == {"holds": 1, "fails": 2}
    assert second["falls"] == "2 remarks, others' words, own questions"
    assert "<math" in first["named"]["stands"][0]["short"]


def test_a_statement_of_a_claim_is_said_in_words_and_named_where_it_is_undecided() -> None:
    parts = [{"name": BEST.name, "verdict": "holds"}, {"name": "order of the gains", "verdict": "undecided"}]
    [card] = shown(entry("000/a", "fails", None, statements=parts))
    assert [part["words"] for part in card["statements"]] == [BEST.words, "Order of the gains"]
    assert summary([card], [], [])["undecided"] == [card]
    [card] = shown(entry("000/a", "fails", None, statements=parts[:1]))
    assert summary([card], [], [])["undecided"] == []


def test_what_is_said_of_table_2_says_in_how_many_cells_it_holds_under_other_learners() -> None:
    counts = {"statement": BEST.name, "agrees": "8", "differs": "1", "undecided": "3"}
    rows = [
        {"kind": kind, "floor": floor, **counts} for floor in ("2t", "none") for kind in ("trend", "other")
    ]
    assert under_readings(rows) == {BEST.name: "16 of 24"}  # with the printed floor alone
    assert under_readings([]) == {}
    assert readings_table(rows) == {
        "kinds": ["trend", "other"],
        "statements": {BEST.words: ["8 / 1 / 3", "8 / 1 / 3"]},
    }
