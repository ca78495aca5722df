"""The one interface: every algorithm plays many independent copies of the same game at once."""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from private_experts.privacy.guarantees import ApproximateDP, GaussianDP, PureDP


class Algorithm(Protocol):
    """Names an expert each round, then is told what the round gave.

    The leading axis of all state is the repetition: independent copies of one game that differ in their noise.
    Gains are fractions of the best conceivable reward, in [0, 1]. Ties go to the lowest index.
    """

    @property
    def guarantee(self) -> GaussianDP | PureDP | ApproximateDP:
        """What is promised, at which level, and to whom: ``local`` or ``central``."""
        ...

    def predict(self) -> NDArray[np.intp]:
        """Return the experts to follow in the coming round, shape (repetitions,)."""
        ...

    def update(self, gains: NDArray[np.float64]) -> None:
        """Take in the round that was just played.

        Parameters
        ----------
        gains : ndarray
            ``local`` algorithms get noisy reports, shape (repetitions, n), and never see a true gain (shape
            (n,) is taken as one report for all repetitions); ``central`` ones get the true gains, shape (n,).
            Some of these also take a shape (repetitions, n): each repetition then plays on a stream of its own.
        """
        ...
