"""Functions that are straight between the points of a grid, after normal noise: lines above and below them.

Let g be straight between points that are a step apart, and constant beyond the last ones. Where it bends, its slope
changes by ``c_j = g_(j-1) - 2 g_j + g_(j+1)`` per step. With normal noise Z, in steps, its mean ``E g(x + Z)`` at point
i is a mean of the g_j, with weights ``E tent(Z - j + i)`` for ``tent(z) = (1 - |z|)_+``.

Between two points the mean is not straight. For one value of Z, a bend that lies u of the way from the one to the other
puts g below their chord by at most ``c_j u (1 - u)``. So above the chord from point i to i + 1 the mean is by at most
``sum_j (-c_j)_+ E b(j - i - Z)``, and below it by at most the same sum with ``(c_j)_+``. Here b(u) is ``u (1 - u)`` in
[0, 1], and else 0. Its integral is 1/6, so its mean is at most that times the largest density where it is not 0. If
both ends of each chord are moved by as much, the lines lie above the mean, or below it. [mathematics/000.md#worst-pair]
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
    """Normal noise on a grid.

    - `weights`, shape (2 k + 1,): Of the points up to k steps away; without noise a single 1.
    - `bends`, shape (2 k,): How far bends move a chord, from k - 1 steps before its first point to k steps after it.
    - `off`: How far all weights are off together, at most, with those that are left out.
    """

    weights: Array
    bends: Array
    off: float

    def __call__(self, values: Array, side: int) -> Array:
        """Return heights at the points of lines that lie above (side 1) or below (side -1) the mean.

        - `values`, shape (points,): The function at the points of the grid; it is straight between them and constant
          beyond.
        - `side`: 1 or -1.
        - returns ndarray, shape (points,): To `error` of the largest value.
        """
        if not self.bends.size:
            return values
        padded = np.pad(values, self.bends.size // 2 + 1, mode="edge")
        chords = np.convolve(np.maximum(-side * np.diff(padded, 2), 0.0), self.bends, mode="valid")
        means = np.convolve(padded[1:-1], self.weights, mode="valid")
        heights: Array = means + side * np.maximum(chords[:-1], chords[1:])
        return heights

    @property
    def growth(self) -> float:
        """How large numbers get on the way, at most, as a multiple of the largest value."""
        return 1.01 * (1 + 4 * float(self.bends.sum()))

    @property
    def error(self) -> float:
        """How far heights are from such lines, at most, as a multiple of the largest value.

        A sum of products has as many roundings as terms, at most, and a bend's size four times the largest value.
        Rounding it moves its positive part by no more.
        """
        return 1.01 * (upper(gamma(self.weights.size + 6)) * self.growth + self.off)


def blur(deviation: Ball) -> Blur:
    """Return normal noise with a standard deviation in steps of the grid.

    With ``G(x) = x Phi(x) + phi(x)``, whose second derivative is phi, a weight is a second difference of G. Left out is
    what weighs no more than the tails of the noise, and what bends there add is no more either.

    - `deviation`: 0, or surely positive.
    - raises `ValueError`: If it is neither.
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
    weights = np.array([float(each.mid()) for each in true])
    off = sum((abs(each - float(value)) for each, value in zip(true, weights, strict=True)), ball(0))
    bends = [upper(step / 6 * normal_density(step * min(abs(j - 1), abs(j)))) for j in range(1 - k, k + 1)]
    return Blur(weights, np.array(bends), upper(off + 4 * normal_cdf(-k * step)) + _SMALL)
