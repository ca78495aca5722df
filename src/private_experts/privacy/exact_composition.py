"""The privacy cost of Gaussian and pure steps together, exactly. [mathematics/000.md#ledger]"""

import math
from collections import Counter
from collections.abc import Sequence

import numpy as np
from scipy.special import gammaln

from private_experts.arrays import Array
from private_experts.errors import names_what_was_meant
from private_experts.privacy.conversions import to_gaussian
from private_experts.privacy.gaussian_mechanism import epsilon as gaussian_epsilon
from private_experts.privacy.gaussian_mechanism import log_delta
from private_experts.privacy.guarantees import PureDP
from private_experts.validation import checked_range, whole

Parts = list[tuple[float, Array, Array]]

_MOST_LOSSES = 10_000  # different sums of pure losses that are listed: about 0.2 s for an epsilon
_MOST_OF_ONE = 200_000  # the same of steps of one level, as of 25 million steps
_NEXT = 2.0**-50  # relative
_ENDLESS = 1e150  # a Gaussian level whose square, and so epsilon, is too large for a float


@names_what_was_meant
def delta(*, epsilon: float, mu: float = 0.0, pure: Sequence[tuple[float, int]] = ()) -> float:
    """Return the least delta of a mu-GDP step and of many pure steps together. [mathematics/000.md#ledger]

    The steps may be chosen in view of what came before, their levels may not. A step of level e reveals no
    more than one bit that is right with probability ``e^e / (1 + e^e)``. Its privacy loss is e or -e. So
    delta is the mean of the Gaussian ``delta(epsilon - S)`` over the sum S of the losses. It is attained, by
    Gaussian noise and such bits.

    Parameters
    ----------
    epsilon : float
        At least 0.
    mu : float
        Level of all Gaussian steps together, from 0 to ``inf``.
    pure : sequence of (float, int)
        The pure steps: a level of at least 0, and the number of steps of that level. Up to 25 million steps
        of one level are counted exactly. If steps of several levels have more than 10,000 different sums of
        losses, the levels are replaced by the Gaussian ones that they imply, or their sum is taken for
        certain, whichever is less. This overstates delta.

    Returns
    -------
    float
        In [0, 1]. Without Gaussian steps it is 0 from the sum of all pure levels on.

    Raises
    ------
    InputError
        When `epsilon`, `mu` or a level is negative or not a number, or a number of steps is negative or not
        whole.

    Examples
    --------
    Two bits, each right three times of four. Where both are right, the loss is 2 log 3:

    >>> import math
    >>> from private_experts.privacy.exact_composition import delta
    >>> round(delta(epsilon=math.log(3), pure=[(math.log(3), 2)]), 4)  # 9/16 - 3 * 1/16
    0.375
    """
    return _least_delta(
        float(checked_range("epsilon", epsilon)), _listed(float(checked_range("mu", mu)), _checked(pure))
    )


@names_what_was_meant
def epsilon(*, delta: float, mu: float = 0.0, pure: Sequence[tuple[float, int]] = ()) -> float:
    """Return the least epsilon of a mu-GDP step and of many pure steps together. [mathematics/000.md#ledger]

    Parameters
    ----------
    delta : float
        In [0, 1].
    mu, pure
        As for `delta`.

    Returns
    -------
    float
        To rounding, and never below the root. It is ``inf`` for ``delta = 0`` and a positive mu.

    Raises
    ------
    InputError
        When `delta` is not in [0, 1], or for the reasons of `delta`.

    Examples
    --------
    A hundred steps of level 0.1, by their sum, by the closed form and exactly:

    >>> from private_experts.privacy.composition import advanced_epsilon
    >>> from private_experts.privacy.exact_composition import epsilon
    >>> exact = epsilon(delta=1e-6, pure=[(0.1, 100)])
    >>> closed = [advanced_epsilon(epsilon=0.1, count=100, delta=delta) for delta in (0.0, 1e-6)]
    >>> [round(number, 3) for number in (*closed, exact)]
    [10.0, 5.756, 4.775]
    """
    delta, mu = float(checked_range("delta", delta, high=1.0)), float(checked_range("mu", mu))
    pure = _checked(pure)
    listed = _listed(mu, pure)
    # Even an epsilon of 0 will do, and there is no sign change to search between.
    if _least_delta(0.0, listed) <= delta:
        return 0.0
    if mu > _ENDLESS:
        return math.inf
    # The pure losses are at most their sum, and the Gaussian one is too large with probability delta at most.
    high = math.fsum(level * times for level, times in pure) + float(gaussian_epsilon(delta=delta, mu=mu))
    if delta == 0 or math.isinf(high):
        return high
    from scipy.optimize import brentq  # few who import this room need it

    def excess(epsilon: float) -> float:
        # In logarithms, since deltas of interest are tiny and the search needs relative steps.
        return math.log(max(_least_delta(epsilon, listed), 1e-320)) - math.log(delta)

    high *= 1 + 1e-9  # against rounding: the upper end is always large enough
    found, step = float(brentq(excess, 0.0, high, xtol=1e-300, rtol=8.9e-16)), _NEXT
    # A root may be a last bit too small, and the delta promised must not be exceeded: steps go up until it
    # holds.
    while found < high and _least_delta(found, listed) > delta:
        found, step = found * (1 + step), 2 * step
    return min(found, high)


