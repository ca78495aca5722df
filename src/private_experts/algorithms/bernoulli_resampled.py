"""Bernoulli resampling: an algorithm sees coin flips whose means are the gains."""

import math

import numpy as np

from private_experts.algorithms.base import BaseAlgorithm
from private_experts.algorithms.central import CentralAlgorithm, unchecked
from private_experts.algorithms.door import door, settings_inside, unit_of
from private_experts.algorithms.interface import Algorithm
from private_experts.arrays import Array, Indices
from private_experts.errors import InputError
from private_experts.ownership import bind
from private_experts.privacy.guarantees import ApproximateDP, GaussianDP, PureDP
from private_experts.privacy.participation import Participation, times_in
from private_experts.tabular import UNIT
from private_experts.validation import generator


class BernoulliResampled(CentralAlgorithm):
    """Replaces each gain by an independent coin flip with that mean, and passes the flips to an algorithm.

    Expected gains do not change, so bounds on the pseudo-regret carry over. The guarantee carries over too,
    because the flips of a round depend on that round alone. Gains that are 0 or 1 stay as they are.

    Around `DyadicLeader` this is the algorithm of Wu and Wang (ALT 2026) as reconstructed from their abstract
    and from what paper 002 says of it. Their own text was not seen. [mathematics/002.md#bernoulli-resampling]

    Parameters
    ----------
    n : int
        Number of experts.
    algorithm : Algorithm
        An algorithm of the central model.
    rng : numpy.random.Generator or int
        The source of the flips.
    repetitions : int
        Number of copies that `algorithm` plays. Each has its own flips.

    Raises
    ------
    InputError
        When the algorithm is not of the central model, or plays with other numbers of experts or copies, or
        was made for a sensitivity below sqrt(n), as one person can change all flips of a round.

    Examples
    --------
    The guarantee is that of the algorithm inside:

    >>> import numpy as np
    >>> from private_experts.algorithms import BernoulliResampled, DyadicLeader
    >>> from private_experts.games import play
    >>> from private_experts.privacy import PureDP
    >>> from private_experts.randomness import rng_for
    >>> leader = DyadicLeader(2, PureDP(1.0, "central"), rng=rng_for(0, "selection"))
    >>> algorithm = BernoulliResampled(2, leader, rng=rng_for(0, "flips"))
    >>> print(algorithm.guarantee)
    1-DP (central, simulated noise)
    >>> play(algorithm, np.tile([0.25, 0.75], (60, 1)))[-1].tolist()
    [1]
    """

    STATE = ()

    def __init__(
        self, n: int, algorithm: Algorithm, *, rng: np.random.Generator | int, repetitions: int = 1
    ) -> None:
        super().__init__("resampling", n, repetitions)
        model = algorithm.guarantee.model
        if model != "central":
            raise InputError(
                f"resampling: an algorithm of the {model} model was given; write one of the central model"
            )
        if isinstance(algorithm, CentralAlgorithm) and (algorithm.n, algorithm.repetitions) != (
            n,
            repetitions,
        ):
            raise InputError(
                f"resampling: n = {n} and repetitions = {repetitions}: write {algorithm.n} and "
                f"{algorithm.repetitions}, as the algorithm inside has"
            )
        reaches = [float(np.min(reach.value)) for reach in settings_inside(algorithm)]
        # However little a person moves gains, flips are moved by 1: noise for less would not give the level.
        if min(reaches, default=math.inf) < math.sqrt(n) or unit_of("resampling", algorithm) not in (
            None,
            UNIT,
        ):
            raise InputError(
                f"resampling: {type(algorithm).__name__} is for a sensitivity of "
                f"{min(reaches, default=0):g}, and flips have {math.sqrt(n):g}: make it with "
                "that, without bounds"
            )
        self._algorithm = algorithm
        # The flips are 0 or 1 by construction, so looking at them again would only cost time.
        self._tell = unchecked(algorithm) or door(algorithm)
        self._rng = generator(rng, "resampling")

    @property
    def guarantee(self) -> GaussianDP | PureDP | ApproximateDP:
        """The guarantee of the inner algorithm."""
        return self._algorithm.guarantee

    def times_in(self, participation: Participation) -> float | None:
        """Return what a person in several rounds has of the algorithm inside, whatever the flips are."""
        return times_in(self._algorithm, participation)

    def predict(self) -> Indices:
        """Return the experts of the coming round, shape (repetitions,). See `Algorithm.predict`."""
        bind(self._algorithm, self)
        return self._algorithm.predict()

    def probabilities(self) -> Array:
        """Return what the algorithm inside returns, given the flips. See `BaseAlgorithm.probabilities`."""
        if not isinstance(self._algorithm, BaseAlgorithm):
            return super().probabilities()
        return self._algorithm.probabilities()

    def update_unchecked(self, gains: Array) -> None:
        """Flip the coins of a round. See `CentralAlgorithm.update_unchecked`."""
        bind(self._algorithm, self)
        # Fresh for each copy, also where copies share the gains: the flips are part of a copy's randomness.
        flips = self._rng.random((self.repetitions, self.n)) < gains
        self._tell(flips.astype(np.float64))
