"""Hospitals, weeks and smallest bed counts of the paper and the panels. [mathematics/000.md#panel-shapes]"""

from collections.abc import Mapping

from private_experts.replication.ledger.evidence import NotRunError, Point
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.published import HOSPITALS, SMALLEST_BEDS, WEEKS, covered


def compared_shapes(panels: Mapping[str, Panel]) -> list[Point]:
    """Return how far the panels are from the paper's weeks, hospitals and range of smallest bed counts."""
    if missing := [state for state in HOSPITALS if state not in panels]:
        raise NotRunError(f"the study has no panel of {' and '.join(missing)}")
    of_paper = {state: panels[state] for state in HOSPITALS}
    beds = [float(end([end(panel.smallest_beds) for panel in of_paper.values()])) for end in (min, max)]
    # Counts of another period differ whatever the cleaning, so they would say nothing about the paper's.
    if not all(covered(panel.weeks) for panel in of_paper.values()):
        hospitals = " and ".join(
            f"{len(panel.hospitals)} ({HOSPITALS[state]}) in {state}" for state, panel in of_paper.items()
        )
        raise NotRunError(
            f"the data has {min(len(panel.weeks) for panel in of_paper.values())} of the paper's "
            f"{WEEKS} weeks; in them (and in the paper) are {hospitals}; "
            f"beds are {beds[0]:.1f} to {beds[1]:.1f} ({SMALLEST_BEDS[0]} to {SMALLEST_BEDS[1]})"
        )
    points = []
    for state, panel in of_paper.items():
        counts = {"weeks": (len(panel.weeks), WEEKS), "hospitals": (len(panel.hospitals), HOSPITALS[state])}
        points += [_point(state, what, *counted, 0.0) for what, counted in counts.items()]
    for end, here, printed in zip(("least", "largest"), beds, SMALLEST_BEDS, strict=True):
        # The paper prints one decimal.
        points.append(_point("all", f"{end} of the smallest bed counts", here, printed, 0.05))
    return points


def _point(state: str, what: str, here: float, printed: float, precision: float) -> Point:
    """Return how far a figure is from the printed one, which is exact or has so much precision."""
    notes = {"here": here, "printed": printed}
    return Point({"state": state, "what": what}, abs(here - printed), precision, notes=notes)
