"""Weighted majority: exponential weights in log space, with learning rates and regret bounds.

[003, Section 4.1] [mathematics/003.md#weighted-majority]
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array
from private_experts.errors import InputError
from private_experts.validation import check_number, whole


def learning_rate(experts: int, horizon: int, revealed: int | None = None) -> float:
    """Return ``sqrt(2 log K / T)``, or ``sqrt(2 (K/r) log K / T)`` when a round reveals only r of K losses.

    It makes the regret bound least. [003, Lemmas 4 and 7] [mathematics/003.md#weighted-majority]

    Parameters
    ----------
    experts, horizon : int
        Number of experts K and of rounds T, at least 1.
    revealed : int, optional
        Number r of losses that a round reveals, from 1 to K; all by default.

    Returns
    -------
    float
        The rate, at least 0.

    Raises
    ------
    InputError
        When a number is out of its range.

    Examples
    --------
    >>> from private_experts.distributions.weighted_majority import learning_rate
    >>> round(learning_rate(4, 100), 4), round(learning_rate(4, 100, revealed=1), 4)
    (0.1665, 0.333)
    """
    whole(experts, "weighted majority", "experts")
    whole(horizon, "weighted majority", "horizon", most=None)
    if revealed is not None:
        whole(revealed, "weighted majority", "revealed losses")
    return math.sqrt(2 * math.log(experts) / horizon * (1 if revealed is None else experts / revealed))


def second_order_bound(rate: float, experts: int, squares: ArrayLike) -> Array:
    """Return ``log K / eta + (eta / 2) sum_t sum_j w_tj v_tj^2``, which bounds the regret for losses of at least 0.

    [003, Lemma 4] [mathematics/003.md#lemma-4]

    Parameters
    ----------
    rate : float
        Learning rate eta, above 0.
    experts : int
        Number of experts K, at least 1.
    squares : array_like, any shape
        The double sum, of the squared losses v under the weights w.

    Returns
    -------
    ndarray, shape of `squares`
        The bounds.

    Raises
    ------
    InputError
        When the rate or the number of experts is out of its range.

    Examples
    --------
    >>> from private_experts.distributions.weighted_majority import second_order_bound
    >>> round(float(second_order_bound(0.1665, 4, 100)), 2)
    16.65
    """
    check_number("learning rate", rate, 0, ends=False)
    whole(experts, "weighted majority", "experts")
    return np.asarray(math.log(experts) / rate + rate / 2 * np.asarray(squares))


def regret_bound(experts: int, horizon: int) -> float:
    """Return ``sqrt(2 T log K)``, for losses in [0, 1] and the rate of `learning_rate`. [003, Lemma 4]

    [mathematics/003.md#lemma-4]

    Parameters
    ----------
    experts, horizon : int
        Number of experts K and of rounds T, at least 1.

    Returns
    -------
    float
        The bound, in units of a loss.

    Raises
    ------
    InputError
        When a number is out of its range.

    Examples
    --------
    >>> from private_experts.distributions.weighted_majority import regret_bound
    >>> round(regret_bound(4, 100), 2)
    16.65
    """
    whole(experts, "weighted majority", "experts")
    whole(horizon, "weighted majority", "horizon", most=None)
    return math.sqrt(2 * horizon * math.log(experts))


class WeightedMajority:
    """Exponential weights over experts, for many independent copies at once. [003, Section 4.1]

    The weight of an expert is proportional to ``exp(-eta (its total loss))``. [mathematics/003.md#weighted-majority]

    Parameters
    ----------
    experts : int
        Number of experts K, at least 1.
    rate : float
        Learning rate eta, at least 0.
    repetitions : int
        Number of independent copies, at least 1.

    Attributes
    ----------
    total : ndarray, shape (repetitions, K)
        Total losses so far.

    Raises
    ------
    InputError
        When a number is out of its range.

    Examples
    --------
    >>> from private_experts.distributions.weighted_majority import WeightedMajority
    >>> majority = WeightedMajority(2, rate=1.0)
    >>> majority.update([0.0, 1.0])
    >>> majority.weights.round(4).tolist()
    [[0.7311, 0.2689]]
    """

    STATE = ("total",)

    def __init__(self, experts: int, *, rate: float, repetitions: int = 1) -> None:
        whole(experts, "weighted majority", "experts")
        whole(repetitions, "weighted majority", "repetitions")
        if rate != 0:
            check_number("learning rate", rate, 0, ends=False)
        self.rate = rate
        self.total = np.zeros((repetitions, experts))

    @property
    def weights(self) -> Array:
        """Normalised weights, shape (repetitions, K)."""
        logs = -self.rate * self.total
        most = np.maximum.reduce(logs.T, axis=0)  # column by column, which is faster than row by row
        powers = np.exp(logs - most[:, None])
        return np.asarray(powers / powers.sum(axis=-1, keepdims=True))

    def update(self, losses: ArrayLike) -> None:
        """Add the losses of one round or of several.

        Parameters
        ----------
        losses : array_like, shape (repetitions, K) or (K,)
            Finite numbers. One row is for all repetitions.

        Raises
        ------
        InputError
            When the shape is another one, or a loss is not finite. Nothing is added then.
        """
        added = np.asarray(losses, dtype=np.float64)
        if added.shape not in (self.total.shape, self.total.shape[1:]):
            raise InputError(f"losses of shape {added.shape}: write {self.total.shape} or {self.total.shape[1:]}")
        if not np.isfinite(added).all():
            raise InputError("losses: one is infinite or not a number: write finite numbers")
        self.total += added
