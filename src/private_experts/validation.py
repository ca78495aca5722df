"""Checks of plain input: numbers, words, generators, arrays. A refusal says in one line what to write.

Checks of the library's own objects stand beside their classes: `check_guarantee`, `check_report`,
`checked_noise`.
"""

import functools
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from numbers import Integral, Real
from typing import Any, TypeGuard, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from private_experts.arrays import Array, Indices, Ints
from private_experts.errors import InputError
from private_experts.randomness import rng_for
from private_experts.tabular import numbers

Function = TypeVar("Function", bound=Callable[..., Any])

_BANDIT = "; the gain of the played expert alone is bandit feedback, which no algorithm here learns from"
COUNTED = 2**63 - 1  # the most that a 64-bit integer counts

_AT_ONCE = 2**15  # how many gains are checked at once; they fit into a processor's cache
_FLOATS = np.dtype(np.float64)
_LARGEST = float(np.finfo(np.float64).max)
_LONGEST = 2**62  # rounds; counts are 64-bit integers
_ONE = int(np.float64(1.0).view(np.uint64))
_ROUNDING = 1e-9  # a slope may exceed its limit by this share


def bandit(given: Any, n: int | None) -> str:
    """Return what a refusal adds where one number was given for n experts, and nothing otherwise."""
    if isinstance(given, Mapping | Sequence) and not isinstance(given, str):
        count = len(given)
    else:
        count = given.size if is_array(given) else int(isinstance(given, Real))
    return _BANDIT if count == 1 and n != 1 else ""


def whole(value: float, who: str, name: str, least: int = 1, most: int | None = COUNTED) -> int:
    """Return a whole number as an `int`, of any size if `most` is None, for what counts nothing in memory."""
    # True is an Integral to Python, and as a number of rounds it is a mistake.
    if isinstance(value, bool) or not isinstance(value, Integral) or value < least:
        raise InputError(f"{who}: {name} {refused_value(value)}: write a whole number of at least {least}")
    if most is not None and value > most:
        raise InputError(f"{who}: {name} is too large: write a whole number of at most {most}")
    return int(value)


def as_float(value: Any) -> float:
    """Return a number as a float, which does not overflow as NumPy's integers do; NaN for no number.

    A truth value is none, nor is a positive number that a float can only say is 0. What is too large is
    infinite.
    """
    if not isinstance(value, Real) or isinstance(value, bool):
        return math.nan
    try:
        number = float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]
    # A positive number that underflows to 0 would turn noise off, or a level into perfect privacy.
    return number if number or not value else math.nan


def refused_value(value: object) -> str:
    """Return what a message in one line says of a value that was refused."""
    if isinstance(value, Real) and math.isinf(as_float(value)):
        return f"= {as_float(value)}"  # of too many digits
    if isinstance(value, Real):
        return f"= {value}"
    return f"= {value!r}" if isinstance(value, str | None) else f"is of type {type(value).__name__}"


def plain_numbers(function: Function) -> Function:
    """Let a formula compute with Python's numbers instead of NumPy's, whose integers overflow in silence."""

    @functools.wraps(function)
    def plain(*given: Any, **named: Any) -> Any:
        return function(*map(_plain, given), **{name: _plain(value) for name, value in named.items()})

    return cast(Function, plain)


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def checked_number(
    what: str, value: object, low: float = -math.inf, high: float = math.inf, *, ends: bool = True
) -> float:
    """Return a number from `low` to `high` as a float, without `ends` between them; infinity is no number."""
    number = as_float(value)
    # Comparisons with nan are false, so that it is refused like any other number outside.
    if low <= number <= high and abs(number) < math.inf and (ends or low < number < high):
        return number
    if math.isinf(low):
        wanted = "a finite number"
    elif math.isinf(high):
        wanted = (
            f"a number of at least {low:g}"
            if ends
            else f"a number above {low:g}"
            if low
            else "a positive number"
        )
    else:
        wanted = f"a number from {low:g} to {high:g}" if ends else f"a number between {low:g} and {high:g}"
    raise InputError(f"{what} {refused_value(value)}: write {wanted}")


def learner_settings(settings: Iterable[tuple[int, float]]) -> tuple[tuple[int, float], ...]:
    """Return the windows and strengths of rolling regressions, which are whole and positive numbers."""
    found = tuple(
        (whole(window, "learners", "window"), checked_number("learners: strength", strength, 0, ends=False))
        for window, strength in settings
    )
    if not found:
        raise InputError("learners: there are no settings; write a window and a strength for each")
    return found


