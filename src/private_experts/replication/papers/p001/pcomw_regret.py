"""Regret of P-COMW against its bounds, what it gives up for drawing rarely. [001, Section 4 and Appendix C]

The adversary is oblivious, so the expected regret is linear in the laws of the points. On grids these are
exact.
"""

import math
from itertools import product

import numpy as np

from private_experts.arrays import Array
from private_experts.private_oco import domains
from private_experts.private_oco.closeness import draw_probability, log_closeness
from private_experts.private_oco.convex_regret import gibbs_parameters, gibbs_regret
from private_experts.private_oco.domains import Box, Domain
from private_experts.private_oco.gaussian import LinearGibbs
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.losses import LOSSES
from private_experts.private_oco.online_gradient import online_gradient_descent
from private_experts.private_oco.parameters import lazy_parameters, lazy_regret
from private_experts.private_oco.pcomw import PCOMW
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    expm1,
    log,
    near,
    precision,
    sqrt,
    square,
    upper,
)
from private_experts.replication.balls.boxes import at_point, over_box, widened
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p001.chains import budgeted_laws, marginals
from private_experts.replication.papers.p001.draw_rate import draw_chance
from private_experts.replication.papers.p001.exact_regret import (
    diameter,
    gibbs_bound,
    lotteries,
    measures,
    programs,
    unlearned,
)
from private_experts.replication.papers.p001.exact_regret import regret as expected_regret
from private_experts.replication.papers.p001.linear_games import of_best, unit_ball_regret, unit_slopes
from private_experts.replication.study.intervals import mean_interval

# The origin is the centre of the first three and an end of the last; the bound uses only |x| <= D.
DOMAINS: dict[str, Domain] = {
    "interval": Box((-0.5,), (0.5,)),
    "disc": domains.Ball(2, 0.5),
    "rectangle": Box((-0.4, -0.3), (0.4, 0.3)),
    "ray": Box((0.0,), (1.0,)),
}


def _expected_regret(law: Array, losses: Array) -> float:
    """Return the expected regret of points with the laws (T, m) against the best point of the grid."""
    return float((law * losses).sum() - losses.sum(axis=0).min())


@precision()
def regret(grid: Grid, seed: int) -> list[Point]:
    """P-COMW's expected regret is at most lam D^2/2 + G^2 T/lam + d log(T)/beta + G D plus the cost of drift.

    Drift costs 6 G D delta T^2 without a budget, and 2 G D T (exp(-p~ T) + 3 delta T) with the budget 3 p~ T.
    That is never less than the T - 1 lotteries here. The program's regrets and bounds are compared, also of
    its chain with a budget. Lazy are uniform draws. [mathematics/001.md#regret-theorem]
    """

    def both(
        name: str, losses_name: str, horizon: int, u: float, factor: float
    ) -> list[tuple[Point, float, float]]:
        """Return the evidence without a budget and, in one dimension, with one, and the program's error."""
        where = {"set": name, "losses": losses_name, "T": horizon, "u": u, "lam_factor": factor}
        domain, lipschitz, delta = DOMAINS[name], grid["G"], horizon**-2.0
        beta, lam = gibbs_parameters(horizon, domain.dimension, u, lipschitz, domain.diameter)
        family = GridGibbs(domain.grid(grid["cells"][name]), beta=beta * factor, lam=lam * factor)
        rng = rng_for(seed, "regret", name, losses_name, horizon, u, factor)
        losses = LOSSES[losses_name](family, horizon, lipschitz, rng)
        program, log_phi, laws = family.laws(losses), log_closeness(u, delta), measures(family, losses)
        size = (horizon, domain.dimension, family.beta, family.lam, lipschitz)
        bound_of_law, unit = gibbs_regret(*size, domain.diameter), lipschitz * domain.diameter
        most, exact_unit = gibbs_bound(*size, diameter(domain)), lipschitz * diameter(domain)

        def compared(
            budget: str, p: float, law: Array, bound: float, exact_bound: Ball
        ) -> tuple[Point, float, float]:
            value = expected_regret(lotteries(laws, log_phi, p), losses)
            place, trivial = {**where, "budget": budget}, unit * horizon
            point = at_point(place, value, exact_bound, trivial=trivial, lazy=unlearned(losses))
            off = abs(_expected_regret(law, losses) - value) / (unit * horizon)
            return point, upper(off), upper(abs(bound / exact_bound - 1))

        free = marginals(program, log_phi, 0.0)[0]
        results = [
            compared("inf", 0.0, free, bound_of_law + 6 * unit * delta * horizon**2, most + 6 * exact_unit)
        ]
        if domain.dimension == 1:
            p = horizon ** (-1 / 3)
            chance, exact_chance = (rate(log_phi, p) * horizon for rate in (draw_probability, draw_chance))
            drifted = 2 * unit * horizon * (math.exp(-chance) + 3 * delta * horizon)
            exactly = 2 * exact_unit * (horizon * exp(-exact_chance) + 3)
            # With a budget that no play can exhaust, the law of the point is that without one.
            if not 3 * exact_chance >= horizon - 1:
                raise ValueError("a budget that may be spent needs the joint law of draws and point")
            law = budgeted_laws(program, log_phi, p, math.floor(3 * chance))
            results.append(compared("3 p~ T", p, law, bound_of_law + drifted, most + exactly))
        return results

    cells = product(*(grid[name] for name in ("set", "losses", "T", "u", "lam_factor")))
    points, off, rounding = zip(*(result for cell in cells for result in both(*cell)), strict=True)
    nowhere = {"set": "any", "losses": "any", "T": 0, "u": 0.0, "lam_factor": 0.0}
    return [*points, *programs(nowhere, "budget", off, rounding)]


