"""RW-Meta mended: extra noise that is fresh and independent in every round.

RW-Meta builds its extra noise so that it fits the noise of the reports. Learners that look at past reports
know that noise, and can make the choice between them predictable. Here the extra noise does not depend on the
reports. Given the past, the choice then follows a smooth law of the credited totals, and the regret bound
holds for learners that react to the reports. The scales come from `fresh_scales`.
[mathematics/000.md#fresh-noise]
"""

import hashlib
import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from numbers import Real
from typing import Any

import numpy as np

from private_experts.algorithms.credited_leader import CreditedLeader, Learner
from private_experts.arrays import Array
from private_experts.errors import InputError
from private_experts.privacy.guarantees import GaussianDP
from private_experts.validation import checked_number, generator


class FreshMeta(CreditedLeader):
    """Private choice between learners that may react to the reports: fresh noise in every round.

    It plays the action of ``argmax_i(X_i + s_t N_i + b G_i)``. Here X are the credited totals of the
    learners, N are standard normals and G standard Gumbels, all independent and drawn anew. The paper has no
    such algorithm. [mathematics/000.md#theorem-3-fresh]

    Parameters
    ----------
    learners, guarantee
        As for `CreditedLeader`.
    scale : float or iterable of float
        The normal scale s_t, at least 0: one number, or one for each round in turn. It must not depend on the
        data.
    rng : numpy.random.Generator or int
        For the extra noise. It protects no data, so a plain generator is enough.
    gumbel : float
        The Gumbel scale b, at least 0. With ``scale=0`` the choice is that of exponential weights with rate
        1/b.

    Raises
    ------
    InputError
        When the guarantee is not Gaussian privacy, or more rounds are played than there are scales.

    Examples
    --------
    Two learners that never change their minds. The scales are for 200 rounds of reports with noise 0.5:

    >>> import numpy as np
    >>> from private_experts.algorithms import FreshMeta, scales_for_horizon
    >>> from private_experts.games import play, private_reports
    >>> from private_experts.learners import Recorded
    >>> from private_experts.privacy import GaussianDP, SimulatedNoise
    >>> from private_experts.randomness import rng_for
    >>> learners, guarantee = Recorded(np.tile([[0], [1]], (200, 1, 1))), GaussianDP(1.0, "local")
    >>> scale = scales_for_horizon([0.5] * 200)
    >>> meta = FreshMeta([learners], guarantee, scale=scale, rng=rng_for(0, "choice"))
    >>> noise = SimulatedNoise(rng_for(0, "reports"))
    >>> reports = private_reports(np.tile([0.2, 0.8], (200, 1)), guarantee, 0.5, noise)
    >>> actions = play(meta, reports)
    >>> [round(float(part.mean()), 2) for part in np.split(actions, 4)]  # share of expert 1, by quarter
    [0.8, 1.0, 1.0, 1.0]
    """

    STATE = ("_past",)
    DERIVED = ("_scales", "_scale", "_own")

    def __init__(
        self,
        learners: Iterable[Learner] | Mapping[str, Any],
        guarantee: GaussianDP,
        *,
        scale: float | Iterable[float],
        rng: np.random.Generator | int,
        gumbel: float = 0.0,
    ) -> None:
        super().__init__(learners, guarantee)
        self._rng = generator(rng, "FreshMeta")
        self.gumbel = checked_number("FreshMeta: gumbel", gumbel, 0)
        if isinstance(scale, Sequence | np.ndarray):
            # A copy: the caller may change the list, and the scales must not depend on what happens during
            # the game.
            scale = np.array([float(number) for number in scale])
        elif isinstance(scale, Real):
            scale = float(scale)
        # All scales where they are known, to be compared when a state is loaded; of others those that passed
        # are.
        self.scale = scale if isinstance(scale, float | np.ndarray) else None
        self._scales: Iterator[float] = (
            iter(scale) if isinstance(scale, Iterable) else itertools.repeat(scale)
        )
        self._scale: float | None = None
        # rounds whose scale was taken, and a digest of these; the last is `_scale`
        self._past = self._own = (0, "")

    def _extra(self) -> Array:
        """Draw the extra noise of the coming round, shape (repetitions, m)."""
        # After loading a state: go on where the saved game was, and check that its scales were these.
        self._take(self._past[0])
        if self._own != self._past:
            raise InputError(
                "FreshMeta: the scales so far are not those of what was loaded: give the same again"
            )
        self._take(self._round)  # a round in which nobody asked for the choice has its scale too
        self._past = self._own
        if self._scale is None:
            raise InputError(f"FreshMeta: scale ended before round {self._round}; give one for each round")
        noise = self._scale * self._rng.standard_normal(self.totals.shape)
        if self.gumbel > 0:
            noise += self.gumbel * self._rng.gumbel(size=self.totals.shape)
        return noise

    def _take(self, rounds: int) -> None:
        """Take the scales up to a round."""
        if self._own[0] > rounds:
            raise InputError(
                "FreshMeta: it had played further than what was loaded: load into one that was made anew"
            )
        while self._own[0] < rounds:
            self._scale = next(self._scales, None)
            # A chain of digests: an iterator has no memory of what it gave, and any scale that differs
            # changes all that follow.
            line = f"{self._own[1]} {None if self._scale is None else float(self._scale).hex()}"
            self._own = self._own[0] + 1, hashlib.sha256(line.encode()).hexdigest()
