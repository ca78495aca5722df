"""The privacy of K coordinates together: basic, advanced and optimal composition of pure guarantees."""

import math

import numpy as np
from scipy.special import gammaln

from private_experts.validation import check_number, whole


def advanced(mechanisms: int, level: float, delta: float) -> float:
    """Return ``K e^2 / 2 + e sqrt(2 K log(1/delta))``: K independent e-DP mechanisms are (this, delta)-DP.

    [003, Lemma 2] [mathematics/003.md#lemma-2]

    Parameters
    ----------
    mechanisms : int
        Number K of mechanisms, at least 1.
    level : float
        Level e of each, above 0 and finite.
    delta : float
        Between 0 and 1.

    Returns
    -------
    float
        The epsilon of all together.

    Raises
    ------
    InputError
        When a number is out of its range.

    Examples
    --------
    >>> from private_experts.distributions.composition import advanced
    >>> round(advanced(1000, 0.01, 1e-5), 4)  # basic composition gives 10
    1.5674
    """
    _check(mechanisms, level)
    check_number("delta", delta, 0, 1, ends=False)
    return mechanisms * level**2 / 2 + level * math.sqrt(2 * mechanisms * math.log(1 / delta))


def composed(mechanisms: int, level: float, delta: float) -> float:
    """Return the smaller of `advanced` and of basic composition ``K e``, which needs no delta.

    [003, Lemma 2] [mathematics/003.md#lemma-2]

    Parameters
    ----------
    mechanisms, level, delta
        As of `advanced`.

    Returns
    -------
    float
        The epsilon of all together.

    Raises
    ------
    InputError
        When a number is out of its range.

    Examples
    --------
    >>> from private_experts.distributions.composition import composed
    >>> composed(4, 0.25, 1e-5)  # so few mechanisms gain nothing from delta
    1.0
    """
    return min(mechanisms * level, advanced(mechanisms, level, delta))


def optimal_delta(mechanisms: int, level: float, epsilon: float) -> float:
    """Return the least delta for which any K independent e-DP mechanisms together are (epsilon, delta)-DP.

    The worst mechanisms are binary randomised responses. Their privacy loss is ``(K - 2 i) e`` when i of K answers lie.
    So ``delta = sum_i C(K, i) (q^(K-i) p^i - e^epsilon q^i p^(K-i))_+`` with ``q = e^e / (1 + e^e)`` and ``p = 1 - q``
    (Kairouz, Oh, Viswanath 2015). [mathematics/003.md#lemma-2]

    Parameters
    ----------
    mechanisms : int
        Number K of mechanisms, at least 1.
    level : float
        Level e of each, above 0 and finite.
    epsilon : float
        Level of all together at which delta is wanted, at least 0.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    InputError
        When the number of mechanisms or their level is out of its range.

    Examples
    --------
    >>> from private_experts.distributions.composition import optimal_delta
    >>> optimal_delta(1000, 0.01, 1.5674) < 1e-5  # advanced composition promises 1e-5
    True
    """
    _check(mechanisms, level)
    lies = np.arange(mechanisms + 1)
    loss = (mechanisms - 2 * lies) * level
    logs = (
        gammaln(mechanisms + 1) - gammaln(lies + 1) - gammaln(mechanisms - lies + 1)
        + (mechanisms - lies) * level - mechanisms * np.logaddexp(0, level)
    )  # fmt: skip
    above = loss > epsilon
    return float(np.exp(logs[above]) @ -np.expm1(epsilon - loss[above]))


def coordinate_level(experts: int, epsilon: float, delta: float, under_root: int = 2) -> float:
    """Return the level of one coordinate of Algorithm 1, ``epsilon / (2 sqrt(r K log(1/delta)) + sqrt(K epsilon))``.

    The statement of Lemma 3 has r = 2 and its proof r = 1. Both suffice. [003, equation 9, Lemma 3]
    [mathematics/003.md#e003-3]

    Parameters
    ----------
    experts : int
        Number of coordinates K, at least 1.
    epsilon : float
        Level of the whole vector, above 0 and finite.
    delta : float
        Between 0 and 1.
    under_root : {2, 1}
        The factor r.

    Returns
    -------
    float
        The level of pure privacy of each coordinate.

    Raises
    ------
    InputError
        When a number is out of its range.

    Examples
    --------
    >>> from private_experts.distributions.composition import advanced, coordinate_level
    >>> level = coordinate_level(16, 1.0, 1e-5)
    >>> round(level, 4), round(advanced(16, level, 1e-5), 4)  # less than half of the 1 that was asked for
    (0.0236, 0.4573)
    """
    whole(experts, "composition", "experts")
    check_number("privacy level epsilon", epsilon, 0, ends=False)
    check_number("delta", delta, 0, 1, ends=False)
    whole(under_root, "composition", "factor under the root")
    root = 2 * math.sqrt(under_root * experts * math.log(1 / delta)) + math.sqrt(experts * epsilon)
    return epsilon / root


def _check(mechanisms: int, level: float) -> None:
    whole(mechanisms, "composition", "mechanisms")
    check_number("level of a mechanism", level, 0, ends=False)
