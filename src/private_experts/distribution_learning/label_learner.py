"""The interface of private distribution learning: users report through a mechanism, and a learner predicts.

[mathematics/003.md#setting]
"""

from typing import Protocol, TypeGuard

import numpy as np

from private_experts.arrays import Array, Indices, Ints
from private_experts.distribution_learning.label_reports import LabelReports
from private_experts.distribution_learning.weighted_majority import WeightedMajority
from private_experts.privacy.guarantees import ApproximateDP, PureDP


class LabelLearner(Protocol):
    """Predicts the distribution of the next label, then receives a private report of that label.

    The leading axis of all state is the repetition. Repetitions are independent copies of one game; they
    differ in labels and noise. `Mechanism.learner` makes a learner. [mathematics/003.md#setting]

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.distribution_learning import NoisyCoordinate
    >>> from private_experts.privacy import PureDP
    >>> mechanism = NoisyCoordinate(2, PureDP(1.0, "local"), horizon=100)
    >>> learner = mechanism.learner()
    >>> learner.predict(np.array([[0.9, 0.1], [0.1, 0.9]])).round(4).tolist()  # before any report
    [[0.5, 0.5]]
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
        """Predict the label of the coming round.

        Parameters
        ----------
        classes : ndarray, shape (K, M)
            The round's distributions, one a row.

        Returns
        -------
        ndarray, shape (repetitions, M)
            The predicted distributions.

        Raises
        ------
        InputError
            When `classes` has another shape, or a row that is not a distribution.
        """
        ...

    def update(self, reports: LabelReports) -> None:
        """Learn from the reports of the round just predicted.

        Parameters
        ----------
        reports : LabelReports
            What the learner's mechanism made of the labels.

        Raises
        ------
        InputError
            When it is anything else, such as an array; when another mechanism or another level made the
            reports; when their shape is not that of the learner's repetitions, or a value is not finite or
            out of range.
        """
        ...


class Mechanism(Protocol):
    """What a user runs on a label before anything leaves the device, with its guarantee and its risk bound.

    Two mechanisms of one class with the same parameters are equal. A learner takes the reports of a mechanism
    that equals its own. [mathematics/003.md#setting]

    Examples
    --------
    >>> from private_experts.distribution_learning import NoisyCoordinate
    >>> from private_experts.privacy import PureDP
    >>> mechanism = NoisyCoordinate(2, PureDP(1.0, "local"), horizon=10**10)
    >>> str(mechanism.guarantee)
    '1-DP (local, simulated noise)'
    >>> mechanism.risk_bound < 10**10 * 0.6931  # what equal weights never exceed, T log K
    True
    """

    @property
    def experts(self) -> int:
        """Number of distributions K."""
        ...

    @property
    def horizon(self) -> int:
        """Number of rounds T."""
        ...

    @property
    def guarantee(self) -> PureDP | ApproximateDP:
        """The privacy guarantee of a report, for every class of distributions."""
        ...

    @property
    def learning_rate(self) -> float:
        """Learning rate of the learner's weights."""
        ...

    @property
    def risk_bound(self) -> float:
        """Bound on the expected total KL risk over the horizon."""
        ...

    def privatize(self, labels: Indices, classes: Array, rng: np.random.Generator) -> LabelReports:
        """Make one private report of each label.

        Parameters
        ----------
        labels : ndarray of int, shape (repetitions,)
            The true labels, from 0 to M - 1.
        classes : ndarray, shape (K, M)
            The round's distributions, one a row. They are public.
        rng : numpy.random.Generator
            Source of the noise. Seeded noise is a simulation and protects nobody.

        Returns
        -------
        LabelReports
            One report for each label.

        Raises
        ------
        InputError
            When a label is out of range or not a whole number, when `classes` has another shape, or when a
            row of it is not a distribution.
        """
        ...

    def total_losses(self, rounds: Ints, truth: int, classes: Array, rng: np.random.Generator) -> Array:
        """Draw sums of reported losses over many rounds with one feature. [mathematics/003.md#long-run]

        Parameters
        ----------
        rounds : ndarray of int, shape (repetitions,)
            Number of rounds, at least 0.
        truth : int
            Index of the distribution that the labels come from, from 0 to K - 1.
        classes : ndarray, shape (K, M)
            The distributions for this feature.
        rng : numpy.random.Generator
            Source of labels and noise.

        Returns
        -------
        ndarray, shape (repetitions, K)
            What the weights of the mechanism's learner would have added up.

        Raises
        ------
        InputError
            When `rounds` is not such an array, `truth` is no row, or `classes` are not the distributions of a
            round.
        """
        ...

    def learner(self, repetitions: int = 1) -> LabelLearner:
        """Make a fresh learner that takes this mechanism's reports.

        Parameters
        ----------
        repetitions : int
            Number of independent copies, at least 1.

        Returns
        -------
        LabelLearner
            With equal weights.
        """
        ...


class InteractiveMechanism(Mechanism, Protocol):
    """A mechanism whose users are asked about the prediction of their round."""

    def privatize(
        self, labels: Indices, classes: Array, rng: np.random.Generator, predicted: Array | None = None
    ) -> LabelReports:
        """Make one private report of each label, given the predictions (repetitions, M)."""
        ...


def asks(mechanism: Mechanism) -> TypeGuard[InteractiveMechanism]:
    """Return whether users are asked about the prediction."""
    return bool(getattr(mechanism, "interactive", False))
