"""Step (24) of the lower bound when rounds use different channels, and the arithmetic after it. [003, Appendix A]

[mathematics/003.md#step-24] [mathematics/003.md#lower-bound-chain]
"""

import math
from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln, xlog1py, xlogy

from private_experts.distributions.classes import hadamard, lower_bound_class, lower_bound_gap
from private_experts.distributions.risk import kl, total_variation
from private_experts.replication.claims.certified.balls import (
    Ball,
    ball,
    exp,
    expm1,
    log,
    near,
    precision,
    sqrt,
    square,
)
from private_experts.replication.claims.certified.boxes import at_point
from private_experts.replication.claims.checks.paper_003.lower_bound import channels, constant
from private_experts.replication.claims.evidence import Point

Array = NDArray[np.float64]
Grid = Mapping[str, Any]

_MOST = math.sqrt(1 / 18)
_ROUNDING = 1e-12
_PAIR, _OTHERS = (
    2,
    2,
)  # of the counterexample: which pair it is about, and the row that all rounds but the first ask for


def _row(size: int, row: int, epsilon: float) -> Array:
    """Return the channel that reports the label's sign in one row by randomised response, shape (N, 2)."""
    truth = 1 / (1 + math.exp(-epsilon))
    plus = np.where(hadamard(size)[row] > 0, truth, 1 - truth)
    return np.stack([plus, 1 - plus], axis=1)