def check_word(what: str, value: object, *words: str) -> None:
    """Refuse what is none of some words."""
    if value not in words:
        raise InputError(f"{what} = {value!r}: write {' or '.join(map(repr, words))}")


def check_rounds_left(who: str, played: int, horizon: float) -> None:
    """Refuse a round after the last one, for which no guarantee is stated; `horizon` may be inf."""
    if played >= horizon:
        raise InputError(f"{who}: all {horizon} rounds were played: write the true horizon")


def generator(rng: np.random.Generator | int, who: str) -> np.random.Generator:
    """Return a random generator as it is, or that of a seed, which is another one for each kind of object."""
    if isinstance(rng, np.random.Generator):
        return rng
    if not isinstance(rng, Integral):
        kind = type(rng).__name__
        instead = "rng takes no source of noise, not even a secure one; " if hasattr(rng, "perturb") else ""
        raise InputError(
            f'{who}: rng of type {kind}: {instead}write rng_for(0, "my draws"), a seed such as 7, or a '
            "Generator"
        )
    return rng_for(whole(rng, who, "rng", least=0), who)


def is_array(value: object) -> TypeGuard[NDArray[Any]]:
    """Return whether a value is an array that shows all its numbers.

    One with a mask does not: the least, the largest and the sum pass over numbers that are still there.
    """
    return isinstance(value, np.ndarray) and not isinstance(value, np.ma.MaskedArray)


def checked_range(name: str, values: ArrayLike, high: float = math.inf) -> Array:
    """Return numbers of any shape as floats, once it is certain that all are in [0, high]."""
    array = np.asarray(values, dtype=np.float64)
    wrong = ~((array >= 0) & (array <= high))
    if wrong.any():
        wanted = f"a number from 0 to {high:g}" if high < math.inf else "a number that is at least 0"
        raise InputError(f"{name} = {array[wrong][0]:g}: write {wanted}")
    return array


def checked_vector(vector: Any, n: int, who: str) -> Array:
    """Return a copy of a vector as floats, shape (n,), once it is certain that all its numbers are finite.

    No range is asked for. A guarantee rests on how far one person can move a vector, and not on how large it
    is. That distance is the sensitivity, which whoever makes the mechanism states; no single vector can show
    it to be wrong.
    """
    if type(vector) is np.ndarray and vector.dtype == np.float64 and vector.shape == (n,):
        # A copy before the look: between the check and the use nobody may write to it.
        copy = vector.copy()
        if copy.dot(copy) < math.inf:  # quickly: a sum of squares is finite only if all are
            return copy
    vector = numbers(vector, who)
    if not is_array(vector):
        raise InputError(f"{who}: a {type(vector).__name__} was given; write a NumPy array of shape ({n},)")
    if vector.shape != (n,):
        raise InputError(f"{who}: a vector of shape {vector.shape}; write shape ({n},)")
    if vector.dtype.kind not in "fbui":
        raise InputError(f"{who}: a vector of type {vector.dtype}; write an array of float64")
    copy = vector.astype(np.float64)
    if not np.isfinite(copy).all():
        raise InputError(f"{who}: a vector with {copy[~np.isfinite(copy)][0]} in it; write finite numbers")
    return copy


def checked_gains(
    gains: Any, n: int, repetitions: int = 1, largest: float = 1.0, label: str = "gains"
) -> Array:
    """Return gains, integers as floats, once it is certain that guarantees and bounds are about them.

    They are numbers from 0 to `largest` (1 or more, or inf), of shape (n,) or (repetitions, n).
    """
    if (
        n
        and type(gains) is np.ndarray
        and gains.shape in ((n,), (repetitions, n))
        and _within(gains, largest)
    ):
        return gains
    return _checked_slowly(gains, n, repetitions, largest, label)


