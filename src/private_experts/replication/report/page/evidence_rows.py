"""Evidence as a table on the page: counterexamples and the points nearest to failing first."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from private_experts.replication.ledger.evidence import nearest_first, nearness, relative
from private_experts.replication.ledger.ledger_tables import HIDDEN, SENSES, relation
from private_experts.replication.plotting.numbers import interval, number, percent, short

SHOWN = 100  # rows on the page; the file has all


def bar(row: Mapping[str, Any]) -> dict[str, str]:
    """Return the relative margin as a bar from 0 to 100 the bound in the middle, wide enough to be seen."""
    ends = [50 + 50 * min(max(end, -1.0), 1.0) if not math.isnan(end) else 50.0 for end in relative(row)]
    middle, width = sum(ends) / 2, max(ends[1] - ends[0], 2.4)
    start = min(max(middle - width / 2, 0.0), 100.0 - width)
    return {"x": f"{start:.1f}", "width": f"{width:.1f}"}


def point(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return what decides one grid point, as the page shows it."""
    return {
        "value": short(row["value"]),
        "interval": interval(row["low"], row["high"]),
        "exact": number(row["low"]) == number(row["high"]),
        "sense": SENSES[row["sense"]],
        "relation": relation(row),
        "bound": short(row["bound"]),
        "margin": interval(row["margin_low"], row["margin_high"]),
        "room": percent(nearness(row)),
        "verdict": str(row["verdict"]),
        "bar": bar(row),
    }


def parameters(row: Mapping[str, Any]) -> list[tuple[str, str]]:
    """Return where a point is: the grid's parameters, without the notes, which stand in the evidence."""
    names = list(row)
    where = names[: names.index("value")] if "value" in row else names
    return [(name, short(row[name])) for name in where if name not in HIDDEN and str(row[name]) != ""]


def table(rows: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """Return the evidence of a claim: its columns, and its first rows by `nearest_first`."""
    if not rows or "value" not in rows[0]:
        return {"where": [], "notes": [], "exact": True, "rows": [], "total": 0}
    names = list(rows[0])
    where, notes = names[: names.index("value")], names[names.index("verdict") + 1 :]
    ordered = nearest_first(rows)[:SHOWN]
    shown = [
        point(row)
        | {"where": [short(row[name]) for name in where], "notes": [short(row[name]) for name in notes]}
        for row in ordered
    ]
    return {
        "where": where,
        "notes": notes,
        "exact": all(point["exact"] for point in shown),
        "rows": shown,
        "total": len(rows),
    }
