"""What a selection costs is what the expected largest noisy score loses in the block's second half.

There are two actions here, whose gains are 0 or 1, and the noise is Gumbel's, Laplace's or exponential; and
three, with Gumbel's or exponential noise. All expectations are finite sums of closed forms.
[mathematics/leaders.md#half-block]
"""

from collections.abc import Callable, Iterable
from itertools import product

import numpy as np

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, exp, largest, log, log1p, precision
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p002.softmax_errors import steps

_ROUNDING = 1e-9  # of the library's probabilities
# For x >= 0: by how much the expected larger of Z and Z' - x exceeds the mean of Z, and the chance of the
# latter.
NOISE: dict[str, tuple[Callable[[Ball], Ball], Callable[[Ball], Ball]]] = {
    "gumbel": (lambda x: log1p(exp(-x)), lambda x: 1 / (1 + exp(x))),
    "laplace": (lambda x: (3 + x) * exp(-x) / 4, lambda x: (2 + x) * exp(-x) / 4),
    "exponential": (lambda x: exp(-x) / 2, lambda x: exp(-x) / 2),
}


def surplus(noise: str, rate: Ball, lead: int) -> Ball:
    """Return ``E max(Z, Z' - rate lead) - E Z``."""
    of_lead = NOISE[noise][0](rate * abs(lead))
    # E max(Z, Z' + c) = c + E max(Z, Z' - c), as Z and Z' have one law: so closed forms for x >= 0 suffice.
    return of_lead if lead >= 0 else of_lead - rate * lead


def chance(noise: str, rate: Ball, lead: int) -> Ball:
    """Return the probability that the worse action is selected when the best is ahead by `lead`."""
    # At a lead of 0 both are equally likely, whatever the noise: it is continuous.
    worse = NOISE[noise][1](rate * abs(lead))
    return worse if lead >= 0 else 1 - worse


def leads(kind: str, gap: float, most: int) -> list[list[Ball]]:
    """Return the law of the best action's lead after 0, 1, ..., `most` rounds: chances of -r, ..., r."""
    ahead, level, behind = steps(kind, ball(gap))
    # By convolution in balls: what is compared is small, and floats would have to be bounded first.
    laws = [[ball(1)]]
    for _ in range(most):
        law = [ball(0), ball(0), *laws[-1], ball(0), ball(0)]
        laws.append([law[k] * ahead + law[k + 1] * level + law[k + 2] * behind for k in range(len(law) - 2)])
    return laws


def _expectation(law: list[Ball], values: Iterable[Ball]) -> Ball:
    return sum((share * value for share, value in zip(law, values, strict=True)), ball(0))


