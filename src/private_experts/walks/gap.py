"""The law of the gap, largest minus second largest, of a Gaussian vector.

For X ~ N(0, I_n), counting the coordinate that leads,

    P(gap > e) = n int phi(x) Phi(x - e)^(n-1) dx,  density n (n-1) int phi(x) phi(x - e) Phi(x - e)^(n-2) dx.

Among all mean vectors, equal means make the gap stochastically smallest. [000, Equation (1) and Theorem 2]
[mathematics/000.md#gap]

Both integrands are log-concave and entire. They are summed by the trapezoidal rule, which converges
geometrically on such functions. The range around the peak leaves out less than 1e-16 of the integral.
Relative errors are below 1e-12 for n from 2 to 1000, wherever the result is above 1e-300; halving the step
changes nothing beyond that.
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr

from private_experts.arrays import Array
from private_experts.validation import checked_number, whole

_POINTS = 161
# from the peak to the end of the range, in standard deviations at the slowest fall; Phi(-8.6) = 4e-18
_REACH = 8.6
_FEW, _MANY = 20, 1000  # experts, and rows, where the two largest are found expert by expert
_BLOCK = 2048  # values of e treated at once, to save memory
_LOG_ROOT_2_PI = 0.5 * math.log(2 * math.pi)


def two_largest(values: Array) -> tuple[Array, Array]:
    """Return the largest and the second largest on the last axis, of length >= 2."""
    last = values.shape[-1]
    if last <= _FEW and values.size >= last * _MANY:
        # Expert by expert, for all rows at once: a partition takes each row by itself.
        first, second = np.maximum(values[..., 0], values[..., 1]), np.minimum(values[..., 0], values[..., 1])
        for expert in range(2, last):
            other = values[..., expert]
            np.maximum(second, np.minimum(first, other), out=second)
            np.maximum(first, other, out=first)
        return first, second
    # The two largest in place, without sorting the others.
    top = np.partition(values, last - 2, axis=-1)
    return top[..., -1], top[..., -2]


def leading_gap(values: Array) -> Array:
    """Return the largest minus the second largest on the last axis, of length >= 2. [000, Section 2.1]"""
    last = values.shape[-1]
    whole(last, "lead", "number of experts", least=2)
    # Two experts: an absolute value, much faster than a partition.
    if last == 2:
        return np.abs(values[..., 1] - values[..., 0])
    first, second = two_largest(values)
    return first - second


def log_survival(e: ArrayLike, n: int, scale: float = 1.0) -> Array:
    """Return log P(gap(X) > e), elementwise, for X ~ N(0, scale^2 I_n); 0 where e <= 0. [000, Equation (1)]

    It stays finite where the probability itself is too small for a float.
    """
    e = _scaled(e, n, scale)
    return np.minimum(math.log(n) - _LOG_ROOT_2_PI + _log_integral(np.maximum(e, 0.0), n - 1, 0), 0.0)


def survival(e: ArrayLike, n: int, scale: float = 1.0) -> Array:
    """Return P(gap(X) > e), elementwise, for X ~ N(0, scale^2 I_n). [000, Equation (1)]

    Parameters
    ----------
    e : array_like
        Gaps. Below 0 the probability is 1.
    n : int
        Number of coordinates, at least 2.
    scale : float
        Standard deviation of each coordinate, positive, in the unit of `e`.

    Returns
    -------
    ndarray
        Of the shape of `e`.

    Raises
    ------
    InputError
        When `n` is below 2 or `scale` not positive.

    Examples
    --------
    With more coordinates the gap is smaller:

    >>> from private_experts.walks.gap import survival
    >>> [round(float(survival(1.0, n)), 4) for n in (2, 10, 100)]
    [0.4795, 0.1528, 0.0538]
    """
    return np.exp(log_survival(e, n, scale))


def distribution(e: ArrayLike, n: int, scale: float = 1.0) -> Array:
    """Return P(gap(X) <= e), elementwise, X ~ N(0, scale^2 I_n), to an absolute 1e-12. [000, Equation (1)]

    For n = 2 it is erf(e / 2).
    """
    return -np.expm1(log_survival(e, n, scale))


def density(e: ArrayLike, n: int, scale: float = 1.0) -> Array:
    """Return the density of gap(X) at e, elementwise, for X ~ N(0, scale^2 I_n). [mathematics/000.md#gap]

    It is 0 where e < 0, and falls with e.
    """
    e = _scaled(e, n, scale)
    log = math.log(n) + math.log(n - 1) - 2 * _LOG_ROOT_2_PI + _log_integral(np.maximum(e, 0.0), n - 2, 1)
    return np.where(e < 0, 0.0, np.exp(log) / scale)


def shifted_distribution(e: ArrayLike, means: Array) -> Array:
    """Return P(gap(X) <= e), elementwise in e, for X ~ N(means, I), to an absolute 1e-12. [000, Theorem 2]

    Gaps and means (n,) are in standard deviations. Cost and memory grow like n times the number of gaps.
    """
    gaps = np.asarray(e, dtype=float)
    # The leader lies within 9 of the largest mean, except with negligible probability.
    x, step = np.linspace(means.max() - 9.0, means.max() + 9.0, 601, retstep=True)
    # Given that i leads at x, all others lie below x - e. The sum less one's own term stands for the product
    # of the others.
    others = log_ndtr((x - means[:, None]) - np.maximum(gaps, 0.0)[..., None, None])  # (..., n, points)
    log = -((x - means[:, None]) ** 2) / 2 - _LOG_ROOT_2_PI + others.sum(axis=-2, keepdims=True) - others
    above = step * np.exp(log).sum(axis=(-2, -1))
    return np.where(gaps < 0, 0.0, np.clip(1 - above, 0.0, 1.0))


def _scaled(e: ArrayLike, n: int, scale: float) -> Array:
    n = whole(n, "gap", "number of coordinates", least=2)
    scale = checked_number("gap: scale", scale, 0, ends=False)
    return np.asarray(e, dtype=float) / scale


def _log_integral(e: Array, power: int, factors: int, points: int = _POINTS) -> Array:
    """Return log int exp(h(x)) dx for each e >= 0, h(x) = -x^2/2 - factors (x-e)^2/2 + power log Phi(x-e)."""
    flat = e.ravel()
    blocks = [flat[i : i + _BLOCK] for i in range(0, flat.size, _BLOCK)]
    parts = [_log_integral_of_block(block, power, factors, points) for block in blocks]
    return np.concatenate([*parts, np.zeros(0)]).reshape(e.shape)


def _log_integral_of_block(e: Array, power: int, factors: int, points: int) -> Array:
    # Newton's method for the peak: h' is convex, falls, and is positive at 0. So no step goes past its zero.
    peak = np.zeros_like(e)
    for _ in range(25):
        u = peak - e
        mills = np.exp(-(u**2) / 2 - _LOG_ROOT_2_PI - log_ndtr(u))
        curvature = 1 + factors + power * mills * (mills + u)
        # phi / Phi by logarithms: far to the left both are 0 in floating point, and their quotient is not.
        peak = peak + (power * mills - peak - factors * u) / curvature
    # h'' is at most -(1 + factors), and left of the peak at most -curvature. So the integrand falls at least
    # that fast. The range follows the peak: for large gaps a fixed one would miss the integrand altogether.
    start = -_REACH / np.sqrt(curvature)
    end = _REACH / math.sqrt(1 + factors)
    step = (end - start) / (points - 1)
    x = peak[:, None] + start[:, None] + step[:, None] * np.arange(points)
    u = x - e[:, None]
    log = -(x**2) / 2
    if factors:
        log -= factors * u**2 / 2
    if power:
        log += power * log_ndtr(u)
    # The largest term is taken out, so that gaps far in the tail keep a finite logarithm.
    top = log.max(axis=-1)
    log -= top[:, None]
    result: Array = top + np.log(step * np.exp(log).sum(axis=-1))
    return result
