"""Follow the perturbed leader on private prefix sums: the central-DP baseline of Agarwal and Singh (2017).

[mathematics/000.md#tree]
"""

import math
from typing import Literal

import numpy as np

from private_experts.algorithms.prefix_ftpl import PrefixFTPL
from private_experts.arrays import Array
from private_experts.privacy.guarantees import GaussianDP, check_guarantee
from private_experts.privacy.noise import Noise
from private_experts.privacy.tree import TreeSums, least_scale
from private_experts.tabular import UNIT, Bounds, checked_bounds
from private_experts.validation import check_word


def min_regret_scale(
    guarantee: GaussianDP, sensitivity: float | Array, horizon: int, unit: float = 1.0
) -> Array:
    """Return the noise of prefixes with the least worst-case regret: ``max(least_scale, sqrt(horizon))``.

    For constant noise s the regret is at most ``(s + T / s) sqrt(2 log n)``, where gains are from 0 to 1; a
    gain of 1 is `unit` in the unit of the sensitivity. There is one for each sensitivity that is given.
    [mathematics/000.md#tree-rate]
    """
    least = [least_scale(guarantee, reach, horizon) for reach in np.atleast_1d(sensitivity).tolist()]
    # (s + T / s) has its minimum at sqrt(T); where privacy asks for more noise, the least that it allows is
    # best.
    return np.maximum(least, unit * math.sqrt(horizon))


class TreeFTPL(PrefixFTPL):
    """Plays the leader of prefix sums from a dyadic tree with Gaussian noise. [mathematics/000.md#tree]

    Parameters
    ----------
    n : int
        Number of experts.
    guarantee, horizon, sensitivity, noise
        As for `private_experts.privacy.TreeSums`, whose vectors are the gains. The sensitivity is in the
        unit of `bounds`.
    scale : {"min_noise", "min_regret"}, float or ndarray, shape (T,)
        Standard deviation of each released prefix. ``min_noise`` is the least that has the guarantee,
        ``sensitivity * h / mu`` with tree height h. ``min_regret`` is at least the root of the horizon, where
        the bound on the regret is least. [mathematics/000.md#tree-rate] With a sensitivity for each round,
        what each round asks for.
    padded : bool
        Whether every prefix has the noise of as many nodes as the tree is high.
        [mathematics/000.md#tree-readings]
    repetitions : int
        Number of independent copies.
    bounds : (float, float), optional
        The least and the largest gain that is possible, as for `PrefixFTPL`.

    Raises
    ------
    InputError
        When the guarantee is not central Gaussian privacy of a positive level, or the scale is too small for
        it.

    Examples
    --------
    Mean regret of 1000 copies. On this easy stream less noise is better; ``min_regret`` is for the worst:

    >>> import numpy as np
    >>> from private_experts.algorithms import TreeFTPL
    >>> from private_experts.games import play, static_regret
    >>> from private_experts.privacy import GaussianDP, SimulatedNoise
    >>> from private_experts.randomness import rng_for
    >>> gains, noise = np.tile([0.3, 0.8], (72, 1)), SimulatedNoise(rng_for(0, "tree"))
    >>> settings = {"horizon": 72, "sensitivity": 0.25, "noise": noise, "repetitions": 1000}
    >>> for scale in ("min_noise", "min_regret"):
    ...     leader = TreeFTPL(2, GaussianDP(1.0, "central"), scale=scale, **settings)
    ...     print(round(float(static_regret(gains, play(leader, gains)).mean()), 1))
    1.1
    4.9
    """

    STATE = ()

    def __init__(
        self,
        n: int,
        guarantee: GaussianDP,
        *,
        horizon: int,
        sensitivity: float | Array,
        noise: Noise,
        scale: float | Array | Literal["min_noise", "min_regret"] = "min_noise",
        padded: bool = True,
        repetitions: int = 1,
        bounds: Bounds | None = None,
    ) -> None:
        check_guarantee(guarantee, "tree FTPL", GaussianDP, "central")
        chosen: float | Array | None = None
        if not isinstance(scale, str):
            chosen = scale
        elif scale == "min_regret":
            low, high = UNIT if bounds is None else checked_bounds(bounds, "tree FTPL")
            chosen = min_regret_scale(guarantee, sensitivity, horizon, high - low)
        else:
            check_word("tree FTPL: scale", scale, "min_noise", "min_regret")
        sums = TreeSums(
            n,
            guarantee,
            horizon=horizon,
            sensitivity=sensitivity,
            noise=noise,
            scale=chosen,
            padded=padded,
            repetitions=repetitions,
        )
        super().__init__(sums, bounds=bounds)
