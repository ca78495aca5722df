"""Delta of a play at any epsilon between two bounds, and the least epsilon for a delta. [001, Appendix D]

Fresh draws have two curves: on a grid, where their privacy loss has few values, and on a needle whose edges
are far away, where it is normal but for what is cut off. `smoothed_delta` has that of plays with lotteries.
[mathematics/001.md#bounded-delta]
"""

from typing import Protocol

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    log,
    lower,
    near,
    normal_cdf,
    power,
    sqrt,
    square,
    upper,
)
from private_experts.replication.balls.elementary import EXP_STEPS, exps
from private_experts.replication.balls.sums import gamma
from private_experts.replication.papers.p001.gaussian_gibbs import normal_delta
from private_experts.replication.papers.p001.loss_steps import LossSteps

_MOST = 1e6  # no epsilon is looked for beyond
_WIDER = [0.0, *(3.0**k for k in range(-22, -3))]  # of epsilon, relative; the least that is sure counts
_LEAST = 1e-25  # probabilities below it are left out, and counted


class Delta(Protocol):
    """Delta at any epsilon, between two balls: ``below(epsilon)`` is ``near(epsilon + shift) - lost``."""

    shift: float = 0.0
    lost: float = 0.0
    slack: float = 0.0  # by about how much, relative, both balls are away from the guide otherwise

    def near(self, epsilon: float) -> float:
        """Return delta in floats, as a guide."""
        ...

    def above(self, epsilon: float) -> Ball:
        """Return what delta is at most."""
        ...

    def below(self, epsilon: float) -> Ball:
        """Return what delta is at least."""
        ...


def epsilon_between(curve: Delta, delta: float) -> Ball:
    """Return a ball around the least epsilon, at least 0, at which delta is this, or around all."""
    # The guide only proposes; the first widening at which a ball decides is what counts.
    high = _bisected(curve, delta * (1 - curve.slack))
    low = _bisected(curve, delta * (1 + curve.slack) + curve.lost) - curve.shift
    # Delta falls with epsilon, so a ball below it proves that the least epsilon is no larger.
    most = next(
        (high * (1 + wider) for wider in _WIDER if curve.above(high * (1 + wider)) <= delta), float("inf")
    )
    least = next(
        (low * (1 - wider) for wider in _WIDER if low > 0 and curve.below(low * (1 - wider)) > delta), 0.0
    )
    return between(least, most)


def between(least: float, most: float) -> Ball:
    """Return the ball between two bounds, of which one is wrong unless they are in order; both may be 0."""
    if not (least < most or least == most == 0):
        raise AssertionError(f"epsilon is at least {least} and at most {most}")
    return ball(least, most)


def _bisected(curve: Delta, delta: float) -> float:
    """Return where the guide falls to delta, by bisection."""
    if curve.near(0.0) <= delta:
        return 0.0
    high = next((1e-3 * 2.0**k for k in range(30) if curve.near(1e-3 * 2.0**k) <= delta), _MOST)
    low = 0.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if curve.near(middle) > delta else (low, middle)
    return high


