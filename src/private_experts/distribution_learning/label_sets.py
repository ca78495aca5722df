"""Mechanisms whose reports are sets of labels, likelier by ``e^epsilon`` if they contain the true label."""

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass

import numpy as np

from private_experts.arrays import Array, Bools, Indices, Ints
from private_experts.distribution_learning.label_mechanism import LabelMechanism
from private_experts.distribution_learning.label_mixture import LabelMixture
from private_experts.distribution_learning.label_reports import LabelReports
from private_experts.errors import InputError
from private_experts.validation import (
    check_class_shape,
    check_many_rounds,
    checked_distributions,
    checked_indices,
)

_AT_ONCE = 2**22  # entries of the sets that are drawn together


@dataclass(frozen=True)
class LabelSets(LabelMechanism, ABC):
    """Report a set of labels; the learner predicts the Bayes mixture.

    The likelihood of a set under a distribution is proportional to ``1 + (e^epsilon - 1) f(set)``.
    """

    @property
    def learning_rate(self) -> float:
        """Learning rate 1 of the weights, with which they are the posterior."""
        return 1.0

    def losses(self, sets: Bools, classes: Array) -> Array:
        """Return minus the log-likelihood of each set, up to a constant, shape (reports, K)."""
        return -np.log1p(math.expm1(self.guarantee.epsilon) * (sets @ classes.T))

    def privatize(self, labels: Indices, classes: Array, rng: np.random.Generator) -> LabelReports:
        """Report sets (repetitions, M): whether each label belongs to it. See `Mechanism.privatize`."""
        check_class_shape(classes, self.experts, self.labels)
        return LabelReports(self._sets(checked_indices("labels", labels, self.labels), classes, rng), self)

    def total_losses(self, rounds: Ints, truth: int, classes: Array, rng: np.random.Generator) -> Array:
        """Draw sums of losses over many rounds, set by set, for there are too many sets to count them.

        See `Mechanism.total_losses`.
        """
        check_many_rounds(rounds, truth, self.experts)
        check_class_shape(classes, self.experts, self.labels)
        checked_distributions(classes)
        # A list of whose round each user is: repetitions have different numbers of rounds.
        total, users = np.zeros((rounds.size, self.experts)), np.repeat(np.arange(rounds.size), rounds)
        step = max(_AT_ONCE // self.labels, 1)
        for start in range(0, users.size, step):
            some = users[start : start + step]
            labels = np.searchsorted(classes[truth].cumsum()[:-1], rng.random(some.size), side="right")
            losses = self.losses(self._sets(labels, classes, rng), classes)
            # In the order of the users, one expert after the other.
            for of_expert, added in zip(total.T, losses.T, strict=True):
                of_expert += np.bincount(some, added, minlength=rounds.size)
        return total

    def mixture(self, weights: Array, classes: Array) -> Array:
        """Return what is predicted, the mixture of the distributions, shape (repetitions, M)."""
        return weights @ classes

    def reported_losses(self, sets: Bools, classes: Array, repetitions: int) -> Array:
        """Return the losses (repetitions, K) of sets (repetitions, M), which are checked."""
        wanted = repetitions, self.labels
        if sets.shape != wanted or sets.dtype != np.bool_:
            raise InputError(
                f"reports of shape {sets.shape}, type {sets.dtype}: write truth values of shape {wanted}"
            )
        return self.losses(sets, classes)

    def learner(self, repetitions: int = 1) -> LabelMixture:
        """Make a fresh learner for these reports. See `Mechanism.learner`."""
        return LabelMixture(self, repetitions=repetitions)

    @abstractmethod
    def _sets(self, labels: Indices, classes: Array, rng: np.random.Generator) -> Bools:
        """Draw the set that is reported for each label, (repetitions, M)."""
