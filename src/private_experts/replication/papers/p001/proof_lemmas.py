"""The lemmas that the proofs lean on: composition, be-the-leader, variational. [001, Lemmas A.1 to C.4]"""

from collections.abc import Sequence
from functools import cache
from itertools import product

import numpy as np
from scipy.optimize import minimize

from private_experts.arrays import Array
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    expm1,
    largest,
    log,
    near,
    precision,
    sqrt,
    square,
)
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point

_BITS = 80


def _adaptive_delta(unit: Ball, squares: int, sizes: list[int], failure: Ball, epsilon: Ball) -> Ball:
    """Return the largest delta of an adversary who chooses the sizes of steps seeing all earlier outputs."""
    # The worst mechanism of a level: randomised response, as every other one is a function of it.
    truth = {size: 1 / (1 + exp(-size * unit)) for size in sizes}

    @cache
    def best(left: int, loss: int) -> Ball:
        # Stopping is allowed at any state, so its delta is what a further step has to beat.
        value = (-expm1(epsilon - loss * unit)).max(ball(0))
        for size in sizes:
            # The budget is in squares of sizes, and losses are whole multiples of the unit: few states.
            if size * size <= left:
                more, less = (best(left - size * size, loss + step) for step in (size, -size))
                value = value.max(truth[size] * more + (1 - truth[size]) * less)
        return value

    # A failed step shows everything; the most steps that fit are those of size 1.
    return 1 - (1 - failure) ** squares * (1 - best(squares, 0))


def _composed(squares: Ball, spent: Ball, formula: str) -> Ball:
    """Return the epsilon of steps with this sum of squares by the companion's formula, or the smaller one."""
    if formula == "companion":
        return 3 * squares / 2 + sqrt(6 * squares * log(1 / spent))
    return squares / 2 + sqrt(2 * squares * log(1 / spent))


def composition(grid: Grid) -> list[Point]:
    """Adaptive steps compose to epsilon, and delta'' plus the sum of their failures. [001, Lemma A.1]

    The value is the exact delta of the best adversary at that epsilon, by backward induction in ball
    arithmetic. The trivial bound is 1; where epsilon is at least the sum of all costs, it is that no step
    fails. [mathematics/001.md#lemma-a1]
    """
    points = []
    for unit, failure, spent, formula in product(
        grid["unit"], grid["failure"], grid["spent"], grid["formula"]
    ):
        where = {"unit": unit, "failure": failure, "delta''": spent, "formula": formula}
        with precision(_BITS):
            epsilon = _composed(grid["squares"] * square(ball(unit)), ball(spent), formula)
            value = _adaptive_delta(ball(unit), grid["squares"], grid["sizes"], ball(failure), epsilon)
            bound = ball(spent) + grid["squares"] * ball(failure)
            most = grid["squares"] * ball(unit) / min(grid["sizes"])  # a step of size j costs j of j^2
            trivial = near(1 - (1 - ball(failure)) ** grid["squares"]) if epsilon >= most else 1.0
            points.append(at_point(where, value, bound, {"epsilon": near(epsilon)}, trivial=trivial))
    return points


def _leader(totals: Sequence[Ball]) -> int:
    """Return the place of the surely smallest of several numbers, the first of equal ones."""
    place = min(range(len(totals)), key=lambda number: near(totals[number]))
    # A leader that is not surely one would make both sides a matter of rounding.
    assert all(totals[place] <= total for total in totals)
    return place


def _btl_sides(losses: Array, regulariser: Array) -> tuple[Ball, Ball, Ball]:
    """Return both sides of Lemma A.2 for losses (T, n), against the last leader; the first one's regret."""
    totals = [[ball(value) for value in regulariser.tolist()]]
    for row in losses.tolist():
        totals.append([total + loss for total, loss in zip(totals[-1], row, strict=True)])
    leaders = [_leader(sums) for sums in totals]
    best = leaders[-1]
    rounds = list(zip(losses.tolist(), leaders[:-1], leaders[1:], strict=True))
    regret = sum((ball(row[here]) - row[best] for row, here, _ in rounds), ball(0))
    moves = sum((ball(row[here]) - row[there] for row, here, there in rounds), ball(0))
    # Against the last leader, the best of all points with the regulariser.
    stays = sum((ball(row[leaders[0]]) - row[best] for row in losses.tolist()), ball(0))
    return regret, moves + totals[0][best] - totals[0][leaders[0]], stays


