"""Fresh Gibbs draws in every round: their regret, and bounds on that of all algorithms. [001, Section 4]"""

import functools
import math
from collections.abc import Callable
from itertools import product

import numpy as np

from private_experts.privacy.gaussian_mechanism import calibrate_mu
from private_experts.private_oco import domains
from private_experts.private_oco.every_round import GibbsEveryRound
from private_experts.private_oco.gaussian import LinearGibbs
from private_experts.private_oco.gaussian_accounting import (
    every_round_parameters,
    every_round_regret,
    lazy_private_regret,
)
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.losses import LOSSES
from private_experts.private_oco.parameters import private_regret
from private_experts.private_oco.private_accounting import Accounting
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    log,
    lower,
    pi,
    precision,
    sqrt,
    square,
    upper,
)
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p001.exact_regret import (
    diameter,
    fresh_draws,
    measures,
    programs,
    unlearned,
)
from private_experts.replication.papers.p001.exact_regret import regret as expected_regret
from private_experts.replication.papers.p001.gaussian_gibbs import normal_delta
from private_experts.replication.papers.p001.linear_games import of_best, unit_ball_regret, unit_slopes
from private_experts.replication.papers.p001.pcomw_regret import DOMAINS
from private_experts.replication.papers.p001.predecessors import private_leader_regret
from private_experts.replication.study.intervals import mean_interval

Bound = Callable[[int], float]


@precision()
def regret(grid: Grid, seed: int) -> list[Point]:
    """The expected regret of fresh draws is at most their bound; exact, as each draw has the Gibbs law.

    No play can lose more than G D T. The program's regrets and bounds are compared. Lazy are uniform
    draws. [mathematics/001.md#every-round-regret]
    """
    points, off, bounds = [], [], []
    for name, losses_name, horizon, level in product(grid["set"], grid["losses"], grid["T"], grid["level"]):
        domain, lipschitz = DOMAINS[name], grid["G"]
        size = (horizon, domain.dimension, level, lipschitz, domain.diameter)
        family = GridGibbs(domain.grid(grid["cells"][name]), **every_round_parameters(*size)._asdict())
        where = {"set": name, "losses": losses_name, "T": horizon, "level": level}
        losses = LOSSES[losses_name](
            family, horizon, lipschitz, rng_for(seed, "every round", *where.values())
        )
        value = expected_regret(fresh_draws(measures(family, losses)), losses)
        # By scale: regret is G D times that for G = D = 1.
        most = (
            lipschitz
            * diameter(domain)
            * sqrt(ball(horizon))
            * fresh(log(ball(horizon)), domain.dimension, level)
        )
        trivial = lipschitz * domain.diameter * horizon
        # On a grid the Gibbs measures are exact, since the grid is a decision set of its own.
        points.append(at_point(where, value, most, trivial=trivial, lazy=unlearned(losses)))
        off.append(
            abs(float((np.exp(family.laws(losses)) * losses).sum() - losses.sum(axis=0).min()) - value)
            / trivial
        )
        bounds.append(abs(every_round_regret(*size) / most - 1))
    return [*points, *programs({"set": "any", "losses": "any", "T": 0, "level": 0.0}, "losses", off, bounds)]


def play(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Played with samples on balls, the mean regret against linear losses is at most the bound.

    Lazy are uniform draws. [mathematics/001.md#every-round-regret]
    """
    cells, points = list(product(grid["d"], grid["slopes"], grid["T"], grid["level"])), []
    for dimension, kind, horizon, level in cells:
        key = (dimension, kind, horizon, level, repetitions)
        slopes = unit_slopes(kind, horizon, dimension, rng_for(seed, "every round slopes", *key))
        family = LinearGibbs(
            domains.Ball(dimension, 0.5), **every_round_parameters(horizon, dimension, level)._asdict()
        )
        rng = rng_for(seed, "every round play", *key)
        learner = GibbsEveryRound(family, horizon=horizon, rng=rng, repetitions=repetitions)
        mean, low, high = map(float, mean_interval(unit_ball_regret(learner, slopes), intervals=len(cells)))
        where = {"d": dimension, "slopes": kind, "T": horizon, "level": level, "stated": learner.guarantee.mu}
        most, lazy = every_round_regret(horizon, dimension, level), of_best(slopes)
        points.append(Point(where, mean, most, low, high, trivial=horizon, lazy=lazy))
    return points


@functools.cache
def gaussian_level(epsilon: float, delta: float) -> float:
    """Return the Gaussian level that has this delta at this epsilon; bounds at every T use the same few."""
    return float(calibrate_mu(epsilon=epsilon, delta=delta))


def bounds(dimension: int, epsilon: float, delta: float) -> dict[str, Bound]:
    """Return bounds on the regret over rounds at G = D = 1 of all (epsilon, delta)-private algorithms."""
    level = gaussian_level(epsilon, delta)

    def paper(accounting: Accounting) -> Bound:
        return lambda horizon: private_regret(horizon, dimension, epsilon, delta, accounting=accounting)

    return {
        "closed": paper("closed"),
        "mended": paper("mended"),
        "careful": paper("careful"),
        "gaussian": lambda horizon: lazy_private_regret(horizon, dimension, level),
        "every round": lambda horizon: every_round_regret(horizon, dimension, level),
        "private leader": lambda horizon: private_leader_regret(horizon, dimension, level),
    }


def fresh(t: Ball, dimension: Ball, level: Ball) -> Ball:
    """Return the bound of fresh draws over the root of T in balls, at a Gaussian level; t is log T."""
    return sqrt(2 + 8 * dimension * (1 - exp(-t)) * t / square(level)) + exp(-t / 2)


def leader(t: Ball, dimension: Ball, level: Ball) -> Ball:
    """Return the bound of the private leader over the root of T in ball arithmetic; t is log T."""
    return sqrt(2 * (1 + 2 * (1 + (1 + t) / pi()) / level * sqrt(dimension)))


def level_of(epsilon: float, delta: float) -> Ball:
    """Return a ball around the Gaussian level with this delta at this epsilon; not a number if unsure."""
    computed = gaussian_level(epsilon, delta)
    # Delta grows with the level, so its signs at two levels enclose the true one.
    low, high = computed * (1 - 1e-11), computed * (1 + 1e-11)
    least, most = (normal_delta(epsilon, ball(end)) for end in (low, high))  # it grows with the level
    return ball(low, high) if least <= delta and most >= delta else ball(math.nan)


def hardness(grid: Grid) -> list[float]:
    """Return ``sqrt(d)``'s range over the Gaussian level on a grid, which decides both bounds."""
    with precision():
        least, most = (level_of(pick(grid["epsilon"]), grid["delta"]) for pick in (min, max))
        return [lower(sqrt(ball(min(grid["d"]))) / most), upper(sqrt(ball(max(grid["d"]))) / least)]
