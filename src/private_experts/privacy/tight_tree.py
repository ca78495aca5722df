"""Private prefix sums on a dyadic tree without padding, each node with noise for the data that lie in it.

[mathematics/000.md#tight-tree]
"""

import math
from collections.abc import Sequence

import numpy as np

from private_experts.arrays import Array
from private_experts.descriptions import Described
from private_experts.errors import InputError
from private_experts.privacy.factorization import checked_sensitivity
from private_experts.privacy.guarantees import GaussianDP, check_guarantee, of_experts
from private_experts.privacy.noise import Noise, attained, checked_noise, perturbed_by_expert
from private_experts.privacy.participation import MOST_SHARED, largest_shifts, shared_nodes
from private_experts.validation import checked_vector, whole


def node_scales(sensitivity: Array, mu: float, siblings: bool) -> list[Array]:
    """Return the noise of every node, by level.

    A node's noise is in proportion to the largest sensitivity among its data. The common factor is the one at
    which the datum that costs most costs exactly mu. [mathematics/000.md#tight-tree]

    Entry k has one number for each node of 2^k data that ends before round T, as no later sum is played on;
    ``inf`` for nodes that are not released. With `siblings` right children are released as well: no prefix
    needs them, but the sums of their parents do.
    """
    # The last vector enters no release, so it costs nothing.
    data = len(sensitivity) - 1
    largest, cost, scales = sensitivity[:data], np.zeros(data), []
    while len(largest):
        # A prefix needs left children alone; a refined one uses both, so both are released and paid for.
        released = np.ones(len(largest), dtype=np.bool_) if siblings else np.arange(len(largest)) % 2 == 0
        scales.append(np.where(released, largest, np.inf))
        of_datum = np.repeat(scales[-1], 2 ** (len(scales) - 1))
        inside = slice(0, len(of_datum))
        # Levels add in squares over the nodes of a datum; a node of infinite noise adds 0.
        cost[inside] += (sensitivity[inside] / of_datum) ** 2
        # The parent of a last node without a partner is never completed, so it does not exist.
        pairs = len(largest) // 2
        largest = largest[: 2 * pairs].reshape(pairs, 2).max(axis=1)
    # One factor for all, set by the worst datum: ratios between nodes are already in proportion to what they
    # hide.
    factor = GaussianDP(mu, "central").noise_scale(math.sqrt(cost.max(initial=0.0)))
    # Infinity, for what is not released, stays infinite without noise.
    return [
        np.where(np.isfinite(scale), factor * np.where(np.isfinite(scale), scale, 0.0), np.inf)
        for scale in scales
    ]


