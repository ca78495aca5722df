"""Confidence intervals for probabilities, means, distribution functions and slopes.

The default, `CONFIDENCE`, is the joint confidence of all intervals of a claim (Bonferroni over its grid).

A mean has three intervals. Student's t reads the spread from the sample, and takes the mean for normal. A
sample without spread tells it nothing, and it refuses. The empirical Bernstein interval knows the range of
the values, and holds for every law on it. The interval of a rare quantity, which is 0 in most runs, knows its
range too, and counts the runs in which it is not 0. [verdicts.md]
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv, stdtrit

from private_experts.arrays import Array
from private_experts.errors import InputError
from private_experts.replication.study.tied import SAME, all_equal

CONFIDENCE = 0.999
_ENOUGH = 100  # runs apart from the commonest value, from which on tables use Student's t


def clopper_pearson(
    successes: ArrayLike, trials: ArrayLike, intervals: int = 1, confidence: float = CONFIDENCE
) -> tuple[Array, Array]:
    """Return exact two-sided intervals for probabilities, which hold jointly for `intervals` of them.

    Counts need not be whole: an effective number of trials may take the place of theirs.
    """
    k, n = np.broadcast_arrays(np.asarray(successes, dtype=np.float64), np.asarray(trials, dtype=np.float64))
    # Two sides, and a union over all intervals of the claim.
    tail = (1 - confidence) / (2 * intervals)
    # At 0 and n the quantile is not defined, and the end of the range is the exact limit.
    low = np.where(k > 0, betaincinv(np.where(k > 0, k, 1), n - k + 1, tail), 0.0)
    high = np.where(k < n, betaincinv(k + 1, np.where(k < n, n - k, 1), 1 - tail), 1.0)
    return low, high


def mean_interval(
    sample: ArrayLike,
    axis: int = -1,
    intervals: int = 1,
    confidence: float = CONFIDENCE,
    span: float | None = None,
) -> tuple[Array, Array, Array]:
    """Return means of repetitions along an axis and their intervals, which hold jointly for `intervals`.

    With `span`, the largest possible value minus the least, empirical Bernstein: with probability ``1 - d``
    the mean is at most ``mean + sqrt(2 V log(2/d) / R) + 7 span log(2/d) / (3 (R - 1))``, V the sample's
    variance. [Maurer and Pontil 2009, Theorem 4] Without it Student's t, which refuses equal repetitions:
    they say nothing about the error.
    """
    values = np.asarray(sample, dtype=np.float64)
    repetitions = values.shape[axis]
    tail = (1 - confidence) / (2 * intervals)
    mean, spread = values.mean(axis=axis), values.std(axis=axis, ddof=1)
    if span is None:
        if all_equal(values, axis).any():
            raise InputError(
                f"all {repetitions} repetitions are equal, so their spread says nothing about the error of "
                "their mean; give the range of the values (span), or parameters for which they differ"
            )
        half_width = stdtrit(repetitions - 1, 1 - tail) * spread / np.sqrt(repetitions)
    else:
        # Each side costs two events: one of the mean and one of the variance. [Maurer and Pontil 2009,
        # Theorem 4]
        log = np.log(2 / tail)
        half_width = spread * np.sqrt(2 * log / repetitions) + 7 * span * log / (3 * (repetitions - 1))
    return mean, mean - half_width, mean + half_width


def bounded_interval(
    sample: ArrayLike, span: float, intervals: int = 1, confidence: float = CONFIDENCE
) -> tuple[float, float, float]:
    """Return the mean of repetitions in a range of length `span`, and its interval, for tables.

    The empirical Bernstein interval, or Student's t where 100 runs or more differ from the commonest value.
    Claims do not use it, because Student's t is approximate: for 1000 coins it misses up to 1.6 times as
    often as stated. See `mean_interval`.
    """
    values = np.asarray(sample, dtype=np.float64)
    size = np.abs(values).max()
    # In units of the rounding: values that are equal in truth must be counted as one.
    rounded = np.round(values / (SAME * size)) if size > 0 else values
    differing = values.size - np.unique(rounded, return_counts=True)[1].max()
    mean, low, high = mean_interval(
        values, intervals=intervals, confidence=confidence, span=None if differing >= _ENOUGH else span
    )
    return float(mean), float(low), float(high)


def rare_interval(
    sample: ArrayLike, most: float, intervals: int = 1, confidence: float = CONFIDENCE
) -> tuple[float, float, float]:
    """Return the mean of a quantity that is 0 in most runs and of size `most` at most, and its interval.

    The common part of two intervals, each of which may miss with half of the probability allowed. One is the
    empirical Bernstein interval. The other uses that the mean is at most `most` times the probability of not
    being 0, for which Clopper and Pearson have an upper limit.
    """
    values = np.asarray(sample, dtype=np.float64)
    _, share = clopper_pearson(
        np.count_nonzero(values), values.size, intervals=intervals, confidence=confidence
    )
    # The other half of the chance to miss goes to the interval of the probability.
    mean, least, largest = mean_interval(
        values, intervals=2 * intervals, confidence=confidence, span=2 * most
    )
    return float(mean), max(float(least), -most * float(share)), min(float(largest), most * float(share))


def dkw(trials: int, intervals: int = 1, confidence: float = CONFIDENCE) -> float:
    """Return the half-width of a Dvoretzky-Kiefer-Wolfowitz band of an empirical distribution (Massart)."""
    return float(np.sqrt(np.log(2 * intervals / (1 - confidence)) / (2 * trials)))


def slope_interval(
    x: ArrayLike, y: ArrayLike, intervals: int = 1, confidence: float = CONFIDENCE
) -> tuple[float, float, float]:
    """Return the slope of a least-squares line through means of y (repetitions, points), and its interval.

    Each repetition gives one independent slope, so no assumption on the errors along the line is needed.
    """
    along = np.asarray(x, dtype=np.float64)
    # The least-squares slope is linear in y, so each repetition has its own, and they are independent.
    weights = (along - along.mean()) / ((along - along.mean()) ** 2).sum()
    mean, low, high = mean_interval(
        np.asarray(y, dtype=np.float64) @ weights, intervals=intervals, confidence=confidence
    )
    return float(mean), float(low), float(high)
