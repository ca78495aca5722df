"""Confidence intervals for probabilities, means, distribution functions and slopes.

The default, `CONFIDENCE`, is the joint confidence of all intervals of a claim (Bonferroni over its grid).
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import betaincinv, stdtrit

CONFIDENCE = 0.999


def clopper_pearson(
    successes: ArrayLike, trials: ArrayLike, intervals: int = 1, confidence: float = CONFIDENCE
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return exact two-sided intervals for probabilities, which hold jointly for `intervals` of them."""
    k, n = np.broadcast_arrays(np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64))
    tail = (1 - confidence) / (2 * intervals)
    low = np.where(k > 0, betaincinv(np.maximum(k, 1), n - k + 1, tail), 0.0)
    high = np.where(k < n, betaincinv(k + 1, np.maximum(n - k, 1), 1 - tail), 1.0)
    return low, high


def mean_interval(
    sample: ArrayLike, axis: int = -1, intervals: int = 1, confidence: float = CONFIDENCE
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.float64]]:
    """Return means of independent repetitions and their t intervals, which hold jointly for `intervals` of them."""
    values = np.asarray(sample, dtype=np.float64)
    t = stdtrit(values.shape[axis] - 1, 1 - (1 - confidence) / (2 * intervals))
    mean = values.mean(axis=axis)
    half_width = t * values.std(axis=axis, ddof=1) / np.sqrt(values.shape[axis])
    return mean, mean - half_width, mean + half_width


def dkw(trials: int, intervals: int = 1, confidence: float = CONFIDENCE) -> float:
    """Return the half-width of a Dvoretzky-Kiefer-Wolfowitz band around an empirical distribution (Massart)."""
    return float(np.sqrt(np.log(2 * intervals / (1 - confidence)) / (2 * trials)))


def slope_interval(
    x: ArrayLike, y: ArrayLike, intervals: int = 1, confidence: float = CONFIDENCE
) -> tuple[float, float, float]:
    """Return the slope of the least-squares line through the means of y (repetitions, points), with its interval.

    Each repetition gives one independent slope. So the interval needs no assumption on the errors along the line.
    """
    along = np.asarray(x, dtype=np.float64)
    weights = (along - along.mean()) / ((along - along.mean()) ** 2).sum()
    mean, low, high = mean_interval(
        np.asarray(y, dtype=np.float64) @ weights, intervals=intervals, confidence=confidence
    )
    return float(mean), float(low), float(high)
