"""The hospital study on the page: its data, and Table 2 beside the published one."""

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import date, timedelta
from typing import Any

from private_experts.replication.plotting.numbers import grouped, in_weeks, number, percent, short
from private_experts.replication.study import published
from private_experts.replication.study.table_2_columns import COLUMN

# Weeks of the repository's file that were copied by hand: resources/hhs/README.md.
COPIED_UNTIL, COPIED_LATER = "2020-12-25", "2021-01-22"


def data(
    origin: Mapping[str, Any], table_2: Sequence[Mapping[str, str]], weeks_played: Iterable[str]
) -> dict[str, Any]:
    """Return the state of the data, from its provenance, Table 2's panels and their weeks."""
    shapes = {row["state"]: row for row in table_2}
    weeks = [int(row["weeks"]) for row in shapes.values()]
    fewest = min(weeks) / published.WEEKS
    share = percent(fewest) if len({*weeks}) == 1 else f"at least {percent(fewest)}"
    return {
        **{"name": "", "sha256": "", "patients": ""},
        **origin,
        "synthetic": origin["kind"] == "synthetic",
        "reports": grouped(int(origin["rows"])),
        "weeks": in_weeks(weeks),
        "of": published.WEEKS,
        "paper_first": published.FIRST_WEEK.isoformat(),
        "share": share,
        "weeks_of_states": in_weeks(origin["weeks"].values()),
        "strip": strip(weeks_played, origin["kind"] == "pinned"),
        "shapes": [{**row, "published": published.HOSPITALS.get(state)} for state, row in shapes.items()],
    }


def strip(weeks_played: Iterable[str], pinned: bool) -> dict[str, Any]:
    """Return which of the paper's weeks are there, and which of these were copied by hand, as SVG paths."""
    cells = {
        round((date.fromisoformat(week) - published.FIRST_WEEK).days / 7): pinned
        and (week <= COPIED_UNTIL or week == COPIED_LATER)
        for week in weeks_played
    }
    there = sorted(cell for cell in cells if 0 <= cell < published.WEEKS)
    copied = [cell for cell in there if cells[cell]]
    return {
        "there": len(there),
        "copied": len(copied),
        "missing": missing(there),
        "between": there[-1] - there[0] + 1 - len(there) if there else 0,
        "drawn": {
            name: "".join(f"M{cell} 0h.8v8h-.8z" for cell in some)
            for name, some in (("track", range(published.WEEKS)), ("there", there), ("copied", copied))
        },
    }


def missing(there: Sequence[int]) -> list[str]:
    """Return the paper's weeks that are not there, by the number of each, as spans of dates."""
    absent = sorted({*range(published.WEEKS)} - {*there})
    firsts = [week for week in absent if week - 1 not in absent]
    lasts = [week for week in absent if week + 1 not in absent]

    def day(week: int) -> str:
        return (published.FIRST_WEEK + timedelta(weeks=week)).isoformat()

    return [
        day(first) if first == last else f"{day(first)} to {day(last)}"
        for first, last in zip(firsts, lasts, strict=True)
    ]


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
