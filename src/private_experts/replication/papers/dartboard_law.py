"""The law of the private shrinking dartboard on a known stream. [mathematics/001.md#shrinking-dartboard]"""

import math

import numpy as np

from private_experts.algorithms.dartboard_parameters import checked_parameters, most_draws
from private_experts.arrays import Array
from private_experts.errors import InputError

_MOST_PATHS = 10_000_000


def dartboard_law(losses: Array, eta: float, p: float, budget: float) -> Array:
    """Return the exact law of (expert, draws made) in each round, by running the chain.

    [mathematics/001.md#shrinking-dartboard]

    Losses (T, n) lie in [0, 1]; for the batched form they are the mean losses of the batches. Entry ``[t, x,
    k]`` of the result (T, n, K) is the probability of playing x in round t after k + 1 draws in all, where K
    is the budget counted up, or T if that is less. Summed over k it is the law of the action; without a
    budget that of multiplicative weights.
    """
    keep, fresh, most = _chain(losses, eta, p, budget)
    horizon, n = losses.shape
    law = np.zeros((horizon, n, most))
    law[0, :, 0] = 1 / n
    for t in range(1, horizon):
        kept = keep[t - 1][:, None] * law[t - 1]
        left = law[t - 1] - kept
        law[t] = kept
        # With the budget used up the lottery has no effect, so what would leave stays.
        law[t, :, -1] += left[:, -1]
        law[t, :, 1:] += fresh[t - 1][:, None] * left[:, :-1].sum(axis=0)
    return law


def dartboard_paths(losses: Array, eta: float, p: float, budget: float) -> Array:
    """Return the exact probability of every sequence of actions, by enumeration.

    [mathematics/001.md#shrinking-dartboard]

    Parameters are those of `dartboard_law`. Entry ``[x_1, ..., x_T]`` is the probability of these actions.
    When ``n^T`` times the number of draws is too large, an `InputError` says so.
    """
    keep, fresh, most = _chain(losses, eta, p, budget)
    horizon, n = losses.shape
    if n**horizon * most > _MOST_PATHS:
        raise InputError(
            f"paths of the dartboard: {n}^{horizon} sequences with up to {most} draws are too many; "
            f"write n and T with n^T times the draws at most {_MOST_PATHS}"
        )
    paths = np.zeros((1, n, most))  # earlier actions, last action, draws made
    paths[..., 0] = 1 / n
    for t in range(1, horizon):
        kept = keep[t - 1][:, None] * paths
        left = paths - kept
        # As in `dartboard_law`: at the last number of draws the expert stays for good.
        kept[..., -1] += left[..., -1]
        longer = np.zeros((*paths.shape[:2], n, most))
        # A draw may return the same expert, so two histories of draws have one sequence of actions, and both
        # count.
        longer[..., 1:] = fresh[t - 1][:, None] * left[..., None, :-1]
        longer[:, np.arange(n), np.arange(n)] += kept
        paths = longer.reshape(-1, n, most)
    result: Array = paths.sum(axis=-1).reshape((n,) * horizon)
    return result


def _chain(losses: Array, eta: float, p: float, budget: float) -> tuple[Array, Array, int]:
    """Return the probabilities of keeping and of a draw, both (T - 1, n), and the most draws."""
    eta, p, budget, _ = checked_parameters(eta, p, budget)
    # In logarithms: (1 - eta)^(total loss) underflows after some thousand rounds.
    step = math.log1p(-eta) * losses[:-1]
    totals = step.cumsum(axis=0)
    # A shift by the largest cancels in the normalisation, and leaves at least one weight at 1.
    fresh = np.exp(totals - totals.max(axis=1, keepdims=True))
    fresh /= fresh.sum(axis=1, keepdims=True)
    return (1 - p) * np.exp(step), fresh, int(min(most_draws(budget), losses.shape[0]))