class TightTreeSums(Described):
    """Running sums of vectors, from dyadic nodes with just enough noise. [mathematics/000.md#tight-tree]

    The prefix of length t is tiled by dyadic nodes, one for each binary digit 1 of t. With `refined`, a
    node's sum is the best unbiased mixture of what was released for it and of the sums of its two children
    (Honaker, 2015). Memory is O(n log T): 8 n ((repetitions + 1) log2(T) + repetitions) bytes, and 24 T of
    scales. [mathematics/000.md#honaker]

    Parameters
    ----------
    n : int
        Length of the vectors.
    guarantee : GaussianDP
        A central guarantee, which all releases together have; its level is positive, and ``inf`` is no
        privacy.
    sensitivity : ndarray, shape (T,) or (T, n)
        L2 distance by which one person can change the vector of each round; positive and public. It is the
        caller's word. With one for each coordinate, each has a tree of its own, whose level is that of
        `guarantee`; what is stated is then for a person in the data of all n: ``sqrt(n) mu``. See
        `SideBySideSums` for one who can change a few. Sums of up to T - 1 vectors are released.
    noise : Noise
        Where the noise comes from.
    refined : bool
        Whether the noise is averaged over the tree.
    repetitions : int
        Number of independent copies.

    Raises
    ------
    InputError
        When the guarantee is not central Gaussian privacy of a positive level, the sensitivities are not one
        positive number for each round, `n` or `repetitions` is no whole number of at least 1, or the noise is
        no source of noise.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.privacy import GaussianDP, SimulatedNoise, TightTreeSums
    >>> from private_experts.randomness import rng_for
    >>> bounds, noise = np.full(8, 0.01), SimulatedNoise(rng_for(0, "sums"))
    >>> sums = TightTreeSums(2, GaussianDP(1.0, "central"), sensitivity=bounds, noise=noise, refined=True)
    >>> for _ in range(7):
    ...     sums.add(np.array([0.25, 1.0]))
    >>> sums.release().round(2).tolist()  # near 1.75 and 7
    [[1.77, 7.02]]
    """

    STATE = ("_count", "_start", "_sums", "_estimates")

    def __init__(
        self,
        n: int,
        guarantee: GaussianDP,
        *,
        sensitivity: Array,
        noise: Noise,
        refined: bool = False,
        repetitions: int = 1,
    ) -> None:
        self.share = attained(check_guarantee(guarantee, "tight tree", GaussianDP, "central"), noise)
        self.n = n = whole(n, "tight tree", "n")
        sensitivity = checked_sensitivity(sensitivity, n=n)
        self.by_expert = sensitivity.ndim == 2
        self.guarantee = of_experts(self.share, n if self.by_expert else 1)
        repetitions = whole(repetitions, "tight tree", "repetitions")
        trees = [
            node_scales(reaches, guarantee.mu, siblings=refined) for reaches in np.atleast_2d(sensitivity.T)
        ]
        # By level, (nodes, 1), or with a tree for each expert (nodes, n).
        self._scales = [np.column_stack(level) for level in zip(*trees, strict=True)]
        self._rounds, self._sensitivity = len(sensitivity), sensitivity.copy()
        self._noise, self._repetitions = checked_noise(noise, "tight tree"), repetitions
        self._count = 0
        scale = np.atleast_1d(self.share.noise_scale(1.0) * sensitivity[0])
        self._start = self._perturbed([np.zeros(n)], [scale])[0]
        # By level, one for each binary digit: the node's true sum, its estimate and the estimate's variance.
        self._sums: dict[int, Array] = {}
        self._estimates: dict[int, tuple[Array, Array]] = {}

    def add(self, vector: Array) -> None:
        """Append a vector. The nodes that it completes merge like carries in a binary counter.

        See `checked_vector`.
        """
        total = checked_vector(vector, self.n, "tight tree")
        self._count += 1
        if self._count >= self._rounds:  # no sum that contains the last vector is released
            return
        totals = [total]
        # True sums are merged, not noisy ones: a node's noise must not contain that of its children.
        while len(totals) - 1 in self._sums:
            totals.append(totals[-1] + self._sums.pop(len(totals) - 1))
        estimate, *above = self._measured(totals)
        for level, measured in enumerate(above):
            left, variance = self._estimates.pop(level)
            # From below: a child's estimate has to be final before its parent's is mixed with it.
            estimate = _mixed(measured, (left + estimate[0], variance + estimate[1]))
        self._sums[len(above)], self._estimates[len(above)] = totals[-1], estimate

    def _measured(self, totals: Sequence[Array]) -> list[tuple[Array, Array]]:
        """Return what the nodes that are now complete release, one of each level, and its variance."""
        scales = [self._scales[level][self._count // 2**level - 1] for level in range(len(totals))]
        released = [level for level, scale in enumerate(scales) if np.isfinite(scale).all()]
        drawn = self._perturbed([totals[level] for level in released], [scales[level] for level in released])
        values = dict(zip(released, drawn, strict=True))
        unknown = np.zeros((self._repetitions, self.n))
        return [(values.get(level, unknown), scale**2) for level, scale in enumerate(scales)]

    def _perturbed(self, totals: Sequence[Array], scales: Sequence[Array]) -> Sequence[Array]:
        """Return noisy copies of totals (n,), with the noise of scales (1,) or (n,)."""
        if self.by_expert and totals:
            return list(
                perturbed_by_expert(self._noise, np.array(totals), np.array(scales), self._repetitions)
            )
        single = [float(scale[0]) for scale in scales]
        return [self._noise.perturb(*node, self._repetitions) for node in zip(totals, single, strict=True)]

    def release(self) -> Array:
        """Return the noisy sum of all vectors so far. [mathematics/000.md#honaker]

        Before the first vector it is noise alone, of the first round's scale, so that a leader is drawn at
        random. Shape (repetitions, n).
        """
        if self._count >= self._rounds:
            raise InputError(
                f"tight tree: it serves {self._rounds} rounds and all were played; give more sensitivities"
            )
        if not self._estimates:
            return self._start.copy()
        result: Array = np.sum([estimate for estimate, _ in self._estimates.values()], axis=0)
        return result

    def gram(self, span: int) -> Array | None:
        """Return what each two rounds share, (T, T) whatever the span. See `level_in_rounds`.

        The last vector is in no release. It is None for very many rounds.
        """
        by_tree = self.gram_by_expert(span)
        return None if by_tree is None else by_tree.mean(axis=0)  # levels of experts add up in squares

    def node_shifts(self) -> Array:
        """Return of each level the largest squared shift of a datum over the noise of its node."""
        reaches = np.atleast_2d(self._sensitivity.T) / self.share.mu
        found = [
            largest_shifts(moves[:-1], [scale[:, tree] for scale in self._scales])
            for tree, moves in enumerate(reaches)
        ]
        return np.asarray(np.mean(found, axis=0), dtype=np.float64)

    def gram_by_expert(self, span: int) -> Array | None:
        """Return what each two rounds share of each tree, in units of `share`, (trees, T, T)."""
        reaches = np.atleast_2d(self._sensitivity.T) / self.share.mu
        if reaches.size * self._rounds > MOST_SHARED:
            return None
        shared = np.zeros((len(reaches), self._rounds, self._rounds))
        for tree, moves in enumerate(reaches):
            shared[tree, :-1, :-1] = shared_nodes(moves[:-1], [scale[:, tree] for scale in self._scales])
        return shared


def _mixed(first: tuple[Array, Array], second: tuple[Array, Array]) -> tuple[Array, Array]:
    """Return the unbiased mixture of two independent estimates of least variance (infinite if unknown).

    All experts' estimates are unknown, or known for certain, at once.
    """
    (a, var_a), (b, var_b) = first, second
    # Weights of inf / inf would be nan, and an exact value needs no second opinion.
    if np.isinf(var_b[0]) or var_a[0] == 0:
        return first
    if np.isinf(var_a[0]):
        return second
    # Inverse-variance weights, the best linear unbiased ones for independent noise.
    share = var_b / (var_a + var_b)
    return share * a + (1 - share) * b, var_a * share
