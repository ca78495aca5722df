"""Learners whose actions are already known."""

import numpy as np
from numpy.typing import NDArray


class Recorded:
    """Replays recorded actions, so that several algorithms can choose between learners that played once.

    Parameters
    ----------
    actions : ndarray of int, shape (T, m, repetitions)
        What the learners did. Learners see only the reports, so their actions do not depend on the algorithm that
        chooses between them.
    """

    def __init__(self, actions: NDArray[np.intp]) -> None:
        self._actions = actions
        self._round = 0

    def predict(self) -> NDArray[np.intp]:
        """Return the actions of the coming round, shape (m, repetitions)."""
        return self._actions[self._round]

    def update(self, gains: NDArray[np.float64]) -> None:
        """Go on to the next round."""
        self._round += 1
