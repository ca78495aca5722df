"""Weighted majority: exponential weights in log space, with learning rates and regret bounds."""

import math

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array
from private_experts.errors import InputError
from private_experts.validation import checked_number, whole


def learning_rate(experts: int, horizon: int, revealed: int | None = None) -> float:
    """Return ``sqrt(2 (K/r) log K / T)``, when a round reveals r of K losses; all of them by default."""
    experts = whole(experts, "weighted majority", "experts")
    horizon = whole(horizon, "weighted majority", "horizon", most=None)
    if revealed is not None:
        revealed = whole(revealed, "weighted majority", "revealed losses")
    return math.sqrt(2 * math.log(experts) / horizon * (1 if revealed is None else experts / revealed))


def second_order_bound(rate: float, experts: int, squares: ArrayLike) -> Array:
    """Return ``log K / eta + (eta / 2) sum_t sum_j w_tj v_tj^2``, a regret bound for losses >= 0."""
    rate = checked_number("learning rate", rate, 0, ends=False)
    experts = whole(experts, "weighted majority", "experts")
    return np.asarray(math.log(experts) / rate + rate / 2 * np.asarray(squares))


def regret_bound(experts: int, horizon: int) -> float:
    """Return ``sqrt(2 T log K)``, for losses in [0, 1] and the rate of `learning_rate`. [003, Lemma 4]"""
    experts = whole(experts, "weighted majority", "experts")
    horizon = whole(horizon, "weighted majority", "horizon", most=None)
    return math.sqrt(2 * horizon * math.log(experts))


class WeightedMajority:
    """Exponential weights over experts, for many independent copies at once. [003, Section 4.1]

    The weight of an expert is proportional to ``exp(-eta (its total loss))``. `total` are the losses so far,
    shape (repetitions, K). [mathematics/003.md#weighted-majority]
    """

    STATE = ("total",)

    def __init__(self, experts: int, *, rate: float, repetitions: int = 1) -> None:
        experts = whole(experts, "weighted majority", "experts")
        repetitions = whole(repetitions, "weighted majority", "repetitions")
        # A rate of 0 is that of one expert, log K = 0, and no mistake.
        if rate != 0:
            rate = checked_number("learning rate", rate, 0, ends=False)
        self.rate = rate
        self.total = np.zeros((repetitions, experts))

    @property
    def weights(self) -> Array:
        """Normalised weights, shape (repetitions, K)."""
        # Totals grow with T: only differences to the best are exponentiated.
        logs = -self.rate * self.total
        most = np.maximum.reduce(logs.T, axis=0)  # column by column, which is faster than row by row
        powers = np.exp(logs - most[:, None])
        return np.asarray(powers / powers.sum(axis=-1, keepdims=True))

    def update(self, losses: ArrayLike) -> None:
        """Add the losses of one round or of several, shape (repetitions, K), or (K,) for all repetitions."""
        added = np.asarray(losses, dtype=np.float64)
        if added.shape not in (self.total.shape, self.total.shape[1:]):
            raise InputError(
                f"losses of shape {added.shape}: write {self.total.shape} or {self.total.shape[1:]}"
            )
        if not np.isfinite(added).all():
            raise InputError("losses: one is infinite or not a number: write finite numbers")
        self.total += added
