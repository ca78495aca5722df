"""What all algorithms of the central model share: they are told true gains, and look at them first."""

import itertools
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import Any

import numpy as np

from private_experts.algorithms.base import BaseAlgorithm
from private_experts.algorithms.door import door
from private_experts.arrays import Actions, Array, Indices
from private_experts.errors import InputError
from private_experts.privacy.reports import Reports, ReportsOfGains, foreseen
from private_experts.tabular import UNIT, gains_of, names_of
from private_experts.validation import checked_gains, prevalidated, whole

# Methods that a `play_unchecked` or a `play_known` does the work of.
_STOOD_FOR = (
    "predict",
    "update",
    "update_unchecked",
    "tilt",
    "choose",
    "_choice",
    "forecast",
    "_advice",
    "_extra",
    "_credit",
)
_IN_TURN = 2**10  # actions that are kept as they were named, before they are put into the smallest integers
_KNOWN = 2**20  # numbers of reports that are kept to be played at once, 8 MB


class CentralAlgorithm(BaseAlgorithm, ABC):
    """An `Algorithm` that first refuses gains which its guarantee and bounds are not about.

    What derives from it says in `update_unchecked` what it does with the gains of a round.

    Parameters
    ----------
    who : str
        The algorithm's name, for refusals.
    n : int
        Number of experts.
    repetitions : int
        Number of independent copies.
    largest : float
        The largest gain that is possible; ``inf`` for any finite gain.

    Attributes
    ----------
    n, repetitions : int
        As given.
    largest : float
        As given.

    Raises
    ------
    InputError
        When a number is not whole, or below 1.

    Examples
    --------
    One that keeps totals, as `FollowTheLeader` does:

    >>> import numpy as np
    >>> from private_experts.algorithms import CentralAlgorithm
    >>> class Sums(CentralAlgorithm):
    ...     total = 0.0
    ...     def update_unchecked(self, gains):
    ...         self.total = self.total + gains
    >>> sums = Sums("sums", n=2)
    >>> sums.update(np.array([0.5, 1.0]))
    >>> sums.total.tolist()
    [0.5, 1.0]
    >>> sums.update(np.array([0.5, 1.0, 0.0]))
    Traceback (most recent call last):
        ...
    private_experts.errors.InputError: gains of shape (3,): write shape (2,), or (1, 2) for all copies
    """

    def __init__(self, who: str, n: int, repetitions: int = 1, largest: float = 1.0) -> None:
        self.n = whole(n, who, "n")
        self.repetitions = whole(repetitions, who, "repetitions")
        self.largest = largest

    def update(self, gains: Any) -> None:
        """Take in the true gains of a round, array_like, (n,) or (repetitions, n), from 0 to `largest`.

        Or within the `bounds` that were stated beside the sensitivity. See `Algorithm.update`.
        """
        given = (
            gains
            if self.bounds in (None, UNIT)
            else gains_of(gains, "gains", self.bounds, guarantee=self.guarantee)[0]
        )
        checked = checked_gains(given, self.n, self.repetitions, self.largest)
        # An array that came back as it was has no names: only data frames and the like are converted.
        if checked is not gains:
            self.check_names(names_of(gains, "gains"))
        self.update_unchecked(checked)
        self.rounds_played += 1

    @abstractmethod
    def update_unchecked(self, gains: Array) -> None:
        """Do what `update` does, with gains that nobody looks at any more.

        It is for those who looked at them before, such as `private_experts.games.play` at the gains of many
        rounds at once. Given other gains, the algorithm's guarantee is false.
        """
        ...


def unchecked(algorithm: Any) -> Callable[[Array], None] | None:
    """Return an algorithm's `update_unchecked`, or None if it has none, or an `update` of its own.

    Nor is there one for gains in a unit of their own, which `update` rescales.
    """
    # the object's own, where somebody gave it one to note rounds
    own = getattr(algorithm.update, "__func__", None)
    # A class with an `update` of its own may do more than look at gains, so it is not passed over.
    if (
        isinstance(algorithm, CentralAlgorithm)
        and own is CentralAlgorithm.update
        and algorithm.bounds in (None, UNIT)
    ):
        return algorithm.update_unchecked
    return None


