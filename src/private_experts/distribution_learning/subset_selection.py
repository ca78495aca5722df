"""Subset selection: users report sets of labels that likely contain the true one, to a posterior."""

import math
from dataclasses import dataclass

import numpy as np

from private_experts.arrays import Array, Bools, Indices
from private_experts.distribution_learning.label_sets import LabelSets
from private_experts.distribution_learning.posterior import spread_bound
from private_experts.errors import InputError


@dataclass(frozen=True)
class SubsetSelection(LabelSets):
    """Report a random set of w labels, which is likelier by ``e^epsilon`` if it contains the true label.

    The size is ``w = M / (1 + e^epsilon)``, rounded and at least 1. The learner predicts the Bayes mixture:
    the likelihood of a set under a distribution is proportional to ``1 + (e^epsilon - 1) f(set)``. For small
    epsilon each report says about M times as much of the label as with `ResponsePosterior`, and for large
    epsilon both are the same. [Ye, Barg 2018] [mathematics/003.md#subset-selection]

    Parameters
    ----------
    experts, guarantee, labels
        As for `RandomizedResponse`.
    horizon : int
        Number of rounds T, at least 2. Only the bound depends on it.

    Raises
    ------
    InputError
        When the guarantee is of another kind or central, or a number is out of its range.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.distribution_learning import SubsetSelection
    >>> from private_experts.privacy import PureDP
    >>> mechanism = SubsetSelection(2, PureDP(1.0, "local"), labels=6, horizon=100)
    >>> mechanism.size, round(mechanism.inclusion, 4)  # labels in a set; chance that the true one is in it
    (2, 0.5761)
    >>> classes = np.full((2, 6), 1 / 6)
    >>> mechanism.privatize(np.array([0, 5]), classes, np.random.default_rng(1)).values.astype(int).tolist()
    [[1, 0, 1, 0, 0, 0], [0, 1, 0, 1, 0, 0]]
    """

    @property
    def size(self) -> int:
        """Number w of labels in a set."""
        # The size at which a report tells most at this level; at least the label itself.
        return max(round(self.labels / (1 + math.exp(self.guarantee.epsilon))), 1)

    @property
    def inclusion(self) -> float:
        """Probability that a set contains the true label: ``w e^epsilon / (w e^epsilon + M - w)``."""
        # With e^-epsilon, which cannot overflow.
        return 1 / (1 + (self.labels - self.size) / self.size * math.exp(-self.guarantee.epsilon))

    @property
    def information(self) -> float:
        """A number i: reports of label laws f and g diverge by at least ``i |f - g|^2``, Euclidean."""
        # The chance that a second label is left out of a set, given one that is in it.
        others = (self.labels - self.size) / (self.labels - 1)
        return math.expm1(-self.guarantee.epsilon) ** 2 * others * self.inclusion / 2

    @property
    def risk_bound(self) -> float:
        """Bound on the expected KL risk, at most ``T log K``. [mathematics/003.md#subset-selection-risk]"""
        return spread_bound(self.experts, self.labels, self.horizon, self.information)

    def reported_losses(self, sets: Bools, classes: Array, repetitions: int) -> Array:
        """Return the losses (repetitions, K) of sets (repetitions, M), which are checked."""
        losses = super().reported_losses(sets, classes, repetitions)
        sizes = np.add.reduce(sets, axis=1)
        if (sizes != self.size).any():
            raise InputError(f"reports: a set of {sizes.max()} labels: write {self.size} for each repetition")
        return losses

    def _sets(self, labels: Indices, classes: Array, rng: np.random.Generator) -> Bools:
        rows, order = np.arange(labels.size), rng.random((labels.size, self.labels))
        order[rows, labels] = np.where(
            rng.random(labels.size) < self.inclusion, -1.0, 2.0
        )  # first or last of all
        # The w smallest of random keys are a random set; the true label's key puts it in or out for certain.
        largest = np.partition(order, self.size - 1, axis=1)[:, self.size - 1 : self.size]
        sets: Bools = order <= largest
        if np.count_nonzero(sets) > self.size * labels.size:  # two keys are equal, once in 10^13 rows
            sets = order.argsort(axis=1).argsort(axis=1) < self.size
        return sets