def _shares(total: int, parts: int) -> list[int]:
    """Split a number into parts that differ by at most 1."""
    return [total // parts + (part < total % parts) for part in range(parts)]


def _schedules(size: int, epsilon: float, rounds: int, seed: int) -> Iterator[tuple[str, list[tuple[Array, int]]]]:
    """Yield sequences of channels by name, as channels with the numbers of rounds that use them."""
    mixed = [channel for _, channel in channels(size, epsilon, seed)]
    yield "all channels in turn", list(zip(mixed, _shares(rounds, len(mixed)), strict=True))
    rows = [_row(size, row, epsilon) for row in range(1, size)]
    yield "all rows in turn", list(zip(rows, _shares(rounds, len(rows)), strict=True))
    yield "two rows in turn", list(zip(rows[:2], _shares(rounds, 2), strict=True))


def _binomial(trials: int, probability: float) -> Array:
    """Return the binomial law, shape (trials + 1,)."""
    k = np.arange(trials + 1)
    choose = gammaln(trials + 1) - gammaln(k + 1) - gammaln(trials - k + 1)
    return np.asarray(np.exp(choose + xlogy(k, probability) + xlog1py(trials - k, -probability)))


def _apart(channel: Array, pair: Array, rounds: int) -> float:
    """Return the exact total variation of the laws of so many binary reports, for the two halves of a pair."""
    first, second = (pair @ channel)[:, 0]
    return float(total_variation(_binomial(rounds, first), _binomial(rounds, second)))


def _least(totals: Array) -> int:
    """Return the pair with the least sum of divergences."""
    return int(totals.argmin())


def step_24(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Whatever channels the rounds use, for some pair the laws of all reports are at most sqrt(1/18) apart.

    The pair is the one whose KL divergences have the least sum over the rounds. Where each round asks for a sign in
    one row the total variation is exact; otherwise Pinsker's inequality bounds it.
    """
    points = []
    for size, epsilon, factor in product(grid["N"], grid["eps"], grid["T_over_least"]):
        pairs = size - 1
        rounds = math.ceil(pairs / (9 * constant(epsilon) * math.exp(epsilon)) * factor)
        classes = lower_bound_class(pairs, lower_bound_gap(pairs, rounds, epsilon))
        for name, schedule in _schedules(size, epsilon, rounds, seed):
            each = [kl(*((classes @ channel)[half::2] for half in (0, 1))) for channel, _ in schedule]
            totals = np.array([count for _, count in schedule]) @ np.array(each)
            pair = _least(totals)
            where = {"channels": name, "N": size, "eps": epsilon, "T_over_least": factor}
            notes = {"T": rounds, "pair": pair + 1}
            points.append(Point({**where, "quantity": "sum of KL"}, float(totals.sum()), pairs / 9, notes=notes))
            bound = Point({**where, "quantity": "Pinsker"}, math.sqrt(max(totals[pair], 0.0) / 2), _MOST, notes=notes)
            points.append(bound)
            if name == "all rows in turn":
                halves = classes[2 * pair : 2 * pair + 2]
                exact = _apart(schedule[pair][0], halves, schedule[pair][1])
                points.append(Point({**where, "quantity": "total variation"}, exact, _MOST, notes=notes))
    return points


def _reports(pairs: int, rounds: int, epsilon: Ball) -> tuple[Ball, Ball]:
    """Return P(+) of a report about the sign in row `_OTHERS`, for the halves p_{2,1} and p_{2,2} of the second pair.

    The label has the sign + with probability (1 - s) / 2 and (1 - s + a s) / 2, where s is the mean of the products of
    the signs in both rows. The report tells the truth with probability e^eps / (1 + e^eps).
    """
    size = 2 ** pairs.bit_length()
    signs = hadamard(size)
    same = ball(int(np.rint(signs[_PAIR] @ signs[_OTHERS]))) / size
    gap = sqrt(pairs / (9 * rounds * square(expm1(epsilon)).min(1) * exp(epsilon)))
    truth = 1 / (1 + exp(-epsilon))
    return tuple(truth * plus + (1 - truth) * (1 - plus) for plus in ((1 - same) / 2, (1 - same + gap * same) / 2))


def _chance(trials: int, k: int, probability: Ball) -> Ball:
    """Return the probability of k successes."""
    choose = ball(trials + 1).lgamma() - ball(k + 1).lgamma() - ball(trials - k + 1).lgamma()
    return exp(choose + k * log(probability) + (trials - k) * log(1 - probability))


def _event(trials: int, first: Ball, second: Ball) -> Ball:
    """Return how much likelier an event is under the second law of reports: at most the total variation.

    The event is made of numbers of reports. Any event will do, so rounding may choose it.
    """
    one, two = (_binomial(trials, near(each)) for each in (first, second))
    numbers = np.flatnonzero((two > one) & (two > 1e-12))
    return sum((_chance(trials, int(k), second) - _chance(trials, int(k), first) for k in numbers), ball(0))


def step_24_printed(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """A pair that the channel of one round cannot tell apart, and all other rounds can.

    The first round asks for a sign in row 1, all others in row 2. The second pair has a divergence of 0 in the first
    round, because rows are orthogonal, so it satisfies the inequality before (24). The value is a lower bound on the
    total variation, in ball arithmetic. [mathematics/003.md#step-24]
    """
    points = []
    for size, epsilon, factor in product(grid["N"], grid["eps"], grid["T_over_least"]):
        pairs = size - 1
        rounds = math.ceil(pairs / (9 * constant(epsilon) * math.exp(epsilon)) * factor)
        gap = lower_bound_gap(pairs, rounds, epsilon)
        first = float(kl(*(lower_bound_class(pairs, gap)[2:4] @ _row(size, 1, epsilon))))
        assert first <= gap**2 * constant(epsilon) * math.exp(epsilon) / (2 * pairs)
        where = {"N": size, "eps": epsilon, "T_over_least": factor}
        with precision():
            value = _event(rounds - 1, *_reports(pairs, rounds, ball(epsilon)))
            notes = {"T": rounds, "KL_of_the_first_round": first}
            points.append(at_point(where, value, ball(1) / 3, notes))
    return points


def after_24(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Steps (25) and (18) follow from (24) by arithmetic.

    (25): every test between the halves errs, on average over the two, with probability at least (1 - TV) / 2. (18): a
    prediction with a KL divergence of at most a / 33 from one half is farther than that from the other half, because
    one of the two divergences is at least a / 16. So it tells the halves apart. One half is farther away than a / 33
    with probability at least 1/3.
    """
    error = (1 - _MOST) / 2
    points = [Point({"step": "(25)", "a": 0.0}, error, 1 / 3, sense=">=")]
    for gap in grid["a"]:
        points.append(Point({"step": "one half is far", "a": gap}, gap / 16, gap / 33, sense=">="))
        points.append(Point({"step": "(18)", "a": gap}, gap / 33 * min(error, 1 / 3), gap / 132, sense=">="))
    return points
