"""Fixed share on noisy losses: the paper's algorithm for adaptive adversaries, and the noise that makes it private."""

import itertools
import math
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from private_experts.algorithms.fixed_share import FixedShare
from private_experts.algorithms.switching_softmax import count_sequences
from private_experts.errors import InputError
from private_experts.privacy.guarantees import GaussianDP, PureDP
from private_experts.randomness import ahead

Array = NDArray[np.float64]


def printed_step(n: int, horizon: int, switches: int, epsilon: float) -> float:
    """Return the paper's step, ``epsilon sqrt(S / (T log(NT)))``. [004, Theorem 5.2]"""
    return epsilon * math.sqrt(switches / (horizon * math.log(n * horizon)))


def regret_bound(
    n: int, horizon: int, switches: int, eta: float, noise_scale: float, constants: tuple[float, float] = (16, 8)
) -> float:
    """Return the bound on the expected dynamic regret with Laplace noise. [004, Theorem B.2]

    ``2 S log(NT) / eta + 16 eta T (b log NT)^2 + 8 S b log(NT) + 1`` for noise of scale b with ``b log(NT) >= 1.2``,
    S at least 1, and streams that are fixed in advance. [mathematics/004.md#theorem-b2] The paper prints 10 and 4
    instead of 16 and 8. [mathematics/004.md#e004-8]
    """
    log_nt = math.log(n * horizon)
    quadratic, clipping = constants
    return (
        2 * switches * log_nt / eta
        + quadratic * eta * horizon * (noise_scale * log_nt) ** 2
        + clipping * switches * noise_scale * log_nt
        + 1
    )


def sharper_bound(n: int, horizon: int, switches: int, eta: float, noise_scale: float) -> float:
    """Return a bound with the variance of the Laplace noise instead of its largest value.

    ``(S + 1) log(NT / S) / eta + eta T (1 + 2 b^2) + S + 1`` for S at least 1, steps of at most
    ``1 / (b log(N T^2 / 2))`` and streams that are fixed in advance.

    The proof is that of mirror descent with local norms. With probability 1 - 1/T no product of eta and a coordinate of
    the noise falls below -1. Given that, the noise of all coordinates still has one and the same mean, which cancels
    in differences of distributions; and ``exp(-x) - 1 + x <= x^2`` holds where it is needed. The comparison expert is
    mixed with S/T of the uniform law, which costs at most S in all. [mathematics/004.md#sharper-bound]
    """
    return (
        (switches + 1) * math.log(n * horizon / switches) / eta
        + eta * horizon * (1 + 2 * noise_scale**2)
        + switches
        + 1
    )


def comparator_noise(n: int, horizon: int, switches: int, noise_scale: float) -> float:
    """Return a bound on the largest total of the noise along a sequence of experts with at most S switches.

    ``2 b sqrt(M (T + M))`` bounds its expectation, for Laplace noise of scale b and ``M = log(1 + number of such
    sequences)``. [mathematics/004.md#comparator-noise]
    """
    m = math.log(1 + count_sequences(horizon, n, switches))
    return 2 * noise_scale * math.sqrt(m * (horizon + m))


def adaptive_bound(n: int, horizon: int, switches: int, eta: float, noise_scale: float) -> float:
    """Return a bound on the expected dynamic regret against every adaptive adversary.

    It is `sharper_bound` plus `comparator_noise`, under the same conditions but for the stream. An adversary who sees
    the plays can choose losses, and so the comparison sequence, according to the noise. For a stream that is fixed in
    advance the noise along the comparison sequence has mean 0. [mathematics/004.md#adaptive-bound]
    """
    return sharper_bound(n, horizon, switches, eta, noise_scale) + comparator_noise(n, horizon, switches, noise_scale)


