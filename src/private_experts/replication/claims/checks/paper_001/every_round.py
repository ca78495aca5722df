"""Fresh Gibbs draws in every round: their regret, and where which algorithm has the least bound. [001, Section 4]

[mathematics/001.md#every-round]
"""

import math
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.convex.closeness import draw_probability
from private_experts.convex.domains import Ball
from private_experts.convex.every_round import GibbsEveryRound
from private_experts.convex.gaussian import LinearGibbs
from private_experts.convex.gaussian_accounting import (
    every_round_parameters,
    every_round_regret,
    lazy_private_parameters,
    lazy_private_regret,
)
from private_experts.convex.gibbs import GridGibbs
from private_experts.convex.losses import LOSSES, random_slopes
from private_experts.convex.parameters import private_regret
from private_experts.convex.predecessors import private_leader_regret
from private_experts.convex.private_accounting import Accounting
from private_experts.privacy.gaussian_mechanism import calibrate_mu
from private_experts.randomness import rng_for
from private_experts.replication.claims.checks.paper_001.regret import DOMAINS
from private_experts.replication.claims.evidence import Point
from private_experts.replication.intervals import mean_interval

Array = NDArray[np.float64]
Grid = Mapping[str, Any]
Bound = Callable[[int], float]


def regret(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The expected regret of fresh draws is at most their bound; it is exact, as each draw has the Gibbs law itself.

    No play can lose more than G D T. [mathematics/001.md#every-round-regret]
    """
    points = []
    for name, losses_name, horizon, level in product(grid["set"], grid["losses"], grid["T"], grid["level"]):
        domain, lipschitz = DOMAINS[name], grid["G"]
        size = (horizon, domain.dimension, level, lipschitz, domain.diameter)
        family = GridGibbs(domain.grid(grid["cells"][name]), **every_round_parameters(*size)._asdict())
        where = {"set": name, "losses": losses_name, "T": horizon, "level": level}
        losses = LOSSES[losses_name](family, horizon, lipschitz, rng_for(seed, "every round", *where.values()))
        value = float((np.exp(family.laws(losses)) * losses).sum() - losses.sum(axis=0).min())
        trivial = lipschitz * domain.diameter * horizon
        points.append(Point(where, value, every_round_regret(*size), trivial=trivial))
    return points


def play(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Played with samples on balls, the mean regret against linear losses is at most the bound.

    [mathematics/001.md#every-round-regret]
    """
    cells, points = list(product(grid["d"], grid["slopes"], grid["T"], grid["level"])), []
    for dimension, kind, horizon, level in cells:
        key = (dimension, kind, horizon, level, repetitions)
        slopes = random_slopes(horizon, dimension, 1.0, rng_for(seed, "every round slopes", *key))
        if kind == "constant":
            slopes[:] = slopes[0]
        family = LinearGibbs(Ball(dimension, 0.5), **every_round_parameters(horizon, dimension, level)._asdict())
        rng = rng_for(seed, "every round play", *key)
        learner = GibbsEveryRound(family, horizon=horizon, rng=rng, repetitions=repetitions)
        paid = np.zeros(repetitions)
        for t, slope in enumerate(slopes):
            paid += learner.predict() @ slope
            if t < horizon - 1:
                learner.update(slope)
        regrets = paid + 0.5 * float(np.linalg.norm(slopes.sum(axis=0)))
        mean, low, high = (float(each) for each in mean_interval(regrets, intervals=len(cells)))
        where = {"d": dimension, "slopes": kind, "T": horizon, "level": level, "stated": learner.guarantee.mu}
        points.append(Point(where, mean, every_round_regret(horizon, dimension, level), low, high, trivial=horizon))
    return points


def bounds(dimension: int, epsilon: float, delta: float) -> dict[str, Bound]:
    """Return bounds on the regret by number of rounds, for G = D = 1, of all (epsilon, delta)-private algorithms."""
    level = float(calibrate_mu(epsilon, delta))

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


def best_bound(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Fresh draws have nowhere the least bound: the private leader's is smaller, at every T, for epsilon at most 1.

    Where no bound is below G D T, the least of them says nothing, and the point is vacuous. The notes have the bounds
    of all algorithms as shares of G D T, and how often P-COMW draws, as a share of T.
    [mathematics/001.md#where-each-is-best]
    """
    points = []
    for dimension, epsilon, exponent in product(grid["d"], grid["epsilon"], grid["log10_T"]):
        horizon = round(10**exponent)
        found = {name: bound(horizon) / horizon for name, bound in bounds(dimension, epsilon, grid["delta"]).items()}
        play = lazy_private_parameters(horizon, dimension, float(calibrate_mu(epsilon, grid["delta"])))
        notes = {**found, "draws / T": min(draw_probability(play.log_phi, play.p), 1.0)}
        where = {"d": dimension, "epsilon": epsilon, "T": horizon}
        others = min(share for name, share in found.items() if name != "every round")
        trivial = 1.0 if min(found.values()) >= 1 else 0.0
        points.append(Point(where, found["every round"] / others, 1.0, sense=">=", notes=notes, trivial=trivial))
    return points


def overtakes(grid: Grid, repetitions: int, seed: int) -> list[Point]:
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
