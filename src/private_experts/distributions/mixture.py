"""The learner of both algorithms: weighted majority over clipped distributions. [mathematics/003.md#prediction]"""

import numpy as np
from numpy.typing import NDArray

from private_experts.distributions.clipping import clip
from private_experts.distributions.weighted_majority import WeightedMajority
from private_experts.privacy.guarantees import ApproximateDP, PureDP

Array = NDArray[np.float64]


class ClippedMixture:
    """Predicts the mixture of the clipped distributions, weighted by their private losses so far.

    It sees only reports, so it has their privacy guarantee.

    Parameters
    ----------
    experts, horizon : int
        Number of distributions K and of rounds T.
    rate : float
        Learning rate of the weights.
    guarantee : PureDP or ApproximateDP
        Privacy guarantee of the reports.
    repetitions : int
        Number of independent copies.
    """

    def __init__(
        self, experts: int, horizon: int, rate: float, guarantee: PureDP | ApproximateDP, repetitions: int = 1
    ) -> None:
        self.guarantee = guarantee
        self.majority = WeightedMajority(experts, rate, repetitions)
        self._horizon = horizon

    def predict(self, classes: Array) -> Array:
        """Return the predicted distributions, shape (repetitions, M), given the round's distributions (K, M)."""
        return clip(classes, self._horizon).predict(self.majority.weights)

    def update(self, reports: Array) -> None:
        """Learn from the private losses of a round, shape (repetitions, K)."""
        self.majority.update(reports)
