"""Each user answers a random question of yes or no, which fits the distributions of the round."""

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from private_experts.arrays import Array, Bools, Indices
from private_experts.distribution_learning.label_answers import LabelAnswers
from private_experts.validation import check_class_shape, checked_distributions

_GAP = 1e-3  # of the logarithms of weights from their fixed point; each step at least halves it
_SAME = 1e-12  # differences so small, relative to what differs, are rounding
_ROUNDS_KEPT = 16  # designs of the last classes, for features come again


@dataclass(frozen=True)
class SignDesign(LabelAnswers):
    """Report one bit: on which side of a random hyperplane the label is, by randomised response.

    The labels are unit vectors, computed from the round's distributions so that the differences of any two
    are seen: the mean squared difference of a sign's means is at least ``|f - g|_1^2 / c`` with ``c`` of at
    most ``1.002 pi (K - 1) / 2``. The hyperplane is public. The learner predicts the Bayes mixture. So the
    bounds on the risk hold for every number of labels and all features, without interaction. With few labels,
    not more than K, `HadamardResponse` has the smaller bound. [mathematics/003.md#any-labels]

    A report is the side on which the label is said to be, one truth value for each label. Over a network, the
    random numbers of the hyperplane can be agreed on in advance, and one bit remains.

    Parameters
    ----------
    experts, guarantee, labels
        As for `RandomizedResponse`.
    horizon : int
        Number of rounds T, at least 2. Only the bounds depend on it.

    Raises
    ------
    InputError
        When the guarantee is of another kind or central, or a number is out of its range.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.distribution_learning import HadamardResponse, SignDesign
    >>> from private_experts.privacy import PureDP
    >>> for kind in (HadamardResponse, SignDesign):  # the former's bound is that of equal weights
    ...     round(kind(16, PureDP(1.0, "local"), labels=4096, horizon=10_000).risk_bound)
    27726
    4593
    >>> mechanism = SignDesign(2, PureDP(1.0, "local"), labels=4, horizon=100)
    >>> classes = np.array([[0.4, 0.4, 0.1, 0.1], [0.1, 0.1, 0.4, 0.4]])
    >>> mechanism.privatize(np.array([0, 3]), classes, np.random.default_rng(1)).values.astype(int).tolist()
    [[1, 1, 0, 0], [0, 0, 1, 1]]
    """

    @property
    def separation(self) -> float:
        """A number c: ``|f - g|_1^2`` is at most c times the mean squared difference of a sign's means."""
        # Weights are not quite at their fixed point, which costs twice the gap.
        return sphere_constant(max(self.experts - 1, 1)) * math.exp(2 * _GAP)

    def directions(self, classes: Array) -> Array:
        """Return the unit vectors (M, K) of the labels; 0 where all distributions agree.

        Parameters
        ----------
        classes : ndarray, shape (K, M)
            The round's distributions, one a row. They are public.

        Returns
        -------
        ndarray, shape (M, K)
            In the span of the differences of the distributions.

        Raises
        ------
        InputError
            When `classes` has another shape, or a row that is not a distribution.
        """
        check_class_shape(classes, self.experts, self.labels)
        f = np.ascontiguousarray(checked_distributions(classes))
        return _directions(f.tobytes(), f.shape)

    def _sets(self, labels: Indices, classes: Array, rng: np.random.Generator) -> Bools:
        normals = rng.standard_normal((labels.size, self.experts))
        return self._answered(normals @ self.directions(classes).T > 0, labels, rng)


def sphere_constant(n: int) -> float:
    """Return ``pi (Gamma((n + 1) / 2) / Gamma(n / 2))^2``, for n dimensions; 1 for n = 1, below pi n / 2.

    It is 1 over the square of a coordinate's mean size on the unit sphere. [mathematics/003.md#any-labels]
    """
    return math.pi * math.exp(2 * (math.lgamma((n + 1) / 2) - math.lgamma(n / 2)))


@lru_cache(maxsize=_ROUNDS_KEPT)
def _directions(classes: bytes, shape: tuple[int, int]) -> Array:
    """Return unit vectors by Lewis weights of the span of differences. [mathematics/003.md#any-labels]"""
    f = np.frombuffer(classes).reshape(shape)
    apart = f - f.mean(axis=0)
    apart[:, abs(apart).max(axis=0) <= _SAME * f.max(axis=0)] = 0.0
    left, sizes, _ = np.linalg.svd(apart, full_matrices=False)
    left = left[:, sizes > _SAME * np.linalg.norm(f)]
    basis = (left / sizes[: left.shape[1]]).T @ apart  # of the span, (n, M), orthonormal
    known = (basis != 0).any(axis=0)
    vectors = np.zeros((shape[1], shape[0]))
    if known.any():
        basis = basis[:, known]
        weights, lengths = np.ones(basis.shape[1]), np.linalg.norm(basis, axis=0)
        spread = basis @ basis.T
        while abs(np.log(lengths / weights)).max() > _GAP:
            # At the fixed point they add up to n; this is what a step by itself finds most slowly.
            weights = lengths * (len(basis) / lengths.sum())
            spread = (basis / weights) @ basis.T
            lengths = np.sqrt((basis * (np.linalg.inv(spread) @ basis)).sum(axis=0))
        levels, axes = np.linalg.eigh(spread)
        # With the left factor the vectors do not hang on the basis, which differs from machine to machine.
        root = left @ (axes / np.sqrt(levels)) @ axes.T
        vectors[known] = (root @ basis / lengths).T
    vectors.flags.writeable = False
    return vectors
