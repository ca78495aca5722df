"""The paper's Table 2: average total gain over 148 weeks, 100 repetitions. [000, Table 2]"""

from collections.abc import Collection, Sequence
from datetime import date
from math import inf

# The shape of the paper's panels.
FIRST_WEEK, LAST_WEEK = date(2020, 8, 9), date(2023, 6, 4)
WEEKS = 148
HOSPITALS = {"NM": 24, "PA": 146, "CA": 293}

# The least and the largest of each week's smallest bed count, over its three states. [000, Section 4]
SMALLEST_BEDS = (4.3, 14.6)

# What its densities count, and what it says of its comparison with the central baseline.
PATIENTS = "confirmed and suspected"
CAVEAT = ("must be caveated", "was not designed for dynamic environments", "Section 4")

COLUMNS = ("rw_meta", "min_noise", "min_regret", "best_linear")  # of TABLE_2
# of RW-Meta's total gain to the others, which it implies
RATIOS = tuple(f"ratio_to_{name}" for name in COLUMNS[1:])
# The scenario of the learners that the second rule chooses, which figures show beside the study's.
OTHER_KIND = "gaussian-process"
# by (state, mu)
TABLE_2: dict[tuple[str, float], tuple[float, float, float, float]] = {
    ("NM", inf): (40.14, 26.48, 13.38, 43.91),
    ("NM", 1.0): (36.87, 22.83, 13.41, 40.69),
    ("NM", 0.5): (31.19, 19.56, 13.25, 34.14),
    ("NM", 0.25): (22.46, 15.58, 13.38, 25.85),
    ("PA", inf): (43.70, 27.42, 15.51, 48.61),
    ("PA", 1.0): (40.32, 23.55, 15.38, 44.30),
    ("PA", 0.5): (34.71, 20.03, 15.64, 38.06),
    ("PA", 0.25): (25.44, 16.09, 15.35, 28.73),
    ("CA", inf): (59.36, 31.12, 16.68, 66.23),
    ("CA", 1.0): (55.62, 25.09, 16.91, 61.16),
    ("CA", 0.5): (47.43, 22.14, 16.82, 54.21),
    ("CA", 0.25): (33.34, 17.93, 16.84, 38.43),
}

# (state, mu): half-widths of the intervals of RW-Meta, Min Noise and Min Regret; the text copy has those of
# California.
WIDTHS: dict[tuple[str, float], tuple[float, float, float]] = {
    ("CA", 1.0): (0.47, 0.51, 0.34),
    ("CA", 0.5): (0.81, 0.48, 0.41),
    ("CA", 0.25): (1.30, 0.41, 0.35),
}


def printed(state: str, mu: float) -> dict[str, float]:
    """Return the values that Table 2 prints for a state and level, and their ratios; or none."""
    totals: Sequence[float] = TABLE_2.get((state, mu), ())
    ratios = (totals[0] / total for total in totals[1:])
    return dict(zip(COLUMNS, totals, strict=False)) | dict(zip(RATIOS, ratios, strict=False))


def covered(weeks: Sequence[str]) -> bool:
    """Say whether weeks (ISO dates) go from the paper's first to its last, whatever day begins a week."""
    ends = zip((weeks[0], weeks[-1]), (FIRST_WEEK, LAST_WEEK), strict=True)
    # Three days: exports begin their weeks on Fridays or on Sundays.
    return all(abs((date.fromisoformat(week) - end).days) <= 3 for week, end in ends)


def shape_difference(state: str, weeks: int, hospitals: int) -> str:
    """Say how a panel's shape differs from the paper's; empty if not, or the paper lacks the state."""
    if state not in HOSPITALS or (weeks, hospitals) == (WEEKS, HOSPITALS[state]):
        return ""
    return (
        f"{state}: {weeks} weeks and {hospitals} hospitals, the paper has {WEEKS} and {HOSPITALS[state]} "
        f"({weeks - WEEKS:+d} weeks, {hospitals - HOSPITALS[state]:+d} hospitals)"
    )


def beds_difference(states: Collection[str], least: float, most: float) -> str:
    """Say how the range of weeks' smallest bed counts differs from the paper's; empty for states it lacks."""
    if set(states) != set(HOSPITALS) or (round(least, 1), round(most, 1)) == SMALLEST_BEDS:
        return ""
    low, high = SMALLEST_BEDS
    return (
        f"smallest bed count of a week: {least:.1f} to {most:.1f}, the paper has {low} to {high}; at the "
        "same level larger counts mean less noise"
    )
