"""Hadamard response: each user reports the label's sign in a random row of a Hadamard matrix."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from private_experts.arrays import Array, Indices, Ints
from private_experts.distribution_learning.label_reports import LabelReports
from private_experts.distribution_learning.posterior import ResponsePosterior, spread_bound
from private_experts.errors import InputError
from private_experts.validation import check_class_shape, checked_indices, whole


def hadamard(size: int) -> Ints:
    """Return Sylvester's Hadamard matrix, whose size is a power of two. [003, Appendix A]"""
    size = whole(size, "class", "size of a Hadamard matrix")
    if size & (size - 1):
        raise InputError(f"Hadamard matrix of size {size}: write a power of two")
    bits = np.arange(size)
    # Sylvester's matrix without recursion: the sign is the parity of the common bits.
    return np.asarray(1 - 2 * (np.bitwise_count(bits[:, None] & bits).astype(np.int64) % 2))


@dataclass(frozen=True)
class HadamardResponse(ResponsePosterior):
    """Report the label's sign in a random row of a Hadamard matrix by randomised response, with the row.

    The matrix has N rows, the least power of two that is at least M. The first row has no minus sign and is
    left out. A report is a number below ``2 (N - 1)``: the row, and N - 1 more if the sign is a minus. The
    learner predicts the Bayes mixture. For small epsilon a report says about as much of the label as that of
    `SubsetSelection`, and is shorter. [Acharya, Sun, Zhang 2019] [mathematics/003.md#hadamard-response]

    Parameters
    ----------
    experts, guarantee, labels
        As for `RandomizedResponse`.
    horizon : int
        Number of rounds T, at least 2. Only the bound depends on it.

    Raises
    ------
    InputError
        As `RandomizedResponse`.

    Examples
    --------
    >>> from private_experts.distribution_learning import HadamardResponse, ResponsePosterior
    >>> from private_experts.privacy import PureDP
    >>> for kind in (ResponsePosterior, HadamardResponse):  # the former's bound is that of equal weights
    ...     round(kind(16, PureDP(1.0, "local"), labels=128, horizon=10_000).risk_bound)
    27726
    10832
    """

    @property
    def flip(self) -> float:
        """Probability that the sign is false: ``1 / (1 + e^epsilon)``."""
        return 1 / (1 + math.exp(self.guarantee.epsilon))

    @property
    def contrast(self) -> float:
        """Probability of the true sign less that of the false one: ``tanh(epsilon / 2)``."""
        return math.tanh(self.guarantee.epsilon / 2)

    @cached_property
    def channel(self) -> Array:
        """Law of the report, shape (M, 2 (N - 1)). Row y is for label y."""
        signs = self._signs
        plus = (1 + signs * self.contrast) / 2
        channel = np.concatenate([plus, 1 - plus], axis=1) / signs.shape[1]
        channel.flags.writeable = False
        return np.asarray(channel)

    @cached_property
    def _signs(self) -> Ints:  # (M, N - 1)
        return hadamard(1 << (self.labels - 1).bit_length())[: self.labels, 1:]

    @property
    def information(self) -> float:
        """A number i: reports of label laws f and g diverge by at least ``i |f - g|^2``, Euclidean."""
        rows = int(self._signs.shape[1])
        # Rows are orthogonal, so squared differences of signs add up to those of the laws.
        # [003.md#subset-selection-risk]
        return self.contrast**2 * (rows + 1) / (2 * rows)

    @property
    def risk_bound(self) -> float:
        """Bound on the expected KL risk, at most ``T log K``. [mathematics/003.md#subset-selection-risk]"""
        return spread_bound(self.experts, self.labels, self.horizon, self.information)

    def privatize(self, labels: Indices, classes: Array, rng: np.random.Generator) -> LabelReports:
        """Report a row and a sign (repetitions,) for each label. See `Mechanism.privatize`."""
        check_class_shape(classes, self.experts, self.labels)
        labels = checked_indices("labels", labels, self.labels)
        rows = rng.integers(self._signs.shape[1], size=labels.shape)
        # The row is drawn without a look at the label, so only the sign needs to be protected.
        minus = (self._signs[labels, rows] < 0) ^ (rng.random(labels.shape) < self.flip)
        return LabelReports(rows + self._signs.shape[1] * minus, self)
