"""Randomised response on labels with the posterior over the class: what large privacy levels allow.

[mathematics/003.md#large-epsilon]
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from private_experts.distributions.randomized_response import RandomizedResponse
from private_experts.distributions.weighted_majority import WeightedMajority

Array = NDArray[np.float64]


@dataclass(frozen=True)
class ResponsePosterior(RandomizedResponse):
    """Report by randomised response, and predict the Bayes mixture given the noisy labels.

    The weights start equal and are multiplied by the probability of each report. Nothing is clipped or scaled. So it
    learns as fast as the reports allow, but its bound says something only where randomised response hardly ever lies.
    """

    @property
    def risk_bound(self) -> float:
        """Bound on the expected total KL risk: ``log K / c`` and what lies add, at most ``T log K``.

        With s the probability of a given lie and ``c = 1 - M s``, lies add at most
        ``T (M s log(1/s) / c - log c + K M s)``. [mathematics/003.md#large-epsilon]
        """
        lie, labels = self.flip / (self.labels - 1), self.labels
        added = labels * lie * math.log(1 / lie) / self.contrast - math.log1p(-labels * lie)
        added += self.experts * labels * lie
        uniform = math.log(self.experts)
        return min(uniform / self.contrast + self.horizon * added, self.horizon * uniform)

    def losses(self, classes: Array) -> Array:
        """Return minus the log-probability of each report under each distribution, shape (reports, K)."""
        return -np.log(classes @ self.channel).T

    def learner(self, repetitions: int = 1) -> "PosteriorMixture":  # type: ignore[override]
        """Return a fresh learner for these reports."""
        return PosteriorMixture(self, repetitions)


class PosteriorMixture:
    """Predicts the mixture of the distributions, weighted by their posterior probabilities.

    Parameters
    ----------
    mechanism : ResponsePosterior
        What the users run.
    repetitions : int
        Number of independent copies.
    """

    def __init__(self, mechanism: ResponsePosterior, repetitions: int = 1) -> None:
        self.guarantee = mechanism.guarantee
        self.majority = WeightedMajority(mechanism.experts, 1.0, repetitions)
        self._mechanism = mechanism
        self._losses = np.zeros((mechanism.labels, mechanism.experts))

    def predict(self, classes: Array) -> Array:
        """Return the predicted distributions, shape (repetitions, M), given the round's distributions (K, M)."""
        self._losses = self._mechanism.losses(classes)
        return self.majority.weights @ classes

    def update(self, reports: NDArray[np.intp]) -> None:
        """Learn from the reported labels, shape (repetitions,), of the round just predicted."""
        self.majority.update(self._losses[reports])
