"""P-COMW samples a Gibbs measure of the past losses, and keeps the sample as long as rejection sampling allows."""

import math

import numpy as np
from numpy.typing import NDArray

from private_experts.convex.gibbs import Family
from private_experts.errors import InputError

Array = NDArray[np.float64]


class PCOMW:
    """Private continuous online multiplicative weights. [001, Algorithm 1]

    A loss turns the Gibbs measure mu into mu'. The point x is kept with probability ``(1 - p) r``, where r is
    ``mu'(x) / (Phi mu(x))`` clipped to ``[Phi^-2, 1]``. Otherwise a new point is drawn from mu'. While no ratio is
    clipped, the law of the point is exactly the Gibbs measure. Once the budget is spent, the point stays for good.
    [mathematics/001.md#algorithm-1]

    With ``p = 0`` and no budget this is the lazy variant of Theorem 4.2, which is not private. For ``p > 0``,
    `gaussian_accounting` says what the actions cost in privacy, and `parameters` what the paper's proof says, assuming
    exact sampling. Seeded randomness is a simulation and protects nobody.

    Parameters
    ----------
    family : Family
        The Gibbs measures: `GridGibbs` (actions are numbers of points) or `LinearGibbs` (actions are points).
    log_phi : float
        Logarithm of the scale Phi, at least 0.
    p : float
        Probability of a draw whatever the loss, in [0, 1].
    budget : float
        The largest number of draws; ``inf`` for no limit.
    rng : numpy.random.Generator
        Source of draws and lotteries.
    repetitions : int
        Number of independent copies.

    Attributes
    ----------
    draws : ndarray of int, shape (repetitions,)
        Number of draws of each copy, without its first point.

    Raises
    ------
    InputError
        When a parameter is outside its range.
    """

    def __init__(
        self,
        family: Family,
        log_phi: float,
        p: float,
        budget: float,
        rng: np.random.Generator,
        repetitions: int = 1,
    ) -> None:
        check_lottery(log_phi, p, budget)
        self.draws = np.zeros(repetitions, dtype=np.intp)
        self._family, self._log_phi, self._p, self._budget, self._rng = family, log_phi, p, budget, rng
        self._total = family.nothing
        self._law = family.law(self._total)
        self._actions = self._law.sample(rng, repetitions)

    def predict(self) -> NDArray:
        """Return the actions of the coming round, one for each repetition."""
        return self._actions.copy()

    def update(self, loss: Array) -> None:
        """Take in the loss of a round, in the form of the family: values at the grid's points, or a slope."""
        self._total = self._total + loss
        before, self._law = self._law, self._family.law(self._total)
        ratio = self._law.log_density(self._actions) - before.log_density(self._actions) - self._log_phi
        u, v = self._rng.random((2, self.draws.size))
        kept = (u < np.exp(np.clip(ratio, -2 * self._log_phi, 0.0))) & (v >= self._p)
        anew = np.flatnonzero(~kept & (self.draws < self._budget))
        self._actions[anew] = self._law.sample(self._rng, anew.size)
        self.draws[anew] += 1


def check_lottery(log_phi: float, p: float, budget: float) -> None:
    """Refuse parameters outside their range.

    Raises
    ------
    InputError
        When one is.
    """
    if not 0 <= log_phi < math.inf:
        raise InputError(f"P-COMW: log Phi = {log_phi}: write a number of at least 0")
    if not 0 <= p <= 1:
        raise InputError(f"P-COMW: p = {p}: write a number from 0 to 1")
    if not budget >= 0:
        raise InputError(f"P-COMW: budget = {budget}: write how often may be drawn anew, or inf for no limit")
