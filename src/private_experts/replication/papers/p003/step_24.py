"""Step (24) of the lower bound when rounds use different channels. [003, Appendix A]"""

import math
from collections.abc import Iterator, Sequence
from itertools import product

import numpy as np
from scipy.stats import binom

from private_experts.distribution_learning.hadamard_response import hadamard
from private_experts.distribution_learning.risk import kl
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    largest,
    log,
    lower,
    near,
    precision,
    sqrt,
    upper,
)
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p003.channels import Pattern, channels, exact_gap, law, reports, row
from private_experts.replication.papers.p003.classes import lower_bound_class, lower_bound_gap
from private_experts.replication.papers.p003.lower_bound import constant, rounds_of

_ROUNDING = 1e-12
# of the counterexample: which pair it is about, and the row that all rounds but the first ask for
_PAIR = _OTHERS = 2


def _shares(total: int, parts: int) -> list[int]:
    """Split a number into parts that differ by at most 1."""
    return [total // parts + (part < total % parts) for part in range(parts)]


def _schedules(
    size: int, epsilon: float, rounds: int, seed: int
) -> Iterator[tuple[str, list[tuple[Pattern, int]]]]:
    """Yield sequences of channels by name, as channels with the numbers of rounds that use them."""
    mixed = [channel for _, channel in channels(size, epsilon, seed)]
    yield "all channels in turn", list(zip(mixed, _shares(rounds, len(mixed)), strict=True))
    rows = [row(size, number) for number in range(1, size)]
    yield "all rows in turn", list(zip(rows, _shares(rounds, len(rows)), strict=True))
    yield "two rows in turn", list(zip(rows[:2], _shares(rounds, 2), strict=True))


def apart(first: Ball, second: Ball, trials: int) -> Ball:
    """Return the total variation of two binomial laws: the largest gap of their distribution functions.

    Where the second probability is larger, the first law is ahead as long as ``k log(p_1 / p_2) + (n - k)
    log(q_1 / q_2)`` is above 0, so up to some k.
    """
    if not trials:
        return ball(0)
    # The distance is symmetric, and the border's formula needs an order.
    if second < first:
        first, second = second, first
    falls, rises = log((1 - first) / (1 - second)), log(second / first)
    border = trials * falls / (falls + rises)
    # The ball of the border may hold a whole number: then both k are tried.
    at = range(max(math.floor(lower(border)), 0), min(math.floor(upper(border)), trials - 1) + 1)
    return largest(_at_most(k, trials, first) - _at_most(k, trials, second) for k in at)


def _at_most(k: int, trials: int, probability: Ball) -> Ball:
    """Return the probability of at most k successes: an incomplete beta function."""
    # A closed form, since a sum of as many balls as trials would be far too slow.
    return (1 - probability).beta_lower(trials - k, k + 1, regularized=True)


def _least(totals: Sequence[Ball]) -> int:
    """Return the pair with the least sum of divergences, as far as floats can tell."""
    return int(np.argmin([near(total) for total in totals]))


def step_24(grid: Grid, seed: int) -> list[Point]:
    """Whatever channels the rounds use, for some pair the laws of all reports are at most sqrt(1/18) apart.

    The pair is the one whose KL divergences have the least sum over the rounds. Where each round asks for a
    sign in one row the total variation is exact; otherwise Pinsker's inequality bounds it. The library's
    divergences are compared with balls.
    """
    points, wrong = [], [ball(0)]
    for size, epsilon, factor in product(grid["N"], grid["eps"], grid["T_over_least"]):
        pairs, eps = size - 1, ball(float(epsilon))
        rounds = rounds_of(pairs, epsilon, factor)
        classes = lower_bound_class(pairs, lower_bound_gap(pairs, rounds, epsilon))
        with precision():
            most, gap = sqrt(1 / ball(18)), exact_gap(pairs, rounds, eps)
            for name, schedule in _schedules(size, epsilon, rounds, seed):
                by_channel = [reports(channel, gap, eps)[0] for channel, _ in schedule]
                counts = [count for _, count in schedule]
                totals = [
                    sum((count * one for count, one in zip(counts, of_pair, strict=True)), ball(0))
                    for of_pair in zip(*by_channel, strict=True)
                ]
                pair = _least(totals)
                for (channel, _), true in zip(schedule, by_channel, strict=True):
                    outputs = classes @ law(channel, epsilon)
                    computed = kl(outputs[::2], outputs[1::2]).tolist()
                    wrong += [abs(one - other) for one, other in zip(computed, true, strict=True)]
                where = {"channels": name, "N": size, "eps": epsilon, "T_over_least": factor}
                notes = {"T": rounds, "pair": pair + 1}
                whole, pinsker = sum(totals, ball(0)), sqrt(totals[pair].nonnegative_part() / 2)
                points.append(at_point({**where, "quantity": "sum of KL"}, whole, ball(pairs) / 9, notes))
                points.append(at_point({**where, "quantity": "Pinsker"}, pinsker, most, notes))
                if name == "all rows in turn":
                    halves = _row_reports(size, pair + 1, pair + 1, gap, eps)
                    value = apart(*halves, schedule[pair][1])
                    points.append(at_point({**where, "quantity": "total variation"}, value, most, notes))
    place = {"channels": "all", "N": 0, "eps": 0.0, "T_over_least": 0, "quantity": "KL, library"}
    return [*points, at_point(place, largest(wrong), ball(_ROUNDING))]


def _row_reports(size: int, pair: int, reported: int, gap: Ball, epsilon: Ball) -> tuple[Ball, Ball]:
    """Return P(+) of a report about the sign in a row, for the two halves of a pair.

    The label has the sign + with probability (1 - s) / 2 and (1 - s + a s) / 2; s is the mean of products of
    both rows.
    """
    signs = hadamard(size)
    same = ball(int(np.rint(signs[pair] @ signs[reported]))) / size
    truth = 1 / (1 + exp(-epsilon))
    first, second = (
        truth * plus + (1 - truth) * (1 - plus) for plus in ((1 - same) / 2, (1 - same + gap * same) / 2)
    )
    return first, second


def _reports(pairs: int, rounds: int, epsilon: Ball) -> tuple[Ball, Ball]:
    """Return P(+) of a report about the sign in row `_OTHERS`, for both halves of the second pair."""
    return _row_reports(2 ** pairs.bit_length(), _PAIR, _OTHERS, exact_gap(pairs, rounds, epsilon), epsilon)


def _chance(trials: int, k: int, probability: Ball) -> Ball:
    """Return the probability of k successes."""
    # By logarithms, as the binomial coefficients are huge.
    choose = ball(trials + 1).lgamma() - ball(k + 1).lgamma() - ball(trials - k + 1).lgamma()
    return exp(choose + k * log(probability) + (trials - k) * log(1 - probability))


def _event(trials: int, first: Ball, second: Ball) -> Ball:
    """Return how much likelier an event is under the second law of reports: at most the total variation."""
    one, two = (binom.pmf(np.arange(trials + 1), trials, near(chance)) for chance in (first, second))
    # Any event bounds the distance from below, so floats may choose it, and unlikely numbers may be left out.
    numbers = np.flatnonzero((two > one) & (two > 1e-12))
    return sum((_chance(trials, int(k), second) - _chance(trials, int(k), first) for k in numbers), ball(0))


def step_24_printed(grid: Grid) -> list[Point]:
    """A pair that the channel of one round cannot tell apart, and all other rounds can.

    The first round asks for a sign in row 1, all others in row 2. The second pair has a divergence of 0 in
    the first round, because rows are orthogonal, so it satisfies the inequality before (24). The value is a
    lower bound on the total variation, in ball arithmetic.
    """
    points = []
    for where, size, epsilon, factor in cells_of(grid, "N", "eps", "T_over_least"):
        pairs = size - 1
        rounds = rounds_of(pairs, epsilon, factor)
        gap = lower_bound_gap(pairs, rounds, epsilon)
        first = float(kl(*(lower_bound_class(pairs, gap)[2:4] @ law(row(size, 1), epsilon))))
        assert first <= gap**2 * constant(epsilon) * math.exp(epsilon) / (2 * pairs)
        with precision():
            value = _event(rounds - 1, *_reports(pairs, rounds, ball(epsilon)))
            notes = {"T": rounds, "KL_of_the_first_round": first}
            points.append(at_point(where, value, ball(1) / 3, notes))
    return points
