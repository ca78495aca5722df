"""Exact laws of P-COMW on a grid, by running its Markov chain of draws and point. [001, Appendix C]

All functions take the log-probabilities (T, m) of the Gibbs measures mu_1 to mu_T, as `GridGibbs.laws` gives them.
They describe rounds 1 to T. Between these lie T - 1 lotteries. [mathematics/001.md#exact-laws]
"""

import math

import numpy as np
from numpy.typing import NDArray

from private_experts.convex.pcomw import check_lottery

Array = NDArray[np.float64]


def keep_probabilities(laws: Array, log_phi: float, p: float) -> Array:
    """Return for laws (..., T, m) the probability that each point is kept, shape (..., T - 1, m)."""
    ratio = np.diff(laws, axis=-2) - log_phi
    return (1 - p) * np.exp(np.clip(ratio, -2 * log_phi, 0.0))


def joint_laws(laws: Array, log_phi: float, p: float, budget: float = math.inf) -> Array:
    """Return the joint law of draws so far and point in each round, shape (T, K + 1, m), with at most K draws.

    Raises
    ------
    InputError
        When a parameter is outside its range.
    """
    check_lottery(log_phi, p, budget)
    horizon, m = laws.shape
    most = int(min(np.ceil(budget), horizon - 1))
    law = np.zeros((horizon, most + 1, m))
    law[0, 0] = np.exp(laws[0])
    for t, keep in enumerate(keep_probabilities(laws, log_phi, p), start=1):
        law[t] = law[t - 1] * keep
        law[t, 1:] += np.exp(laws[t]) * (law[t - 1, :-1] * (1 - keep)).sum(axis=1, keepdims=True)
        law[t, -1] += law[t - 1, -1] * (1 - keep)  # once the budget is spent, the point stays
    return law


def marginals(laws: Array, log_phi: float, p: float) -> tuple[Array, Array]:
    """Return the law of the point in each round (T, m), and the probability of a draw at each lottery (T - 1,).

    There is no budget, so draws need not be counted.
    """
    check_lottery(log_phi, p, math.inf)
    law, anew = np.exp(laws), np.zeros(len(laws) - 1)
    for t, keep in enumerate(keep_probabilities(laws, log_phi, p), start=1):
        left = law[t - 1] * (1 - keep)
        anew[t - 1] = left.sum()
        law[t] = law[t - 1] * keep + law[t] * anew[t - 1]
    return law, anew


def closeness(laws: Array, log_phi: float) -> float:
    """Return the least delta for which all consecutive mu_t, mu_{t+1} are (Phi, delta)-close. [001, Definition 3.4]"""
    far = np.abs(np.diff(laws, axis=-2)) > log_phi
    return float(max(np.where(far, np.exp(side), 0.0).sum(axis=-1).max() for side in (laws[:-1], laws[1:])))


def drift(law: Array, laws: Array) -> Array:
    """Return the total variation distance of the law of the point (T, m) from the Gibbs measure, in each round."""
    return 0.5 * np.abs(law - np.exp(laws)).sum(axis=-1)
