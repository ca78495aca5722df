"""A fresh draw from the Gibbs measure of the past losses, in every round."""

import math

import numpy as np

from private_experts.arrays import Array
from private_experts.privacy.guarantees import GaussianDP
from private_experts.private_oco.gaussian import GibbsPlayer
from private_experts.private_oco.gibbs import Family, Law
from private_experts.validation import checked_number, generator, whole


class GibbsEveryRound(GibbsPlayer):
    """Plays a point drawn from ``exp(-beta (l_1 + ... + l_(t-1) + lam/2 |x|^2))``, afresh in each round t.

    It is `PCOMW` with ``p = 1``, and needs no lottery, no budget and no scale Phi. With `LinearGibbs`, T
    rounds are level-GDP for the level ``2 G sqrt(beta (T - 1) / lam)``. `every_round_parameters` gives beta
    and lam for a level. [mathematics/001.md#every-round] With `GridGibbs` the stated level holds on any grid
    and for losses that need not be convex, but it is as a rule much larger. [mathematics/001.md#finite-sets]

    The guarantee is for G-Lipschitz losses and exact sampling. How steep a loss is, is looked at in each
    round. Seeded randomness is a simulation and protects nobody.

    Parameters
    ----------
    family : GridGibbs or LinearGibbs
        The Gibbs measures. With `GridGibbs` actions are numbers of points, with `LinearGibbs` they are
        points.
    horizon : int
        The number of rounds T for which the guarantee is stated, at least 2.
    rng : numpy.random.Generator or int
        Source of draws.
    repetitions : int
        Number of independent copies.
    lipschitz : float
        The losses' Lipschitz constant G, positive. A loss for which the guarantee would be false is refused.

    Attributes
    ----------
    guarantee : GaussianDP
        Of all T points together, when one loss is replaced by another.

    Raises
    ------
    InputError
        When there are fewer than 2 rounds, or another parameter is outside its range.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.private_oco import Box, GibbsEveryRound, LinearGibbs
    >>> from private_experts.private_oco.gaussian_accounting import every_round_parameters
    >>> from private_experts.randomness import rng_for
    >>> beta, lam = every_round_parameters(horizon=50, dimension=1, level=1.0)
    >>> family = LinearGibbs(Box([-0.5], [0.5]), beta=beta, lam=lam)
    >>> learner = GibbsEveryRound(family, horizon=50, rng=rng_for(0, "play"), repetitions=3)
    >>> learner.update(np.array([1.0]))
    >>> learner.predict().shape, str(learner.guarantee)
    ((3, 1), '1-GDP (central, simulated noise)')
    """

    STATE = ("_played", "_total", "_actions")

    def __init__(
        self,
        family: Family,
        *,
        horizon: int,
        rng: np.random.Generator | int,
        repetitions: int = 1,
        lipschitz: float = 1.0,
    ) -> None:
        lipschitz = checked_number("player: lipschitz", lipschitz, 0, ends=False)
        repetitions = whole(repetitions, "player", "repetitions")
        horizon = whole(horizon, "player", "horizon", least=2)
        # T - 1: the first draw knows no loss, and the last loss meets no draw.
        level = family.steps(lipschitz).draw * math.sqrt(horizon - 1)
        self.guarantee = GaussianDP(level, "central", simulated=True)
        self._family, self._rng, self._repetitions, self._lipschitz = (
            family,
            generator(rng, "player"),
            repetitions,
            lipschitz,
        )
        self._horizon, self._played = horizon, 0
        self._total = family.nothing
        self._actions = family.law(self._total).sample(self._rng, repetitions)

    def _take_in(self, loss: Array, law: Law | None = None) -> None:
        """Take in a loss that was looked at. `law` is the measure after it, if that is known."""
        self._played += 1
        # A draw after the last loss would be one more than the guarantee counts.
        if self._played < self._horizon:
            self._total = self._total + loss
            self._actions = (law or self._family.law(self._total)).sample(self._rng, self._repetitions)
