"""What a round of P-COMW costs at most on an interval, for two streams that differ in one round, as balls.

Between two kinks a loss is a line, and a Gibbs measure is a part of a Gaussian.
[mathematics/001.md#bent-losses]
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

import numpy as np

from private_experts.arrays import Array
from private_experts.private_oco.losses import random_slopes
from private_experts.replication.balls.balls import Ball, ball, exp, largest, log, near, smallest, upper
from private_experts.replication.balls.piecewise_gaussian import PiecewiseGaussian
from private_experts.replication.balls.piecewise_linear import PiecewiseLinear, exact, line, maximum

HALF = 0.5  # of the interval's length
_ENDS = (-HALF, HALF)
_SURE = 1e-13  # of e^epsilon, relative; Newton's steps end there
_STEPS = 100


def piecewise_losses(name: str, horizon: int, span: float, rng: np.random.Generator) -> list[PiecewiseLinear]:
    """Return the losses that `private_oco.losses` draws, for `span` the largest of the grid's points."""
    if name == "constant":
        return [line(1.0, *_ENDS)] * horizon
    if name == "linear":
        return [line(slope, *_ENDS) for slope in random_slopes(horizon, 1, 1.0, rng)[:, 0].tolist()]
    slopes = {"hinges": random_slopes(3 * horizon, 1, 1.0, rng)}[name] * rng.random((3 * horizon, 1))
    heights = span * rng.uniform(-1, 1, (3 * horizon, 1))
    rows = zip(slopes.reshape(horizon, 3).tolist(), heights.reshape(horizon, 3).tolist(), strict=True)
    return [maximum(*row, *_ENDS) for row in rows]


@dataclass(frozen=True)
class Lottery:
    """A lottery keeps with chance ``(1 - p) exp(v - log Phi)``, v the clipped logarithm of the ratio."""

    log_phi: Ball
    p: Ball

    def keep(self, ratio: Ball) -> Ball:
        """Return the probability of keeping, by the logarithm of the ratio."""
        return (1 - self.p) * exp(self._clipped(ratio) - self.log_phi)

    def cost(self, one: Ball, other: Ball) -> Ball:
        """Return how much the logarithms of keeping, or of not keeping, differ for two log-ratios."""
        # What is seen is whether a point was kept, so the worse of the two answers counts.
        of_keeping = abs(self._clipped(one) - self._clipped(other))
        return of_keeping.max(abs(log(1 - self.keep(one)) - log(1 - self.keep(other))))

    def _clipped(self, ratio: Ball) -> Ball:
        return ball(ratio).min(self.log_phi).max(-self.log_phi)


