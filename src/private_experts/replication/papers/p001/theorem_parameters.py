"""The theorems' parameters: whether they keep epsilon, when the bound says anything, and the rates of growth."""

import math
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

from private_experts.private_oco.convex_regret import gibbs_parameters, gibbs_regret
from private_experts.private_oco.gaussian_accounting import first_useful
from private_experts.private_oco.parameters import private_regret
from private_experts.private_oco.private_accounting import private_scale
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    expm1,
    largest,
    log,
    power,
    precision,
    smallest,
    sqrt,
    square,
)
from private_experts.replication.balls.boxes import Sides, agreement, at_point, over_box, widened
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p001.fresh_gibbs import bounds, fresh, hardness, leader, level_of
from private_experts.replication.papers.p001.scales import shares


def scale(grid: Grid) -> list[Point]:
    """At the scale u of Theorem 4.1 the privacy theorem's epsilon is at most epsilon.

    It is computed from ``(2 log(Phi)/p)^2 + 2 (3 p~ T) log^2 Phi + 2 T (3u^2/p)^2`` with ``p~ = p + 1 - Phi^-2``. The
    value is the largest share of epsilon that is spent. The scale in closed form is proved over a box. The regret bound
    must equal the regret theorem's. [mathematics/001.md#mended-accounting] [mathematics/001.md#closed-scale]
    """
    points = [over_box({"accounting": "closed", "quantity": "all"}, _closed, grid["box"])]
    for accounting, exponent in product(grid["accounting"], grid["log2_T"]):
        horizon, shares, gaps = 2**exponent, [], []
        for epsilon, minus_log10 in product(grid["epsilon"], grid["minus_log10_delta"]):
            delta = 10.0**-minus_log10
            u = private_scale(horizon, epsilon, delta, accounting)
            with precision():
                eps, t = ball(epsilon), log(ball(horizon))
                shares.append(_share(u * exp(t / 3) / eps, eps, t, -log(ball(delta))))
            for dimension in grid["d"]:
                beta, lam = gibbs_parameters(horizon, dimension, u)
                drift = 2 * horizon * (math.exp(-(horizon ** (2 / 3))) + 3 * delta / (60 * horizon))
                theorem = gibbs_regret(horizon, dimension, beta, lam) + drift
                bound = private_regret(horizon, dimension, epsilon, delta, accounting=accounting)
                with precision():
                    exact = regret(ball(horizon), dimension, ball(u), ball(delta))
                    gaps += [abs(ball(each) / exact - 1) for each in (bound, theorem)]
        where = {"accounting": accounting, "T": horizon}
        slack = 0.0 if accounting == "closed" else 1e-9  # a root is found to so many digits
        with precision():
            worst = largest(shares)
            points.append(at_point({**where, "quantity": "epsilon"}, worst, ball(1 + slack)))
            points.append(at_point({**where, "quantity": "regret"}, largest(gaps), ball(1e-9)))
    return points


def regret(horizon: Ball, dimension: Ball | int, u: Ball, delta: Ball) -> Ball:
    """Return the bound on the regret at the best parameters, ``sqrt(2T + 2 d log T / u^2) + 1``, and the drift."""
    drift = 2 * horizon * (exp(-power(horizon, ball(2) / 3)) + 3 * delta / (60 * horizon))
    return sqrt(2 * horizon + 2 * dimension * log(horizon) / square(u)) + 1 + drift


def _share(unit: Ball, epsilon: Ball, t: Ball, minus_log_delta: Ball, most: bool = False) -> Ball:
    """Return the theorem's epsilon over epsilon at ``u = unit epsilon T^(-1/3)``, t = log T; with `most`, or more."""
    spread, third = sqrt(2 * (log(120) + 2 * t + minus_log_delta)), exp(-t / 3)  # the latter is p
    lottery = 2 * (9 * epsilon * square(unit) * third + 3 * unit * spread)  # log(Phi) / (p epsilon)
    more_draws = 2 * epsilon * lottery if most else -expm1(-2 * epsilon * third * lottery) / third  # (1 - Phi^-2) / p
    cost = square(lottery) * (4 + 6 * (1 + more_draws)) + 18 * square(epsilon * square(unit)) / third
    return 3 * epsilon * cost / 2 + sqrt(6 * cost * (log(2) + minus_log_delta))


