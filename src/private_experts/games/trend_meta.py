"""RW-Meta with the learners of the hospital study, in one line."""

from collections.abc import Sequence

import numpy as np

from private_experts.algorithms.decorrelation import Decorrelation
from private_experts.algorithms.rw_meta import RWMeta
from private_experts.learners.linear_filter import LinearFilters, trend_weights
from private_experts.learners.totals_leader import TotalsLeader
from private_experts.privacy.guarantees import GaussianDP, check_guarantee
from private_experts.privacy.noise import Noise
from private_experts.privacy.reports import privatize
from private_experts.tabular import UNIT, Bounds, checked_bounds
from private_experts.validation import whole

# Rounds that a trend is fitted to, and strengths of the penalty on its slope.
STUDY = tuple((window, strength) for window in (8, 16, 32, 64) for strength in (0.1, 1.0, 10.0))

_WHO = "TrendMeta"
_PAPER = Decorrelation()


class TrendMeta(RWMeta):
    """RW-Meta that chooses between forecasts by trends, and the leader of totals. [000, Sections 3.2 and 4]

    Each learner fits a line to the last reports of each expert, and names the one whose line is highest in
    the coming round. One more names the expert of the largest total. They read the same reports as everybody
    else, so they cost no privacy, however many there are.

    Parameters
    ----------
    n, guarantee, sensitivity
        As for `RWFTPL`.
    noise : Noise
        Where what learners forecast before the first report comes from.
    rng : numpy.random.Generator or int
        As for `RWMeta`.
    repetitions : int
        Number of independent copies.
    bounds : (float, float), optional
        The least and the largest gain that is possible, [0, 1] unless given. They must be public.
    settings : sequence of (int, float)
        For each trend, to how many rounds it is fitted, and the strength of the penalty on its slope. Those
        of the hospital study unless given: 8, 16, 32 and 64 rounds, each with 0.1, 1 and 10.
    decorrelation : Decorrelation
        As for `RWMeta`.

    Raises
    ------
    InputError
        When the guarantee is not local Gaussian privacy, or a number is out of its range.

    Examples
    --------
    Two experts take turns of 25 rounds, so that each alone earns 50 of 100:

    >>> import numpy as np
    >>> from private_experts.games import TrendMeta, earned, play
    >>> from private_experts.privacy import GaussianDP, SimulatedNoise
    >>> gains = np.tile(np.repeat([[1.0, 0.0], [0.0, 1.0]], 25, axis=0), (2, 1))
    >>> guarantee = GaussianDP.from_epsilon_delta(epsilon=4.0, delta=1e-6, model="local")
    >>> noise = SimulatedNoise(1)
    >>> meta = TrendMeta(2, guarantee, sensitivity=0.25, noise=noise, rng=2, repetitions=200)
    >>> round(float(earned(gains, play(meta, gains, noise=noise)).sum(axis=0).mean()))
    86
    """

    def __init__(
        self,
        n: int,
        guarantee: GaussianDP,
        *,
        sensitivity: float,
        noise: Noise,
        rng: np.random.Generator | int,
        repetitions: int = 1,
        bounds: Bounds | None = None,
        settings: Sequence[tuple[int, float]] = STUDY,
        decorrelation: Decorrelation = _PAPER,
    ) -> None:
        check_guarantee(guarantee, _WHO, GaussianDP, "local")
        self.bounds = UNIT if bounds is None else checked_bounds(bounds, _WHO)
        # Before the first report a forecast is noise alone, that of gains of which nothing is known.
        nothing = np.full(whole(n, _WHO, "n"), self.bounds[0])
        repetitions = whole(repetitions, _WHO, "repetitions")
        first = privatize(nothing, guarantee, sensitivity, noise, repetitions=repetitions, bounds=self.bounds)
        trends = LinearFilters(trend_weights, settings, first)
        learners = {"trend": trends, "totals": TotalsLeader(first)}
        super().__init__(learners, guarantee, rng=rng, decorrelation=decorrelation)
        self.noise_scale = first.scale
