"""Cleaning one state's reports to a panel: the share of beds with COVID patients, by week and hospital.

1. A state's rounds are the weeks of the window in which one of its hospitals reports. Identical duplicates
   are dropped.
2. Suppressed patient figures become `suppressed_value`. Bed figures that are suppressed, zero or negative
   are missing.
3. A hospital is open from its first to its last report. There a missing figure is taken from the week before
   (and beds before the first known bed count from that count). While it is closed, its density is 0, and it
   has no beds.
4. Hospitals that hardly take part, never report their beds, or are too small (by config) are left out.
5. Density is patients / beds, at most 1.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from private_experts.arrays import Array, Bools
from private_experts.errors import InputError
from private_experts.replication.study.data.doubts import Figures, doubts
from private_experts.replication.study.data.hospital_reports import (
    SUPPRESSED,
    columns_used,
    each_once,
    within,
)
from private_experts.replication.study.data.panel import Panel
from private_experts.replication.study.data.suppression import (
    Exposure,
    at_the_filter,
    covering_reach,
    exposure,
)

# A figure is the mean of seven days. A day without a report that is counted as 0 beds makes 6/7 of it, so its
# neighbours are 16.7 % above it; the limit lies just below that. [data.md#beds]
BED_FAULT = 1.15
# How many counts before, and how many after, the neighbours of a run of one or two counts lie from each of
# its counts.
NEIGHBOURS = ((1, 1), (2, 1), (1, 2))


@dataclass(frozen=True)
class Cleaning:
    """The rules that config can change."""

    patients: tuple[str, ...]  # columns in order of preference, as for beds and participation
    beds: tuple[str, ...]
    participation: tuple[str, ...]
    suppressed_value: float  # the number for a suppressed figure, which lies above 0 and below 4
    participation_minimum: float  # of the sum over all weeks; a hospital with less is left out
    smallest_beds: float  # a hospital that has fewer in any week is left out
    first_week: str  # ISO date
    last_week: str
    mend_beds: bool = False  # whether bed counts that are wrong for a week or two count as missing
    carried_weeks: int = 4  # more than a few figures that are carried forward for longer are refused

    @property
    def columns(self) -> dict[str, Sequence[str]]:
        """The columns that may serve each purpose."""
        return {"patients": self.patients, "beds": self.beds, "participation": self.participation}


@dataclass
class Quality:
    """What a state's reports contained, and how often each repair was made."""

    state: str
    rows: int = 0
    weeks: int = 0
    first_week: str = ""
    last_week: str = ""
    weeks_missing_between: int = 0
    hospitals_reporting: int = 0
    hospitals: int = 0
    duplicate_rows_dropped: int = 0
    patients_suppressed: int = 0
    patients_missing: int = 0
    patients_negative: int = 0
    beds_suppressed: int = 0
    beds_missing: int = 0
    beds_not_positive: int = 0
    beds_briefly_high: int = 0
    beds_briefly_low: int = 0
    bed_faults_most: int = 0  # hospitals with either in one week
    bed_faults_week: str = ""  # the first week with so many
    reports_missing: int = 0
    opened_late: int = 0
    closed_early: int = 0
    more_patients_than_beds: int = 0
    left_out_participation: int = 0
    left_out_no_beds: int = 0
    left_out_small: int = 0
    smallest_beds_least: float = 0.0
    smallest_beds_most: float = 0.0
    columns: dict[str, str] = field(default_factory=dict)
    exposure: Exposure = field(default_factory=Exposure)  # what suppression does to the panel; no repair
    doubts: list[str] = field(default_factory=list)  # why the figures cannot be what their columns say

    def row(self) -> dict[str, object]:
        """Return the record of repairs as one flat row."""
        flat = asdict(self)
        del flat["exposure"], flat["doubts"]
        return flat | {f"column_{name}": column for name, column in flat.pop("columns").items()}


