"""Data frames, series, lists and other arrays, taken as arrays of float64; names of experts come back.

Rows are rounds, and columns are experts. A frame is whatever has `to_numpy` and `columns`, and a series what
has `to_numpy` and an `index`, as those of pandas have. No package of data frames is imported.

No number is made up for a missing one: it is refused, with its row and column. A public constant, which no
data decide, may stand for it without a cost in privacy, as long as it is no secret who is missing. The last
value may not, because the people in it would then be in two rounds.
"""

import calendar
import contextlib
import hashlib
import itertools
import math
import re
import sys
import warnings
from collections.abc import Iterator
from contextvars import ContextVar
from numbers import Integral, Real
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from private_experts.arrays import Array
from private_experts.errors import InputError

Bounds = tuple[float, float]
Names = tuple[str, ...] | None  # of experts, where they have any

UNIT: Bounds = (0.0, 1.0)  # of gains, unless other bounds are stated

_LOSSES = "losses of private_experts"  # where a frame of actions keeps which losses it was played on
_FEW = 10  # fewer numbers may be alike, or whole, by chance
_DAYS = 31
_MONTHS = {
    name.lower(): number
    for names in (calendar.month_name, calendar.month_abbr)
    for number, name in enumerate(names)
    if name
}
_MISSING = ("None", "<NA>", "NaT", "nan")  # what frames say of a cell that is empty


class Tabular(Protocol):
    """A data frame or a series."""

    def to_numpy(self) -> Any:
        """Return its numbers, or whatever is in it, as an array."""
        ...


def is_tabular(values: object) -> bool:
    """Return whether values are a frame, also a lazy one as polars has, or a series."""
    return hasattr(values, "to_numpy") or hasattr(values, "collect")


def labels_of(values: Any) -> list[Any]:
    """Return the labels of experts: the columns of a frame, the index of a series, or nothing."""
    return list(getattr(values, "columns", getattr(values, "index", ()))) if is_tabular(values) else []


def names_of(values: Any, who: str) -> Names:
    """Return the labels of experts as words, and refuse two that are equal; None where there are none."""
    names = [str(label) for label in labels_of(values)]
    if len({*names}) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise InputError(f"{who}: column {twice} is there twice: write each expert once")
    return tuple(names) or None


def check_rounds(values: Any, who: str) -> None:
    """Refuse a frame whose rows are dates, numbers or numbered words that do not rise.

    They are played from the top. Words are alike but for their numbers, such as 2026-01-31, 31.01.2026,
    2026-W05 or week 9, or have the name of a month beside a day or a year. Others, such as months alone, tell
    no order.
    """
    rows = rows_of(values)
    readings = [[*itertools.starmap(_rises, itertools.pairwise(read))] for read in _readings(rows)]
    if readings and not any(map(all, readings)):
        at = readings[0].index(False)
        raise InputError(
            f"{who}: row {rows[at + 1]} comes after row {rows[at]}, and rounds are played from top to "
            "bottom: write each once, in order, such as frame.sort_index(), or frame.reset_index(drop=True) "
            "where labels tell no order"
        )


def check_goes_on(values: Any, last: str | None, who: str) -> None:
    """Refuse a frame that begins no later than the row played last: who is in it would count twice."""
    rows = rows_of(values)
    # Frames that are counted from 0 do not tell what comes before them.
    if last is None or not rows or rows == [*range(len(rows))]:
        return
    try:
        goes_on = float(last) < float(rows[0])
    except (TypeError, ValueError):
        readings = _readings([last, str(rows[0])])
        goes_on = not readings or any(_rises(*reading) for reading in readings)
    if not goes_on:
        raise InputError(
            f"{who}: row {rows[0]} comes first, and row {last} has been played: write the rounds after it "
            "alone, or frame.reset_index(drop=True) where labels tell no order"
        )


def rows_of(values: Any) -> list[Any]:
    """Return the labels of the rows of a frame, and nothing for anything else."""
    is_frame = is_tabular(values) and hasattr(values, "columns") and hasattr(values, "index")
    return [*values.index] if is_frame else []


def _rises(before: Any, after: Any) -> bool:
    try:
        return bool(before < after)
    except TypeError:  # nothing compares them
        return True


