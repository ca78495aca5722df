"""Rates of Tables 1 and 2: as played, of the predecessors' bounds, and where two of them cross."""

import math
from collections.abc import Callable, Mapping

import numpy as np

from private_experts.arrays import Array
from private_experts.private_oco.domains import Box
from private_experts.private_oco.every_round import GibbsEveryRound
from private_experts.private_oco.gaussian import LinearGibbs
from private_experts.private_oco.gaussian_accounting import every_round_parameters, lazy_private_parameters
from private_experts.private_oco.parameters import lazy_parameters, private_regret
from private_experts.private_oco.pcomw import PCOMW
from private_experts.private_oco.predecessors import cover_regret, private_leader_regret, smooth_regret
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    largest,
    log,
    precision,
    rational,
    smallest,
    sqrt,
    square,
)
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.intervals import slope_interval
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p001.fresh_gibbs import leader
from private_experts.replication.papers.p001.linear_games import total_loss
from private_experts.replication.papers.p001.scales import closed, companion_cost, composed, root
from private_experts.replication.papers.p001.theorem_parameters import regret
from private_experts.replication.repetition_blocks import repeated

BLOCK = 200  # repetitions that are drawn together; a round takes as long for one of them
LEVEL = 0.2  # the leader's Gaussian level as a share of epsilon; the rates hide what depends on delta


def _regrets(algorithm: str, size: Mapping[str, float], repetitions: int, rng: np.random.Generator) -> Array:
    """Return the regret of each repetition on a cube of diameter 1, against the same loss along its diagonal."""
    horizon, dimension, knob = int(size["T"]), int(size["d"]), size["knob"]
    half, slope = 0.5 / math.sqrt(dimension), np.full(dimension, 1 / math.sqrt(dimension))
    cube = Box((-half,) * dimension, (half,) * dimension)
    learner: PCOMW | GibbsEveryRound
    if algorithm == "every round":
        family = LinearGibbs(cube, **every_round_parameters(horizon, dimension, knob)._asdict())
        learner = GibbsEveryRound(family, horizon=horizon, rng=rng, repetitions=repetitions)
    else:
        parameters = lazy_parameters if algorithm == "lazy" else lazy_private_parameters
        play = parameters(horizon, dimension, knob)
        family = LinearGibbs(cube, beta=play.beta, lam=play.lam)
        lottery = {"log_phi": play.log_phi, "p": play.p, "budget": play.budget}
        learner = PCOMW(family, **lottery, rng=rng, repetitions=repetitions, horizon=horizon)
    return total_loss(learner, [slope] * horizon) + 0.5 * horizon


