"""The page as a whole: one dictionary, which the templates turn into one file."""

import re
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from markupsafe import Markup

from private_experts.replication.intervals import CONFIDENCE
from private_experts.replication.ledger.errata import SEVERITIES
from private_experts.replication.ledger.strength import STRENGTHS, counted
from private_experts.replication.ledger.verdicts import ORDER, tally
from private_experts.replication.plotting.self_contained_html import policy, templates
from private_experts.replication.report.page import cards, hospital_data, listings, page_summary, pictures, provenance
from private_experts.replication.report.page.dependency_view import graphs, of_claims, of_errata
from private_experts.replication.timing import Account

HERE = Path(__file__).parent
TITLE = "Claims and verdicts"


def view(
    ledger: Mapping[str, Any],
    manifest: Mapping[str, Any],
    evidence: Mapping[str, Sequence[Mapping[str, str]]],
    evidence_files: Mapping[str, str],
    jobs: Sequence[Mapping[str, Any]],
    costs: Mapping[str, Account],
    table_2: Sequence[Mapping[str, str]],
    multiverse: Sequence[Mapping[str, str]],
    drawings: Mapping[str, str],
    files: Mapping[str, Sequence[tuple[str, str]]],
    modules: Mapping[str, str],
    link: Callable[[str], str],
) -> dict[str, Any]:
    """Return all that the page says: evidence by claim, drawings by figure, code by module, and the rest of a run."""
    titles = {figure["name"]: figure["title"] for figure in ledger["figures"]}
    claims = [
        cards.claim(entry, order, evidence[entry["id"]], costs.get(entry["id"]), titles)
        for order, entry in enumerate(ledger["claims"])
    ]
    for each in claims:
        path = evidence_files[each["id"]]
        each["evidence"] |= {"path": path, "link": link(path)}
        each["code"]["link"] = link(each["code"]["file"])
        file, _, anchor = each["mathematics"].partition("#")
        each["mathematics"] = {"link": f"{link(file)}#{anchor}", "anchor": anchor}
    supports = of_claims(ledger["claims"])
    for each in claims:
        each["stands"] = supports[each["id"]]
    code, of_check = listings.listings((entry["check"] for entry in ledger["claims"]), modules)
    addresses = {paper["paper"]: paper.get("public", "") for paper in ledger["papers"]}
    for each, entry in zip(claims, ledger["claims"], strict=True):
        each["code"]["pieces"] = of_check[entry["check"]]
        each["public"] = addresses[entry["paper"]]
    slips = cards.errata(claims)
    counts = cards.counts(ledger["papers"], ledger["claims"])
    linked = {name: [(kind, link(path)) for kind, path in paths] for name, paths in files.items()}
    return {
        "title": TITLE,
        "data": hospital_data.data(manifest["data"], table_2),
        "small": bool(manifest["config"]["values"].get("evidence", {}).get("quick")),
        "papers": counts,
        "totals": tally(ledger["claims"]),
        "claims": claims,
        "kinds": cards.KINDS,
        "standings": cards.STANDINGS,
        "verdicts": ORDER,
        "strengths": STRENGTHS,
        "worth": counted(ledger["claims"]),
        "confidence": f"{100 * CONFIDENCE:g}",
        "summary": page_summary.summary(claims, slips, table_2),
        "code": code,
        "errata": [*page_summary.by_weight(slips), *(each for each in slips if not each["papers"])],
        "severities": SEVERITIES,
        "consequences": of_errata(ledger["claims"]),
        "graphs": graphs(ledger["claims"], ledger["papers"]),
        "nouns": cards.NOUNS,
        "alone": cards.failing_alone(claims),
        "multiverse": multiverse,
        "table_2": hospital_data.table_2(table_2),
        "figures": pictures.figures(ledger["figures"], drawings, linked),
        "undescribed": pictures.undescribed(manifest["outputs"], titles, link),
        "record": provenance.provenance(manifest, link),
        "times": provenance.times(jobs),
    }


def render(view: Mapping[str, Any]) -> str:
    """Return the page.

    The page's own policy forbids every request, and every script and style that the page itself does not hold.
    """
    style, more, first, script = (
        (HERE / "assets" / name).read_text(encoding="utf-8")
        for name in ("style.css", "dependency_view.css", "first.js", "page.js")
    )
    style += more
    page = templates(HERE / "templates").get_template("page.html.j2")
    return flush_left(
        page.render(
            view,
            policy=policy([style], [first, script]),
            style=Markup(style),
            first=Markup(first),
            script=Markup(script),
        )
    )


def flush_left(html: str) -> str:
    """Return a page without the indentation of its templates; code, scripts and styles stay as they are."""
    parts = re.split(r"(<(pre|script|style)\b.*?</\2>)", html, flags=re.DOTALL)
    return "".join(
        re.sub(r"\n\s+", "\n", text) + kept for text, kept in zip(parts[::3], [*parts[1::3], ""], strict=True)
    )
