"""Follow the perturbed leader on private prefix sums: the central-DP baseline of Agarwal and Singh (2017).

[mathematics/000.md#tree]
"""

import math

from private_experts.algorithms.prefix_ftpl import PrefixFTPL
from private_experts.arrays import Array
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import Noise
from private_experts.privacy.tree import TreeSums, least_scale


def min_noise(sensitivity: float, horizon: int, mu: float) -> float:
    """Return the least prefix noise that is mu-GDP: ``sensitivity * h / mu``, with tree height h.

    [mathematics/000.md#tree-privacy]

    Parameters
    ----------
    sensitivity : float
        L2 distance by which one person can change the gains of a round, at least 0.
    horizon : int
        Number of rounds, at least 1.
    mu : float
        Privacy level, positive; ``inf`` needs no noise.

    Returns
    -------
    float
        Standard deviation on each coordinate.

    Raises
    ------
    InputError
        When `mu` is not positive, or the sensitivity negative.

    Examples
    --------
    >>> from private_experts.algorithms import min_noise
    >>> min_noise(sensitivity=0.25, horizon=72, mu=0.5)  # the tree of 72 rounds has height 7
    3.5
    """
    return least_scale(GaussianDP(mu, "central"), sensitivity, horizon)


def min_regret(sensitivity: float, horizon: int, mu: float) -> float:
    """Return the private prefix noise with the least worst-case regret: ``max(min_noise, sqrt(horizon))``.

    For constant noise s the regret is at most ``(s + T / s) sqrt(2 log n)``. [mathematics/000.md#tree-rate]

    Parameters
    ----------
    sensitivity, horizon, mu
        As for `min_noise`.

    Returns
    -------
    float
        Standard deviation on each coordinate.

    Raises
    ------
    InputError
        When `mu` is not positive, or the sensitivity negative.

    Examples
    --------
    >>> from private_experts.algorithms import min_regret
    >>> [round(min_regret(0.25, 72, mu), 4) for mu in (1.0, 0.1)]  # at mu = 0.1 privacy asks for more
    [8.4853, 17.5]
    """
    return max(min_noise(sensitivity, horizon, mu), math.sqrt(horizon))


class TreeFTPL(PrefixFTPL):
    """Plays the leader of prefix sums released from a dyadic tree with Gaussian noise. [mathematics/000.md#tree]

    Parameters
    ----------
    n : int
        Number of experts.
    guarantee, horizon, sensitivity, noise
        As for `private_experts.privacy.TreeSums`, whose vectors are the gains.
    scale : float or ndarray, shape (T,), optional
        Standard deviation of each released prefix: `min_noise` if not given, or more, such as `min_regret`. With a
        sensitivity for each round, what each round asks for.
    padded : bool
        Whether every prefix has the noise of as many nodes as the tree is high. [mathematics/000.md#tree-readings]
    repetitions : int
        Number of independent copies.

    Raises
    ------
    InputError
        When the guarantee is not central Gaussian privacy of a positive level, or the scale is too small for it.

    Examples
    --------
    Mean regret over 1000 copies. On this easy stream less noise is better; `min_regret` is for the worst stream:

    >>> import numpy as np
    >>> from private_experts.algorithms import TreeFTPL, min_regret
    >>> from private_experts.games import play, static_regret
    >>> from private_experts.privacy import GaussianDP, SimulatedNoise
    >>> from private_experts.randomness import rng_for
    >>> gains, noise = np.tile([0.3, 0.8], (72, 1)), SimulatedNoise(rng_for(0, "tree"))
    >>> settings = {"horizon": 72, "sensitivity": 0.25, "noise": noise, "repetitions": 1000}
    >>> for scale in (None, min_regret(0.25, 72, mu=1.0)):
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
        scale: float | Array | None = None,
        padded: bool = True,
        repetitions: int = 1,
    ) -> None:
        sums = TreeSums(
            n,
            guarantee,
            horizon=horizon,
            sensitivity=sensitivity,
            noise=noise,
            scale=scale,
            padded=padded,
            repetitions=repetitions,
        )
        super().__init__(sums)
