"""Weighted majority: exponential weights in log space, with learning rates and regret bounds.

[003, Section 4.1] [mathematics/003.md#weighted-majority]
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import softmax

from private_experts.errors import InputError

Array = NDArray[np.float64]


def learning_rate(experts: int, horizon: int, revealed: int | None = None) -> float:
    """Return ``sqrt(2 log K / T)``, or ``sqrt(2 (K/r) log K / T)`` when a round reveals only r of K losses."""
    return math.sqrt(2 * math.log(experts) / horizon * (1 if revealed is None else experts / revealed))


def second_order_bound(rate: float, experts: int, squares: ArrayLike) -> Array:
    """Return ``log K / eta + (eta / 2) sum_t sum_j w_tj v_tj^2``, which bounds the regret for losses of at least 0.

    [mathematics/003.md#lemma-4]

    Parameters
    ----------
    squares : array_like
        The double sum.
    """
    return np.asarray(math.log(experts) / rate + rate / 2 * np.asarray(squares))


def regret_bound(experts: int, horizon: int) -> float:
    """Return ``sqrt(2 T log K)``, for losses in [0, 1] and the rate of `learning_rate`. [mathematics/003.md#lemma-4]"""
    return math.sqrt(2 * horizon * math.log(experts))


class WeightedMajority:
    """Exponential weights over experts, for many independent copies at once.

    Parameters
    ----------
    experts : int
        Number of experts K.
    rate : float
        Learning rate eta, at least 0.
    repetitions : int
        Number of independent copies.

    Raises
    ------
    InputError
        When a number is out of its range.
    """

    def __init__(self, experts: int, rate: float, repetitions: int = 1) -> None:
        if experts < 1 or repetitions < 1:
            raise InputError(f"{experts} experts, {repetitions} repetitions: write at least 1 of each")
        if not 0 <= rate < math.inf:
            raise InputError(f"learning rate {rate}: write a number of at least 0")
        self.rate = rate
        self.total = np.zeros((repetitions, experts))

    @property
    def weights(self) -> Array:
        """Normalised weights, shape (repetitions, K)."""
        return np.asarray(softmax(-self.rate * self.total, axis=-1))

    def update(self, losses: ArrayLike) -> None:
        """Add the losses of one round or of several, shape (repetitions, K) or (K,)."""
        self.total += np.asarray(losses, dtype=np.float64)
