"""Dynamic regret as static regret against all sequences of experts with few switches. [004, Theorem 4.1]"""

import math
from collections.abc import Iterator, Sequence
from itertools import accumulate, product

import numpy as np

from private_experts.algorithms.sequence_weights import count_sequences
from private_experts.algorithms.switching_softmax import SwitchingSoftmax, softmax_regret_bound
from private_experts.arrays import Array, Indices
from private_experts.games.regret import best_total
from private_experts.games.streams import STREAMS, equal_gaps, shifting
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, exp, largest, log, precision
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p004.sequence_laws import switching_sequences

_BITS = 80


def printed_count(horizon: int, n: int, switches: int) -> int:
    """Return the paper's number of meta-experts, which counts sequences with idle switches several times."""
    return sum(math.comb(horizon, c) * n ** (c + 1) for c in range(switches + 1))


def sequences(grid: Grid) -> list[Point]:
    """There are sum_c C(T - 1, c) N (N - 1)^c sequences with at most S switches, within (NT)^(2S) for S >= 1.

    The count is compared with a list of all sequences. The bound is compared, in logarithms, with the paper's
    own larger count.
    """
    points = []
    for horizon, n, switches in grid["listed"]:
        everyone = np.indices((n,) * horizon).reshape(horizon, -1)
        # All n^T sequences, so that neither the formula nor the library's list is taken on trust.
        few = int(((everyone[1:] != everyone[:-1]).sum(axis=0) <= switches).sum())
        listed = len(np.unique(switching_sequences(horizon, n, switches), axis=0))
        difference = abs(count_sequences(horizon, n, switches) - few) + abs(listed - few)
        where = {"what": "count", "T": horizon, "N": n, "S": switches}
        points.append(at_point(where, ball(difference), ball(0)))  # whole numbers, without rounding
    for horizon, n, switches in product(grid["T"], grid["N"], grid["S"]):
        where, count = {"T": horizon, "N": n, "S": switches}, printed_count(horizon, n, switches)
        if not switches:  # E004-6: the bound is 1 there, and each of the experts is a sequence
            points.append(
                at_point({"what": "above the bound", **where}, ball(count - 1), ball(1), sense=">=")
            )
        elif switches < horizon:
            with precision():
                most = 2 * switches * log(ball(n * horizon))
                points.append(at_point({"what": "bound", **where}, log(ball(count)), most))
    return points


def listed_laws(every: Indices, losses: Array, rate: float) -> Iterator[list[Ball]]:
    """Yield the law of each round's expert under the exponential mechanism over a list of sequences."""
    weights = [ball(1)] * len(every)
    for row, experts in zip(losses.tolist(), every.T.tolist(), strict=True):
        shares = [ball(0)] * len(row)
        for expert, weight in zip(experts, weights, strict=True):
            # Grouped by the present expert: the law of a play is a marginal of that of sequences.
            shares[expert] += weight
        total = sum(shares, ball(0))
        yield [share / total for share in shares]
        factors = [exp(-rate * ball(loss)) for loss in row]
        weights = [weight * factors[expert] for expert, weight in zip(experts, weights, strict=True)]


def _apart(computed: Array, exact: Sequence[Ball]) -> Ball:
    """Return the largest distance of probabilities as computed from exact ones."""
    return largest(abs(one - other) for one, other in zip(computed.tolist(), exact, strict=True))


def _softmax(n: int, horizon: int, switches: int, rate: float, seed: int) -> SwitchingSoftmax:
    """Return the program at a rate, whatever it promises."""
    guarantee, rng = PureDP(math.inf, "central"), rng_for(seed, "unused")
    return SwitchingSoftmax(n, guarantee, horizon=horizon, switches=switches, rate=rate, rng=rng)


@precision(_BITS)
def softmax_law(grid: Grid, seed: int) -> list[Point]:
    """Dynamic programming gives the exact law of the exponential mechanism over sequences, in every round.

    The law of a list of all sequences is computed in ball arithmetic.
    """
    points = []
    for horizon, n, switches in grid["games"]:
        losses = rng_for(seed, "softmax law", horizon, n, switches).random((horizon, n))
        every, off = switching_sequences(horizon, n, switches), []
        for rate in grid["rate"]:
            algorithm = _softmax(n, horizon, switches, rate, seed)
            for row, listed in zip(losses, listed_laws(every, losses, rate), strict=True):
                off.append(_apart(algorithm.law[0], listed))
                algorithm.update(1 - row)
        where = {"T": horizon, "N": n, "S": switches, "sequences": len(every)}
        points.append(at_point(where, largest(off), ball(grid["tolerance"])))
    return points


