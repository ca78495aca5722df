"""Private prefix sums on a dyadic tree: each datum touches few nodes, each prefix needs few nodes."""

import math

import numpy as np
from numpy.typing import NDArray

from private_experts.errors import InputError
from private_experts.privacy.noise import Noise


def height(horizon: int) -> int:
    """Return ceil(log2 horizon), at least 1: the number of nodes a datum lies in, and of nodes in a prefix.

    The prefixes that are released have length at most ``horizon - 1``. [000.2, spec]
    """
    return max(1, math.ceil(math.log2(horizon)))


class PrivatePrefixSums:
    """Running sums of vectors, each released with Gaussian noise of the same total variance.

    The prefix of length t is tiled by the dyadic nodes that the binary digits of t name, one node a digit. A node
    is released once, as its sum plus N(0, node_scale^2), and that value serves every prefix it is part of. A
    prefix with fewer than h nodes is filled up with fresh noise, so that its standard deviation is always
    ``sqrt(h) * node_scale``.

    Parameters
    ----------
    n : int
        Length of the vectors.
    horizon : int
        Number of rounds; at most ``horizon - 1`` vectors are ever summed for a release.
    node_scale : float
        Standard deviation of a node's noise on each coordinate. Central mu-GDP for vectors of L2 sensitivity D
        needs ``D * sqrt(h) / mu``, because a datum lies in at most h nodes.
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
        # One slot a binary digit: the node's true sum, and the value it was released with.
        self._sums: dict[int, NDArray[np.float64]] = {}
        self._released: dict[int, NDArray[np.float64]] = {}

    def add(self, vector: NDArray[np.float64]) -> None:
        """Append a vector of shape (n,); the nodes it completes merge like the carries of a binary counter."""
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

        The filling noise is drawn anew on each call, so call it once a round.

        Raises
        ------
        InputError
            When more vectors were added than the horizon foresaw, which would cost more privacy than stated.
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
