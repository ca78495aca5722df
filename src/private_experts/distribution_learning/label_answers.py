"""Mechanisms that ask in public whether the label is in a set, and get one private bit."""

import math
from abc import abstractmethod
from dataclasses import dataclass

import numpy as np

from private_experts.arrays import Bools, Indices
from private_experts.distribution_learning.label_sets import LabelSets
from private_experts.distribution_learning.posterior import spread_bound


@dataclass(frozen=True)
class LabelAnswers(LabelSets):
    """Ask a random question of yes or no, and report the set of labels that speak for the private answer."""

    @property
    def flip(self) -> float:
        """Probability that the answer is false: ``1 / (1 + e^epsilon)``."""
        return 1 / (1 + math.exp(self.guarantee.epsilon))

    @property
    @abstractmethod
    def separation(self) -> float:
        """A number c: ``|f - g|_1^2`` is at most c times the mean squared difference of a question's means.

        Means are those of a sign, +1 for yes and -1 for no.
        """

    @property
    def information(self) -> float:
        """A number i: reports of label laws f and g diverge by at least ``i |f - g|_1^2``."""
        return math.tanh(self.guarantee.epsilon / 2) ** 2 / (2 * self.separation)

    @property
    def risk_bound(self) -> float:
        """Bound on the expected KL risk, at most ``T log K``, for every number of labels.

        [mathematics/003.md#any-labels]
        """
        return spread_bound(self.experts, 1, self.horizon, self.information)

    @property
    def variation_bound(self) -> float:
        """Bound on the expected total variation, averaged over all rounds; at most 1.

        [mathematics/003.md#any-labels]
        """
        return min(math.sqrt(math.log(self.experts) / (4 * self.information * self.horizon)), 1.0)

    def _answered(self, question: Bools, labels: Indices, rng: np.random.Generator) -> Bools:
        """Return the question, or its complement, whichever speaks for the private answer."""
        # The question is drawn without a look at the label, so only the answer needs to be protected.
        yes = question[np.arange(labels.size), labels] ^ (rng.random(labels.shape) < self.flip)
        return np.asarray(question == yes[:, None])
