"""Multiplicative weights over all sequences of experts with few switches, exactly and without listing them.

To compete with every sequence of at most S switches, a learner may use the sequences as experts. [004, Theorem 4.1]
There are exponentially many, but the weight of a sequence is a product over its rounds. So the total weight of the
sequences that are now at expert j after c switches obeys a recursion with ``(S + 1) n`` numbers. In how many ways a
sequence can go on depends only on c and on the number of rounds left. [mathematics/004.md#softmax-law]
"""

import itertools
import math

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, logsumexp, xlogy

from private_experts.errors import InputError
from private_experts.privacy.composition import composed
from private_experts.privacy.guarantees import ApproximateDP, PureDP
from private_experts.privacy.selection import exponential_mechanism

Array = NDArray[np.float64]

_MOST = 1_000_000


def count_sequences(horizon: int, n: int, switches: int) -> int:
    """Return how many sequences of `horizon` experts have at most `switches` switches, exactly.

    [mathematics/004.md#sequences]
    """
    return sum(math.comb(horizon - 1, c) * n * (n - 1) ** c for c in range(min(switches, horizon - 1) + 1))


def switching_sequences(horizon: int, n: int, switches: int) -> NDArray[np.intp]:
    """Return all these sequences, shape (`count_sequences`, horizon).

    Raises
    ------
    InputError
        When they have more than a million entries.
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

    Parameters
    ----------
    n, horizon, switches : int
        Number of experts, of rounds T, and of switches S allowed.

    Attributes
    ----------
    round : int
        The coming round, counted from 1.
    """

    def __init__(self, n: int, horizon: int, switches: int) -> None:
        if switches < 0:
            raise InputError(f"switches = {switches}: write a whole number of at least 0")
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
        if self.round > self._horizon:
            raise InputError(f"sequences of {self._horizon} rounds: all were played; give the true horizon")
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


def sequence_laws(losses: Array, switches: int, rate: float) -> Array:
    """Return the exact law of every round's expert on a stream that is known, for all rounds at once.

    It is `SwitchingSoftmax.law` of each round. The recursion over rounds is a cumulative sum for each number of
    switches, so a million rounds take a second. [mathematics/004.md#laws-of-all-rounds]

    Parameters
    ----------
    losses : ndarray, shape (T, n)
    switches : int
        Largest number S of switches of a sequence.
    rate : float
        A sequence with loss L so far has probability proportional to ``exp(-rate L)``.

    Returns
    -------
    ndarray, shape (T, n)
    """
    horizon, n = losses.shape
    paid = np.concatenate([np.zeros((1, n)), rate * losses.cumsum(axis=0)])
    ways = SequenceWeights(n, horizon, switches).log_ways[horizon - 1 :: -1]
    past = -paid[:-1]  # logarithms of the weights with c switches so far, by round and expert
    joint = past + ways[:, switches, None]
    for c in range(1, min(switches, horizon - 1) + 1):
        leaving = past[:-1] - rate * losses[:-1]
        others = np.full_like(leaving, -np.inf)  # sums over all other experts, from the left and from the right
        for order in (range(n), reversed(range(n))):
            total = np.full(horizon - 1, -np.inf)
            for j in order:
                others[:, j] = np.logaddexp(others[:, j], total)
                total = np.logaddexp(total, leaving[:, j])
        arrived = np.logaddexp.accumulate(others + paid[1:-1], axis=0) - paid[1:-1]
        past = np.concatenate([np.full((1, n), -np.inf), arrived])
        joint = np.logaddexp(joint, past + ways[:, switches - c, None])
    return np.asarray(np.exp(joint - np.logaddexp.reduce(joint, axis=1)[:, None]))


def softmax_regret_bound(n: int, horizon: int, switches: int, rate: float) -> float:
    """Return ``log(number of sequences) / rate + rate T / 8``, which bounds the expected dynamic regret.

    [mathematics/004.md#theorem-4-1]
    """
    return math.log(count_sequences(horizon, n, switches)) / rate + rate * horizon / 8


class SwitchingSoftmax:
    """Draws a sequence in every round by the exponential mechanism, and plays its expert. [004, Theorem 4.1]

    A sequence with loss L so far has probability proportional to ``exp(-rate L)`` among all with at most S switches.

    At most T - 1 draws know a loss vector. Each is (2 rate)-DP, and they compose. This is the reduction with the
    simplest private algorithm, and it costs much privacy. `SwitchingDartboard` draws seldom.
    [mathematics/004.md#softmax-law]

    Parameters
    ----------
    n, horizon, switches : int
        Number of experts, of rounds T, and of switches S of the sequences competed with.
    rate : float
        At least 0.
    rng : numpy.random.Generator
        Seeded noise is a simulation and protects nobody; see `private_experts.privacy.noise`.
    repetitions : int
        Number of independent copies.
    delta : float
        The delta for which the guarantee is stated. 0 means pure differential privacy.
    """

    def __init__(
        self,
        n: int,
        horizon: int,
        switches: int,
        rate: float,
        rng: np.random.Generator,
        repetitions: int = 1,
        delta: float = 0.0,
    ) -> None:
        if not 0 <= rate < math.inf:
            raise InputError(f"switching softmax: rate = {rate}: write a number of at least 0")
        epsilon = composed(2 * rate, horizon - 1, delta)
        self.guarantee: PureDP | ApproximateDP = (
            ApproximateDP(epsilon, delta, "central") if delta else PureDP(epsilon, "central")
        )
        self._weights = SequenceWeights(n, horizon, switches)
        self._rate = rate
        self._rng = rng
        self._shape = repetitions, n

    @property
    def law(self) -> Array:
        """The exact law of the coming round's expert, shape (1, n) or (repetitions, n)."""
        return np.exp(self._weights.log_law)

    def predict(self) -> NDArray[np.intp]:
        """Return experts drawn from the law, shape (repetitions,)."""
        return exponential_mechanism(np.broadcast_to(self._weights.log_law, self._shape), 1.0, self._rng)

    def update(self, gains: Array) -> None:
        """Take in the true gains of a round, shape (n,) or (repetitions, n), in [0, 1]."""
        self._weights.add(self._rate * (gains - 1))
