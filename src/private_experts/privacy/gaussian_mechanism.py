"""One Gaussian mechanism: its trade-off curve and its (epsilon, delta) profile.

A trade-off curve gives the least type II error of a test between two neighbouring data sets, at each type I
error. A profile gives the least delta at each epsilon. Both are closed forms or roots of closed forms,
evaluated in log space. The arguments broadcast as in NumPy.

The privacy level mu runs from 0 (neighbours cannot be told apart) to ``inf`` (no privacy); both ends are
allowed.
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import erfinv, ndtr, ndtri

from private_experts.arrays import Array
from private_experts.errors import names_what_was_meant
from private_experts.privacy.gaussian_delta import precise_log_delta
from private_experts.privacy.numerics import root
from private_experts.validation import checked_range

_FAR = 1e300  # an epsilon whose double may be too large for a float


def tradeoff(alpha: ArrayLike, mu: ArrayLike) -> Array:
    """Return the trade-off curve of N(0, 1) against N(mu, 1).

    ``G_mu(alpha) = Phi(Phi^{-1}(1 - alpha) - mu)``

    Parameters
    ----------
    alpha : array_like
        Type I error, in [0, 1].
    mu : array_like
        Privacy level, from 0 (the curve is ``1 - alpha``) to ``inf`` (it is 0, also at ``alpha = 0``).

    Returns
    -------
    ndarray
        Least type II error, of the broadcast shape.

    Raises
    ------
    InputError
        When `alpha` is not in [0, 1], or `mu` is negative or not a number.

    References
    ----------
    Dong, Roth, Su: Gaussian Differential Privacy, Definition 2.6; [000, Section 2.2].

    Examples
    --------
    An attacker who raises one false alarm in twenty misses 74 % at mu = 1, and 92 % at 0.25:

    >>> from private_experts.privacy.gaussian_mechanism import tradeoff
    >>> tradeoff(0.05, [1.0, 0.25]).round(4).tolist()
    [0.7405, 0.9185]
    """
    a, m = np.broadcast_arrays(
        checked_range("type I error alpha", alpha, high=1.0), checked_range("privacy level mu", mu)
    )
    # Phi^-1(1 - a) = -Phi^-1(a), and 1 - a has no digits left for a small a.
    curve = ndtr(-ndtri(a) - np.where(np.isfinite(m), m, 0.0))
    return np.select([m == 0, np.isinf(m)], [1 - a, 0.0], curve)[()]


@names_what_was_meant
def log_delta(*, epsilon: ArrayLike, mu: ArrayLike) -> Array:
    """Return the logarithm of `delta`, also where delta itself is too small for a float. [000, Corollary 3]

    Epsilon is at least 0; for a negative one use ``delta(-e) = 1 - exp(-e) (1 - delta(e))``, which holds
    because the Gaussian trade-off curve is its own inverse.
    """
    e, m = np.broadcast_arrays(checked_range("epsilon", epsilon), checked_range("privacy level mu", mu))
    result = np.where(np.isinf(m), 0.0, -np.inf)
    # The ends are limits, and formulas would make nan of 0 / 0 or inf - inf there.
    inside = (m > 0) & np.isfinite(m) & np.isfinite(e)
    result[inside] = precise_log_delta(e[inside], m[inside])
    return result[()]


@names_what_was_meant
def delta(*, epsilon: ArrayLike, mu: ArrayLike) -> Array:
    """Return the least delta for which mu-GDP implies (epsilon, delta)-DP.

    ``delta(epsilon) = Phi(-epsilon/mu + mu/2) - exp(epsilon) Phi(-epsilon/mu - mu/2)``

    Twelve digits are right down to 1e-300, however small `mu` is.

    Parameters
    ----------
    epsilon : array_like
        At least 0; see `log_delta` for negative values.
    mu : array_like
        Privacy level: 0 gives delta 0, ``inf`` gives 1.

    Returns
    -------
    ndarray
        In [0, 1], of the broadcast shape.

    Raises
    ------
    InputError
        When an argument is negative or not a number.

    References
    ----------
    Balle, Wang: Improving the Gaussian Mechanism for Differential Privacy, Theorem 8; [000, Corollary 3];
    [mathematics/000.md#trade-off-curves].

    Examples
    --------
    >>> from private_experts.privacy.gaussian_mechanism import delta
    >>> delta(epsilon=[0.0, 1.0, 4.0], mu=1.0).round(6).tolist()
    [0.382925, 0.126937, 4.7e-05]
    """
    result: Array = np.exp(log_delta(epsilon=epsilon, mu=mu))
    return result


@names_what_was_meant
def epsilon(*, delta: ArrayLike, mu: ArrayLike) -> Array:
    """Return the least epsilon for which mu-GDP is (epsilon, delta)-DP: the inverse of `delta` in epsilon.

    [000, Corollary 3]

    Parameters
    ----------
    delta : array_like
        In [0, 1]. Above ``delta(0, mu)`` the answer is 0. At 0 it is ``inf``, unless `mu` is 0. So it is
        above a `mu` of about 1e154, for which no float is large enough.
    mu : array_like
        Privacy level, from 0 to ``inf``.

    Returns
    -------
    ndarray
        Of the broadcast shape.

    Raises
    ------
    InputError
        When `delta` is not in [0, 1], or `mu` is negative or not a number.

    Examples
    --------
    >>> from private_experts.privacy.gaussian_mechanism import epsilon
    >>> epsilon(delta=1e-6, mu=[1.0, 0.5, 0.25]).round(3).tolist()
    [4.887, 2.254, 1.061]
    """
    d, m = np.broadcast_arrays(checked_range("delta", delta, high=1.0), checked_range("privacy level mu", mu))
    with np.errstate(divide="ignore"):
        log_d = np.log(d)
    # From delta(0) on, an epsilon of 0 will do.
    result = np.where(log_d >= log_delta(epsilon=0.0, mu=m), 0.0, np.inf)
    # delta <= exp(-z1^2/2) / 2: at this epsilon it is below half of what may be spent. It may be too large
    # for a float.
    with np.errstate(over="ignore", invalid="ignore"):
        high = 1.001 * (m * m / 2 + m * np.sqrt(np.maximum(-2 * log_d, 0.0)))
    search = (result > 0) & (d > 0) & np.isfinite(high)
    m, log_d, high = m[search], log_d[search], high[search]

    def excess(e: Array, m: Array, log_d: Array) -> Array:
        return precise_log_delta(e, m) - log_d

    result[search] = root(excess, np.zeros_like(high), high, m, log_d)
    return result[()]


@names_what_was_meant
def calibrate_mu(*, epsilon: ArrayLike, delta: ArrayLike) -> Array:
    """Return the largest mu for which mu-GDP is (epsilon, delta)-DP: `delta` inverted in mu, to rounding.

    Noise of standard deviation ``sensitivity / mu`` is the least that is (epsilon, delta)-DP. [000, Corollary
    3]

    Parameters
    ----------
    epsilon : array_like
        At least 0; ``inf`` allows every level.
    delta : array_like
        In [0, 1]; 0 allows only ``mu = 0`` and 1 every level.

    Returns
    -------
    ndarray
        Privacy levels from 0 to ``inf``, of the broadcast shape.

    Raises
    ------
    InputError
        When `epsilon` is negative, or `delta` is not in [0, 1].

    Examples
    --------
    The noise that a sensitivity of 1 needs for (1, 1e-6)-DP:

    >>> from private_experts.privacy.gaussian_mechanism import calibrate_mu
    >>> round(float(1 / calibrate_mu(epsilon=1.0, delta=1e-6)), 6)
    4.224679
    """
    e, d = np.broadcast_arrays(checked_range("epsilon", epsilon), checked_range("delta", delta, high=1.0))
    # At epsilon = 0: delta = 2 Phi(mu/2) - 1.
    result = np.where(np.isinf(e), np.inf, 2 * math.sqrt(2) * erfinv(d))
    inside = (e > 0) & (d > 0) & (d < 1)
    far = inside & (e > _FAR) & np.isfinite(e)
    result[far] = math.sqrt(2) * np.sqrt(e[far])  # to rounding, whatever delta is
    inside &= e <= _FAR
    e, d = e[inside], d[inside]
    # Below: delta <= Phi(-z1) <= exp(-z1^2/2) / 2, solved for mu; and delta(epsilon) <= delta(0).
    tail = np.sqrt(-2 * np.log(d))
    low = np.maximum(2 * e / (tail + np.sqrt(tail**2 + 2 * e)), result[inside])
    # Above: delta >= P(loss > t) (1 - exp(epsilon - t)) for all t > epsilon; the second factor is made (1 +
    # delta)/2.
    t = e + np.log(2) - np.log1p(-d)
    y = np.where(d < 0.5, -ndtri(2 * d / (1 + d)), ndtri((1 - d) / (1 + d)))
    radius = np.sqrt(y**2 + 2 * t)
    high = np.where(y > 0, 2 * t / (np.maximum(y, 0) + radius), radius - y)

    def excess(mu: Array, e: Array, log_d: Array) -> Array:
        return precise_log_delta(e, mu) - log_d

    result[inside] = root(excess, 0.999 * low, 1.001 * high, e, np.log(d))
    return result[()]
