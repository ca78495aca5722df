"""The interface of private distribution learning: users report through a mechanism, and a learner predicts.

[mathematics/003.md#setting]
"""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from private_experts.distributions.weighted_majority import WeightedMajority
from private_experts.privacy.guarantees import ApproximateDP, PureDP

Array = NDArray[np.float64]


class Learner(Protocol):
    """Predicts the distribution of the next label, then receives a private report of that label.

    The leading axis of all state is the repetition. Repetitions are independent copies of one game; they differ in
    labels and noise.
    """

    @property
    def guarantee(self) -> PureDP | ApproximateDP:
        """The privacy guarantee of the reports. By post-processing the predictions keep it."""
        ...

    @property
    def majority(self) -> WeightedMajority:
        """The weights and the total losses that determine them."""
        ...

    def predict(self, classes: Array) -> Array:
        """Return the predicted distributions, shape (repetitions, M), given the round's distributions (K, M)."""
        ...

    def update(self, reports: NDArray[Any]) -> None:
        """Learn from the private reports of the round just predicted; the leading axis is the repetition."""
        ...


class Mechanism(Protocol):
    """What a user runs on a label before anything leaves the device, with its guarantee and its risk bound."""

    @property
    def guarantee(self) -> PureDP | ApproximateDP:
        """The privacy guarantee of a report, for every class of distributions."""
        ...

    @property
    def risk_bound(self) -> float:
        """Bound on the expected total KL risk over the horizon."""
        ...

    def privatize(self, labels: NDArray[np.intp], classes: Array, rng: np.random.Generator) -> NDArray[Any]:
        """Return one private report for each label (repetitions,), given the round's distributions (K, M)."""
        ...

    def total_losses(self, rounds: NDArray[np.int64], truth: int, classes: Array, rng: np.random.Generator) -> Array:
        """Draw the sums of reported losses over many rounds with the same feature, shape (repetitions, K).

        [mathematics/003.md#long-run]

        Parameters
        ----------
        rounds : ndarray of int, shape (repetitions,)
            Number of rounds, at least 0.
        truth : int
            Index of the distribution that the labels come from.
        classes : ndarray, shape (K, M)
            The distributions for this feature.
        """
        ...

    def learner(self, repetitions: int = 1) -> Learner:
        """Return a fresh learner that takes this mechanism's reports."""
        ...
