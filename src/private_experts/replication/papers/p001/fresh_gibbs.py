"""Fresh Gibbs draws in every round: their regret, and where which algorithm has the least bound. [001, Section 4]"""

import functools
import math
from collections.abc import Callable
from itertools import product

import numpy as np

from private_experts.privacy.gaussian_mechanism import calibrate_mu
from private_experts.private_oco import domains
from private_experts.private_oco.closeness import draw_probability
from private_experts.private_oco.every_round import GibbsEveryRound
from private_experts.private_oco.gaussian import LinearGibbs
from private_experts.private_oco.gaussian_accounting import (
    every_round_parameters,
    every_round_regret,
    lazy_private_parameters,
    lazy_private_regret,
)
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.losses import LOSSES
from private_experts.private_oco.parameters import private_regret
from private_experts.private_oco.predecessors import private_leader_regret
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
from private_experts.replication.balls.boxes import agreement, at_point, over_box, widened
from private_experts.replication.intervals import mean_interval
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p001.exact_regret import diameter, fresh_draws, measures, programs, unlearned
from private_experts.replication.papers.p001.exact_regret import regret as expected_regret
from private_experts.replication.papers.p001.gaussian_gibbs import normal_delta
from private_experts.replication.papers.p001.linear_games import of_best, unit_ball_regret, unit_slopes
from private_experts.replication.papers.p001.pcomw_regret import DOMAINS

Bound = Callable[[int], float]


@precision()
def regret(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The expected regret of fresh draws is at most their bound; it is exact, as each draw has the Gibbs law itself.

    No play can lose more than G D T. The program's regrets and bounds are compared. Lazy are uniform
    draws. [mathematics/001.md#every-round-regret]
    """
    points, off, bounds = [], [], []
    for name, losses_name, horizon, level in product(grid["set"], grid["losses"], grid["T"], grid["level"]):
        domain, lipschitz = DOMAINS[name], grid["G"]
        size = (horizon, domain.dimension, level, lipschitz, domain.diameter)
        family = GridGibbs(domain.grid(grid["cells"][name]), **every_round_parameters(*size)._asdict())
        where = {"set": name, "losses": losses_name, "T": horizon, "level": level}
        losses = LOSSES[losses_name](family, horizon, lipschitz, rng_for(seed, "every round", *where.values()))
        value = expected_regret(fresh_draws(measures(family, losses)), losses)
        most = lipschitz * diameter(domain) * sqrt(ball(horizon)) * fresh(log(ball(horizon)), domain.dimension, level)
        trivial = lipschitz * domain.diameter * horizon
        points.append(at_point(where, value, most, trivial=trivial, lazy=unlearned(losses)))
        off.append(
            abs(float((np.exp(family.laws(losses)) * losses).sum() - losses.sum(axis=0).min()) - value) / trivial
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
    """Return the Gaussian level that has this delta at this epsilon; bounds at every T ask for the same few."""
    return float(calibrate_mu(epsilon, delta))


def bounds(dimension: int, epsilon: float, delta: float) -> dict[str, Bound]:
    """Return bounds on the regret by number of rounds, for G = D = 1, of all (epsilon, delta)-private algorithms."""
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
    """Return the bound of fresh draws over the root of T in ball arithmetic, at a Gaussian level; t is log T."""
    return sqrt(2 + 8 * dimension * (1 - exp(-t)) * t / square(level)) + exp(-t / 2)


def leader(t: Ball, dimension: Ball, level: Ball) -> Ball:
    """Return the bound of the private leader over the root of T in ball arithmetic; t is log T."""
    return sqrt(2 * (1 + 2 * (1 + (1 + t) / pi()) / level * sqrt(dimension)))


def level_of(epsilon: float, delta: float) -> Ball:
    """Return a ball around the Gaussian level with this delta at this epsilon; around nothing if that is not sure."""
    computed = gaussian_level(epsilon, delta)
    low, high = computed * (1 - 1e-11), computed * (1 + 1e-11)
    least, most = (normal_delta(epsilon, ball(each)) for each in (low, high))  # it grows with the level
    return ball(low, high) if least <= delta and most >= delta else ball(math.nan)


def hardness(grid: Grid) -> list[float]:
    """Return the range of ``sqrt(d)`` over the Gaussian level on a grid; both bounds depend on d and level by it."""
    with precision():
        least, most = (level_of(pick(grid["epsilon"]), grid["delta"]) for pick in (min, max))
        return [lower(sqrt(ball(min(grid["d"]))) / most), upper(sqrt(ball(max(grid["d"]))) / least)]


def _leader_is_ahead(t: Ball, hardness: Ball) -> tuple[Ball, Ball]:
    return leader(t, 1, 1 / hardness), fresh(t, 1, 1 / hardness)


def best_bound(grid: Grid) -> list[Point]:
    """Fresh draws have nowhere the least bound: the private leader's is smaller, at all T, for epsilon at most 1.

    It is proved for all T and all ``sqrt(d) / level`` of a box, and at points. Where no bound is below G D T, a point
    is vacuous. The notes have all bounds as shares of G D T, and how often P-COMW draws, as a share of T.
    [mathematics/001.md#where-each-is-best]
    """
    points = []
    decades = grid["log10_T"]
    box = {"t": widened(math.log(10) * min(decades), math.log(10) * max(decades)), "hardness": hardness(grid)}
    points.append(over_box({"what": "all"}, _leader_is_ahead, box))
    for dimension, epsilon, exponent in product(grid["d"], grid["epsilon"], grid["log10_T"]):
        horizon = round(10**exponent)
        found = {name: bound(horizon) / horizon for name, bound in bounds(dimension, epsilon, grid["delta"]).items()}
        play = lazy_private_parameters(horizon, dimension, gaussian_level(epsilon, grid["delta"]))
        notes = {**found, "draws / T": min(draw_probability(play.log_phi, play.p), 1.0)}
        where = {"what": "ratio", "d": dimension, "epsilon": epsilon, "T": horizon}
        trivial = 1.0 if min(found.values()) >= 1 else 0.0
        with precision():
            place = log(ball(horizon)), ball(dimension), level_of(epsilon, grid["delta"])
            ratio = fresh(*place) / leader(*place)
            points.append(at_point(where, ratio, ball(1), notes, sense=">=", trivial=trivial))
            if exponent < max(decades):
                continue
            for name, exact in (("every round", fresh(*place)), ("private leader", leader(*place))):
                true = exact / sqrt(ball(horizon))
                points.append(agreement({**where, "what": name}, found[name], true, grid["tolerance"]))
    return points


def overtakes(grid: Grid) -> list[Point]:
    """From which T on P-COMW's bound is below another one's, by its accounting; found by bisection over T.

    The value is log10 of that T, and lies between the two numbers stated. [mathematics/001.md#where-each-is-best]
    """
    points = []
    for rival, accounting, dimension, low, high in grid["stated"]:
        found = bounds(dimension, grid["epsilon"], grid["delta"])

        def behind(log10: float) -> bool:
            horizon = round(10**log10)
            return found[accounting](horizon) >= found[rival](horizon)  # noqa: B023

        left, right = grid["log10_T"]
        while right - left > 1e-3:
            middle = (left + right) / 2
            left, right = (middle, right) if behind(middle) else (left, middle)
        where = {"rival": rival, "accounting": accounting, "d": dimension}
        value = right if not math.isclose(right, grid["log10_T"][1], abs_tol=2e-3) else math.inf
        points.append(Point({**where, "side": "not before"}, value, low, sense=">="))
        points.append(Point({**where, "side": "not after"}, value, high))
    return points
