"""The largest batches that a tolerance allows, by the exact probability and by Levy's bound.

[mathematics/000.md#exact-delay] [mathematics/000.md#theorem-1-sharper]
"""

import math

import numpy as np
from scipy.interpolate import PchipInterpolator
from scipy.special import erfcinv

from private_experts.arrays import Array, Ints
from private_experts.validation import plain_numbers
from private_experts.walks.batch_rules import Rule, rule_of
from private_experts.walks.delay import log_tolerance
from private_experts.walks.exact_delay import overtaken


@plain_numbers
def exact_rule(horizon: int, eta: float, n: int, alpha: float, rho: float = 1.0) -> Rule:
    """Return the rule that allows batches in which the leader changes with at most ComputeDelay's tolerance.

    The leader of b rounds has to survive b - 1 updates. For two experts the probability is exact, for more a
    union bound over the challengers. The regret that batching adds is bounded as before, because [000,
    Corollary 2] needs the tolerance alone. See `rule_of`. [mathematics/000.md#exact-delay]
    """
    step = math.sqrt(2) * eta
    longest = min(horizon, _longest(horizon, step, rho))
    leads, probability = overtaken(longest - 1, eta, rho, rho * longest + 6 * step * math.sqrt(longest))
    inverse = {}
    for size in range(2, longest + 1):
        # Inverted in logarithms, in which the probability is smooth in the lead.
        log_p = np.log(np.maximum(probability[size - 1], 1e-300))
        # Interpolation needs a strict fall, which rounding hides far out.
        falling = np.flatnonzero((log_p > -25) & (np.diff(log_p, append=-np.inf) < -1e-12))
        inverse[size] = PchipInterpolator(log_p[falling][::-1], leads[falling][::-1], extrapolate=True)

    def least(size: Ints, end: Ints) -> Array:
        gap = np.full(size.shape, np.inf)
        for length, lead in inverse.items():
            here = size == length
            # A union over n - 1 challengers: each may have its share of the tolerance.
            gap[here] = np.maximum(lead(log_tolerance(n, alpha, end[here]) - math.log(n - 1)), 0.0)
        return gap

    return rule_of(least, horizon)


@plain_numbers
def levy_rule(horizon: int, eta: float, n: int, alpha: float, rho: float = 1.0) -> Rule:
    """Return the rule that uses ``(n - 1) erfc((k - rho b) / (2 eta sqrt b))``.

    [mathematics/000.md#theorem-1-sharper]
    """

    def least(size: Ints, end: Ints) -> Array:
        share = np.minimum(np.exp(log_tolerance(n, alpha, end)) / (n - 1), 1.0)
        result: Array = rho * size + 2 * eta * np.sqrt(size) * erfcinv(share)
        return result

    return rule_of(least, horizon)


def _longest(horizon: int, step: float, rho: float) -> int:
    """Return a size that needs a lead above 8 standard deviations; longer batches are left out."""
    size = np.arange(1, horizon + 1)
    return int(
        size[rho * size + step * np.sqrt(size) <= 8 * step * math.sqrt(horizon) + rho * 2].max(initial=2)
    )
