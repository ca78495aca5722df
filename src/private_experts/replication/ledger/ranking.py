"""What a reader sees first, and what stands in whose row.

The headlines come first, in the order of their numbers. Below its row a claim has its steps, which are not
counted, and a printed statement its mended form.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from private_experts.replication.ledger import graph
from private_experts.replication.ledger.errata import PAPER
from private_experts.replication.ledger.verdicts import errata, is_papers, without_steps

Entry = Mapping[str, Any]

_OURS = re.compile("not in the paper|improved here")  # in a claim's place


def added(entry: Entry) -> bool:
    """Tell whether a claim is beside the paper, by its place."""
    return bool(_OURS.search(entry["place"]))


def is_corrected_form(entry: Entry) -> bool:
    """Tell whether a claim is the mended form of an erratum of the paper."""
    slip = entry["erratum"]
    return bool(slip) and is_papers(slip) and entry["id"].count("/") < 2 and entry["expected"] != "fails"


def concludes(entry: Entry) -> bool:
    """Tell whether a claim is what the paper concludes from its data."""
    return bool(entry["kind"] == "reproduction" and not added(entry))


FALLS = ("false (fatal)", "not so on these data", "remarks, others' words, own questions")


def falls(entries: Sequence[Entry]) -> dict[str, str]:
    """Count the claims that fail: false as the papers print them, not so on the data at hand, and others."""
    printed, fatal, *rest = _fallen(entries)
    return dict(zip(FALLS, [f"{printed} ({fatal})", *map(str, rest)], strict=True))


def falls_in_words(entries: Sequence[Entry]) -> str:
    """Return the same counts in words, without what does not occur."""
    printed, fatal, *rest = _fallen(entries)
    first = f"{printed} false{f', {fatal} of them fatal' * bool(fatal)}"
    parts = [first] * bool(printed) + [
        f"{many} {what}" for many, what in zip(rest, FALLS[1:], strict=True) if many
    ]
    return "; ".join(parts)


def _fallen(entries: Sequence[Entry]) -> tuple[int, int, int, int]:
    found = [entry for entry in without_steps(entries) if entry["verdict"] == "fails"]
    printed = [entry for entry in found if entry["erratum"] and is_papers(entry["erratum"])]
    fatal = sum(entry["erratum"]["severity"] == "fatal" for entry in printed)
    seen = [entry for entry in found if entry not in printed and concludes(entry)]
    return len(printed), fatal, len(seen), len(found) - len(printed) - len(seen)


def errata_counted(entries: Sequence[Entry]) -> str:
    """Return in words why the papers have another number of errata than of false statements."""
    claims = {entry["id"] for entry in without_steps(entries)}
    false = [
        [entry["id"] in claims for entry in printed if entry["verdict"] == "fails"]
        for slip, printed, _ in errata(entries)
        if is_papers(slip)
    ]
    counted, steps = sum(map(any, false)), sum(bool(counts) and not any(counts) for counts in false)
    return (
        f"{counted} have the {sum(map(sum, false))} false statements that are counted, {steps} are of steps, "
        f"which are not counted, and {false.count([])} of gaps in proofs, without a false statement"
    )


def rows_of(entries: Sequence[Entry]) -> dict[str, str]:
    """Return for each claim whose row it stands in: itself, what it is a step of, or its printed form."""
    nodes, listed = graph.of_entries(entries), {entry["id"]: entry for entry in entries}
    printed: dict[str, str] = {}
    for name, entry in listed.items():
        slip = entry["erratum"]
        if slip and slip["said_by"] == PAPER and nodes[name].wrong and not entry.get("step_of"):
            # With several wrong statements for one erratum, only the twin by its id is certainly the printed
            # form.
            alike = [node for node in nodes.values() if node.wrong and node.erratum == slip["name"]]
            for corrected in graph.corrections(nodes, name):
                if len(alike) == 1 or corrected == name.rpartition("/")[0]:
                    printed.setdefault(corrected, name)
    served = {name: entry["step_of"] for name, entry in listed.items() if entry.get("step_of") in listed}
    rows = {name: served.get(name, name) for name in listed}
    return {name: printed.get(row, row) for name, row in rows.items()}


def headlines(entries: Sequence[Entry]) -> list[Entry]:
    """Return the headlines in the order of their places."""
    return sorted((entry for entry in entries if entry["headline"]), key=lambda entry: entry["headline"])


def reading_order(entries: Sequence[Entry]) -> list[Entry]:
    """Return the headlines, then the others as given; each is followed by what else stands in its row."""
    rows = rows_of(entries)
    within: dict[str, list[Entry]] = {}
    for entry in entries:
        within.setdefault(rows[entry["id"]], []).append(entry)
    first = dict.fromkeys(rows[entry["id"]] for entry in headlines(entries))
    order = [*first, *(name for name in within if name not in first)]
    return [entry for name in order for entry in sorted(within[name], key=lambda claim: _place(claim, name))]


def _place(entry: Entry, row: str) -> int:
    """Return where a claim stands in a row: the row's own first, its mended form, then the steps."""
    return 2 if entry.get("step_of") else int(entry["id"] != row)
