"""The privacy cost of several private steps together."""

import math


def composed(epsilon: float, count: float, delta: float = 0.0) -> float:
    """Return the epsilon of `count` adaptively chosen epsilon-DP steps, at this delta.

    With e for epsilon and k for the count, it is the sum k e or, for ``delta > 0`` and where that is less, ``k e tanh(e
    / 2) + e sqrt(2 k log(1 / delta))``. The latter is the inequality of Azuma and Hoeffding: the privacy loss of one
    step has a mean of at most ``e tanh(e / 2)`` and a range of 2 e. [mathematics/004.md#composition]

    References
    ----------
    Kairouz, Oh, Viswanath: The composition theorem for differential privacy (2015), Theorem 3.4. The constants of
    [001, Lemma A.1] are larger.
    """
    total = count * epsilon
    if not 0 < delta < 1 or math.isinf(total):
        return total
    return min(total, total * math.tanh(epsilon / 2) + epsilon * math.sqrt(2 * count * math.log(1 / delta)))
