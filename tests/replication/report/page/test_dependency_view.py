"""The page says by each claim what it rests on, and by each erratum what falls."""

import re
from pathlib import Path
from typing import Any

from private_experts.replication.report.page import dependency_view
from tests.replication.ledger.ledgers import entry, slip
from tests.replication.report.page.reading import filled

STRONG = {"known": "proved", "words": "proved in ball arithmetic, 0.9 of the bound"}
LOOSE = {"known": "measured", "words": "measured, 0.1 of the bound"}


def claim(name: str, *rests_on: str, **more: Any) -> dict[str, Any]:
    return entry(name, **more) | {"rests_on": list(rests_on), "survives": "", "grade": STRONG} | more


WRONG = claim("000/lemma/as-printed", verdict="fails", expected="fails", erratum=slip("E000-1"))
SMALL = [
    WRONG,
    claim("000/lemma", erratum=slip("E000-1"), grade=LOOSE),
    claim("000/theorem", "000/lemma/as-printed", "000/lemma"),
    claim("000/late", "000/lemma/as-printed", survives="Not used for $x > 1$."),
    claim("000/alone"),
    claim("002/corollary", "000/theorem"),
]


def test_a_claim_names_its_supports_what_it_supports_and_the_weakest_of_all_below() -> None:
    views = dependency_view.of_claims(SMALL)
    assert [mark["id"] for mark in views["000/theorem"]["rests_on"]] == ["000/lemma/as-printed", "000/lemma"]
    theorem, lemma = (
        {"id": f"000/{name}", "verdict": "holds", "sign": "✓", "verdict_label": "holds"}
        for name in ("theorem", "lemma")
    )
    assert views["000/lemma"]["carries"] == [theorem | {"grade": STRONG["words"]}]
    assert views["002/corollary"]["weakest"] == lemma | {"grade": LOOSE["words"]}
    assert views["000/late"]["weakest"] is None  # what it rests on does not stand
    nothing = {key: [] for key in ("rests_on", "carries", "excused", "open")}
    assert views["000/alone"] == nothing | {"weakest": None, "survives": "", "unproved": ""}
    assert "<math" in views["000/late"]["survives"]
    summary = claim("000/summary", "000/late", "000/theorem")
    above = dependency_view.of_claims([*SMALL, summary])["000/summary"]
    assert [mark["id"] for mark in above["excused"]] == ["000/late"]


def test_a_support_weighs_by_its_verdict_and_then_by_how_that_is_known() -> None:
    weights = [
        dependency_view.weight({"verdict": verdict, "grade": {"known": name}})
        for verdict, name in (
            *(("fails", "counterexample"), ("undecided", ""), ("not run", "")),
            *(("holds", "measured"), ("holds", "proved")),
        )
    ]
    assert weights == sorted(set(weights))


def test_an_erratum_tells_what_falls_with_it_and_what_survives() -> None:
    step = claim("000/step/as-printed", "000/lemma/as-printed", erratum=slip("E000-2"))
    views = dependency_view.of_errata([*SMALL, step])
    assert list(views) == ["E000-1"]  # nothing of E000-2 fails
    falls, survives = views["E000-1"]["falls"], views["E000-1"]["survives"]
    assert [(claim["id"], claim["mends"]) for claim in falls] == [("000/step/as-printed", [])]
    survivors = {each["id"]: (each["mends"], str(each["why"])[:8]) for each in survives}
    assert survivors == {"000/theorem": (["000/lemma"], ""), "000/late": ([], "Not used")}
    assert [mark["id"] for mark in views["E000-1"]["above"]] == ["002/corollary"]


def test_the_page_shows_it_where_a_reader_looks(everything: Path) -> None:
    page = filled(everything.read_text(encoding="utf-8"))
    card = page[page.index('id="003/theorem-6"') :].partition("</tbody>")[0]
    assert re.search(r"Rests on</p>\s*<p><a href=\"#003/theorem-5\">", card)
    assert re.search(r"Supports</p>\s*<p><a href=\"#003/theorem-6-attained\">", card)
    erratum = page[page.index('id="E003-1"') :].partition("</details>")[0]
    assert re.search(r"Fails with it:</b></p>\s*<ul><li><a href=\"#003/clipping-cost/as-printed\">", erratum)
    assert "Survives:" in erratum
