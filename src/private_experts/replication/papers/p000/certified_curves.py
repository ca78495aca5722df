"""Trade-off curves of Gaussian mixtures between proved bounds, at many levels at once.

If the test with threshold s has a type I error a(s) of at most alpha, the curve at alpha is at most b(s). No
test has a smaller ``k a + b`` than that with threshold log k (Neyman and Pearson), so the curve is at least
``b + k (a - alpha)`` there. Thresholds are sought in floats, and need not be exact.
[mathematics/000.md#trade-off-curves]
"""

import numpy as np
from scipy.special import ndtr

from private_experts.arrays import Array
from private_experts.replication.balls.balls import ball, log, upper
from private_experts.replication.balls.normal_tables import cdf
from private_experts.replication.balls.sums import floats, gamma

_FAR = 40.0  # thresholds are sought between minus this and this
_STEPS = 45  # of bisection
_LOST = 1e-30  # more than what tables leave out
# how much higher a threshold is set, for its type I error to be below alpha
_SHIFTS = (1e-11, 1e-10, 1e-9, 1e-8)


def curve_between(alphas: Array, weights: Array, mus: Array) -> tuple[Array, Array]:
    """Return bounds on the curve of a mixture at levels inside (0, 1); all are taken as they are."""
    thresholds = _thresholds(alphas, weights, mus)
    slopes = np.exp(thresholds)
    # The slope is the exponential of a float threshold; its own logarithm is the threshold that belongs to
    # it.
    logs, _ = floats([log(ball(slope)) for slope in slopes.tolist()])
    first, second, off = _errors(logs, weights, mus)
    size = second + slopes * (first + alphas)
    # A tangent of a convex curve lies below it, wherever it touches.
    low = second + slopes * (first - alphas) - 1.01 * (off + upper(gamma(8))) * size
    high = np.ones_like(low)
    # A threshold a little higher has surely a type I error below alpha; the smallest shift that is enough is
    # the sharpest.
    for shift in _SHIFTS:
        first, second, off = _errors(thresholds + shift, weights, mus)
        allowed = first * (1 + 1.01 * off) + _LOST <= alphas
        high[allowed] = np.minimum(high, second * (1 + 1.01 * off) + _LOST)[allowed]
        if allowed.all():
            break
    return low, high


def _thresholds(alphas: Array, weights: Array, mus: Array) -> Array:
    """Return thresholds whose type I errors are nearly the levels."""
    low, high = np.full(alphas.shape, -_FAR), np.full(alphas.shape, _FAR)
    for _ in range(_STEPS):
        middle = (low + high) / 2
        above = ndtr(-middle[:, None] / mus - mus / 2) @ weights > alphas
        low, high = np.where(above, middle, low), np.where(above, high, middle)
    return (low + high) / 2


def _errors(thresholds: Array, weights: Array, mus: Array) -> tuple[Array, Array, float]:
    """Return both errors of each threshold, and how far they are off, relative.

    Where the table's entry is neither 0 nor 1, the quotient and half the level are up to 14: three roundings
    are no more than five of a number up to 12. What the table leaves out is below 1e-32.
    """
    away, half = thresholds[:, None] / mus, mus / 2
    first, second = cdf()(-away - half) @ weights, cdf()(away - half) @ weights
    return first, second, upper((1 + gamma(mus.size + 2)) * (1 + cdf().error(5)) - 1)
