"""The weights of all sequences of experts with few switches, exactly and without listing them.

To compete with every sequence of at most S switches, a learner may use the sequences as experts. [004,
Theorem 4.1] There are exponentially many, but the weight of a sequence is a product over its rounds. So the
total weight of the sequences that are now at expert j after c switches obeys a recursion with ``(S + 1) n``
numbers. In how many ways a sequence can go on depends only on c and on the number of rounds left.
[mathematics/004.md#softmax-law]
"""

import math

import numpy as np
from scipy.special import gammaln, logsumexp, xlogy

from private_experts.arrays import Array, Indices
from private_experts.validation import check_rounds_left, plain_numbers, whole

_SMALL = -700.0  # e to the power of it is a number to all its digits
_NOTHING = -1e300  # stands for the largest of no numbers


@plain_numbers
def count_sequences(horizon: int, n: int, switches: int) -> int:
    """Return how many sequences of experts have at most so many switches. [mathematics/004.md#sequences]"""
    return sum(math.comb(horizon - 1, c) * n * (n - 1) ** c for c in range(min(switches, horizon - 1) + 1))


class SequenceWeights:
    """The weights of all sequences with at most S switches, grouped by their expert in the coming round.

    [mathematics/004.md#softmax-law]

    `round` is the coming round, from 1, and `log_ways` has the logarithms of the numbers of ways to go on, by
    rounds left and by switches left, shape (T + 1, S + 1).
    """

    STATE = ("round", "_past")

    def __init__(self, n: int, horizon: int, switches: int) -> None:
        switches = whole(switches, "sequences", "switches", least=0)
        self.round = 1
        self._horizon = horizon
        counts = np.arange(switches + 1)
        left = np.arange(horizon + 1)[:, None]
        with np.errstate(invalid="ignore"):
            # By gammaln: the numbers of ways overflow beyond some hundred rounds.
            log_binomials = (
                gammaln(left + 1) - gammaln(counts + 1) - gammaln(np.maximum(left - counts, 0) + 1)
            )
        ways = np.where(counts <= left, log_binomials + xlogy(counts, n - 1), -np.inf)
        # Logarithm of the number of ways to go on, by rounds left and by switches left.
        # At most c switches: a running sum over exactly 0, ..., c of them.
        self.log_ways: Array = np.logaddexp.accumulate(ways, axis=1)
        # (1 or repetitions, switches made, expert)
        self._past: Array = np.full((1, switches + 1, n), -np.inf)
        self._past[:, 0] = 0.0

    def add(self, log_factors: Array) -> None:
        """Multiply each weight by the factor of the sequence's expert in this round, and end the round."""
        check_rounds_left("sequences", self.round - 1, self._horizon)
        stay = self._past + np.atleast_2d(log_factors)[:, None, :]
        others = _sums_of_others(stay)
        # A sequence arrives at expert j with c switches by staying, or from any other expert with c - 1.
        stay[:, 1:] = np.logaddexp(stay[:, 1:], others[:, :-1])
        self._past = stay
        self.round += 1

    @property
    def log_joint(self) -> Array:
        """Log-probabilities of (switches made, expert) in the coming round, (1 or repetitions, S + 1, n)."""
        # A sequence that has used up its switches has fewer ways left, so it counts less at the same past.
        going_on = self.log_ways[max(self._horizon - self.round, 0), ::-1]
        joint = self._past + going_on[:, None]
        return np.asarray(joint - logsumexp(joint, axis=(1, 2), keepdims=True))

    @property
    def log_law(self) -> Array:
        """Log-probabilities of the expert in the coming round, shape (1 or repetitions, n)."""
        return np.asarray(logsumexp(self.log_joint, axis=1))

    def paths(
        self, experts: Indices, made: Indices, left: int, rounds: int, rng: np.random.Generator
    ) -> Indices:
        """Draw how sequences go on from a round with `left` rounds after it: their experts, (copies, rounds).

        Their futures are uniform among all ways to go on, and so many rounds of it are drawn.
        [mathematics/004.md#switching-dartboard]
        """
        path = np.repeat(experts[:, None], rounds, axis=1)
        places, copies = np.arange(rounds), np.arange(experts.size)
        spare, at = self.log_ways.shape[1] - 1 - made, np.zeros(experts.size, dtype=np.intp)
        ways = self.log_ways[left - places]
        while (going := (spare > 0) & (at < rounds)).any():
            # The chance not to switch up to a place is a ratio of two counts, so one number tells the place.
            least = ways[at.clip(max=rounds - 1), spare] + np.log(rng.uniform(size=at.size))
            at = np.where(going, (ways[:, spare] >= least).sum(axis=0), rounds)
            race = rng.gumbel(size=(at.size, self._past.shape[2]))
            # A switch goes to another expert, uniformly: the present one takes no part in the race.
            race[copies, path[:, -1]] = -np.inf
            path = np.where(places >= at[:, None], race.argmax(axis=1)[:, None], path)
            spare = spare - 1
        return path


def drawn_states(log_joint: Array, rng: np.random.Generator) -> tuple[Indices, Indices]:
    """Draw (switches made, expert) for each log-law of `log_joint`. [mathematics/004.md#softmax-law]"""
    # One maximum over both axes draws the pair jointly: the row of the largest entry, and its column.
    heights = log_joint + rng.gumbel(size=log_joint.shape)
    return heights.max(axis=2).argmax(axis=1), heights.max(axis=1).argmax(axis=1)


def _sums_of_others(logs: Array) -> Array:
    """Return for each entry the logarithm of the sum of all others along the last axis.

    Summed from the left and from the right, as a difference would lose digits; and as numbers, which is four
    times as fast as logarithms, unless one of them is too small for a number.
    """
    most = np.maximum(logs.max(axis=-1, keepdims=True), _NOTHING)
    moved = logs - most
    if (moved < _SMALL).any() and (moved[moved < _SMALL] > -np.inf).any():
        padded = np.full((*logs.shape[:-1], logs.shape[-1] + 1), -np.inf)
        left, right = padded.copy(), padded
        np.logaddexp.accumulate(logs, axis=-1, out=left[..., 1:])
        np.logaddexp.accumulate(logs[..., ::-1], axis=-1, out=right[..., 1:])
        return np.asarray(np.logaddexp(left[..., :-1], right[..., -2::-1]))
    numbers = np.exp(moved, out=moved)
    sums = np.zeros(logs.shape)
    np.cumsum(numbers[..., :-1], axis=-1, out=sums[..., 1:])
    sums[..., :-1] += np.cumsum(numbers[..., :0:-1], axis=-1)[..., ::-1]
    with np.errstate(divide="ignore"):  # of nothing
        return np.asarray(np.log(sums) + most)
