"""The inequalities behind the regret bound, checked on exact laws. [002, Sections 5.1 and 5.4]"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import product

import numpy as np

from private_experts.algorithms.randomized_prefix import RandomizedPrefix
from private_experts.games.streams import KINDS, equal_gaps
from private_experts.privacy.guarantees import PureDP
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    expm1,
    largest,
    log,
    log1p,
    near,
    precision,
    square,
)
from private_experts.replication.balls.boxes import Edge, Sides, at_point, over_box
from private_experts.replication.balls.sums import NORMAL, compound, floats, rounded
from private_experts.replication.ledger.evidence import Grid, Point, labelled
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.blocks import prefix_errors
from private_experts.replication.papers.p002.selection_privacy import one_selection
from private_experts.replication.papers.p002.softmax_errors import softmax_errors, walk

_FEW = 16  # rounds for which the library's own errors are compared
_ROUNDING = 1e-12  # of these, relative


def hoeffding(gap: Ball) -> Ball:
    """Return what each round adds to the logarithm of Lemma 1's bound: a sum is at most half its mean."""
    return -square(gap) / 8


def lemma_1(grid: Grid) -> list[Point]:
    """A sum of r independent variables in [-1, 1] of mean D is at most r D / 2 with chance exp(-r D^2/8).

    The variables are 0 with probability z, otherwise -1 or 1. There are up to `rounds` / D^2 of them. The
    value is the largest share of the bound. It is nearly 1 for one variable that is 0 or 1 and seldom 1.
    Numbers are taken for the decimals that they are.
    """
    points = []
    for twentieths, zero in grid["20 D, z"]:
        rounds = int(grid["rounds"] / (twentieths / 20) ** 2)
        with precision():
            per_round = hoeffding(ball(twentieths) / 20)
            shares = _binomial_shares if zero == 0 else _walk_shares
            share, worst, last = shares(rounds, twentieths, zero, per_round)
            # The lemma says at least 1/8.
            # How far the lemma could be sharpened: what the exact tail falls by at the largest r.
            exponent = near(-(log(last) + rounds * per_round) / (rounds * square(ball(twentieths) / 20)))
            where, notes = {"D": twentieths / 20, "z": zero}, {"r": worst, "exponent": exponent}
            points.append(at_point(where, share, ball(1), notes))
    return points


def tails(rounds: int, twentieths: int) -> Iterator[Ball]:
    """Yield P(sum <= r D / 2) of r = 1, 2, ... variables that are -1 or 1, with D in twentieths and below 20.

    ``2 B - r <= r D / 2`` for a binomial B means ``B <= m``. One more round takes away the chance of m before
    it and of a success in it; one more in m adds the chance of it.
    """
    p = (20 + ball(twentieths)) / 40
    odds, most, chance, tail = p / (1 - p), 0, ball(1), ball(1)
    for r in range(1, rounds + 1):
        # A recursion instead of a sum for each r: with all r up to `rounds` / D^2, sums would cost its
        # square.
        tail -= p * chance
        chance *= (1 - p) * r / (r - most)
        # In whole numbers: m = floor(r (1 + D/2) / 2) decides whether one more value counts, and must not be
        # rounded.
        if r * (40 + twentieths) // 80 > most:
            most += 1
            chance *= odds * (r - most + 1) / most
            tail += chance
        yield tail


def _binomial_shares(rounds: int, twentieths: int, zero: float, per_round: Ball) -> tuple[Ball, int, Ball]:
    """Return the largest share of the bound, its number of variables, and the share of the most."""
    grow, over, largest_share, worst, share = exp(-per_round), ball(1), ball(0), 0, ball(0)
    for r, tail in enumerate(tails(rounds, twentieths), start=1):
        over *= grow
        share = tail * over
        # Balls that overlap are undecided, so both stay under the maximum.
        if not share <= largest_share:
            largest_share, worst = largest_share.max(share), r
    return largest_share, worst, share


