"""The dyadic-tree baseline: nodes per datum, noise per prefix, and its privacy. [mathematics/000.md#tree]

Nothing is sampled: a noise source that records which independent draw enters where takes its place in the
code that plays.
"""

import math

import numpy as np

from private_experts.arrays import Array, Bools, Indices
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.tree import TreeSums, height
from private_experts.replication.balls.balls import ball, largest, near, precision, sqrt, square
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.balls.matrices import matrix, squared_levels
from private_experts.replication.ledger.evidence import Grid, Point


class Sources:
    """A noise source whose k-th draw is the k-th unit vector, scaled: sums show which draws they contain."""

    def __init__(self) -> None:
        self.draws = 0
        self.released: list[Array] = []
        self.scales: list[float | Array] = []

    def perturb(self, values: Array, scale: float | Array, repetitions: int) -> Array:
        """Return `values`, with the draw's scale added in the repetition that has the draw's number."""
        self.released.append(np.array(values, dtype=np.float64))
        self.scales.append(scale)
        report = np.broadcast_to(values, (repetitions, values.shape[-1])).copy()
        # Repetition k thus shows draw k alone: the tree is linear in its noise.
        report[self.draws] += scale
        self.draws += 1
        return report


def _tree(n: int, horizon: int, node_scale: float, sources: Sources, copies: int) -> TreeSums:
    """Return the tree with the node noise that is asked for. It promises nothing, so it takes every noise."""
    nothing = GaussianDP(math.inf, "central")
    tree = TreeSums(n, nothing, horizon=horizon, sensitivity=1.0, noise=sources, repetitions=copies)
    tree.node_scale = node_scale
    return tree


def _in_nodes(horizon: int, node_scale: float) -> tuple[Bools, Array]:
    """Return which released node contains which datum, shape (nodes, T - 1), and each node's noise scale."""
    sources = Sources()
    tree = _tree(horizon - 1, horizon, node_scale, sources, 2 * horizon)
    # Each datum in a coordinate of its own, so that a node's released value names its data.
    for datum in np.eye(horizon - 1):
        tree.add(datum)
    return np.array(sources.released) != 0, np.array(sources.scales)


def nodes(horizon: int) -> Indices:
    """Return in how many released nodes each datum lies, shape (T - 1,)."""
    return _in_nodes(horizon, 0.0)[0].sum(axis=0)


def loadings(horizon: int, node_scale: float) -> Array:
    """Return how each independent draw enters each released prefix, shape (T, draws)."""
    sources = Sources()
    tree = _tree(1, horizon, node_scale, sources, 3 * horizon)
    prefixes = []
    for _ in range(horizon):
        prefixes.append(tree.release()[:, 0])
        tree.add(np.zeros(1))
    return np.array(prefixes)


def tree_nodes(grid: Grid) -> list[Point]:
    """A datum lies in at most h nodes. [mathematics/000.md#tree-nodes]"""
    # Whole numbers: nothing is rounded here.
    return [
        Point({"T": horizon}, float(nodes(horizon).max()), float(height(horizon))) for horizon in grid["T"]
    ]


def tree_variance(grid: Grid) -> list[Point]:
    """Every released prefix has the variance h * node_scale^2. Weights are binary fractions, and exact."""
    points = []
    for horizon in grid["T"]:
        weights = loadings(horizon, 0.75)
        with precision():
            variances = [
                sum((square(ball(weight)) for weight in row if weight), ball(0)) for row in weights.tolist()
            ]
            apart = largest(
                abs(variance / (height(horizon) * square(ball(0.75))) - 1) for variance in variances
            )
            points.append(at_point({"T": horizon}, apart, ball(grid["tolerance"])))
    return points


def tree_privacy(grid: Grid) -> list[Point]:
    """All prefixes together are mu-GDP when node_scale = Delta sqrt(h) / mu.

    Second route: the prefixes are one Gaussian vector with covariance C = L L', and a datum in round s shifts
    those from s on by Delta, so ``mu^2 = Delta^2 d' C^-1 d``. To release the nodes costs more: for them the
    level is attained. Both are computed from the weights that the code gives the draws.
    [mathematics/000.md#tree-privacy]
    """
    points = []
    for horizon in grid["T"]:
        node_scale = np.sqrt(height(horizon))  # Delta = mu = 1
        # The last datum is in no prefix that is released, so it has no column.
        shifts = np.tril(np.ones((horizon, horizon)), -1)[:, : horizon - 1]  # prefix t holds rounds before t
        inside, scales = _in_nodes(horizon, float(node_scale))
        with precision():
            loading = matrix(loadings(horizon, float(node_scale)))
            of_prefixes = squared_levels(matrix(shifts), loading * loading.transpose())
            of_nodes = [
                sum((1 / square(ball(scale)) for scale in scales[rows].tolist()), ball(0))
                for rows in inside.T
            ]
            slack = 1e-9  # the node noise is rounded, and costs grow with it
            for what, costs in (("prefixes", of_prefixes), ("nodes", of_nodes)):
                notes = {"round": max(range(len(costs)), key=lambda place: near(costs[place])) + 1}
                points.append(
                    at_point({"T": horizon, "what": what}, sqrt(largest(costs)), ball(1 + slack), notes)
                )
    return points
