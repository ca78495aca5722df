"""Noise of private prefix sums at mu = 1, in balls, by way of release. [mathematics/000.md#central-sums]

Sensitivities, and the strategies that a program has found for them, are taken for the binary numbers that
they are.
"""

from collections.abc import Mapping, Sequence
from itertools import accumulate, pairwise

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, largest, sqrt
from private_experts.replication.balls.sums import rounded
from private_experts.replication.papers.p000.solves import lengths_after


def mean_lengths(bounds: Array, strategies: Mapping[str, Array]) -> dict[str, Ball]:
    """Return the mean over all prefixes that are played on, by name: most to least, as claimed."""
    listed = bounds.tolist()
    every = {
        "min-noise": padded_tree(listed),
        "rw-ftpl": local_reports(listed),
        "tree-tight": tight_tree(listed, refined=False),
        "tree-honaker": tight_tree(listed, refined=True),
        **{name: by_strategy(bounds, strategy) for name, strategy in strategies.items()},
    }
    return {name: sum(lengths, ball(0)) / len(lengths) for name, lengths in every.items()}


def padded_tree(bounds: Sequence[float]) -> list[Ball]:
    """Return each prefix's noise: h times the largest sensitivity, ``2^h >= T``. [mathematics/000.md#tree]"""
    levels = max(1, (len(bounds) - 1).bit_length())
    # A prefix has up to h nodes, each with sqrt(h) times the noise because a datum lies in up to h.
    return [ball(max(bounds)) * levels] * (len(bounds) - 1)


def local_reports(bounds: Sequence[float]) -> list[Ball]:
    """Return the noise of the sum of the reports of all weeks so far: squares add up."""
    # The last week's report plays nothing, as no decision follows it: so it is left out everywhere here.
    return [sqrt(square) for square in accumulate(ball(bound) ** 2 for bound in bounds[:-1])]


def tight_tree(bounds: Sequence[float], refined: bool) -> list[Ball]:
    """Return the noise of each prefix in the tree whose nodes have the noise that they need.

    A node's noise is c times the largest sensitivity among its data, and ``c^2`` the largest sum over a
    datum's nodes of ``(its sensitivity / the largest)^2``. Only left children are released, or all if
    `refined`: then an estimate's precision is that of the node and of its children's sum together.
    [mathematics/000.md#tight-tree] [mathematics/000.md#honaker]
    """
    data = [ball(bound) for bound in bounds[:-1]]
    costs, variances = [ball(0)] * len(data), list[list[Ball]]()
    tops, size = data, 1
    while tops:
        # A prefix is tiled by left children alone; a right one only serves Honaker's estimate of its parent.
        released = [refined or place % 2 == 0 for place in range(len(tops))]
        for place in range(len(tops) * size):
            if released[place // size]:
                # Costs are in units of the common level: the datum with the largest sum fixes the factor
                # below.
                costs[place] += (data[place] / tops[place // size]) ** 2
        variances.append([top**2 if there else None for top, there in zip(tops, released, strict=True)])
        # An odd node at the end has no sibling and thus no parent within the horizon.
        tops, size = [largest(tops[k : k + 2]) for k in range(0, len(tops) - 1, 2)], 2 * size
    if refined:
        for below, above in pairwise(variances):
            for place, own in enumerate(above):
                # From the leaves up, as a node's estimate uses its children's estimates and not their raw
                # releases.
                above[place] = 1 / (1 / own + 1 / (below[2 * place] + below[2 * place + 1]))
    factor = sqrt(largest(costs))
    return [factor * sqrt(_tiled(variances, end)) for end in range(1, len(bounds))]


def _tiled(variances: Sequence[Sequence[Ball]], end: int) -> Ball:
    """Return the sum over the nodes that tile the prefix of a length: one for each binary digit 1."""
    digits = [level for level in range(end.bit_length()) if end >> level & 1]
    return sum((variances[level][(end >> level) - 1] for level in digits), ball(0))


def by_strategy(bounds: Array, strategy: Array) -> list[Ball]:
    """Return each prefix's noise by a strategy, scaled so that the datum that costs most costs just 1."""
    sums = np.tril(np.ones((len(bounds) - 1, len(bounds))))
    return [longest(strategy) * length for length in lengths_after(sums * bounds, strategy)]


def longest(strategy: Array) -> Ball:
    """Return the length of a strategy's longest column, which is the level of its releases."""
    return sqrt(largest(rounded(float(square), len(strategy)) for square in np.square(strategy).sum(axis=0)))
