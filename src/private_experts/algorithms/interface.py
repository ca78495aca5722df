"""The interface of all algorithms. Each plays many independent copies of the same game at once."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from private_experts.privacy.guarantees import ApproximateDP, GaussianDP, PureDP


class Algorithm(Protocol):
    """Names an expert each round, and is then told the gains of the round.

    The first axis of all state is the repetition: independent copies of one game that differ in their noise.
    Gains are fractions of the best possible reward, in [0, 1]. Ties go to the lowest index.
    """

    @property
    def guarantee(self) -> GaussianDP | PureDP | ApproximateDP:
        """The privacy guarantee: its kind, its level, and its model, ``local`` or ``central``."""
        ...

    def predict(self) -> NDArray[np.intp]:
        """Return the experts to follow in the coming round, shape (repetitions,)."""
        ...

    def update(self, gains: NDArray[np.float64]) -> None:
        """Take in the round that was just played.

        Parameters
        ----------
        gains : ndarray
            ``local`` algorithms get noisy reports, shape (repetitions, n), and never see a true gain. A shape (n,)
            is taken as one report for all repetitions. ``central`` algorithms get the true gains, shape (n,). Some of
            them also take the shape (repetitions, n); then each repetition plays on a stream of its own.
        """
        ...
