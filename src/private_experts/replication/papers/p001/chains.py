"""Exact laws of P-COMW on a grid, by running its Markov chain of draws and point. [001, Appendix C]

All functions take log-probabilities (T, m) of mu_1 to mu_T, as `GridGibbs.laws` gives them. Between the
rounds lie T - 1 lotteries. [mathematics/001.md#exact-laws]
"""

import math
from collections.abc import Iterator

import numpy as np

from private_experts.arrays import Array
from private_experts.private_oco.pcomw import checked_lottery


def keep_probabilities(laws: Array, log_phi: float, p: float) -> Array:
    """Return the probabilities of keeping points at lotteries, (..., T - 1, m), from laws (..., T, m)."""
    # The clip at Phi^-2 keeps a ratio that is too small from telling which loss came.
    ratio = np.diff(laws, axis=-2) - log_phi
    return (1 - p) * np.exp(np.clip(ratio, -2 * log_phi, 0.0))


def joint_laws(laws: Array, log_phi: float, p: float, budget: float = math.inf) -> Array:
    """Return the joint law of the draws so far, counted up to the budget, and the point: (T, K + 1, m)."""
    return np.array([law.copy() for law in _rounds(laws, log_phi, p, budget)])


def budgeted_laws(laws: Array, log_phi: float, p: float, budget: float) -> Array:
    """Return the law of the point in each round (T, m): `joint_laws` summed over the draws."""
    return np.array([law.sum(axis=0) for law in _rounds(laws, log_phi, p, budget)])


def _rounds(laws: Array, log_phi: float, p: float, budget: float) -> Iterator[Array]:
    """Yield the joint law of each round, shape (K + 1, m). It is overwritten in the next round."""
    log_phi, p, budget = checked_lottery(log_phi, p, budget)
    horizon, m = laws.shape
    # Between T rounds lie T - 1 lotteries, so a larger budget is none.
    most = int(min(np.ceil(budget), horizon - 1))
    law, arriving = np.zeros((most + 1, m)), np.empty((most + 1, m))
    law[0] = np.exp(laws[0])
    yield law
    for t, keep in enumerate(keep_probabilities(laws, log_phi, p), start=1):
        seen = min(t, most) + 1  # so many numbers of draws are possible
        # Whatever point was left, the fresh one has the law mu_t: only the total mass that leaves counts.
        left = law[: seen - 1] @ (1 - keep)
        stays = law[most] * (1 - keep) if seen > most else 0.0  # once the budget is spent, the point stays
        law[:seen] *= keep
        np.multiply(left[:, None], np.exp(laws[t]), out=arriving[1:seen])
        law[1:seen] += arriving[1:seen]
        law[most] += stays
        yield law


def marginals(laws: Array, log_phi: float, p: float) -> tuple[Array, Array]:
    """Return the law of the point (T, m), and the probabilities of draws (T - 1,), without a budget."""
    log_phi, p, _ = checked_lottery(log_phi, p, math.inf)
    law, anew = np.exp(laws), np.zeros(len(laws) - 1)
    for t, keep in enumerate(keep_probabilities(laws, log_phi, p), start=1):
        left = law[t - 1] * (1 - keep)
        anew[t - 1] = left.sum()
        # Without a budget the number of draws need not be known, and one number a point is enough.
        law[t] = law[t - 1] * keep + law[t] * anew[t - 1]
    return law, anew


def closeness(laws: Array, log_phi: float) -> float:
    """Return the least delta with which all mu_t, mu_{t+1} are (Phi, delta)-close. [001, Definition 3.4]"""
    # The mass of the points where the ratio leaves [1 / Phi, Phi], under either of the two laws.
    far = np.abs(np.diff(laws, axis=-2)) > log_phi
    return float(max(np.where(far, np.exp(side), 0.0).sum(axis=-1).max() for side in (laws[:-1], laws[1:])))
