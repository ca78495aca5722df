"""In which rounds one person's data may be, and what a linear mechanism then promises that person.

[mathematics/000.md#participation]
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from private_experts.arrays import Array
from private_experts.errors import InputError
from private_experts.validation import whole

_ROUNDING = 1e-12
MOST_SHARED = 2048**2  # products of two rounds that a mechanism computes, at 8 bytes each


@dataclass(frozen=True)
class Participation:
    """In which rounds the data of one person may be. [mathematics/000.md#participation]

    Parameters
    ----------
    rounds : int
        In how many rounds at most, at least 1.
    apart : int
        How many rounds lie at least between the beginnings of two of them: 1 for any rounds, 4 for a person
        who comes back after four weeks at the earliest.
    in_a_row : bool
        Whether these rounds follow each other, as the days of one hospital stay do.

    Raises
    ------
    InputError
        When a number is not whole or below 1, or rounds in a row are to be more than 1 apart.

    Examples
    --------
    >>> from private_experts.algorithms import PrefixFTPL
    >>> from private_experts.privacy import GaussianDP, MatrixSums, Participation, SimulatedNoise
    >>> from private_experts.privacy import privacy_report
    >>> from private_experts.privacy.factorization import square_root
    >>> import numpy as np
    >>> settings = {"strategy": square_root(94), "sensitivity": np.ones(94), "noise": SimulatedNoise(0)}
    >>> leader = PrefixFTPL(MatrixSums(9, GaussianDP(0.1, "central"), **settings))
    >>> for pattern in (1, 4, Participation(4, apart=13), 94):
    ...     print(f"{privacy_report(leader, delta=1e-6, rounds=pattern).together.mu:.3f}")
    0.100
    0.351
    0.287
    5.017
    """

    rounds: int
    apart: int = 1
    in_a_row: bool = False

    def __post_init__(self) -> None:
        # Python's own numbers: those of NumPy may be too small for a span.
        object.__setattr__(self, "rounds", whole(self.rounds, "participation", "rounds"))
        object.__setattr__(self, "apart", whole(self.apart, "participation", "apart"))
        if not isinstance(self.in_a_row, bool):
            raise InputError(f"participation: in_a_row is {self.in_a_row!r}; write True or False")
        if self.apart > 1 and self.in_a_row:
            raise InputError("participation: rounds in a row are 1 apart; leave one of the two out")

    def __str__(self) -> str:
        if self.rounds == 1:
            return "one round"
        apart = f" at least {self.apart} apart" if self.apart > 1 else ""
        return f"{self.rounds} rounds{' in a row' if self.in_a_row else apart}"

    @property
    def span(self) -> int:
        """The number of rounds from the first to the last, if they are as close as allowed."""
        return (self.rounds - 1) * self.apart + 1


def times_in(part: Any, participation: Participation) -> float | None:
    """Return how many times the level of one round a person in several has, if a part can say it.

    An algorithm says it as `times_in`, and a mechanism by what its rounds share, as `gram`. A tree of too
    many rounds for that says how far a datum shifts the nodes of each level, as `node_shifts`.
    """
    if hasattr(part, "times_in"):
        found: float | None = part.times_in(participation)
        return found
    gram = part.gram(participation.span) if hasattr(part, "gram") else None
    if gram is None and hasattr(part, "node_shifts"):
        return _level_of_nodes(part.node_shifts(), participation)
    return None if gram is None else level_in_rounds(gram, participation)


def level_in_rounds(gram: Array, participation: Participation) -> float:
    """Return the level for a person in several rounds, from what each two of them share.

    Parameters
    ----------
    gram : ndarray, shape (T, T)
        Scalar products of what a person's data shift in each two rounds, in units of the noise and of the
        level of one round: a diagonal of at most 1.
    participation : Participation
        Rounds beyond T do not exist.

    Returns
    -------
    float
        How many times the level of one round it is: the root of the largest sum of absolute products over an
        allowed set of rounds, at least 1. It is exact for rounds in a row, for all rounds, and where products
        fall with the distance of two rounds and with time. Otherwise it is a bound, somewhat above, since its
        two steps may choose different rounds.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.privacy.participation import Participation, level_in_rounds
    >>> independent, same = np.eye(9), np.ones((9, 9))
    >>> [round(level_in_rounds(gram, Participation(4)), 9) for gram in (independent, same)]
    [2.0, 4.0]
    """
    return max(1.0, math.sqrt(_largest_sum(np.abs(gram), participation)))


def _largest_sum(shared: Array, participation: Participation) -> float:
    """Return at least the largest sum of products over an allowed set of rounds."""
    last = len(shared) - 1
    count = min(participation.rounds, 1 + last // participation.apart)
    if participation.in_a_row:
        sums = np.zeros((last + 2, last + 2))
        sums[1:, 1:] = shared.cumsum(axis=0).cumsum(axis=1)
        ends, starts = np.arange(count, last + 2), np.arange(last + 2 - count)
        windows = sums[ends, ends] - sums[ends, starts] - sums[starts, ends] + sums[starts, starts]
        return float(windows.max())
    if count == last + 1 or _falls(shared):
        earliest = np.arange(count) * participation.apart
        return (1 + _ROUNDING) * float(shared[np.ix_(earliest, earliest)].sum())
    # What a round shares with the worst allowed set that contains it; then the worst set of such rounds.
    inside = np.diag(shared.sum(axis=1))
    rows = _largest_sums(shared + inside, count, participation.apart) - np.diag(inside)
    bound = float(_largest_sums(rows[None], count, participation.apart)[0])
    # No two rounds share more than their own squared levels allow, by Cauchy and Schwarz.
    return min(bound, count**2 * float(shared.diagonal().max()))


def largest_shifts(sensitivity: Array, scales: Sequence[Array]) -> Array:
    """Return of each level the largest squared shift of a datum over the noise of its node."""
    found = []
    for level, of_nodes in enumerate(scales):
        starts = np.arange(len(of_nodes)) << level
        reach = np.maximum.reduceat(sensitivity[: len(of_nodes) << level], starts)
        found.append(np.square(reach / of_nodes).max())
    return np.array(found)


def _level_of_nodes(shifts: Array, participation: Participation) -> float:
    """Return a bound on the level of a tree for a person in several rounds, times that of one round.

    Each round is in one node of a level, and a node of 2^l rounds has at most ``2^l / apart`` of a person's.
    So they shift the nodes of a level by at most k times this in squares. [mathematics/000.md#participation]
    """
    nodes = np.ceil(2.0 ** np.arange(len(shifts)) / participation.apart)
    squared = participation.rounds * float(shifts @ np.minimum(nodes, participation.rounds))
    return max(1.0, math.sqrt(squared))


def shared_nodes(sensitivity: Array, scales: Sequence[Array]) -> Array:
    """Return what each two data share: the sum over the nodes with both of products of shifts over the noise.

    Data have the sensitivities (T,), and the scales are those of the nodes of 2^k data, by level.
    [mathematics/000.md#participation]
    """
    shared = np.zeros((len(sensitivity), len(sensitivity)))
    for level, of_nodes in enumerate(scales):
        for node, scale in enumerate(of_nodes):
            inside = slice(node << level, (node + 1) << level)
            shifts = sensitivity[inside] / scale
            shared[inside, inside] += np.outer(shifts, shifts)
    return shared


def _falls(shared: Array) -> bool:
    """Return whether products never rise with time at one distance, nor with distance at one later round."""
    upper = np.triu(shared)
    most = (1 + _ROUNDING) * upper  # equal products differ by their last bits
    with_time = np.triu(upper[1:, 1:] <= most[:-1, :-1]) | np.tri(len(upper) - 1, k=-1, dtype=np.bool_)
    with_distance = (upper[:-1] <= most[1:]) | np.tri(len(upper), dtype=np.bool_)[:-1]
    return bool(with_time.all() and with_distance.all())


def _largest_sums(weights: Array, count: int, apart: int) -> Array:
    """Return each row's largest sum of `count` of its nonnegative weights, at least `apart` apart."""
    rows, last = weights.shape
    if apart == 1:
        return np.asarray(np.partition(weights, last - count, axis=1)[:, last - count :].sum(axis=1))
    most = np.zeros((rows, last + 1))  # by how many of the first weights may be taken
    for _ in range(count):
        before = most[:, np.maximum(np.arange(1, last + 1) - apart, 0)]
        most = np.maximum.accumulate(np.column_stack([np.zeros(rows), before + weights]), axis=1)
    result: Array = most[:, -1]
    return result
