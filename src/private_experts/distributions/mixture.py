"""The learner of both algorithms: weighted majority over clipped distributions. [mathematics/003.md#prediction]"""

from typing import ClassVar

from private_experts.arrays import Array
from private_experts.distributions.clipping import clip
from private_experts.distributions.interface import Mechanism
from private_experts.distributions.reports import LabelReports
from private_experts.distributions.weighted_majority import WeightedMajority
from private_experts.errors import InputError
from private_experts.privacy.guarantees import ApproximateDP, PureDP
from private_experts.validation import check_class_shape


class ClippedMixture:
    """Predicts the mixture of the clipped distributions, weighted by their private losses so far.

    It sees only reports, so it has their privacy guarantee. [mathematics/003.md#prediction]

    Parameters
    ----------
    mechanism : Mechanism
        What the users run; its reports are losses, such as those of `NoisyVector` and `NoisyCoordinate`. It says how
        many distributions there are, for how many rounds, and how fast to learn.
    repetitions : int
        Number of independent copies, at least 1.

    Attributes
    ----------
    guarantee : PureDP or ApproximateDP
        That of the reports.
    majority : WeightedMajority
        The weights (repetitions, K).

    Raises
    ------
    InputError
        When `repetitions` is below 1.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.distributions import NoisyCoordinate
    >>> from private_experts.privacy import PureDP
    >>> mechanism = NoisyCoordinate(2, PureDP(200.0, "local"), horizon=100)  # hardly any privacy, so that it learns
    >>> learner, classes, rng = mechanism.learner(), np.array([[0.9, 0.1], [0.1, 0.9]]), np.random.default_rng(1)
    >>> for _ in range(100):
    ...     learner.update(mechanism.privatize(np.array([0]), classes, rng))
    >>> learner.predict(classes).round(1).tolist()
    [[0.9, 0.1]]
    """

    STATE: ClassVar[tuple[str, ...]] = ()

    def __init__(self, mechanism: Mechanism, *, repetitions: int = 1) -> None:
        self.guarantee: PureDP | ApproximateDP = mechanism.guarantee
        self.majority = WeightedMajority(mechanism.experts, rate=mechanism.learning_rate, repetitions=repetitions)
        self._mechanism = mechanism

    def predict(self, classes: Array) -> Array:
        """Predict the label of the coming round. See `Learner.predict`."""
        check_class_shape(classes, self._mechanism.experts)
        return clip(classes, self._mechanism.horizon).predict(self.majority.weights)

    def update(self, reports: LabelReports) -> None:
        """Learn from the private losses of a round, shape (repetitions, K). See `Learner.update`."""
        self.majority.update(self._received(reports))

    def _received(self, reports: LabelReports) -> Array:
        values = LabelReports.received(reports, self._mechanism)
        if values.shape != self.majority.total.shape:
            raise InputError(f"reports of shape {values.shape}: write {self.majority.total.shape}, (repetitions, K)")
        return values
