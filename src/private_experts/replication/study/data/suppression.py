"""How far one person can move a cleaned figure, where small figures are suppressed, missing ones carried on.

A person who stays all seven days moves an average by 1. Averages above 0 and below 4 are suppressed, and
cleaning puts one value s in their place. So one person moves a cleaned figure from 0 to s, from s to 4.9, or
by 1 above that, and with it the weeks that follow without a report. The `growth` tells by what the promise mu
falls short.

All this is given the list of hospitals: no mu covers that a person can move one across the filter.
[threat-model.md]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from private_experts.arrays import Array, Bools
from private_experts.replication.plotting.numbers import level, percent
from private_experts.replication.study.choices import Reach
from private_experts.replication.study.formats import EXPOSURE

Flags = Bools

EDGE = 4.0  # averages from here on are not suppressed
RESOLUTION = 0.1  # of the averages in the file
MOVED = {"move": 2, "removal": 1}  # figures that one person can change in a week


@dataclass(frozen=True)
class Exposure:
    """What suppression does to one state's panel."""

    cells: int = 0  # weeks of open hospitals
    suppressed: int = 0
    at_the_edge: int = 0  # from 4 to below 5, so that one person less hides it
    carried: int = 0  # from an earlier week
    reach: float = 0.0  # the most that one person can move a figure, in patients
    growth_move: float = 0.0  # the factor by which the promised level grows, given the list of hospitals
    growth_removal: float = 0.0
    at_the_filter: int = 0  # hospitals that one person could move into the panel, or out of it
    growth_own_move: float = 0.0  # as `growth_move` where each hospital's noise is for its own beds
    growth_own_removal: float = 0.0


def steps(suppressed_value: float) -> list[tuple[float, float]]:
    """Return the furthest pairs of cleaned figures, in patients, that one person takes into each other."""
    # From 0 to s, from s to just below 5, and by 1 above: all else that one person does lies within these.
    return [(0.0, suppressed_value), (suppressed_value, EDGE + 1 - RESOLUTION), (EDGE, EDGE + 1)]


def reach(suppressed_value: float) -> float:
    """Return the most that one person can move a cleaned figure, in patients."""
    return max(abs(after - before) for before, after in steps(suppressed_value))


def at_the_filter(participation: Array, minimum: float, suppressed_value: float) -> Flags:
    """Return hospitals that one person could move across the filter, from summed participation figures."""
    person = reach(suppressed_value)
    return np.asarray((participation >= minimum - person) & (participation - person < minimum))


def density_reach(beds: Array, suppressed_value: float) -> Array:
    """Return the most one person can move a density, patients / beds and at most 1; in the shape of beds."""
    with np.errstate(over="ignore"):  # of a bed count that `clean` doubts
        moves = [
            np.minimum(after / beds, 1) - np.minimum(before / beds, 1)
            for before, after in steps(suppressed_value)
        ]
    return np.asarray(np.abs(moves).max(axis=0), dtype=np.float64)


def growth(
    beds: Array,
    is_open: Flags,
    own: Flags,
    suppressed_value: float,
    adjacency: str,
    on_own_counts: bool = False,
) -> float:
    """Return the largest factor between the level a person of one week really has and the level promised.

    In a week the noise has scale ``sqrt(moved) / (mu smallest beds)``, on own counts that of each hospital's
    beds. Levels add in squares, over the
    hospitals of the person and the weeks that carry the person's figure: open ones without a figure of their
    `own`. Arrays are (T, n).
    """
    if not own.any():
        return 0.0
    smallest = np.where(is_open, beds, np.inf).min(axis=1, keepdims=True)
    scaled = np.maximum(beds, 1.0) if on_own_counts else smallest  # a density is at most 1
    # In units of the week's promise: reach over the noise, whose scale follows the smallest hospital.
    square = np.where(is_open, (density_reach(beds, suppressed_value) * scaled) ** 2, 0.0)
    summed = np.zeros_like(square)
    running = np.zeros(beds.shape[1])
    for week in range(len(beds) - 1, -1, -1):  # a carried week counts for the week that it was carried from
        running = running + square[week]
        summed[week] = np.where(own[week], running, 0.0)
        running = np.where(own[week], 0.0, running)
    moved = MOVED[adjacency]
    # A person is in as many hospitals as `moved` says, and may be in the worst ones.
    most = -np.sort(-summed, axis=1)[:, :moved].sum(axis=1)
    return float(np.sqrt(most.max() / moved))


