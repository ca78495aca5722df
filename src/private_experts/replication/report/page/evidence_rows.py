"""Evidence as a table on the page: counterexamples and the points nearest to failing first."""

import json
import math
from collections.abc import Mapping, Sequence
from string import ascii_letters
from typing import Any

from markupsafe import Markup

from private_experts.replication.ledger.evidence import nearest_first, nearness, relative
from private_experts.replication.ledger.ledger_tables import HIDDEN, SENSES, relation
from private_experts.replication.plotting.numbers import interval, number, percent, short

SHOWN = 200  # rows on the page; the file has all
AT_ONCE = 3  # rows that stand there before a claim is opened


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
    """Return the grid's parameters and the notes of a point, without the columns that decide."""
    return [(name, short(value)) for name, value in row.items() if name not in HIDDEN and str(value) != ""]


def table(rows: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """Return the evidence of a claim: its columns, the first rows by `nearest_first`, the `packed` rest."""
    if not rows or "value" not in rows[0]:
        return {"where": [], "notes": [], "exact": True, "rows": [], "rest": "", "more": 0, "total": 0}
    names = list(rows[0])
    where, notes = names[: names.index("value")], names[names.index("verdict") + 1 :]
    ordered = nearest_first(rows)[:SHOWN]
    shown = [
        point(row)
        | {"where": [short(row[name]) for name in where], "notes": [short(row[name]) for name in notes]}
        for row in ordered
    ]
    exact = all(point["exact"] for point in shown)
    return {
        "where": where,
        "notes": notes,
        "exact": exact,
        "rows": shown[:AT_ONCE],
        "rest": packed(shown[AT_ONCE:], exact),
        "more": len(rows) - len(shown),
        "total": len(rows),
    }


def packed(rows: Sequence[Mapping[str, Any]], exact: bool) -> Markup:
    """Return rows as JSON that can stand in a page, column by column; the browser draws them on opening.

    The columns are the verdict, the place and the width of the bar, and then the texts of the cells. A column
    of few different texts is a list of them, and a letter for each row; of one text, it and the number of
    rows.
    """
    lines = [
        [
            *(row["verdict"], row["bar"]["x"], row["bar"]["width"], *row["where"], row["value"]),
            *([] if exact else [row["interval"]]),
            *(f"{row['sense']} {row['bound']}", row["margin"], *row["notes"]),
        ]
        for row in rows
    ]
    columns = [_column(column) for column in zip(*lines, strict=True)]
    text = json.dumps(columns, ensure_ascii=False, separators=(",", ":"))
    return Markup(text.replace("<", "\\u003c")) if lines else Markup("")


def _column(texts: Sequence[str]) -> list[Any]:
    """Return the texts of a column, or when they are few the different ones and a letter for each row."""
    if len({*texts}) == 1:
        return [[texts[0]], len(texts)]
    few = {text: letter for letter, text in zip(ascii_letters, dict.fromkeys(texts), strict=False)}
    return [list(few), "".join(map(few.__getitem__, texts))] if {*texts} == {*few} else list(texts)
