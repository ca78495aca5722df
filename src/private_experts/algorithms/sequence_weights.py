"""The weights of all sequences of experts with few switches, exactly and without listing them.

To compete with every sequence of at most S switches, a learner may use the sequences as experts. [004, Theorem 4.1]
There are exponentially many, but the weight of a sequence is a product over its rounds. So the total weight of the
sequences that are now at expert j after c switches obeys a recursion with ``(S + 1) n`` numbers. In how many ways a
sequence can go on depends only on c and on the number of rounds left. [mathematics/004.md#softmax-law]
"""

import itertools
import math

import numpy as np
from scipy.special import gammaln, logsumexp, xlogy

from private_experts.arrays import Array, Indices
from private_experts.errors import InputError
from private_experts.validation import check_rounds_left, whole

_MOST = 1_000_000


def count_sequences(horizon: int, n: int, switches: int) -> int:
    """Return how many sequences of experts have at most so many switches, exactly. [mathematics/004.md#sequences]

    Parameters
    ----------
    horizon : int
        Number of rounds, at least 1.
    n : int
        Number of experts, at least 1.
    switches : int
        Largest number of switches, at least 0.

    Returns
    -------
    int

    Examples
    --------
    >>> from private_experts.algorithms.sequence_weights import count_sequences
    >>> [count_sequences(72, 25, switches) for switches in (0, 1, 2)]
    [25, 42625, 35826625]
    """
    return sum(math.comb(horizon - 1, c) * n * (n - 1) ** c for c in range(min(switches, horizon - 1) + 1))


def switching_sequences(horizon: int, n: int, switches: int) -> Indices:
    """Return all sequences of experts with at most so many switches. [mathematics/004.md#sequences]

    Parameters
    ----------
    horizon : int
        Number of rounds, at least 1.
    n : int
        Number of experts, at least 1.
    switches : int
        Largest number of switches, at least 0.

    Returns
    -------
    ndarray of int, shape (`count_sequences`, horizon)

    Raises
    ------
    InputError
        When they have more than a million entries.

    Examples
    --------
    >>> from private_experts.algorithms.sequence_weights import switching_sequences
    >>> switching_sequences(horizon=3, n=2, switches=1).tolist()
    [[0, 0, 0], [1, 1, 1], [0, 1, 1], [1, 0, 0], [0, 0, 1], [1, 1, 0]]
    """
    entries = count_sequences(horizon, n, switches) * horizon
    if entries > _MOST:
        raise InputError(
            f"sequences of {horizon} rounds, {n} experts, {switches} switches: a list of them has {entries} entries; "
            "write smaller numbers, or use SwitchingSoftmax, which needs no list"
        )
    rows: list[list[int]] = []
    for c in range(min(switches, horizon - 1) + 1):
        for cuts in itertools.combinations(range(1, horizon), c):
            lengths = np.diff([0, *cuts, horizon]).tolist()
            for first, *steps in itertools.product(range(n), *[range(1, n)] * c):
                experts = (np.cumsum([first, *steps]) % n).tolist()
                rows.append([j for j, length in zip(experts, lengths, strict=True) for _ in range(length)])
    return np.array(rows, dtype=np.intp)


class SequenceWeights:
    """The weights of all sequences with at most S switches, grouped by their expert in the coming round.

    [mathematics/004.md#softmax-law]

    Parameters
    ----------
    n : int
        Number of experts.
    horizon : int
        Number of rounds T.
    switches : int
        Number of switches S allowed, at least 0.

    Attributes
    ----------
    round : int
        The coming round, counted from 1.
    log_ways : ndarray, shape (T + 1, S + 1)
        Logarithms of the numbers of ways to go on, by rounds left and by switches left.

    Raises
    ------
    InputError
        When the number of switches is negative.

    Examples
    --------
    Of the sequences 000, 001, 011, 111, 110, 100 with one switch at most, those at expert 0 in the first round now
    weigh half as much. In the second round two of them are at expert 0, and one of the others:

    >>> import numpy as np
    >>> from private_experts.algorithms.sequence_weights import SequenceWeights
    >>> weights = SequenceWeights(n=2, horizon=3, switches=1)
    >>> weights.add(np.log([0.5, 1.0]))
    >>> np.exp(weights.log_law).round(4).tolist()  # (2/2 + 1) and (1/2 + 2) of 4.5
    [[0.4444, 0.5556]]
    """

    STATE = ("round", "_past")

    def __init__(self, n: int, horizon: int, switches: int) -> None:
        whole(switches, "sequences", "switches", least=0)
        self.round = 1
        self._horizon = horizon
        counts = np.arange(switches + 1)
        left = np.arange(horizon + 1)[:, None]
        with np.errstate(invalid="ignore"):
            log_binomials = gammaln(left + 1) - gammaln(counts + 1) - gammaln(np.maximum(left - counts, 0) + 1)
        ways = np.where(counts <= left, log_binomials + xlogy(counts, n - 1), -np.inf)
        # Logarithm of the number of ways to go on, by rounds left and by switches left.
        self.log_ways: Array = np.logaddexp.accumulate(ways, axis=1)
        self._past: Array = np.full((1, switches + 1, n), -np.inf)  # (1 or repetitions, switches made, expert)
        self._past[:, 0] = 0.0

    def add(self, log_factors: Array) -> None:
        """Multiply each weight by the factor of the sequence's expert in this round, and go on to the next round.

        Parameters
        ----------
        log_factors : ndarray, shape (n,) or (repetitions, n)
            Logarithms of the factors.

        Raises
        ------
        InputError
            When all rounds were played before.
        """
        check_rounds_left("sequences", self.round - 1, self._horizon)
        stay = self._past + np.atleast_2d(log_factors)[:, None, :]
        # Sums over all other experts, from the left and from the right. A difference would lose digits.
        padded = np.full((*stay.shape[:2], stay.shape[2] + 1), -np.inf)
        left, right = padded.copy(), padded
        np.logaddexp.accumulate(stay, axis=2, out=left[..., 1:])
        np.logaddexp.accumulate(stay[..., ::-1], axis=2, out=right[..., 1:])
        others = np.logaddexp(left[..., :-1], right[..., -2::-1])
        stay[:, 1:] = np.logaddexp(stay[:, 1:], others[:, :-1])
        self._past = stay
        self.round += 1

    @property
    def log_joint(self) -> Array:
        """Log-probabilities of (switches made, expert) in the coming round, (1 or repetitions, S + 1, n)."""
        going_on = self.log_ways[max(self._horizon - self.round, 0), ::-1]
        joint = self._past + going_on[:, None]
        return np.asarray(joint - logsumexp(joint, axis=(1, 2), keepdims=True))

    @property
    def log_law(self) -> Array:
        """Log-probabilities of the expert in the coming round, shape (1 or repetitions, n)."""
        return np.asarray(logsumexp(self.log_joint, axis=1))
