"""The hospital study on the page: its data, and Table 2 beside the published one."""

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from private_experts.replication.plotting.numbers import grouped, in_weeks, number, percent, short
from private_experts.replication.report.weeks import Weeks, weeks
from private_experts.replication.study import published
from private_experts.replication.study.table_2_columns import COLUMN


def data(
    origin: Mapping[str, Any], table_2: Sequence[Mapping[str, str]], weeks_played: Iterable[str]
) -> dict[str, Any]:
    """Return the state of the data, from its provenance, Table 2's panels and their weeks."""
    shapes = {row["state"]: row for row in table_2}
    counts = [int(row["weeks"]) for row in shapes.values()]
    fewest = min(counts) / published.WEEKS
    share = percent(fewest) if len({*counts}) == 1 else f"at least {percent(fewest)}"
    return {
        **{"name": "", "sha256": "", "patients": ""},
        **origin,
        "synthetic": origin["kind"] == "synthetic",
        "reports": grouped(int(origin["rows"])),
        "weeks": in_weeks(counts),
        "of": published.WEEKS,
        "paper_first": published.FIRST_WEEK.isoformat(),
        "share": share,
        "weeks_of_states": in_weeks(origin["weeks"].values()),
        "strip": strip(weeks(weeks_played, origin["kind"] == "pinned")),
        "shapes": [{**row, "published": published.HOSPITALS.get(state)} for state, row in shapes.items()],
    }


def strip(found: Weeks) -> dict[str, Any]:
    """Return which of the paper's weeks are there, and which of these were copied by hand, as SVG paths."""
    return {
        "there": len(found.there),
        "copied": len(found.copied),
        "missing": found.missing,
        "between": found.between,
        "drawn": {
            name: "".join(f"M{cell} 0h.8v8h-.8z" for cell in some)
            for name, some in (
                ("track", range(published.WEEKS)),
                ("there", found.there),
                ("copied", found.copied),
            )
        },
    }


def table_2(rows: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """Return by state the ratios that Table 2 and the published one imply, and the gains a week."""
    states: dict[str, dict[str, Any]] = {}
    for row in rows:
        state = states.setdefault(
            row["state"],
            {"state": row["state"], "weeks": row["weeks"], "hospitals": row["hospitals"], "levels": []},
        )
        printed = published.printed(row["state"], number(row["mu"]))
        weeks = int(row["weeks"]), published.WEEKS
        gains = [_cell(row, name, printed.get(name), *weeks, digits=3) for name in published.COLUMNS]
        ratios = [_cell(row, name, printed.get(name)) for name in published.RATIOS]
        state["levels"].append({"mu": short(row["mu"]), "gains": gains, "ratios": ratios})
    return {
        "states": list(states.values()),
        "gains": [COLUMN[name].heading for name in published.COLUMNS],
        "ratios": [COLUMN[name].heading for name in published.RATIOS],
        "weeks": published.WEEKS,
        "complete": all(int(row["weeks"]) == published.WEEKS for row in rows),
    }


def _cell(
    row: Mapping[str, str],
    name: str,
    printed: float | None,
    weeks: int = 1,
    printed_weeks: int = 1,
    digits: int = 2,
) -> dict[str, str]:
    """Return one value with its half-width and the printed one, each by its weeks; and the difference."""
    here, half_width = number(row[name]) / weeks, number(row.get(f"{name}_pm", "nan")) / weeks
    narrow = math.isnan(half_width) or half_width < 0.5 * 10**-digits
    paper = None if printed is None else printed / printed_weeks
    return {
        "here": _decimal(here, digits),
        "pm": "" if narrow else f"{half_width:.{digits}f}",
        "paper": "" if paper is None else _decimal(paper, digits),
        "difference": ""
        if paper is None or weeks != printed_weeks
        else _decimal(here - paper, digits, sign=True),
    }


def _decimal(value: float, digits: int, sign: bool = False) -> str:
    return (f"{value:+.{digits}f}" if sign else f"{value:.{digits}f}").replace("-", "−")
