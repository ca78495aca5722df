"""What a round of P-COMW costs at most on an interval, for two streams that differ in one round, as balls.

[mathematics/001.md#bent-losses]
"""

import functools
import math
import operator
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, exp, largest, log, near, smallest, square, upper
from private_experts.replication.papers.p001.bent import HALF, Bent, Measure, line

_SURE = 1e-13  # of e^epsilon, relative; Newton's steps end there
_STEPS = 100


@dataclass(frozen=True)
class Lottery:
    """A lottery keeps with the probability ``(1 - p) exp(v - log Phi)``, v the clipped logarithm of the ratio."""

    log_phi: Ball
    p: Ball

    def keep(self, ratio: Ball) -> Ball:
        """Return the probability of keeping, by the logarithm of the ratio."""
        return (1 - self.p) * exp(self._clipped(ratio) - self.log_phi)

    def cost(self, one: Ball, other: Ball) -> Ball:
        """Return by how much the logarithms of keeping, or of not keeping, differ for two logarithms of ratios."""
        kept = abs(self._clipped(one) - self._clipped(other))
        return kept.max(abs(log(1 - self.keep(one)) - log(1 - self.keep(other))))

    def _clipped(self, ratio: Ball) -> Ball:
        return ball(ratio).min(self.log_phi).max(-self.log_phi)


@dataclass(frozen=True)
class Streams:
    """Two streams of losses that differ in one round, x and -x there, and the Gibbs measures before each round."""

    losses: tuple[list[Bent], list[Bent]]
    change: int
    beta: Ball
    lam: Ball
    measures: tuple[list[Measure], list[Measure]]

    @classmethod
    def of(cls, losses: Sequence[Bent], change: int, beta: Ball, lam: Ball) -> "Streams":
        """Return two such streams, which have the given losses in all other rounds."""
        one, two = ([*losses[:change], line(slope), *losses[change + 1 :]] for slope in (1.0, -1.0))
        first = [Measure(total, beta, lam) for total in accumulate(one[:-1], initial=line(0.0))]
        later = [*accumulate(two[:-1], initial=line(0.0))][change + 1 :]
        second = [*first[: change + 1], *(Measure(total, beta, lam) for total in later)]
        return cls((one, two), change, beta, lam, (first, second))

    def _moved(self, t: int) -> tuple[Ball, Ball]:
        """Return how much the logarithms of both normalisers change when the loss of a round comes in."""
        one, two = (measures[t + 1].log_whole - measures[t].log_whole for measures in self.measures)
        return one, two

    def first_lottery(self, lottery: Lottery) -> Ball:
        """Return the cost of the lottery after the loss that differs, which is largest at an end, as it is monotone."""
        one, two = self._moved(self.change)
        ends = [self.beta * each * HALF for each in (-1, 1)]
        return largest(lottery.cost(-end - one, end - two) for end in ends)

    def later_lotteries(self, lottery: Lottery) -> Ball:
        """Return the largest cost of later lotteries: where the larger logarithm is as near to log Phi as it gets."""
        costs = [ball(0)]
        for t in range(self.change + 1, len(self.losses[0]) - 1):
            one, two = self._moved(t)
            top = -smallest([one, two])  # what the larger logarithm has besides the loss
            m = lottery.log_phi.min(top - self.beta * self.losses[0][t].least())
            costs.append(lottery.cost(m, m - abs(one - two)))
        return largest(costs)

    def draws(self, delta: float) -> Ball:
        """Return the largest of the least epsilon for which later draws are (epsilon, delta)-indistinguishable."""
        found = ball(0)
        for t in range(self.change + 1, len(self.losses[0])):
            for side in (0, 1):
                if not self._excess(t, side, found.upper())[0] <= delta:
                    found = found.max(self._least_epsilon(t, side, delta, upper(found)))
        return found

    def _least_epsilon(self, t: int, side: int, delta: float, low: float) -> Ball:
        """Return a ball around the epsilon at which the excess is delta: found by Newton's steps, and proved."""
        grown = math.exp(low)
        for _ in range(_STEPS):
            excess, other = map(near, self._excess(t, side, log(ball(grown))))
            step = (excess - delta) / other if other > 0 else 0.0
            grown += step
            if not step > _SURE * grown:
                break
        around = [log(ball(grown)) + shift for shift in (-10 * _SURE, 10 * _SURE)]
        first, last = (self._excess(t, side, epsilon)[0] for epsilon in around)
        return around[0].union(around[1]) if first >= delta and last <= delta else ball("nan")

    def _excess(self, t: int, side: int, epsilon: Ball) -> tuple[Ball, Ball]:
        """Return the least delta at an epsilon for a draw, and the other chance of the worst event, a half-line."""
        one, two = (measures[t] for measures in self.measures)
        shift = two.log_whole - one.log_whole
        place = ((shift + epsilon if side else shift - epsilon) / (2 * self.beta)).max(ball(-HALF)).min(ball(HALF))
        chances = [measure.beyond(place, side) for measure in ((two, one) if side else (one, two))]
        return chances[0] - exp(epsilon) * chances[1], chances[1]

    def apart(self, lottery: Lottery, places: Array, keep: Array) -> Ball:
        """Return how far a grid's probabilities of keeping (T - 1, points) are off, in the first lottery and last."""
        held = [ball(x) for x in places.tolist()]
        found = ball(0)
        for t in {self.change, len(keep) - 1}:
            loss, total = self.losses[1][t], functools.reduce(operator.add, self.losses[1][:t], line(0.0))
            before = [exp(-self.beta * (total(x) + self.lam * square(x) / 2)) for x in held]
            moved = [-self.beta * loss(x) for x in held]
            after = sum(map(operator.mul, before, map(exp, moved)), ball(0))
            shift = log(after / sum(before, ball(0)))
            kept = (lottery.keep(each - shift) for each in moved)
            found = found.max(largest(abs(true - each) for true, each in zip(kept, keep[t].tolist(), strict=True)))
        return found
