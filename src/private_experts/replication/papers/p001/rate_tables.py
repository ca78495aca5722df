"""Rates of Tables 1 and 2: as played, of the predecessors' bounds, and where two of them cross."""

import math
from collections.abc import Callable, Mapping
from itertools import product
from typing import Any, NamedTuple

import numpy as np

from private_experts.arrays import Array
from private_experts.private_oco.domains import Box
from private_experts.private_oco.every_round import GibbsEveryRound
from private_experts.private_oco.gaussian import LinearGibbs
from private_experts.private_oco.gaussian_accounting import every_round_parameters, lazy_private_parameters
from private_experts.private_oco.parameters import lazy_parameters, lazy_regret, private_regret
from private_experts.private_oco.pcomw import PCOMW
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
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.repetition_blocks import repeated
from private_experts.replication.papers.p001.fresh_gibbs import leader
from private_experts.replication.papers.p001.linear_games import total_loss
from private_experts.replication.papers.p001.predecessors import (
    cover_regret,
    private_leader_regret,
    smooth_regret,
)
from private_experts.replication.papers.p001.scales import around, closed, companion_cost, composed, root
from private_experts.replication.papers.p001.theorem_parameters import regret
from private_experts.replication.study.intervals import slope_interval

BLOCK = 200  # repetitions that are drawn together; a round takes as long for one of them
_ROUNDING = 1e-12  # relative: a power that is whole but for rounding errors is not the whole number below
LEVEL = 0.2  # DP-FTRL's Gaussian level as a share of epsilon; the rates hide what depends on delta


