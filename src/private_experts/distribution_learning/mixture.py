"""Both algorithms' learner: weighted majority over clipped distributions. [mathematics/003.md#prediction]"""

from typing import ClassVar

from private_experts.arrays import Array
from private_experts.descriptions import Described
from private_experts.distribution_learning.clipping import clip
from private_experts.distribution_learning.label_learner import Mechanism
from private_experts.distribution_learning.label_reports import LabelReports
from private_experts.distribution_learning.weighted_majority import WeightedMajority
from private_experts.errors import InputError
from private_experts.privacy.guarantees import ApproximateDP, PureDP
from private_experts.validation import check_class_shape


class ClippedMixture(Described):
    """Predicts the mixture of the clipped distributions, weighted by their private losses so far.

    It sees only reports, so it has their privacy guarantee. [mathematics/003.md#prediction]

    The mechanism says how many distributions there are, for how many rounds, and how fast to learn.
    `majority` has the weights (repetitions, K).
    """

    STATE: ClassVar[tuple[str, ...]] = ()

    def __init__(self, mechanism: Mechanism, *, repetitions: int = 1) -> None:
        self.guarantee: PureDP | ApproximateDP = mechanism.guarantee
        self.majority = WeightedMajority(
            mechanism.experts, rate=mechanism.learning_rate, repetitions=repetitions
        )
        self._mechanism = mechanism

    def predict(self, classes: Array) -> Array:
        """Predict the label of the coming round. See `LabelLearner.predict`."""
        check_class_shape(classes, self._mechanism.experts)
        return clip(classes, self._mechanism.horizon).predict(self.majority.weights)

    def update(self, reports: LabelReports) -> None:
        """Learn from the private losses of a round, shape (repetitions, K). See `LabelLearner.update`."""
        self.majority.update(self._received(reports))

    def _received(self, reports: LabelReports) -> Array:
        values = LabelReports.received(reports, self._mechanism)
        if values.shape != self.majority.total.shape:
            raise InputError(
                f"reports of shape {values.shape}: write {self.majority.total.shape}, (repetitions, K)"
            )
        return values
