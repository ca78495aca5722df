"""What the ledger comes to, however it is shown: counts of verdicts, errata, and what is nearest to failing."""

import math
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from private_experts.replication.drawing.numbers import number

Entry = Mapping[str, Any]

ORDER = ("holds", "fails", "undecided", "not run")
PRINTED = "/as-printed"  # how the id of a statement ends that is kept as the paper prints it

_RANK = {"fails": 0, "undecided": 1, "holds": 2}


def tally(entries: Iterable[Entry]) -> dict[str, Any]:
    """Return how many claims there are, by verdict, otherwise than expected, without expectation; and errata."""
    listed = list(entries)
    by_verdict = Counter(entry["verdict"] for entry in listed)
    return {
        "total": len(listed),
        "verdicts": {verdict: by_verdict[verdict] for verdict in ORDER},
        "surprising": sum(not entry["as_expected"] for entry in listed),
        "observed": sum(entry["expected"] is None for entry in listed),
        "errata": len({entry["erratum"] for entry in listed if entry.get("erratum")}),
    }


def of_paper(entries: Iterable[Entry], paper: str) -> list[Entry]:
    """Return the claims of a paper."""
    return [entry for entry in entries if entry["paper"] == paper]


def errata(entries: Iterable[Entry]) -> dict[str, tuple[list[Entry], list[Entry]]]:
    """Return the claims of each erratum, by its number: what is wrong as printed, and what stands beside it."""
    named: dict[str, tuple[list[Entry], list[Entry]]] = {}
    for entry in entries:
        if entry.get("erratum"):
            printed, mended = named.setdefault(entry["erratum"], ([], []))
            (printed if is_printed(entry) else mended).append(entry)
    return dict(sorted(named.items(), key=lambda item: place_of(item[0])))


def is_printed(entry: Entry) -> bool:
    """Tell whether a claim of an erratum is what is wrong, and not what is right instead."""
    return bool(entry["id"].endswith(PRINTED) or entry["expected"] == "fails")


def place_of(erratum: str) -> list[int]:
    """Return what an erratum, such as E000-12, is sorted by."""
    return [int(part) for part in re.findall(r"\d+", erratum)]


def relative(row: Mapping[str, Any]) -> tuple[float, float]:
    """Return a point's margin as a share of its bound or value, whichever is larger: 1 is far away, 0 at the bound."""
    scale = max(abs(number(row["bound"])), abs(number(row["value"])))
    if not scale > 0:
        scale = 1.0
    low, high = number(row["margin_low"]) / scale, number(row["margin_high"]) / scale
    return low, high


def nearness(row: Mapping[str, Any]) -> float:
    """Return the end of the relative margin that decides: the far one of a counterexample, the near one otherwise."""
    low, high = relative(row)
    return high if row["verdict"] == "fails" else low


def nearest_first(rows: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return grid points with counterexamples first, then what is open, then what holds, each by its nearness."""

    def severity(row: Mapping[str, Any]) -> tuple[int, float]:
        near = nearness(row)
        return _RANK.get(str(row["verdict"]), 1), -math.inf if math.isnan(near) else near

    return sorted(rows, key=severity)
