"""P-COMW samples a Gibbs measure of past losses, and keeps it as long as rejection sampling allows."""

import math

import numpy as np

from private_experts.arrays import Array
from private_experts.errors import InputError
from private_experts.privacy.guarantees import GaussianDP
from private_experts.private_oco.gaussian import GibbsPlayer
from private_experts.private_oco.gibbs import Family, Law
from private_experts.validation import as_float, checked_number, generator, whole


class PCOMW(GibbsPlayer):
    """Private continuous online multiplicative weights. [001, Algorithm 1]

    A loss turns the Gibbs measure mu into mu'. The point x is kept with probability ``(1 - p) r``, where r is
    ``mu'(x) / (Phi mu(x))`` clipped to ``[Phi^-2, 1]``. Otherwise a new point is drawn from mu'. While no
    ratio is clipped, the law of the point is exactly the Gibbs measure. Once the budget is spent, the point
    stays for good. [mathematics/001.md#algorithm-1]

    With ``p = 0`` and no budget this is the lazy variant of Theorem 4.2, which is not private. For ``p > 0``
    and a known number of rounds the play is Gaussian-private, for exact sampling. With `LinearGibbs` the
    level is that of `play_level`. [mathematics/001.md#gaussian-draws] With `GridGibbs` it is one that holds
    on any grid and for losses that need not be convex, and as a rule much larger.
    [mathematics/001.md#finite-sets] How steep a loss is, is looked at in each round. Seeded randomness is a
    simulation and protects nobody.

    Parameters
    ----------
    family : GridGibbs or LinearGibbs
        The Gibbs measures. With `GridGibbs` actions are numbers of points, with `LinearGibbs` they are
        points.
    log_phi : float
        Logarithm of the scale Phi, at least 0.
    p : float
        Probability of a draw whatever the loss, in [0, 1].
    budget : float
        The largest number of draws; ``inf`` for no limit.
    rng : numpy.random.Generator or int
        Source of draws and lotteries.
    repetitions : int
        Number of independent copies.
    horizon : float
        The number of rounds T for which the guarantee is stated, whole and at least 1. By default the game
        has no end, and in general no guarantee.
    lipschitz : float
        The losses' Lipschitz constant G, positive. Where a guarantee is stated, a loss for which it would be
        false is refused.

    Attributes
    ----------
    draws : ndarray of int, shape (repetitions,)
        Number of draws of each copy, without its first point.
    guarantee : GaussianDP
        Of all T points together, when one loss is replaced by another; level ``inf`` when there is none.

    Raises
    ------
    InputError
        When a parameter is outside its range.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.private_oco import PCOMW, Box, LinearGibbs
    >>> from private_experts.private_oco.gaussian_accounting import lazy_private_parameters
    >>> from private_experts.randomness import rng_for
    >>> beta, lam, log_phi, p, budget = lazy_private_parameters(horizon=200, dimension=1, level=2.0)
    >>> family, rng = LinearGibbs(Box([-0.5], [0.5]), beta=beta, lam=lam), rng_for(0, "play")
    >>> learner = PCOMW(family, log_phi=log_phi, p=p, budget=budget, rng=rng, repetitions=50, horizon=200)
    >>> print(learner.guarantee)
    2-GDP (central, simulated noise)
    >>> for _ in range(199):  # the same loss again and again, which is least at -0.5
    ...     learner.update(np.array([1.0]))
    >>> round(float(learner.predict().mean()), 1), int(learner.draws.mean())
    (-0.5, 80)
    """

    STATE = ("draws", "_played", "_total", "_actions")
    DERIVED = ("_law", "_law_of")

    def __init__(
        self,
        family: Family,
        *,
        log_phi: float,
        p: float,
        budget: float,
        rng: np.random.Generator | int,
        repetitions: int = 1,
        horizon: float = math.inf,
        lipschitz: float = 1.0,
    ) -> None:
        log_phi, p, budget = checked_lottery(log_phi, p, budget)
        repetitions = whole(repetitions, "player", "repetitions")
        lipschitz = checked_number("player: lipschitz", lipschitz, 0, ends=False)
        if horizon != math.inf:
            horizon = whole(horizon, "player", "horizon")
        # Computed from the settings, not stated by the caller: parameters that are wrong show in the
        # guarantee.
        level = family.steps(lipschitz).level(horizon, log_phi, p, budget)
        self.guarantee = GaussianDP(level, "central", simulated=True)
        self.draws = np.zeros(repetitions, dtype=np.intp)
        self._family, self._log_phi, self._p, self._budget, self._rng = (
            family,
            log_phi,
            p,
            budget,
            generator(rng, "player"),
        )
        self._horizon, self._played = horizon, 0
        # With no privacy to lose steep losses are as good as others.
        self._lipschitz = math.inf if math.isinf(self.guarantee.mu) else lipschitz
        self._total = self._law_of = family.nothing
        self._law = family.law(self._total)
        self._actions = self._law.sample(self._rng, repetitions)

    def _take_in(self, loss: Array, law: Law | None = None) -> None:
        """Take in a loss that was looked at. `law` is the measure after it, if that is known."""
        self._played += 1
        if self._played >= self._horizon:
            return
        # a total that was loaded
        before = self._law if self._law_of is self._total else self._family.law(self._total)
        self._total = self._law_of = self._total + loss
        self._law = law or self._family.law(self._total)
        ratio = self._law.log_density(self._actions) - before.log_density(self._actions) - self._log_phi
        # Two draws for all copies in every round, also where a budget is spent: the stream stays the same.
        u, v = self._rng.random((2, self.draws.size))
        # v decides for a draw with chance p whatever the loss: without it a certain keep would tell of the
        # loss.
        kept = (u < np.exp(np.minimum(np.maximum(ratio, -2 * self._log_phi), 0.0))) & (v >= self._p)
        anew = (~kept & (self.draws < self._budget)).nonzero()[0]
        if anew.size:
            self._actions[anew] = self._law.sample(self._rng, anew.size)
            self.draws[anew] += 1


def checked_lottery(log_phi: float, p: float, budget: float) -> tuple[float, float, float]:
    """Return log Phi, finite and >= 0, p in [0, 1], and a budget >= 0, which may be inf, as floats."""
    draws = as_float(budget)
    if not draws >= 0:
        raise InputError(f"P-COMW: budget = {budget}: write how often may be drawn anew, or inf for no limit")
    return checked_number("P-COMW: log Phi", log_phi, 0), checked_number("P-COMW: p", p, 0, 1), draws
