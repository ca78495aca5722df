"""Algorithm 1's own selections, by Laplace noise: no factor log T. [mathematics/leaders.md#laplace-lemma]

A group is so many experts of one gap, in scales of the noise where laws are concerned. The first group is
one best expert, of gap 0.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise, product

import numpy as np

from private_experts.arrays import Array
from private_experts.privacy.selection import report_noisy_max_law
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    expm1,
    integral,
    largest,
    log,
    near,
    precision,
    rational,
)
from private_experts.replication.balls.boxes import Edge, agreement, at_point, over_box
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p004.stationary import every_interval, leader

Groups = Sequence[tuple[int, float]]

_BITS = 100
_REACH = 80  # of integrals, in scales of the noise; what lies beyond is bounded and added
_ROUNDING = 1e-9  # absolute, of the library's laws
_FAR = 60.0  # beyond it the inequalities are plain [mathematics/leaders.md#laplace-lemma]
_MEAN = 8.7  # times log(N) / epsilon: 8 E max Z, with E max Z <= 1.0875 log N [002/whole-blocks-constants]


def constant() -> Ball:
    """Return a of the lemma: an expert at x is selected with at most (a + b x) times its softmax."""
    return rational("1.413")


def slope() -> Ball:
    """Return b of the lemma."""
    return rational("0.3034")


def share() -> Ball:
    """Return c: the mean of e^(c x) under the selection is at most that of e^(x/2) under softmax."""
    return rational("0.3")


def permuted() -> Ball:
    """Return the constant in the place of a, without b, for exponential noise (permute and flip)."""
    return rational("1.3")


def law(noise: str, groups: Groups) -> list[Ball]:
    """Return the probability of one expert of each group to have the largest noise less gap."""
    # Exponential noise is at least 0, and so is the largest score, as the first gap is 0.
    ends = sorted({-gap for _, gap in groups if gap < _REACH}) if noise == "laplace" else [0.0]
    pieces = [*pairwise([-_REACH, *ends] if noise == "laplace" else ends), (ends[-1], _REACH)]
    below = {"laplace": _laplace_below, "exponential": _exponential_below}[noise]
    laws = []
    for i, (_, own) in enumerate(groups):
        if own > _FAR:
            # One that is so far behind beats the best expert with this probability, or half of it.
            laws.append(ball(0, ((2 + own) * exp(-ball(own)) / 4).upper()))
            continue
        total = ball(0)
        for low, high in pieces:

            def density(y: Ball, i: int = i, own: float = own, low: float = low) -> Ball:
                result = (exp(-y - own) if low >= -own else exp(y + own)) * (0.5 if noise == "laplace" else 1)
                for j, (count, gap) in enumerate(groups):
                    result *= below(y + gap, low >= -gap) ** (count - (i == j))
                return result

            total += integral(density, ball(low), ball(high), digits=14)
        # Above, the density alone; below, also the chance that the best expert is no higher.
        laws.append(total + ball(0, exp(ball(-_REACH)).upper()))
    return laws


def _laplace_below(t: Ball, positive: bool) -> Ball:
    return 1 - exp(-t) / 2 if positive else exp(t) / 2


def _exponential_below(t: Ball, positive: bool) -> Ball:
    return 1 - exp(-t)


def softmax(groups: Groups) -> list[Ball]:
    """Return the softmax of minus the gaps, for one expert of each group."""
    weights = [exp(-ball(gap)) for _, gap in groups]
    total = sum((count * weight for (count, _), weight in zip(groups, weights, strict=True)), ball(0))
    return [weight / total for weight in weights]


def profiles(grid: Grid) -> Iterator[Groups]:
    """Yield gaps: equal ones, and some that are drawn."""
    for n, gap in product(grid["N"], grid["gap"]):
        yield [(1, 0.0), (n - 1, gap)]
    for draw in range(grid["drawn"]):
        rng = rng_for(0, "gaps", draw)
        counts, gaps = rng.integers(1, 50, 2), np.sort(8 * rng.random(2))
        yield [(1, 0.0), *zip(counts.tolist(), gaps.tolist(), strict=True)]


def constants(_: Grid) -> list[Point]:
    """The suprema in the lemma's proof, and the share of a gap whose moment is that of the softmax."""
    sides: dict[str, Callable[[Ball], tuple[Ball, Ball]]] = {
        "a": lambda s: (
            (1 - exp(-s / 2) + s * exp((1 - s) / 2) / 4) * (1 + 1 / s),
            constant() + 0 * s,
        ),
        "b": lambda s: (s * exp((1 - s) / 2) / 4, slope() + 0 * s),
        "exponential": lambda s: ((1 - exp(-s)) * (1 + 1 / s), permuted() + 0 * s),
    }
    points = [
        over_box({"what": f"constant {name}"}, side, {"s": [1.0, _FAR]}) for name, side in sides.items()
    ]
    both = {
        "share": lambda x: ((constant() + slope() * x) * expm1(share() * x), expm1(x / 2)),
        "share, exponential": lambda x: (permuted() * expm1(5 * x / 13), expm1(x / 2)),
    }
    for what, side in both.items():
        order = 2 if what.endswith("exponential") else 1
        points.append(over_box({"what": what}, side, {"x": [0.0, _FAR]}, edges=[Edge("x", 0.0, order)]))
    return points


