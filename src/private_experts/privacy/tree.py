"""Private prefix sums on a dyadic tree: each datum lies in few nodes, and each prefix needs few nodes.

[mathematics/000.md#tree]
"""

import math
from typing import Any

import numpy as np

from private_experts.arrays import Array
from private_experts.descriptions import Described
from private_experts.errors import InputError
from private_experts.privacy.factorization import checked_sensitivity
from private_experts.privacy.guarantees import GaussianDP, check_guarantee
from private_experts.privacy.noise import Noise, attained, checked_noise
from private_experts.privacy.participation import MOST_SHARED, largest_shifts, shared_nodes
from private_experts.tabular import is_tabular
from private_experts.validation import as_float, checked_number, checked_vector, whole

_ROUNDING = 1e-12  # relative; a scale that is computed in another order is no smaller


def height(horizon: int) -> int:
    """Return ceil(log2 horizon), at least 1: the most nodes with one datum, and the most of a prefix.

    The prefixes that are released have length at most ``horizon - 1``. [mathematics/000.md#tree-nodes]
    """
    # Prefixes of up to T - 1 rounds need ceil(log2 T) digits; T itself is never released.
    return max(1, math.ceil(math.log2(whole(horizon, "tree", "horizon"))))


def least_scale(guarantee: GaussianDP, sensitivity: float, horizon: int) -> float:
    """Return the least noise of a prefix for a guarantee: ``sensitivity * h / mu``, with tree height h.

    A datum lies in at most h nodes, so each node needs ``sensitivity * sqrt(h) / mu``. A prefix has the noise
    of h nodes. [mathematics/000.md#tree-privacy]
    """
    return guarantee.noise_scale(as_float(sensitivity) * height(horizon))


