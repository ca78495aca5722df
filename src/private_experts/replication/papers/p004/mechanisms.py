"""What algorithms are built from: Laplace noise, AboveThreshold's accuracy, and privacy given past plays."""

import math
from collections.abc import Sequence
from itertools import chain, product
from typing import Any

import numpy as np

from private_experts.arrays import Array
from private_experts.privacy.above_threshold import accuracy, halting_law
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    expm1,
    largest,
    log,
    log1p,
    precision,
    sqrt,
)
from private_experts.replication.balls.boxes import Edge, at_point, over_box, widened
from private_experts.replication.ledger.evidence import Grid, Point, labelled
from private_experts.replication.papers.p004.halting import in_units, none_above

_BITS = 80
NORM = 10.0  # the constant of Lemma B.3
_ROUNDING = 1e-12  # of the program's numbers


def as_quoted(grid: Grid) -> list[Point]:
    """Each lemma that the paper quotes holds on its cells; a row names the lemma that it is about."""
    lemmas = {
        "Lemma 2.2": lemma_2_2(grid["Lemma 2.2"]),
        "Lemma 2.4": lemma_2_4(grid["Lemma 2.4"]),
        "Lemma B.3": lemma_b3(grid["Lemma B.3"]),
    }
    return labelled("lemma", lemmas)


def noise_scale(sensitivity: float, epsilon: float) -> float:
    """Return the Laplace mechanism's scale."""
    return sensitivity / epsilon


def _log_above(x: Ball) -> Ball:
    """Return log P(a standard Laplace variable exceeds x)."""
    # Two forms, as the logarithm of a probability near 1 would lose its digits.
    return -x - log(2) if x > 0 else log1p(-exp(x) / 2)


def lemma_2_2(cells: Grid) -> list[Point]:
    """The Laplace mechanism is epsilon-DP: intervals of outputs have chances within a factor of e^epsilon.

    The ratio of the probabilities of a half-line is largest, and attained, far from both answers. The rate at
    which its logarithm changes with the answer, ``e^x / (2 - e^x)`` at x noise scales below it and 1 above,
    is at most 1: proved over a box. At x = 0 both sides are equal, and the difference begins with -2x.
    """
    rate = over_box(
        {"sensitivity": 0.0, "epsilon": 0.0, "what": "rate"},
        lambda x: (exp(x), 2 - exp(x)),
        {"x": [-cells["reach"], 0.0]},
        edges=[Edge("x", 0.0, 1)],
    )
    points = [rate]
    for sensitivity, epsilon in product(cells["sensitivity"], cells["epsilon"]):
        scale = noise_scale(sensitivity, epsilon)
        with precision():
            ratios = [
                abs(_log_above(ball(end)) - _log_above(ball(end) - sensitivity * moved / ball(scale)))
                for end, moved in product(
                    np.linspace(-cells["reach"], cells["reach"], 41).tolist(), cells["moved"]
                )
            ]
            where = {"sensitivity": sensitivity, "epsilon": epsilon, "what": "half-lines"}
            points.append(at_point(where, largest(ratios), ball(epsilon) + 1e-9))
    return points


def failure(queries: Array, alpha: float, epsilon: float) -> float:
    """Return the chance that a query is called below though above alpha, or above though below -alpha."""
    law = halting_law(queries, epsilon)
    high = np.flatnonzero(queries > alpha)
    until = int(high[0]) if high.size else queries.size
    wrong = float(law[:until][queries[:until] < -alpha].sum())
    return wrong + float(law[until + 1 :].sum() if high.size else 0.0)


def exact_failure(outside: Ball, below: int, above: int, epsilon: float) -> Ball:
    """Return the same for so many queries of minus a number above alpha, and then so many of this number."""
    low, high = (in_units(query, epsilon) for query in (-outside, outside))
    called_above = 1 - none_above([(low, below)])
    return called_above + none_above([(low, below), (high, above)]) if above else called_above


