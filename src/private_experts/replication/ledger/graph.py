"""What rests on what: what each claim rests on, and what a statement that fails takes with it.

A claim rests on the claims that its statement or its proof uses. So a statement that fails takes with it what
rests on it, except what rests on its mended form as well, or says why it stands all the same (`survives`).
What says that its proof is lost, and that it is measured alone (`unproved`), is open.
[verdicts.md#what-rests-on-what]
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from graphlib import CycleError, TopologicalSorter
from typing import Any

from private_experts.errors import InputError


@dataclass(frozen=True)
class Node:
    """A claim as the graph sees it."""

    id: str
    rests_on: Sequence[str] = ()
    fails: bool = False  # or is expected to
    erratum: str | None = None  # its name
    survives: str = ""  # why it stands though something that it rests on does not
    unproved: str = ""  # what is known of it though its proof is lost with something that it rests on

    @property
    def reason(self) -> str:
        """Why it is not given up though something that it rests on does not stand."""
        return self.survives or self.unproved

    @property
    def wrong(self) -> bool:
        """Whether it is the wrong statement of its erratum, whose id has three parts."""
        return self.id.count("/") == 2


Graph = Mapping[str, Node]


@dataclass(frozen=True)
class Survivor:
    """A claim that rests on what does not stand, and is kept: for these mended claims, or for this reason."""

    id: str
    corrections: Sequence[str]
    why: str


@dataclass(frozen=True)
class Consequences:
    """What a statement that fails means for the claims above it."""

    falls: Mapping[str, Sequence[str]]  # what falls with it, and the mended claims that replace it
    survives: Sequence[Survivor]  # what rests on it or on what falls, and stands
    above: Sequence[str]  # what stands because these do
    unproved: Sequence[Survivor] = ()  # what loses a proof, and is measured alone
    doubtful: Sequence[str] = ()  # what rests on that


def of_entries(entries: Iterable[Mapping[str, Any]]) -> dict[str, Node]:
    """Return a graph of claims with their verdicts, as the ledger has them; leave out what is not listed."""
    listed = {entry["id"]: entry for entry in entries}
    return {
        name: Node(
            name,
            [support for support in entry.get("rests_on", ()) if support in listed],
            entry["verdict"] == "fails",
            (entry["erratum"] or {}).get("name"),
            entry.get("survives", ""),
            entry.get("unproved", ""),
        )
        for name, entry in listed.items()
    }


def supported(graph: Graph) -> dict[str, list[str]]:
    """Return for each claim those that rest on it, in the graph's order."""
    above: dict[str, list[str]] = {name: [] for name in graph}
    for node in graph.values():
        for support in node.rests_on:
            above[support].append(node.id)
    return above


def corrections(graph: Graph, name: str) -> list[str]:
    """Return the mended claims of a wrong statement: that of its id without the ending, or its erratum's."""
    node = graph[name]
    if not node.wrong:
        return []
    # The mended claim has the id without the ending; only where there is none do other claims of the erratum
    # mend it.
    twin = name.rpartition("/")[0]
    if twin in graph:
        return [twin]
    return [
        other.id for other in graph.values() if other.erratum == node.erratum is not None and not other.wrong
    ]


def check(graph: Graph, place: Callable[[str], object]) -> None:
    """Refuse holes, circles, and claims that rest on what fails, unless it is mended or they say why."""
    for node in graph.values():
        for support in node.rests_on:
            if support not in graph:
                raise InputError(f"{place(node.id)}: {node.id} rests on {support}, which is not a claim")
    try:
        broken = _broken(graph)
    except CycleError as error:
        circle = error.args[1][::-1]
        raise InputError(
            f"{place(circle[0])}: {' rests on '.join(circle)}; a proof must not be circular"
        ) from error
    for node in _upwards(graph):
        missing = _not_replaced(graph, node, broken)
        if missing and not (node.reason or node.fails or corrections(graph, node.id)):
            raise InputError(
                f"{place(node.id)}: {node.id} rests on {missing[0]}, which does not hold; let it rest also "
                "on the mended claim, or say in `survives:` why it holds"
            )
        if node.survives and node.unproved:
            raise InputError(
                f"{place(node.id)}: {node.id} has `survives:` and `unproved:`; leave out one of them"
            )
        # A reason that no longer applies would hide the next slip.
        if node.reason and not missing:
            field = "survives" if node.survives else "unproved"
            raise InputError(
                f"{place(node.id)}: {node.id} rests on nothing that fails, so leave out `{field}:`"
            )


def _upwards(graph: Graph) -> list[Node]:
    """Return the claims, each after all that it rests on."""
    return [
        graph[name]
        for name in TopologicalSorter({node.id: node.rests_on for node in graph.values()}).static_order()
    ]


def _not_replaced(graph: Graph, node: Node, broken: set[str]) -> list[str]:
    """Return what a claim rests on that does not stand, and whose mended form it does not rest on."""
    # What falls is replaced where the claim rests on its mended form too: then the proof goes through that.
    standing = set(node.rests_on) - broken
    return [
        support
        for support in node.rests_on
        if support in broken and not standing.intersection(corrections(graph, support))
    ]


def _broken(graph: Graph) -> set[str]:
    """Return all claims that do not stand: those that fail, and those that fall with them."""
    broken: set[str] = set()
    for node in _upwards(graph):
        # From below upwards, so that one pass suffices: supports are judged before what rests on them.
        if node.fails or (not node.reason and _not_replaced(graph, node, broken)):
            broken.add(node.id)
    return broken


def consequences(graph: Graph, fails: Iterable[str]) -> Consequences:
    """Return what falls with statements that fail, and what survives."""
    lost, broken = set(fails), _broken(graph)
    falls: dict[str, Sequence[str]] = {}
    survivors: dict[str, Survivor] = {}
    unproved: dict[str, Survivor] = {}
    above: list[str] = []
    doubtful: list[str] = []
    for node in _upwards(graph):
        hit = lost.intersection(node.rests_on)
        if node.id in lost:
            continue
        if hit:
            missing = hit.intersection(_not_replaced(graph, node, broken))
            if missing and not node.reason:
                lost.add(node.id)
                falls[node.id] = corrections(graph, node.id)
            else:
                carried = [
                    support
                    for support in node.rests_on
                    if any(support in corrections(graph, wrong) for wrong in hit)
                ]
                group = unproved if missing and node.unproved else survivors
                group[node.id] = Survivor(node.id, carried, node.reason if missing else "")
        # Doubt is inherited: a proof that uses a measured statement is no proof.
        elif node.id not in broken and any(
            support in unproved or support in doubtful for support in node.rests_on
        ):
            doubtful.append(node.id)
        elif node.id not in broken and any(
            support in survivors or support in above for support in node.rests_on
        ):
            above.append(node.id)
    return Consequences(falls, list(survivors.values()), above, list(unproved.values()), doubtful)


def carriers(graph: Graph) -> dict[str, list[str]]:
    """Return for each claim all that carries it, directly or not, nearest first; nothing replaced."""
    broken = _broken(graph)
    direct, below = {}, {}
    for node in graph.values():
        missing = [] if node.reason else _not_replaced(graph, node, broken)
        direct[node.id] = [
            support for support in node.rests_on if support not in broken or support in missing
        ]
    for name in graph:
        found = waiting = direct[name]
        # Breadth first, so that the nearest carriers come first.
        while waiting:
            waiting = list(
                dict.fromkeys(more for claim in waiting for more in direct[claim] if more not in found)
            )
            found = found + waiting
        below[name] = found
    return below
