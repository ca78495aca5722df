"""A curator's reports and sums, with noise that is correlated over the rounds as a strategy says.

[mathematics/000.md#correlated-reports]
"""

import numpy as np
from numpy.typing import NDArray

from private_experts.errors import InputError
from private_experts.privacy.factorization import checked_sensitivity, checked_strategy
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import Noise

Array = NDArray[np.float64]


class CorrelatedReports:
    """Reports of vectors, round by round: each is the vector plus noise that earlier reports help to cancel.

    In round t, row t of the strategy is applied to the data so far, each divided by its sensitivity, and N(0, 1/mu^2)
    is added. Solved for the datum of round t, the released values give the report. All reports together are mu-GDP.
    With the identity as strategy they are local reports. Memory and time of a round grow with n T.
    [mathematics/000.md#correlated-reports]

    Parameters
    ----------
    n : int
        Length of the vectors.
    strategy : ndarray, shape (T, T)
        From `private_experts.privacy.factorization`.
    sensitivity : ndarray, shape (T,)
        L2 distance by which one person can change the vector of each round; positive and public.
    mu : float
        Privacy level, positive; ``inf`` is no privacy.
    noise : Noise
        Where the noise comes from.
    repetitions : int
        Number of independent copies.

    Raises
    ------
    InputError
        When a later round would enter an earlier release, a datum would cost more than mu, or the sensitivities do not
        fit.
    """

    def __init__(
        self, n: int, strategy: Array, sensitivity: Array, mu: float, noise: Noise, repetitions: int = 1
    ) -> None:
        from scipy.linalg import solve_triangular  # few who import this room need it

        checked_strategy(strategy)
        checked_sensitivity(sensitivity, len(strategy))
        self.guarantee = GaussianDP(mu, "central")
        self._scale = self.guarantee.noise_scale(1.0)
        self._strategy, self._sensitivity = strategy.copy(), sensitivity.copy()
        self._inverse = solve_triangular(strategy, np.eye(len(strategy)), lower=True)
        self._noise, self._repetitions = noise, repetitions
        self._count = 0
        self._data = np.zeros((len(strategy), n))
        self._released = np.zeros((len(strategy), repetitions * n))

    def report(self, vector: Array) -> Array:
        """Take in the vector of a round, shape (n,), and return its report, shape (repetitions, n).

        Raises
        ------
        InputError
            When there are more rounds than the strategy has.
        """
        t, so_far = self._count, self._count + 1
        if t == len(self._strategy):
            raise InputError(f"correlated reports: the strategy has {t} rounds and all were played; give more")
        self._count = so_far
        if self._scale == 0:  # spares the rounding error of solving for what is known
            return np.tile(vector, (self._repetitions, 1))
        self._data[t] = vector / self._sensitivity[t]
        protected = self._strategy[t, :so_far] @ self._data[:so_far]
        self._released[t] = self._noise.privatize(protected, self._scale, self._repetitions).ravel()
        solved = self._sensitivity[t] * self._inverse[t, :so_far] @ self._released[:so_far]
        return solved.reshape(self._repetitions, -1)


class CorrelatedSums:
    """Running sums of correlated reports.

    Parameters are as for `CorrelatedReports`. Before the first vector the sum is noise alone, of the first round's
    scale, so that a leader is drawn at random.
    """

    def __init__(
        self, n: int, strategy: Array, sensitivity: Array, mu: float, noise: Noise, repetitions: int = 1
    ) -> None:
        self._reports = CorrelatedReports(n, strategy, sensitivity, mu, noise, repetitions)
        self.guarantee = self._reports.guarantee
        scale = self.guarantee.noise_scale(float(sensitivity[0]))
        self._total = noise.privatize(np.zeros(n), scale, repetitions)
        self._empty = True

    def add(self, vector: Array) -> None:
        """Append a vector of shape (n,)."""
        report = self._reports.report(vector)
        self._total = report if self._empty else self._total + report
        self._empty = False

    def release(self) -> Array:
        """Return the noisy sum of all vectors so far, shape (repetitions, n)."""
        return self._total.copy()