def _closed(log_T: Ball, minus_log_delta: Ball, epsilon: Ball) -> tuple[Ball, Ball]:
    """Return the share of epsilon that is spent at the first entry of the closed form, which u never exceeds, and 1."""
    long, short = log(120) + 2 * log_T + minus_log_delta, log(2) + minus_log_delta
    return _share(1 / (202 * sqrt(long * short)), epsilon, log_T, minus_log_delta, most=True), 1 + 0 * log_T


def useful_from(grid: Grid) -> list[Point]:
    """The bound of Theorem 4.1 is below G D T, the most that any play can lose, from a first T on and not before.

    This T is at least the `least` of its accounting. The bound is taken at powers of two before it, and at its
    multiples by powers of four. Where the bound has a formula, it is proved for all T below `least`, d and epsilon of
    the ranges. [mathematics/001.md#useful-from]
    """
    points = []
    for accounting, sides, box in _boxes(grid):
        points.append(over_box({"accounting": accounting, "quantity": "all before"}, sides, box))
        points += _formula_points(accounting, sides, grid)
    cells = list(product(grid["epsilon"], grid["d"]))
    with precision():
        exact = {epsilon: shares(epsilon, grid["delta"]) for epsilon in grid["epsilon"]}
    program = {cell: bounds(*cell[::-1], grid["delta"]) for cell in cells}
    for accounting, (epsilon, dimension) in product(grid["least"], cells):
        bound, share = program[epsilon, dimension][accounting], partial(exact[epsilon][accounting], ball(dimension))
        first = first_useful(bound)
        where = {"accounting": accounting, "epsilon": epsilon, "d": dimension}
        with precision():
            before = smallest(share(each) for each in [first - 1, *(2**k for k in range(1, (first - 1).bit_length()))])
            after = largest(share(first * 2**k) for k in range(0, 60, 2))
            least = ball(grid["least"][accounting])
            points.append(at_point({**where, "quantity": "first T"}, ball(first), least, sense=">="))
            points.append(at_point({**where, "quantity": "least bound / T before"}, before, ball(1), sense=">="))
            points.append(at_point({**where, "quantity": "largest bound / T from there"}, after, ball(1)))
            points.append(agreement({**where, "quantity": "program"}, bound(first) / first, share(first), 1e-9))
    return points


def _boxes(grid: Grid) -> Iterator[tuple[str, Sides, dict[str, list[float]]]]:
    """Yield where bounds with a formula say nothing: accounting, 1 and the bound as a share of T, and the box."""
    with precision():
        minus_log_delta = -log(ball(grid["delta"]))

    def by_closed(t: Ball, hardness: Ball) -> tuple[Ball, Ball]:
        # At the first entry of the closed form, which u never exceeds, and without the drift.
        spread = (log(120) + 2 * t + minus_log_delta) * (log(2) + minus_log_delta)
        by_noise = 2 * t * spread * square(202 * hardness) * exp(-4 * t / 3)
        return 1 + 0 * t, sqrt(2 * exp(-t) + by_noise) + exp(-t)

    def by_level(bound: Callable[[Ball, Ball, Ball], Ball]) -> Sides:
        return lambda t, hardness: (1 + 0 * t, bound(t, ball(1), 1 / hardness) * exp(-t / 2))

    least, most = (math.sqrt(end) for end in (min(grid["d"]), max(grid["d"])))
    formulas = {
        "closed": (by_closed, [least / max(grid["epsilon"]), most / min(grid["epsilon"])]),
        "every round": (by_level(fresh), hardness(grid)),
        "private leader": (by_level(leader), hardness(grid)),
    }
    for accounting, (sides, privacy) in formulas.items():
        if accounting in grid["least"]:
            rounds = widened(math.log(2), math.log(grid["least"][accounting] - 1))
            yield accounting, sides, {"t": rounds, "hardness": privacy}


def _formula_points(accounting: str, sides: Sides, grid: Grid) -> Iterator[Point]:
    """Yield that the library's bound is the formula that is proved, in the last round before the stated number."""
    horizon = grid["least"][accounting] - 1
    for epsilon, dimension in product(grid["epsilon"], grid["d"]):
        computed = bounds(dimension, epsilon, grid["delta"])[accounting](horizon) / horizon
        with precision():
            level = ball(epsilon) if accounting == "closed" else level_of(epsilon, grid["delta"])
            _, true = sides(log(ball(horizon)), sqrt(ball(dimension)) / level)
            where = {"accounting": accounting, "epsilon": epsilon, "d": dimension, "quantity": "formula"}
            yield agreement(where, computed, true, 1e-9)
