"""The closed bounds of `HedgeMeta`, in terms of D, the sum of the learners' disagreement.

[mathematics/000.md#theorem-3-independence] [mathematics/000.md#adaptive-rate]
"""

import math


def steepness(rate: float, noise_scale: float) -> float:
    """Return gamma, by which a round costs at most ``rate * gamma`` times its disagreement."""
    return (math.exp(rate + (rate * noise_scale) ** 2) - 1 - rate) / (2 * rate**2)


def independence_bound(noise_scale: float, m: int, disagreement: float, rate: float) -> float:
    """Return the bound on the regret at a fixed rate."""
    return math.log(m) / rate + rate * steepness(rate, noise_scale) * disagreement


def adaptive_bound(noise_scale: float, m: int, disagreement: float, largest_rate: float) -> float:
    """Return the bound on the regret at the adaptive rate, which does not know D."""
    start = math.log(m) / largest_rate + largest_rate * (1 / 4 + noise_scale**2)
    return start + 2 * math.sqrt(2 * steepness(largest_rate, noise_scale) * disagreement * math.log(m))
