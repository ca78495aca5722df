"""Bernoulli resampling: an algorithm sees coin flips whose means are the gains."""

import numpy as np
from numpy.typing import NDArray

from private_experts.algorithms.interface import Algorithm
from private_experts.privacy.guarantees import ApproximateDP, GaussianDP, PureDP

Array = NDArray[np.float64]


class BernoulliResampled:
    """Replaces each gain by an independent coin flip with the gain as its mean, and passes the flips to an algorithm.

    Expected gains do not change, so bounds on the pseudo-regret carry over. The guarantee carries over too, because the
    flips of a round depend on that round alone. Gains that are 0 or 1 stay as they are.

    Around `DyadicLeader` this is the algorithm of Wu and Wang (ALT 2026) as reconstructed from their abstract and from
    what paper 002 says of it. Their own text was not seen. [mathematics/002.md#bernoulli-resampling]

    Parameters
    ----------
    algorithm : Algorithm
        An algorithm of the central model.
    rng : numpy.random.Generator
        The source of the flips.
    repetitions : int
        Number of copies that `algorithm` plays. Each has its own flips.
    """

    def __init__(self, algorithm: Algorithm, rng: np.random.Generator, repetitions: int = 1) -> None:
        self._algorithm = algorithm
        self._rng = rng
        self._repetitions = repetitions

    @property
    def guarantee(self) -> GaussianDP | PureDP | ApproximateDP:
        """The guarantee of the inner algorithm."""
        return self._algorithm.guarantee

    def predict(self) -> NDArray[np.intp]:
        """Return the experts of the coming round, shape (repetitions,)."""
        return self._algorithm.predict()

    def update(self, gains: Array) -> None:
        """Flip the coins of a round. Its gains, shape (n,) or (repetitions, n), are in [0, 1]."""
        flips = self._rng.random((self._repetitions, gains.shape[-1])) < gains
        self._algorithm.update(flips.astype(np.float64))
