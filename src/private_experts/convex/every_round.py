"""A fresh draw from the Gibbs measure of the past losses, in every round."""

import numpy as np
from numpy.typing import NDArray

from private_experts.convex.gaussian_accounting import check_level, every_round_level
from private_experts.convex.gibbs import Family, check_positive
from private_experts.privacy.guarantees import GaussianDP

Array = NDArray[np.float64]


class GibbsEveryRound:
    """Plays a point drawn from ``exp(-beta (l_1 + ... + l_(t-1) + lam/2 |x|^2))``, afresh in each round t.

    It is `PCOMW` with ``p = 1``, and needs no lottery, no budget and no scale Phi. In T rounds it is level-GDP for the
    level ``2 G sqrt(beta (T - 1) / lam)``. `every_round_parameters` gives beta and lam for a level.
    [mathematics/001.md#every-round]

    The guarantee is for convex G-Lipschitz losses and exact sampling. Seeded randomness is a simulation and protects
    nobody.

    Parameters
    ----------
    family : GridGibbs or LinearGibbs
        The Gibbs measures.
    horizon : int
        The number of rounds T for which the guarantee is stated, at least 2.
    rng : numpy.random.Generator
        Source of draws.
    repetitions : int
        Number of independent copies.
    lipschitz : float
        The losses' Lipschitz constant G.

    Attributes
    ----------
    guarantee : GaussianDP
        Of all T points together, when one loss is replaced by another.

    Raises
    ------
    InputError
        When there are fewer than 2 rounds, or the constant is not positive.
    """

    def __init__(
        self, family: Family, horizon: int, rng: np.random.Generator, repetitions: int = 1, lipschitz: float = 1.0
    ) -> None:
        check_positive(lipschitz=lipschitz)
        level = every_round_level(lipschitz * (family.beta / family.lam) ** 0.5, max(horizon, 1))
        check_level(horizon, level)
        self.guarantee = GaussianDP(level, "central")
        self._family, self._rng, self._repetitions = family, rng, repetitions
        self._total = family.nothing
        self._actions = family.law(self._total).sample(rng, repetitions)

    def predict(self) -> NDArray:
        """Return the actions of the coming round, one for each repetition."""
        return self._actions.copy()

    def update(self, loss: Array) -> None:
        """Take in the loss of a round, in the form of the family: values at the grid's points, or a slope."""
        self._total = self._total + loss
        self._actions = self._family.law(self._total).sample(self._rng, self._repetitions)
