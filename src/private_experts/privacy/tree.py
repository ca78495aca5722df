"""Private prefix sums on a dyadic tree: each datum lies in few nodes, and each prefix needs few nodes.

[mathematics/000.md#tree]
"""

import math

import numpy as np
from numpy.typing import NDArray

from private_experts.errors import InputError
from private_experts.privacy.noise import Noise


def height(horizon: int) -> int:
    """Return ceil(log2 horizon), at least 1: the most nodes that a datum lies in, and the most nodes of a prefix.

    The prefixes that are released have length at most ``horizon - 1``. [mathematics/000.md#tree-nodes]
    """
    return max(1, math.ceil(math.log2(horizon)))


class PrivatePrefixSums:
    """Running sums of vectors, each released with Gaussian noise of the same total variance.

    The prefix of length t is tiled by dyadic nodes, one for each binary digit 1 of t. A node is released once, as its
    sum plus N(0, node_scale^2). That value is used in every prefix that contains the node. A prefix with fewer than h
    nodes is padded with fresh noise, so that its standard deviation is always ``sqrt(h) * node_scale``.
    [mathematics/000.md#tree-variance]

    Parameters
    ----------
    n : int
        Length of the vectors.
    horizon : int
        Number of rounds. A release sums at most ``horizon - 1`` vectors.
    node_scale : float
        Standard deviation of a node's noise on each coordinate. Central mu-GDP for vectors of L2 sensitivity D
        needs ``D * sqrt(h) / mu``, because a datum lies in at most h nodes. [mathematics/000.md#tree-privacy]
    noise : Noise
        Where the noise comes from.
    repetitions : int
        Number of independent copies.
    """

    def __init__(self, n: int, horizon: int, node_scale: float, noise: Noise, repetitions: int = 1) -> None:
        self.height = height(horizon)
        self.node_scale = node_scale
        self._noise = noise
        self._repetitions = repetitions
        self._count = 0
        self._zeros = np.zeros(n)
        # By level, one for each binary digit: the node's true sum, and its released value.
        self._sums: dict[int, NDArray[np.float64]] = {}
        self._released: dict[int, NDArray[np.float64]] = {}

    def add(self, vector: NDArray[np.float64]) -> None:
        """Append a vector of shape (n,). The nodes that it completes merge like carries in a binary counter."""
        level, total = 0, np.array(vector, dtype=np.float64)
        while level in self._sums:
            total = total + self._sums.pop(level)
            del self._released[level]
            level += 1
        self._sums[level] = total
        self._released[level] = self._noise.privatize(total, self.node_scale, self._repetitions)
        self._count += 1

    def release(self) -> NDArray[np.float64]:
        """Return the noisy sum of all vectors so far, shape (repetitions, n).

        The padding is drawn anew on each call, so call this once a round.

        Raises
        ------
        InputError
            When there are more vectors than the horizon allows, which would cost more privacy than stated.
        """
        if self._count >= 2**self.height:
            raise InputError(
                f"private prefix sums: {self._count} rounds were played, the tree of height {self.height} "
                f"serves {2**self.height} at most; give the true horizon"
            )
        # The sum of k independent Gaussians is one Gaussian of k times the variance.
        fresh = math.sqrt(self.height - len(self._released))
        prefix = self._noise.privatize(self._zeros, fresh * self.node_scale, self._repetitions)
        for level in sorted(self._released):
            prefix += self._released[level]
        return prefix