@dataclass(frozen=True)
class Streams:
    """Two streams of losses that differ in one round, x and -x there, and the Gibbs measures by round."""

    losses: tuple[list[PiecewiseLinear], list[PiecewiseLinear]]
    change: int
    beta: Ball
    lam: Ball
    measures: tuple[list[PiecewiseGaussian], list[PiecewiseGaussian]]

    @classmethod
    def of(cls, losses: Sequence[PiecewiseLinear], change: int, beta: Ball, lam: Ball) -> "Streams":
        """Return two such streams, which have the given losses in all other rounds."""
        one, two = ([*losses[:change], line(slope, *_ENDS), *losses[change + 1 :]] for slope in (1.0, -1.0))
        first, second = (
            [
                PiecewiseGaussian(beta * lam, total * -beta)
                for total in accumulate(side[:-1], initial=line(0.0, *_ENDS))
            ]
            for side in (one, two)
        )
        # Up to the change both streams have the same measures: one set of them serves both.
        return cls((one, two), change, beta, lam, (first, [*first[: change + 1], *second[change + 1 :]]))

    def _moved(self, t: int) -> tuple[Ball, Ball]:
        """Return how much the logarithms of both normalisers change when the loss of a round comes in."""
        one, two = (measures[t + 1].log_total - measures[t].log_total for measures in self.measures)
        return one, two

    def first_lottery(self, lottery: Lottery) -> Ball:
        """Return the cost of the lottery after the loss that differs: monotone, so largest at an end."""
        one, two = self._moved(self.change)
        # The losses there are x and -x, so the logarithms of ratios are lines in x.
        ends = [self.beta * sign * HALF for sign in (-1, 1)]
        return largest(lottery.cost(-end - one, end - two) for end in ends)

    def later_lotteries(self, lottery: Lottery) -> Ball:
        """Return the largest cost of later lotteries: the larger logarithm is as near log Phi as it gets."""
        costs = [ball(0)]
        for t in range(self.change + 1, len(self.losses[0]) - 1):
            one, two = self._moved(t)
            top = -smallest([one, two])  # what the larger logarithm has besides the loss
            least = min(map(self.losses[0][t], self.losses[0][t].knots))
            m = lottery.log_phi.min(top - self.beta * least)
            costs.append(lottery.cost(m, m - abs(one - two)))
        return largest(costs)

    def draws(self, delta: float) -> Ball:
        """Return the largest least epsilon for which later draws are (epsilon, delta)-indistinguishable."""
        epsilon = ball(0)
        for t in range(self.change + 1, len(self.losses[0])):
            for side in (0, 1):
                # Only where the largest so far does not suffice is another epsilon sought.
                if not self._excess(t, side, epsilon.upper())[0] <= delta:
                    epsilon = epsilon.max(self._least_epsilon(t, side, delta, upper(epsilon)))
        return epsilon

    def _least_epsilon(self, t: int, side: int, delta: float, low: float) -> Ball:
        """Return a ball around the epsilon at which the excess is delta: by Newton's steps, proved."""
        grown = math.exp(low)
        for _ in range(_STEPS):
            excess, other = map(near, self._excess(t, side, log(ball(grown))))
            # In e^epsilon the excess is convex with slope minus the other chance, so Newton's steps from
            # below never overshoot.
            step = (excess - delta) / other if other > 0 else 0.0
            grown += step
            if not step > _SURE * grown:
                break
        around = [log(ball(grown)) + shift for shift in (-10 * _SURE, 10 * _SURE)]
        first, last = (self._excess(t, side, epsilon)[0] for epsilon in around)
        return around[0].union(around[1]) if first >= delta and last <= delta else ball("nan")

    def _excess(self, t: int, side: int, epsilon: Ball) -> tuple[Ball, Ball]:
        """Return the least delta at an epsilon for a draw, and the other chance of the worst half-line."""
        one, two = (measures[t] for measures in self.measures)
        shift = two.log_total - one.log_total
        place = (
            ((shift + epsilon if side else shift - epsilon) / (2 * self.beta))
            .max(ball(-HALF))
            .min(ball(HALF))
        )
        # The log-ratio of two later measures is a line in x, so by Neyman and Pearson the worst event is a
        # half-line.
        tails = (two.above(place), one.above(place)) if side else (one.below(place), two.below(place))
        tail, other_tail = tails
        return tail - exp(epsilon) * other_tail, other_tail

    def apart(self, lottery: Lottery, places: Array, keep: Array) -> Ball:
        """Return how far a grid's chances to keep (T - 1, points) are off, first and last."""
        exact_places = [exact(x) for x in places.tolist()]
        farthest = ball(0)
        for t in {self.change, len(keep) - 1}:
            loss, total = self.losses[1][t], sum(self.losses[1][:t], line(0.0, *_ENDS))
            before = [exp(-self.beta * (total(x) + self.lam * x * x / 2)) for x in exact_places]
            moved = [-self.beta * loss(x) for x in exact_places]
            after = sum((mass * exp(change) for mass, change in zip(before, moved, strict=True)), ball(0))
            shift = log(after / sum(before, ball(0)))
            keeping = (lottery.keep(change - shift) for change in moved)
            farthest = farthest.max(
                largest(
                    abs(true - computed) for true, computed in zip(keeping, keep[t].tolist(), strict=True)
                )
            )
        return farthest
