"""AboveThreshold, the sparse vector technique: report the first query above a threshold, and pay for it once.

Dwork and Roth: The algorithmic foundations of differential privacy, Algorithm 1. [004, Lemma 2.4]
[mathematics/004.md#above-threshold]
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array, Bools, Indices
from private_experts.descriptions import Described
from private_experts.errors import InputError
from private_experts.privacy.guarantees import PureDP, check_guarantee, of_simulated_noise
from private_experts.validation import checked_number, generator, plain_numbers, whole

_REACH = 40.0  # in units of the noise's scale; e^-40 is below the last bit of 1
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(24)


@plain_numbers
def accuracy(queries: int, epsilon: float, beta: float, sensitivity: float = 1.0) -> float:
    """Return the accuracy alpha: with probability 1 - beta no answer is further off. [004, Lemma 2.4]

    ``8 sensitivity (log(queries) + log(2 / beta)) / epsilon``. Then queries that are called below are at most
    alpha, and the one that is called above is at least -alpha. `beta` is the probability of a larger error.
    [mathematics/004.md#lemma-2-4]
    """
    # Half of alpha covers the threshold's noise and half a union over the queries, hence log(queries) + log(2
    # / beta).
    return 8 * sensitivity * (math.log(queries) + math.log(2 / beta)) / epsilon


class AboveThreshold(Described):
    """Compares noisy queries with a noisy threshold of 0 until one is above. After that it is silent.

    [004, Lemma 2.4]

    The threshold's noise has the scale ``2 sensitivity / epsilon`` and is drawn once. Each query has its own
    noise, of scale ``4 sensitivity / epsilon``. However many queries there are, the answers are epsilon-DP.
    [mathematics/004.md#above-threshold-privacy]

    Parameters
    ----------
    guarantee : PureDP
        A central guarantee, which all answers together have until a `restart`; epsilon is positive and
        finite.
    rng : numpy.random.Generator or int
        Seeded noise is a simulation and protects nobody; see `private_experts.privacy.noise`.
    sensitivity : float
        The most by which one datum moves a query, positive. The caller must make sure that the queries of
        `test` obey it.
    repetitions : int
        Number of independent copies.

    Attributes
    ----------
    guarantee : PureDP
        What it was given.
    halted : ndarray of bool, shape (repetitions,)
        In which repetitions a query was above.

    Raises
    ------
    InputError
        When the guarantee is not central pure privacy, its epsilon or `sensitivity` is not a positive number,
        `rng` is no random generator, or `repetitions` no whole number of at least 1.

    Examples
    --------
    Is one of three totals far above 0? The first one is not, the second is, and then it is silent:

    >>> import numpy as np
    >>> from private_experts.privacy import AboveThreshold, PureDP
    >>> from private_experts.randomness import rng_for
    >>> alarm = AboveThreshold(PureDP(1.0, "central"), rng=rng_for(0, "alarm"))
    >>> [bool(alarm.test(np.array([total]))[0]) for total in (-200.0, 200.0, 300.0)]
    [False, True, False]
    """

    STATE = ("halted", "_threshold")

    def __init__(
        self,
        guarantee: PureDP,
        *,
        rng: np.random.Generator | int,
        sensitivity: float = 1.0,
        repetitions: int = 1,
    ) -> None:
        epsilon = check_guarantee(guarantee, "AboveThreshold", PureDP, "central").epsilon
        checked_number("AboveThreshold: epsilon", epsilon, 0, ends=False)
        sensitivity = checked_number("AboveThreshold: sensitivity", sensitivity, 0, ends=False)
        self.guarantee = of_simulated_noise(guarantee)
        repetitions = whole(repetitions, "AboveThreshold", "repetitions")
        self.halted = np.zeros(repetitions, dtype=np.bool_)
        self._rng = generator(rng, "AboveThreshold")
        self._scale = 2 * sensitivity / epsilon
        # Drawn once for all queries: this is why answers of "below" cost nothing, however many they are.
        self._threshold = self._rng.laplace(scale=self._scale, size=repetitions)

    def test(self, queries: Array) -> Bools:
        """Ask the next queries and return in which repetitions one of them was the first above the threshold.

        Several queries in a row, (repetitions, k), are asked one after the other. A query of ``-inf`` is
        never above, and the answer is False in repetitions that had halted before.
        """
        if not isinstance(queries, np.ndarray) or queries.dtype.kind not in "fiu":
            kind = queries.dtype if isinstance(queries, np.ndarray) else type(queries).__name__
            raise InputError(f"AboveThreshold: queries of type {kind}; write an array of numbers")
        if queries.ndim not in (1, 2) or len(queries) != self.halted.size:
            raise InputError(
                f"AboveThreshold: queries of shape {queries.shape}; write one or more for each of "
                f"{self.halted.size} repetitions"
            )
        if np.isnan(queries).any():
            raise InputError(
                "AboveThreshold: a query that is not a number; write -inf for one that is not asked"
            )
        several = queries.reshape(len(queries), -1)
        # Twice the threshold's scale: with the threshold shifted along, a query may still be off by twice the
        # sensitivity.
        noisy = several + self._rng.laplace(scale=2 * self._scale, size=several.shape)
        # After a halt nothing more is said: a second answer of "above" would have to be paid for.
        above = (noisy >= self._threshold[:, None]).any(axis=1) & ~self.halted
        self.halted |= above
        return above

    @property
    def query_scale(self) -> float:
        """The scale of a query's Laplace noise, in the unit of the queries."""
        return 2 * self._scale

    def margins(self, queries: Array, rows: Indices) -> Array:
        """Return how far queries are below the noisy threshold, in units of `query_scale`.

        It depends on the threshold's noise, so nothing but `exceeds` may come of it. Shape (rows, k).
        """
        return np.asarray((self._threshold[rows, None] - queries) / self.query_scale)

    @staticmethod
    def hazard(margins: Array) -> Array:
        """Return ``H = -sum log P(a query is not above)`` of queries with `margins`, over the last axis.

        Given the threshold, the noises of the queries are independent. So none is above with probability
        ``exp(-H)``, with which a standard exponential variable exceeds H. Margins have shape (..., k).
        """
        # log1p, as most queries are far below: 1 - e^-40 / 2 is 1 in floating point, and their hazards would
        # vanish.
        far = np.log1p(-np.exp(-np.abs(margins)) / 2)
        return np.asarray(np.where(margins < 0, math.log(2) - np.minimum(margins, 0.0), -far).sum(axis=-1))

    def patience(self) -> Array:
        """Draw the exponential variables for `exceeds`, shape (repetitions,)."""
        return self._rng.standard_exponential(self.halted.size)

    def patient(self, rounds: int, bound: Array) -> int:
        """Return in how many of so many rounds no `patience` is below a bound (repetitions,); draw theirs."""
        # Drawn together and given back where a round needs a look: the stream stays that of playing round by
        # round.
        before = self._rng.bit_generator.state
        impatient = (self._rng.standard_exponential((rounds, self.halted.size)) < bound).any(axis=1)
        if not impatient.any():
            return rounds
        first = int(impatient.argmax())
        # so that the round to come draws what it would have drawn by itself
        self._rng.bit_generator.state = before
        self._rng.standard_exponential((first, self.halted.size))
        return first

    def exceeds(self, hazard: Array, patience: Array, rows: Indices) -> Bools:
        """Ask many queries at once in repetitions `rows`, and return in which of them one is above.

        The law is that of `test`, at the price of one random number: a query is above when the hazard exceeds
        the patience. Where it cannot, the queries need not be computed. `hazard` belongs to the repetitions
        `rows`, and `patience` to all, drawn anew for these queries. False where it had halted before.
        """
        above = (patience[rows] < hazard) & ~self.halted[rows]
        self.halted[rows] |= above
        return np.asarray(above)

    def restart(self, which: Bools) -> None:
        """Start again in some repetitions, with fresh noise. Every start costs epsilon."""
        # A fresh threshold: what an old one has answered tells of its noise.
        self._threshold[which] = self._rng.laplace(scale=self._scale, size=np.count_nonzero(which))
        self.halted[which] = False


@plain_numbers
def halting_law(queries: ArrayLike, epsilon: float, sensitivity: float = 1.0) -> Array:
    """Return the exact law of the first query that is called above, by quadrature over the threshold's noise.

    The law has k + 1 entries, the last for not halting, to about 1e-13. [mathematics/004.md#above-threshold]
    """
    scale = 2 * sensitivity / epsilon
    q = np.asarray(queries, dtype=np.float64) / scale
    # In units of the threshold's scale. The integrand is smooth between neighbours among whole numbers and
    # queries.
    edges = np.unique(np.append(np.arange(-_REACH, _REACH + 1), np.clip(q, -_REACH, _REACH)))
    middle, half = (edges[1:] + edges[:-1]) / 2, np.diff(edges) / 2
    r = (middle[:, None] + half[:, None] * _NODES).ravel()
    weights = (half[:, None] * _WEIGHTS).ravel() * np.exp(-np.abs(r)) / 2
    away = (r[:, None] - q) / 2  # a query's noise has twice the threshold's scale
    tail = np.exp(-np.abs(away)) / 2
    below = np.where(away < 0, tail, 1 - tail)
    above = np.where(away < 0, 1 - tail, tail)
    # The first query above is at i when all before it were below: given the threshold they are independent.
    alive = np.concatenate([np.ones((r.size, 1)), below.cumprod(axis=1)], axis=1)
    return np.asarray(weights @ np.concatenate([alive[:, :-1] * above, alive[:, -1:]], axis=1))
