"""Explicit bounds on the regret of the algorithms that Table 1 compares with, for G = D = 1. [001, Table 1]

The constants are derived from the cited works. [mathematics/001.md#predecessors]
"""

import math

from private_experts.private_oco.private_accounting import advanced_epsilon
from private_experts.validation import plain_numbers


@plain_numbers
def private_leader_regret(horizon: float, dimension: float, level: float) -> float:
    """Return the bound of DP-FTRL. [Kairouz et al. 2021]

    [mathematics/001.md#private-leader]
    """
    # Noise of sums under the square-root factorisation, bounded by that of the last one.
    noise = 2 * (1 + (1 + math.log(horizon)) / math.pi) / level
    return math.sqrt(2 * horizon * (1 + noise * math.sqrt(dimension)))


@plain_numbers
def cover_regret(horizon: float, dimension: float, epsilon: float, delta: float) -> float:
    """Return the private dartboard's bound on a cover of ``(3 T)^d`` points. [Asi et al. 2023, Theorem 12]

    [mathematics/001.md#dartboard-corollary-3]
    """
    log_n, log = dimension * math.log(3 * horizon), math.log(1 / delta)
    spent = min(epsilon / 2, log ** (1 / 3) * horizon ** (-1 / 6) * math.sqrt(log_n))
    p = (horizon * log) ** (-1 / 3)
    eta = p * spent / 20
    return float(eta * horizon + log_n / eta + 2 * horizon * math.exp(-horizon * p / 3) + 1)


@plain_numbers
def smooth_regret(horizon: float, dimension: float, epsilon: float, delta: float) -> float:
    """Return the bound of the perturbed leader for losses of smoothness 1, mended. [Agarwal et al. 2023]

    Its step and noise are those of the largest a at which its privacy theorem spends epsilon.
    [mathematics/001.md#companion]
    """
    spread = math.log(120 * horizon**2 / delta)

    # step, noise, log Phi, what a later lottery costs
    def terms(log_a: float) -> tuple[float, float, float, float]:
        a = math.exp(log_a)
        step, noise = min(0.5 / math.sqrt(horizon), a / dimension), math.sqrt(dimension) / a
        log_phi = step * dimension + (1 + 2 * noise * math.sqrt(2 * dimension * spread)) / (2 * noise**2)
        return step, noise, log_phi, 2 / noise**2 + 2 * step**2 * dimension

    low, high = -200 * math.log(10), 0.0
    # In log a, as the largest a that privacy allows is far below 1 and depends on T by powers.
    while high - low > 1e-9:
        middle = (low + high) / 2
        _, _, log_phi, later = terms(middle)
        cost = (
            10 * log_phi**2 * horizon ** (2 / 3)
            + 12 * log_phi**3 * horizon
            + 2 * later**2 * horizon ** (5 / 3)
        )
        low, high = (middle, high) if advanced_epsilon(cost, delta) <= epsilon else (low, middle)
    step, noise, _, _ = terms(low)
    return 0.5 / step + 2 * step * horizon + noise * math.sqrt(dimension) + delta / 10 + 2
