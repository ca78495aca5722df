"""Stochastic streams with given gaps: how far each expert's expected gain is below the largest one.

[mathematics/002.md#streams]
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array
from private_experts.games.stochastic import CoinFlips, Mixture


def equal_gaps(n: int, gap: float) -> Array:
    """Return the gaps of n experts, the first of which is ahead of all others by `gap`. [mathematics/002.md#setting]"""
    return np.concatenate([[0.0], np.full(n - 1, gap)])


def doubling_gaps(groups: int, least: float) -> Array:
    """Return the gaps of ``1 + groups^2`` experts: the best, then `groups` groups of `groups` experts each.

    Group g = 0, 1, ... has the gap ``2^g * least``, but at most 1. On this instance the bound for report-noisy-max has
    an extra logarithm. There are `groups` groups of as many experts each. [mathematics/002.md#doubling-gaps]
    """
    return np.concatenate([[0.0], np.minimum(least * 2.0 ** np.repeat(np.arange(groups), groups), 1.0)])


def independent(shortfalls: ArrayLike) -> CoinFlips:
    """Return independent coin flips with given gaps. [mathematics/002.md#streams]

    The largest and the smallest expected gain are equally far from 1/2.
    """
    return CoinFlips(_means(shortfalls))


def alike(shortfalls: ArrayLike) -> Mixture:
    """Return coin flips with given gaps that share one uniform draw. [mathematics/002.md#streams]

    When an expert gains, all better ones gain too.
    """
    means = _means(shortfalls)
    return _of_one_draw(np.zeros_like(means), means)


def opposed(shortfalls: ArrayLike) -> Mixture:
    """Return coin flips with given gaps that share one uniform draw: the others gain first where the best does not.

    So the best expert and another one gain together as rarely as their means allow. Their difference then has the
    largest variance that these means allow. [mathematics/002.md#streams]
    """
    means = _means(shortfalls)
    best = means == means.max()
    return _of_one_draw(np.where(best, 0.0, 1 - means), np.where(best, means, 1.0))


def deterministic(shortfalls: ArrayLike) -> Mixture:
    """Return the stream without chance: every round has the expected gains. [mathematics/002.md#streams]

    A mixture of a single vector.
    """
    return Mixture(_means(shortfalls)[None, :], np.ones(1))


def _means(shortfalls: ArrayLike) -> Array:
    """Return expected gains with these gaps. The largest and the smallest are equally far from 1/2."""
    below = np.asarray(shortfalls, dtype=np.float64)
    result: Array = (1 + below.max()) / 2 - below
    return result


def _of_one_draw(low: Array, high: Array) -> Mixture:
    """Return the stream in which expert a gains 1 when one uniform draw lies in [low_a, high_a), otherwise 0."""
    cuts = np.unique(np.concatenate([[0.0, 1.0], low, high]))
    middle = (cuts[1:] + cuts[:-1])[:, None] / 2
    return Mixture(((low <= middle) & (middle < high)).astype(np.float64), np.diff(cuts))


KINDS: dict[str, Callable[[ArrayLike], CoinFlips | Mixture]] = {
    "independent": independent,
    "alike": alike,
    "opposed": opposed,
    "deterministic": deterministic,
}