def clean(
    reports: pd.DataFrame,
    state: str,
    weeks: Sequence[str],
    chosen: Mapping[str, str],
    cleaning: Cleaning,
    required: bool = True,
) -> tuple[Panel, Quality]:
    """Clean one state's reports to a panel with these weeks as rounds.

    A `required` state is refused without usable figures; any other then has a panel without hospitals.
    """
    quality = Quality(state, rows=len(reports), weeks=len(weeks), columns=dict(chosen))
    quality.hospitals_reporting = reports["hospital_pk"].nunique()
    if len(weeks):
        quality.first_week, quality.last_week = weeks[0], weeks[-1]
    gaps = np.diff(np.asarray(weeks, dtype="datetime64[D]")) / np.timedelta64(7, "D")
    quality.weeks_missing_between = int(np.maximum(np.round(gaps) - 1, 0).sum())

    once = _without_duplicates(reports, state, chosen, quality)
    wide = once.pivot(index="collection_week", columns="hospital_pk").reindex(list(weeks))

    def grid(purpose: str) -> pd.DataFrame:
        # A pivot of no rows has no columns to choose from, and a state without reports still has its weeks.
        return pd.DataFrame(wide[chosen[purpose]].astype(float) if len(once) else None, index=list(weeks))

    # A report whose figures are all missing is a report: it opens a hospital, so presence has a table of its
    # own.
    reported = once.assign(there=True).pivot(index="collection_week", columns="hospital_pk", values="there")
    there = reported.reindex(list(weeks)).notna()

    # Codes become numbers or gaps before anything is summed or filled: -999999 is a code, not a count.
    raw_patients, participation = grid("patients"), grid("participation")
    participation = participation.mask(participation == SUPPRESSED, cleaning.suppressed_value)
    suppressed = raw_patients == SUPPRESSED
    patients = _patient_counts(raw_patients, there, cleaning, quality)
    beds = _bed_counts(grid("beds"), there, weeks, cleaning, quality)
    if required and len(once):
        _refuse_unusable(state, patients, beds, suppressed, chosen)

    # Filters come before filling: the rules are about what a hospital reported, not about what was carried
    # forward.
    summed = participation.clip(lower=0).sum()
    taking_part = summed >= cleaning.participation_minimum
    near = at_the_filter(summed.to_numpy(), cleaning.participation_minimum, cleaning.suppressed_value)
    with_beds = beds.notna().any() & patients.notna().any()
    large = beds.min() >= cleaning.smallest_beds
    # A hospital counts under the first rule that leaves it out, so the three add up to all that are left out.
    quality.left_out_participation = int((~taking_part).sum())
    quality.left_out_no_beds = int((taking_part & ~with_beds).sum())
    quality.left_out_small = int((taking_part & with_beds & ~large).sum())
    # Sorted by id: the number of an expert decides ties, and must not depend on the order of rows in a file.
    kept = sorted(taking_part.index[taking_part & with_beds & large])
    patients, beds, there = patients[kept], beds[kept], there[kept]

    # From the first to the last report: a maximum from the left and one from the right are both 1 only in
    # between.
    alive = (there.cummax() & there[::-1].cummax()[::-1]).astype(bool)
    quality.reports_missing = _count(alive & ~there)
    quality.opened_late = int((~alive.iloc[0]).sum()) if len(weeks) else 0
    quality.closed_early = int((~alive.iloc[-1]).sum()) if len(weeks) else 0
    # Forward first. Backward reaches only what is before the first known count, where no earlier one exists.
    limit = cleaning.carried_weeks
    late_beds = beds.ffill(limit=limit).bfill(limit=limit).isna()
    beds = beds.ffill().bfill()

    def array(cells: pd.DataFrame, kind: type[np.generic] = np.float64) -> Any:
        return cells.to_numpy(dtype=kind).reshape(len(weeks), len(kept))

    # Exposure sees patients before they are filled: a missing one marks a week that carries an earlier
    # figure.
    all_beds, is_open, value = array(beds), array(alive, np.bool_), cleaning.suppressed_value
    covering = covering_reach(all_beds, is_open, array(alive & patients.notna(), np.bool_), value)
    hidden_figures = array(suppressed[kept], np.bool_)
    filtered = int((near & with_beds & large).sum())
    quality.exposure = exposure(array(patients), hidden_figures, all_beds, is_open, value, filtered)
    # Patients are never filled backward, which would tell a learner of weeks to come.
    carried, late = (array(cells.isna(), np.bool_) for cells in (patients, patients.ffill(limit=limit)))
    patients = patients.ffill().fillna(0.0)
    share = (patients / beds).where(alive, 0.0)
    figures = Figures(
        weeks, kept, array(patients), all_beds, is_open, carried, late, array(late_beds, np.bool_), limit
    )
    quality.doubts = doubts(figures, chosen)
    quality.more_patients_than_beds = _count(share > 1)
    quality.hospitals = len(kept)
    # Closed hospitals have no beds, and must not set the noise of a week. A week in which none is open takes
    # the least of all weeks, since its noise scale has to be some number.
    smallest = beds.where(alive).min(axis=1)
    smallest = smallest.fillna(smallest.min())
    if kept:
        quality.smallest_beds_least, quality.smallest_beds_most = float(smallest.min()), float(smallest.max())
    # The cap comes last, so that the count above sees what it cuts. Sensitivity needs gains of at most 1.
    density, least = array(share.clip(upper=1.0)), smallest.to_numpy(dtype=np.float64)
    return Panel(tuple(weeks), tuple(kept), density, least, all_beds, covering), quality


def _without_duplicates(
    reports: pd.DataFrame, state: str, chosen: Mapping[str, str], quality: Quality
) -> pd.DataFrame:
    """Return the columns that count, each report once; refuse a hospital with two unlike ones in a week."""
    # Rows that differ in other columns alone say the same here, so the columns are chosen before rows are
    # compared.
    once = each_once(reports[["hospital_pk", "collection_week", *dict.fromkeys(chosen.values())]], state)
    quality.duplicate_rows_dropped = len(reports) - len(once)
    return once


