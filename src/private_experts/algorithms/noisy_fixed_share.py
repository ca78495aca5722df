"""Fixed share on noisy losses: the paper's algorithm for adaptive adversaries, and its private noise."""

import math
from collections.abc import Iterator

import numpy as np

from private_experts.algorithms.central import CentralAlgorithm
from private_experts.algorithms.fixed_share import FixedShare
from private_experts.arrays import Array, Indices
from private_experts.errors import InputError
from private_experts.privacy.guarantees import (
    ApproximateDP,
    GaussianDP,
    PureDP,
    check_guarantee,
    no_weaker,
    of_simulated_noise,
)
from private_experts.randomness import Ahead
from private_experts.validation import as_float, checked_number, generator, whole

_MODEST = 100.0  # e to the power of this and of the largest step is a floating-point number
_LARGEST_LAPLACE = 53 * math.log(2)  # of `_laplace`
_LARGEST_SCALE = 1e300  # beyond it, the step times the noise is no floating-point number


class NoisyFixedShare(CentralAlgorithm):
    """Fixed share that learns from losses with independent noise on every coordinate. [004, Algorithm 3]

    The noisy vectors as a whole are private, and the plays are a function of them. A replaced loss vector
    moves N coordinates by up to 1 each. So Laplace noise of scale b gives N/b-DP, and Gaussian noise of
    standard deviation b gives ``sqrt(N) / b``-GDP. [mathematics/004.md#theorem-5-2-privacy] The printed scale
    ``1 / epsilon`` thus gives N epsilon and not epsilon. [mathematics/004.md#e004-7]

    Parameters
    ----------
    n : int
        Number of experts N.
    guarantee : PureDP or GaussianDP
        A central guarantee. Pure privacy has Laplace noise of scale ``n / epsilon``, Gaussian privacy has
        Gaussian noise of standard deviation ``sqrt(n) / mu``.
    horizon : int
        Number of rounds T. More may be played, with the last noise scale: the guarantee holds for them too,
        as each round has noise of its own, and bounds on the regret do not.
    switches : int
        Number of switches S that the comparison sequence may make, 0 to T.
    eta : float
        Step size, from 0 to 500.
    rng : numpy.random.Generator or int
        For noise and draws. Seeded noise is a simulation and protects nobody; see
        `private_experts.privacy.noise`.
    repetitions : int
        Number of independent copies.
    noise_scale : float or ndarray, shape (horizon,), optional
        Another scale, from 0 to 1e300: one for all rounds, or one for each. The guarantee is that of the
        round with the least noise, and one that is weaker than what was asked for is refused.

    Attributes
    ----------
    guarantee : PureDP or GaussianDP
        Central. What was asked for, or what follows from another scale.

    Raises
    ------
    InputError
        When a setting is outside its range, or there is not one noise scale for each round.

    Examples
    --------
    Expert 0 gains for 50 rounds, then expert 1:

    >>> import numpy as np
    >>> from private_experts.algorithms import NoisyFixedShare
    >>> from private_experts.games import play, streams
    >>> from private_experts.privacy import GaussianDP
    >>> from private_experts.randomness import rng_for
    >>> share = NoisyFixedShare(
    ...     2, GaussianDP(1.0, "central"), horizon=100, switches=1, eta=0.3,
    ...     rng=rng_for(0, "share"), repetitions=1000,
    ... )
    >>> actions = play(share, streams.turncoat(100, 2))
    >>> [round(float(actions[t].mean()), 2) for t in (0, 49, 99)]  # share of the copies that play expert 1
    [0.5, 0.01, 0.98]
    """

    STATE = ("_coming",)

    def __init__(
        self,
        n: int,
        guarantee: PureDP | GaussianDP,
        *,
        horizon: int,
        switches: int,
        eta: float,
        rng: np.random.Generator | int,
        repetitions: int = 1,
        noise_scale: float | Array | None = None,
    ) -> None:
        super().__init__("noisy fixed share", n, repetitions)
        rng = generator(rng, "noisy fixed share")
        horizon = whole(horizon, "noisy fixed share", "horizon")
        # Of an epsilon and a delta it is Gaussian noise that comes near.
        gaussian = isinstance(guarantee, GaussianDP | ApproximateDP)
        kind: type[GaussianDP] | type[PureDP] = GaussianDP if gaussian else PureDP
        required: GaussianDP | PureDP = check_guarantee(guarantee, "noisy fixed share", kind, "central")
        # The whole vector is released: L1 distance n for Laplace noise, L2 distance sqrt(n) for Gaussian
        # noise.
        level, reach = (
            (required.mu, math.sqrt(n)) if isinstance(required, GaussianDP) else (required.epsilon, float(n))
        )
        if level == 0:
            raise InputError(
                "noisy fixed share: privacy level 0: no finite noise attains it, write a positive number"
            )
        given: float | Array = reach / level if noise_scale is None else noise_scale
        scales = np.asarray(np.full(horizon, given) if np.ndim(given) == 0 else given, dtype=np.float64)
        if scales.shape != (horizon,):
            raise InputError(
                f"noisy fixed share: {scales.size} noise scales for {horizon} rounds; give one for each"
            )
        # The round with the least noise decides what is promised: a person may be in that one.
        least, most = float(scales.min()), float(scales.max())
        for scale in (least, most):
            checked_number("noisy fixed share: noise_scale", scale, 0, _LARGEST_SCALE)
        stated = kind(reach / least if least else math.inf, "central", simulated=True)
        no_weaker("noisy fixed share", stated, required)
        self.guarantee: PureDP | GaussianDP = (
            stated if noise_scale is not None else of_simulated_noise(required)
        )
        self._share = FixedShare(
            n, horizon=horizon, switches=switches, eta=eta, rng=rng, repetitions=repetitions
        )
        eta = as_float(eta)  # in range, as the share has seen
        # Only eta times the noise is ever used, and the product is taken once.
        self._eta, self._scales = eta, eta * scales
        self._noise, self._rng = (_laplace if kind is PureDP else _gaussian), rng
        # Inverted Laplace noise is at most 53 log 2 scales, so that its exponent has a bound. Gaussian noise
        # has none.
        self._modest = kind is PureDP and _LARGEST_LAPLACE * eta * most <= _MODEST
        self._coming = 0  # rounds whose noise was drawn
        self._exponents = Ahead(self._drawn_exponents, (self.repetitions, self.n))

    @property
    def weights(self) -> Array:
        """The law of the coming round's expert given the noise so far, (repetitions, n); (1, n) at first."""
        return self._share.weights

    def predict(self) -> Indices:
        """Return experts drawn from the weights, shape (repetitions,). See `Algorithm.predict`."""
        return self._share.predict()

    def probabilities(self) -> Array:
        """Return the weights, given the noise so far. See `BaseAlgorithm.probabilities`."""
        return self._share.probabilities()

    def update_unchecked(self, gains: Array) -> None:
        """Take in the true gains of a round. See `CentralAlgorithm.update_unchecked`."""
        exponents = self._eta * gains + next(self._exponents)
        self._share.tilt(np.exp(exponents, out=exponents))

    def play_unchecked(self, rounds: Array) -> Indices:
        """Play many rounds at once. See `private_experts.algorithms.central.at_once`."""
        return self._share.play_tilted(rounds, self._exponents.ready, self._factors)

    def laws(self, rounds: Array) -> Iterator[Array]:
        """See `FixedShare.laws`."""
        gains = rounds if rounds.ndim == 3 else rounds[:, None]
        yield from self._share.walk(gains, self._exponents.ready, self._factors)

    def _factors(self, gains: Array) -> Array:
        exponents = self._exponents.take(len(gains))  # not used again, so they make room for the result
        exponents += self._eta * gains
        return np.exp(exponents, out=exponents)

    def _drawn_exponents(self, shape: tuple[int, ...]) -> Array:
        """Draw the noise in the exponents of the rounds to come; beyond the horizon the last scale holds.

        Where powers of e might leave the range of numbers, the largest entry of each row is subtracted. It
        does not change the projection.
        """
        rounds = np.arange(self._coming, self._coming + shape[0])
        self._coming += shape[0]
        scales = self._scales[np.minimum(rounds, self._scales.size - 1)]
        one = bool((scales == scales[0]).all())  # a product with one number is faster
        noise = self._noise(shape, self._rng)
        noise *= scales[0] if one else scales[:, None, None]
        if not self._modest:
            noise -= noise.max(axis=-1, keepdims=True)
        return noise


def _laplace(shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    """Return standard Laplace noise by inversion, four times as fast as the generator's own method."""
    u = rng.random(shape)
    # The smallest tail is then 2^-53, never 0, whose logarithm would be infinite.
    u -= 0.5 - 2.0**-54  # odd multiples of 2^-54: symmetric, and neither 0 nor at an end of the range
    # 1 - 2|u| is exact on this grid: the tail keeps its digits where the noise is largest.
    tail = np.abs(u)
    tail *= -2.0
    tail += 1.0
    return np.copysign(np.log(tail, out=tail), u, out=tail)


def _gaussian(shape: tuple[int, ...], rng: np.random.Generator) -> Array:
    return rng.normal(size=shape)
