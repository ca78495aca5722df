"""Lower bounds for shifting streams, and the table of bounds. [004, Section 3.2 and Table 1]"""

import math
from collections.abc import Iterator
from itertools import accumulate, product, repeat
from operator import mul
from typing import Literal

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.games.streams import deterministic, equal_gaps
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    expm1,
    integral,
    log,
    log1p,
    near,
    precision,
    smallest,
    sqrt,
)
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.blocks import block_regret, exact_errors

Selection = Literal["laplace", "gumbel"]

_BITS = 80
# of the library's regrets, relative: its law of report-noisy-max is off by up to 1e-10 an expert
_ROUNDING = 1e-6


def packing_bound(n: int, phase: int, epsilon: float) -> Ball:
    """Return ``sum_t max(0, 1 - e^(epsilon (t - 1)) / N)``, which any epsilon-DP play loses in a phase."""
    growth = exp(ball(epsilon))
    return sum(((1 - ratio / n).max(ball(0)) for ratio in _powers(growth, phase)), ball(0))


def _powers(factor: Ball, count: int) -> Iterator[Ball]:
    """Yield so many powers, from the zeroth on."""
    return accumulate(repeat(factor, count - 1), mul, initial=ball(1))


def one_selection(n: int, phase: int, epsilon: float) -> Ball:
    """Return the least regret of an algorithm that guesses some rounds, then selects an expert once."""
    guess = 1 - 1 / ball(n)
    # Without chance in the losses, a selection after r rounds sees the best one r ahead, at the rate epsilon
    # / 2.
    return smallest(
        rounds * guess + (phase - rounds) / (1 + weight / (n - 1))
        for rounds, weight in enumerate(_powers(exp(ball(epsilon) / 2), phase + 1))
    )


