"""Each user says whether a random distribution gives the label more than the learner's prediction does."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from private_experts.arrays import Array, Bools, Indices
from private_experts.distribution_learning.label_answers import LabelAnswers
from private_experts.distribution_learning.label_reports import LabelReports
from private_experts.errors import InputError
from private_experts.validation import check_class_shape, checked_distributions, checked_indices


@dataclass(frozen=True)
class AskComparison(LabelAnswers):
    """Report one bit: whether ``f_J(y) > p(y)`` for a random J, by randomised response, with the question.

    Here y is the label and p the prediction, so the learner speaks to users before they report: this is
    sequential interaction. With probability 1/K the question is about the truth, and then it tells all of the
    prediction's total variation. So the bounds on the risk hold for every number of labels and all features.
    `SignDesign` needs no interaction. [mathematics/003.md#any-labels]

    A report is a set of labels, one truth value for each: where the answer is yes, the set in question, and
    otherwise its complement.

    Parameters
    ----------
    experts, guarantee, labels
        As for `RandomizedResponse`.
    horizon : int
        Number of rounds T, at least 2. Only the bounds depend on it.

    Raises
    ------
    InputError
        When the guarantee is of another kind or central, or a number is out of its range.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.distribution_learning import AskComparison
    >>> from private_experts.privacy import PureDP
    >>> mechanism = AskComparison(2, PureDP(1.0, "local"), labels=4, horizon=100)
    >>> round(mechanism.risk_bound, 1), round(mechanism.variation_bound, 2)
    (30.5, 0.18)
    >>> classes = np.array([[0.4, 0.4, 0.1, 0.1], [0.1, 0.1, 0.4, 0.4]])
    >>> learner = mechanism.learner()
    >>> predicted = learner.predict(classes)
    >>> reports = mechanism.privatize(np.array([0]), classes, np.random.default_rng(2), predicted)
    >>> reports.values.astype(int).tolist()
    [[1, 1, 0, 0]]
    >>> learner.update(reports)
    """

    interactive: ClassVar[bool] = True  # see `asks`

    @property
    def separation(self) -> float:
        """K: the question is about the truth once in K rounds."""
        return float(self.experts)

    def privatize(
        self, labels: Indices, classes: Array, rng: np.random.Generator, predicted: Array | None = None
    ) -> LabelReports:
        """Report sets (repetitions, M), given the predictions (repetitions, M). See `Mechanism.privatize`."""
        check_class_shape(classes, self.experts, self.labels)
        labels = checked_indices("labels", labels, self.labels)
        if predicted is None:
            raise InputError(
                "AskComparison: users are asked about the prediction: "
                "write privatize(labels, classes, rng, learner.predict(classes)), or call play_labels"
            )
        predicted = checked_distributions(predicted, "predictions")
        if predicted.shape != (labels.size, self.labels):
            raise InputError(
                f"predictions of shape {predicted.shape}: "
                f"write {labels.size, self.labels}, one for each label"
            )
        question = classes[rng.integers(self.experts, size=labels.size)] > predicted
        return LabelReports(self._answered(question, labels, rng), self)

    def _sets(self, labels: Indices, classes: Array, rng: np.random.Generator) -> Bools:
        raise InputError(
            "AskComparison: each question depends on the reports before it: "
            "play round by round, with play_labels"
        )
