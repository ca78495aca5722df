"""The learner of the mechanisms that report something of the label itself."""

from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import NDArray

from private_experts.arrays import Array
from private_experts.descriptions import Described
from private_experts.distribution_learning.label_reports import LabelReports
from private_experts.distribution_learning.weighted_majority import WeightedMajority
from private_experts.errors import InputError
from private_experts.privacy.guarantees import PureDP
from private_experts.validation import check_class_shape, checked_distributions


class LabelRandomizer(Protocol):
    """What the learner needs of a mechanism: how weights predict, and what a report costs distributions."""

    @property
    def experts(self) -> int:
        """How many distributions there are."""

    @property
    def labels(self) -> int:
        """How many labels there are."""

    @property
    def guarantee(self) -> PureDP:
        """The privacy guarantee of one report."""

    @property
    def learning_rate(self) -> float:
        """The learning rate of the weights."""

    def mixture(self, weights: Array, classes: Array, /) -> Array:
        """Return what is predicted, shape (repetitions, M)."""

    def reported_losses(self, reports: NDArray[Any], classes: Array, repetitions: int, /) -> Array:
        """Return the losses (repetitions, K) of reports, which it checks."""


class LabelMixture(Described):
    """Predicts the distributions' mixture, weighted by their losses, both as the mechanism defines."""

    STATE: ClassVar[tuple[str, ...]] = ("_classes",)

    def __init__(self, mechanism: LabelRandomizer, *, repetitions: int = 1) -> None:
        self.guarantee = mechanism.guarantee
        self.majority = WeightedMajority(
            mechanism.experts, rate=mechanism.learning_rate, repetitions=repetitions
        )
        self._mechanism = mechanism
        self._classes: Array | None = None  # of the round just predicted

    def predict(self, classes: Array) -> Array:
        """Predict the label of the coming round. See `LabelLearner.predict`."""
        check_class_shape(classes, self._mechanism.experts, self._mechanism.labels)
        # A copy: what a report means is decided by the classes at prediction, whatever the caller does to
        # them since.
        self._classes = np.array(checked_distributions(classes))
        return self._mechanism.mixture(self.majority.weights, self._classes)

    def update(self, reports: LabelReports) -> None:
        """Learn from the reports of the round just predicted. See `LabelLearner.update`."""
        values = LabelReports.received(reports, self._mechanism)
        if self._classes is None:
            raise InputError(
                "update before predict: predict the round first, for its classes say what a report means"
            )
        self.majority.update(self._mechanism.reported_losses(values, self._classes, len(self.majority.total)))
