"""The least regret without privacy on K streams of coin flips, and its order. [mathematics/002.md#no-privacy]

Under law i action i gains with probability (1 + gap) / 2, and each other one with (1 - gap) / 2.
"""

from collections.abc import Sequence
from itertools import pairwise

from private_experts.replication.balls.balls import Ball, ball, largest, log, near, precision, smallest, sqrt
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p002.half_block import leads

_TIES = 1e-25  # chances of a number of gains below this are too small to divide by
_ROUNDING = 1e-9
SHARE = 104  # of the order that is proved


def _tossed(law: Sequence[Ball], p: Ball) -> list[Ball]:
    """Return the law of the number of gains after one more round."""
    return [one * p + other * (1 - p) for one, other in pairwise([ball(0), *law, ball(0)])]


def wrong_leader(best: Sequence[Ball], other: Sequence[Ball], n: int) -> Ball:
    """Return the chance that a draw among leaders is not the best of n actions, by laws of their gains.

    With a certain number of gains the best is drawn with the mean chance of ``u^(n - 1)``, where u lies
    between the probabilities that another action has fewer, and no more.
    """
    right, below = ball(0), ball(0)
    for mass, other_mass in zip(best, other, strict=True):
        # A sum of balls may exceed 1 by its radius, which powers of n would blow up.
        fewer, below = below, smallest([below + other_mass, ball(1)])
        # The mean of u^(n-1) over an interval is a difference quotient, which a tiny interval would ruin.
        if near(other_mass) > _TIES:
            right += mass * (below**n - fewer**n) / (n * other_mass)
        else:
            right += mass * (fewer ** (n - 1)).union(below ** (n - 1))
    return 1 - right


def least_errors(n: int, gap: float, rounds: int) -> list[Ball]:
    """Return the average errors of the leader of all rounds so far: no algorithm has smaller ones."""
    p, best, other = (1 + ball(gap)) / 2, [ball(1)], [ball(1)]
    errors = []
    for _ in range(rounds):
        errors.append(wrong_leader(best, other, n))
        best, other = _tossed(best, p), _tossed(other, 1 - p)
    return errors


def _from_below(n: int, gap: float, rounds: int) -> Ball:
    rho, weight, total = (1 + 3 * ball(gap) ** 2) / (1 - ball(gap) ** 2), ball(1), ball(0)
    for _ in range(rounds):
        # By chi-square, which grows by this factor in each round; once it exceeds 1 the bound says nothing.
        total += largest([ball(0), 1 - ball(1) / n - sqrt((weight - 1) / n)])
        weight *= rho
    return gap * total


def _from_above(n: int, gap: float, rounds: int) -> Ball:
    kept = 1 - ball(gap) ** 2
    # A union bound, at first above what uniform play loses.
    return gap * sum((smallest([1 - ball(1) / n, (n - 1) * kept**t]) for t in range(rounds)), ball(0))


def without_privacy(grid: Grid) -> list[Point]:
    """The least worst regret over the K laws lies between two sums, and is of the order log K / gap.

    For two actions it is also computed from the law of the best action's lead. Lazy is uniform play.
    """
    points = []
    for where, n, gap, horizon in cells_of(grid, "K, gap, T"):
        with precision():
            least = ball(gap) * sum(least_errors(n, gap, horizon), ball(0))
            lazy = horizon * gap * (1 - 1 / n)
            order = (1 - ball(gap) ** 2) * log(ball(n)) / gap
            below, above = _from_below(n, gap, horizon), _from_above(n, gap, horizon)
            notes = {"of_log_k_over_gap": near(least * gap / log(ball(n)))}
            points.append(at_point({**where, "side": "at least"}, least, below, notes, ">=", 0.0))
            points.append(at_point({**where, "side": "order"}, below, order / SHARE, sense=">=", trivial=0.0))
            points.append(
                at_point({**where, "side": "at most"}, least, above, notes, trivial=lazy, lazy=lazy)
            )
            points.append(
                at_point({**where, "side": "rate"}, above, (1 + log(ball(n))) / gap + gap, trivial=lazy)
            )
            if n == 2:
                laws = leads("independent", gap, horizon - 1)
                errors = (sum(law[:r], ball(0)) + law[r] / 2 for r, law in enumerate(laws))
                apart = abs(gap * sum(errors, ball(0)) / least - 1)
                points.append(at_point({**where, "side": "second route"}, apart, ball(_ROUNDING)))
    return points