@precision(_BITS)
def laplace_lemma(grid: Grid) -> list[Point]:
    """Noise selects an expert at x with at most a + b x times its softmax, if Laplace, or 1.3 times.

    The largest ratio over the experts of a profile counts. The library's law of Laplace noise is compared.
    """
    points = constants(grid)
    for groups, noise in product(profiles(grid), ("laplace", "exponential")):
        exact, allowed = law(noise, groups), softmax(groups)
        ratios = [
            exact[j] / allowed[j] / (constant() + slope() * gap if noise == "laplace" else permuted())
            for j, (_, gap) in enumerate(groups)
            if j
        ]
        where = {"noise": noise, "experts": str([count for count, _ in groups])}
        where |= {"gaps": str([round(gap, 3) for _, gap in groups])}
        points.append(at_point({"what": "ratio", **where}, largest(ratios), ball(1)))
        if noise == "laplace":
            counts, gaps = zip(*groups, strict=True)
            computed = report_noisy_max_law(-np.array(gaps), 1.0, counts).tolist()
            apart = largest(abs(one - true) for one, true in zip(computed, exact, strict=True))
            points.append(at_point({"what": "library", **where}, apart, ball(_ROUNDING)))
    return points


GROUPS: dict[str, Callable[[int], Groups]] = {
    "equal": lambda n: [(1, 0.0), (n - 1, 1.0)],
    "two": lambda n: [(1, 0.0), (n // 2, 0.25), (n - 1 - n // 2, 1.0)],
}


@precision(_BITS)
def laplace_potential(grid: Grid) -> list[Point]:
    """Where losses equal their means the regret X of blocks 2, 4, ... has ``E exp(3 epsilon X / 40) <= N``.

    Its mean is at most 8.7 log(N) / epsilon. The library's moments and means are compared. Lazy is to draw
    an expert uniformly in every block.
    """
    points = []
    for where, n, gaps_are, epsilon, horizon in cells_of(grid, "N", "gaps", "epsilon", "T"):
        groups = GROUPS[gaps_are](n)
        sizes = [2.0**k for k in range(1, int(math.log2(horizon)))]
        moment = mean = ball(0)
        for size in sizes:
            # The selection sees half as many rounds, with noise of scale 2 / epsilon.
            seen = [(count, epsilon * size / 4 * gap) for count, gap in groups]
            chances = [
                count * chance for (count, _), chance in zip(groups, law("laplace", seen), strict=True)
            ]
            moment += log(
                sum((p * exp(share() * gap) for p, (_, gap) in zip(chances, seen, strict=True)), ball(0))
            )
            mean += sum((p * size * gap for p, (_, gap) in zip(chances, groups, strict=True)), ball(0))
        most = {"moment": log(ball(n)), "mean": rational(str(_MEAN)) * log(ball(n)) / ball(epsilon)}
        rounds, shares = sum(sizes), np.array([count for count, _ in groups]) / n
        gaps = np.array([gap for _, gap in groups])
        uniform = {
            "moment": sum(math.log(shares @ np.exp(0.3 * epsilon / 4 * size * gaps)) for size in sizes),
            "mean": rounds * float(shares @ gaps),
        }
        trivial = {"moment": 0.3 * epsilon / 4 * rounds, "mean": rounds}
        computed = program(groups, np.array(sizes), epsilon)
        for what, value in (("moment", moment), ("mean", mean)):
            place = {**where, "what": what}
            points.append(
                at_point(
                    place,
                    value,
                    most[what],
                    {"share": near(value / most[what])},
                    trivial=trivial[what],
                    lazy=uniform[what],
                )
            )
            points.append(
                agreement({**where, "what": f"{what}, library"}, computed[what], value, 100 * _ROUNDING)
            )
    return points


def program(groups: Groups, sizes: Array, epsilon: float) -> dict[str, float]:
    """Return the logarithm of the exponential moment and the mean of the regret, from the library's laws."""
    counts, gaps = (np.array(column) for column in zip(*groups, strict=True))
    algorithm = leader(int(counts.sum()), epsilon, rng_for(0, "unused"), 1)
    laws = counts * algorithm.law(-np.multiply.outer(sizes / 2, gaps), counts)
    regrets = sizes[:, None] * gaps
    moments = (laws * np.exp(3 * epsilon / 40 * regrets)).sum(axis=1)
    return {"moment": float(np.log(moments).sum()), "mean": float((laws * regrets).sum())}


def allowance(rounds: Array, n: int, horizon: int, epsilon: float, beta: float) -> Array:
    """Return ``80 L / (3 epsilon) + 37.5 sqrt(n L)`` for n rounds, with ``L = log(NT / beta)``."""
    level = math.log(n * horizon / beta)
    return 80 * level / (3 * epsilon) + 37.5 * np.sqrt(rounds * level)


def laplace_intervals(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """With chance 1 - beta no interval of n rounds has a regret above `allowance`."""
    return every_interval(grid, repetitions, seed, leader, allowance)
