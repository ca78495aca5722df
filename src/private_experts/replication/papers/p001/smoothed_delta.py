"""Bounds on delta of a play of P-COMW, from moments ``E exp(s L)`` of its privacy loss L. [001, Appendix D]

Delta is their integral along a vertical line. Normal noise N of variance v and mean v/2 makes them fall off;
delta only grows, as ``E exp(-N) = 1``, and by no more than a shift and a tail of N.
[mathematics/001.md#bounded-delta]
"""

import functools
import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, exp, flint, normal_cdf, pi, power, square
from private_experts.replication.balls.elementary import EXP_STEPS, exps, turns
from private_experts.replication.balls.sums import NORMAL, compound, gamma
from private_experts.replication.papers.p001.loss_steps import LossSteps, Step

Complex = NDArray[np.complex128]

_NODES = 32  # at a time
_FINE = 4  # so many nodes up to as far as the abscissa is from 0
_REACH = 4  # standard deviations of the noise's transform: where nodes end
_SQUARINGS = 6  # of exponentials, whose table ends at 1
_FURTHER = 1.6  # times the abscissa: where a moment bounds delta at larger epsilons
_PRODUCT = 3  # units, by which a product of complex floats is off at most [Higham 2002, Lemma 3.5]


class Moments(NamedTuple):
    """Moments ``E exp(s L)`` at ``s = abscissa + i k step`` for k from 0 on, and their errors at most."""

    values: Complex
    error: Ball


class Smoothed:
    """Delta of a play with lotteries, between two balls that are near each other where it is near `delta`."""

    def __init__(self, steps: LossSteps, delta: float, noise: float) -> None:
        self._steps = steps
        self._c, level = _saddle(steps, delta)
        self._step, self._noise = self._c / _FINE, noise * level
        count = math.ceil(_REACH / (self._noise * self._step))
        self._moments = moments(steps, self._c, self._step, count)
        self.shift, self.lost, self.slack = 5.5 * self._noise, 2e-8, 1e-3  # q, and about P(N > q)
        s = self._c + 1j * self._step * np.arange(count)
        self._nodes, factors = s, np.exp(self._noise**2 * s * (s + 1) / 2) / (s * (s + 1))
        self._floats = (
            self._moments.values * factors * np.where(np.arange(count) > 0, 2, 1) * self._step / (2 * math.pi)
        )

    def near(self, epsilon: float) -> float:
        """Return delta of L + N in floats, as a guide."""
        return float((self._floats * np.exp(-self._nodes * epsilon)).real.sum())

    def above(self, epsilon: float) -> Ball:
        """Return what delta is at most."""
        total, rest = self._sum(ball(epsilon) - self._steps.moved)
        return (total + rest) / (1 - self._steps.off)

    def below(self, epsilon: float) -> Ball:
        """Return what delta is at least."""
        x = ball(epsilon) + self._steps.moved + self.shift
        total, rest = self._sum(x)
        tail = normal_cdf((square(ball(self._noise)) / 2 - self.shift) / self._noise)
        return (total - rest - self._aliases(x)) / (1 + self._steps.off) - tail

    def _sum(self, x: Ball) -> tuple[Ball, Ball]:
        """Return the sum over the nodes, and what those that are left out add at most."""
        package, c, step = flint(), ball(self._c), ball(self._step)
        total, off = ball(0), self._moments.error.upper()
        spread = ball(-off, off)
        for k, (factor, value) in enumerate(zip(self._factors, self._moments.values.tolist(), strict=True)):
            moment = package.acb(ball(value.real) + spread, ball(value.imag) + spread)
            turned = package.acb(0, -x * (k * step)).exp()
            total += (moment * factor * turned).real
        shrunk, height = exp(-c * x), (len(self._factors) - 1) * step
        most = (ball(float(self._moments.values[0].real)) + off) * exp(self._variance / 2 * c * (c + 1))
        rest = most * exp(-self._variance / 2 * square(height)) / height / pi()
        return total * shrunk * step / pi(), rest * shrunk

    def _aliases(self, x: Ball) -> Ball:
        """Return what delta at other epsilons adds to the sum over all nodes, at most."""
        period = 2 * pi() / self._step
        smaller = (1 + self._steps.off) / (exp(self._c * period) - 1)
        further = ball(_FURTHER * self._c)
        moment = moments(self._steps, _FURTHER * self._c, 0.0, 1)
        most = (ball(float(moment.values[0].real)) + moment.error) * exp(
            self._variance / 2 * further * (further + 1)
        )
        chernoff = power(further / (further + 1), further) / (further + 1) * most * exp(-further * x)
        return smaller + chernoff / (exp((further - self._c) * period) - 1)

    @functools.cached_property
    def _variance(self) -> Ball:
        return square(ball(self._noise))

    @functools.cached_property
    def _factors(self) -> list[Ball]:
        """What the moments are multiplied by, but for what depends on epsilon; the first node counts half."""
        package, c, step = flint(), ball(self._c), ball(self._step)
        nodes = [package.acb(c, k * step) for k in range(len(self._nodes))]
        factors = [(self._variance / 2 * s * (s + 1)).exp() / (s * (s + 1)) for s in nodes]
        return [factors[0] / 2, *factors[1:]]


