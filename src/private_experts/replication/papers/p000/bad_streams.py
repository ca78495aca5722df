"""Five private protocols on the streams that own counts' lower bound is proved by.

[mathematics/000.md#own-counts-optimal]
"""

import math
from collections.abc import Callable

import numpy as np

from private_experts.arrays import Array, Indices, Ints
from private_experts.privacy.conversions import pure_within
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.own_counts import own_scales
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p000.own_count_rates import LARGEST_DELTA, SHARE
from private_experts.replication.papers.p000.sampled_points import mean_point

Report = Callable[[Ints, Ints, float, np.random.Generator], Array]  # of counts, given beds and mu: densities


def _epsilon(mu: float) -> float:
    """Return the largest pure privacy that implies the level mu."""
    return pure_within(GaussianDP(mu, "local")).epsilon


def _laplace(counts: Ints, beds: Ints, mu: float, rng: np.random.Generator) -> Array:
    # Who moves changes two counts by one each.
    return np.asarray((counts + rng.laplace(scale=2 / _epsilon(mu), size=counts.shape)) / beds)


def _discrete(counts: Ints, beds: Ints, mu: float, rng: np.random.Generator) -> Array:
    """Return counts in two-sided geometric noise, which is whole."""
    stop = -math.expm1(-_epsilon(mu) / 2)
    return np.asarray((counts + rng.geometric(stop, counts.shape) - rng.geometric(stop, counts.shape)) / beds)


def _binary(counts: Ints, beds: Ints, mu: float, rng: np.random.Generator) -> Array:
    """Return one bit of each hospital, of a bed drawn at random, in randomised response.

    One patient moves a bit's chance by `step` over the beds. From the least chance, (1 - step) / 2, this
    spends half of the level, as at the other hospital. A response of that level to the bed would hide far
    more.
    """
    moved = beds / 2 * math.expm1(_epsilon(mu) / 2)
    step = moved / (1 + moved)
    bits = rng.random(counts.shape) < 0.5 + step * (counts / beds - 0.5)
    return np.asarray(0.5 + (bits - 0.5) / step)


def _shared(counts: Ints, beds: Ints, mu: float, rng: np.random.Generator) -> Array:
    """Return counts in normal noise that adds up to 0: a move does not change the sum of all counts."""
    noise = rng.standard_normal(counts.shape) * math.sqrt(2) / mu
    return np.asarray((counts + noise - noise.mean(axis=-1, keepdims=True)) / beds)


def _own(counts: Ints, beds: Ints, mu: float, rng: np.random.Generator) -> Array:
    scales = own_scales(1 / beds, GaussianDP(mu, "local"))
    return np.asarray(counts / beds + scales * rng.standard_normal(counts.shape))


def _true(counts: Ints, beds: Ints, mu: float, rng: np.random.Generator) -> Array:
    return np.asarray(counts / beds)


PROTOCOLS: dict[str, Report] = {
    "laplace": _laplace,
    "discrete": _discrete,
    "binary": _binary,
    "shared noise": _shared,
    "posterior means": _own,
}


def _hidden(beds: Ints, k: int, delta: float, shape: tuple[int, int], rng: np.random.Generator) -> Ints:
    """Return counts (repetitions, T, n) of games in which one of k hospitals, drawn once a game, is ahead.

    Beds are even, so that half of them needs no coin.
    """
    copies = np.arange(shape[0])
    ahead = rng.integers(k, size=shape[0])
    moved = np.floor(delta * beds[ahead][:, None] + rng.random(shape)).astype(np.int64)
    counts = np.tile(beds // 2, (*shape, 1))
    counts[copies, :, ahead] += moved
    counts[..., -1] -= moved
    return counts


def _plays(reports: Array, prior: Array | float) -> Indices:
    """Return in each round who leads by past reports (repetitions, T, n), shrunk if there is a prior.

    `prior` is how many reports a prior mean of a half counts for. The first round's expert is the last one.
    """
    past = np.cumsum(reports - 0.5, axis=1)[:, :-1]
    means = past / (np.arange(1, reports.shape[1])[:, None] + prior)
    first = np.full((len(reports), 1), reports.shape[2] - 1)
    return np.concatenate([first, means.argmax(axis=2)], axis=1)


def _regret(gains: Array, plays: Indices) -> Array:
    """Return the regret of each game."""
    earned = np.take_along_axis(gains, plays[..., None], axis=2).sum(axis=(1, 2))
    return np.asarray(gains.sum(axis=1).max(axis=1) - earned)


def played(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """No protocol's mean regret is below the lower bound, on the hidden hospitals of its proof.

    Lazy is a protocol that reports true counts, on the same games.
    """
    points = []
    cells = cells_of(grid, "protocol", "beds", "mu", "T")
    for where, protocol, sizes, mu, horizon in cells:
        beds, rng = np.array(sizes), rng_for(seed, "bad streams", *map(str, where.values()), repetitions)
        scales = own_scales(1 / beds, GaussianDP(mu, "local"))
        roots = np.sqrt(np.log(np.arange(2, beds.size + 1)))
        k = int((scales[:-1] * roots).argmax()) + 1
        delta = min(float(SHARE) * roots[k - 1] / math.sqrt(horizon) * scales[k - 1], float(LARGEST_DELTA))
        counts = _hidden(beds, k, delta, (repetitions, horizon), rng)
        # Densities are half in the mean, and away from it by as much as the leader of the proof.
        prior = (scales / delta) ** 2 if protocol == "posterior means" else 0.0
        sample, without_reports = (
            _regret(counts / beds, _plays(report(counts, beds, mu, rng), weight))
            for report, weight in ((PROTOCOLS[protocol], prior), (_true, 0.0))
        )
        least = horizon * delta / 4
        place = {**where, "beds": " ".join(map(str, sizes)), "k": k}
        notes = {"times_the_bound": float(sample.mean()) / least}
        points.append(
            mean_point(
                place, sample, least, len(cells), ">=", notes, trivial=0.0, lazy=float(without_reports.mean())
            )
        )
    return points
