"""Follow the leader among learners, whose actions are credited with several rounds' reports.

A learner names an expert because its past reports were high. If the noise of reports is correlated over
rounds, as that of a curator is, the next report tends to undo that noise, and its credit is too low on
average. The mean over some rounds from the action on is less affected. [mathematics/000.md#smoothed-credits]
"""

from collections import deque
from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from private_experts.algorithms.credited_leader import CreditedLeader, Learner
from private_experts.arrays import Array, Indices
from private_experts.privacy.guarantees import GaussianDP
from private_experts.validation import whole


class SmoothedLeader(CreditedLeader):
    """Plays the learner with the largest credit, without extra noise. [mathematics/000.md#smoothed-credits]

    An action is credited with the mean report of its expert over `span` rounds, its own round the first.
    Until these are over it is the mean of those that there are. With a span of 1 these are the credits of
    RW-Meta.

    Parameters
    ----------
    learners, guarantee
        As for `CreditedLeader`.
    span : int
        Number of rounds, at least 1.

    Raises
    ------
    InputError
        When the span is below 1, or the guarantee is not Gaussian privacy.

    Examples
    --------
    A learner names expert 0, then 1. The second report counts for both actions: ``(1 + 0.6) / 2 + 0.1``.

    >>> import numpy as np
    >>> from private_experts.algorithms import SmoothedLeader
    >>> from private_experts.learners import Recorded
    >>> from private_experts.privacy import GaussianDP, Reports
    >>> guarantee = GaussianDP(1.0, "central")
    >>> leader = SmoothedLeader([Recorded(np.array([[[0]], [[1]]]))], guarantee, span=2)
    >>> for values in [1.0, 0.0], [0.6, 0.1]:
    ...     leader.update(Reports(np.array([values]), guarantee, scale=0.5))
    ...     print(leader.totals.round(4).tolist())
    [[1.0]]
    [[0.9]]
    """

    STATE = ("_open", "_settled")

    def __init__(
        self, learners: Iterable[Learner] | Mapping[str, Any], guarantee: GaussianDP, *, span: int
    ) -> None:
        span = whole(span, "smoothed leader", "span")
        super().__init__(learners, guarantee)
        # The actions of the last rounds, and the sums of their experts' reports since.
        self._open: deque[tuple[Indices, Array]] = deque(maxlen=span)
        self._settled: Array | float = 0.0

    def _credit(self, advice: Indices, reports: Array) -> None:
        """Credit the actions (repetitions, m) of the last rounds with the reports (repetitions, n)."""
        # An action whose span is over is divided by the whole span and then never touched again.
        if len(self._open) == self._open.maxlen:
            _, credit = self._open.popleft()
            self._settled = self._settled + credit / self._open.maxlen
        self._open.append((advice, np.zeros(advice.shape)))
        self.totals, rows = self._settled + np.zeros(advice.shape), np.arange(len(advice))[:, None]
        for since, (actions, credit) in zip(range(len(self._open), 0, -1), self._open, strict=True):
            credit += reports[rows, actions]
            self.totals += credit / since