def lazy_sides(t: Ball, share: Ball) -> tuple[Ball, Ball]:
    """Return ``p~`` of Theorem 4.2's parameters, and S / T, which is the share; t is log T."""
    return -expm1(-2 * (square(share) / (25 * t) + 2 * share / 5)), share


@precision()
def lazy(grid: Grid, seed: int) -> list[Point]:
    """At its parameters E S_T is at most S and R_T at most G D (sqrt(2T) + 5 sqrt(2d) T log(T)/S+13).

    Both are exact on grids. The inequality p~ T <= S is proved for all T and S of a box, and checked for
    many. The program's draws, regrets and bounds are compared. Lazy are uniform draws.
    [mathematics/001.md#theorem-4-2]
    """
    points, off, bounds = [], [], []
    horizons, shares = grid["all_T"], grid["all_shares"]
    box = {
        "t": widened(math.log(min(horizons)), math.log(max(horizons))),
        "share": widened(min(shares), max(shares)),
    }
    where = {"set": "any", "losses": "any", "T": 0, "S": 0.0}
    # In log T and S / T, so that games of all lengths fit into one box.
    points.append(over_box({**where, "quantity": "p~"}, lazy_sides, box))
    for horizon, share in product(horizons, shares):
        switches = share * horizon
        _, _, log_phi, p, _ = lazy_parameters(horizon, 1, switches)
        chance = lazy_sides(log(ball(horizon)), ball(switches) / horizon)[0] * horizon
        points.append(
            at_point({**where, "T": horizon, "S": switches, "quantity": "p~ T"}, chance, ball(switches))
        )
        bounds.append(abs(draw_probability(log_phi, p) * horizon / chance - 1))
    for name, losses_name, horizon, switches in product(grid["set"], grid["losses"], grid["T"], grid["S"]):
        domain, lipschitz = DOMAINS[name], grid["G"]
        beta, lam, log_phi, p, _ = lazy_parameters(
            horizon, domain.dimension, switches, lipschitz, domain.diameter
        )
        family = GridGibbs(domain.grid(grid["cells"][name]), beta=beta, lam=lam)
        here = {"set": name, "losses": losses_name, "T": horizon, "S": switches}
        losses = LOSSES[losses_name](
            family, horizon, lipschitz, rng_for(seed, "lazy", name, losses_name, horizon)
        )
        play, trivial = lotteries(measures(family, losses), log_phi, p), lipschitz * domain.diameter * horizon
        value, most = expected_regret(play, losses), lazy_bound(horizon, domain.dimension, switches)
        law, anew = marginals(family.laws(losses), log_phi, p)
        off += [
            abs(_expected_regret(law, losses) - value) / trivial,
            abs(float(anew.sum()) - play.draws) / horizon,
        ]
        size = (horizon, domain.dimension, switches, lipschitz, domain.diameter)
        most *= lipschitz * diameter(domain)
        bounds.append(abs(lazy_regret(*size) / most - 1))
        notes = {
            "draws": near(play.draws),
            "gradient_descent": _yardstick(domain, losses, family.points, lipschitz),
        }
        points.append(
            at_point({**here, "quantity": "draws"}, play.draws, ball(switches), trivial=horizon - 1)
        )
        place = {**here, "quantity": "regret"}
        points.append(at_point(place, value, most, notes, trivial=trivial, lazy=unlearned(losses)))
    return [*points, *programs(where, "quantity", off, bounds)]