def exact_laws(gains: Array, switches: int, rate: Ball) -> Iterator[list[Ball]]:
    """Yield each round's law under the exponential mechanism over all sequences with few switches."""
    horizon, n = gains.shape
    # By switches made and present expert: the past matters through these alone, so T and n stay polynomial.
    # weights by switches made and present expert
    past = [[ball(int(made == 0))] * n for made in range(switches + 1)]
    for left, row in zip(range(horizon - 1, -1, -1), gains.tolist(), strict=True):
        # How many ways to go on with the switches that are left; future losses are not known and weigh
        # nothing.
        ways = list(accumulate(math.comb(left, c) * (n - 1) ** c for c in range(switches + 1)))
        shares = [
            sum((weight * more for weight, more in zip(weights, ways[::-1], strict=True)), ball(0))
            for weights in zip(*past, strict=True)
        ]
        total = sum(shares, ball(0))
        yield [share / total for share in shares]
        factors = [exp(-rate * (1 - ball(gain))) for gain in row]
        stay = [
            [weight * factor for weight, factor in zip(weights, factors, strict=True)] for weights in past
        ]
        # A switch adds to the count, so the last row's weights cannot switch any more.
        arrived = [[ball(0)] * n, *map(_of_others, stay[:-1])]
        past = [
            [one + other for one, other in zip(*pair, strict=True)]
            for pair in zip(stay, arrived, strict=True)
        ]


def _of_others(weights: Sequence[Ball]) -> list[Ball]:
    """Return for each weight the sum of all others: from left and right, as differences lose digits."""
    left = list(accumulate(weights, initial=ball(0)))
    right = list(accumulate(reversed(weights), initial=ball(0)))[::-1]
    return [before + after for before, after in zip(left[:-1], right[1:], strict=True)]


def reduction_bound(sequences: int, horizon: int, rate: Ball) -> Ball:
    """Return ``log |E| / rate + rate T / 8``."""
    return log(ball(sequences)) / rate + rate * horizon / 8


@precision(_BITS)
def theorem_4_1(grid: Grid, seed: int) -> list[Point]:
    """Multiplicative weights over sequences E have dynamic regret at most log |E| / rate + rate T / 8.

    The regret is computed in ball arithmetic from the exact law of every round, on fixed streams. The
    program's law and bound are compared with these. Lazy is uniform play.
    """
    points, laws, bounds = [], [], []
    for where, name, n, horizon, switches in cells_of(grid, "stream", "N", "T", "S"):
        sequences = count_sequences(horizon, n, switches)
        rate = math.sqrt(8 * math.log(sequences) / horizon)
        gains = _stream(name, n, horizon, switches, seed)
        algorithm = _softmax(n, horizon, switches, rate, seed)
        own = ball(0)
        for row, law in zip(gains, exact_laws(gains, switches, ball(rate)), strict=True):
            laws.append(_apart(algorithm.law[0], law))
            own += sum((chance * gain for chance, gain in zip(law, row.tolist(), strict=True)), ball(0))
            algorithm.update(row)
        assert np.isin(gains, (0, 1)).all()  # so that totals are whole numbers
        best = float(best_total(gains, switches))
        most = reduction_bound(sequences, horizon, ball(rate))
        bounds.append(abs(softmax_regret_bound(n, horizon, switches, rate) / most - 1))
        lazy = best - float(gains.mean(axis=1).sum())
        points.append(at_point(where, best - own, most, trivial=float(horizon), lazy=lazy))
    for name, differences in {"any: program's law": laws, "any: program's bound": bounds}.items():
        where = {"stream": name, "N": 0, "T": 0, "S": 0}
        points.append(at_point(where, largest(differences), ball(grid["tolerance"])))
    return points


def _stream(name: str, n: int, horizon: int, switches: int, seed: int) -> Array:
    if name in STREAMS:
        return STREAMS[name](horizon, n)
    stream = shifting("independent", equal_gaps(n, 0.5), horizon, switches)
    rng = rng_for(seed, "theorem 4.1", n, horizon, switches)
    return np.concatenate([chunk[:, 0] for chunk in stream.chunks(1, rng)])
