"""Functions that are straight between the points of a grid, after normal noise: lines above and below them.

With normal noise Z, in steps, the mean ``E g(x + Z)`` at point i is a mean of the g_j, with weights ``E
tent(Z - j + i)``. Between two points it is above the chord by at most ``sum_j (-c_j)_+ E b(j - i - Z)``, and
below it with ``(c_j)_+``, for bends ``c_j = g_(j-1) - 2 g_j + g_(j+1)`` and ``b(u) = u (1 - u)`` in [0, 1],
else 0. The mean of b is at most 1/6 times the largest density where b is not 0.
[mathematics/000.md#worst-pair]
"""

from dataclasses import dataclass

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, normal_cdf, normal_density, upper
from private_experts.replication.balls.sums import gamma

_REACH = 8  # of the noise, in deviations
_SMALL = 1e-300  # more than all products that are too small for a float are worth


@dataclass(frozen=True)
class Blur:
    """Normal noise on a grid."""

    weights: Array  # (2 k + 1,): of the points up to k steps away; without noise a single 1
    # (2 k,): how far bends move a chord, from k - 1 steps before its first point to k steps after it
    bends: Array
    off: float  # how far all weights are off together, at most, with those that are left out

    def __call__(self, values: Array, side: int) -> Array:
        """Return heights at the points of lines above (side 1) or below (side -1) the mean, to `error`."""
        if not self.bends.size:
            return values
        # Beyond the grid the function is constant.
        padded = np.pad(values, self.bends.size // 2 + 1, mode="edge")
        chords = np.convolve(np.maximum(-side * np.diff(padded, 2), 0.0), self.bends, mode="valid")
        means = np.convolve(padded[1:-1], self.weights, mode="valid")
        # A point belongs to two chords, and its line has to clear both.
        heights: Array = means + side * np.maximum(chords[:-1], chords[1:])
        return heights

    @property
    def growth(self) -> float:
        """How large numbers get on the way, at most, as a multiple of the largest value."""
        return 1.01 * (1 + 4 * float(self.bends.sum()))

    @property
    def error(self) -> float:
        """How far heights are from such lines, at most, as a multiple of the largest value."""
        # A bend's size is four times the largest value; rounding it moves its positive part by no more.
        return 1.01 * (upper(gamma(self.weights.size + 6)) * self.growth + self.off)


def blur(deviation: Ball) -> Blur:
    """Return normal noise with a standard deviation in steps of the grid: 0, or surely positive.

    With ``G(x) = x Phi(x) + phi(x)``, whose second derivative is phi, a weight is a second difference of G.
    Left out is what weighs no more than the tails of the noise, and what bends there add is no more either.
    """
    deviation = ball(deviation)
    if deviation == 0:
        return Blur(np.ones(1), np.zeros(0), 0.0)
    if not deviation > 0:
        raise ValueError(f"a deviation of {deviation}")
    step = 1 / deviation
    k = int(upper(_REACH * deviation)) + 1
    second = [step * j * normal_cdf(step * j) + normal_density(step * j) for j in range(-k - 1, k + 2)]
    true = [
        (before - 2 * here + after) * deviation
        for before, here, after in zip(second[:-2], second[1:-1], second[2:], strict=True)
    ]
    weights = np.array([float(weight.mid()) for weight in true])
    off = sum((abs(weight - float(value)) for weight, value in zip(true, weights, strict=True)), ball(0))
    bends = [upper(step / 6 * normal_density(step * min(abs(j - 1), abs(j)))) for j in range(1 - k, k + 1)]
    return Blur(weights, np.array(bends), upper(off + 4 * normal_cdf(-k * step)) + _SMALL)
