"""Follow the perturbed leader on private prefix sums: the central-DP baseline of Agarwal and Singh (2017).

[mathematics/000.md#tree]
"""

import math

from private_experts.algorithms.prefix_ftpl import PrefixFTPL
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import Noise
from private_experts.privacy.tree import PrivatePrefixSums, height


def min_noise(sensitivity: float, horizon: int, mu: float) -> float:
    """Return the least prefix noise that is mu-GDP: ``sensitivity * h / mu``, with tree height h.

    [mathematics/000.md#tree-privacy]
    """
    return GaussianDP(mu, "central").noise_scale(sensitivity * height(horizon))


def min_regret(sensitivity: float, horizon: int, mu: float) -> float:
    """Return the private prefix noise with the least worst-case regret: ``max(min_noise, sqrt(horizon))``.

    For constant noise s the regret is at most ``(s + T / s) sqrt(2 log n)``. [mathematics/000.md#tree-rate]
    """
    return max(min_noise(sensitivity, horizon, mu), math.sqrt(horizon))


class TreeFTPL(PrefixFTPL):
    """Plays the leader of prefix sums released from a dyadic tree with Gaussian noise.

    Parameters
    ----------
    n : int
        Number of experts.
    horizon : int
        Number of rounds, which the tree must know.
    mu : float
        Privacy level that is stated as the guarantee. It must fit `scale`, which sets the noise.
    scale : float
        Standard deviation of each released prefix, from `min_noise` or `min_regret`.
    noise : Noise
        Where the noise comes from.
    repetitions : int
        Number of independent copies.
    """

    def __init__(self, n: int, horizon: int, mu: float, scale: float, noise: Noise, repetitions: int = 1) -> None:
        node_scale = scale / math.sqrt(height(horizon))
        super().__init__(PrivatePrefixSums(n, horizon, node_scale, noise, repetitions), GaussianDP(mu, "central"))
