"""Gibbs measures of linear losses in any dimension: Gaussians truncated to a box or ball, sampled exactly.

With total slope s the measure is N(-s / lam, I / (beta lam)) restricted to the set.
[mathematics/001.md#sampling]
"""

import math
from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammainc, gammaln, log_ndtr, logsumexp, ndtri_exp

from private_experts.arrays import Array
from private_experts.descriptions import Described
from private_experts.errors import InputError
from private_experts.private_oco.domains import Ball, Box, Domain
from private_experts.private_oco.gaussian_levels import Steps, convex_steps
from private_experts.private_oco.gibbs import Family, Law
from private_experts.validation import check_rounds_left, check_steepness, checked_loss, checked_number

_LOG_2PI = math.log(2 * math.pi)
_ANGLES, _ANGLE_WEIGHTS = np.polynomial.legendre.leggauss(500)
_HARDLY_EVER = 1e-4
_AT_ONCE = 1024  # rounds whose measures are computed together


class LinearGibbs(Described):
    """Gibbs measures of linear losses. An action is a point (d,), a loss its slope (d,).

    Parameters
    ----------
    domain : Box or Ball
        The decision set.
    beta : float
        Inverse temperature, positive.
    lam : float
        Strength of the quadratic regulariser, positive.

    Raises
    ------
    InputError
        When the domain is neither, or beta or lam is not positive.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.private_oco import Ball, LinearGibbs
    >>> family = LinearGibbs(Ball(2, 0.5), beta=10.0, lam=8.0)
    >>> points = family.law(np.array([4.0, 0.0])).sample(np.random.default_rng(0), 2000)
    >>> points.shape, round(float(points[:, 0].mean()), 1)  # far down the slope, and inside the disc
    ((2000, 2), -0.4)
    """

    STATE = ()

    def __init__(self, domain: Domain, *, beta: float, lam: float) -> None:
        beta = checked_number("Gibbs measure: beta", beta, 0, ends=False)
        lam = checked_number("Gibbs measure: lam", lam, 0, ends=False)
        if not isinstance(domain, Box | Ball):
            raise InputError(f"Gibbs measure: domain {domain!r}: write a Box or a Ball")
        self.domain, self.beta, self.lam = domain, beta, lam

    @property
    def nothing(self) -> Array:
        """The slope of no losses, shape (d,)."""
        return np.zeros(self.domain.dimension)

    def accepted(self, loss: Array, lipschitz: float) -> Array:
        """Return the slope of a loss, (d,), if it is no longer than `lipschitz`. See `Family.accepted`."""
        loss = checked_loss(loss, self.domain.dimension, "the slope")
        # Without a limit there is no guarantee either, and any finite slope will do.
        if lipschitz < math.inf:
            check_steepness(math.sqrt(loss.dot(loss)), lipschitz)
        return loss

    def steps(self, lipschitz: float) -> Steps:
        """Return what draws and lotteries reveal. See `Family.steps`."""
        return convex_steps(lipschitz * math.sqrt(self.beta / self.lam))

    def law(self, total: Array) -> "BoxGaussian | BallGaussian":
        """Return the Gibbs measure of a sum of losses, by its slope (d,)."""
        precision, slope = self.beta * self.lam, self.beta * total
        if isinstance(self.domain, Box):
            return BoxGaussian(self.domain, precision, slope)
        return BallGaussian(self.domain, precision, slope)


def laws_along(family: Family, total: Array, losses: Iterable[Array]) -> Iterator[tuple[Array, Law]]:
    """Yield losses after a total, each with its Gibbs measure; those on boxes are computed together."""
    rest = iter(losses)
    while some := list(islice(rest, _AT_ONCE)):
        totals = np.cumsum([total, *some], axis=0)
        total = totals[-1]
        laws: Iterable[Law] = map(family.law, totals[1:])
        if isinstance(family, LinearGibbs) and isinstance(family.domain, Box):
            laws = BoxGaussian(family.domain, family.beta * family.lam, family.beta * totals[1:]).one_by_one()
        yield from zip(some, laws, strict=True)


class GibbsPlayer(Described, ABC):
    """What players of Gibbs measures share: actions, and losses one by one or many at once."""

    _family: Family
    _lipschitz: float
    _horizon: float
    _played: int
    _total: Array
    _actions: NDArray[Any]

    def predict(self) -> NDArray[Any]:
        """Return the coming round's actions: numbers of points (repetitions,), or points (repetitions, d)."""
        check_rounds_left("player", self._played, self._horizon)
        return self._actions.copy()

    def update(self, loss: Array) -> None:
        """Take in the loss of a round, see `Family.accepted`. That of the last round decides nothing."""
        check_rounds_left("player", self._played, self._horizon)
        self._take_in(self._family.accepted(loss, self._lipschitz))

    def updates(self, losses: Iterable[Array]) -> Iterator[None]:
        """Do what `update` does with each of some losses that are known beforehand, in less time."""
        if type(self).update is not GibbsPlayer.update:  # a subclass that learns otherwise must be heard
            yield from map(self.update, losses)
            return
        accepted = (self._family.accepted(loss, self._lipschitz) for loss in losses)
        for loss, law in laws_along(self._family, self._total, accepted):
            check_rounds_left("player", self._played, self._horizon)
            self._take_in(loss, law)
            yield

    @abstractmethod
    def _take_in(self, loss: Array, law: Law | None = None) -> None:
        """Take in a loss that was looked at. `law` is the measure after it, if that is known."""