class Lattice(Delta):
    """Delta of fresh draws at any epsilon, between two balls. All losses are 0 until streams differ."""

    def __init__(self, steps: LossSteps) -> None:
        chances, losses = (table[np.abs(steps.fresh.losses).max(axis=1) > 0] for table in steps.fresh)
        rounds, m = chances.shape
        law = np.ones(1)
        for of_round in chances:
            # Losses of the rounds are independent, and all on one lattice, so their sum's law is a
            # convolution.
            law = np.convolve(law, of_round)
            law[law < _LEAST] = 0.0
        places = np.arange(m)
        apart = float(np.mean((losses[:, -1] - losses[:, 0]) / (m - 1)))
        starts = losses[:, :1]
        # How far losses are from equal steps; this is counted as a shift of epsilon.
        uneven = np.abs(losses - (starts + apart * places)).max(axis=1)
        start, size = float(starts.sum()), float(np.abs(losses).max())
        moved = float(uneven.sum()) * (1 + gamma(rounds)) + ball(8 * size * rounds) * gamma(rounds + 4)
        self._moved, self._size = steps.moved + moved, 2 * size * rounds
        self._law, self._losses = law, start + apart * np.arange(law.size)
        self._off = (1 + steps.off) * (1 + gamma((m + 1) * rounds)) - 1
        self._left_out = 2 * ball(_LEAST) * law.size * rounds

    def near(self, epsilon: float) -> float:
        """Return delta in floats, as a guide."""
        return self._sum(epsilon)[0]

    def above(self, epsilon: float) -> Ball:
        """Return what delta is at most."""
        total, error = self._sum(lower(ball(epsilon) - self._off_at(epsilon)))
        return (total + error + self._left_out) / (1 - self._off)

    def below(self, epsilon: float) -> Ball:
        """Return what delta is at least."""
        total, error = self._sum(upper(ball(epsilon) + self._off_at(epsilon)))
        return (total - error) / (1 + self._off)

    def _off_at(self, epsilon: float) -> Ball:
        """Return how far the difference of epsilon and a loss is off, at most; rounding comes last."""
        return self._moved + gamma(2) * (self._size + abs(epsilon))

    def _sum(self, epsilon: float) -> tuple[float, Ball]:
        """Return the mean of ``1 - exp(epsilon - L)`` above 0 in floats, and its error for exact numbers."""
        short = epsilon - self._losses
        above = short < 0
        chances = self._law[above]
        # Only losses above epsilon count, all with positive terms; below -700 e^x is 0 in effect.
        total = float((chances * (1 - exps(short[above].clip(-700.0)))).sum())
        return total, 2 * gamma(chances.size + EXP_STEPS + 4) * float(chances.sum())


class Needle(Delta):
    """Delta of fresh draws on two streams with slopes (2, T), at any epsilon, between two balls."""

    def __init__(self, slopes: Array, beta: float, lam: float, half: float) -> None:
        sums = slopes[:, :-1].cumsum(axis=1)
        self._lam, self._half, self._root = ball(lam), half, sqrt(ball(beta) * lam)
        one, two = sums[:, sums[0] != sums[1]]
        self._sums, self._apart = (
            [ball(total) for total in one.tolist()],
            [ball(gap) for gap in (two - one).tolist()],
        )
        self._variance = sum((square(gap) for gap in self._apart), ball(0)) * beta / lam
        self._log_inside, others = (
            sum((log(1 - self._beyond(-ball(total) / self._lam)) for total in side.tolist()), ball(0))
            for side in (one, two)
        )
        self._moved = others - self._log_inside

    def near(self, epsilon: float) -> float:
        """Return delta in floats, as a guide."""
        return near(self._normal(ball(epsilon) - self._moved))

    def above(self, epsilon: float) -> Ball:
        """Return what delta is at most."""
        return self._normal(ball(epsilon) - self._moved) / exp(self._log_inside)

    def below(self, epsilon: float) -> Ball:
        """Return the least delta: less a bound on what the normal law has beyond the edges, by tilting."""
        # For c > 0, 1 - exp(-v) is at most exp(c v) (c / (c + 1))^c / (c + 1); tilted by it, draws stay
        # normal. The normalising constants differ between the streams, which shifts the loss.
        x = ball(epsilon) - self._moved
        # The exponent c (c + 1) v / 2 - c x is least there; any positive c gives a bound.
        c = ball(max(near(x / self._variance) - 0.5, 1.0))
        tilted = zip(self._sums, self._apart, strict=True)
        outside = sum((self._beyond((c * apart - total) / self._lam) for total, apart in tilted), ball(0))
        left_out = outside * power(c / (c + 1), c) / (c + 1) * exp(self._variance * c * (c + 1) / 2 - c * x)
        return (self._normal(x) - left_out) / exp(self._log_inside)

    def _beyond(self, mean: Ball) -> Ball:
        """Return the mass of a normal draw beyond the edges."""
        return normal_cdf((mean - self._half) * self._root) + normal_cdf((-mean - self._half) * self._root)

    def _normal(self, x: Ball) -> Ball:
        """Return delta of draws without edges, whose loss is normal."""
        return normal_delta(x, sqrt(self._variance))