def _readings(rows: list[Any]) -> list[list[Any]]:
    """Return what may be the order of rows, each as keys that rise; nothing where they tell none."""
    if not all(isinstance(row, str) for row in rows):
        return [] if any(isinstance(row, str) for row in rows) else [rows]
    if (days := [_named_day(row) for row in rows]) and all(days):
        return [_with_years([day for day in days if day])]
    kinds = {re.sub(r"\d+", "0", row) for row in rows}
    if len(kinds) != 1 or "0" not in kinds.pop():
        return []
    keys = [tuple(map(int, re.findall(r"\d+", row))) for row in rows]
    if len(keys[0]) == 3 and all(key[2] > _DAYS for key in keys):  # the year comes last
        by_month = [
            [key[::-1] for key in keys],
            [(key[2], *key[:2]) for key in keys],
        ]  # 31.01.2026, 01/31/2026
        return [
            read for read in by_month if all(month <= max(_MONTHS.values()) for _, month, _ in read)
        ] or by_month
    return [keys]


def _named_day(row: str) -> tuple[int, ...] | None:
    """Return the year (0 where there is none), the month and what else a date with a month's name has."""
    months = [month for word in re.findall(r"[A-Za-z]+", row) if (month := _MONTHS.get(word.lower()))]
    found = [int(number) for number in re.findall(r"\d+", row)]
    years = [number for number in found if number > _DAYS]
    days = [number for number in found if number <= _DAYS]
    return ((years or [0])[0], months[0], *days) if len(months) == 1 and found else None


