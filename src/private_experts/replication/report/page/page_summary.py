"""What the page says first: what was found, in order of weight, and what could not be checked."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from private_experts.replication.ledger.errata import PAPER
from private_experts.replication.ledger.ranking import concludes, falls_in_words
from private_experts.replication.ledger.verdicts import is_papers, without_steps
from private_experts.replication.plotting.numbers import number
from private_experts.replication.study import statements
from private_experts.replication.study.readings.readings_tables import ADMISSIBLE

GRAVE = ("fatal", "proof fails", "constant")  # severities whose errata are named one by one
# Statements that fail, by who said them or what was known of them, for one and for several.
WHY = {
    "papers": ("belongs to an erratum of the papers", "belong to errata of the papers"),
    "remarks": ("belongs to a remark", "belong to remarks"),
    "others": ("was said by others or by no source", "were said by others or by no source"),
    "conclusions": (
        "is a conclusion of the paper that is not so on these data",
        "are conclusions of the paper that are not so on these data",
    ),
    "open": ("answers a question of ours", "answer questions of ours"),
    "known": ("was known not to hold", "were known not to hold"),
}
_FATES = {"holds": "stands", "fails": "falls"}  # of verdicts; all others are open
PRINTED = "000/table-2-printed-words"  # what the paper's own table says of its abstract
_ANSWERS = ("agrees", "differs", "undecided")
# columns of what becomes of statements under other readings
READINGS = ("kind", "floor", "statement", *_ANSWERS)
Card = Mapping[str, Any]


def by_weight(errata: Sequence[Card]) -> list[Card]:
    """Return the papers' own errata, the gravest first, and those of one severity by number."""
    return sorted((erratum for erratum in errata if erratum["papers"]), key=lambda erratum: erratum["rank"])


def summary(
    claims: Sequence[Card], errata: Sequence[Card], table_2: Sequence[Mapping[str, str]]
) -> dict[str, Any]:
    """Return what stands on the first screen, from the cards of claims and errata and the rows of Table 2."""
    claims = without_steps(claims)
    ordered = by_weight(errata)
    idle: dict[str, list[Card]] = {}
    for claim in claims:
        if claim["verdict"] == "not run":
            idle.setdefault(claim["reason"], []).append(claim)
    return {
        "grave": {
            severity: [erratum for erratum in ordered if erratum["severity"] == severity]
            for severity in GRAVE
        },
        "lesser": Counter(erratum["severity"] for erratum in ordered if erratum["severity"] not in GRAVE),
        "elsewhere": Counter(erratum["label"] for erratum in errata if not erratum["papers"]),
        "failing": _failing(claims),
        "headline": [claim for claim in claims if claim["id"] == PRINTED]
        + [claim for claim in claims if claim["headline"] and claim["kind"] == "reproduction"],
        "reproduced": Counter(claim["verdict"] for claim in claims if claim["kind"] == "reproduction"),
        "ratios": _ratios(table_2),
        "idle": idle,
        "undecided": [
            claim
            for claim in claims
            if "undecided" in (claim["verdict"], *(part["verdict"] for part in claim["statements"]))
        ],
        "unseen": sum(claim["unseen"] for claim in claims),
        "unread": sum(claim["unread"] for claim in claims),  # some of the unseen
    }


def _is_own(card: Card) -> bool:
    """Tell whether the paper itself makes a statement that fails: no other work, copy or question."""
    return bool(
        card["erratum"]["said_by"] == PAPER if card["erratum"] else card["expected"] or concludes(card)
    )


def findings(claims: Sequence[Card], papers: Sequence[Mapping[str, str]]) -> list[dict[str, Any]]:
    """Return of each paper what stands, falls and is open: headlines by name, all counts by verdict."""
    found = []
    for paper in papers:
        of_paper = without_steps(claim for claim in claims if claim["paper"] == paper["paper"])
        parts: dict[str, list[Card]] = {"stands": [], "falls": [], "open": [], "others": []}
        for claim in of_paper:
            fate = _FATES.get(claim["verdict"], "open")
            parts["others" if fate == "falls" and not _is_own(claim) else fate].append(claim)
        better = [claim for claim in parts["stands"] if claim["headline"] and claim["added"]]
        named = {
            part: [claim for claim in kept if claim["headline"] and not (part == "stands" and claim["added"])]
            for part, kept in parts.items()
        }
        found.append(
            {
                **paper,
                "named": named,
                "verdicts": Counter(
                    claim["verdict"] for claim in of_paper
                ),  # as many as a filter by verdict shows
                "falls": falls_in_words(of_paper),
                "better": better,
                "unseen": sum(claim["unseen"] for claim in of_paper),
            }
        )
    return found


def readings_table(rows: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """Return the kinds of learners, and by statement the cells in which it holds, fails and is undecided."""
    printed = [row for row in rows if row["floor"] == ADMISSIBLE]
    words = {statement.name: statement.words for statement in statements.STATEMENTS}
    cells: dict[str, list[str]] = {}
    for row in printed:
        cells.setdefault(words[row["statement"]], []).append(" / ".join(row[answer] for answer in _ANSWERS))
    return {"kinds": list(dict.fromkeys(row["kind"] for row in printed)), "statements": cells}


def under_readings(rows: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Return by statement in how many cells it holds, of those of all kinds of learners together."""
    found: dict[str, list[Mapping[str, str]]] = {}
    for row in rows:
        if row["floor"] == ADMISSIBLE:
            found.setdefault(row["statement"], []).append(row)
    return {
        name: f"{sum(int(row[_ANSWERS[0]]) for row in mine)} of "
        f"{sum(int(row[answer]) for row in mine for answer in _ANSWERS)}"
        for name, mine in found.items()
    }


def _failing(claims: Sequence[Card]) -> list[str]:
    """Return why statements fail, as far as that was expected, with their numbers."""
    counts: Counter[str] = Counter()
    for claim in claims:
        if claim["verdict"] == "fails" and not claim["surprising"]:
            slip = claim["erratum"]
            group = "others" if slip and slip["said_by"] != PAPER else "remarks" if slip else "known"
            known = "papers" if slip and is_papers(slip) else group
            observed = known if claim["expected"] else "open"
            counts["conclusions" if concludes(claim) else observed] += 1
    return [f"{counts[why]} {words[counts[why] > 1]}" for why, words in WHY.items() if why in counts]


def _ratios(table_2: Sequence[Mapping[str, str]]) -> list[dict[str, Any]]:
    """Return the least and largest ratio of RW-Meta's gain to each baseline's, over Table 2's cells."""
    found = []
    for column, baseline in (("ratio_to_min_noise", "Min Noise"), ("ratio_to_rw_ftpl", "RW-FTPL")):
        ratios = [number(row[column]) for row in table_2 if column in row]
        if ratios:
            ends = {"low": f"{min(ratios):.2f}", "high": f"{max(ratios):.2f}"}
            found.append({"baseline": baseline, "cells": len(ratios), **ends})
    return found
