"""The shapes of the paper's panels: on panels of its weeks, and where these are not all there."""

from dataclasses import replace
from datetime import date, timedelta
from typing import Any

import numpy as np
import pytest

from private_experts.replication.ledger.evidence import NotRunError, Point, decide
from private_experts.replication.papers.p000.panel_shapes import compared_shapes
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.published import HOSPITALS, WEEKS
from tests.each import each


def of_the_papers_shape(first: date, **changes: dict[str, Any]) -> dict[str, Panel]:
    """Return panels of the paper's weeks, hospitals and bed counts, each with the changes of its state."""
    weeks = tuple((first + timedelta(weeks=week)).isoformat() for week in range(WEEKS))
    found = {}
    for state, hospitals in HOSPITALS.items():
        names = tuple(f"{number:06d}" for number in range(hospitals))
        beds = np.linspace(4.3, 12.0, WEEKS) if state == "PA" else np.linspace(5.0, 14.6, WEEKS)
        found[state] = replace(
            Panel(weeks, names, np.zeros((WEEKS, hospitals)), beds), **changes.get(state, {})
        )
    return found


FRIDAY, SUNDAY = date(2020, 8, 7), date(2020, 8, 9)
WHOLE = of_the_papers_shape(FRIDAY)


def checked(panels: dict[str, Panel]) -> list[Point]:
    return compared_shapes(panels)


@each("first", [FRIDAY, SUNDAY])  # reports are named after either
def test_panels_of_the_papers_shape_hold(first: date) -> None:
    points = checked(of_the_papers_shape(first))
    assert decide(points) == "holds"
    assert len(points) == 8


def shortened(panel: Panel, rows: Any) -> dict[str, Any]:
    """Return a panel's fields with some weeks left out."""
    kept = np.delete(np.arange(WEEKS), rows)
    return {"weeks": tuple(panel.weeks[week] for week in kept), "smallest_beds": panel.smallest_beds[kept]}


@each(
    ("state", "changes", "what"),
    [
        ("NM", {"hospitals": WHOLE["NM"].hospitals[1:]}, "hospitals"),
        ("CA", {"hospitals": (*WHOLE["CA"].hospitals, "one more")}, "hospitals"),
        ("PA", shortened(WHOLE["PA"], [70]), "weeks"),
        ("PA", {"smallest_beds": np.linspace(4.4, 12.0, WEEKS)}, "least of the smallest bed counts"),
        ("PA", {"smallest_beds": np.linspace(4.3, 14.7, WEEKS)}, "largest of the smallest bed counts"),
    ],
)
def test_a_panel_of_another_shape_fails_there(state: str, changes: dict[str, Any], what: str) -> None:
    points = checked(of_the_papers_shape(FRIDAY, **{state: changes}))
    [wrong] = [point for point in points if decide([point]) == "fails"]
    assert wrong.where == {"state": "all" if "bed" in what else state, "what": what}


@each("rows", [[0], [WEEKS - 1], range(94, WEEKS)])
def test_without_the_papers_first_and_last_week_it_is_not_run_and_says_what_there_is(rows: Any) -> None:
    changes = {state: shortened(panel, rows) for state, panel in WHOLE.items()}
    with pytest.raises(NotRunError) as caught:
        checked(of_the_papers_shape(FRIDAY, **changes))
    message = str(caught.value)
    assert f"the data has {WEEKS - len(rows)} of the paper's 148 weeks" in message
    assert "24 (24) in NM and 146 (146) in PA and 293 (293) in CA" in message
    assert "," not in message  # it is a row of a CSV file


def test_without_one_of_the_papers_states_it_is_not_run() -> None:
    with pytest.raises(NotRunError, match="no panel of PA"):
        checked({state: panel for state, panel in WHOLE.items() if state != "PA"})