def _with_years(days: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return days so that those without a year go on in the next one where January follows December."""
    year, counted = 0, []
    for before, day in zip([days[0], *days], days, strict=False):
        year += before[1] - day[1] > len(_MONTHS) // 4  # half a year
        counted.append(day if day[0] else (year, *day[1:]))
    return counted


def check_same_rows(gains: Any, actions: Any, who: str) -> None:
    """Refuse two frames whose rows differ, or stand in another order: a row of each would be one round."""
    if not all(is_tabular(values) and hasattr(values, "index") for values in (gains, actions)):
        return
    for ours, theirs in itertools.zip_longest([*gains.index], [*actions.index], fillvalue="missing"):
        if ours != theirs:
            raise InputError(
                f"{who}: row {theirs} of the actions stands beside row {ours} of the gains: write both with "
                "the same rows, in one order"
            )


def check_same_labels(gains: Any, beside: Any, who: str, of_experts: bool = True) -> None:
    """Refuse numbers whose labels are not those of the gains beside them, in their order.

    They are of experts, or of rounds; a frame's are of both. Where one of the two has no labels, their order
    is all there is.
    """
    if not (is_tabular(gains) and is_tabular(beside)):
        return
    both, rows = hasattr(beside, "columns"), [*getattr(gains, "index", ())]
    pairs = [(labels_of(gains), labels_of(beside))] if both or of_experts else []
    if both or not of_experts:
        pairs.append((rows, [*getattr(beside, "index", ())]))
    for ours, theirs in pairs:
        for one, other in itertools.zip_longest(ours, theirs, fillvalue="nothing"):
            if one != other:
                raise InputError(
                    f"{who} of {other} stands beside gains of {one}: write both with the same labels, in one "
                    "order, or numbers without labels"
                )


class ActionsOnLosses(np.ndarray[Any, Any]):
    """Actions of a game whose numbers were losses; regret functions then take these losses as they are."""


# Digests of the losses that were played in this process, by the number of their rounds.
_PLAYED: dict[int, set[str]] = {}
_KEPT = 10**5  # so many of one length: whoever reports for years computes no regret of them
_KNOWN: ContextVar[bool] = ContextVar("known", default=False)


@contextlib.contextmanager
def as_they_are() -> Iterator[None]:
    """Take numbers as gains, whatever else was played in this process: who asks knows that they are."""
    before = _KNOWN.set(True)
    try:
        yield
    finally:
        _KNOWN.reset(before)


def on_losses(actions: Any) -> Any:
    """Return actions that know that they were played on losses."""
    if isinstance(actions, np.ndarray):
        return actions.view(ActionsOnLosses)
    if isinstance(getattr(actions, "attrs", None), dict):
        actions.attrs[_LOSSES] = True
    return actions


def as_gains(values: Any, actions: Any, who: str, losses: bool | None = None) -> Any:
    """Return gains, or the negative of losses, as an array; None asks the actions, which may not know."""
    array = numbers(values, who)
    attributes = getattr(actions, "attrs", None)
    knows = isinstance(actions, ActionsOnLosses) or (isinstance(attributes, dict) and _LOSSES in attributes)
    if losses is None and not _KNOWN.get() and (knows or _PLAYED) and knows != _are_played(array):
        # Negatives, or shares of bounds, would give a regret in the wrong direction.
        if knows:
            raise InputError(
                f"{who}: the actions were played with losses=True, and these are other numbers: write the "
                "losses that were played, as they are, or losses=True"
            )
        raise InputError(
            f"{who}: these numbers were played as losses, and the actions do not tell that they were: write "
            "losses=True, or losses=False if they are gains of these actions"
        )
    return -array if (knows if losses is None else losses) else array


def _are_played(array: Array) -> bool:
    """Return whether these are losses that were played in this process, in one game or one after another."""
    at = 0
    while at < len(array):
        lengths = [length for length in _PLAYED if at + length <= len(array)]
        found = [step for step in lengths if _digest(array[at : at + step]) in _PLAYED[step]]
        if not found:
            return False
        at += max(found)
    return at > 0


def _digest(values: Any) -> str:
    array = np.ascontiguousarray(numbers(values, "losses"), dtype=np.float64)
    return hashlib.sha256(str(array.shape).encode() + array.tobytes()).hexdigest()


def numbers(values: Any, who: str) -> Any:
    """Return a frame, a series, a list or another array as an array of float64, all finite.

    An array of float64 is returned as it is, and so is what may hold no numbers, for somebody else to refuse.
    """
    if type(values) is np.ndarray:
        other = values.dtype.kind in "fbui" and values.dtype != np.float64
        return values.astype(np.float64) if other else values
    if is_tabular(values):
        if not hasattr(values, "to_numpy"):
            raise InputError(f"{who}: a lazy frame has no numbers yet: write frame.collect()")
        # A frame with two equal columns returns both under one label.
        names_of(values, who)  # before a column is looked up by its label
        columns = [(f"{who}: column {label}", values[label]) for label in getattr(values, "columns", ())]
        parts = [_floats(column.to_numpy(), what) for what, column in columns]
        array = np.column_stack(parts) if parts else _floats(values.to_numpy(), who)
    elif isinstance(values, list | tuple):
        try:
            array = np.asarray(values)
        except ValueError as error:
            raise InputError(
                f"{who}: a list of rows of different lengths: write one number for each expert"
            ) from error
        array = _floats(array, who)
    else:
        return values
    check_finite(array, values, who)
    return array


def check_finite(array: Array, values: Any, who: str) -> None:
    """Refuse numbers that are infinite or missing, and say where the first of them stands."""
    wrong = np.argwhere(~np.isfinite(array))
    if wrong.size:
        number = array[tuple(wrong[0])]
        found = "is missing" if math.isnan(number) else f"is {number:g}"
        wanted = "write a number that does not come from the data, or leave the row out"
        raise InputError(f"{who}: {_place(values, wrong[0])} {found}: {wanted}")


def check_within(array: Array, values: Any, who: str, bounds: Bounds) -> None:
    """Refuse numbers that are missing or out of bounds, and say where the first of them stands."""
    check_finite(array, values, who)
    low, high = bounds
    outside = np.argwhere((array < low) | (array > high))
    if outside.size:
        where, number = _place(values, outside[0]), array[tuple(outside[0])]
        raise InputError(
            f"{who}: {where} is {number:g}: write numbers from {low:g} to {high:g}, or other bounds"
        )


def _place(values: Any, at: NDArray[np.intp]) -> str:
    """Return in words where a number stands: by labels in a frame or a series, otherwise counted from 0."""
    labels, row = labels_of(values), at[0]
    expert = f"column {labels[at[-1]] if labels else at[-1]}"
    if len(at) == 1:
        return expert
    return f"row {values.index[row] if is_tabular(values) and hasattr(values, 'index') else row}, {expert}"


def _floats(array: NDArray[Any], what: str) -> Array:
    """Return numbers as floats, NaN where they are missing, and refuse words and dates."""
    if array.dtype.kind in "fbui":
        return array.astype(np.float64)
    wrong = [entry for entry in array.ravel() if not isinstance(entry, Real) and str(entry) not in _MISSING]
    if wrong or array.dtype.kind != "O":
        kind = type(wrong[0]).__name__ if wrong and array.dtype.kind == "O" else array.dtype
        raise InputError(f"{what}: {kind} is no number: write numbers, or leave it out")
    try:
        found = [float(entry) if isinstance(entry, Real) else math.nan for entry in array.ravel()]
    except OverflowError as error:
        raise InputError(f"{what}: a number has too many digits: write one that float64 can hold") from error
    return np.array(found).reshape(array.shape)


def checked_bounds(bounds: Bounds, who: str) -> Bounds:
    """Return the least and the largest possible gain or loss, once certain that they are two numbers."""
    try:
        low, high = map(float, bounds)
    except (TypeError, ValueError):
        low = high = math.nan
    if not (low < high and math.isfinite(high - low)):
        raise InputError(
            f"{who}: bounds = {bounds!r}: write the least and the largest value that is possible, (lo, hi)"
        )
    return low, high


def check_possible(
    who: str, sensitivity: Any, n: int | None, bounds: Bounds = UNIT, guarantee: object = None
) -> None:
    """Refuse a sensitivity that no two rounds are apart: it is in another unit than gains are.

    One for each of n gains, (rounds, n), is of a gain. It is an L2 distance, or L1 where a guarantee is not
    of Gaussian noise. Without privacy it sets no noise.
    """
    if not n or str(guarantee) == "no privacy":
        return
    (low, high), n = bounds, 1 if np.ndim(sensitivity) == 2 else n
    norm, root = ("L2", math.sqrt(n)) if guarantee is None or hasattr(guarantee, "mu") else ("L1", n)
    if np.max(sensitivity) > (most := root * (high - low)) * (1 + 1e-9):
        gains = "a gain" if n == 1 else f"{n} gains"
        raise InputError(
            f"{who}: a sensitivity of {np.max(sensitivity):g}, and nobody moves {gains} from {low:g} to "
            f"{high:g} by more than {most:g} ({norm}): write both in one unit, with bounds"
        )


def check_whole(who: str, values: Any, sensitivity: Any, bounds: Bounds | None, guarantee: object) -> None:
    """Refuse a sensitivity below 1 for counts, which move by 1: it is of shares, and would protect nobody.

    Counts are whole numbers by their type, within bounds that are wider than 1. Ten floats that are whole may
    be counts of which one was missing, and are warned of; not those that are a bound.
    """
    low, high = bounds or UNIT
    stated = np.asarray(sensitivity)
    below = stated[(stated > 0) & (stated < 1 - 1e-9)]
    if not (high - low > 1 and below.size) or str(guarantee) == "no privacy":
        return
    message = f"a sensitivity of {below.min():g} for whole numbers from {low:g} to {high:g}"
    message += ", which move by 1 at least"
    if _are_whole(values):
        raise InputError(
            f"{who}: {message}: write it in the unit of the gains, as bounds are, or gains as floats if they "
            "are no counts"
        )
    array = numbers(values, who)
    for some in (array.flat[:100], array):  # of a hundred one is not whole, as a rule, or it is of counts
        inside = some[(low < some) & (some < high)]
        if (inside != np.rint(inside)).any():
            return
    if inside.size >= _FEW:
        _tell(f"{message}: are both in one unit?")


def _are_whole(values: Any) -> bool:
    """Return whether an array or a frame is of whole numbers by its type."""
    columns = [values[label] for label in getattr(values, "columns", ())] if is_tabular(values) else []
    arrays = [part.to_numpy() if is_tabular(part) else part for part in columns or [values]]
    return all(getattr(array, "dtype", np.dtype(float)).kind in "iub" for array in arrays)


def tell_unit(gains: Any, stated: Any, guarantee: object = None) -> None:
    """Warn where gains differ by less than a thousandth of what is stated: they may be in another unit.

    Then less than a million rounds teach next to nothing, at noise of that sensitivity (mu = 1) or at rates
    for such bounds; without privacy nothing is drawn. Fewer than ten numbers may be alike by chance, and
    others but for rounding.
    """
    if not isinstance(gains, np.ndarray) or gains.size < _FEW or str(guarantee) == "no privacy":
        return
    most, apart, largest = float(np.max(stated)), 0.0, 0.0
    for some in (gains.flat[:100], gains):  # where a hundred are further apart, as nearly always, so are all
        low, high = float(some.min()), float(some.max())
        apart, largest = high - low, max(-low, high)
        if not apart < most / 1000:
            return
    if 1e-12 * max(most, largest) < apart:
        _tell(
            "gains differ by less than a thousandth of what bounds or a sensitivity say is possible: are all "
            "in one unit?"
        )


def _tell(doubt: str) -> None:
    """Warn of the user's line, and of no inner one."""
    depth, frame = 2, sys._getframe(1)
    while frame.f_back and frame.f_globals.get("__name__", "").startswith("private_experts."):
        depth, frame = depth + 1, frame.f_back
    warnings.warn(doubt, stacklevel=depth)


def gains_of(
    values: Any,
    who: str,
    bounds: Bounds | None = None,
    losses: bool = False,
    largest: float = 1.0,
    guarantee: object = None,
) -> tuple[Any, float]:
    """Return gains in [0, 1] of values in their own unit, and how many of these are the unit of the gains.

    A gain becomes ``(gain - lo) / (hi - lo)`` and a loss ``(hi - loss) / (hi - lo)``. One outside the bounds
    is refused by its row and column. Without bounds gains are from 0 to `largest`, and an array of float64 is
    returned as it is: whoever is told of a round looks at it.
    """
    array = numbers(values, who)
    check_rounds(values, who)
    if bounds is None and not losses and array is values:
        return array, 1.0
    if not isinstance(array, np.ndarray) or array.dtype.kind not in "fbui":
        raise InputError(
            f"{who}: {getattr(array, 'dtype', type(values).__name__)} is no number: write a frame or an "
            "array of gains, (rounds, experts)"
        )
    # A loss is turned over within [0, 1], so it has to lie there; gains may be larger where the algorithm
    # says so.
    if losses and array.size:
        rounds = np.atleast_2d(array)  # those that are reported by hand are played one by one
        digests = _PLAYED.setdefault(len(rounds), set())
        if len(digests) < _KEPT:
            digests.add(_digest(rounds))
    low, high = (0.0, 1.0 if losses else largest) if bounds is None else checked_bounds(bounds, who)
    check_within(array, values, who, (low, high))
    if bounds is None:
        return (1 - array if losses else array), 1.0
    tell_unit(array, high - low, guarantee)
    return ((high - array) if losses else (array - low)) / (high - low), high - low


def with_labels(actions: NDArray[np.intp], values: Any) -> Any:
    """Return the experts that were played by the labels of the frame of the gains, where there are any.

    Actions (rounds, repetitions) become a frame of the same kind with the same rows, and others an array of
    labels.
    """
    labels = labels_of(values)
    if not labels:
        return actions
    array = np.empty(len(labels), dtype=object)
    array[:] = labels
    if actions.ndim != 2 or not hasattr(values, "index"):
        return array[actions]
    return type(values)(array[actions], index=values.index)


def numbered(actions: Any, gains: Any, who: str) -> Any:
    """Return the experts of actions by their numbers: labels are those of the frame that the gains are in."""
    if isinstance(actions, np.ndarray) and actions.dtype.kind not in "OU":
        return _places(actions, labels_of(gains), who)
    array = np.asarray(actions.to_numpy() if is_tabular(actions) else actions)
    labels = labels_of(gains)
    if not labels or (isinstance(actions, list | tuple) and array.dtype.kind in "iu"):
        return _places(array, labels, who)
    number = {str(label): at for at, label in enumerate(labels)}
    unknown = [entry for entry in array.ravel() if str(entry) not in number]
    if unknown:
        raise InputError(
            f"{who}: {unknown[0]} was played, and is no column of the gains: write the frame of that game"
        )
    return np.array([number[str(entry)] for entry in array.ravel()], dtype=np.intp).reshape(array.shape)


def _places(actions: Any, labels: list[Any], who: str) -> Any:
    """Return numbers of experts as they are; refuse them where labels are other numbers, and may be meant."""
    if labels != [*range(len(labels))] and all(isinstance(label, Integral) for label in labels):
        raise InputError(
            f"{who}: actions by number, and the columns are called by numbers such as {labels[0]}: write the "
            "frame that play returned, or gains.to_numpy() beside places from 0"
        )
    return actions
