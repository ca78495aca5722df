"""Synthetic hospital reports in the format of the official export, for use when there is no real data."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import pandas as pd

from private_experts.arrays import Array, Ints
from private_experts.errors import InputError
from private_experts.randomness import rng_for
from private_experts.replication.study.data.hospital_reports import SUPPRESSED
from private_experts.replication.study.data.states import STATES

TEXTS: Final = ("hospital_pk", "collection_week", "state", "ccn", "hospital_name", "city")
TOTAL_BEDS: Final = "total_beds_7_day_avg"
ADULT_BEDS: Final = "all_adult_hospital_inpatient_beds_7_day_avg"
SUSPECTED: Final = "total_adult_patients_hospitalized_confirmed_and_suspected_covid_7_day_avg"
CONFIRMED: Final = "total_adult_patients_hospitalized_confirmed_covid_7_day_avg"
INPATIENT_BEDS: Final = "inpatient_beds_7_day_avg"
ADMISSIONS: Final = "previous_day_admission_adult_covid_suspected_7_day_sum"
NUMBERS: Final = (TOTAL_BEDS, ADULT_BEDS, SUSPECTED, CONFIRMED, INPATIENT_BEDS, ADMISSIONS)

COLUMNS: Final[tuple[str, ...]] = TEXTS + NUMBERS
"""The columns, with their official names and in the official order."""

FIRST_WEEK: Final = "2020-08-07"  # of the official export

# The national waves: week of the peak (from FIRST_WEEK), share of adult beds taken at the peak, width in
# weeks. Fitted by eye to the national course. Those of spring 2021 and early December 2021 are shoulders of
# other waves.
_WAVES: Final = np.array(
    [
        [-1.0, 0.070, 4.0],  # summer 2020
        [22.0, 0.165, 6.0],  # January 2021
        [36.0, 0.050, 4.0],
        [56.0, 0.130, 5.0],  # September 2021
        [70.0, 0.070, 4.0],
        [75.5, 0.175, 3.2],  # January 2022
        [103.0, 0.050, 7.0],  # summer 2022
        [125.0, 0.055, 7.0],  # winter 2022/23
    ]
)
_QUIET: Final = 0.005  # share of adult beds taken between the waves


def reports(
    states: Sequence[str], weeks: int, seed: int, hospitals: Mapping[str, int] | None = None
) -> pd.DataFrame:
    """Return weekly reports of invented hospitals from `FIRST_WEEK` on, with the flaws of real data.

    A state's rows depend only on the seed, the state, `weeks` and its number of hospitals.
    """
    if unknown := {*states} - STATES.keys():
        raise InputError(f"unknown state {min(unknown)!r}; write some of {', '.join(STATES)}")
    if not states or weeks < 1 or seed < 0:
        raise InputError(
            f"{len(states)} states, {weeks} weeks, seed {seed}: write 1 or more of both, and no negative seed"
        )
    counts = STATES | dict(hospitals or {})
    parts = [_state_reports(state, counts[state], weeks, seed) for state in dict.fromkeys(states)]
    return pd.concat(parts, ignore_index=True)


def _state_reports(state: str, count: int, weeks: int, seed: int) -> pd.DataFrame:
    """Return one state's rows, by hospital and then by week."""
    rng = rng_for(seed, "synthetic", state)
    # A few hospitals each open late, close early, skip weeks, or hardly take part. No hospital does two of
    # these.
    few = round(0.03 * count)
    late, closing, careless, idle = np.split(rng.permutation(count)[: 4 * few], 4)
    numbers = _numbers(count, weeks, idle, rng)

    opens, closes = np.zeros(count), np.full(count, weeks)
    opens[late] = rng.integers(weeks // 4, 3 * weeks // 4 + 1, few)
    closes[closing] = rng.integers(weeks // 4, 3 * weeks // 4 + 1, few) + 1
    week = np.arange(weeks)
    present = (week >= opens[:, None]) & (week < closes[:, None])
    # the first week stays, also in a short study
    present[careless, 1:] &= rng.random((few, weeks - 1)) >= 0.08
    hospital_of, week_of = np.nonzero(present)

    serials = np.arange(1, count + 1)
    # Like real keys, six digits that may start with zero. Unlike real ones, they have a 9 in third place.
    keys = np.array([f"{list(STATES).index(state) + 1:02d}9{serial:03d}" for serial in serials])
    names = np.array([f"SYNTHETIC HOSPITAL {state}-{serial:03d}" for serial in serials])
    fridays = pd.date_range(FIRST_WEEK, periods=weeks, freq="W-FRI").strftime("%Y/%m/%d").to_numpy()
    texts = (keys[hospital_of], fridays[week_of], state, keys[hospital_of], names[hospital_of], "SYNTHETIC")
    frame = pd.DataFrame(dict(zip(TEXTS, texts, strict=True)))
    frame[list(NUMBERS)] = _with_flaws(numbers[:, present], count, rng)
    # Identical duplicates stand next to their originals.
    twice = rng.permutation(len(frame))[: _sprinkle(count, len(frame))]
    return frame.iloc[np.sort(np.concatenate([np.arange(len(frame)), twice]))]


def _numbers(count: int, weeks: int, idle: Ints, rng: np.random.Generator) -> Array:
    """Return the values before flaws, as an array over `NUMBERS`, hospitals and weeks."""
    shape = (count, weeks)
    size = np.clip(rng.lognormal(4.0, 1.25, count), 5, 1500)[:, None]
    # In most weeks a bed count stays as it is; now and then it is revised.
    revised = rng.normal(0, 0.06, shape) * (rng.random(shape) < 0.25)
    bed_days = np.rint(7 * size * np.exp(_remembered(revised, 0.98)))

    # Many small hospitals, and some of any size (such as psychiatry), transfer nearly all patients.
    sends_on = rng.random((count, 1)) < 0.05 + 0.9 * np.exp(-size / 70)
    level = np.where(sends_on, 0.005, 1.35) * rng.lognormal(0, 0.25, (count, 1)) * size / (size + 15)
    # How hard a wave hits a hospital is drawn for each pair. So the densest hospital changes from wave to
    # wave; within a wave, it changes only with the slow noise.
    strength = rng.lognormal(0, 0.55, (count, len(_WAVES)))
    peak, height, width = _WAVES.T
    peak = peak + rng.normal(0, 1.5, len(_WAVES))
    height = height * rng.lognormal(0, 0.25, len(_WAVES))
    bumps = height[:, None] * np.exp(-0.5 * ((np.arange(weeks) - peak[:, None]) / width[:, None]) ** 2)
    # Unlike @, einsum does not depend on the linear algebra library or its threads.
    course = _QUIET + np.einsum("hv,vt->ht", strength, bumps)
    noise = np.exp(_remembered(rng.normal(0, 0.16, shape), 0.9))
    patients = bed_days / 7 * -np.expm1(-level * course * noise)  # no more than the beds
    patients[idle] *= np.minimum(1, 10 / patients[idle].sum(axis=1, keepdims=True))

    stays = _clumped(7 * patients, 5, rng)
    stays[:, 1:] = np.rint((stays[:, 1:] + stays[:, :-1]) / 2)  # stays extend into the next week
    confirmed = np.minimum(stays, bed_days)
    unclear = 7 * patients * rng.lognormal(-1.7, 0.8, (count, 1))
    suspected = np.minimum(confirmed + _clumped(unclear, 4, rng), bed_days)
    admitted = (2 + 0.02 * size + 0.8 * patients) * rng.lognormal(0, 0.5, (count, 1))
    admitted[idle] *= 15 / admitted[idle].sum(axis=1, keepdims=True)
    averages = np.stack(
        [
            bed_days * rng.uniform(1.05, 1.4, (count, 1)),
            bed_days,
            suspected,
            confirmed,
            bed_days * rng.uniform(1, 1.15, (count, 1)),
        ]
    )
    return np.concatenate([np.round(averages / 7, 1), _clumped(admitted, 3, rng)[None]])


def _with_flaws(numbers: Array, count: int, rng: np.random.Generator) -> Array:
    """Suppress small values, empty some cells, and add a few absurd ones. Return an array over rows."""
    true_beds = numbers[NUMBERS.index(ADULT_BEDS)]
    cells = np.where((numbers > 0) & (numbers < 4), SUPPRESSED, numbers)
    cells[rng.random(cells.shape) < 0.004] = np.nan
    frame = dict(zip(NUMBERS, cells, strict=True))  # views: writing to a column writes to `cells`

    some = _sprinkle(count, len(true_beds))
    chosen = rng.permutation(len(true_beds))
    # Only one crowded week for each state, as its density is the largest of that week.
    one = min(some, 1)
    crowded, negative, closed = chosen[:one], chosen[one : 2 * one], chosen[2 * one :][:some]
    frame[ADULT_BEDS][closed] = 0
    frame[ADULT_BEDS][crowded] = np.maximum(true_beds[crowded], 4)
    frame[CONFIRMED][crowded] = frame[SUSPECTED][crowded] = np.round(1.3 * frame[ADULT_BEDS][crowded], 1)
    frame[ADULT_BEDS][negative] = -np.maximum(true_beds[negative], 4)
    return cells.T


def _sprinkle(count: int, rows: int) -> int:
    """Return how many absurd rows of each kind a state gets. Small territories get none."""
    return 1 + rows // 2000 if count >= 10 else 0


def _remembered(shocks: Array, memory: float) -> Array:
    """Return the stationary first-order autoregression over weeks with these shocks."""
    values = np.concatenate([shocks[:, :1] / np.sqrt(1 - memory**2), shocks[:, 1:]], axis=1)
    for week in range(1, values.shape[1]):
        values[:, week] += memory * values[:, week - 1]
    return values


def _clumped(mean: Array, clump: float, rng: np.random.Generator) -> Array:
    """Draw negative binomial counts: variance ``1 + clump`` times the mean, as stays last days."""
    shape = np.maximum(mean / clump, 1e-12)
    return rng.negative_binomial(shape, 1 / (1 + clump)).astype(np.float64)
