"""A mechanism that plays as it would, and keeps what users sent and what the learner predicted."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.arrays import Array, Indices, Ints
from private_experts.distribution_learning.label_learner import LabelLearner, Mechanism, asks
from private_experts.distribution_learning.label_reports import LabelReports
from private_experts.distribution_learning.weighted_majority import WeightedMajority
from private_experts.privacy.guarantees import ApproximateDP, PureDP


class RecordedMechanism:
    """Passes everything on to a mechanism. Its lists have one entry for each round or stretch of rounds."""

    def __init__(self, mechanism: Mechanism) -> None:
        self.mechanism = mechanism
        self.labels: list[Indices] = []
        self.reports: list[NDArray[Any]] = []
        self.rounds: list[Ints] = []  # in a stretch whose sums are drawn at once
        self.sums: list[Array] = []
        self.predictions: list[Array] = []

    @property
    def experts(self) -> int:
        """See `Mechanism.experts`."""
        return self.mechanism.experts

    @property
    def horizon(self) -> int:
        """See `Mechanism.horizon`."""
        return self.mechanism.horizon

    @property
    def guarantee(self) -> PureDP | ApproximateDP:
        """See `Mechanism.guarantee`."""
        return self.mechanism.guarantee

    @property
    def learning_rate(self) -> float:
        """See `Mechanism.learning_rate`."""
        return self.mechanism.learning_rate

    @property
    def risk_bound(self) -> float:
        """See `Mechanism.risk_bound`."""
        return self.mechanism.risk_bound

    @property
    def interactive(self) -> bool:
        """See `asks`."""
        return asks(self.mechanism)

    def privatize(
        self, labels: Indices, classes: Array, rng: np.random.Generator, *predicted: Array
    ) -> LabelReports:
        """Keep the labels and their reports."""
        made = self.mechanism.privatize(labels, classes, rng, *predicted)
        self.labels.append(labels)
        self.reports.append(made.values)
        return made

    def total_losses(self, rounds: Ints, truth: int, classes: Array, rng: np.random.Generator) -> Array:
        """Keep the numbers of rounds and the sums."""
        sums = self.mechanism.total_losses(rounds, truth, classes, rng)
        self.rounds.append(rounds)
        self.sums.append(sums)
        return sums

    def learner(self, repetitions: int = 1) -> LabelLearner:
        """Make the mechanism's own learner, whose predictions are kept."""
        return _Recorded(self.mechanism.learner(repetitions), self.predictions)


class _Recorded:
    """Passes everything on to a learner, and keeps its predictions."""

    def __init__(self, learner: LabelLearner, predictions: list[Array]) -> None:
        self._learner, self._predictions = learner, predictions

    @property
    def guarantee(self) -> PureDP | ApproximateDP:
        return self._learner.guarantee

    @property
    def majority(self) -> WeightedMajority:
        return self._learner.majority

    def predict(self, classes: Array) -> Array:
        predicted = self._learner.predict(classes)
        self._predictions.append(predicted)
        return predicted

    def update(self, reports: LabelReports) -> None:
        self._learner.update(reports)
