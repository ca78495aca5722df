"""The states, the District of Columbia and the territories whose hospitals report."""

from typing import Final

# fmt: off
STATES: Final[dict[str, int]] = {
    "AK": 15, "AL": 95, "AR": 85, "AS": 1, "AZ": 95, "CA": 350, "CO": 90, "CT": 30, "DC": 10, "DE": 10,
    "FL": 210, "GA": 150, "GU": 2, "HI": 25, "IA": 120, "ID": 45, "IL": 180, "IN": 130, "KS": 135, "KY": 100,
    "LA": 150, "MA": 75, "MD": 50, "ME": 35, "MI": 145, "MN": 130, "MO": 120, "MP": 1, "MS": 100, "MT": 60,
    "NC": 110, "ND": 45, "NE": 95, "NH": 25, "NJ": 75, "NM": 40, "NV": 45, "NY": 170, "OH": 190, "OK": 125,
    "OR": 60, "PA": 180, "PR": 60, "RI": 10, "SC": 65, "SD": 55, "TN": 110, "TX": 450, "UT": 50, "VA": 90,
    "VI": 2, "VT": 15, "WA": 90, "WI": 130, "WV": 50, "WY": 25,
}
"""Plausible numbers of reporting hospitals."""
# fmt: on
