"""What refuses a state: figures of the hospitals that play that cannot be what their columns say.

`RULES` has what is sought, and how much of it may be so; docs/data.md#doubts has what the pinned file has.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from private_experts.arrays import Array, Bools

# No figure may be so: the pinned file has at most 5.05 patients per bed, and 2,395 beds.
TIMES_BEDS, MOST_BEDS = 10, 5000
FEW = 4  # figures that may be so by chance in a small state
HIDDEN = 4  # the stand-in for a suppressed figure is at most that, and may be any hospital's
STEP = 2  # or 1/2: a bed count so many times the one before is of another kind, if many are


class Figures(NamedTuple):
    """A state's figures by week and hospital, (T, n), with gaps filled."""

    weeks: Sequence[str]
    hospitals: Sequence[str]
    patients: Array
    beds: Array
    playing: Bools  # from a hospital's first to its last report
    carried: Bools  # patients of an earlier week
    late: Bools  # patients of more than `limit` weeks before
    late_beds: Bools  # beds of more than `limit` weeks before, or, where none are before, after
    limit: int


def above(patients: Array, beds: Array) -> Bools:
    """Return where there are more patients than beds, or as many and not by chance: a copy of the beds."""
    share = patients / beds
    return (share > 1) | ((share == 1) & (patients > HIDDEN))


def _above(state: Figures) -> Bools:
    return above(state.patients, state.beds)


def _commonest(figures: Array, known: Bools) -> Bools:
    """Return which of the `known` figures are the commonest of their week."""
    found = np.zeros_like(known)
    for week in np.flatnonzero(known.any(axis=1)):
        values, counts = np.unique(figures[week, known[week]], return_counts=True)
        found[week] = known[week] & (figures[week] == values[counts.argmax()])
    return found


def _steps(state: Figures) -> Bools:
    with np.errstate(all="ignore"):  # subnormal counts have overflowing steps
        steps = state.beds[1:] / state.beds[:-1]
    return _later(state) & np.pad((steps >= STEP) | (steps <= 1 / STEP), ((1, 0), (0, 0)))


def _later(state: Figures) -> Bools:
    return state.playing & np.pad(state.playing[:-1], ((1, 0), (0, 0)))


def _ended(state: Figures) -> Bools:
    return state.carried & (np.arange(len(state.weeks)) == len(state.weeks) - 1)[:, None]


class Rule(NamedTuple):
    """Refused are more than `FEW` figures that are more than a `share` of all; without a share, any."""

    found: Callable[[Figures], Bools]
    says: str
    advice: str
    share: float | None = None
    of: int | None = None  # the state, or 0: one hospital, or 1: one week
    all: Callable[[Figures], Bools] = lambda state: state.playing


CORRECT = "correct them, or leave them empty"
UNIT = "see if columns {patients} and {beds} are what they are called, in one unit"
END = "end before (hospital.last_week), or fill column {patients}"
CARRIED = "fill column {patients}, raise that limit, choose other weeks"
LATE = "would be carried forward for more than {limit} weeks (hospital.carried_weeks)"
RULES = (
    Rule(lambda state: state.beds < 1, "of column {beds} are below 1", CORRECT),
    Rule(lambda state: state.beds > MOST_BEDS, f"of column {{beds}} are above {MOST_BEDS}", CORRECT),
    Rule(
        lambda state: state.patients / state.beds > TIMES_BEDS,
        f"have more than {TIMES_BEDS} times as many patients as beds",
        CORRECT,
    ),
    Rule(_above, "have as many patients as beds, or more", UNIT, 0.01),
    Rule(_above, "have as many patients as beds, or more, most of the hospital's", UNIT, 0.5, 0),
    Rule(lambda state: state.late, LATE, CARRIED, 0.1),
    Rule(lambda state: state.late, f"{LATE}, most of the hospital's", CARRIED, 0.5, 0),
    Rule(_ended, "would be carried forward in the last week, in which most hospitals have none", END, 0.5, 1),
    Rule(
        _steps,
        f"are of a week in which a third of the bed counts are {STEP} times, or 1/{STEP}, those before",
        "see if column {beds} is of one kind",
        1 / 3,
        1,
        _later,
    ),
    Rule(
        lambda state: state.late_beds,
        "have no bed count within {limit} weeks (hospital.carried_weeks)",
        "fill column {beds}, or choose other weeks",
        0.1,
    ),
    Rule(
        lambda state: _commonest(state.beds, state.playing),
        "are of a week in which most hospitals have one bed count",
        "see if column {beds} has each hospital's own",
        0.5,
        1,
    ),
    Rule(
        lambda state: _commonest(state.patients, state.playing & (state.patients > HIDDEN)),
        "are of a week in which most hospitals have one figure of patients",
        "see if column {patients} has each hospital's own",
        0.5,
        1,
    ),
)


def doubts(state: Figures, chosen: Mapping[str, str]) -> list[str]:
    """Return what each rule finds that is too much, with the first of it; `chosen` names the columns."""
    messages = []
    for rule in RULES:
        found = rule.found(state) & state.playing
        if rule.share is not None:
            number, among = (cells.sum(rule.of, keepdims=True) for cells in (found, rule.all(state)))
            found &= number > np.maximum(rule.share * among, FEW)
        if found.any():
            hospital = int(found.any(axis=0).argmax())
            week = int(found[:, hospital].argmax())
            messages.append(
                f"{found.sum()} of {state.playing.sum()} figures {rule.says}, the first of hospital "
                f"{state.hospitals[hospital]} in the week {state.weeks[week]} "
                f"({state.patients[week, hospital]:g} patients, {state.beds[week, hospital]:g} beds); "
                f"{rule.advice}".format(limit=state.limit, **chosen)
            )
    return messages
