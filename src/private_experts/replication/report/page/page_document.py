"""The page as a whole: one dictionary, which the templates turn into one file."""

import base64
import json
import re
import zlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from private_experts.replication.ledger.errata import SEVERITIES
from private_experts.replication.ledger.grading import KNOWN, counted
from private_experts.replication.ledger.ranking import errata_counted
from private_experts.replication.ledger.timing import Account
from private_experts.replication.ledger.verdicts import ORDER, SIGNS, of_paper, tally
from private_experts.replication.plotting.self_contained_html import policy, templates
from private_experts.replication.report.findings import ALT, LIMIT, PICTURE, Findings
from private_experts.replication.report.page import (
    cards,
    hospital_data,
    listings,
    opposition,
    page_summary,
    pictures,
    provenance,
)
from private_experts.replication.report.page.dependency_view import of_claims, of_errata
from private_experts.replication.study import published, statements
from private_experts.replication.study.intervals import CONFIDENCE
from private_experts.replication.study.own_counts import own_counts_elsewhere, own_counts_price
from private_experts.replication.study.readings import slope

HERE = Path(__file__).parent
TABLE_2_WORDS = "000/table-2-words"
TITLE = "Which hospital next week? Five papers, checked"


def view(
    ledger: Mapping[str, Any],
    manifest: Mapping[str, Any],
    evidence: Mapping[str, Sequence[Mapping[str, str]]],
    evidence_files: Mapping[str, str],
    jobs: Sequence[Mapping[str, Any]],
    costs: Mapping[str, Account],
    table_2: Sequence[Mapping[str, str]],
    readings: Sequence[Mapping[str, str]],
    states: Sequence[Mapping[str, str]],
    price: Sequence[Mapping[str, str]],
    columns: Sequence[Mapping[str, str]],
    weeks_played: Iterable[str],
    own_elsewhere: Sequence[Mapping[str, str]],
    told: Findings,
    picture: str,
    drawings: Mapping[str, str],
    files: Mapping[str, Sequence[tuple[str, str]]],
    modules: Mapping[str, str],
    link: Callable[[str], str],
) -> dict[str, Any]:
    """Return all the page says: evidence by claim, drawings by figure, code by module, the rest of a run."""
    entries, titles = ledger["claims"], {figure["name"]: figure["title"] for figure in ledger["figures"]}
    addresses = {paper["paper"]: paper.get("public", "") for paper in ledger["papers"]}
    code, of_check = listings.listings((entry["check"] for entry in entries), modules)
    # As they are now, not when the claims were checked.
    lines = {piece["name"]: piece["line"] for piece in code}
    supports, claims = of_claims(entries), []
    proofs: dict[str, str] = {}
    for order, entry in enumerate(entries):
        name = entry["id"]
        card = cards.claim(entry, order, evidence[name], costs.get(name), titles)
        card["evidence"] |= {"path": evidence_files[name], "link": link(evidence_files[name])}
        card["code"] |= {"link": link(card["code"]["file"]), "pieces": of_check[entry["check"]]}
        card["code"]["line"] = lines[entry["check"]]
        file, _, anchor = entry["mathematics"].partition("#")
        card["mathematics"] = {"link": f"{link(file)}#{anchor}", "anchor": anchor}
        proofs[name] = card["mathematics"]["link"]
        claims.append(card | {"stands": supports[name], "public": addresses[entry["paper"]]})
    claims = cards.rows(claims)
    slips = cards.errata(claims)
    linked = {name: [(kind, link(path)) for kind, path in paths] for name, paths in files.items()}
    return {
        "title": TITLE,
        "citation": ledger["citation"],
        "told": told,
        "limit_label": LIMIT,
        "picture": pictures.data_uri(picture),
        "picture_size": pictures.size(picture),
        "picture_alt": ALT,
        "picture_file": f"figures/{PICTURE}.svg",
        "pinned": manifest["data"]["kind"] == "pinned",
        "data": hospital_data.data(manifest["data"], table_2, weeks_played),
        "about_data": link("resources/hhs/README.md"),
        "small": bool(manifest["config"]["values"].get("evidence", {}).get("quick")),
        "papers": [{**paper, **tally(of_paper(entries, paper["paper"]))} for paper in ledger["papers"]],
        "totals": tally(entries),
        "errata_counted": errata_counted(entries),
        "claims": claims,
        "kinds": cards.KINDS,
        "standings": cards.STANDINGS,
        "verdicts": ORDER,
        "known": KNOWN,
        "grades": counted(entries),
        "confidence": f"{100 * CONFIDENCE:g}",
        "summary": page_summary.summary(claims, slips, table_2),
        "findings": page_summary.findings(claims, ledger["papers"]),
        "opposition": opposition.picture(evidence),
        "price": own_counts_price.sentence(price),
        "below": slope.below_print(table_2),
        "games": statements.games_of(evidence.get(TABLE_2_WORDS, ()), statements.BEST.name),
        "slope": slope.sentence(table_2, columns),
        "own_elsewhere": own_counts_elsewhere.sentence(own_elsewhere),
        "elsewhere": statements.elsewhere(states),
        "choices": page_summary.under_readings(readings),
        "code": code,
        "errata": [*page_summary.by_weight(slips), *(slip for slip in slips if not slip["papers"])],
        "severities": SEVERITIES,
        "consequences": of_errata(entries),
        "nouns": cards.NOUNS,
        "signs": SIGNS,
        "alone": [claim for claim in claims if claim["verdict"] == "fails" and not claim["erratum"]],
        "readings": page_summary.readings_table(readings),
        "table_2": hospital_data.table_2(table_2),
        "caveat": published.CAVEAT,
        "paper_patients": published.PATIENTS,
        "figures": pictures.figures(ledger["figures"], drawings, linked, proofs),
        "record": provenance.provenance(manifest, link),
        "times": provenance.times(jobs),
    }


def render(view: Mapping[str, Any]) -> str:
    """Return the page; its policy forbids every request, and every style and script it does not hold.

    What a reader opens is not in its HTML: these parts stand packed at its end, each once, and page.js
    unpacks them.
    """
    style, more, first, *scripts = (
        (HERE / "assets" / name).read_text(encoding="utf-8")
        for name in ("style.css", "dependency_view.css", "first.js", "search.js", "page.js")
    )
    style += more
    script = "".join(scripts)
    page = templates(HERE / "templates").get_template("page.html.j2")
    parts: dict[str, str] = {}

    def later(name: str, part: str) -> str:
        parts[name] = flush_left(part)
        return ""

    def packed() -> str:
        text = json.dumps(parts, ensure_ascii=False, separators=(",", ":"))
        return base64.b64encode(zlib.compress(text.encode(), 9)).decode()

    return flush_left(
        page.render(
            view,
            policy=policy([style], [first, script]),
            style=Markup(style),
            first=Markup(first),
            script=Markup(script),
            later=later,
            searched=cards.searched,
            packed=packed,
        )
    )


def flush_left(html: str) -> str:
    """Return a page without the indentation of its templates; code, scripts and styles stay as they are."""
    parts = re.split(r"(<(pre|script|style)\b.*?</\2>)", html, flags=re.DOTALL)
    return "".join(
        re.sub(r"\n\s+", "\n", text) + kept for text, kept in zip(parts[::3], [*parts[1::3], ""], strict=True)
    )
