"""The privacy of K coordinates together: basic and advanced composition of pure guarantees."""

import math

from private_experts.validation import checked_number, whole


def advanced(mechanisms: int, level: float, delta: float) -> float:
    """Return ``K e^2 / 2 + e sqrt(2 K log(1/delta))``, epsilon of K e-DP mechanisms. [003, Lemma 2]"""
    mechanisms, level = _checked(mechanisms, level)
    delta = checked_number("delta", delta, 0, 1, ends=False)
    return mechanisms * level**2 / 2 + level * math.sqrt(2 * mechanisms * math.log(1 / delta))


def basic_or_advanced(mechanisms: int, level: float, delta: float) -> float:
    """Return the smaller of `advanced` and of basic composition ``K e``, which needs no delta."""
    mechanisms, level = _checked(mechanisms, level)
    return min(mechanisms * level, advanced(mechanisms, level, delta))


def coordinate_level(experts: int, epsilon: float, delta: float, under_root: int = 2) -> float:
    """Return the level ``epsilon / (2 sqrt(r K log(1/delta)) + sqrt(K epsilon))``. [003, Lemma 3]"""
    experts = whole(experts, "composition", "experts")
    epsilon = checked_number("privacy level epsilon", epsilon, 0, ends=False)
    delta = checked_number("delta", delta, 0, 1, ends=False)
    under_root = whole(under_root, "composition", "factor under the root")
    # With 2 under the root, each of the two terms of `advanced` is then at most epsilon / 2. [003, Lemma 3]
    root = 2 * math.sqrt(under_root * experts * math.log(1 / delta)) + math.sqrt(experts * epsilon)
    return epsilon / root


def _checked(mechanisms: int, level: float) -> tuple[int, float]:
    return whole(mechanisms, "composition", "mechanisms"), checked_number(
        "level of a mechanism", level, 0, ends=False
    )
