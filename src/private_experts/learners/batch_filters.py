"""What linear filters play where many reports are known beforehand.

The forecast of a trend weighs few running sums of running sums of the reports: those at both ends of its
window. So its cost does not grow with the window. A matrix product gives the forecasts of several rounds.
Sums of sums are large, and so is what rounding does to them: it is bounded, and where the bound is too large
each report is weighed by itself. Where two experts' forecasts are so near to each other that rounding may
name the wrong one, that is told. [mathematics/000.md#running-sums]
"""

import functools
from collections.abc import Callable, Sequence

import numpy as np

from private_experts.arrays import Array, Bools, Indices
from private_experts.learners.filter_rows import forecast_rows
from private_experts.ties import TIE

_ROUNDS_AT_ONCE = 2
_FORECASTS_AT_ONCE = 2**16  # so that they stay in the processor's cache
_UNIT = 2.0**-53  # of rounding
_NOTHING = 2.0**-48  # of the largest weight of a filter: what rounding leaves of a difference that is zero
_HARMLESS = 2.0**-28  # of the largest report: by how much rounding may move a forecast where sums are weighed


def leaders_after(
    weights: Callable[[int, int, float], Array],
    settings: tuple[tuple[int, float], ...],
    reports: Sequence[Array],
    start: int,
    repetitions: int,
    ties: bool = True,
) -> tuple[Indices, Bools]:
    """Return what `LinearFilters` play after `start` reports, at least 1, and after each more but the last.

    Actions have shape (rounds, m, repetitions). The second array says in which rounds two experts' forecasts
    are so near that they tie, or that the filters' own way, which rounds otherwise, may name the other one.
    It is not looked for without `ties`, which reports with fresh noise have once in a billion games. Filters
    take 8 m bytes for each pair of reports.
    """
    rounds, n = len(reports), reports[0].shape[-1]
    filters, times, own_error = _sparsest(weights, settings, rounds)
    # Both forecasts may be off, each by both errors; so far apart they must be for the order to be certain.
    near = 2 * (_HARMLESS + own_error) * max(np.abs(report).max() for report in reports) if ties else 0.0
    actions = np.empty((rounds - start, len(settings), repetitions), dtype=np.intp)
    unsure = np.zeros(rounds - start, dtype=np.bool_)
    weighings = [
        _weighing(filters, first, min(rounds, first + _ROUNDS_AT_ONCE))
        for first in range(start, rounds, _ROUNDS_AT_ONCE)
    ]
    copies = max(1, _FORECASTS_AT_ONCE // (_ROUNDS_AT_ONCE * len(settings) * n))
    # Outside, so that the sums of these copies stay in the cache, and those of all are never in memory.
    for copy in range(0, repetitions, copies):
        of_copies = _running_sums([report[copy : copy + copies] for report in reports], times)
        for first, (weighing, weighed) in zip(range(0, rounds, _ROUNDS_AT_ONCE), weighings, strict=False):
            played = slice(first, first + _ROUNDS_AT_ONCE)
            forecasts = _forecasts(weighing, of_copies, weighed)
            best = forecasts.argmax(axis=-1)
            if ties:
                slack = near + TIE * np.abs(forecasts).max()
                # The best itself is one that reaches this in each row; a second one makes the round unsure.
                least = np.take_along_axis(forecasts, best[..., None], axis=-1) - slack
                unsure[played] |= np.count_nonzero(forecasts >= least) > best.size
            parts = actions[played, :, copy : copy + copies]
            parts[...] = best.reshape(len(settings), len(parts), -1).swapaxes(0, 1)
    return actions, unsure


def _running_sums(reports: Sequence[Array], times: int) -> Array:
    """Return the reports of each round, or their running sums, or the running sums of these."""
    result = np.empty((len(reports), *reports[0].shape))
    inner = np.zeros((max(0, times - 1), *reports[0].shape))  # the sums but the outermost
    before = np.zeros(reports[0].shape)
    for kept, values in zip(result, reports, strict=True):
        for total in inner:
            total += values
            values = total
        np.add(values, before, out=kept)
        before = kept if times else before
    return result


def _weighing(filters: Array, start: int, end: int) -> tuple[Array, Indices]:
    """Return the weights (m rounds, weighed) of sums in forecasts for some rounds, and the sums."""
    weighing = filters[:, start - 1 : end - 1].reshape(-1, filters.shape[-1])
    weighed = np.flatnonzero(weighing.any(axis=0))
    return weighing[:, weighed], weighed


def _forecasts(filters: Array, sums: Array, weighed: Indices) -> Array:
    """Return (filters, copies, n) from sums (T, copies, n) of those rounds that the filters weigh."""
    first, last = int(weighed[0]), int(weighed[-1])
    if last - first + 1 == len(weighed):  # they lie side by side, and need not be copied
        return (filters @ sums[first : last + 1].swapaxes(0, 1)).swapaxes(0, 1)
    return (filters @ sums[weighed].reshape(len(weighed), -1)).reshape(-1, *sums.shape[1:])


@functools.lru_cache(maxsize=4)
def _sparsest(
    weights: Callable[[int, int, float], Array], settings: tuple[tuple[int, float], ...], rounds: int
) -> tuple[Array, int, float]:
    """Return the filters that weigh the fewest numbers, and how often they need reports summed over rounds.

    The last is how far a forecast from the reports themselves may be from the exact one, in units of the
    largest.

    Summation by parts makes the differences of the weights the weights of the sums. Those of a trend lie on a
    line.
    """
    rows = forecast_rows(weights, settings, rounds)
    largest = np.abs(rows).max(axis=-1)
    own_error = float(_rounding_error(rows, np.zeros(()), 0).max())
    found = [rows]
    for times in (1, 2):
        # Summation by parts: weights of a window's mean differ at its ends alone, those of a trend after two
        # steps.
        rows = -np.diff(rows, axis=-1, append=0.0)
        # What rounding leaves of a zero must be a zero, or the filter would not be sparse.
        kept = np.where(np.abs(rows) > _NOTHING * largest[..., None], rows, 0.0)
        # Only where rounding is bounded by what cannot change a play but in a tie, and ties are looked at
        # again.
        if _rounding_error(kept, largest, times).max() <= _HARMLESS:
            found.append(kept)
    # The fewest numbers to weigh: each costs one product for every expert and copy.
    times = int(np.argmin([np.count_nonzero(filters) for filters in found]))
    filters = found[times]
    filters.flags.writeable = False  # as it is shared
    return filters, times, own_error


def _rounding_error(filters: Array, largest: Array, times: int) -> Array:
    """Return (m, T): the error of forecasts from running sums, in units of the largest report.

    `filters` (m, T, T) weigh sums of sums, `times` times, and `largest` (m, T) is each forecast's largest
    weight of a report. The bound holds round by round, so that a longer game has larger ones.
    [mathematics/000.md#running-sums]
    """
    sizes = np.ones(filters.shape[-1])  # the largest that the sums can be
    for _ in range(times):
        sizes = sizes.cumsum()
    summed = sizes.cumsum()
    terms, weighed = np.count_nonzero(filters, axis=-1), np.abs(filters)
    of_sums = _UNIT * (times * (weighed @ summed) + terms * (weighed @ sizes))
    of_filters = (_NOTHING + 4**times * _UNIT) * largest * summed
    found: Array = (of_sums + of_filters) * (1 + 2.0**-10)  # for products of errors
    return found