class BoxGaussian:
    """The density proportional to ``exp(-precision |x|^2 / 2 - slope x)`` on a box: independent coordinates.

    Slopes (T, d) make T such densities, for `each`.
    """

    def __init__(self, box: Box, precision: float, slope: Array) -> None:
        self._precision, self._slope = precision, slope
        self._mean, root = -slope / precision, math.sqrt(precision)
        low, high = ((np.asarray(side) - self._mean) * root for side in (box.low, box.high))
        # Mirror both ends into the lower tail, where differences of the distribution function keep their
        # digits.
        self._sign = np.where(low + high > 0, -1.0, 1.0)
        low, high = low * self._sign, high * self._sign
        self._log_below, log_above = log_ndtr(np.minimum(low, high)), log_ndtr(np.maximum(low, high))
        # log(e^a - e^b) by expm1: far from the mean both masses are tiny and nearly equal.
        self._log_within = log_within = log_above + np.log(-np.expm1(self._log_below - log_above))
        self.log_normaliser: Array | float = (
            slope**2 / (2 * precision) + 0.5 * (_LOG_2PI - math.log(precision)) + log_within
        ).sum(axis=-1)

    def one_by_one(self) -> Iterator["BoxGaussian"]:
        """Yield the densities of several slopes."""
        of_slope = {name: value for name, value in vars(self).items() if isinstance(value, np.ndarray)}
        for values in zip(*of_slope.values(), strict=True):
            one = object.__new__(BoxGaussian)
            vars(one).update(zip(of_slope, values, strict=True), _precision=self._precision)
            yield one

    def sample(self, rng: np.random.Generator, size: int) -> Array:
        """Draw points (size, d), by inversion in log space. See `Law.sample`."""
        # 1 - u lies in (0, 1], so that its logarithm is finite.
        share = np.log(1 - rng.random((size, self._mean.size)))
        standard = ndtri_exp(np.logaddexp(self._log_below, share + self._log_within))
        return np.asarray(self._mean + self._sign * standard / math.sqrt(self._precision))

    def log_density(self, points: Array) -> Array:
        """Return the logarithms of the density at points (..., d) of the box. See `Law.log_density`."""
        exponent = -0.5 * self._precision * (points**2).sum(axis=-1) - points @ self._slope
        return np.asarray(exponent - self.log_normaliser)


class BallGaussian:
    """The same density on a ball, sampled from the surrounding box with a side along the slope."""

    def __init__(self, ball: Ball, precision: float, slope: Array) -> None:
        self._ball, self._precision, self._slope = ball, precision, slope
        size = float(np.linalg.norm(slope))
        turned = np.zeros(ball.dimension)
        # With one side along the slope, the box's law is a product of one tilted coordinate and centred ones.
        turned[0] = size
        self._mirror = slope - turned  # reflection in this direction maps the first axis to the slope's
        self._around = BoxGaussian(
            Box((-ball.radius,) * ball.dimension, (ball.radius,) * ball.dimension), precision, turned
        )
        self.log_normaliser = self._normaliser(size)

    def _normaliser(self, slope: float) -> float:
        """Return the log of the integral, over slices across the slope; nodes in angle resolve the edge."""
        # In the angle the integrand vanishes smoothly at both ends; in the coordinate it has a root there.
        angle, weight = math.pi / 2 * (_ANGLES + 1), math.pi / 2 * _ANGLE_WEIGHTS
        radius, across = self._ball.radius, (self._ball.dimension - 1) / 2
        along, room = -radius * np.cos(angle), (radius * np.sin(angle)) ** 2
        log_terms = np.log(weight * radius * np.sin(angle)) - 0.5 * self._precision * along**2 - slope * along
        if across:
            log_terms += across * (_LOG_2PI - math.log(self._precision)) + _log_gammainc(
                across, 0.5 * self._precision * room
            )
        return float(logsumexp(log_terms))

    def sample(self, rng: np.random.Generator, size: int) -> Array:
        """Draw points (size, d) by rejection; refuse a ball too small for its box. See `Law.sample`."""
        found, drawn, ask = np.empty((0, self._ball.dimension)), 0, 2 * size + 64
        while len(found) < size:
            points = self._around.sample(rng, ask)
            found = np.concatenate([found, points[(points**2).sum(axis=-1) <= self._ball.radius**2]])
            drawn += ask
            # A ball fills ever less of its box in many dimensions, and rejection would go on for ever.
            if drawn > 2e5 and len(found) < _HARDLY_EVER * drawn:
                raise InputError(
                    f"sampling from a ball in {self._ball.dimension} dimensions: hardly any draw falls into "
                    "it; write fewer dimensions"
                )
            # As many as the share so far makes likely to be enough, and a bounded number at once.
            ask = min(2 * (size - len(found)) * max(drawn // max(len(found), 1), 1) + 64, 100_000)
        return _mirrored(found[:size], self._mirror)

    def log_density(self, points: Array) -> Array:
        """Return the logarithms of the density at points (..., d) of the ball. See `Law.log_density`."""
        exponent = -0.5 * self._precision * (points**2).sum(axis=-1) - points @ self._slope
        return np.asarray(exponent - self.log_normaliser)


def _mirrored(points: Array, direction: Array) -> Array:
    """Return points reflected in the hyperplane orthogonal to a direction; unchanged by a zero direction."""
    square = float(direction @ direction)
    # A reflection costs d operations a point, where a rotation would need a matrix.
    return points - np.outer(points @ direction, 2 * direction / square) if square > 0 else points


def _log_gammainc(shape: float, x: Array) -> Array:
    """Return the log of the regularised incomplete gamma function, by its first term where it underflows."""
    values = gammainc(shape, x)
    with np.errstate(divide="ignore"):
        return np.asarray(np.where(values > 1e-290, np.log(values), shape * np.log(x) - gammaln(shape + 1)))
