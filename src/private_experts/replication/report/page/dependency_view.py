"""What rests on what, as the page shows it: beside each claim, below each erratum, and as a graph of each paper."""

from collections.abc import Mapping, Sequence
from typing import Any

from private_experts.replication.ledger import graph
from private_experts.replication.ledger.strength import STRENGTHS
from private_experts.replication.ledger.verdicts import BY_CONSTRUCTION
from private_experts.replication.plotting.formulas import html
from private_experts.replication.report.page.graph_layout import placed

Entry = Mapping[str, Any]

# How firm a claim's box looks in a graph, by its strength.
GRIPS = {
    "certified": "firm",
    "enumerated": "firm",
    "agrees": "firm",
    "loose": "weak",
    "sign": "weak",
    "lenient": "weak",
    "vacuous": "void",
}
LETTER, SMALL = 6.7, 5.6  # widths of a letter in the two lines of a box, in pixels
HEIGHT, PITCH, PADDING = 34.0, 42.0, 9.0

VERDICTS = ("fails", "undecided", "not run", "holds", BY_CONSTRUCTION)  # from the weakest support to the best


def of_claims(entries: Sequence[Entry]) -> dict[str, dict[str, Any]]:
    """Return for each claim what it rests on and carries, its weakest support, and which stand for another reason."""
    nodes, listed = graph.of_entries(entries), {entry["id"]: entry for entry in entries}
    carried, below = graph.supported(nodes), graph.carriers(nodes)
    weakest = {name: min((listed[each] for each in found), key=weight, default=None) for name, found in below.items()}
    return {
        name: {
            "rests_on": [_mark(listed[each]) for each in node.rests_on],
            "carries": [_mark(listed[each]) for each in carried[name]],
            "weakest": _mark(weak) if (weak := weakest[name]) else None,
            "survives": html(node.survives),
            "unproved": html(node.unproved),
            "excused": [_mark(listed[each]) for each in below[name] if nodes[each].survives],
            "open": [_mark(listed[each]) for each in below[name] if nodes[each].unproved],
        }
        for name, node in nodes.items()
    }


def weight(entry: Entry) -> tuple[int, int]:
    """Return how much a claim can carry: by its verdict first, then by its strength."""
    name = entry["strength"]["name"]
    return VERDICTS.index(entry["verdict"]), -[*STRENGTHS, ""].index(name)


def _mark(entry: Entry) -> dict[str, str]:
    """Return what stands for a claim in a list: its id and verdict, and its strength in words."""
    words = entry["strength"]["words"]
    return {"id": entry["id"], "verdict": entry["verdict"], "strength": words if words != entry["verdict"] else ""}


def of_errata(entries: Sequence[Entry]) -> dict[str, dict[str, Any]]:
    """Return for each erratum with a statement that fails what falls with it and what survives, by its name."""
    nodes, listed = graph.of_entries(entries), {entry["id"]: entry for entry in entries}
    wrong: dict[str, list[str]] = {}
    for node in nodes.values():
        if node.erratum and node.fails:
            wrong.setdefault(node.erratum, []).append(node.id)
    told = {}
    for name, fails in wrong.items():
        found = graph.consequences(nodes, fails)
        told[name] = {
            "falls": [{**_mark(listed[each]), "mends": list(mends)} for each, mends in found.falls.items()],
            "survives": [_kept(listed[each.id], each) for each in found.survives],
            "above": [_mark(listed[each]) for each in found.above],
            "unproved": [_kept(listed[each.id], each) for each in found.unproved],
            "doubtful": [_mark(listed[each]) for each in found.doubtful],
        }
    return told


def _kept(entry: Entry, survivor: graph.Survivor) -> dict[str, Any]:
    return {**_mark(entry), "mends": list(survivor.mends), "why": html(survivor.why)}


def graphs(entries: Sequence[Entry], papers: Sequence[Mapping[str, str]]) -> list[dict[str, Any]]:
    """Return the graph of each paper: boxes and arrows, and the claims that have neither.

    A claim of another paper is a port: it shows that an arrow comes from there, or leads there.
    """
    nodes, listed = graph.of_entries(entries), {entry["id"]: entry for entry in entries}
    edges = graph.arrows(nodes)
    drawn = []
    for paper in papers:
        short = paper["paper"]
        own = [edge for edge in edges if short in (edge[0][:3], edge[1][:3])]
        touched = {name for edge in own for name in edge}
        shown = [name for name in nodes if name in touched]
        alone = [_mark(entry) for name, entry in listed.items() if name[:3] == short and name not in touched]
        lines = {name: _lines(listed[name], name[:3] != short) for name in shown}
        drawn.append({**paper, "alone": alone, **_drawing(lines, own, listed, short)})
    return drawn


def _drawing(
    lines: Mapping[str, tuple[str, str]], edges: Sequence[tuple[str, str]], listed: Mapping[str, Entry], paper: str
) -> dict[str, Any]:
    """Return size, boxes and arrows of one graph; of a paper whose claims all stand alone it is empty."""
    if not edges:
        return {"width": 0, "height": 0, "boxes": [], "arrows": []}
    widths = {
        name: round(max(LETTER * (len(first) + 2), SMALL * len(second)) + 2 * PADDING)
        for name, (first, second) in lines.items()
    }
    layout = placed(widths, edges, HEIGHT, PITCH)
    boxes = [
        {
            **_mark(listed[name]),
            **{side: f"{length:g}" for side, length in box._asdict().items()},
            "lines": lines[name],
            "grip": GRIPS.get(listed[name]["strength"]["name"], ""),
            "port": name[:3] != paper,
        }
        for name, box in layout.boxes.items()
    ]
    arrows = [
        {"path": path, "broken": listed[one]["verdict"] == "fails"}
        for (one, _), path in zip(edges, layout.paths, strict=True)
    ]
    return {"width": f"{layout.width:.0f}", "height": f"{layout.height:.0f}", "boxes": boxes, "arrows": arrows}


def _lines(entry: Entry, port: bool) -> tuple[str, str]:
    """Return what stands in a box: the claim's name, of another paper with its number; and its verdict and strength."""
    paper, name, *ending = entry["id"].split("/")
    words = [ending[0].replace("-", " ")] if ending else []
    words.append(entry["verdict"])
    if entry["verdict"] == "holds" and entry["strength"]["name"]:
        words.append(entry["strength"]["name"])
    return (f"{paper}/{name}" if port else name), " · ".join(words)