def _walk_shares(rounds: int, twentieths: int, zero: float, per_round: Ball) -> tuple[Ball, int, Ball]:
    """Return the same for variables that may be 0, by the law of their sum in floats.

    Each of r rounds takes one product and two sums on any way to a probability. Then at most ``2 r + 1`` of
    them are added, and divided by the bound. Of ``3 (2 r + 1)`` products in round r each may be too small for
    a float.
    """
    mean, apart = Fraction(twentieths, 20), 1 - Fraction(str(zero))
    chances = [(apart - mean) / 2, 1 - apart, (apart + mean) / 2]
    step, of_step = floats([ball(chance.numerator) / chance.denominator for chance in chances])
    bounds, of_bound = floats([exp(r * per_round) for r in range(1, rounds + 1)])
    law, shares = np.ones(1), np.empty(rounds)
    for r in range(1, rounds + 1):
        # All terms are positive, so relative errors only add up and never cancel.
        law = np.convolve(law, step)
        shares[r - 1] = law[: r + r * twentieths // 40 + 1].sum() / bounds[r - 1]
    inputs = (1 + compound(of_step, rounds)) * (1 + of_bound) - 1
    lost = 4 * ball(rounds + 1) ** 2 * NORMAL / float(bounds[-1])
    worst = int(shares.argmax())
    both = [rounded(shares[place], 3 * rounds + 2 * rounds + 2, inputs, lost) for place in (worst, -1)]
    return both[0], worst + 1, both[1]


# The inequalities of Lemma 2 as pairs of a smaller and a larger side. (i) and (ii) are the same inequality.
# The sum in (iv) is geometric, so its ratio does not depend on where the sum starts; both sides are
# multiplied by x times a factor that is positive. [mathematics/002.md#lemma-2]
ELEMENTARY: dict[str, Sides] = {
    "(i), (ii)": lambda x: (x / 2, -expm1(-x)),
    "(iii)": lambda x: (x, -log1p(-x)),
    "(iv)": lambda x: (x, -2 * expm1(-x)),
    "(v)": lambda x: (1 + 0 * x, 2 * log(x)),
}


def lemma_2(cells: Grid) -> list[Point]:
    """The elementary inequalities hold on their ranges, proved in ball arithmetic.

    At x = 0 both sides of (i) to (iv) are 0. The difference begins with x / 2 in (i) and (ii), with x^2 / 2
    in (iii) and with x in (iv).
    """
    order = {"(i), (ii)": 1, "(iii)": 2, "(iv)": 1}
    points = []
    for item, sides in ELEMENTARY.items():
        edges = [Edge("x", 0.0, order[item])] if item in order else []
        points.append(over_box({"item": item}, sides, {"x": cells[item]}, edges=edges))
    return points


def quoted(grid: Grid) -> list[Point]:
    """What proofs take for granted: the inequalities of Lemma 2, and that a round serves one selection."""
    facts = {"Lemma 2": lemma_2(grid["Lemma 2"]), "one selection": one_selection(grid["one selection"])}
    return labelled("fact", facts)


def small_gaps(grid: Grid) -> list[Point]:
    """An action with a gap of at most beta is drawn after r rounds with chance at most 2 exp(-r gap^2 / 8).

    There are two actions. The value is the largest share of the bound, for r between the multiples `rounds`
    of 1 / gap^2. Up to 5.5 / gap^2 rounds the bound exceeds 1. It comes from the law of the difference of
    losses, and balls bound what rounding does to it. The first few errors that the library computes are
    compared with balls.
    """
    points, bounds = [], {}
    for where, kind, gap, beta in cells_of(grid, "kind", "gap", "beta"):
        if gap > beta:
            continue
        # Gaps enter the bound by r gap^2 alone, so this is one range for all of them.
        first, last = (int(multiple / gap**2) for multiple in grid["rounds"])
        rounds, few = np.arange(first, last + 1), np.arange(1, _FEW + 1)
        law = RandomizedPrefix(2, PureDP(2 * beta, "central"), rng=np.random.default_rng(0)).law
        computed = prefix_errors(law, KINDS[kind](equal_gaps(2, gap)), few).tolist()
        with precision():
            if gap not in bounds:
                bounds[gap] = floats([2 * exp(r * hoeffding(ball(gap))) for r in rounds.tolist()])
            bound, off = bounds[gap]
            worse = walk(kind, ball(gap), beta, rounds)
            shares = worse.chances / bound
            worst = int(shares.argmax())
            # The quotient is one more rounding.
            share = rounded(
                shares[worst], worse.steps + 1, (1 + worse.inputs) * (1 + off) - 1, worse.lost / bound.min()
            )
            exponent = -np.log(worse.chances[-1]) / (rounds[-1] * gap**2)
            notes = {"r": int(rounds[worst]), "exponent": float(exponent)}
            points.append(at_point(where, share, ball(1), notes, trivial=float(1 / bound[worst])))
            true = softmax_errors(kind, 2, gap, beta, _FEW)
            wrong = largest(abs(one / other - 1) for one, other in zip(computed, true, strict=True))
            points.append(at_point({**where, "kind": f"{kind}, library"}, wrong, ball(_ROUNDING)))
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


def large_gaps(grid: Grid) -> list[Point]:
    """The steps from E exp(-beta X) to 1 - beta gap / 4, for a difference X of losses with mean gap >= beta.

    X is -1 or 1, the worst by convexity. Both sides are logarithms, proved in balls for all beta and gaps
    ``beta + s (1 - beta)``; the first step for beta from 0.1 on, and at points below. At s = 0 the second
    step's difference begins with ``s beta (1 - beta) / 2``; the third depends on ``x = beta gap`` and
    begins with ``x / 4``.
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
