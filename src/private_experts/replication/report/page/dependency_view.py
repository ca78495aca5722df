"""What rests on what, as the page shows it: beside a claim, and below an erratum."""

from collections.abc import Mapping, Sequence
from typing import Any

from private_experts.replication.ledger import graph
from private_experts.replication.ledger.grading import KNOWN
from private_experts.replication.ledger.verdicts import sign, verdict_label
from private_experts.replication.plotting.formulas import html

Entry = Mapping[str, Any]

VERDICTS = ("fails", "undecided", "not run", "holds")  # from the weakest support to the best


def of_claims(entries: Sequence[Entry]) -> dict[str, dict[str, Any]]:
    """Return for each claim what it rests on and carries, its weakest support, and who stands otherwise."""
    nodes, listed = graph.of_entries(entries), {entry["id"]: entry for entry in entries}
    carried, below = graph.supported(nodes), graph.carriers(nodes)
    weakest = {
        name: min((listed[claim] for claim in found), key=weight, default=None)
        for name, found in below.items()
    }
    return {
        name: {
            "rests_on": [_mark(listed[support]) for support in node.rests_on],
            "carries": [_mark(listed[claim]) for claim in carried[name]],
            "weakest": _mark(weak) if (weak := weakest[name]) else None,
            "survives": html(node.survives),
            "unproved": html(node.unproved),
            "excused": [_mark(listed[support]) for support in below[name] if nodes[support].survives],
            "open": [_mark(listed[support]) for support in below[name] if nodes[support].unproved],
        }
        for name, node in nodes.items()
    }


def weight(entry: Entry) -> tuple[int, int]:
    """Return how much a claim can carry: by its verdict first, then by how that is known."""
    known = entry["grade"]["known"]
    return VERDICTS.index(entry["verdict"]), -[*KNOWN, ""].index(known)


def _mark(entry: Entry) -> dict[str, str]:
    """Return what stands for a claim in a list: its id and verdict, and its grade in words."""
    words = entry["grade"]["words"]
    return {
        "id": entry["id"],
        "verdict": entry["verdict"],
        "sign": sign(entry),
        "verdict_label": verdict_label(entry),
        "grade": words if words != entry["verdict"] else "",
    }


def of_errata(entries: Sequence[Entry]) -> dict[str, dict[str, Any]]:
    """Return for each erratum whose statement fails what falls with it and what survives, by its name."""
    nodes, listed = graph.of_entries(entries), {entry["id"]: entry for entry in entries}
    wrong: dict[str, list[str]] = {}
    for node in nodes.values():
        if node.erratum and node.fails:
            wrong.setdefault(node.erratum, []).append(node.id)
    views = {}
    for name, fails in wrong.items():
        found = graph.consequences(nodes, fails)
        views[name] = {
            "falls": [
                {**_mark(listed[claim]), "mends": list(corrections)}
                for claim, corrections in found.falls.items()
            ],
            "survives": [_surviving(listed[conclusion.id], conclusion) for conclusion in found.survives],
            "above": [_mark(listed[claim]) for claim in found.above],
            "unproved": [_surviving(listed[conclusion.id], conclusion) for conclusion in found.unproved],
            "doubtful": [_mark(listed[claim]) for claim in found.doubtful],
        }
    return views


def _surviving(entry: Entry, survivor: graph.Survivor) -> dict[str, Any]:
    return {**_mark(entry), "mends": list(survivor.corrections), "why": html(survivor.why)}