def _regrets(algorithm: str, size: Mapping[str, float], repetitions: int, rng: np.random.Generator) -> Array:
    """Return regrets of repetitions on a cube of diameter 1, against the same loss along its diagonal."""
    horizon, dimension, knob = int(size["T"]), int(size["d"]), size["knob"]
    # Along the diagonal the loss reaches the farthest: the best corner is half a diameter away.
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

    An exponent is the slope of the logarithm of the regret. `tolerance` makes room for logarithms, and for
    rounds before anything is learnt. Lazy are uniform draws, whose regret is T/2 for every d, S and level.
    [mathematics/001.md#rates]
    """
    lines = [(case, name, *varied) for case in grid["cases"] for name, varied in case["vary"].items()]
    cells = [
        (case["algorithm"], {**case["at"], name: value})
        for case, name, _, *values in lines
        for value in values
    ]

    def regrets(algorithm: str, size: Mapping[str, float], count: int, key: tuple[int, ...]) -> list[Array]:
        return [_regrets(algorithm, size, count, rng_for(seed, "rates", algorithm, *size.values(), *key))]

    # Each cell is played once, though several lines go through it.
    # lines cross in one cell
    unlike = {(algorithm, *size.values()): (algorithm, size) for algorithm, size in cells}
    by_cell = dict(zip(unlike, repeated(regrets, unlike.values(), repetitions, BLOCK), strict=True))
    points, played_in = [], iter([by_cell[algorithm, *size.values()][0] for algorithm, size in cells])
    for case, name, rate, *values in lines:
        logs = np.stack([np.log(next(played_in)) for _ in values], axis=1)
        # A slope for each repetition: so its interval needs no model of the errors.
        slope, low, high = slope_interval(np.log(values), logs, intervals=len(lines))
        where, lazy = {"algorithm": case["algorithm"], "against": name, "rate": rate}, float(name == "T")
        points.append(
            Point({**where, "side": "below"}, slope, rate + grid["tolerance"], low, high, lazy=lazy)
        )
        points.append(
            Point({**where, "side": "above"}, slope, rate - grid["tolerance"], low, high, ">=", lazy=lazy)
        )
    return points


def _closed(horizon: float, dimension: float, epsilon: float, delta: float) -> float:
    return private_regret(horizon, dimension, epsilon, delta, accounting="closed")  # type: ignore[arg-type]


def _leader(horizon: float, dimension: float, epsilon: float, delta: float) -> float:
    return private_leader_regret(horizon, dimension, LEVEL * epsilon)


def _lazy(horizon: float, dimension: float, switches: float, _: float) -> float:
    return lazy_regret(horizon, dimension, switches)  # type: ignore[arg-type]


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

    # Its scale has no closed form: it is the one that spends just epsilon.
    step, noise = terms(root(spent, epsilon, -200 * math.log(10), 0.0))
    return 1 / (2 * step) + 2 * step * horizon + noise * sqrt(dimension) + delta / 10 + 2


def _exact_lazy(t: Ball, dimension: Ball, switches: Ball, _: Ball) -> Ball:
    return sqrt(2 * exp(t)) + 5 * sqrt(2 * dimension) * exp(t) * t / switches + 13


def _exact_smooth_lazy(t: Ball, dimension: Ball, switches: Ball, _: Ball) -> Ball:
    """Return the bound of the companion's lazy algorithm for smooth losses. [mathematics/001.md#companion]"""
    return 2 * sqrt(exp(t)) + dimension * exp(t) / switches * (3 + 12 * sqrt(t)) + 14


class Column(NamedTuple):
    """A bound by T, d, epsilon or S, delta; in balls of log T; its rate in T for T^-a, d = T^b."""

    bound: Callable[..., float] | None
    exact: Callable[[Ball, Ball, Ball, Ball], Ball]
    rate: Callable[[float, float], float]
    digits: float = 1e-9  # to which the first two agree


COLUMNS = {
    "smooth predecessor": Column(smooth_regret, _exact_smooth, lambda a, b: max(1 / 2, b + 1 / 3 + a), 1e-8),
    "cover": Column(cover_regret, _exact_cover, lambda a, b: max(1 / 2 + b / 2, b + 1 / 3 + a)),
    "leader": Column(_leader, _exact_leader, lambda a, b: 1 / 2 + max(0.0, a / 2 + b / 4)),
    "P-COMW": Column(
        _closed, _exact_closed, lambda a, b: max(1 / 2, b / 2 + 1 / 3 + a, b / 2 + 5 / 12 + a / 2)
    ),
}
TABLES = {
    "1": COLUMNS["P-COMW"],
    "2": Column(_lazy, _exact_lazy, lambda a, b: max(1 / 2, b / 2 + 1 + a)),
    "2, smooth predecessor": Column(None, _exact_smooth_lazy, lambda a, b: max(1 / 2, b + 1 + a)),
}


def columns(grid: Grid) -> list[Point]:
    """The explicit bounds behind Table 1 grow at its rates: slopes in log T, at T where logarithms fade.

    Slopes are computed in ball arithmetic, and the library's bounds are compared with what is exact. The
    scale of the smooth predecessor is found by bisection, which the library ends at a billionth.
    [mathematics/001.md#predecessors]
    """
    return [
        point
        for (name, column), (a, b) in product(COLUMNS.items(), grid["cases"])
        for point in _growth({"column": name, "a": a, "b": b}, column, a, b, grid, "1e+{}")
    ]


def rates(grid: Grid) -> list[Point]:
    """The explicit bounds grow at the rates of Tables 1 and 2: slopes in log T, at T where logarithms fade.

    With epsilon = T^-a and d = T^b, Table 1 has ``max(1/2, b/2 + 1/3 + a, b/2 + 5/12 + a/2)``, the last entry
    that of footnote 2. With S = T^a, Table 2 has ``max(1/2, b/2 + 1 - a)``. The smooth predecessor has b in
    place of b/2. [mathematics/001.md#rates]
    """
    return [
        point
        for name, a, b in grid["cases"]
        for point in _growth(
            {"table": name, "a": a, "b": b}, TABLES[name], a if name == "1" else -a, b, grid, "1e{}"
        )
    ]


def _growth(
    where: Mapping[str, Any], column: Column, a: float, b: float, grid: Grid, form: str
) -> list[Point]:
    """Return that a column's bound is exact, and that this grows at the column's rate between two T."""
    points, exact, delta = [], [], grid["delta"]
    with precision():
        logs = [exponent * log(ball(10)) for exponent in grid["log10_T"]]
        for exponent, t in zip(grid["log10_T"], logs, strict=True):
            horizon = 10.0**exponent
            # Both routes get the same whole dimension, or they would differ by its rounding.
            dimension = math.floor(horizon**b * (1 + _ROUNDING))
            exact.append(column.exact(t, ball(dimension), exp(-a * t), ball(delta)))
            if column.bound:
                place = {**where, "side": f"formula, T = {form.format(exponent)}"}
                computed = column.bound(horizon, dimension, horizon**-a, delta)
                points.append(agreement(place, computed, exact[-1], column.digits))
        # Between two huge T: there the logarithmic factors change the slope by less than the tolerance.
        slope, rate, tolerance = (
            log(exact[1] / exact[0]) / (logs[1] - logs[0]),
            column.rate(a, b),
            grid["tolerance"],
        )
        points.append(at_point({**where, "side": "above"}, slope, ball(rate - tolerance), sense=">="))
        points.append(at_point({**where, "side": "below"}, slope, ball(rate + tolerance)))
    return points


def _crossing(horizon: float, dimension: float, delta: float) -> float:
    """Return the epsilon at which the bounds of P-COMW and of DP-FTRL are equal, by bisection."""
    # The leader's bound over P-COMW's grows with epsilon, so there is one crossing.
    low, high = -200.0, 0.0  # log10 epsilon
    while high - low > 1e-9:
        middle = (low + high) / 2
        epsilon = 10**middle
        ahead = _closed(horizon, dimension, epsilon, delta) < _leader(horizon, dimension, epsilon, delta)
        low, high = (low, middle) if ahead else (middle, high)
    return 10**high


def crossing(grid: Grid) -> list[Point]:
    """P-COMW's bound is below DP-FTRL's at larger epsilon alone; they cross at epsilon ~ sqrt(d) T^(-1/3).

    Ratios are computed in ball arithmetic, which also proves that the bounds cross within 1e-6 of what
    bisection finds with the library's bounds. [mathematics/001.md#rates]
    """
    points, delta, crossed = [], grid["delta"], {}
    for dimension, exponent in product(grid["d"], grid["log10_T"]):
        epsilon, where = _crossing(10.0**exponent, dimension, delta), {"d": dimension, "log10 T": exponent}

        def share(level: Ball) -> Ball:
            """Return DP-FTRL's bound over P-COMW's at an epsilon, with which it grows."""
            place = exponent * log(ball(10)), ball(dimension), level, ball(delta)  # noqa: B023
            return _exact_leader(*place) / _exact_closed(*place)

        with precision():
            above = largest(1 / share(ball(epsilon * 10**k)) for k in grid["decades"] if epsilon * 10**k <= 1)
            below = smallest(1 / share(ball(epsilon / 10**k)) for k in grid["decades"])
            # Floats find the place, and balls on both sides of it prove the crossing.
            crossed[dimension, exponent] = log(around(share, ball(1), epsilon, [(rational("1e-6"),) * 2]))
            points.append(at_point({**where, "quantity": "ratio at larger epsilon"}, above, ball(1)))
            points.append(
                at_point({**where, "quantity": "ratio at smaller epsilon"}, below, ball(1), sense=">=")
            )
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