def half_block(grid: Grid) -> list[Point]:
    """The best action's lead over the selected one is on average at most what the surplus V loses, and more.

    After r rounds: ``rate E D / 2 <= V_(r/2) - V_r``, ``rate E D / r <= V_(r-1) - V_r``, and the part of the
    regret that is not covered by twice the lead is at most ``4 / gap log(1 + exp(-r gap^2 / 8))``.
    """
    points, lengths = _three_actions(grid["three"]), grid["r"]
    for where, kind, gap, epsilon in cells_of(grid, "kind, gap", "epsilon"):
        where = {"K": 2, **where}
        with precision():
            laws, rate, apart = leads(kind, gap, max(lengths)), ball(epsilon) / 2, ball(gap)
            for r in lengths:
                short = _expectation(
                    laws[r], (largest([ball(0), r * apart - 2 * lead]) for lead in range(-r, r + 1))
                )
                most = 4 / apart * log1p(exp(-r * apart**2 / 8))
                points.append(at_point({**where, "r": r, "of": "what leads leave"}, short, most))
        for noise in NOISE:
            with precision():
                v = [
                    _expectation(law, (surplus(noise, rate, lead) for lead in range(-r, r + 1)))
                    for r, law in enumerate(laws)
                ]
                for r in lengths:
                    lost = _expectation(
                        laws[r], (rate * lead * chance(noise, rate, lead) for lead in range(-r, r + 1))
                    )
                    place = {**where, "r": r, "noise": noise}
                    points.append(at_point({**place, "of": "half"}, lost / 2, v[r // 2] - v[r]))
                    points.append(at_point({**place, "of": "round"}, lost / r, v[r - 1] - v[r]))
            # The library does not select with exponential noise.
            if noise != "exponential":
                points += _of_the_library(where, noise, epsilon, lengths)
    return points


Leads = dict[tuple[int, int], Ball]  # chances of the best action's leads over the second and the third


def three_steps(kind: str, gap: float) -> Leads:
    """Return the law of the leads of one round of three actions."""
    apart, law = ball(gap) / 2, dict[tuple[int, int], Ball]()
    gains: dict[tuple[int, ...], Ball]
    if kind == "one":  # exactly one action gains
        gains = {(1, 0, 0): ball(1) / 3 + apart, (0, 1, 0): ball(1) / 3, (0, 0, 1): ball(1) / 3 - apart}
    else:  # independent flips
        means = [ball(1) / 2 + apart, ball(1) / 2, ball(1) / 2 - apart]
        gains = {}
        for flips in product((0, 1), repeat=3):
            chance = ball(1)
            for flip, mean in zip(flips, means, strict=True):
                chance *= mean if flip else 1 - mean
            gains[flips] = chance
    for (first, second, third), chance in gains.items():
        lead = (first - second, first - third)
        law[lead] = law.get(lead, ball(0)) + chance
    return law


def three_surplus(noise: str, scores: tuple[Ball, Ball, Ball]) -> tuple[Ball, list[Ball]]:
    """Return ``E max(x_a + Z_a) - E Z`` and its gradient, the law of the selection, for three scores x."""
    if noise == "gumbel":
        weights = [exp(score) for score in scores]
        total = sum(weights, ball(0))
        return log(total), [weight / total for weight in weights]
    # Exponential noise: above the largest score m, P(max <= m + y) is the product of 1 - w_a e^-y.
    best = max(range(3), key=lambda a: float(scores[a].mid()))
    one, two, three = (exp(score - scores[best]) for score in scores)
    pairs, triple = one * two + one * three + two * three, one * two * three
    value = scores[best] + one + two + three - pairs / 2 + triple / 3 - 1
    law = [weight * (1 - (one + two + three - weight) / 2) + triple / 3 for weight in (one, two, three)]
    law[best] = 1 - sum((law[a] for a in range(3) if a != best), ball(0))
    return value, law


def _three_actions(grid: Grid) -> list[Point]:
    """Return both inequalities for three actions, over all sequences of rounds by their leads."""
    points = []
    for where, kind, gap, epsilon in cells_of(grid, "kind, gap", "epsilon"):
        with precision():
            step, rate = three_steps(kind, gap), ball(epsilon) / 2
            laws: list[Leads] = [{(0, 0): ball(1)}]
            for _ in range(max(grid["r"])):
                law: Leads = {}
                for (a, b), chance in laws[-1].items():
                    for (c, d), more in step.items():
                        law[a + c, b + d] = law.get((a + c, b + d), ball(0)) + chance * more
                laws.append(law)
            for noise in ("gumbel", "exponential"):
                v, lost = [], []
                for law in laws:
                    value, cost = ball(0), ball(0)
                    for (second, third), chance in law.items():
                        surplus_of, selected = three_surplus(noise, (ball(0), -rate * second, -rate * third))
                        value += chance * surplus_of
                        cost += chance * rate * (second * selected[1] + third * selected[2])
                    v.append(value)
                    lost.append(cost)
                for r in grid["r"]:
                    place = {"K": 3, **where, "r": r, "noise": noise}
                    points.append(at_point({**place, "of": "half"}, lost[r] / 2, v[r // 2] - v[r]))
                    points.append(at_point({**place, "of": "round"}, lost[r] / r, v[r - 1] - v[r]))
    return points


def _of_the_library(where: Grid, noise: str, epsilon: float, lengths: list[int]) -> list[Point]:
    """Return how far the library's chances of the worse action are from the closed forms."""
    guarantee = PureDP(epsilon, "central")
    leader = DyadicLeader(2, guarantee, rng=rng_for(0), selection=noise)  # type: ignore[arg-type]
    points = []
    for r in lengths:
        ahead = np.arange(-r, r + 1.0)
        computed = leader.law(np.stack([ahead, np.zeros_like(ahead)], axis=1))[:, 1]
        with precision():
            exact = [chance(noise, ball(epsilon) / 2, lead) for lead in range(-r, r + 1)]
            wrong = largest(abs(ball(float(one)) - true) for one, true in zip(computed, exact, strict=True))
            points.append(
                at_point({**where, "r": r, "noise": noise, "of": "library"}, wrong, ball(_ROUNDING))
            )
    return points
