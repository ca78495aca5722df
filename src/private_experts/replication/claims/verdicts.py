"""The ledger in sum: counts of verdicts, and errata."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Any

Entry = Mapping[str, Any]

BY_CONSTRUCTION = "by construction"  # a kind of claim, and what such a claim is counted under when its check holds
ORDER = ("holds", "fails", "undecided", "not run", BY_CONSTRUCTION)
PRINTED = "/as-printed"  # ends the id of a statement that is kept as the paper prints it


def tally(entries: Iterable[Entry]) -> dict[str, Any]:
    """Count claims: all, by verdict, with another verdict than expected, without an expected one; and count errata."""
    listed = list(entries)
    by_verdict = Counter(entry["verdict"] for entry in listed)
    return {
        "total": len(listed),
        "verdicts": {verdict: by_verdict[verdict] for verdict in ORDER},
        "surprising": sum(not entry["as_expected"] for entry in listed),
        "observed": sum(entry["expected"] is None for entry in listed),
        "errata": len({entry["erratum"] for entry in listed if entry.get("erratum")}),
    }


def outcome(kind: str, verdict: str) -> str:
    """Return what a claim is counted under: its verdict, unless it holds by construction."""
    return BY_CONSTRUCTION if kind == BY_CONSTRUCTION and verdict == "holds" else verdict


def of_paper(entries: Iterable[Entry], paper: str) -> list[Entry]:
    """Return the claims of a paper."""
    return [entry for entry in entries if entry["paper"] == paper]


def errata(entries: Iterable[Entry]) -> dict[str, tuple[list[Entry], list[Entry]]]:
    """Return the claims of each erratum by its number: those that are wrong as printed, and the mended ones."""
    named: dict[str, tuple[list[Entry], list[Entry]]] = {}
    for entry in entries:
        if entry.get("erratum"):
            printed, mended = named.setdefault(entry["erratum"], ([], []))
            (printed if is_printed(entry) else mended).append(entry)
    return dict(sorted(named.items(), key=lambda item: place_of(item[0])))


def is_printed(entry: Entry) -> bool:
    """Tell whether a claim of an erratum is the wrong statement; otherwise it is the mended one."""
    return bool(entry["id"].endswith(PRINTED) or entry["expected"] == "fails")


def place_of(erratum: str) -> list[int]:
    """Return the numbers by which an erratum, such as E000-12, is sorted."""
    return [int(part) for part in re.findall(r"\d+", erratum)]