def dyadic(n: int, phase: int, epsilon: float, selection: Selection) -> Ball:
    """Return the exact regret of Algorithm 1 (with the smallest noisy loss) in one phase."""
    wrong = {"laplace": wrong_by_laplace, "gumbel": wrong_by_gumbel}[selection]
    regret, played = 1 - 1 / ball(n), 1
    while played < phase:  # the next block is as long as all before it, and one round longer
        regret += min(played + 1, phase - played) * wrong(n, ball((played + 1) // 2) * epsilon / 2)
        played += played + 1
    return regret


def wrong_by_gumbel(n: int, ahead: Ball) -> Ball:
    """Return the probability that the exponential mechanism misses the best expert, ahead of all others."""
    return (n - 1) / (n - 1 + exp(ahead))


def wrong_by_laplace(n: int, ahead: Ball) -> Ball:
    """Return the probability that report-noisy-max misses it, with Laplace noise of scale 1."""
    # Outside 0 and `ahead` all factors are powers of one exponential, and only the part between needs
    # quadrature.
    below = exp(-ahead) / (n * ball(2) ** n)  # y < 0
    # As 1 - (1 - x)^n it would cancel for the small x of a far score.
    above = -exp(ahead) * expm1(n * log1p(-exp(-ahead) / 2)) / n  # ahead < y
    between = integral(lambda y: (y - ahead).exp() / 2 * (1 - (-y).exp() / 2) ** (n - 1), ball(0), ahead)
    return 1 - below - between - above


def program(n: int, phase: int, epsilon: float, selection: Selection) -> float:
    """Return the regret of Algorithm 1 by the library, from quadrature in floating point."""
    algorithm = DyadicLeader(n, PureDP(epsilon, "central"), rng=rng_for(0, "unused"), selection=selection)
    errors = exact_errors(algorithm, deterministic(equal_gaps(n, 1.0)), phase.bit_length())
    return float(block_regret(errors, [phase])[0])


@precision(_BITS)
def shifting_lower_bound(grid: Grid) -> list[Point]:
    """Private algorithms that know the shifts lose at least the bound, and nearly that in the best case.

    Phases are independent, so one phase is enough, and the dynamic regret is S + 1 times as large. All
    regrets are computed in ball arithmetic, and the library's compared with them. Lazy is to ignore privacy,
    and to name from the second round on the expert that was right in the first.
    """
    points = []
    kinds: dict[str, Selection] = {"Algorithm 1": "laplace", "Algorithm 1, softmax": "gumbel"}
    for n, phase, epsilon in product(grid["N"], grid["phase"], grid["epsilon"]):
        least = packing_bound(n, phase, epsilon)
        regrets = {"one selection": one_selection(n, phase, epsilon)}
        regrets |= {name: dyadic(n, phase, epsilon, kind) for name, kind in kinds.items()}
        where = {"N": n, "rounds_in_phase": phase, "epsilon": epsilon}
        for name, regret in regrets.items():
            notes = {"times": near(regret / least)}
            lazy = 1 - 1 / n
            points.append(
                at_point({"algorithm": name, **where}, regret, least, notes, ">=", trivial=0.0, lazy=lazy)
            )
        printed = log(n) / ball(epsilon)
        # The printed form is derived for phases of at least so many rounds.
        if phase >= printed:
            short = printed - 1 / ball(epsilon) - 1
            points.append(
                at_point({"algorithm": "the printed form", **where}, least, short, sense=">=", trivial=0.0)
            )
        for name, kind in kinds.items():
            computed = program(n, phase, epsilon, kind)
            points.append(
                agreement({"algorithm": f"{name}, library", **where}, computed, regrets[name], _ROUNDING)
            )
    return points


def coins_bound(n: int, phase: int) -> Ball:
    """Return the mean largest of n numbers of heads in a phase of fair coins, less half of the rounds."""
    # Whole numbers: chances of up to so many heads, without rounding.
    ways = accumulate(math.comb(phase, heads) for heads in range(phase))  # to have at most so many heads
    return sum((1 - (ball(count) / 2**phase) ** n for count in ways), ball(0)) - ball(phase) / 2


@precision(_BITS)
def coins_lower_bound(grid: Grid) -> list[Point]:
    """On fair coins any algorithm loses at least ``(S + 1) (E max - m / 2)``, or 0.3 sqrt((S + 1) T log N).

    Nobody earns more than half of the rounds on average, private or not. The form with the root is for phases
    of at least 4 log N rounds.
    """
    points = []
    for where, n, phase in cells_of(grid, "N", "rounds_in_phase"):
        assert phase >= 4 * math.log(n)
        lost, root = coins_bound(n, phase), sqrt(phase * log(ball(n)))
        notes = {"share_of_root": near(lost / root)}
        points.append(at_point(where, lost, ball(3) / 10 * root, notes, ">=", trivial=0.0))
    return points


def table(n: int, horizon: int, switches: int, epsilon: float) -> dict[str, tuple[float, float]]:
    """Return upper and lower bounds of Table 1, without constants."""
    root, level = math.sqrt(switches * horizon * math.log(n)), math.log(n)
    packing = switches * math.log(n / switches) / epsilon
    tracing = switches / (epsilon * math.log(horizon / (switches + 1))) ** 2
    return {
        "shifting": (root + switches * level / epsilon, root + packing),
        "oblivious": (root + switches * horizon ** (1 / 3) * level / epsilon ** (2 / 3), root + packing),
        "adaptive": (
            math.sqrt(switches * horizon) * level**1.5 / epsilon + switches * level / epsilon,
            root + tracing,
        ),
    }


def table_1(grid: Grid) -> list[Point]:
    """Where both bounds of a row of Table 1 are below T, the lower one is at most the upper one."""
    points = []
    for n, horizon, switches, epsilon in product(grid["N"], grid["T"], grid["S"], grid["epsilon"]):
        for row, (upper, lower) in table(n, horizon, switches, epsilon).items():
            # No regret exceeds T, so beyond it a bound says nothing and their order does not matter.
            if max(upper, lower) < horizon:
                where = {"row": row, "N": n, "T": horizon, "S": switches, "epsilon": epsilon}
                points.append(Point(where, lower, upper, trivial=float(horizon)))
    return points
