"""For which epsilon regret is sub-linear, by kind of adversary. [mathematics/004.md#e004-13]"""

import math

from private_experts.algorithms.dartboard_parameters import theorem_2_regret
from private_experts.algorithms.dartboard_privacy import dartboard_epsilon
from private_experts.algorithms.sequence_weights import count_sequences
from private_experts.algorithms.switching_softmax import rate_within
from private_experts.privacy.guarantees import ApproximateDP
from private_experts.replication.balls.balls import Ball, ball, exp, expm1, log, precision, sqrt
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p004.tracker import batched

_BITS = 80
FORCED = 0.15  # the share of rounds that every algorithm loses at the threshold, by theorem-5-1
_HALF = 0.5


def right_by_noise(law: str, rounds: Ball, n: int, level: float) -> Ball:
    """Return what bounds the chance of the expert that was best in so many rounds, of n, in all of them.

    Its noisy losses alone tell of it, and each of them is private at a level of 1/n of the vector's for
    Laplace noise, and of the root of that for Gaussian noise.
    """
    if law == "laplace":
        return exp(rounds * level / n) / n
    return 1 / ball(n) + sqrt(expm1(rounds * level**2 / n) / n)


@precision(_BITS)
def noisy_share_printed(grid: Grid) -> list[Point]:
    """Algorithm 3, with noise for its level, loses less than half of the rounds, at any step."""
    points = []
    for where, law, horizon, switches, level in cells_of(grid, "noise", "T", "S", "level"):
        n, phase = 2 * horizon // switches, ball(horizon) / (switches + 1)
        lost = 1 - right_by_noise(law, phase, n, level)
        points.append(at_point({**where, "N": n}, lost, ball(_HALF), trivial=1.0))
    return points


@precision(_BITS)
def softmax_adaptive(grid: Grid) -> list[Point]:
    """The softmax over sequences loses less to every adaptive adversary than all lose at the threshold.

    Its law is a function of past losses, so that the bound for fixed streams is one for adaptive adversaries.
    Lazy is uniform play.
    """
    points = []
    for where, horizon, switches, epsilon in cells_of(grid, "T", "S", "epsilon"):
        n, delta = 8 * horizon // (switches + 1), 1e-3 / horizon
        rate, _ = rate_within("softmax", ApproximateDP(epsilon, delta, "central"), horizon)
        sequences = log(ball(count_sequences(horizon, n, switches)))
        lost = sequences / (ball(rate) * horizon) + ball(rate) / 8
        times = epsilon * math.sqrt(horizon / switches)
        points.append(
            at_point(
                {**where, "N": n},
                lost,
                ball(FORCED),
                {"times_threshold": times},
                trivial=1.0,
                lazy=1 - 1 / n,
            )
        )
    return points


def contrast(horizon: int, switches: int) -> tuple[Ball, Ball]:
    """Return the terms of Theorem B.2 at its best step, and of Corollary 4.1.1, as shares of the rounds.

    They are without constants, where Theorem 5.1 is about them: for ``N = 2 T / S`` experts, at ``epsilon =
    sqrt(S / T)`` and ``delta = ((S + 1) / T)^3``.
    """
    T, S = ball(horizon), ball(switches)
    level, size = sqrt(S / T), log(2 * T**2 / S)
    # eta T log^2 / epsilon^2 + S log / eta is least where both are equal.
    adaptive = 2 * sqrt(S * T * size**3) / level + S * size / level
    oblivious = sqrt(S * T * size) + S * exp(log(T) / 3) * log(T**4 / (S + 1) ** 3) * size * exp(
        -2 * log(level) / 3
    )
    return adaptive / T, oblivious / T


@precision(_BITS)
def contrast_printed(grid: Grid) -> list[Point]:
    """At the threshold the terms of Theorem B.2 add up to less than the rounds."""
    return [
        at_point(where, contrast(horizon, switches)[0], ball(1))
        for where, horizon, switches in cells_of(grid, "T", "S")
    ]


@precision(_BITS)
def contrast_mended(grid: Grid) -> list[Point]:
    """At the threshold the terms of Corollary 4.1.1 do."""
    return [
        at_point(where, contrast(horizon, switches)[1], ball(1))
        for where, horizon, switches in cells_of(grid, "T", "S")
    ]


@precision(_BITS)
def shifting_separation(grid: Grid) -> list[Point]:
    """At the threshold the batched tracker loses less to oblivious streams than all lose to an adaptive one.

    Batches are as long as its step allows. Lazy is uniform play.
    """
    points = []
    for where, horizon, switches in cells_of(grid, "T", "S"):
        phase = horizon // (switches + 1)
        epsilon, delta, n = math.sqrt((switches + 1) / horizon), 1e-3 / phase, 8 * phase
        batch = 2 ** int(math.log2(40 / epsilon))
        eta, p, budget, _ = batched(horizon, epsilon, delta, batch)
        sequences = count_sequences(-(-horizon // batch), n, switches)
        proved = ball(theorem_2_regret(eta, p, horizon, sequences, batch)) + batch * switches
        level = dartboard_epsilon(eta, p, budget, delta, batch)
        place = {**where, "N": n}
        points.append(
            at_point({**place, "what": "regret"}, proved / horizon, ball(FORCED), trivial=1.0, lazy=1 - 1 / n)
        )
        points.append(at_point({**place, "what": "epsilon"}, ball(level), ball(epsilon)))
    return points