def prevalidated(
    rounds: Iterable[Any], n: int, repetitions: int = 1, largest: float = 1.0
) -> Iterator[tuple[Iterable[Any], bool]]:
    """Yield stretches of rounds, with whether `checked_gains` would certainly return their gains unchanged.

    To check the gains of many rounds at once costs little more than those of one. That takes an ndarray of
    shape (rounds, n) or (rounds, repetitions, n); of other iterables nothing is certain.
    """
    if not (
        type(rounds) is np.ndarray and rounds.size and n and rounds.shape[1:] in ((n,), (repetitions, n))
    ):
        yield rounds, False
        return
    # Looked at in pieces, each just before it is played, while it is in the cache.
    length = max(1, _AT_ONCE * len(rounds) // rounds.size)
    for start in range(0, len(rounds), length):
        part = rounds[start : start + length]
        yield part, _within(part, largest)


def _within(gains: NDArray[Any], largest: float) -> bool:
    """Return whether an array is of floats from 0 to `largest`; -0.0 is left to whoever looks closer.

    The bits of numbers from 0 on, read as whole numbers, have the order of the numbers. Negative ones and NaN
    come after them all. So one pass over the array answers. A method is called faster than a ufunc.
    """
    # By identity: an equal dtype in another byte order would have its bits read wrongly.
    if gains.dtype is not _FLOATS:  # such as numbers whose bytes are in another order
        return False
    # -0.0 has the sign bit, so it is huge here; the slow way then takes it.
    bits = gains.view(np.uint64)
    most: int = bits.item(bits.argmax())
    return most <= (_ONE if largest == 1 else _top(largest))


def _top(largest: float) -> int:
    if not largest >= 1:
        raise InputError(f"largest gain {largest}: write 1 or more")
    return int(np.float64(min(largest, _LARGEST)).view(np.uint64))


def _checked_slowly(gains: Any, n: int, repetitions: int, largest: float, label: str) -> Array:
    gains = numbers(gains, label)
    if not is_array(gains):
        kind = type(gains).__name__
        raise InputError(
            f"{label}: a {kind} was given; write a NumPy array of shape ({n or 'n'},){bandit(gains, n)}"
        )
    if gains.shape != (n,) and gains.shape != (repetitions, n):
        wanted = f"write shape ({n},), or ({repetitions}, {n}) for all copies"
        raise InputError(f"{label} of shape {gains.shape}: {wanted}{bandit(gains, n)}")
    if not gains.size:
        raise InputError(f"{label} of shape {gains.shape}: write at least one number")
    gains = np.asarray(gains)  # not a subclass, whose methods may mean something else
    if gains.dtype != np.float64:
        raise InputError(f"{label} of type {gains.dtype}: write an array of float64")
    if gains.min() >= 0 and gains.max() <= min(largest, _LARGEST):
        taken: Array = gains
        return taken
    low, high, missing = (
        gains.min(),
        gains.max(),
        np.flatnonzero(np.isnan(gains).any(axis=tuple(range(gains.ndim - 1)))),
    )
    where = f", that of expert {missing[0]} is missing" if missing.size else ""
    wanted = (
        f"numbers from 0 to {largest:g}, such as shares of the best reward" if largest < np.inf else "numbers"
    )
    raise InputError(f"{label} from {low:g} to {high:g}{where}: write {wanted}")


def checked_loss(values: ArrayLike, size: int, meaning: str) -> Array:
    """Return a convex game's loss as floats, (size,), once it is certain that its numbers are finite."""
    if type(values) is np.ndarray and values.dtype.char == "d" and values.shape == (size,):
        if math.isfinite(values.dot(values)):  # one fast look at all of them
            return values
    elif not (is_array(values) and values.dtype.kind in "fiu"):
        raise InputError(
            f"loss: {type(values).__name__}: write {meaning} as an array of numbers, shape ({size},)"
        )
    elif values.shape != (size,):
        raise InputError(f"loss: shape {values.shape}: write {meaning}, shape ({size},)")
    numbers = np.asarray(values, dtype=np.float64)
    wrong = np.flatnonzero(~np.isfinite(numbers))
    if wrong.size:
        raise InputError(
            f"loss: number {wrong[0] + 1} of {size} is {numbers[wrong[0]]}: write {meaning} with finite "
            "numbers"
        )
    return numbers


def check_steepness(steepness: float, lipschitz: float) -> None:
    """Refuse a loss that is steeper than the guarantee allows, up to rounding; `lipschitz` may be inf."""
    if not steepness <= lipschitz * (1 + _ROUNDING):
        raise InputError(
            f"loss: slope {steepness:.6g}, and the guarantee is for {lipschitz:g}: scale it, or state its "
            "lipschitz"
        )


def checked_indices(name: str, values: NDArray[np.integer], number: int) -> Indices:
    """Return integers from 0 to ``number - 1``, shape (repetitions,), as indices."""
    if (
        not isinstance(values, np.ndarray)
        or values.dtype.kind not in "iu"
        or values.ndim != 1
        or not values.size
    ):
        raise InputError(
            f"{name}: {_kind_and_shape(values)}: write an array of whole numbers, one for each repetition"
        )
    return _in_range(name, values, number)


def checked_actions(
    who: str, actions: Any, n: int | None = None, rounds: int | None = None, repetitions: int | None = None
) -> Indices:
    """Return numbers of experts as indices, once it is certain that they are whole numbers from 0 to n - 1.

    Where they are given, there are `rounds` along the first axis and `repetitions` along the last.
    """
    if isinstance(actions, list | tuple):
        actions = np.asarray(actions)
    if not isinstance(actions, np.ndarray) or actions.dtype.kind not in "iu" or not actions.ndim:
        raise InputError(
            f"{who}: actions {_kind_and_shape(actions)}: write an array of whole numbers, which are experts, "
            "or the frame of gains beside names"
        )
    for name, length, axis in (("rounds", rounds, 0), ("repetitions", repetitions, -1)):
        if length not in (None, actions.shape[axis]):
            raise InputError(f"{who}: actions {_kind_and_shape(actions)}: write those of {length} {name}")
    return _in_range(f"{who}: actions", actions, n)


def _in_range(name: str, values: NDArray[np.integer], number: int | None) -> Indices:
    """Return whole numbers as indices, once it is certain that they are from 0 to ``number - 1``."""
    # A negative number is a huge one when it is read without its sign. So one pass sees both ends.
    indices = values.astype(np.intp, copy=False)
    most = COUNTED if number is None else number
    if indices.size and np.maximum.reduce(indices.view(np.uintp), axis=None) >= most:
        wrong = values[(values < 0) | (values >= most)][0]
        wanted = "from 0 on" if number is None else f"from 0 to {most - 1}"
        raise InputError(f"{name}: {wrong} is among them: write numbers {wanted}")
    return indices


def checked_distributions(classes: ArrayLike, what: str = "classes") -> Array:
    """Return classes as an array (..., K, M), if each row is a distribution. [mathematics/003.md#setting]"""
    try:
        f = np.asarray(classes, dtype=np.float64)
    except (TypeError, ValueError):  # words, or rows of different lengths
        raise InputError(f"{what}: write K rows of M probabilities, all of the same length") from None
    if f.ndim < 2 or f.size == 0:
        raise InputError(f"{what} of shape {f.shape}: write K rows of M probabilities")
    away = np.maximum.reduce(np.abs(np.add.reduce(f, axis=-1) - 1.0), axis=None)
    if not (away <= 1e-9 and np.minimum.reduce(f, axis=None) >= 0):  # NaN is neither
        raise InputError(f"{what}: each row must be a distribution, that is at least 0 and with the sum 1")
    return f


def check_class_shape(classes: Array, experts: int, labels: int | None = None) -> None:
    """Refuse the distributions of a round unless they are an array of shape (experts, labels)."""
    right = isinstance(classes, np.ndarray) and classes.ndim == 2 and len(classes) == experts
    if not right or labels not in (None, classes.shape[1]):
        wanted = f"({experts}, {'labels' if labels is None else labels})"
        raise InputError(
            f"classes: {_kind_and_shape(classes)}: write an array of shape {wanted}, "
            "with one distribution a row"
        )


def check_truth(truth: int, experts: int) -> None:
    """Refuse an index of the distribution that labels come from when there is no such distribution."""
    whole(truth, "labels", "truth", least=0)
    if truth >= experts:
        raise InputError(f"truth = {truth}: write the index of one of the {experts} distributions, from 0 on")


def check_many_rounds(rounds: Ints, truth: int, experts: int) -> None:
    """Refuse numbers of rounds, (repetitions,), not whole or below 0, and what `check_truth` refuses."""
    checked_indices("rounds", rounds, _LONGEST)
    check_truth(truth, experts)


def _kind_and_shape(value: object) -> str:
    """Return what a message says of a value: of an array its shape and type, of others what they are."""
    if isinstance(value, np.ndarray):
        return f"{value.dtype} of shape {value.shape}"
    return f"of type {type(value).__name__}"
