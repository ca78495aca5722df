"""Rules of batches: the lead that a batch of each size needs.

A rule is a table: ``rule[s][b - 1]`` is the least gap at which a batch that begins after s rounds has b
rounds or more. [000, Section 3.1.2] [mathematics/000.md#exact-batches]
"""

from collections.abc import Callable, Sequence

import numpy as np

from private_experts.arrays import Array, Ints
from private_experts.walks.batch_size import threshold

Rule = Sequence[Array]


def rule_of(least: Callable[[Ints, Ints], Array], horizon: int) -> Rule:
    """Return the rule of a gap of ``least(size, end)`` for a batch of `size` rounds that ends after `end`.

    Single rounds need no gap, and no batch goes beyond the horizon. [mathematics/000.md#exact-batches]

    `least` takes the sizes, from 2, and the last rounds of batches, two integer arrays (k,), and returns the
    least gaps, shape (k,), in units of gain. Entry s of the rule has shape (horizon - s,), and never falls.
    """
    sizes = [np.arange(2, horizon - start + 1) for start in range(horizon)]
    size = np.concatenate(sizes)
    gaps = least(size, size + np.repeat(np.arange(horizon), [len(row) for row in sizes]))
    parts = np.split(gaps, np.cumsum([len(row) for row in sizes])[:-1])
    # Made monotone to the safe side: a batch of b rounds must be allowed wherever a longer one is.
    return [np.concatenate([[0.0], np.maximum.accumulate(part)]) for part in parts]


def paper_rule(horizon: int, eta: float, n: int, alpha: float, rho: float = 1.0) -> Rule:
    """Return ComputeDelay's rule for `compute_delay`'s arguments, from 2 rounds on. [000, Appendix A.6]"""
    return rule_of(lambda size, end: threshold(end - size + 1, size - 1, eta, n, alpha, rho), horizon)
