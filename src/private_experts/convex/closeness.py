"""How close neighbouring Gibbs measures are, how often P-COMW then draws, and how far its law drifts. [001, Lemma C.1]

All depends on beta and lam only through the scale ``u = G sqrt(beta / lam)``. A loss moves the logarithm of the Gibbs
density by about u.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array


def log_closeness(u: float, delta: float) -> float:
    """Return log Phi for which measures of scale u are (Phi, delta)-close: ``u^2 + u sqrt(2 log(2/delta))``.

    [mathematics/001.md#density-ratio-lemma]

    Parameters
    ----------
    u : float
        Scale of the measures, at least 0.
    delta : float
        Probability with which a ratio of densities may lie outside ``[1/Phi, Phi]``, in (0, 1].

    Returns
    -------
    float

    Examples
    --------
    >>> from private_experts.convex.closeness import log_closeness
    >>> round(log_closeness(0.1, 1e-6), 4)
    0.5487
    """
    return u * u + u * math.sqrt(2 * math.log(2 / delta))


def draw_probability(log_phi: float, p: float) -> float:
    """Return ``p~ = p + 1 - Phi^-2``, a bound on the probability of a draw. [mathematics/001.md#switching-bound]

    Parameters
    ----------
    log_phi : float
        Logarithm of the scale Phi, at least 0.
    p : float
        Probability of a draw whatever the loss, in [0, 1].

    Returns
    -------
    float
        Between 0 and 2. Above 1 it says nothing.

    Examples
    --------
    >>> from private_experts.convex.closeness import draw_probability
    >>> draw_probability(0.0, 0.25), round(draw_probability(0.1, 0.25), 4)
    (0.25, 0.4313)
    """
    return p - math.expm1(-2 * log_phi)


def drift_bound(rounds: int, delta: float, draws: float | None = None) -> float:
    """Return the bound on the total variation distance of the law in a round from its Gibbs measure.

    [001, Lemma C.1] [mathematics/001.md#lemma-c1]

    Parameters
    ----------
    rounds : int
        Rounds before this one.
    delta : float
        Closeness of neighbouring measures, in [0, 1].
    draws : float, optional
        ``p~ T``, when the budget is ``3 p~ T``. Without it there is no budget.

    Returns
    -------
    float
        At least 0. Above 1 it says nothing.

    Examples
    --------
    >>> from private_experts.convex.closeness import drift_bound
    >>> round(drift_bound(100, 1e-6), 6), round(drift_bound(100, 1e-6, draws=10.0), 6)
    (0.0003, 0.000345)
    """
    return 3 * delta * rounds + (0.0 if draws is None else math.exp(-draws))


def tight_drift(rounds: ArrayLike, delta: float, log_phi: float, p: float) -> Array:
    """Return the smaller bound on that distance without a budget, ``(1 - p) delta rounds / Phi``.

    [mathematics/001.md#lemma-c1]

    Parameters
    ----------
    rounds : array_like
        Rounds before the one in question.
    delta : float
        Closeness of neighbouring measures, in [0, 1].
    log_phi : float
        Logarithm of the scale Phi, at least 0.
    p : float
        Probability of a draw whatever the loss, in [0, 1].

    Returns
    -------
    ndarray
        In the shape of `rounds`.

    Examples
    --------
    >>> from private_experts.convex.closeness import tight_drift
    >>> tight_drift([0, 10, 100], delta=1e-3, log_phi=0.0, p=0.5).round(4).tolist()
    [0.0, 0.005, 0.05]
    """
    return (1 - p) * delta * math.exp(-log_phi) * np.asarray(rounds, dtype=np.float64)
