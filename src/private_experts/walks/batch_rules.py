"""Rules of batches: the lead that a batch of each size needs, and the sizes from simulated leads.

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


def sizes_by_rule(gaps: Array, rule: Rule, rounds: Sequence[int]) -> Ints:
    """Return sizes (len(rounds), repetitions) of the batches that contain certain rounds, by simulated gaps.

    Row s of the gaps holds those of RW-FTPL's noisy totals after s rounds, for any number of experts: when a
    batch ends, RW-AdaBatch has the same totals. [000, Section 3.1]
    """
    size = np.zeros(gaps.shape[1], dtype=np.int64)
    end = np.zeros_like(size)
    sizes_of: dict[int, Ints] = {}
    for completed in range(max(rounds)):
        # Only where a batch has just ended are totals looked at; in between the gap may be anything.
        idle = np.flatnonzero(end == completed)
        # The rule's row never falls, so the number of thresholds reached is the size.
        size[idle] = np.searchsorted(rule[completed], gaps[completed, idle], side="right")
        end[idle] = completed + size[idle]
        if completed + 1 in rounds:
            sizes_of[completed + 1] = size.copy()
    return np.stack([sizes_of[t] for t in rounds])