def lazy_bound(horizon: int, dimension: int, switches: float) -> Ball:
    """Return ``sqrt(2 T) + 5 sqrt(2 d) T log(T) / S + 13``."""
    rounds = ball(horizon)
    return sqrt(2 * rounds) + 5 * sqrt(ball(2 * dimension)) * rounds * log(rounds) / switches + 13


def _yardstick(domain: Domain, losses: Array, points: Array, lipschitz: float) -> float:
    """Return the regret of online gradient descent on the same losses, or nan when they are not linear."""
    solved, *_ = np.linalg.lstsq(points, losses.T, rcond=None)
    slopes = np.asarray(solved.T, dtype=np.float64)
    # Gradient descent needs gradients, which losses on a grid have only if they are linear.
    if not np.allclose(slopes @ points.T, losses, atol=1e-9):
        return math.nan
    played = online_gradient_descent(slopes, domain, domain.diameter / (lipschitz * math.sqrt(len(losses))))
    return float((slopes * played).sum() - _best(domain, slopes.sum(axis=0)))


def _best(domain: Domain, total: Array) -> float:
    """Return the least value of a linear function on a set."""
    if isinstance(domain, domains.Ball):
        return -domain.radius * float(np.linalg.norm(total))
    # Coordinates of a box are chosen by themselves.
    return float(np.minimum(total * np.asarray(domain.low), total * np.asarray(domain.high)).sum())


def lazy_play(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Played on a ball with exact samples, the algorithm keeps both promises of Theorem 4.2.

    Lazy are uniform draws. [mathematics/001.md#theorem-4-2]
    """
    cells = list(product(grid["d"], grid["slopes"], grid["T"], grid["S"]))
    points = []
    for dimension, kind, horizon, switches in cells:
        key = (dimension, kind, horizon, switches, repetitions)
        slopes = unit_slopes(kind, horizon, dimension, rng_for(seed, "lazy slopes", *key))
        beta, lam, log_phi, p, budget = lazy_parameters(horizon, dimension, switches)
        family = LinearGibbs(domains.Ball(dimension, 0.5), beta=beta, lam=lam)
        rng = rng_for(seed, "lazy play", *key)
        learner = PCOMW(family, log_phi=log_phi, p=p, budget=budget, rng=rng, repetitions=repetitions)
        regrets, bound = unit_ball_regret(learner, slopes), lazy_regret(horizon, dimension, switches)
        where = {"d": dimension, "slopes": kind, "T": horizon, "S": switches}
        for quantity, sample, most, trivial, lazy in (
            ("draws", learner.draws, float(switches), horizon - 1.0, None),
            ("regret", regrets, bound, float(horizon), of_best(slopes)),
        ):
            mean, low, high = map(float, mean_interval(sample, intervals=2 * len(cells)))
            points.append(
                Point({**where, "quantity": quantity}, mean, most, low, high, trivial=trivial, lazy=lazy)
            )
    return points