def _checked(pure: Sequence[tuple[float, int]]) -> list[tuple[float, int]]:
    return [
        (float(checked_range("level", level)), whole(times, "composition", "number of steps", least=0))
        for level, times in pure
    ]


def _least_delta(epsilon: float, parts: Parts) -> float:
    """Return the least of several upper bounds."""
    return min(_mean_delta(epsilon, *part) for part in parts)


def _mean_delta(epsilon: float, mu: float, losses: Array, chances: Array) -> float:
    # Given the pure losses, the Gaussian step has to keep what is left of epsilon, which may be negative.
    away = epsilon - losses
    ahead = np.exp(log_delta(epsilon=np.abs(away), mu=mu))
    # delta(-e) = 1 - e^-e (1 - delta(e)): the Gaussian curve is its own inverse.
    fall = np.minimum(away, 0.0)
    return float(chances @ np.where(away < 0, -np.expm1(fall) + np.exp(fall) * ahead, ahead))


def _listed(mu: float, pure: Sequence[tuple[float, int]]) -> Parts:
    """Return upper bounds: the Gaussian level, the sums of the pure losses, and their probabilities.

    The first lists all sums, and so is exact, if they are not too many. The second says that all pure losses
    together are at most the sum of their levels. It is the larger one, but free of rounding where delta is 0.
    """
    together: Counter[float] = Counter()
    for level, times in pure:
        together[level] += times
    steps = [(level, times) for level, times in together.items() if times]
    most = math.fsum(level * times for level, times in steps)
    certain = (mu, np.array([most]), np.ones(1))
    if math.isinf(most):
        return [certain]
    # Too many sums to list: each step counts with the Gaussian level that it implies, which is an upper
    # bound.
    counted = [_likely(level, times) for level, times in steps]
    if math.prod(map(len, counted)) > (_MOST_OF_ONE if len(steps) == 1 else _MOST_LOSSES):
        implied = (math.sqrt(times) * to_gaussian(PureDP(level, "central")).mu for level, times in steps)
        return [(math.hypot(mu, *implied), np.zeros(1), np.ones(1)), certain]
    losses, chances = np.zeros(1), np.ones(1)
    for (level, times), right in zip(steps, counted, strict=True):
        # By logarithms of factorials, which overflow themselves from 171 steps on.
        ways = gammaln(times + 1) - gammaln(right + 1) - gammaln(times - right + 1)
        law = np.exp(ways - level * (times - right) - times * math.log1p(math.exp(-level)))
        if len(law) <= times:  # factorials have lost digits
            law /= law.sum()
        losses = np.add.outer(losses, level * (2 * right - times)).ravel()
        chances = np.multiply.outer(chances, law).ravel()
    return [(mu, losses, chances), certain]


def _likely(level: float, times: int) -> Array:
    """Return how many steps of one level may be right, without numbers whose chance no float holds."""
    if times < _MOST_LOSSES:
        return np.arange(times + 1.0)
    # By Hoeffding a number further than this from the mean has a chance below exp(-800).
    mean, far = times / (1 + math.exp(-level)), 20 * math.sqrt(times)
    return np.arange(max(math.ceil(mean - far), 0.0), min(math.floor(mean + far), times) + 1.0)
