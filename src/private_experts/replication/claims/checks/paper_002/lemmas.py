"""The inequalities behind the regret bound, checked on exact laws. [002, Sections 5.1 and 5.4]"""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import bdtr

from private_experts.algorithms.randomized_prefix import RandomizedPrefix
from private_experts.games.blocks import prefix_errors
from private_experts.games.instances import KINDS, equal_gaps
from private_experts.privacy.guarantees import PureDP
from private_experts.replication.claims.certified.balls import Ball, ball, exp, expm1, log, log1p, precision
from private_experts.replication.claims.certified.boxes import Edge, Sides, at_point, over_box
from private_experts.replication.claims.evidence import Point

Array = NDArray[np.float64]
Grid = Mapping[str, Any]


def hoeffding(rounds: NDArray[np.int_], gap: float) -> Array:
    """Return the logarithm of Lemma 1's bound: the probability that a sum is at most half its mean."""
    return np.multiply(-(gap**2) / 8, rounds, dtype=np.float64)


def lemma_1(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """A sum of r independent variables in [-1, 1] of mean D is at most r D / 2 with probability at most exp(-r D^2/8).

    The variables are 0 with probability z, otherwise -1 or 1. There are up to `rounds` / D^2 of them. The value is the
    largest share of the bound. It is nearly 1 for one variable that is 0 or 1 and seldom 1.
    [mathematics/002.md#lemma-1]
    """
    points = []
    for twentieths, zero in grid["20 D, z"]:
        gap = twentieths / 20
        rounds = np.arange(1, int(grid["rounds"] / gap**2) + 1)
        log_tail = _log_tail(rounds, twentieths, zero)
        excess = log_tail - hoeffding(rounds, gap)
        worst = int(excess.argmax())
        exponent = float(-log_tail[-1] / (rounds[-1] * gap**2))  # the lemma says at least 1/8
        where = {"D": gap, "z": zero}
        share = float(np.exp(excess[worst]))
        points.append(Point(where, share, 1.0, notes={"r": int(rounds[worst]), "exponent": exponent}))
    return points


def _log_tail(rounds: NDArray[np.int_], twentieths: int, zero: float) -> Array:
    """Return log P(sum <= r D / 2), with D in twentieths. Sums are compared in whole numbers, without rounding."""
    gap = twentieths / 20
    if zero == 0:  # 2 B - r <= r D / 2 for a binomial B
        most = rounds * (40 + twentieths) // 80
        return np.log(bdtr(most.astype(float), rounds, (1 + gap) / 2))
    step = np.array([(1 - zero - gap) / 2, zero, (1 - zero + gap) / 2])
    law, tails = np.ones(1), np.empty(len(rounds))
    for place, r in enumerate(rounds.tolist()):
        law = np.convolve(law, step)
        tails[place] = law[: r + r * twentieths // 40 + 1].sum()
    return np.log(tails)


# The inequalities of Lemma 2 as pairs of a smaller and a larger side. (i) and (ii) are the same inequality. The sum in
# (iv) is geometric, so its ratio does not depend on where the sum starts; both sides are multiplied by x times a factor
# that is positive. [mathematics/002.md#lemma-2]
ELEMENTARY: dict[str, Sides] = {
    "(i), (ii)": lambda x: (x / 2, -expm1(-x)),
    "(iii)": lambda x: (x, -log1p(-x)),
    "(iv)": lambda x: (x, -2 * expm1(-x)),
    "(v)": lambda x: (1 + 0 * x, 2 * log(x)),
}


def lemma_2(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The elementary inequalities hold on their ranges, proved in ball arithmetic.

    At x = 0 both sides of (i) to (iv) are 0. The difference begins with x / 2 in (i) and (ii), with x^2 / 2 in (iii)
    and with x in (iv).
    """
    order = {"(i), (ii)": 1, "(iii)": 2, "(iv)": 1}
    points = []
    for item, sides in ELEMENTARY.items():
        edges = [Edge("x", 0.0, order[item])] if item in order else []
        points.append(over_box({"item": item}, sides, {"x": grid["ranges"][item]}, edges=edges))
    return points


def small_gaps(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """An action with a gap of at most beta is drawn after r rounds with probability at most 2 exp(-r gap^2 / 8).

    There are two actions. The value is the largest share of the bound, for r between the multiples `rounds` of
    1 / gap^2. Up to 5.5 / gap^2 rounds the bound exceeds 1. It is exact, from the law of the difference of losses.
    [mathematics/002.md#small-gaps]
    """
    points = []
    for kind, gap, beta in product(grid["kind"], grid["gap"], grid["beta"]):
        if gap > beta:
            continue
        law = RandomizedPrefix(2, PureDP(2 * beta, "central"), rng=np.random.default_rng(0)).law
        first, last = (int(multiple / gap**2) for multiple in grid["rounds"])
        rounds = np.arange(first, last + 1)
        log_played = np.log(prefix_errors(law, KINDS[kind](equal_gaps(2, gap)), rounds) / gap)
        log_bound = np.log(2) + hoeffding(rounds, gap)
        worst = int((log_played - log_bound).argmax())
        exponent = -log_played[-1] / (rounds[-1] * gap**2)
        where, notes = {"kind": kind, "gap": gap, "beta": beta}, {"r": int(rounds[worst]), "exponent": float(exponent)}
        share, trivial = (float(np.exp(each[worst])) for each in (log_played - log_bound, -log_bound))
        points.append(Point(where, share, 1.0, notes=notes, trivial=trivial))
    return points


LARGE = 1.0  # gaps of at least this many times beta are large


def hoeffding_moment(beta: Ball, gap: Ball) -> Ball:
    """Return the logarithm of Hoeffding's bound on E exp(-beta X) for X in [-1, 1] with mean `gap`."""
    return -beta * gap + beta * beta / 2


def _hoeffding(beta: Ball, s: Ball) -> tuple[Ball, Ball]:
    gap = _large(beta, s)
    return log((1 + gap) / 2 * exp(-beta) + (1 - gap) / 2 * exp(beta)), hoeffding_moment(beta, gap)


def _large_gap(beta: Ball, s: Ball) -> tuple[Ball, Ball]:
    gap = _large(beta, s)
    return hoeffding_moment(beta, gap), -beta * gap / 2


def _large(beta: Ball, s: Ball) -> Ball:
    """Return the gap that lies the share s of the way from the least large one to 1."""
    return LARGE * beta + s * (1 - LARGE * beta)


def large_gaps(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The steps from E exp(-beta X) to 1 - beta gap / 4, for a difference X of losses with mean gap >= beta.

    X is -1 or 1. The exponential is convex, so this X has the largest expectation among all in [-1, 1] with that mean.
    Both sides are logarithms, proved in ball arithmetic for all beta of the range and all gaps from beta to 1. The gap
    is ``beta + s (1 - beta)``. The first step is proved so for beta from 0.1 on, and at single points below, where both
    sides nearly agree. The second step is an equality at s = 0, where the difference begins with
    ``s beta (1 - beta) / 2``. The third depends on ``x = beta gap`` alone and begins with ``x / 4``.
    [mathematics/002.md#large-gaps]
    """
    shares, largest = (0.0, 1.0), grid["beta"][1]
    points = [
        over_box({"step": "Hoeffding"}, _hoeffding, {"beta": grid["beta"], "s": shares}),
        over_box(
            {"step": "large gap"},
            _large_gap,
            {"beta": [min(grid["small"]), largest], "s": shares},
            edges=[Edge("s", 0.0, 1)],
        ),
        over_box(
            {"step": "exponential"},
            lambda x: (-x / 2, log1p(-x / 4)),
            {"x": (0.0, largest)},
            edges=[Edge("x", 0.0, 1)],
        ),
    ]
    with precision():
        points += [
            at_point({"step": "Hoeffding", "beta": beta, "s": s}, *_hoeffding(ball(beta), ball(s)))
            for beta, s in product(grid["small"], grid["s"])
        ]
    return points
