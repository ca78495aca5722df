"""Covariances of released prefix sums over the rounds, from the nodes and matrices that define them.

They are written down here a second time, without the library's mechanisms. Sums are of 0 to T - 1 vectors;
vector t can be moved by ``reach[t]``, and all releases together are 1-GDP.
"""

import numpy as np

from private_experts.arrays import Array

Node = tuple[int, int]  # the vectors from the first number on, before the second


def tiles(length: int) -> list[Node]:
    """Return the dyadic nodes that make up a prefix, the largest first."""
    start, nodes = 0, []
    for bit in reversed(range(length.bit_length())):
        if length >> bit & 1:
            nodes.append((start, start + 2**bit))
            start += 2**bit
    return nodes


def tree(reach: Array, padded: bool) -> Array:
    """Return the covariance of `TreeSums`: h nodes a prefix, each with sqrt(h) times its largest reach."""
    rounds = len(reach)
    height = max(1, (rounds - 1).bit_length())
    released = [tiles(length) for length in range(rounds)]
    result = np.array(
        [
            [sum(_variance(node, reach) for node in first if node in second) for second in released]
            for first in released
        ]
    )
    for length, nodes in enumerate(released):
        fresh = (height if padded else max(1, len(nodes))) - len(nodes)
        result[length, length] += fresh * reach[: max(1, length)].max() ** 2
    return height * result


def _variance(node: Node, reach: Array) -> float:
    return float(reach[slice(*node)].max() ** 2)


def tight_tree(reach: Array, refined: bool) -> Array:
    """Return the covariance of `TightTreeSums`: least-variance estimates from the nodes below each tile."""
    rounds = len(reach)
    data = rounds - 1
    nodes = [
        (start, start + 2**level)
        for level in range(data.bit_length())
        for start in range(0, data - 2**level + 1, 2**level)
        if refined or start % 2 ** (level + 1) == 0
    ]
    inside = np.array([[start <= t < end for t in range(data)] for start, end in nodes], dtype=float)
    largest = np.array([reach[start:end].max() for start, end in nodes])
    dearest = (inside * (reach[:data] / largest[:, None]) ** 2).sum(axis=0).max()
    variance = dearest * largest**2
    weights = np.zeros((rounds, len(nodes)))
    for length in range(1, rounds):
        for start, end in tiles(length):
            below = [k for k, node in enumerate(nodes) if start <= node[0] and node[1] <= end]
            weights[length, below] += _best(inside[below, start:end], variance[below])
    result: Array = weights * variance @ weights.T
    result[0, 0] = reach[0] ** 2
    return result


def _best(inside: Array, variance: Array) -> Array:
    """Return the weights of the best unbiased estimate of all data's sum, from sums of some of them."""
    # Gauss and Markov. Where single data are not released, only the sums that are can be told apart.
    information = inside.T / variance
    weights: Array = np.ones(inside.shape[1]) @ np.linalg.pinv(information @ inside) @ information
    return weights


def matrix_reports(strategy: Array, reach: Array) -> Array:
    """Return the covariance of reports: the strategy times data in units of reach, plus noise, solved."""
    made = reach[:, None] * np.linalg.inv(strategy)
    result: Array = made @ made.T
    return result


def matrix_sums(strategy: Array, reach: Array) -> Array:
    """Return the covariance of sums of such reports; before the first there is one of the first reach."""
    summed = np.tril(np.ones_like(strategy))
    result = np.zeros(strategy.shape)
    result[1:, 1:] = (summed @ matrix_reports(strategy, reach) @ summed.T)[:-1, :-1]
    result[0, 0] = reach[0] ** 2
    return result
