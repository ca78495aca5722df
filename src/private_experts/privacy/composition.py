"""What several private steps cost together."""

import math


def composed(epsilon: float, count: float, delta: float = 0.0) -> float:
    """Return the epsilon of `count` adaptively chosen epsilon-DP steps, at this delta.

    Their sum, or, where that is less, ``k e tanh(e / 2) + e sqrt(2 k log(1 / delta))`` for ``delta > 0``: the mean of
    an epsilon-DP privacy loss is at most ``e tanh(e / 2)`` and its range 2e (Azuma and Hoeffding).

    References
    ----------
    Kairouz, Oh, Viswanath: The composition theorem for differential privacy (2015), Theorem 3.4; [001, Lemma A.1] has
    larger constants.
    """
    total = count * epsilon
    if not 0 < delta < 1 or math.isinf(total):
        return total
    return min(total, total * math.tanh(epsilon / 2) + epsilon * math.sqrt(2 * count * math.log(1 / delta)))
