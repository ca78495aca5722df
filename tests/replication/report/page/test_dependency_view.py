"""The page says beside each claim what it rests on, below each erratum what falls, and draws a graph of each paper."""

import re
from pathlib import Path
from typing import Any

from private_experts.replication.report.page import dependency_view
from tests.replication.ledger.ledgers import entry, slip
from tests.replication.ledger.ledgers import everything as ledger

STRONG = {"name": "tight", "words": "tight, 0.9 of the bound"}
LOOSE = {"name": "loose", "words": "loose, 0.1 of the bound"}


def claim(name: str, *rests_on: str, **more: Any) -> dict[str, Any]:
    return entry(name, **more) | {"rests_on": list(rests_on), "survives": "", "strength": STRONG} | more


WRONG = claim("000/lemma/as-printed", verdict="fails", expected="fails", erratum=slip("E000-1"))
SMALL = [
    WRONG,
    claim("000/lemma", erratum=slip("E000-1"), strength=LOOSE),
    claim("000/theorem", "000/lemma/as-printed", "000/lemma"),
    claim("000/late", "000/lemma/as-printed", survives="Not used for $x > 1$."),
    claim("000/alone"),
    claim("002/corollary", "000/theorem"),
]


def test_a_claim_names_its_supports_what_it_supports_and_the_weakest_of_all_below() -> None:
    told = dependency_view.of_claims(SMALL)
    assert [each["id"] for each in told["000/theorem"]["rests_on"]] == ["000/lemma/as-printed", "000/lemma"]
    theorem, lemma = ({"id": f"000/{name}", "verdict": "holds"} for name in ("theorem", "lemma"))
    assert told["000/lemma"]["carries"] == [theorem | {"strength": STRONG["words"]}]
    assert told["002/corollary"]["weakest"] == lemma | {"strength": LOOSE["words"]}
    assert told["000/late"]["weakest"] is None  # what it rests on does not stand
    nothing = {key: [] for key in ("rests_on", "carries", "excused", "open")}
    assert told["000/alone"] == nothing | {"weakest": None, "survives": "", "unproved": ""}
    assert "<math" in told["000/late"]["survives"]
    above = dependency_view.of_claims([*SMALL, claim("000/summary", "000/late", "000/theorem")])["000/summary"]
    assert [each["id"] for each in above["excused"]] == ["000/late"]


def test_a_support_weighs_by_its_verdict_and_then_by_its_strength() -> None:
    kinds = [("fails", "counterexample"), ("undecided", ""), ("not run", ""), ("holds", "vacuous"), ("holds", "loose")]
    kinds += [("holds", "tight"), ("holds", "certified"), ("by construction", "by construction")]
    weights = [dependency_view.weight({"verdict": verdict, "strength": {"name": name}}) for verdict, name in kinds]
    assert weights == sorted(set(weights))


def test_an_erratum_tells_what_falls_with_it_and_what_survives() -> None:
    told = dependency_view.of_errata(
        [*SMALL, claim("000/step/as-printed", "000/lemma/as-printed", erratum=slip("E000-2"))]
    )
    assert list(told) == ["E000-1"]  # nothing of E000-2 fails
    assert [(each["id"], each["mends"]) for each in told["E000-1"]["falls"]] == [("000/step/as-printed", [])]
    survivors = {each["id"]: (each["mends"], str(each["why"])[:8]) for each in told["E000-1"]["survives"]}
    assert survivors == {"000/theorem": (["000/lemma"], ""), "000/late": ([], "Not used")}
    assert [each["id"] for each in told["E000-1"]["above"]] == ["002/corollary"]


def test_a_graph_has_a_box_for_each_claim_with_a_neighbour_and_ports_to_other_papers() -> None:
    first, second = dependency_view.graphs(SMALL, [{"paper": "000", "title": "One"}, {"paper": "002", "title": "Two"}])
    boxes = {box["id"]: box for box in first["boxes"]}
    assert set(boxes) == {each["id"] for each in SMALL} - {"000/alone"}
    assert [each["id"] for each in first["alone"]] == ["000/alone"]
    assert {name for name, box in boxes.items() if box["port"]} == {"002/corollary"}
    assert boxes["000/lemma/as-printed"]["lines"] == ("lemma", "as printed · fails")
    assert boxes["000/lemma"]["lines"] == ("lemma", "holds · loose")
    assert boxes["002/corollary"]["lines"] == ("002/corollary", "holds · tight")
    assert sum(arrow["broken"] for arrow in first["arrows"]) == 2
    assert len(first["arrows"]) == 4
    assert {box["id"]: box["port"] for box in second["boxes"]} == {"000/theorem": True, "002/corollary": False}
    (only,) = dependency_view.graphs([claim("000/a"), claim("000/b")], [{"paper": "000", "title": "One"}])
    assert (only["boxes"], only["arrows"], len(only["alone"])) == ([], [], 2)


def test_every_claim_of_the_project_is_in_the_graph_of_its_paper_or_stands_alone() -> None:
    for each in dependency_view.graphs(ledger()["claims"], ledger()["papers"]):
        own = [entry["id"] for entry in ledger()["claims"] if entry["paper"] == each["paper"]]
        shown = [box["id"] for box in each["boxes"] if not box["port"]] + [entry["id"] for entry in each["alone"]]
        assert sorted(shown) == sorted(own)


def test_the_page_shows_it_where_a_reader_looks(everything: Path) -> None:
    page = everything.read_text(encoding="utf-8")
    card = page[page.index('id="003/theorem-6"') :].partition("</tbody>")[0]
    assert re.search(r"Rests on</h3>\s*<p><a href=\"#003/theorem-5\">", card)
    assert re.search(r"Supports</h3>\s*<p><a href=\"#003/theorem-6-attained\">", card)
    erratum = page[page.index('id="E003-1"') :].partition("</article>")[0]
    assert re.search(r"Fails with it:</b></p>\s*<ul><li><a href=\"#003/clipping-cost/as-printed\">", erratum)
    assert "Survives:" in erratum
    graph = page[page.index('id="stands-003"') :].partition("</svg>")[0]
    assert re.search(r'<a href="#001/lemma-a1" class="box [^"]* port">', graph)
    assert re.search(r'<a href="#003/theorem-6" class="box [^"]*(?<!port)">', graph)