@precision(_BITS)
def lemma_2_4(cells: Grid) -> list[Point]:
    """AboveThreshold's answers are off by more than alpha with chance at most beta, on the worst streams.

    The queries lie just outside -alpha or alpha. The law of halting is an integral in ball arithmetic. The
    program's law and its alpha are compared with what is exact.
    """
    points, laws, levels, epsilon = [], [], [], cells["epsilon"]
    for count, beta in product(cells["T"], cells["beta"]):
        alpha = accuracy(count, epsilon, beta)
        levels.append(abs(alpha / (8 * (log(count) + log(2 / ball(beta))) / epsilon) - 1))
        # Just outside, where answers are most often wrong; the answers at alpha itself are not errors.
        outside = alpha * (1 + 1e-9)
        for name, (below, above) in {
            "all low": (count, 0),
            "low, then high": (count - 1, 1),
            "high": (0, 1),
        }.items():
            # In runs: equal queries enter as powers, so that T can be large.
            value = exact_failure(ball(outside), below, above, epsilon)
            points.append(
                at_point({"queries": name, "T": count, "beta": beta}, value, ball(beta), trivial=1.0)
            )
            program = failure(np.repeat([-outside, outside], [below, above]), alpha, epsilon)
            laws.append(abs(program - value))
    for name, differences in {"program's law": laws, "program's alpha": levels}.items():
        points.append(at_point({"queries": name, "T": 0, "beta": 0.0}, largest(differences), ball(_ROUNDING)))
    return points


def lemma_b3(cells: Grid) -> list[Point]:
    """Of T vectors of N Laplace variables some square exceeds 10 log(NT)^2 b^2 with chance at most 1/T.

    The probability is exact: the coordinates are independent. Its T-fold is at most 1, over all N and T as
    real numbers.
    """

    def sides(log_N: Ball, log_T: Ball) -> tuple[Ball, Ball]:
        size = log_N + log_T
        # In logarithms, as N T coordinates are too many for a power in floats.
        none = exp(size) * log1p(-exp(-sqrt(ball(NORM)) * size))  # log P(no coordinate is so large)
        return -exp(log_T) * expm1(none), 1 + 0 * log_T

    box = {f"log_{name}": widened(*(math.log(end) for end in cells[name])) for name in ("N", "T")}
    return [over_box({"what": "T times the probability"}, sides, box)]


def hockey_stick(p: Sequence[Ball], q: Sequence[Ball], epsilon: float) -> Ball:
    """Return the least delta for which ``p <= e^epsilon q + delta`` on all events."""
    gains = [one - exp(ball(epsilon)) * other for one, other in zip(p, q, strict=True)]
    return sum((gain.max(ball(0)) for gain in gains), ball(0))


def rarely_different(delta: float) -> tuple[Array, Array]:
    """Return the laws (first play, later play) of the algorithm of E004-12 under two neighbours."""
    return np.array([[1 - delta, 0.0], [delta, 0.0]]), np.array([[1 - delta, 0.0], [0.0, delta]])


def _conditional(grid: Grid, seed: int) -> list[tuple[dict[str, Any], Ball, list[Ball], list[Ball]]]:
    """Return places, the least delta of an algorithm, its past plays' chances, and delta given these."""
    cases = []
    for epsilon, delta in product(grid["epsilon"], grid["delta"]):
        rng = rng_for(seed, "conditioning", epsilon, delta)
        past = rng.dirichlet(np.ones(4))
        random_laws = [past[:, None] * rng.dirichlet(np.ones(3), size=4) for _ in range(2)]
        for name, laws in (("tells rarely", rarely_different(delta)), ("drawn", random_laws)):
            p, q = ([[ball(chance) for chance in row] for row in law.tolist()] for law in laws)
            before = [sum(row, ball(0)) for row in p]
            whole = hockey_stick([*chain(*p)], [*chain(*q)], epsilon)
            # The past has one law under both neighbours here, so either's chances may be divided by.
            conditional = [
                hockey_stick([joint / chance for joint in one], [joint / chance for joint in other], epsilon)
                for one, other, chance in zip(p, q, before, strict=True)
            ]
            cases.append(
                ({"algorithm": name, "epsilon": epsilon, "delta": delta}, whole, before, conditional)
            )
    return cases


def conditioning_printed(grid: Grid, seed: int) -> list[Point]:
    """Given past plays, an (epsilon, delta)-DP algorithm is so too. [mathematics/004.md#e004-12]"""
    with precision():
        return [
            at_point(where, largest(conditional), whole, trivial=1.0)
            for where, whole, _, conditional in _conditional(grid, seed)
        ]


def conditioning(grid: Grid, seed: int) -> list[Point]:
    """Given plays of chance P it is (epsilon, delta / P)-DP, on average over them (epsilon, delta)-DP."""
    points = []
    with precision():
        for where, whole, past, conditional in _conditional(grid, seed):
            shares = [chance * delta for chance, delta in zip(past, conditional, strict=True)]
            points.append(at_point({**where, "what": "given"}, largest(shares), whole + 1e-12, trivial=1.0))
            points.append(
                at_point({**where, "what": "on average"}, sum(shares, ball(0)), whole + 1e-12, trivial=1.0)
            )
    return points
