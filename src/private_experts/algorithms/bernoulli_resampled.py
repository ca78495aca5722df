"""Bernoulli resampling: an algorithm is told coin flips with the gains as their means."""

import numpy as np
from numpy.typing import NDArray

from private_experts.algorithms.interface import Algorithm
from private_experts.privacy.guarantees import ApproximateDP, GaussianDP, PureDP

Array = NDArray[np.float64]


class BernoulliResampled:
    """Replaces each gain by an independent coin flip with the gain as its mean, and tells an algorithm that.

    Means and therefore pseudo-regret stay what they are, and so does the guarantee: the flips of a round depend on
    that round alone. Around `DyadicLeader` it is the algorithm of Wu and Wang (ALT 2026) as reconstructed from their
    abstract and from what others say of it; their own text was not seen. [002.4, spec: RECONSTRUCTED]

    Parameters
    ----------
    algorithm : Algorithm
        Of the central model.
    rng : numpy.random.Generator
        Where the flips come from.
    repetitions : int
        Number of copies that `algorithm` plays; each has flips of its own.
    """

    def __init__(self, algorithm: Algorithm, rng: np.random.Generator, repetitions: int = 1) -> None:
        self._algorithm = algorithm
        self._rng = rng
        self._repetitions = repetitions

    @property
    def guarantee(self) -> GaussianDP | PureDP | ApproximateDP:
        """What the algorithm inside promises."""
        return self._algorithm.guarantee

    def predict(self) -> NDArray[np.intp]:
        """Return the experts of the coming round, shape (repetitions,)."""
        return self._algorithm.predict()

    def update(self, gains: Array) -> None:
        """Flip the coins of a round whose gains, shape (n,) or (repetitions, n), are in [0, 1]."""
        flips = self._rng.random((self._repetitions, gains.shape[-1])) < gains
        self._algorithm.update(flips.astype(np.float64))
