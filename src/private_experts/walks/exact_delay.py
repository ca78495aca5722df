"""The exact probability that two experts change places.

ComputeDelay bounds that probability by Theorem 1. For two experts it can be computed: the leader's lead is a
walk in one dimension, and the worst true gains shrink it by rho in every round. With more experts each
challenger is such a walk, and a union over the n - 1 challengers bounds the probability.
[mathematics/000.md#exact-delay]
"""

import math

import numpy as np
from scipy.special import ndtr

from private_experts.arrays import Array

_NODES = 8  # Gauss-Legendre nodes in each stretch of one standard deviation of a step


def overtaken(
    rounds: int, eta: float, rho: float, reach: float, chosen: Array | None = None
) -> tuple[Array, Array]:
    """Return leads, and the probability that a walk from each is at most 0 after a step of 1, ..., `rounds`.

    [mathematics/000.md#exact-delay]

    A step is N(-rho, 2 eta^2). Leads ascend to `reach`, and row j of the probabilities, shape (rounds + 1,
    leads), is for j steps, with errors below 1e-10 for leads a few steps below `reach`. They are quadrature
    nodes, or those in `chosen`, shape (leads,).
    """
    step = math.sqrt(2) * eta
    stretches = math.ceil(reach / step) + 9
    nodes, weights = np.polynomial.legendre.leggauss(_NODES)
    leads = step * (np.arange(stretches)[:, None] + (1 + nodes) / 2).ravel()
    widths = np.tile(weights / 2, stretches) / math.sqrt(2 * math.pi)

    def steps_from(start: Array) -> tuple[Array, Array]:
        """Return the probability that one step ends at or below 0, and the weights of where it ends above."""
        # The worst true gains shrink the lead by rho in every round: what holds for them holds for all.
        away = (leads - start[:, None] + rho) / step
        return ndtr((rho - start) / step), np.exp(-(away**2) / 2) * widths

    at_once, stay = steps_from(leads)
    probability = [np.zeros_like(leads)]
    for _ in range(rounds):
        # Overtaken now, or not now and then within one step less.
        probability.append(at_once + stay @ probability[-1])
    if chosen is not None:
        at_once, stay = steps_from(chosen)
        return chosen, np.vstack([np.zeros_like(chosen), at_once + np.array(probability[:-1]) @ stay.T])
    kept = leads <= reach
    return leads[kept], np.array(probability)[:, kept]