def played(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The regret of plays against a constant loss grows with T, d, S or the level as the tables say.

    An exponent is the slope of the logarithm of the regret. `tolerance` makes room for logarithms, and for rounds
    before anything is learnt. [mathematics/001.md#rates]
    """
    lines = [(case, name, *varied) for case in grid["cases"] for name, varied in case["vary"].items()]
    cells = [(case["algorithm"], {**case["at"], name: value}) for case, name, _, *values in lines for value in values]

    def regrets(algorithm: str, size: Mapping[str, float], count: int, key: tuple[int, ...]) -> list[Array]:
        return [_regrets(algorithm, size, count, rng_for(seed, "rates", algorithm, *size.values(), *key))]

    points, found = [], iter(repeated(regrets, cells, repetitions, BLOCK))
    for case, name, rate, *values in lines:
        logs = np.stack([np.log(next(found)[0]) for _ in values], axis=1)
        slope, low, high = slope_interval(np.log(values), logs, intervals=len(lines))
        where = {"algorithm": case["algorithm"], "against": name, "rate": rate}
        points.append(Point({**where, "side": "below"}, slope, rate + grid["tolerance"], low, high))
        points.append(Point({**where, "side": "above"}, slope, rate - grid["tolerance"], low, high, sense=">="))
    return points


def _closed(horizon: float, dimension: float, epsilon: float, delta: float) -> float:
    return private_regret(horizon, dimension, epsilon, delta, accounting="closed")  # type: ignore[arg-type]


def _leader(horizon: float, dimension: float, epsilon: float, delta: float) -> float:
    return private_leader_regret(horizon, dimension, LEVEL * epsilon)


# Each column of Table 1: its bound, and its rate in T for epsilon = T^-a and d = T^b.
COLUMNS: dict[str, tuple[Callable[[float, float, float, float], float], Callable[[float, float], float]]] = {
    "smooth predecessor": (smooth_regret, lambda a, b: max(1 / 2, b + 1 / 3 + a)),
    "cover": (cover_regret, lambda a, b: max(1 / 2 + b / 2, b + 1 / 3 + a)),
    "leader": (_leader, lambda a, b: 1 / 2 + max(0.0, a / 2 + b / 4)),
    "P-COMW": (_closed, lambda a, b: max(1 / 2, b / 2 + 1 / 3 + a, b / 2 + 5 / 12 + a / 2)),
}


def _exact_leader(t: Ball, dimension: Ball, epsilon: Ball, delta: Ball) -> Ball:
    return exp(t / 2) * leader(t, dimension, rational("0.2") * epsilon)


def _exact_cover(t: Ball, dimension: Ball, epsilon: Ball, delta: Ball) -> Ball:
    horizon, points, secrecy = exp(t), dimension * (log(3) + t), -log(delta)
    spent = (epsilon / 2).min(exp((log(secrecy) - t / 2) / 3) * sqrt(points))
    p = exp(-(t + log(secrecy)) / 3)
    eta = p * spent / 20
    return eta * horizon + points / eta + 2 * horizon * exp(-horizon * p / 3) + 1


def _exact_closed(t: Ball, dimension: Ball, epsilon: Ball, delta: Ball) -> Ball:
    return regret(exp(t), dimension, closed(t, epsilon, delta), delta)


def _exact_smooth(t: Ball, dimension: Ball, epsilon: Ball, delta: Ball) -> Ball:
    horizon, minus_log = exp(t), -log(delta)
    spread = log(120) + 2 * t + minus_log

    def terms(log_a: Ball) -> tuple[Ball, Ball]:
        return (1 / (2 * sqrt(horizon))).min(exp(log_a) / dimension), sqrt(dimension) / exp(log_a)

    def spent(log_a: Ball) -> Ball:  # grows, because the step does and the noise falls
        step, noise = terms(log_a)
        log_phi = step * dimension + (1 + 2 * noise * sqrt(2 * dimension * spread)) / (2 * square(noise))
        later = 2 / square(noise) + 2 * square(step) * dimension
        return composed(companion_cost(log_phi, later, horizon), minus_log)

    step, noise = terms(root(spent, epsilon, -200 * math.log(10), 0.0))
    return 1 / (2 * step) + 2 * step * horizon + noise * sqrt(dimension) + delta / 10 + 2


# The same in ball arithmetic; t is log T.
EXACT: dict[str, Callable[[Ball, Ball, Ball, Ball], Ball]] = {
    "smooth predecessor": _exact_smooth,
    "cover": _exact_cover,
    "leader": _exact_leader,
    "P-COMW": _exact_closed,
}


_BISECTED = {"smooth predecessor"}


def columns(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The explicit bounds behind Table 1 grow at its rates: slopes in log T, at T so large that logarithms fade.

    Slopes are computed in ball arithmetic, and the library's bounds are compared with what is exact. The scale of the
    smooth predecessor is found by bisection, which the library ends at a billionth. [mathematics/001.md#predecessors]
    """
    points = []
    for column, (bound, rate) in COLUMNS.items():
        for a, b in grid["cases"]:
            where = {"column": column, "a": a, "b": b}
            ends = [10.0**each for each in grid["log10_T"]]
            found = [bound(t, math.floor(t**b), t**-a, grid["delta"]) for t in ends]
            least, most = rate(a, b) - grid["tolerance"], rate(a, b) + grid["tolerance"]
            with precision():
                logs = [each * log(ball(10)) for each in grid["log10_T"]]
                sizes = [ball(math.floor(end**b)) for end in ends]
                exact = [
                    EXACT[column](t, d, exp(-a * t), ball(grid["delta"])) for t, d in zip(logs, sizes, strict=True)
                ]
                for end, computed, true in zip(ends, found, exact, strict=True):
                    place, digits = {**where, "side": f"formula, T = {end:g}"}, 1e-8 if column in _BISECTED else 1e-9
                    points.append(agreement(place, computed, true, digits))
                rise = log(exact[1] / exact[0]) / (logs[1] - logs[0])
                points.append(at_point({**where, "side": "above"}, rise, ball(least), sense=">="))
                points.append(at_point({**where, "side": "below"}, rise, ball(most)))
    return points


def _crossing(horizon: float, dimension: float, delta: float) -> float:
    """Return the epsilon at which the bounds of P-COMW and of the leader are equal, by bisection."""
    low, high = -200.0, 0.0  # log10 epsilon
    while high - low > 1e-9:
        middle = (low + high) / 2
        epsilon = 10**middle
        ahead = _closed(horizon, dimension, epsilon, delta) < _leader(horizon, dimension, epsilon, delta)
        low, high = (low, middle) if ahead else (middle, high)
    return 10**high


def _exact_ratio(log10_t: float, dimension: int, epsilon: Ball, delta: float) -> Ball:
    """Return P-COMW's bound over the leader's, in ball arithmetic."""
    place = log10_t * log(ball(10)), ball(dimension), epsilon, ball(delta)
    return _exact_closed(*place) / _exact_leader(*place)


def _between(log10_t: float, dimension: int, epsilon: float, delta: float) -> Ball:
    """Return a ball of relative radius 1e-6 around an epsilon, if the two bounds change places within it; else all."""
    low, high = ball(epsilon) * (1 - rational("1e-6")), ball(epsilon) * (1 + rational("1e-6"))
    before, after = (_exact_ratio(log10_t, dimension, each, delta) for each in (low, high))
    return low.union(high) if before > 1 and after < 1 else ball(0, math.inf)


def crossing(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """P-COMW's bound is below the leader's for larger epsilon alone; they cross at epsilon ~ sqrt(d) T^(-1/3).

    Ratios are computed in ball arithmetic, which also proves that the bounds cross within 1e-6 of what bisection finds
    with the library's bounds. [mathematics/001.md#rates]
    """
    points, delta, crossed = [], grid["delta"], {}
    for dimension, exponent in [(d, t) for d in grid["d"] for t in grid["log10_T"]]:
        epsilon, where = _crossing(10.0**exponent, dimension, delta), {"d": dimension, "log10 T": exponent}
        larger = [epsilon * 10**k for k in grid["decades"] if epsilon * 10**k <= 1]
        smaller = [epsilon / 10**k for k in grid["decades"]]
        with precision():
            above, below = (
                [_exact_ratio(exponent, dimension, ball(each), delta) for each in side] for side in (larger, smaller)
            )
            crossed[dimension, exponent] = log(_between(exponent, dimension, epsilon, delta))
            points.append(at_point({**where, "quantity": "ratio at larger epsilon"}, largest(above), ball(1)))
            least = smallest(below)
            points.append(at_point({**where, "quantity": "ratio at smaller epsilon"}, least, ball(1), sense=">="))
    first, last = grid["log10_T"]
    d, many = grid["d"]
    with precision():
        slopes = {
            "T": ((crossed[d, last] - crossed[d, first]) / ((last - first) * log(ball(10))), ball(-1) / 3),
            "d": ((crossed[many, last] - crossed[d, last]) / log(ball(many) / d), ball(1) / 2),
        }
        for name, (slope, rate) in slopes.items():
            where = {"d": "", "log10 T": "", "quantity": f"exponent of {name}"}
            points.append(at_point(where, abs(slope - rate), ball(grid["tolerance"])))
    return points
