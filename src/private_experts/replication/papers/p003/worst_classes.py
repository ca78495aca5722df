"""Costs of clipping and privacy levels of many drawn classes at once, with a bound on their rounding.

A clipped probability of a cell is ``(1 - 1/T) f / c + 1 / (T N')``, with at most six roundings.
"""

import numpy as np

from private_experts.arrays import Array
from private_experts.distribution_learning.clipping import Clipped
from private_experts.replication.balls.balls import Ball, ball, exp
from private_experts.replication.balls.elementary import EXP_STEPS, exps, logs
from private_experts.replication.balls.sums import gamma, rounded

CLIPPED = 6  # roundings of a clipped probability


def worst_cost(classes: Array, weights: Array, cells: Clipped) -> Ball:
    """Return the largest ``KL(f_1, prediction) - KL(clipped f_1, clipped mixture)`` of classes (I, K, M).

    A mixture's cell has the roundings of a clipped probability, one product and K sums, the quotient in a
    logarithm two more. Its factor has seven at most, and of M products a sum is made. So all is at most the
    number below times ``(f + clipped f) (1 + |log|)``, summed.
    """
    experts, labels = classes.shape[1:]
    mixture = (weights[..., None] * cells.values).sum(axis=1)
    truth, there = classes[:, 0], cells.values[:, 0] * cells.sizes
    # 0 log 0 is 0; quotients of 1 keep logarithms finite there.
    possible = (truth > 0) & (cells.sizes > 0)
    before, off = logs(np.where(possible, truth, 1.0) / np.where(possible, mixture * cells.sizes, 1.0))
    after, more = logs(cells.values[:, 0] / mixture)
    value = (truth * before).sum(axis=1) - (there * after).sum(axis=1)
    # Both sums are of either sign: the error is counted in their sizes.
    sizes = (truth * (1 + abs(before)) + there * (1 + abs(after))).sum(axis=1)
    steps = 2 * CLIPPED + experts + labels + 12
    error = (gamma(steps) + off + more) * rounded(sizes.max(), steps)
    return ball(float(value.max())) + ball(-error.upper(), error.upper())


def worst_level(cells: Clipped, noise: float) -> Ball:
    """Return the largest level of a report about any of the distributions. [mathematics/003.md#privacy-level]

    Exponents are differences of logarithms, which are off by an absolute error, over the noise: two more
    roundings. A label's owner has four roundings, and of M products a sum is made.
    """
    labels, horizon = cells.sizes.shape[-1], cells.horizon
    places, off = logs(cells.values)
    # The density of a report, given a cell's owner, relative to its own: Laplace's normalisation cancels in
    # ratios.
    apart = np.abs(places[..., :, None] - places[..., None, :]) / noise
    kernels = exps(-apart)  # (..., K, output, owner)
    spread = (cells.sizes / cells.total[..., None])[..., None, :]
    has = (cells.sizes > 0)[..., None]
    owners = np.where(has, (1 - 1 / horizon) * np.eye(labels) + spread / horizon, spread)
    densities = kernels @ owners.swapaxes(-1, -2)[..., None, :, :]
    ratio = float((densities.max(axis=-1) / densities.min(axis=-1)).max())
    moved = 2 * (off + gamma(CLIPPED + 1)) / ball(noise) + gamma(3) * float(apart.max())
    steps = EXP_STEPS + 4 + labels + 1
    return rounded(ratio, 2 * steps + 1, exp(2 * moved) - 1).log()