def covering_reach(beds: Array, is_open: Flags, own: Flags, suppressed_value: float) -> Array:
    """Return the reach (T, n) for which noise in proportion to it keeps the promise in the public file.

    One person moves a cleaned figure by up to `density_reach`, and with it the weeks that carry it. L weeks
    of one figure spend what one week would with `sqrt(L)` times the reach. Nobody is in a hospital that is
    not open, so its beds of another week raise no noise that is for all.
    [mathematics/000.md#own-counts-suppression]
    """
    found = density_reach(beds, suppressed_value)
    for hospital in range(beds.shape[1]):
        carried = is_open[:, hospital]
        # weeks of one figure have one number; before the first there is none
        of_figure = own[:, hospital].cumsum()
        weeks = np.bincount(of_figure[carried & (of_figure > 0)], minlength=of_figure.max(initial=0) + 1)
        inside = carried & (of_figure > 0)
        # L weeks that carry one figure add its square L times.
        found[inside, hospital] *= np.sqrt(weeks[of_figure[inside]])
    most = np.where(is_open, found, 0.0).max(axis=1, keepdims=True, initial=0.0)
    return np.where(is_open | (most == 0), found, np.minimum(found, most))


def exposure(
    figures: Array,
    suppressed: Flags,
    beds: Array,
    is_open: Flags,
    suppressed_value: float,
    at_the_filter: int = 0,
) -> Exposure:
    """Return what suppression does to a panel; figures (T, n) are NaN where no report is usable."""
    own = is_open & ~np.isnan(figures)
    edge = own & ~suppressed & (figures >= EDGE) & (figures < EDGE + 1)
    return Exposure(
        cells=int(is_open.sum()),
        suppressed=int((is_open & suppressed).sum()),
        at_the_edge=int(edge.sum()),
        carried=int((is_open & ~own).sum()),
        reach=reach(suppressed_value),
        growth_move=growth(beds, is_open, own, suppressed_value, "move"),
        growth_removal=growth(beds, is_open, own, suppressed_value, "removal"),
        growth_own_move=growth(beds, is_open, own, suppressed_value, "move", on_own_counts=True),
        growth_own_removal=growth(beds, is_open, own, suppressed_value, "removal", on_own_counts=True),
        at_the_filter=at_the_filter,
    )


CAPTION = (
    "What the privacy levels really are in a public file with suppressed figures. The noise assumes that "
    "one person moves a figure by as many patients as 'assumed' says. In this file it can be as many as "
    "'possible', because suppressed figures (above 0, below 4) have one value in their place. 'At the "
    "edge' are figures from 4 to below 5, which one person less would hide. 'Carried' are missing "
    "figures, taken from the week before. The levels are the largest over all persons of one week, all "
    "weeks and all hospitals, given the list of hospitals. 'At the filter' are hospitals that one person "
    "could move into the panel or out of it; no level covers that. A hospital that adds noise to its own "
    "true counts, in a list that is fixed beforehand, does not have these problems."
)


DERIVED = (
    " Here noise is derived from the suppressed value and from the weeks that carry a figure, and keeps "
    "the levels."
)


def reach_numbers(
    reaches: pd.DataFrame, levels: Sequence[float], adjacency: str, assumed: Reach
) -> pd.DataFrame:
    """Return the table: a row for each state, with the real level of each promised one that is finite.

    If the reach is derived, the noise assumes all that is possible, and the promised level is never exceeded.
    """
    if isinstance(assumed, str):
        noise: dict[str, Any] = {"assumed": reaches["reach"], "growth": 1.0}
    else:
        noise = {"assumed": assumed, "growth": reaches[f"growth_{adjacency}"] / assumed}
    table = reaches.drop(columns=[name for name in EXPOSURE if name.startswith("growth_")]).assign(**noise)
    return table.assign(**{f"mu_{mu:g}": mu * table["growth"] for mu in levels if np.isfinite(mu)})


def reach_table(table: pd.DataFrame) -> pd.DataFrame:
    """Return the table for readers."""
    cells = table["cells"].clip(lower=1)
    return pd.DataFrame(
        {
            "state": table["state"],
            "figures": table["cells"],
            "suppressed": [percent(cell) for cell in table["suppressed"] / cells],
            "at the edge": [percent(cell) for cell in table["at_the_edge"] / cells],
            "carried": table["carried"],
            "at the filter": table["at_the_filter"],
            "assumed": [f"{patients:.1f}" for patients in table["assumed"]],
            "possible": [f"{patients:.1f}" for patients in table["reach"]],
            **{
                f"μ = {level(float(name.removeprefix('mu_')))} is really": [
                    f"{factor:.2f}" for factor in table[name]
                ]
                for name in map(str, table)
                if name.startswith("mu_")
            },
        }
    )
