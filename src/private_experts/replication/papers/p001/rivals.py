"""What P-COMW and its rivals lose when they play, at one level of privacy. [mathematics/001.md#rivals]

The set is a box of diameter 1, and all coordinates of a slope are the same, so a coordinate's law tells all.
The laws are closed forms: a normal variable clipped to the box for DP-FTRL, and conditioned on it for Gibbs
draws.
"""

import math
from collections.abc import Callable, Iterator
from functools import cache, partial
from itertools import product
from typing import Any

import numpy as np
from scipy.special import log_ndtr, ndtr

from private_experts.arrays import Array
from private_experts.privacy.banded import BandedSums, band_noise, root_band
from private_experts.privacy.factorization import noise_deviation, optimal, prefix_sums
from private_experts.privacy.gaussian_mechanism import calibrate_mu
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.tree import TreeSums, height
from private_experts.private_oco.closeness import draw_probability, log_closeness
from private_experts.private_oco.convex_regret import gibbs_parameters
from private_experts.private_oco.domains import Box
from private_experts.private_oco.dp_ftrl import DPFTRL, Sums, dp_ftrl_regulariser, root_noise
from private_experts.private_oco.gaussian import LinearGibbs
from private_experts.private_oco.gaussian_accounting import (
    every_round_regret,
    lazy_private_regret,
    lazy_scale,
)
from private_experts.private_oco.gaussian_levels import every_round_scale, play_level
from private_experts.private_oco.parameters import private_parameters, private_regret
from private_experts.private_oco.pcomw import PCOMW
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p001.linear_games import total_loss
from private_experts.replication.papers.p001.predecessors import private_leader_regret
from private_experts.replication.study.intervals import mean_interval

_BAND = 32
# Deviations from the box, from which on a mean is taken from its edge. Below, a difference of large numbers
# loses a share of the depth that is this number squared, times a rounding.
_OUTSIDE = 1000.0
_AT_ONCE = 256  # normal variables whose depths are found together, in the processor's cache
_LISTED = 10**6  # rounds up to which the noise of sums is listed; from there it is bounded