class TreeSums(Described):
    """Running sums of vectors, released with Gaussian noise from a dyadic tree. [mathematics/000.md#tree]

    The prefix of length t is tiled by dyadic nodes, one for each binary digit 1 of t. A node is released
    once, as its sum plus N(0, node_scale^2). That value is used in every prefix that contains the node. A
    prefix with fewer than h nodes is padded with fresh noise, so that its standard deviation is always
    ``sqrt(h) * node_scale``; unless it is asked for without padding, or with a sensitivity for each round.
    [mathematics/000.md#tree-readings] Memory is at most 8 n (h (repetitions + 1) + 1) bytes, O(n log T), and
    8 T with a sensitivity for each round.

    Parameters
    ----------
    n : int
        Length of the vectors.
    guarantee : GaussianDP
        A central guarantee, which all releases together have; its level is positive, and ``inf`` is no
        privacy.
    horizon : int
        Number of rounds, at least 1. With one sensitivity for all, a tree of height h serves ``2^h`` rounds,
        such as 256 for 200: the guarantee holds for them all, as a datum lies in at most h nodes, and more
        are refused.
    sensitivity : float or ndarray, shape (T,)
        L2 distance by which one person can change a vector, positive; or the vector of each round,
        positive. It is the caller's word.
    noise : Noise
        Where the noise comes from.
    scale : float or ndarray, shape (T,), optional
        Standard deviation on each coordinate of a sum of h nodes; with a sensitivity for each round, what
        each round asks for. If not given, it is `least_scale`, the least that has the guarantee.
    padded : bool
        Whether prefixes of fewer than h nodes get the noise of h. Without it the empty prefix has the noise
        of one.
    repetitions : int
        Number of independent copies.

    Attributes
    ----------
    n : int
        Length of the vectors.
    guarantee : GaussianDP
        What all releases together promise to the person in one of the vectors.
    height : int
        Height h of the tree.
    node_scale : float or ndarray, shape (T,)
        Standard deviation of a node's noise. With one for each round, a node has the largest of its rounds.

    Raises
    ------
    InputError
        When the guarantee is not central Gaussian privacy of a positive level, `n`, the horizon or
        `repetitions` is no whole number of at least 1, the scale is too small for the guarantee, or the noise
        is no source of noise.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.privacy import GaussianDP, TreeSums, SimulatedNoise
    >>> from private_experts.randomness import rng_for
    >>> noise = SimulatedNoise(rng_for(0, "sums"))
    >>> sums = TreeSums(2, GaussianDP(1.0, "central"), horizon=8, sensitivity=0.01, noise=noise)
    >>> for _ in range(7):
    ...     sums.add(np.array([0.25, 1.0]))
    >>> sums.release().round(2).tolist()  # near 1.75 and 7, with noise of standard deviation 0.03
    [[1.73, 7.0]]
    """

    STATE = ("_count", "_sums", "_released")

    def __init__(
        self,
        n: int,
        guarantee: GaussianDP,
        *,
        horizon: int,
        sensitivity: float | Array,
        noise: Noise,
        scale: float | Array | None = None,
        padded: bool = True,
        repetitions: int = 1,
    ) -> None:
        self.guarantee = attained(
            check_guarantee(guarantee, "private prefix sums", GaussianDP, "central"), noise
        )
        horizon = whole(horizon, "private prefix sums", "horizon")
        one = np.ndim(sensitivity) == 0
        if one:  # with 0, true sums would be released under a promise
            checked_number("private prefix sums: sensitivity", sensitivity, 0, ends=False)
        self._sensitivity = as_float(sensitivity) if one else np.array(sensitivity, dtype=np.float64)
        if not one:
            # A series is refused: its labels cannot be compared with those of rounds that are still to come.
            reaches: Any = sensitivity if is_tabular(sensitivity) else np.asarray(sensitivity)
            checked_sensitivity(reaches, horizon)
        least = np.array(
            [least_scale(guarantee, reach, horizon) for reach in np.atleast_1d(sensitivity).tolist()]
        )
        scales = least if scale is None else np.broadcast_to(np.asarray(scale, dtype=np.float64), least.shape)
        if (short := ~((least * (1 - _ROUNDING) <= scales) & (scales < math.inf))).any():
            raise InputError(
                f"private prefix sums: {guarantee} needs sums with noise of {least[short][0]:g}, and scale = "
                f"{scales[short][0]:g}; write a larger scale, or none"
            )
        self.n = whole(n, "private prefix sums", "n")
        self.height = height(horizon)
        node_scales: Array = scales / math.sqrt(self.height)
        self.node_scale: float | Array = float(node_scales[0]) if one else node_scales
        # One sensitivity for all: the tree is used up only at 2^h. With one a round, nothing is known beyond
        # T.
        self._served = 2**self.height if one else horizon
        self._padded = padded
        self._noise = checked_noise(noise, "private prefix sums")
        self._repetitions = whole(repetitions, "private prefix sums", "repetitions")
        self._count = 0
        self._zeros = np.zeros(self.n)
        # By level, one for each binary digit: the node's true sum, and its released value.
        self._sums: dict[int, Array] = {}
        self._released: dict[int, Array] = {}

    def add(self, vector: Array) -> None:
        """Append a vector. The nodes that it completes merge like carries in a binary counter."""
        level, total = 0, checked_vector(vector, self.n, "private prefix sums")
        self._count += 1
        if self._count >= self._served:  # no sum that contains this vector is released
            return
        while level in self._sums:
            total = total + self._sums.pop(level)
            # Merged nodes are in no later prefix, so memory stays at one value a level.
            del self._released[level]
            level += 1
        self._sums[level] = total
        # The node's own rounds: it hides each of its data, so the largest sensitivity among them counts.
        scale = self._scale_of(self._count - 2**level, self._count)
        # Released once and kept: noise drawn anew at each use could be averaged away.
        self._released[level] = self._noise.perturb(total, scale, self._repetitions)

    def gram(self, span: int) -> Array | None:
        """Return what each two rounds share, of all rounds that the tree serves. See `TightTreeSums.gram`."""
        if (self._served - 1) ** 2 > MOST_SHARED:
            return None
        return shared_nodes(*self._released_nodes())

    def node_shifts(self) -> Array:
        """Return of each level the largest squared shift of a datum over the noise of its node."""
        return largest_shifts(*self._released_nodes())

    def _released_nodes(self) -> tuple[Array, list[Array]]:
        """Return the sensitivities of the vectors, and the noise of the nodes by level."""
        data, scales = self._served - 1, []  # the last vector is in no release
        node_scales = np.broadcast_to(np.asarray(self.node_scale, dtype=np.float64), self._served)
        for level in range(data.bit_length()):
            ends = np.arange(2**level, data + 1, 2**level)
            largest = np.maximum.reduceat(node_scales[: ends[-1]], ends - 2**level)
            # Left children alone are released: the others complete a parent at once.
            scales.append(np.where((ends >> level) % 2, largest, math.inf))
        return np.broadcast_to(self._sensitivity, self._served)[:data] / self.guarantee.mu, scales

    def _scale_of(self, start: int, end: int) -> float:
        """Return the noise of a node of the rounds after `start` up to `end`."""
        return (
            float(self.node_scale[start:end].max())
            if isinstance(self.node_scale, np.ndarray)
            else self.node_scale
        )

    def release(self) -> Array:
        """Return the noisy sum of all vectors so far. [mathematics/000.md#tree-variance]

        The padding is drawn anew on each call, so call this once a round. Shape (repetitions, n). More
        vectors than the horizon allows would cost more privacy than stated, and are refused.
        """
        if self._count >= self._served:
            raise InputError(
                f"private prefix sums: {self._count} vectors were added, and a tree of height {self.height} "
                f"serves {self._served - 1} at most; give the true horizon"
            )
        # The sum of k independent Gaussians is one Gaussian of k times the variance.
        wanted = self.height if self._padded else max(1, len(self._released))
        fresh = math.sqrt(wanted - len(self._released)) * self._scale_of(0, max(1, self._count))
        prefix = self._noise.perturb(self._zeros, fresh, self._repetitions)
        for level in sorted(self._released):
            prefix += self._released[level]
        return prefix
