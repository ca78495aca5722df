"""Which algorithm has the least bound on the regret, and from when on bounds say anything. [001, Table 1]"""

import math
from collections.abc import Iterator
from functools import partial
from itertools import product

from private_experts.private_oco.closeness import draw_probability
from private_experts.private_oco.gaussian_accounting import first_useful, lazy_private_parameters
from private_experts.replication.balls.balls import Ball, ball, largest, log, precision, smallest, sqrt
from private_experts.replication.balls.boxes import agreement, at_point, over_box, widened
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p001.fresh_gibbs import (
    bounds,
    fresh,
    gaussian_level,
    hardness,
    leader,
    level_of,
)
from private_experts.replication.papers.p001.scales import shares

_CLOSE = 1e-3  # decimal digits of T at which bisection ends


def best_bound(grid: Grid) -> list[Point]:
    """Fresh draws have nowhere the least bound: the private leader's is less at any T for epsilon at most 1.

    It is proved for all T and all ``sqrt(d) / level`` of a box, and at points. Where no bound is below G D T,
    a point is vacuous. The notes have all bounds as shares of G D T, and how often P-COMW draws, as a share
    of T. Further rows tell from when on bounds say anything, and P-COMW's is below its rivals'.
    [mathematics/001.md#where-each-is-best]
    """
    points = []
    decades = grid["log10_T"]
    # Both bounds depend on d and the level by one number, so two dimensions suffice for all cells.
    box = {"t": widened(math.log(10) * min(decades), math.log(10) * max(decades)), "hardness": hardness(grid)}
    points.append(
        over_box(
            {"what": "all"}, lambda t, hardness: (leader(t, 1, 1 / hardness), fresh(t, 1, 1 / hardness)), box
        )
    )
    for dimension, epsilon, exponent in product(grid["d"], grid["epsilon"], decades):
        horizon = round(10**exponent)
        of_all = bounds(dimension, epsilon, grid["delta"])
        least_shares = {name: bound(horizon) / horizon for name, bound in of_all.items()}
        play = lazy_private_parameters(horizon, dimension, gaussian_level(epsilon, grid["delta"]))
        notes = {**least_shares, "draws / T": min(draw_probability(play.log_phi, play.p), 1.0)}
        where = {"what": "ratio", "d": dimension, "epsilon": epsilon, "T": horizon}
        trivial = 1.0 if min(least_shares.values()) >= 1 else 0.0
        with precision():
            place = log(ball(horizon)), ball(dimension), level_of(epsilon, grid["delta"])
            ratio = fresh(*place) / leader(*place)
            points.append(at_point(where, ratio, ball(1), notes, sense=">=", trivial=trivial))
            if exponent < max(decades):
                continue
            for name, exact in (("every round", fresh(*place)), ("private leader", leader(*place))):
                true = exact / sqrt(ball(horizon))
                points.append(agreement({**where, "what": name}, least_shares[name], true, grid["tolerance"]))
    points += _useful_from(grid["useful from"], grid["delta"])
    return [*points, *_overtakes(grid["overtakes"], grid["delta"])]


def _useful_from(cells: Grid, delta: float) -> Iterator[Point]:
    """Yield that a bound is below G D T, the most that any play can lose, from a first T on and not before.

    This T is at least the `least` of its accounting. The bound is taken at powers of two before it, and at
    its multiples by powers of four. The program's bound is compared. [mathematics/001.md#useful-from]
    """
    epsilon = cells["epsilon"]
    with precision():
        exact = shares(epsilon, delta)
    for (accounting, least), dimension in product(cells["least"].items(), cells["d"]):
        bound = bounds(dimension, epsilon, delta)[accounting]
        share, first = partial(exact[accounting], ball(dimension)), first_useful(bound)
        # Just before, and coarsely further back: shares need not be monotone at small T.
        earlier = [first - 1, *(2**k for k in range(1, (first - 1).bit_length()))]
        where = {"what": "useful from", "accounting": accounting, "d": dimension, "epsilon": epsilon}
        with precision():
            before = smallest(map(share, earlier))
            after = largest(share(first * 2**k) for k in range(0, 60, 2))
            yield at_point({**where, "quantity": "first T"}, ball(first), ball(least), sense=">=")
            yield at_point({**where, "quantity": "least bound / T before"}, before, ball(1), sense=">=")
            yield at_point({**where, "quantity": "largest bound / T from there"}, after, ball(1))
            yield agreement({**where, "quantity": "program"}, bound(first) / first, share(first), 1e-9)


def _overtakes(cells: Grid, delta: float) -> Iterator[Point]:
    """Yield from which T on P-COMW's bound is below a rival's, by its accounting; found by bisection over T.

    The value is log10 of that T, and lies between the two numbers stated. Balls decide each step, so the
    bounds surely cross between the ends of the value's interval.
    """
    # the library's bounds round in games of 10^20 rounds and more, so balls take their place
    with precision():
        exact = shares(cells["epsilon"], delta)
    for rival, accounting, dimension, low, high in cells["stated"]:
        regret, rival_regret = (partial(exact[name], ball(dimension)) for name in (accounting, rival))
        left, right = cells["log10_T"]
        with precision():
            while right - left > _CLOSE:
                middle = (left + right) / 2
                behind = _surely_behind(regret(round(10**middle)), rival_regret(round(10**middle)))
                left, right = (middle, right) if behind else (left, middle)
        # Never overtaken within the range, as bisection always went right.
        if math.isclose(right, cells["log10_T"][1], abs_tol=2 * _CLOSE):  # behind up to the end of the range
            left = right = math.inf
        where = {"what": "overtakes", "rival": rival, "accounting": accounting, "d": dimension}
        yield Point({**where, "side": "not before"}, right, low, left, right, sense=">=", certified=True)
        yield Point({**where, "side": "not after"}, right, high, left, right, certified=True)


def _surely_behind(regret: Ball, rival_regret: Ball) -> bool:
    """Return whether a bound is at least another one; balls that overlap are an error."""
    if not (regret >= rival_regret or regret < rival_regret):
        raise ValueError("two bounds cannot be told apart; widen what bisection ends at")
    return bool(regret >= rival_regret)
