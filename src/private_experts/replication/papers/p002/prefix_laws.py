"""Laws of the random prefix: the paper's, whole blocks, and ones that are tuned between both.

A law draws a prefix of r of a block's L rounds, for r above a share of L, with chances that grow like a power of r. The
regret of softmax selections is linear in their errors, whatever the law. [mathematics/002.md#prefix-laws]
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product

import numpy as np

from private_experts.algorithms.randomized_prefix import RandomizedPrefix
from private_experts.arrays import Array, Indices
from private_experts.replication.balls.balls import Ball, ball, largest, near, precision, smallest
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.balls.sums import floats, rounded
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p002.every_prefix import Errors, error_before, every_softmax_error
from private_experts.replication.papers.p002.softmax_errors import regret, softmax_errors

_TINY = 1e-14  # errors of streams on which they fall count as 0 below it


@dataclass(frozen=True)
class PrefixLaw:
    """A law of the prefix of a block."""

    share: float  # of the block, which is always used
    power: int  # with which chances grow with the length of the prefix

    def shortest(self, length: int) -> int:
        """Return the shortest prefix of a block of so many rounds."""
        return min(int(self.share * length) + 1, length)

    def weights(self, length: int) -> Array:
        """Return numbers to which the chances of the prefixes from the shortest one on are proportional."""
        shares = np.arange(self.shortest(length), length + 1) / length
        return np.multiply.reduce([np.ones_like(shares), *[shares] * self.power])

    def mean(self, errors: Errors, length: int) -> Ball:
        """Return the expected error of a selection from a prefix. A weight has a rounding for each power."""
        weights, values = self.weights(length), errors.values[self.shortest(length) - 1 : length]
        steps = errors.steps + 2 * (self.power + len(weights) + 1)
        return rounded(float(weights @ values / weights.sum()), steps, errors.inputs, errors.lost)

    def factor(self, blocks: int) -> Fraction:
        """Return the largest weight of an error in the regret of so many blocks after the first."""
        of_each = [Fraction(0)] * 2 ** (blocks - 1)
        for m in range(blocks):
            lengths = range(self.shortest(2**m), 2**m + 1)
            total = sum(r**self.power for r in lengths)
            for r in lengths:
                of_each[r - 1] += Fraction(2 ** (m + 1) * r**self.power, total)
        return max(of_each)


PAPERS, WHOLE = PrefixLaw(0.5, 0), PrefixLaw(1.0, 0)
TUNED = PrefixLaw(0.6875, 0)  # what `tuned_prefix` finds among laws that are uniform


class TunedPrefix(RandomizedPrefix):
    """The paper's algorithm with the tuned law of the prefix."""

    STATE = ()

    def shortest_prefix(self, lengths: Indices) -> Indices:
        """Return the length of the shortest prefix that may be used of a block. See `RandomizedPrefix`."""
        return np.array([TUNED.shortest(int(each)) for each in lengths])


@dataclass(frozen=True)
class _Stream:
    """A stream's errors, before any data and after each number of rounds."""

    before: Ball
    errors: Errors

    def regrets(self, law: PrefixLaw, horizons: Sequence[int]) -> list[Ball]:
        """Return the regrets over so many rounds each."""
        lengths = [2**m for m in range(max(horizons).bit_length() - 1)]
        of_blocks = [self.before, *(law.mean(self.errors, length) for length in lengths)]
        return [regret(of_blocks, horizon) for horizon in horizons]


def _streams(cells: Grid, gaps: Sequence[float], most: int) -> list[_Stream]:
    """Return the streams of volatile actions, and those on which errors fall."""
    found = []
    for (steady, volatile, epsilon), spread in product(cells["steady, volatile, epsilon"], cells["spread"]):
        errors = every_softmax_error(epsilon / 2, spread, steady, volatile, dict.fromkeys(gaps, most))
        found += [_Stream(error_before(gap, steady, volatile), errors[gap]) for gap in gaps]
    for (kind, n, gap), epsilon in product(cells["kind, K, gap"], cells["epsilon"]):
        exact = softmax_errors(kind, n, gap, epsilon / 2, most)
        kept, off = floats([each for each in exact if near(each) > _TINY])  # they fall, so these are the first ones
        values = np.concatenate([kept, np.zeros(most - kept.size)])
        found.append(_Stream(ball(gap) * (n - 1) / n, Errors(values, 0, off, ball(2 * _TINY))))
    return found


@dataclass(frozen=True)
class _Race:
    """Streams, horizons, and the smaller of the regrets of the paper's law and of whole blocks."""

    streams: Sequence[_Stream]
    horizons: Sequence[int]
    best: Sequence[Sequence[Ball]]

    @classmethod
    def of(cls, streams: Sequence[_Stream], horizons: Sequence[int]) -> "_Race":
        pairs = ((each.regrets(PAPERS, horizons), each.regrets(WHOLE, horizons)) for each in streams)
        return cls(streams, horizons, [[smallest(both) for both in zip(*pair, strict=True)] for pair in pairs])

    def worst(self, law: PrefixLaw) -> Ball:
        """Return the largest quotient of a law's regret and the better one's."""
        quotients = []
        for stream, least in zip(self.streams, self.best, strict=True):
            regrets = stream.regrets(law, self.horizons)
            quotients += [ours / better for ours, better in zip(regrets, least, strict=True)]
        return largest(quotients)


def tuned_prefix(grid: Grid) -> list[Point]:
    """A law that is tuned on some streams is never far behind the better of both others, on other streams.

    The paper's law and whole blocks are. And no law has a smaller factor of the sum of all errors than the paper's.
    """
    horizons, blocks, points = grid["T"], grid["blocks"], []
    families = [[PrefixLaw(*each) for each in family] for family in grid["families"]]
    most = 2 ** (max(horizons).bit_length() - 2)
    with precision():
        tuning, trial = (
            _Race.of(_streams(grid[side], grid["gap"], most), horizons) for side in ("tuned on", "tried on")
        )
        chosen = [min(family, key=lambda law: near(tuning.worst(law))) for family in families]
        limit = ball(grid["factor"])
        for law in (PAPERS, WHOLE, *chosen):
            where = {"share": law.share, "power": law.power, "of": "worst quotient"}
            notes, sense = {"tuned_on": near(tuning.worst(law))}, "<=" if law in chosen else ">="
            points.append(at_point(where, trial.worst(law), limit, notes, sense))  # type: ignore[arg-type]
        for law in (PAPERS, *chosen):
            factor, where = law.factor(blocks), {"share": law.share, "power": law.power}
            value, least = ball(factor.numerator) / factor.denominator, 4 - ball(2) ** (2 - blocks)
            points.append(at_point({**where, "of": "factor of the sum"}, value, least, sense=">="))
            if law == PAPERS:
                points.append(at_point({**where, "of": "the paper's factor"}, value, ball(4)))
    return points
