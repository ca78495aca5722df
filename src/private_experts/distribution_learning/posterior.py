"""Randomised response on labels with the posterior over the class: what large privacy levels allow."""

import math
from dataclasses import dataclass

import numpy as np

from private_experts.arrays import Array
from private_experts.distribution_learning.randomized_response import RandomizedResponse
from private_experts.validation import check_class_shape, checked_distributions, plain_numbers


@plain_numbers
def spread_bound(experts: int, labels: int, horizon: int, information: float) -> float:
    """Return ``(1 + log K) sqrt(T M log K / (4 i))``, a posterior's KL risk bound, at most ``T log K``.

    Reports tell two distributions of labels apart by a divergence of at least i times their squared Euclidean
    distance. [mathematics/003.md#subset-selection-risk]
    """
    start = math.log(experts)
    return min((1 + start) * math.sqrt(horizon * labels * start / (4 * information)), horizon * start)


@dataclass(frozen=True)
class ResponsePosterior(RandomizedResponse):
    """Report by randomised response, and predict the Bayes mixture given the noisy labels.

    The weights start equal and are multiplied by the probability of each report. Nothing is clipped or
    scaled. So it learns as fast as the reports allow, but its bound says something only where randomised
    response hardly ever lies. [mathematics/003.md#large-epsilon]

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
    >>> from private_experts.distribution_learning import ResponsePosterior
    >>> from private_experts.privacy import PureDP
    >>> for epsilon in (1.0, 20.0):  # at the first level the bound is that of equal weights, T log K
    ...     round(ResponsePosterior(4, PureDP(epsilon, "local"), labels=4, horizon=1000).risk_bound, 4)
    1386.2944
    1.3865
    """

    @property
    def learning_rate(self) -> float:
        """Learning rate 1 of the weights, with which they are the posterior."""
        return 1.0

    @property
    def risk_bound(self) -> float:
        """Bound on the expected total KL risk: ``log K / c`` and what lies add, at most ``T log K``."""
        # The chance of each single false label, which bounds the logarithms of the reports' laws.
        lie, labels = self.flip / (self.labels - 1), self.labels
        added = labels * lie * math.log(1 / lie) / self.contrast - math.log1p(-labels * lie)
        added += self.experts * labels * lie
        uniform = math.log(self.experts)
        return min(uniform / self.contrast + self.horizon * added, self.horizon * uniform)

    def losses(self, classes: Array) -> Array:
        """Return minus the log-probabilities of reports under each distribution, (reports, K)."""
        check_class_shape(classes, self.experts, self.labels)
        # Under a law f a report has the law f times the channel: nothing is estimated or clipped.
        return -np.log(checked_distributions(classes) @ self.channel).T

    def mixture(self, weights: Array, classes: Array) -> Array:
        """Return what is predicted, the mixture of the distributions, shape (repetitions, M)."""
        return weights @ classes
