"""A learner that follows the leader of the noisy totals, on reports of any kind."""

from collections.abc import Sequence

import numpy as np

from private_experts.arrays import Indices
from private_experts.descriptions import Described
from private_experts.privacy.reports import Reports, check_report


class TotalsLeader(Described):
    """Plays the expert whose noisy total is the largest so far.

    On local reports this is what `RWFTPL` does. It may listen to a curator as well.

    Parameters
    ----------
    first_report : Reports
        Reports on nothing, from `privatize` of zeros (with `bounds`, of the gains that become 0): what the
        totals begin with, z_0. They make the first action random. Later reports must be as private as they
        are.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.learners import TotalsLeader
    >>> from private_experts.privacy import GaussianDP, Reports
    >>> curator = GaussianDP(1.0, "central")
    >>> leader = TotalsLeader(Reports(np.array([[0.1, 0.0]]), curator, scale=0.5))
    >>> leader.predict().tolist()
    [0]
    >>> leader.update(Reports(np.array([[0.2, 0.9]]), curator, scale=0.5))
    >>> leader.predict().tolist()
    [1]
    """

    STATE = ("total",)

    def __init__(self, first_report: Reports) -> None:
        self.guarantee = check_report(first_report, None, None).guarantee
        self.noise_scale = first_report.scale  # which `play` compares with that of its reports
        self.shape = first_report.values.shape
        self.total = first_report.values.copy()

    def predict(self) -> Indices:
        """Return the leader of each repetition, shape (repetitions,). See `Learner.predict`."""
        result: Indices = self.total.argmax(axis=-1)
        return result

    def update(self, report: Reports) -> None:
        """Add the noisy reports of a round. See `Learner.update`."""
        self.total += check_report(report, self.guarantee, *self.total.shape).values

    def play_known(self, reports: Sequence[Reports]) -> Indices:
        """Play by `predict` and `update` in turn, shape (T, repetitions)."""
        values = [check_report(report, self.guarantee, *self.total.shape).values for report in reports]
        actions = np.empty((len(values), len(self.total)), dtype=np.intp)
        for named, gains in zip(actions, values, strict=True):
            self.total.argmax(axis=-1, out=named)
            self.total += gains
        return actions
