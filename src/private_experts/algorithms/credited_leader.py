"""Follow the leader among learners: what RW-Meta and its mended form share."""

from collections.abc import Iterable
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from private_experts.privacy.guarantees import GaussianDP

Array = NDArray[np.float64]


class Learner(Protocol):
    """One learner or several, whose actions depend on noisy reports alone."""

    def predict(self) -> NDArray[np.intp]:
        """Return actions, shape (repetitions,) for one learner or (m, repetitions) for m of them."""
        ...

    def update(self, gains: Array) -> None:
        """Take in the noisy reports of a round, shape (repetitions, n)."""
        ...


class CreditedLeader:
    """Credits each learner with the reports of its actions, and follows the leader of the totals.

    Choices with extra noise, or with other credits, derive from it and replace `_extra` or `_credit`. It sees only the
    reports, so its guarantee is theirs, whatever the number of learners.

    Parameters
    ----------
    learners : iterable of Learner
        The learners; each may stand for several. They are played and updated by this object.
    guarantee : GaussianDP
        The guarantee of the reports, local or central.
    """

    def __init__(self, learners: Iterable[Learner], guarantee: GaussianDP) -> None:
        self.guarantee = guarantee
        self._learners = tuple(learners)
        self._round = 1
        self._actions: NDArray[np.intp] | None = None
        self.totals: Array = np.zeros(0)  # (repetitions, m), once the first round tells their number

    def _advice(self) -> NDArray[np.intp]:
        """Return the learners' actions in the coming round, shape (repetitions, m). They are asked once a round."""
        if self._actions is None:
            self._actions = np.vstack([learner.predict() for learner in self._learners]).T
            if self._round == 1:
                self.totals = np.zeros(self._actions.shape)
        return self._actions

    def _extra(self) -> Array | float:
        """Return the extra noise of the coming round, shape (repetitions, m): none."""
        return 0.0

    def _credit(self, advice: NDArray[np.intp], reports: Array) -> None:
        """Credit the actions (repetitions, m) of a round with its reports (repetitions, n)."""
        self.totals += np.take_along_axis(reports, advice, axis=-1)

    def predict(self) -> NDArray[np.intp]:
        """Return the chosen learner's action, shape (repetitions,)."""
        advice = self._advice()
        chosen = (self.totals + self._extra()).argmax(axis=-1)
        return np.take_along_axis(advice, chosen[:, None], axis=-1)[:, 0]

    def update(self, gains: Array) -> None:
        """Credit the learners for their actions, and pass the reports on, (repetitions, n)."""
        advice = self._advice()
        self._credit(advice, np.broadcast_to(gains, (advice.shape[0], gains.shape[-1])))
        for learner in self._learners:
            learner.update(gains)
        self._actions = None
        self._round += 1