class NoisyFixedShare:
    """Fixed share that learns from losses with independent noise on every coordinate. [004, Algorithm 3]

    The noisy vectors as a whole are private, and the plays are a function of them. A replaced loss vector moves N
    coordinates by up to 1 each. So Laplace noise of scale b gives N/b-DP, and Gaussian noise of standard deviation b
    gives ``sqrt(N) / b``-GDP. [mathematics/004.md#theorem-5-2-privacy] The printed scale ``1 / epsilon`` thus gives
    N epsilon and not epsilon. [mathematics/004.md#e004-7]

    Parameters
    ----------
    n, horizon, switches : int
        Number of experts N, of rounds T, and of switches S that the comparison sequence may make.
    eta : float
        Step size, from 0 to 500.
    noise_scale : float or ndarray, shape (horizon,)
        Scale of the Laplace noise or standard deviation of the Gaussian noise, at least 0: one for all rounds, or one
        for each. ``n / epsilon`` is epsilon-DP with Laplace noise; `GaussianDP.noise_scale` of the sensitivity
        ``sqrt(n)`` with Gaussian noise. The stated guarantee is that of the round with the least noise.
    rng : numpy.random.Generator
        For noise and draws. Seeded noise is a simulation and protects nobody; see `private_experts.privacy.noise`.
    repetitions : int
        Number of independent copies.
    noise : {"laplace", "gaussian"}
        The law of the noise.
    """

    def __init__(
        self,
        n: int,
        horizon: int,
        switches: int,
        eta: float,
        noise_scale: float | Array,
        rng: np.random.Generator,
        repetitions: int = 1,
        noise: Literal["laplace", "gaussian"] = "laplace",
    ) -> None:
        scales = np.full(horizon, noise_scale) if np.ndim(noise_scale) == 0 else np.asarray(noise_scale)
        if scales.shape != (horizon,):
            raise InputError(f"noisy fixed share: {scales.size} noise scales for {horizon} rounds; give one for each")
        least = float(scales.min())
        if not least >= 0:
            raise InputError(f"noisy fixed share: noise_scale = {least}: write a number of at least 0")
        if noise not in ("laplace", "gaussian"):
            raise InputError(f"noisy fixed share: noise = {noise!r}: write laplace or gaussian")
        self.guarantee: PureDP | GaussianDP = (
            PureDP(n / least if least else math.inf, "central")
            if noise == "laplace"
            else GaussianDP(math.sqrt(n) / least if least else math.inf, "central")
        )
        self._share = FixedShare(n, horizon, switches, eta, rng, repetitions)
        self._eta = eta
        draw = _laplace if noise == "laplace" else _gaussian
        rounds = itertools.chain(eta * scales, itertools.repeat(eta * scales[-1]))

        def tilts(shape: tuple[int, ...]) -> Array:
            coming = np.fromiter(rounds, dtype=np.float64, count=shape[0])
            return _tilts(draw(shape, rng), coming[:, None, None])

        self._tilts = ahead(tilts, (repetitions, n))

    @property
    def weights(self) -> Array:
        """The law of the coming round's expert given the noise so far, (repetitions, n); (1, n) at first."""
        return self._share.weights

    def predict(self) -> NDArray[np.intp]:
        """Return experts drawn from the weights, shape (repetitions,)."""
        return self._share.predict()

    def update(self, gains: Array) -> None:
        """Take in the true gains of a round, shape (n,) or (repetitions, n), in [0, 1]."""
        self._share.tilt(np.exp(self._eta * gains) * next(self._tilts))


def _tilts(noise: Array, scale: Array) -> Array:
    """Return ``exp(scale * noise)``, each row divided by its largest entry; `noise` is overwritten."""
    noise *= scale
    noise -= noise.max(axis=-1, keepdims=True)
    return np.exp(noise, out=noise)


def _laplace(shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Return standard Laplace noise by inversion of whole arrays, four times as fast as the generator's own method."""
    u = rng.random(shape)
    u -= 0.5 - 2.0**-54  # odd multiples of 2^-54: symmetric, and neither 0 nor at an end of the range
    tail = np.abs(u)
    tail *= -2.0
    tail += 1.0
    return np.copysign(np.log(tail, out=tail), u, out=tail)


def _gaussian(shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    return rng.normal(size=shape)
