"""The interface of private distribution learning: users report through a mechanism, a learner predicts."""

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from private_experts.distributions.weighted_majority import WeightedMajority
from private_experts.privacy.guarantees import ApproximateDP, PureDP

Array = NDArray[np.float64]


class Learner(Protocol):
    """Predicts the distribution of the next label, then is told a private report of that label.

    The leading axis of all state is the repetition: independent copies of one game that differ in labels and noise.
    """

    @property
    def guarantee(self) -> PureDP | ApproximateDP:
        """What the reports promise, which all that is made of them keeps."""
        ...

    @property
    def majority(self) -> WeightedMajority:
        """The weights, and the losses that they go by."""
        ...

    def predict(self, classes: Array) -> Array:
        """Return the predicted distributions, shape (repetitions, M), given the round's distributions (K, M)."""
        ...

    def update(self, reports: NDArray[Any]) -> None:
        """Take in the private reports of the round that was just predicted; the leading axis is the repetition."""
        ...


class Mechanism(Protocol):
    """What a user runs on a label before anything leaves the user, and what it costs."""

    @property
    def guarantee(self) -> PureDP | ApproximateDP:
        """What a report promises to its user, whatever the class of distributions."""
        ...

    @property
    def risk_bound(self) -> float:
        """The expected total KL risk over the horizon is at most this."""
        ...

    def privatize(self, labels: NDArray[np.intp], classes: Array, rng: np.random.Generator) -> NDArray[Any]:
        """Return one private report a label (repetitions,), given the round's distributions (K, M)."""
        ...

    def total_losses(self, rounds: NDArray[np.int64], truth: int, classes: Array, rng: np.random.Generator) -> Array:
        """Return draws, shape (repetitions, K), of the losses that reports of many rounds with one feature add up to.

        Parameters
        ----------
        rounds : ndarray of int, shape (repetitions,)
            Number of rounds, at least 0.
        truth : int
            Which of the K distributions the labels come from.
        classes : ndarray, shape (K, M)
            The distributions under the feature.
        """
        ...

    def learner(self, repetitions: int = 1) -> Learner:
        """Return a fresh learner that takes this mechanism's reports."""
        ...
