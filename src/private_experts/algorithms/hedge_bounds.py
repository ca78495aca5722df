"""`HedgeMeta`: what a round costs, rates, and regret bounds, all functions of public quantities.

Gains are in [0, 1], and there are m learners, which may react to past reports. The bounds are on the regret
against the best learner in expectation: the largest of the learners' mean totals, minus the mean total of the
choice. Against the best learner in hindsight add `private_experts.algorithms.fresh_scales.hindsight_price`.
[mathematics/000.md#theorem-3-independence]
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array

# exp overflows a little beyond it, so from there on the growth counts as infinite. A cost that is too large
# is still a bound. And hardly any is larger for it: exp(700) / 700 times any probability above 1e-300 exceeds
# the other bound. (To go on with exp(700) instead would be wrong for those: their cost would be too small.)
_LARGEST_EXPONENT = 700.0


def round_cost(rate: ArrayLike, actions: Array, scales: ArrayLike) -> Array:
    """Return how much a round adds to the bound on the regret. [mathematics/000.md#independence-round]

    The smaller of two bounds each, for gains and for noise: one that is proportional to how far the played
    action is from certain, and one that is not.

    Parameters
    ----------
    rate : float or array_like, shape (...)
        The rate r of exponential weights in the round, positive.
    actions : ndarray, shape (..., n)
        The probability with which each expert is played, given the past.
    scales : float or array_like, shape (n,)
        Standard deviation of the noise on the report of each expert, at least 0. It is public.

    Returns
    -------
    ndarray, shape (...)
        In units of the gains.

    Examples
    --------
    No matter what happens, a round in which all learners agree costs nothing:

    >>> import numpy as np
    >>> from private_experts.algorithms.hedge_bounds import round_cost
    >>> round_cost(0.1, np.array([[0.5, 0.5], [0.9, 0.1], [1.0, 0.0]]), 1.0).round(4).tolist()
    [0.0403, 0.0147, 0.0]
    """
    r = np.asarray(rate, dtype=np.float64)
    uncertain = actions * (1 - actions)
    disagreement = uncertain.sum(axis=-1)
    # Hoeffding's lemma, and a bound by the variance of the played action: each is the smaller in some rounds.
    gain = np.minimum(r**2 / 8, (np.expm1(r) - r) / 2 * disagreement)
    variance = np.square(np.asarray(scales, dtype=np.float64))
    if variance.ndim:
        # An expert that nobody plays has no part in the round, however noisy its report is.
        largest = np.where(actions > 0, variance, 0.0).max(axis=-1)
        noise = _grown(r[..., None], uncertain * variance, (variance + largest[..., None]) / 2).sum(axis=-1)
    else:  # the same noise for all, so that sums over experts come first
        largest = np.broadcast_to(variance, disagreement.shape)
        noise = _grown(r, disagreement * variance, variance)
    noise = np.exp(r) * noise
    cost: Array = (gain + r**2 / 2 * np.minimum(largest, noise)) / r
    return cost


def _grown(r: Array, weighted: Array, variance: Array) -> Array:
    """Return what a round's uncertainty adds for noise of a variance, with exponential weights of rate r."""
    # (e^x - 1) / x with expm1: at small rates the plain difference has no digits left. At 0 the limit is 1.
    x = r**2 * variance
    growth = np.divide(np.expm1(np.minimum(x, _LARGEST_EXPONENT)), x, out=np.ones_like(x), where=x > 0)
    growth = np.where(x > _LARGEST_EXPONENT, np.inf, growth)
    # An action that is certain, or has no noise, adds nothing: nor 0 times infinity.
    grown: Array = np.multiply(weighted, growth, out=np.zeros_like(weighted), where=weighted > 0)
    return grown


def textbook_rate(noise_scales: ArrayLike, m: int) -> float:
    """Return the rate that minimises `textbook_bound` for a known horizon. [mathematics/000.md#textbook]

    It is ``sqrt(8 log m / (T + 4 V))`` with ``V = eta_1^2 + ... + eta_T^2``.

    Parameters
    ----------
    noise_scales : array_like, shape (T,)
        Standard deviation eta_t of the noise on the reports of each round, at least 0.
    m : int
        Number of learners, at least 2.

    Returns
    -------
    float
        The rate r, positive.

    Examples
    --------
    >>> from private_experts.algorithms import textbook_rate
    >>> round(textbook_rate([1.0] * 147, m=13), 3)
    0.167
    """
    return math.sqrt(8 * math.log(m) / _spread(noise_scales))


def textbook_bound(noise_scales: ArrayLike, m: int) -> float:
    """Return the bound on the regret at `textbook_rate`: ``sqrt((T + 4 V) log(m) / 2)``.

    It asks nothing of the learners. [mathematics/000.md#textbook]

    Parameters
    ----------
    noise_scales, m
        As for `textbook_rate`.

    Returns
    -------
    float
        In units of the gains.

    Examples
    --------
    >>> from private_experts.algorithms import textbook_bound
    >>> round(textbook_bound([1.0] * 147, m=13), 1)
    30.7
    """
    return math.sqrt(_spread(noise_scales) * math.log(m) / 2)


def _spread(noise_scales: ArrayLike) -> float:
    """Return ``T + 4 V``."""
    return float((1 + 4 * np.square(np.asarray(noise_scales, dtype=np.float64))).sum())
