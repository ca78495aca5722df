"""The predecessor for nonsmooth losses: the private shrinking dartboard on a cover. [001, Section 1]"""

from itertools import product

import numpy as np

from private_experts.algorithms.dartboard_parameters import theorem_2_regret
from private_experts.arrays import Array
from private_experts.private_oco.convex_regret import gibbs_parameters
from private_experts.private_oco.domains import Box
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.losses import LOSSES
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, exp, largest, log, near, precision, upper
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.balls.sums import gamma, rounded, signed
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.dartboard_law import dartboard_law
from private_experts.replication.papers.p001.exact_chains import Between, Lotteries, point_laws

_BITS = 80
# how far the program's probabilities may be from bounds that are 1e-10 apart, and its bound from the exact
_APART = 1e-9
_TERMS = 18  # of the exponential's series; at 1/2 the rest is below 2^-70
# roundings of a factor: three a term; one division, and what the series is taken at, are few
_STEPS = 3 * _TERMS + 8


def factors(losses: Array, eta: float) -> Array:
    """Return ``(1 - eta)^loss`` for losses in [0, 1] and eta below 0.39: one over a positive series."""
    # One over a series of positive terms: the alternating one of e^-x would cancel, and its rounding would
    # not be relative.
    steep = near(-log(1 - ball(eta)))
    assert steep < 0.5
    at, series = steep * losses, np.ones_like(losses)
    for k in range(_TERMS, 0, -1):
        series = 1 + at * series / k
    return 1 / series


def chain(losses: Array, eta: float, p: float) -> tuple[Between, Lotteries]:
    """Return the laws of a draw in each round and the lotteries of the dartboard, between two bounds."""
    factor = factors(losses[:-1], eta)
    horizon, n = losses.shape
    weights = np.concatenate([np.ones((1, n)), factor.cumprod(axis=0)])
    laws = weights / weights.sum(axis=1, keepdims=True)
    # The dartboard keeps a point with the weight of its last loss; there is no clipping and no Phi.
    stay = (1 - p) * factor
    keep = _between(stay, stay, _STEPS + 2)
    leave = _between(1 - keep.high, 1 - keep.low, 2)
    return _between(laws, laws, 2 * horizon * (_STEPS + 1) + n), Lotteries(keep, leave, False)


def _between(low: Array, high: Array, steps: int) -> Between:
    """Return the bounds on numbers that lie between two that were rounded so often."""
    off = 2 * upper(gamma(steps))
    return Between(low * (1 - off), high * (1 + off))


def expected(law: Between, losses: Array) -> Ball:
    """Return the expected loss of points with a law."""
    # Signs apart, so that each sum has terms of one sign and a relative error.
    gains, costs = np.maximum(-losses, 0.0), np.maximum(losses, 0.0)
    (few, many), (least, most) = ([float((end * part).sum()) for end in law] for part in (gains, costs))
    most_of = [rounded(total, losses.size + 1) for total in (few, many, least, most)]
    return (most_of[2] - most_of[1]).union(most_of[3] - most_of[0])


def best_total(losses: Array) -> Ball:
    """Return the total loss of the best point."""
    totals, sizes = losses.sum(axis=0), np.abs(losses).sum(axis=0)
    return signed(float(totals.min()), float(sizes.max()), len(losses))


def regret_bound(eta: float, p: float, horizon: int, n: int) -> Ball:
    """Return the dartboard's own bound, ``eta T + log(n) / eta + 2 T exp(-T p / 3)``."""
    return ball(eta) * horizon + log(n) / ball(eta) + 2 * horizon * exp(-horizon * ball(p) / 3)


@precision(_BITS)
def dartboard_on_cover(grid: Grid, seed: int) -> list[Point]:
    """On n points that cover an interval, the dartboard's regret is at most its own bound plus G D T / (2 n).

    The regret is exact, from the Markov chain with 4 T p draws, between two bounds that rounding cannot
    cross. The best point is sought on a grid nine times as fine. The program's law and bound are compared
    with what is exact. Lazy are uniform draws. [mathematics/001.md#dartboard-cover]
    """
    points, laws, bounds, domain = [], [], [], Box((-0.5,), (0.5,))
    for losses_name, horizon, n, (eta, p) in product(grid["losses"], grid["T"], grid["n"], grid["eta_p"]):
        family = GridGibbs(domain.grid(9 * n), **gibbs_parameters(horizon, 1, 1.0)._asdict())
        where = {"losses": losses_name, "T": horizon, "n": n, "eta": eta, "p": p}
        losses = LOSSES[losses_name](family, horizon, 1.0, rng_for(seed, "cover", *where.values()))
        # Every ninth point: the cover's points are points of the finer grid too, so no loss is interpolated.
        cover = losses[:, 4::9]  # the middles of n cells
        scaled = cover - cover.min(axis=1, keepdims=True)  # in [0, G D] = [0, 1]
        budget = int(4 * horizon * p)
        law = point_laws(*chain(scaled, eta, p), budget - 1)  # the first draw is not counted there
        program = dartboard_law(scaled, eta, p, budget).sum(axis=-1)
        laws.append(max(float(np.abs(end - program).max()) for end in law))
        own = regret_bound(eta, p, horizon, n)
        bounds.append(abs(theorem_2_regret(eta, p, horizon, n) / own - 1))
        value = expected(law, cover) - best_total(losses)
        lazy = float(cover.mean(axis=1).sum() - losses.sum(axis=0).min())
        # The nearest of n cell middles is at most D / (2 n) away, at G D = 1.
        points.append(at_point(where, value, own + ball(horizon) / (2 * n), trivial=horizon, lazy=lazy))
    nowhere, apart = {"T": 0, "n": 0, "eta": 0.0, "p": 0.0}, ball(max(laws)) * (1 + ball(_APART))
    for name, difference in {"program's law": apart, "program's bound": largest(bounds)}.items():
        points.append(at_point({"losses": name, **nowhere}, difference, ball(_APART)))
    return points