def _saddle(steps: LossSteps, delta: float) -> tuple[float, float]:
    """Return about where the integrand is least, and the deviation of a normal loss as large there."""
    c, z = 1.0, 3.0
    for _ in range(3):
        grown = math.log(float(moments(steps, c, 0.0, 1).values[0].real))
        # A normal loss of level l has log E exp(c L) = l^2 c (c + 1) / 2.
        level = max(math.sqrt(2 * max(grown, 0.0) / (c * (c + 1))), 1e-9)
        for _ in range(5):
            z = math.sqrt(2 * max(math.log(level / (2.5 * z * z * delta)), 0.5))
        c = z / level
    return c, level


def moments(steps: LossSteps, abscissa: float, step: float, count: int) -> Moments:
    """Return moments along a vertical line: sums over paths of chances and losses, as floats have them."""
    kinds = [_powers(kind, abscissa, step) for kind in (steps.fresh, steps.keep, steps.leave)]
    rounds, m = steps.fresh.chances.shape
    fresh, keep, leave = (np.abs(first) for first, _, _ in kinds)
    drawn, left = fresh.sum(axis=1), leave.max(axis=1)
    growth = (
        max(1.0, drawn[0])
        * np.maximum.reduce([keep.max(axis=1) + left * drawn[1:], left, drawn[1:], np.ones_like(left)]).prod()
    )
    values = np.empty(count, dtype=np.complex128)
    ahead = [_multiplied(ratio, min(count, _NODES)) for _, ratio, _ in kinds]
    heads = [first.astype(np.complex128) for first, _, _ in kinds]
    for start in range(0, count, _NODES):
        many = min(count - start, _NODES)
        new, stay, go = (powers[:many] * head for powers, head in zip(ahead, heads, strict=True))
        moment = new[:, 0]
        for t in range(rounds - 1):
            left = (moment * go[:, t]).sum(axis=1, keepdims=True)
            moment = moment * stay[:, t] + left * new[:, t + 1]
        values[start : start + many] = moment.sum(axis=1)
        heads = [
            powers[-1] * ratio * head for powers, (_, ratio, _), head in zip(ahead, kinds, heads, strict=True)
        ]
    inputs = functools.reduce(lambda one, other: one.max(other), (error for _, _, error in kinds))
    unit = gamma(1)
    power_error = (1 + inputs) ** (count + 1) * (1 + _PRODUCT * unit) ** (2 * count + 1) - 1
    error = (1 + compound(power_error, 2 * rounds - 1)) * (1 + _PRODUCT * unit) ** (3 * rounds)
    error = error * (1 + gamma((m + 1) * rounds)) - 1
    lost = NORMAL * ball(float(growth)) * 40 * m * rounds * (count + 3)
    first = (ball(float(values[0].real)) + lost) / (1 - error) if error < 1 else ball(math.inf)
    return Moments(values, error * first + lost)


def _powers(kind: Step, abscissa: float, step: float) -> tuple[Array, Complex, Ball]:
    """Return ``p exp(abscissa L)``, ``exp(i step L)``, and how far each of them is off at most, relative."""
    tilts, angles = abscissa * kind.losses, step * kind.losses
    # Squared again afterwards, as the table of exponentials ends at 1.
    tilted = exps(tilts / 2**_SQUARINGS)
    for _ in range(_SQUARINGS):
        tilted *= tilted
    largest = ball(float(np.abs(tilts).max(initial=0)))
    root = compound(gamma(EXP_STEPS), 2**_SQUARINGS)
    of_tilt = (1 + root) * (1 + gamma(2**_SQUARINGS + 1)) * exp(gamma(1) * largest) - 1
    of_angle = gamma(EXP_STEPS) + gamma(1) * ball(float(np.abs(angles).max(initial=0)))
    return kind.chances * tilted, turns(angles), of_tilt.max(of_angle)


def _multiplied(ratio: Complex, count: int) -> Complex:
    """Return the powers 0 to count - 1 of a ratio; the k-th is off by k times its error and 2 k products."""
    powers = np.empty((count, *ratio.shape), dtype=np.complex128)
    powers[0], known = 1, 1
    # By doubling: few large products in place of many small ones.
    while known < count:
        more = min(known, count - known)
        np.multiply(powers[:more], powers[known - 1] * ratio, out=powers[known : known + more])
        known += more
    return powers