def at_once(algorithm: Any, method: str = "play_unchecked") -> Callable[[Any], Any] | None:
    """Return an algorithm's method for many rounds at once: `play_unchecked`, `play_known`, `play_added`.

    It does what `predict` and `update_unchecked` do in turn, to the last bit where gains lie in C order. A
    derived class, or an object, with a method of its own in their place is not passed over. A method that is
    written over in the algorithm's own class is. A `play_unchecked` is given gains that were looked at, shape
    (T, n) or (T, repetitions, n), and returns T actions. A `play_known`, of algorithms and learners that hear
    reports, is given T reports. It returns None, and has done nothing, where they have to be played one by
    one. A `play_added` is given the reports of known gains.
    """
    # In the order in which Python would look a name up: what stands before the method replaces some of its
    # work.
    for names in vars(algorithm), *map(vars, type(algorithm).__mro__):
        if method in names:
            found: Callable[[Any], Any] = getattr(algorithm, method)
            return found
        if any(name in names for name in _STOOD_FOR):
            return None
    return None


def stretches(algorithm: Any, rounds: Iterable[Any]) -> Iterator[tuple[Iterable[Any], Callable[[Any], Any]]]:
    """Cut a game into stretches of rounds, and yield each with what plays it and returns the actions.

    Where all gains of a stretch are certainly right, nobody looks at them again, and an algorithm that can
    plays many rounds at once. Nobody may write to the gains of a stretch from when it is looked at until its
    last round is played.
    """
    slowly = partial(_in_turn, algorithm, door(algorithm))
    tell = unchecked(algorithm)
    if tell is None:
        known, added = at_once(algorithm, "play_known"), at_once(algorithm, "play_added")
        # Reports may be made ahead only where the algorithm's own draws are not interleaved with those of
        # their noise: a shared generator would give other numbers in another order.
        if known and foreseen(rounds, getattr(algorithm, "_rng", None)):
            yield from ((part, partial(_known_or_slowly, known, slowly)) for part in _parts(iter(rounds)))
        else:
            wide = isinstance(rounds, ReportsOfGains) and rounds.rows
            yield rounds, added if added and wide else slowly
        return
    # Gains of which something may be wrong are played one by one, so that the refusal comes at its round.
    quickly = at_once(algorithm) or partial(_in_turn, algorithm, tell)
    for part, sure in prevalidated(rounds, algorithm.n, algorithm.repetitions, algorithm.largest):
        yield part, quickly if sure else slowly


def _parts(reports: Iterator[Any]) -> Iterator[list[Any]]:
    """Yield reports, as many together as are kept at once."""
    for first in reports:
        # Cut by size: reports of a whole game in memory could be larger than the machine.
        size = first.values.size if isinstance(first, Reports) else _KNOWN
        yield [first, *itertools.islice(reports, max(0, _KNOWN // max(1, size) - 1))]


def _known_or_slowly(
    known: Callable[[Any], Indices | None], slowly: Callable[[Any], Actions], reports: list[Any]
) -> Actions:
    played = known(reports)
    # Only None says that nothing was played yet; then playing again from the start is right.
    return slowly(reports) if played is None else played


def _in_turn(algorithm: Any, tell: Callable[[Any], object], rounds: Iterable[Any]) -> Actions:
    parts: list[Actions] = []
    actions: list[Indices] = []
    for gains_of_round in rounds:
        actions.append(algorithm.predict())
        tell(gains_of_round)
        if len(actions) == _IN_TURN:
            parts.append(smallest(algorithm, actions))
            actions = []
    if actions or not parts:
        parts.append(smallest(algorithm, actions))
    return np.concatenate(parts)


def smallest(algorithm: Any, actions: Any) -> Actions:
    """Return actions in the smallest signed integers that hold all experts' numbers, where they are known."""
    given = np.asarray(actions)
    named: Actions = given if given.dtype.kind == "i" else given.astype(np.intp)
    if given.dtype.kind == "f" and (given != named).any():
        raise InputError(
            f"play: {type(algorithm).__name__} plays {given[given != named][0]:g}, and experts are whole "
            "numbers: play points, as in private_experts.private_oco, by predict and update"
        )
    n = experts_of(algorithm)
    kinds = (kind for kind in (np.int8, np.int16, np.int32) if n and n - 1 <= np.iinfo(kind).max)
    small = named.astype(next(kinds, np.intp), copy=False)
    # Somebody else's class may name an expert beyond those that it states.
    return small if small is named or (small == named).all() else named


def experts_of(algorithm: Any) -> int | None:
    """Return the number of experts, where an algorithm tells it."""
    algorithm = getattr(algorithm, "copies", [algorithm])[0]
    width = np.size(algorithm.awake) if hasattr(algorithm, "awake") else None
    n = getattr(algorithm, "n", getattr(algorithm, "shape", (None, width))[1])
    return int(n) if isinstance(n, int | np.integer) else None
