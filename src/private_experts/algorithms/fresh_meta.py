"""RW-Meta mended: extra noise that is fresh and independent in every round.

RW-Meta builds its extra noise so that it fits the noise of the reports. Learners that look at past reports know that
noise, and can make the choice between them predictable. Here the extra noise does not depend on the reports. Given the
past, the choice then follows a smooth law of the credited totals, and the regret bound holds for learners that react to
the reports. The scales come from `fresh_scales`. [mathematics/000.md#fresh-noise]
"""

import itertools
from collections.abc import Iterable, Iterator

import numpy as np
from numpy.typing import NDArray

from private_experts.algorithms.credited_leader import CreditedLeader, Learner
from private_experts.errors import InputError
from private_experts.privacy.guarantees import GaussianDP

Array = NDArray[np.float64]


class FreshMeta(CreditedLeader):
    """Private choice between learners that may react to the reports: fresh noise in every round.

    It plays the action of ``argmax_i(X_i + s_t N_i + b G_i)``. Here X are the credited totals of the learners, N are
    standard normals and G standard Gumbels, all independent and drawn anew. The paper has no such algorithm.
    [mathematics/000.md#theorem-3-fresh]

    Parameters
    ----------
    learners, guarantee
        See `CreditedLeader`.
    scale : float or iterable of float
        The normal scale s_t: one number, or one for each round in turn. It must not depend on the data.
    rng : numpy.random.Generator
        For the extra noise. It protects no data, so a plain generator is enough.
    gumbel : float
        The Gumbel scale b. With ``scale=0`` the choice is that of exponential weights with rate 1/b.
    """

    def __init__(
        self,
        learners: Iterable[Learner],
        guarantee: GaussianDP,
        scale: float | Iterable[float],
        rng: np.random.Generator,
        gumbel: float = 0.0,
    ) -> None:
        super().__init__(learners, guarantee)
        self._rng = rng
        self.gumbel = gumbel
        self._scales: Iterator[float] = iter(scale) if isinstance(scale, Iterable) else itertools.repeat(scale)
        self._scale: float | None = None  # that of the coming round, once it is asked for

    def _extra(self) -> Array:
        """Draw the extra noise of the coming round, shape (repetitions, m)."""
        if self._scale is None:
            self._scale = next(self._scales, None)
        if self._scale is None:
            raise InputError(f"FreshMeta: scale ended before round {self._round}; give one for each round")
        noise = self._scale * self._rng.standard_normal(self.totals.shape)
        if self.gumbel > 0:
            noise += self.gumbel * self._rng.gumbel(size=self.totals.shape)
        return noise

    def update(self, gains: Array) -> None:
        """Credit each learner with the noisy gain of its action, and pass the reports on, (repetitions, n)."""
        if self._scale is None:
            next(self._scales, None)  # a round in which nobody asked for the choice has its scale too
        self._scale = None
        super().update(gains)
