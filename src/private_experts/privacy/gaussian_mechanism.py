"""One Gaussian mechanism: its trade-off curve and its (epsilon, delta) profile.

A trade-off curve gives the least type II error of a test between two neighbouring data sets, at each type I error. A
profile gives the least delta at each epsilon. Both are closed forms or roots of closed forms, evaluated in log space.
The arguments broadcast as in NumPy.

The privacy level mu runs from 0 (neighbours cannot be told apart) to ``inf`` (no privacy); both ends are allowed.
"""

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import erfcx, erfinv, ndtr, ndtri

from private_experts.privacy.numerics import checked, root

Array = NDArray[np.float64]

_LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)
# Gauss-Legendre on [-1, 1]: 12 nodes integrate the slope of Mills' ratio over a unit length to the last digit.
_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(12)
# Beyond this, 1 - z m(z) loses digits, and twelve terms of its asymptotic series are exact to rounding.
_FAR = 16.0
_SERIES = [math.prod(range(1, 2 * k + 2, 2)) * (-1.0) ** k for k in range(12)]


# The curve and the profile


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
        Least type II error.

    References
    ----------
    Dong, Roth, Su: Gaussian Differential Privacy, Definition 2.6; [000, Section 2.2].
    """
    a, m = np.broadcast_arrays(checked("type I error alpha", alpha, high=1.0), checked("privacy level mu", mu))
    curve = ndtr(-ndtri(a) - np.where(np.isfinite(m), m, 0.0))
    return np.select([m == 0, np.isinf(m)], [1 - a, 0.0], curve)[()]


def log_delta(epsilon: ArrayLike, mu: ArrayLike) -> Array:
    """Return the logarithm of `delta`, also where delta itself is too small for a float.

    Parameters
    ----------
    epsilon : array_like
        At least 0; for a negative one use ``delta(-e) = 1 - exp(-e) (1 - delta(e))``, which holds because the
        Gaussian trade-off curve is its own inverse.
    mu : array_like
        Privacy level, from 0 to ``inf``.
    """
    e, m = np.broadcast_arrays(checked("epsilon", epsilon), checked("privacy level mu", mu))
    result = np.where(np.isinf(m), 0.0, -np.inf)
    inside = (m > 0) & np.isfinite(m) & np.isfinite(e)
    result[inside] = _log_delta(e[inside], m[inside])
    return result[()]


def delta(epsilon: ArrayLike, mu: ArrayLike) -> Array:
    """Return the least delta for which mu-GDP implies (epsilon, delta)-DP.

    ``delta(epsilon) = Phi(-epsilon/mu + mu/2) - exp(epsilon) Phi(-epsilon/mu - mu/2)``

    Twelve digits are right down to 1e-300, however small `mu` is.

    Parameters
    ----------
    epsilon : array_like
        At least 0; see `log_delta` for negative values.
    mu : array_like
        Privacy level: 0 gives delta 0, ``inf`` gives 1.

    References
    ----------
    Balle, Wang: Improving the Gaussian Mechanism for Differential Privacy, Theorem 8; [000, Corollary 3];
    [mathematics/000.md#trade-off-curves].
    """
    return np.exp(log_delta(epsilon, mu))


def epsilon(delta: ArrayLike, mu: ArrayLike) -> Array:
    """Return the least epsilon for which mu-GDP implies (epsilon, delta)-DP: the inverse of `delta` in epsilon.

    Parameters
    ----------
    delta : array_like
        In [0, 1]. Above ``delta(0, mu)`` the answer is 0. At 0 it is ``inf``, unless `mu` is 0.
    mu : array_like
        Privacy level, from 0 to ``inf``.
    """
    d, m = np.broadcast_arrays(checked("delta", delta, high=1.0), checked("privacy level mu", mu))
    with np.errstate(divide="ignore"):
        log_d = np.log(d)
    result = np.where(log_d >= log_delta(0.0, m), 0.0, np.inf)
    search = (result > 0) & (d > 0) & np.isfinite(m)
    m, log_d = m[search], log_d[search]
    # delta <= exp(-z1^2/2) / 2: at this epsilon it is below half of what may be spent.
    high = m * m / 2 + m * np.sqrt(-2 * log_d)

    def excess(e: Array, m: Array, log_d: Array) -> Array:
        return log_delta(e, m) - log_d

    result[search] = root(excess, np.zeros_like(high), 1.001 * high, m, log_d)
    return result[()]


def calibrate_mu(epsilon: ArrayLike, delta: ArrayLike) -> Array:
    """Return the largest mu for which mu-GDP implies (epsilon, delta)-DP: the inverse of `delta` in mu, to rounding.

    Noise of standard deviation ``sensitivity / mu`` is the least that is (epsilon, delta)-DP.

    Parameters
    ----------
    epsilon : array_like
        At least 0; ``inf`` allows every level.
    delta : array_like
        In [0, 1]; 0 allows only ``mu = 0`` and 1 every level.
    """
    e, d = np.broadcast_arrays(checked("epsilon", epsilon), checked("delta", delta, high=1.0))
    # At epsilon = 0: delta = 2 Phi(mu/2) - 1.
    result = np.where(np.isinf(e), np.inf, 2 * math.sqrt(2) * erfinv(d))
    inside = np.isfinite(e) & (e > 0) & (d > 0) & (d < 1)
    e, d = e[inside], d[inside]
    # Below: delta <= Phi(-z1) <= exp(-z1^2/2) / 2, solved for mu; and delta(epsilon) <= delta(0).
    tail = np.sqrt(-2 * np.log(d))
    low = np.maximum(2 * e / (tail + np.sqrt(tail**2 + 2 * e)), result[inside])
    # Above: delta >= P(loss > t) (1 - exp(epsilon - t)) for all t > epsilon; the second factor is made (1 + delta)/2.
    t = e + np.log(2) - np.log1p(-d)
    y = np.where(d < 0.5, -ndtri(2 * d / (1 + d)), ndtri((1 - d) / (1 + d)))
    radius = np.sqrt(y**2 + 2 * t)
    high = np.where(y > 0, 2 * t / (np.maximum(y, 0) + radius), radius - y)

    def excess(mu: Array, e: Array, log_d: Array) -> Array:
        return _log_delta(e, mu) - log_d

    result[inside] = root(excess, 0.999 * low, 1.001 * high, e, np.log(d))
    return result[()]


def compose(mus: ArrayLike) -> Array:
    """Return the level of Gaussian mechanisms run one after another on the same data: ``sqrt(sum mu_i^2)``.

    The composition is exact, and holds for mechanisms chosen in view of earlier outputs. No mechanism has level 0.

    Parameters
    ----------
    mus : array_like, shape (..., mechanisms)
        Privacy levels, from 0 to ``inf``.

    References
    ----------
    Dong, Roth, Su: Gaussian Differential Privacy, Corollary 3.3.
    """
    m = checked("privacy level mu", mus)
    top = np.max(m, axis=-1, keepdims=True, initial=0.0)
    scale = np.where((top > 0) & np.isfinite(top), top, 1.0)
    return (scale[..., 0] * np.sqrt(np.square(m / scale).sum(axis=-1)))[()]


# Delta to full precision


def _mills(z: Array) -> Array:
    """Mills' ratio m(z) = Phi(-z) / phi(z)."""
    return math.sqrt(math.pi / 2) * erfcx(z / math.sqrt(2))


def _mills_slope(z: Array) -> Array:
    """Return -m'(z) = 1 - z m(z) for z >= -1/2, without cancellation.

    For large z by the asymptotic series z^-2 - 3 z^-4 + 15 z^-6 - ...
    """
    slope = 1 - z * _mills(z)
    far = z > _FAR
    x = 1 / np.square(z[far])
    series = np.full_like(x, _SERIES[-1])
    for coefficient in reversed(_SERIES[:-1]):
        series *= x
        series += coefficient
    slope[far] = x * series
    return slope


def _split(a: Array) -> tuple[Array, Array]:
    """Split each number into two of half the digits (Veltkamp)."""
    c = 134217729.0 * a  # 2^27 + 1
    high = c - (c - a)
    return high, a - high


def _lower_end(epsilon: Array, mu: Array) -> tuple[Array, Array]:
    """Return z1 = epsilon/mu - mu/2 as the sum of two floats.

    delta is about exp(-z1^2/2), and for a large mu the two terms nearly cancel, so a rounding of epsilon/mu would cost
    digits of delta. Hence the exact remainder of the division (Dekker's product) and of the subtraction (Knuth).
    """
    with np.errstate(over="ignore", invalid="ignore"):
        quotient, half = epsilon / mu, mu / 2
        product = quotient * mu
        (qh, ql), (mh, ml) = _split(quotient), _split(mu)
        error = ((qh * mh - product) + qh * ml + ql * mh) + ql * ml
        remainder = ((epsilon - product) - error) / mu
        z = quotient - half
        back = z - quotient
        rest = ((quotient - (z - back)) - (half + back)) + remainder
        rest = np.where((np.abs(z) < 1e100) & np.isfinite(rest), rest, 0.0)
        end = np.minimum(z + rest, 1e160)
        return end, np.where(np.abs(z) < 1e100, rest - (end - z), 0.0)


def _log_delta(epsilon: Array, mu: Array) -> Array:
    """Return log delta for finite epsilon >= 0 and finite mu > 0, flat arrays.

    e^epsilon phi(z2) = phi(z1), so delta = phi(z1) [m(z1) - m(z2)] with Mills' ratio m. Where the two are close
    (mu <= 1) their difference is the integral of -m' over [z1, z2]; where delta may be near 1 its complement is taken.
    """
    z, low = _lower_end(epsilon, mu)
    with np.errstate(over="ignore", divide="ignore"):
        exponent = -(z * z / 2 + z * low) - _LOG_SQRT_2PI
        result = np.empty_like(z)
        close = mu <= 1
        left = ~close & (z <= 0)
        right = ~close & (z > 0)
        half = mu[close] / 2
        slope = _mills_slope((z[close] + half)[:, None] + half[:, None] * _NODES) @ _NODE_WEIGHTS
        result[close] = exponent[close] + np.log(half) + np.log(slope)
        a, b = z[right], z[right] + mu[right]
        # m(a) - m(b) tends to 1/a - 1/b, which is exact to rounding long before m(a) - m(b) rounds to 0.
        drop = np.where(a < 1e8, _mills(a) - _mills(b), mu[right] / a / b)
        result[right] = exponent[right] + np.log(drop)
        result[left] = np.log1p(-(ndtr(z[left]) + np.exp(exponent[left]) * _mills(z[left] + mu[left])))
    return result