def _patient_counts(
    raw: pd.DataFrame, there: pd.DataFrame, cleaning: Cleaning, quality: Quality
) -> pd.DataFrame:
    """Return patients with suppressed figures replaced, and impossible ones missing."""
    # The code for suppression is itself negative, so it is told apart before negative figures are counted.
    suppressed = raw == SUPPRESSED
    negative = (raw < 0) & ~suppressed
    quality.patients_suppressed, quality.patients_negative = _count(suppressed), _count(negative)
    # Only in weeks with a report: a week without one is `reports_missing`, and would count twice.
    quality.patients_missing = _count(there & raw.isna())
    return raw.mask(suppressed, cleaning.suppressed_value).mask(negative)


def _bed_counts(
    raw: pd.DataFrame, there: pd.DataFrame, weeks: Sequence[str], cleaning: Cleaning, quality: Quality
) -> pd.DataFrame:
    """Return beds, with figures that are suppressed, not positive, or to be mended as missing."""
    # Unlike patients, suppressed beds get no stand-in: beds divide, and a small number would blow up the
    # density.
    suppressed = raw == SUPPRESSED
    not_positive = (raw <= 0) & ~suppressed
    quality.beds_suppressed, quality.beds_not_positive = _count(suppressed), _count(not_positive)
    quality.beds_missing = _count(there & raw.isna())
    beds = raw.mask(suppressed | not_positive)
    # Faults are sought among possible counts alone: a code between two counts would pass for their neighbour.
    high, low = bed_faults(beds.to_numpy(dtype=np.float64))
    quality.beds_briefly_high, quality.beds_briefly_low = int(high.sum()), int(low.sum())
    if (high | low).any():
        by_week = (high | low).sum(axis=1)
        quality.bed_faults_most, quality.bed_faults_week = int(by_week.max()), weeks[int(by_week.argmax())]
    # They are counted whether or not they are mended, as the study shows both.
    return beds.mask(high | low) if cleaning.mend_beds else beds


def bed_faults(beds: Array) -> tuple[Bools, Bools]:
    """Return which counts (T, n), positive or NaN, are for a week or two too high, and which are too low.

    They lie far above, or far below, those before and after. A mark is no proof. [data.md#beds]
    """
    # a hospital's counts in a row, then what is missing
    order = np.argsort(np.isnan(beds), axis=0, kind="stable")
    reach = max(map(max, NEIGHBOURS))
    row = np.pad(np.take_along_axis(beds, order, axis=0), ((reach, reach), (0, 0)), constant_values=np.nan)
    weeks = len(beds)

    def at(shift: int) -> Array:
        return row[reach + shift : reach + shift + weeks]

    high, low = np.zeros_like(beds, dtype=np.bool_), np.zeros_like(beds, dtype=np.bool_)
    for before, after in NEIGHBOURS:
        # Missing neighbours are NaN, with which no comparison is true: ends are never marked.
        high |= at(0) >= BED_FAULT * np.maximum(at(-before), at(after))
        low |= BED_FAULT * at(0) <= np.minimum(at(-before), at(after))
    back = np.argsort(order, axis=0)
    return np.take_along_axis(high, back, axis=0), np.take_along_axis(low, back, axis=0)


def _refuse_unusable(
    state: str,
    patients: pd.DataFrame,
    beds: pd.DataFrame,
    suppressed: pd.DataFrame,
    chosen: Mapping[str, str],
) -> None:
    """Refuse a state that the study needs, and whose figures are of no use."""
    if not patients.notna().to_numpy().any():
        raise InputError(
            f"{state}: column {chosen['patients']} has no usable figure; choose another column or state"
        )
    if not beds.notna().to_numpy().any():
        raise InputError(
            f"{state}: column {chosen['beds']} has no positive bed count; choose another column or state"
        )
    # Stand-ins alone would make a panel of constants, and a study of `suppressed_value`.
    if not (patients.notna() & ~suppressed).to_numpy().any():
        raise InputError(
            f"{state}: column {chosen['patients']} has only suppressed figures; choose another state"
        )


def _count(cells: pd.DataFrame) -> int:
    """Return how many cells are true."""
    return int(cells.to_numpy().sum())


def clean_all(
    reports: pd.DataFrame, states: Sequence[str], cleaning: Cleaning, required: Collection[str] | None = None
) -> tuple[dict[str, Panel], list[Quality]]:
    """Clean every state asked for, each in its own weeks; all are required by default."""
    chosen = columns_used(reports, cleaning.columns)
    inside = within(reports, cleaning.first_week, cleaning.last_week)
    by_state = dict(list(inside.groupby("state")))
    empty = inside.iloc[:0]
    panels, qualities = {}, []
    for state in states:
        needed, of_state = required is None or state in required, by_state.get(state, empty)
        weeks = sorted(of_state["collection_week"].unique())
        panels[state], quality = clean(of_state, state, weeks, chosen, cleaning, needed)
        qualities.append(quality)
    return panels, qualities