@precision(_BITS)
def be_the_leader(grid: Grid, seed: int) -> list[Point]:
    """The regret of the leader is at most what its moves cost, plus the regulariser. [001, Lemma A.2]

    When each round eliminates the leader among points that tie, both sides are equal. Lazy is to keep to the
    first leader. [mathematics/001.md#be-the-leader]
    """
    points = []
    for horizon, n in product(grid["T"], grid["n"]):
        rng, excess, lazy = rng_for(seed, "be the leader", horizon, n), [], []
        for _ in range(grid["instances"]):
            regret, cost, stays = _btl_sides(rng.standard_normal((horizon, n)), 3 * rng.random(n))
            excess.append((regret - cost) / horizon)
            lazy.append((stays - cost) / horizon)
        where = {"T": horizon, "n": n, "losses": "random"}
        points.append(at_point(where, largest(excess), ball(1e-12), lazy=near(largest(lazy))))
    for horizon in grid["T"]:
        regret, cost, stays = _btl_sides(np.eye(horizon, horizon + 1), np.zeros(horizon + 1))
        where = {"T": horizon, "n": horizon + 1, "losses": "elimination"}
        ratio, lazy_ratio = regret / cost, near(stays / cost)
        points.append(at_point(where, ratio, ball(1), lazy=lazy_ratio))
        points.append(at_point(where, ratio, ball(1), sense=">=", lazy=lazy_ratio))
    return points


def _least(prior: Array, f: Array, beta: float) -> Ball:
    """Return the least value that is claimed."""
    terms = zip(prior.tolist(), f.tolist(), strict=True)
    return -log(sum((mass * exp(-beta * ball(value)) for mass, value in terms), ball(0))) / beta


def _cost(law: Array, prior: Array, f: Array, beta: float) -> Ball:
    """Return what is minimised, ``E f + KL(law | prior) / beta``, at positive numbers made to sum to 1."""
    # The optimiser's law misses 1 by its tolerance: normalised, it is a law, and its cost no less than the
    # least.
    total = sum(map(ball, law.tolist()), ball(0))
    terms = zip((mass / total for mass in law.tolist()), prior.tolist(), f.tolist(), strict=True)
    return sum((mass * (value + log(mass / before) / beta) for mass, before, value in terms), ball(0))


@precision(_BITS)
def variational(grid: Grid, seed: int) -> list[Point]:
    """The least E_nu f + KL(nu | nu_0) / beta is that of the Gibbs law, -log(E_nu0 exp(-beta f)) / beta.

    The least value is sought by a general optimiser that knows nothing of Gibbs laws. What it finds is
    evaluated in ball arithmetic. [001, Lemmas C.3 and C.4] [mathematics/001.md#be-the-leader]
    """
    points = []
    for n, beta in product(grid["n"], grid["beta"]):
        rng, gaps, excess = rng_for(seed, "variational", n, beta), [], []
        for _ in range(grid["instances"]):
            prior, f = rng.dirichlet(np.full(n, 2.0)), rng.standard_normal(n)

            def cost(law: Array) -> tuple[float, Array]:  # with its gradient
                terms = f + np.log(law / prior) / beta  # noqa: B023
                return float(law @ terms), terms + 1 / beta  # noqa: B023

            solution = minimize(
                cost,
                prior,
                jac=True,
                method="SLSQP",
                bounds=[(1e-12, 1)] * n,
                constraints={"type": "eq", "fun": lambda law: law.sum() - 1, "jac": np.ones_like},
                options={"ftol": 1e-15, "maxiter": 1000},
            )
            exact = _least(prior, f, beta)
            gaps.append(abs(_cost(solution.x, prior, f, beta) - exact))
            # Minimal among other laws as well: a search that stops early would not show it.
            excess += [exact - _cost(law, prior, f, beta) for law in rng.dirichlet(np.ones(n), 20)]
        where = {"n": n, "beta": beta}
        points.append(at_point({**where, "quantity": "least value"}, largest(gaps), ball(grid["allowed"])))
        points.append(at_point({**where, "quantity": "another law"}, largest(excess), ball(0)))
    return points
