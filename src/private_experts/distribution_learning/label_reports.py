"""What leaves the users' devices: private reports of labels, with the mechanism that made them."""

from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from private_experts.errors import InputError
from private_experts.privacy.guarantees import ApproximateDP, PureDP


class Randomizer(Protocol):
    """What users ran, as far as their reports tell; `Mechanism` is all of it."""

    @property
    def guarantee(self) -> PureDP | ApproximateDP:
        """The privacy guarantee of one report."""


@dataclass(frozen=True, eq=False)
class LabelReports:
    """The private reports of one round, one in each repetition. [mathematics/003.md#setting]

    `Mechanism.privatize` makes them, and a learner takes nothing else. So true labels cannot reach a learner
    by mistake. Who receives reports over a network puts them together from the values and the mechanism that
    users run.

    Parameters
    ----------
    values : ndarray, shape (repetitions, K) or (repetitions,)
        Private losses, or reported labels, as the mechanism says.
    mechanism : Mechanism
        What the users ran.

    Raises
    ------
    InputError
        When `values` is no array.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.distribution_learning import RandomizedResponse
    >>> from private_experts.privacy import PureDP
    >>> mechanism = RandomizedResponse(2, PureDP(1.0, "local"), labels=4, horizon=10)
    >>> classes = np.array([[0.7, 0.1, 0.1, 0.1], [0.1, 0.1, 0.1, 0.7]])
    >>> reports = mechanism.privatize(np.array([0, 3]), classes, np.random.default_rng(1))
    >>> reports.values.shape, str(reports.guarantee)
    ((2,), '1-DP (local, simulated noise)')
    """

    values: NDArray[Any]
    mechanism: Randomizer

    def __post_init__(self) -> None:
        if not isinstance(self.values, np.ndarray):
            raise InputError(f"reports: values of type {type(self.values).__name__}: write an array")

    @property
    def guarantee(self) -> PureDP | ApproximateDP:
        """The privacy guarantee of each report, which is that of the mechanism."""
        return self.mechanism.guarantee

    @classmethod
    def received(cls, reports: object, mechanism: Randomizer) -> NDArray[Any]:
        """Return the values of reports, if they were made by this mechanism or by an equal one."""
        if not isinstance(reports, cls):
            raise InputError(
                f"reports of type {type(reports).__name__}: give the learner what "
                "mechanism.privatize(labels, classes, rng) returns, for it must not see true labels"
            )
        # By value: a receiver over a network has a mechanism of its own with the users' settings.
        if reports.mechanism is not mechanism and reports.mechanism != mechanism:
            raise InputError(
                f"reports by {reports.mechanism}: privatize the labels with the learner's own {mechanism}"
            )
        return reports.values
