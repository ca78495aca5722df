"""The dyadic-tree baseline: nodes per datum, noise per prefix, and the privacy of the release.

Nothing is sampled. The noise source is replaced by one that records which independent draw enters where. The code that
is checked is the code that plays. [mathematics/000.md#tree]
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.tree import PrivatePrefixSums, height
from private_experts.replication.claims.evidence import Point

Array = NDArray[np.float64]


class Sources:
    """A noise source whose k-th draw is the k-th unit vector times its scale. So sums show which draws they contain."""

    def __init__(self) -> None:
        self.draws = 0
        self.released: list[Array] = []
        self.scales: list[float] = []

    def perturb(self, values: Array, scale: float, repetitions: int) -> Array:
        """Return `values`, with the draw's scale added in the repetition that has the draw's number."""
        self.released.append(np.array(values, dtype=np.float64))
        self.scales.append(scale)
        report = np.broadcast_to(values, (repetitions, values.shape[-1])).copy()
        report[self.draws] += scale
        self.draws += 1
        return report


def _tree(n: int, horizon: int, node_scale: float, sources: Sources, copies: int) -> PrivatePrefixSums:
    """Return the tree with the node noise that is asked for. It promises nothing, so it takes every noise."""
    nothing = GaussianDP(math.inf, "central")
    tree = PrivatePrefixSums(n, nothing, horizon=horizon, sensitivity=1.0, noise=sources, repetitions=copies)
    tree.node_scale = node_scale
    return tree


def _in_nodes(horizon: int, node_scale: float) -> tuple[NDArray[np.bool_], Array]:
    """Return which released node contains which datum, shape (nodes, T - 1), and each node's noise scale."""
    sources = Sources()
    tree = _tree(horizon - 1, horizon, node_scale, sources, 2 * horizon)
    for datum in np.eye(horizon - 1):
        tree.add(datum)
    return np.array(sources.released) != 0, np.array(sources.scales)


def nodes(horizon: int) -> NDArray[np.intp]:
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


def tree_nodes(grid: Mapping[str, Any], repetitions: int, seed: int) -> list[Point]:
    """A datum lies in at most h nodes. [mathematics/000.md#tree-nodes]"""
    return [Point({"T": horizon}, float(nodes(horizon).max()), float(height(horizon))) for horizon in grid["T"]]


def tree_variance(grid: Mapping[str, Any], repetitions: int, seed: int) -> list[Point]:
    """Every released prefix has the variance h * node_scale^2."""
    points = []
    for horizon in grid["T"]:
        variances = (loadings(horizon, 0.75) ** 2).sum(axis=1)
        expected = height(horizon) * 0.75**2
        points.append(Point({"T": horizon}, float(np.abs(variances / expected - 1).max()), grid["tolerance"]))
    return points


def tree_privacy(grid: Mapping[str, Any], repetitions: int, seed: int) -> list[Point]:
    """All prefixes together are mu-GDP when node_scale = Delta sqrt(h) / mu.

    Second route: the released prefixes are one Gaussian vector with covariance C = L L'. A datum in round s shifts all
    prefixes from s on by Delta. To tell the neighbours apart is then a Gaussian shift problem with
    ``mu^2 = Delta^2 d' C^-1 d``, which bounds whatever is computed from the prefixes. The prefixes are computed from
    the nodes, and to release the nodes costs more: for them the level is attained. [mathematics/000.md#tree-privacy]
    """
    points = []
    for horizon in grid["T"]:
        node_scale = np.sqrt(height(horizon))  # Delta = mu = 1
        loading = loadings(horizon, float(node_scale))
        covariance = loading @ loading.T
        shifts = np.tril(np.ones((horizon, horizon)), -1)[:, : horizon - 1]  # prefix t holds rounds before t
        cost = np.sqrt((shifts * np.linalg.solve(covariance, shifts)).sum(axis=0))
        slack = 1e-9  # of the linear solve
        inside, scales = _in_nodes(horizon, float(node_scale))
        of_nodes = np.sqrt((inside / scales[:, None] ** 2).sum(axis=0))
        for what, costs in (("prefixes", cost), ("nodes", of_nodes)):
            notes = {"round": int(costs.argmax()) + 1}
            points.append(Point({"T": horizon, "what": what}, float(costs.max()), 1.0 + slack, notes=notes))
    return points
