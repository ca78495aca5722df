"""The hospital study on the page: its data, and Table 2 beside the published one."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from private_experts.replication.plotting.numbers import grouped, in_weeks, number, percent, short
from private_experts.replication.study import published
from private_experts.replication.study.table_2_columns import COLUMN


def data(origin: Mapping[str, Any], table_2: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """Return the state of the data, from its provenance and from the sizes of the panels in Table 2."""
    shapes = {row["state"]: row for row in table_2}
    weeks = [int(row["weeks"]) for row in shapes.values()]
    fewest = min(weeks) / published.WEEKS
    share = percent(fewest) if len({*weeks}) == 1 else f"at least {percent(fewest)}"
    return {
        **{"name": "", "sha256": ""},
        **origin,
        "synthetic": origin["kind"] == "synthetic",
        "reports": grouped(int(origin["rows"])),
        "weeks": in_weeks(weeks),
        "of": published.WEEKS,
        "share": share,
        "covered": f"{100 * min(fewest, 1):.1f}",
        "weeks_of_states": in_weeks(origin["weeks"].values()),
        "shapes": [{**row, "published": published.HOSPITALS.get(state)} for state, row in shapes.items()],
    }


def table_2(rows: Sequence[Mapping[str, str]]) -> dict[str, Any]:
    """Return Table 2 beside the published one, by state, and the ratios that both tables imply."""
    states: dict[str, dict[str, Any]] = {}
    for row in rows:
        state = states.setdefault(
            row["state"], {"state": row["state"], "weeks": row["weeks"], "hospitals": row["hospitals"], "levels": []}
        )
        printed = published.printed(row["state"], number(row["mu"]))
        gains = [_cell(row, name, printed.get(name)) for name in published.COLUMNS]
        ratios = [_cell(row, name, printed.get(name)) for name in published.RATIOS]
        state["levels"].append({"mu": short(row["mu"]), "gains": gains, "ratios": ratios})
    return {
        "states": list(states.values()),
        "gains": [COLUMN[name].heading for name in published.COLUMNS],
        "ratios": [COLUMN[name].heading for name in published.RATIOS],
        "weeks": published.WEEKS,
        "complete": all(int(row["weeks"]) == published.WEEKS for row in rows),
    }


def _cell(row: Mapping[str, str], name: str, printed: float | None) -> dict[str, str]:
    """Return one value with its half-width, the printed value, and the difference."""
    here, half_width = number(row[name]), number(row.get(f"{name}_pm", "nan"))
    narrow = math.isnan(half_width) or half_width < 0.005
    return {
        "here": _gain(here),
        "pm": "" if narrow else f"{half_width:.2f}",
        "paper": "" if printed is None else _gain(printed),
        "difference": "" if printed is None else _gain(here - printed, sign=True),
    }


def _gain(value: float, sign: bool = False) -> str:
    return (f"{value:+.2f}" if sign else f"{value:.2f}").replace("-", "−")
