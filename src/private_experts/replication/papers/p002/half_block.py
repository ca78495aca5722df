"""What a selection costs is what the expected largest noisy score loses in the block's second half.

There are two actions here, whose gains are 0 or 1, and the noise is Gumbel's, Laplace's or exponential. All
expectations are finite sums of closed forms. [mathematics/002.md#half-block]
"""

from collections.abc import Callable, Iterable

import numpy as np

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, exp, largest, log1p, precision
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
    points, lengths = [], grid["r"]
    for where, kind, gap, epsilon in cells_of(grid, "kind, gap", "epsilon"):
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
