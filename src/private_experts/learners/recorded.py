"""Learners whose actions are already known."""

from private_experts.arrays import Indices
from private_experts.descriptions import Described
from private_experts.privacy.reports import Reports


class Recorded(Described):
    """Replays recorded actions, so that several algorithms can choose between learners that played once.

    That the actions were taken on private reports alone is the caller's word; nothing can check it.

    Parameters
    ----------
    actions : ndarray of int, shape (T, m, repetitions)
        What the m learners did in T rounds. Learners see only the reports, so their actions do not depend on
        the algorithm that chooses between them.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.learners import Recorded
    >>> from private_experts.privacy import GaussianDP, Reports
    >>> learners = Recorded(np.array([[[0], [1]], [[2], [1]]]))  # two rounds of two learners, in one copy
    >>> learners.predict().tolist()
    [[0], [1]]
    >>> learners.update(Reports(np.array([[0.2, 0.9, 0.4]]), GaussianDP(1.0, "local"), scale=0.1))
    >>> learners.predict().tolist()
    [[2], [1]]
    """

    STATE = ("_round",)

    def __init__(self, actions: Indices) -> None:
        self.shape: tuple[int, int | None] = actions.shape[-1], None  # nobody says for how many experts
        self._actions = actions
        self._round = 0

    def predict(self) -> Indices:
        """Return the actions of the coming round, shape (m, repetitions). See `Learner.predict`."""
        # No copy: the actions of many rounds are shared by all choices that replay them.
        result: Indices = self._actions[self._round]
        return result

    def update(self, report: Reports) -> None:
        """Go on to the next round. The report is not looked at."""
        self._round += 1