def _turning(horizon: int) -> Array:
    """Return slopes that turn round once, after a third of the rounds."""
    return np.where(np.arange(horizon) < horizon // 3, 1.0, -1.0)


def _biased(horizon: int) -> Array:
    """Return signs of which 65 in 100 are positive, drawn with a seed of their own."""
    return np.where(rng_for(0, "biased signs", horizon).random(horizon) < 0.65, 1.0, -1.0)


STREAMS: dict[str, Callable[[int], Array]] = {"constant": np.ones, "turning": _turning, "biased": _biased}


@cache
def _optimal_noise(rounds: int) -> Array:
    sums, one = prefix_sums(rounds), np.ones(rounds)
    return noise_deviation(sums, optimal(sums, one).strategy, one)


@cache
def _banded_noise(rounds: int) -> Array:
    return band_noise(root_band(_BAND), rounds)


NOISE: dict[str, Callable[[int], Array]] = {  # of the sums of 1 to T slopes, at level 1 and sensitivity 1
    "tree": lambda rounds: np.full(rounds, float(height(rounds))),
    "banded": _banded_noise,
    "square root": root_noise,
    "optimal": _optimal_noise,
}


def _log_density(x: Array) -> Array:
    """Return the standard normal log-density; importing SciPy's takes as long as a claim's check."""
    return np.asarray(-0.5 * x**2 - 0.5 * math.log(2 * math.pi))


def _clipped(mean: Array, deviation: Array | float, half: float) -> Array:
    """Return the means of normal variables that are clipped to ``[-half, half]``."""
    # A clipped variable has masses at both ends; a conditioned one, below, has none.
    low, high = (-half - mean) / deviation, (half - mean) / deviation
    inside = mean * (ndtr(high) - ndtr(low)) - deviation * (
        np.exp(_log_density(high)) - np.exp(_log_density(low))
    )
    return np.asarray(inside + half * (ndtr(-high) - ndtr(low)))


def _truncated(mean: Array, deviation: float, half: float) -> Array:
    """Return the means of normal variables that are conditioned on ``[-half, half]``."""
    # the mean's side, by symmetry
    low, high = (-half - np.abs(mean)) / deviation, (half - np.abs(mean)) / deviation
    outside = high < -_OUTSIDE
    points = np.full(mean.shape, half)
    # Far outside all is a difference of large numbers; the depth below the edge is none.
    points[outside] -= deviation * _depth(-high[outside], 2 * half / deviation)
    low, high = low[~outside], high[~outside]
    log_high = log_ndtr(high)
    log_within = log_high + np.log(-np.expm1(log_ndtr(low) - log_high))
    excess = np.exp(_log_density(high) - log_within) - np.exp(_log_density(low) - log_within)
    points[~outside] = np.abs(mean[~outside]) - deviation * excess
    return np.asarray(np.copysign(points, mean))


def _depth(distance: Array, width: float) -> Array:
    """Return the mean depth in a box of normal variables whose centre lies outside, all in deviations."""
    nodes, weights = _nodes()
    depths = np.empty(distance.shape)
    for start in range(0, distance.size, _AT_ONCE):
        part = distance[start : start + _AT_ONCE, None]
        # Beyond 45 mean depths an exponential variable has a mass of e^-45.
        depth = np.minimum(width, 45 / part) * (nodes + 1) / 2
        density = np.exp(-depth * (part + depth / 2))
        depths[start : start + _AT_ONCE] = (density * depth) @ weights / (density @ weights)
    return depths


@cache
def _nodes() -> tuple[Array, Array]:
    return np.polynomial.legendre.leggauss(48)


def _regret(points: Array, signs: Array, dimension: int) -> float:
    """Return the regret of mean points, each coordinate of which is `points`, at slopes of length 1."""
    return math.sqrt(dimension) * float(signs @ points) + abs(float(signs.sum())) / 2


def _before(signs: Array) -> Array:
    """Return the sums of the slopes before each round."""
    return np.concatenate([[0.0], np.cumsum(signs)[:-1]])


def leader_regret(which: str, signs: Array, dimension: int, level: float) -> float:
    """Return the expected regret of DP-FTRL, with the regulariser that its own bound prefers."""
    sums = NOISE[which](len(signs))
    lam = dp_ftrl_regulariser(sums, dimension, level)
    # Neighbouring slopes of length 1 are at most 2 apart.
    deviation = np.concatenate([[2 / level], 2 * sums[:-1] / level]) / lam
    mean = -_before(signs) / math.sqrt(dimension) / lam
    return _regret(_clipped(mean, deviation, 0.5 / math.sqrt(dimension)), signs, dimension)


def gibbs_regret(signs: Array, dimension: int, beta: float, lam: float) -> float:
    """Return the expected regret of points whose law is the Gibbs measure in each round."""
    mean = -_before(signs) / math.sqrt(dimension) / lam
    return _regret(_truncated(mean, 1 / math.sqrt(beta * lam), 0.5 / math.sqrt(dimension)), signs, dimension)


def lotteries(horizon: int, level: float) -> Iterator[tuple[float, float]]:
    """Yield scales u of P-COMW at a Gaussian level, with the regret's drift, for lotteries of several kinds.

    The paper's is ``p = T^(-1/3)`` with a budget of three times the draws that are expected. A smaller budget
    is spent with a probability that Chernoff's bound puts at ``1 / (1000 T)``.
    """
    paper = lazy_scale(horizon, level)
    log_phi, p = log_closeness(paper, horizon**-3.0), horizon ** (-1 / 3)
    yield paper, 2 * horizon * math.exp(-draw_probability(log_phi, p) * horizon) + 6 / horizon
    for factor in (0.5, 1.0, 2.0, 4.0, 8.0):
        p = min(1.0, factor * horizon ** (-1 / 3))
        low, high = 0.0, level
        while high - low > 1e-9 * high:
            u = (low + high) / 2
            log_phi = log_closeness(u, horizon**-3.0)
            # A budget from Bernstein's form of Chernoff's bound, solved for the number of draws.
            expected, rare = draw_probability(log_phi, p) * horizon, math.log(1000 * horizon)
            budget = expected + rare / 3 + math.sqrt(rare**2 / 9 + 2 * rare * expected)
            # The level grows with the scale u, so the largest that fits is found by bisection.
            fits = play_level(u, horizon, log_phi, p, budget) <= level
            low, high = (u, high) if fits else (low, u)
        yield low, 0.001 + 6 / horizon


def gibbs_rivals(
    regret: Callable[[float, float], float],
    horizon: int,
    dimension: int,
    level: float,
    factors: list[float],
    drifts: int = -1,
) -> dict[str, float]:
    """Return the regrets of fresh draws and P-COMW at the best multiples of beta and lam, and lotteries.

    `regret` is that of Gibbs draws from beta and lam. A multiple of both does not change what a draw reveals.
    The law of P-COMW's point is that of the Gibbs measure up to the drift. By default it is taken off, in its
    favour; with `drifts` 1 it is added.
    """

    def best(scale: float) -> float:
        beta, lam = gibbs_parameters(horizon, dimension, scale)
        return min(regret(f * beta, f * lam) for f in factors)

    return {
        "fresh draws": best(every_round_scale(horizon, level)),
        "P-COMW": min(best(scale) + drifts * drift for scale, drift in lotteries(horizon, level)),
    }


def rivals(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """DP-FTRL loses less than P-COMW and than fresh draws, although only these are tuned in hindsight.

    Its regret is that of its law, and at the least number of rounds that of games which are played as well.
    Lazy is never to learn: the regret of a fixed point.
    """
    level = float(calibrate_mu(epsilon=grid["epsilon"], delta=grid["delta"]))
    points, cells = [], list(product(grid["d"], grid["T"], grid["stream"]))
    for dimension, horizon, stream in cells:
        signs = STREAMS[stream](horizon)
        others = gibbs_rivals(
            partial(gibbs_regret, signs, dimension), horizon, dimension, level, grid["factors"]
        )
        least, never = min(others.values()), abs(float(signs.sum())) / 2
        where = {"d": dimension, "T": horizon, "stream": stream}
        notes = {**others, "of a fixed point": never, **bounds(horizon, dimension, level)}
        for which in NOISE:
            if which != "optimal" or horizon <= grid["optimal_up_to"]:
                value = leader_regret(which, signs, dimension, level)
                place = {**where, "noise": which, "how": "law"}
                points.append(Point(place, value, least, notes=notes, trivial=never, lazy=never))
        for which in grid["played"] if horizon == min(grid["T"]) else ():
            key = (seed, "rivals", which, dimension, horizon, stream, repetitions)
            regrets = simulated_regrets(which, signs, dimension, level, repetitions, *key)
            mean, low, high = map(float, mean_interval(regrets, intervals=len(cells) * len(grid["played"])))
            place = {**where, "noise": which, "how": "played"}
            points.append(Point(place, mean, least, low, high, notes=notes, trivial=never, lazy=never))
    return [*points, *_long_games(grid, level)]


def _long_games(grid: Grid, level: float) -> Iterator[Point]:
    """Compare regrets on the constant stream: how long DP-FTRL's is least, and when P-COMW's is less."""
    for dimension, horizon in grid["long"]["ahead"]:
        blocks = _Blocks(horizon, grid["long"]["blocks"], dimension)
        others = gibbs_rivals(blocks.gibbs_at_least, horizon, dimension, level, grid["factors"])
        value, most = blocks.leader_at_most(level), min(others.values())
        yield _long_point(dimension, horizon, "square root", value, most, level, others)
    for dimension, horizon in grid["long"]["behind"]:
        blocks = _Blocks(horizon, grid["long"]["blocks"], dimension)
        others = gibbs_rivals(blocks.gibbs_at_most, horizon, dimension, level, grid["factors"], 1)
        least = blocks.leader_at_least(level)
        yield _long_point(dimension, horizon, "P-COMW", others["P-COMW"], least, level, others)


def _long_point(
    dimension: int, horizon: int, who: str, value: float, bound: float, level: float, others: dict[str, float]
) -> Point:
    place = {"d": dimension, "T": horizon, "stream": "constant", "noise": who, "how": "blocks"}
    never = horizon / 2
    notes = {**others, "of a fixed point": never, **bounds(horizon, dimension, level)}
    return Point(place, value, bound, notes=notes, trivial=never, lazy=never)


def _root_sums(rounds: Array, shift: float) -> Array:
    """Bound the sums of c_k^2 for k below `rounds`, from above with shift 1/4 and from below with 1/2.

    For ``c_k = binom(2k, k) / 4^k``, of `root_noise`, ``1 / (pi (k + 1/2)) < c_k^2 < 1 / (pi (k + 1/4))``.
    Sums of these are integrals: from above with ends that lie half a step before, as 1/k is convex, from
    below with ends at the steps, as it falls.
    """
    listed = root_noise(_LISTED)
    known = listed**2 / listed[-1]
    before = 0.5 if shift == 0.25 else 0.0
    further = np.maximum(rounds, _LISTED)
    tail = np.log((further - before + shift) / (_LISTED - before + shift)) / math.pi
    return np.asarray(known[np.minimum(rounds, _LISTED).astype(np.intp) - 1] + tail)


class _Blocks:
    """Expected regrets on the constant stream, by blocks of rounds in which a point's mean hardly moves."""

    def __init__(self, horizon: int, count: int, dimension: int) -> None:
        edges = np.unique(np.rint(np.geomspace(1, horizon + 1, count)))
        self._horizon, self._dimension = horizon, dimension
        self._length = np.diff(edges)
        # how many slopes were added before the first and the last round of a block
        self._before_first, self._before_last = edges[:-1] - 1, edges[1:] - 2
        self._half = 0.5 / math.sqrt(dimension)

    def _regret(self, points: Array) -> float:
        return math.sqrt(self._dimension) * float(self._length @ (points + self._half))

    def _centres(self, before: Array, lam: float) -> Array:
        return np.asarray(-before / math.sqrt(self._dimension) / lam)

    def gibbs_at_least(self, beta: float, lam: float) -> float:
        """Return a regret of Gibbs draws, whose mean falls from round to round."""
        return self._gibbs(self._before_last, beta, lam)

    def gibbs_at_most(self, beta: float, lam: float) -> float:
        """Return a regret of Gibbs draws, from above."""
        return self._gibbs(self._before_first, beta, lam)

    def _gibbs(self, before: Array, beta: float, lam: float) -> float:
        return self._regret(_truncated(self._centres(before, lam), 1 / math.sqrt(beta * lam), self._half))

    def leader_at_most(self, level: float) -> float:
        """Return a regret of DP-FTRL: the mean of a point below 0 rises with its centre and its noise."""
        return self._leader(self._before_first, self._noise(self._before_last, 0.25), level)

    def leader_at_least(self, level: float) -> float:
        """Return a regret of DP-FTRL, from below."""
        return self._leader(self._before_last, self._noise(self._before_first, 0.5), level)

    def _noise(self, sums: Array, shift: float) -> Array:
        """Bound the noise of sums of so many slopes; the first point has that of one."""
        return np.sqrt(
            _root_sums(np.maximum(sums, 1), shift) * _root_sums(np.array([float(self._horizon)]), shift)
        )

    def _regulariser(self, level: float) -> float:
        if self._horizon <= _LISTED:
            return dp_ftrl_regulariser(root_noise(self._horizon), self._dimension, level)
        # The leader may take any; this is the one of its bound with the noise of blocks, from above.
        spread = 1 + 2 * math.sqrt(self._dimension) * self._noise(self._before_last + 1, 0.25) / level
        return math.sqrt(2 * float(self._length @ spread))

    def _leader(self, before: Array, noise: Array, level: float) -> float:
        lam = self._regulariser(level)
        return self._regret(_clipped(self._centres(before, lam), 2 * noise / level / lam, self._half))


def bounds(horizon: int, dimension: int, level: float) -> dict[str, float]:
    """Return the bounds on the regrets of DP-FTRL with square-root noise, of P-COMW and of fresh draws."""
    return {
        "bound of DP-FTRL": private_leader_regret(horizon, dimension, level),
        "bound of P-COMW": lazy_private_regret(horizon, dimension, level),
        "bound of fresh draws": every_round_regret(horizon, dimension, level),
    }


def simulated_regrets(
    which: str, signs: Array, dimension: int, level: float, repetitions: int, *key: Any
) -> Array:
    """Return the regrets of DP-FTRL in games that are played, shape (repetitions,)."""
    horizon = len(signs)
    sums = noisy_sums(which, horizon, dimension, level, repetitions, rng_for(*key))
    lam = dp_ftrl_regulariser(NOISE[which](horizon), dimension, level)
    return _lost(DPFTRL(_box(dimension), sums, lam=lam), signs, dimension)


def noisy_sums(
    which: str, horizon: int, dimension: int, level: float, repetitions: int, rng: np.random.Generator
) -> Sums:
    """Return sums of slopes of length 1 with the noise of the tree or of the band, at a Gaussian level."""
    guarantee, source = GaussianDP(level, "central"), SimulatedNoise(rng)
    if which == "tree":
        return TreeSums(
            dimension, guarantee, horizon=horizon, sensitivity=2.0, noise=source, repetitions=repetitions
        )
    return BandedSums(
        dimension,
        guarantee,
        coefficients=root_band(_BAND),
        sensitivity=2.0,
        noise=source,
        repetitions=repetitions,
    )


def theorem_4_1_regret(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """At the parameters of Theorem 4.1 the expected regret of P-COMW is at most its bound.

    At the least number of rounds it is played. In longer games the regret is that of the Gibbs measures, and
    the drift is added. Lazy is a learner that never moves.
    """
    points = []
    for where, accounting, dimension, horizon, stream in cells_of(grid, "accounting", "d", "T", "stream"):
        signs, size = STREAMS[stream](horizon), (horizon, dimension, grid["epsilon"], grid["delta"])
        play = private_parameters(*size, accounting=accounting)
        close = horizon**-3.0 if accounting == "careful" else grid["delta"] / (60 * horizon**2)
        drift = 2 * horizon * math.exp(-(horizon ** (2 / 3))) + 6 * horizon**2 * close
        value = gibbs_regret(signs, dimension, play.beta, play.lam) + drift
        never, most = abs(float(signs.sum())) / 2, private_regret(*size, accounting=accounting)
        points.append(Point({**where, "how": "law"}, value, most, trivial=float(horizon), lazy=never))
        if horizon == min(grid["T"]):
            key = (seed, "theorem 4.1", accounting, dimension, horizon, stream, repetitions)
            family = LinearGibbs(_box(dimension), beta=play.beta, lam=play.lam)
            learner = PCOMW(
                family,
                log_phi=play.log_phi,
                p=play.p,
                budget=play.budget,
                rng=rng_for(*key),
                repetitions=repetitions,
            )
            mean, low, high = map(float, mean_interval(_lost(learner, signs, dimension), intervals=4))
            place = {**where, "how": "played"}
            points.append(Point(place, mean, most, low, high, trivial=float(horizon), lazy=never))
    return points


def _box(dimension: int) -> Box:
    """Return the box of diameter 1."""
    half = 0.5 / math.sqrt(dimension)
    return Box([-half] * dimension, [half] * dimension)


def _lost(learner: DPFTRL | PCOMW, signs: Array, dimension: int) -> Array:
    """Return the regret of each repetition of a game that is played."""
    slopes = np.outer(signs, np.full(dimension, 1 / math.sqrt(dimension)))
    return total_loss(learner, slopes) + abs(float(signs.sum())) / 2
