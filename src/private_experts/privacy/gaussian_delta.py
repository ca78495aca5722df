"""The delta of a Gaussian mechanism to full precision, even where it is tiny or its terms nearly cancel."""

import math

import numpy as np
from scipy.special import erfcx, ndtr

from private_experts.arrays import Array

_LOG_SQRT_2PI = 0.5 * math.log(2 * math.pi)
# Gauss-Legendre on [-1, 1]: 12 nodes integrate the slope of Mills' ratio over a unit length to the last
# digit.
_NODES, _NODE_WEIGHTS = np.polynomial.legendre.leggauss(12)
# Beyond this, 1 - z m(z) loses digits, and twelve terms of its asymptotic series are exact to rounding.
_FAR = 16.0
_SERIES = [math.prod(range(1, 2 * k + 2, 2)) * (-1.0) ** k for k in range(12)]


def precise_log_delta(epsilon: Array, mu: Array) -> Array:
    """Return log delta of mu-GDP, for finite epsilon >= 0 and mu > 0. [mathematics/000.md#trade-off-curves]

    e^epsilon phi(z2) = phi(z1), so delta = phi(z1) [m(z1) - m(z2)] with Mills' ratio m. Where the two are
    close (mu <= 1) their difference is the integral of -m' over [z1, z2]; where delta may be near 1 its
    complement is taken.
    """
    z, low = _lower_end(epsilon, mu)
    with np.errstate(over="ignore", divide="ignore"):
        # log phi(z1): the low part of z1 enters to first order, since z * low is not small for large z.
        exponent = -(z * z / 2 + z * low) - _LOG_SQRT_2PI
        if z.size == 1:
            case = _log_slope if mu.item() <= 1 else _log_drop if z.item() > 0 else _log_complement
            return case(z, mu, exponent)
        result, close = np.empty_like(z), mu <= 1
        for where, case in (
            (close, _log_slope),
            (~close & (z > 0), _log_drop),
            (~close & (z <= 0), _log_complement),
        ):
            result[where] = case(z[where], mu[where], exponent[where])
    return result


def _log_slope(z: Array, mu: Array, exponent: Array) -> Array:
    # An interval of length at most 1: the quadrature needs no cancellation, however small mu is.
    half = mu / 2
    slope: Array = _mills_slope((z + half)[:, None] + half[:, None] * _NODES) @ _NODE_WEIGHTS
    return np.asarray(exponent + np.log(half) + np.log(slope))


def _log_drop(a: Array, mu: Array, exponent: Array) -> Array:
    b = a + mu
    # m(a) - m(b) tends to 1/a - 1/b, which is exact to rounding long before m(a) - m(b) rounds to 0.
    return np.asarray(exponent + np.log(np.where(a < 1e8, _mills(a) - _mills(b), mu / a / b)))


def _log_complement(z: Array, mu: Array, exponent: Array) -> Array:
    # delta may be 1 up to a rounding; its complement is the small number.
    return np.asarray(np.log1p(-(ndtr(z) + np.exp(exponent) * _mills(z + mu))))


def _mills(z: Array) -> Array:
    """Mills' ratio m(z) = Phi(-z) / phi(z)."""
    return np.asarray(math.sqrt(math.pi / 2) * erfcx(z / math.sqrt(2)))


def _mills_slope(z: Array) -> Array:
    """Return -m'(z) = 1 - z m(z) for z >= -1/2, without cancellation.

    For large z by the asymptotic series z^-2 - 3 z^-4 + 15 z^-6 - ...
    """
    slope = 1 - z * _mills(z)
    far = z > _FAR
    x = 1 / np.square(z[far])
    series = np.full_like(x, _SERIES[-1])
    # By Horner's rule from the smallest term on.
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

    delta is about exp(-z1^2/2), and for a large mu the two terms nearly cancel, so a rounding of epsilon/mu
    would cost digits of delta. Hence the exact remainder of the division (Dekker's product) and of the
    subtraction (Knuth).
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
