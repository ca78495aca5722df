"""Probability measures on many cells, with a proved error: Gibbs measures on the points of a grid.

A cell has a weight e^t, where t is known up to `off` and to a shift of all cells that makes the largest float
0. So the weights add up to at least ``e^-off``. A cell whose float is below -650 has a mass of at most
`LOST`, and is held as 0. Losses, points, beta and lam are taken for the binary numbers that they are; what
sums over rounds have lost is for the caller to say. Several measures on the same cells make one object: the
last axis is that of the cells.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from private_experts.arrays import Array, Bools
from private_experts.replication.balls.balls import Ball, ball, exp, log, near, precision, upper
from private_experts.replication.balls.elementary import EXP_STEPS, exps
from private_experts.replication.balls.sums import NORMAL, gamma, rounded, signed

Balls = Any  # a ball, or an array of balls for several measures

LOST = 1e-282  # the mass of a cell that is held as 0 is at most this: e^-650 is 5.2e-283
_LEAST = -650.0  # below there the exponents are of cells that are lost
_MOST_OFF = 0.01


@dataclass(frozen=True)
class Cells:
    """Probability measures on m cells; the last axis is that of the cells. Errors are relative."""

    exponents: Array  # the largest of each measure is 0
    off: float  # of exponents, apart from a shift of all
    masses: Array  # 0 for cells that are lost
    error: Ball  # of the other masses
    sums: Array  # of the weights, one for each measure
    sums_error: Ball
    shifts: Array  # what was taken from all exponents

    def __getitem__(self, number: Any) -> "Cells":
        """Return one or some of several measures."""
        one = self.exponents[number], self.off, self.masses[number], self.error
        return Cells(*one, self.sums[number], self.sums_error, self.shifts[number])

    @property
    def lost(self) -> Ball:
        """What sums of products with these masses may lose because numbers are small, for factors up to 1."""
        return ball(self.masses.shape[-1]) * (ball(LOST) + NORMAL)


def normalised(exponents: Array, off: Ball | float = 0.0) -> Cells:
    """Return the measures with masses in proportion to e to finite numbers, each off by at most 0.0099."""
    if not np.isfinite(exponents).all():
        raise ValueError("exponents of cells must be finite")
    # The largest weight is then 1, so no sum underflows.
    shifts = exponents.max(axis=-1)
    moved = exponents - shifts[..., None]  # rounded once
    error = upper(ball(off) + gamma(1) * float(-moved.min()) * 1.001)
    # Bounds below replace e^x - 1 by simple multiples, which holds for small errors only.
    if not error <= _MOST_OFF:
        raise ValueError(f"exponents are known up to {error}: masses need {_MOST_OFF}")
    # What is below the table's end is held as 0, and counted as lost.
    weights = np.where(moved >= _LEAST, exps(np.maximum(moved, _LEAST)), 0.0)
    sums = _added(weights)
    m = exponents.shape[-1]
    weight_error = (1 + gamma(EXP_STEPS)) * exp(ball(error)) - 1
    # The sum's own error: that of each weight, of so many additions, and of all cells that were held as 0.
    together = ((1 + weight_error) * (1 + gamma(_additions(m))) - 1 + m * ball(LOST)).upper()
    whole = ((1 + weight_error) * (1 + gamma(1)) / (1 - together) - 1).upper()
    return Cells(moved, error, weights / sums[..., None], whole, sums, together, shifts)


def gibbs(totals: Array, points: Array, beta: float, lam: float, off: Ball | float = 0.0) -> Cells:
    """Return the Gibbs measures of sums of losses, ``exp(-beta (loss + lam/2 |x|^2))`` at points (m, d)."""
    regulariser = 0.5 * lam * (points**2).sum(axis=-1)
    energies = beta * (totals + regulariser)
    # The square of a point has d roundings; the product with lam, the sum and the product with beta make
    # three more. Rounding is relative to the largest terms that are added, not to their difference.
    sizes = float((np.abs(totals).max(axis=tuple(range(totals.ndim - 1))) + regulariser).max())
    return normalised(-energies, ball(beta) * (ball(off) + 1.001 * gamma(points.shape[1] + 3) * sizes))


def mean(law: Cells, values: Array, off: Ball | float = 0.0) -> Balls:
    """Return balls around the means of a function, whose values in the cells may each be off."""
    sizes, steps = np.abs(values), _additions(law.masses.shape[-1]) + 1
    lost, apart = law.lost * max(float(sizes.max()), 1.0), ball(off).upper()

    def around(value: float, magnitude: float) -> Ball:
        return signed(value, magnitude, steps, law.error, lost) + ball(-apart, apart)

    return _each(around, _summed(law, values), _summed(law, sizes))


def mass(law: Cells, where: Bools) -> Balls:
    """Return balls around the masses of a set of cells, or of a set for each measure, by members."""
    steps = _additions(law.masses.shape[-1])
    return _each(
        lambda value: rounded(value, steps, law.error, law.lost), _summed(law, where.astype(np.float64))
    )


def log_sum(law: Cells) -> Balls:
    """Return balls around the log of the sum of weights: of a Gibbs measure the log-partition function."""

    def around(total: float, shift: float) -> Ball:
        return shift + log(ball(total)) - log(_beside_one(law.sums_error))

    return _each(around, law.sums, law.shifts)


def log_moment(law: Cells, values: Array, s: float, off: Ball | float = 0.0) -> Balls:
    """Return balls around ``log E e^(s F)``, for a function F that is given as for `mean`."""
    moved = s * values
    # A moment is a ratio of two partition functions, whose shifts of exponents cancel but for their
    # difference.
    tilted = law.exponents + moved
    largest = float(-law.exponents.min()) + 2 * float(np.abs(moved).max())
    other = normalised(tilted, ball(law.off) + abs(ball(s)) * ball(off) + 1.001 * gamma(2) * largest)
    apart = log(_beside_one(law.sums_error)) - log(_beside_one(other.sums_error))

    def around(total: float, before: float, shift: float) -> Ball:
        return shift + log(ball(total) / ball(before)) + apart

    return _each(around, other.sums, law.sums, other.shifts)


@precision()
def log_ratios(one: Cells, two: Cells) -> tuple[Array, float]:
    """Return the log-ratios of two measures in all cells, lost or not, and their largest error."""
    gaps = one.exponents - two.exponents
    apart = log(_beside_one(two.sums_error)) - log(_beside_one(one.sums_error))
    sums = np.vectorize(lambda after, before: near(log(ball(after) / ball(before))), otypes=[float])(
        two.sums, one.sums
    )
    ratios = np.asarray(gaps + sums[..., None])
    sizes = float(np.abs(gaps).max()) + float(np.abs(sums).max())
    return ratios, upper(ball(one.off) + two.off + abs(apart).upper() + 2.001 * gamma(3) * sizes)


def divergence(one: Cells, two: Cells) -> Balls:
    """Return balls around the divergence KL(one | two): the mean, under the first, of the log-ratio."""
    return mean(one, *log_ratios(one, two))


def beyond(one: Cells, two: Cells, epsilon: float) -> Balls:
    """Return balls around two measures' least delta at an epsilon: the total of ``(p - e^epsilon q)_+``.

    It is the mean under p of ``(1 - e^(epsilon - r))_+``, r the log-ratio, and changes with r by at most as
    much as r does, where r may exceed epsilon. The rounding of ``epsilon - r`` is relative, and ``x e^-x`` is
    below 1.
    """
    ratios, off = log_ratios(one, two)
    values = 1 - exps(np.clip(epsilon - ratios, _LEAST, 0.0))
    apart = ball(off) + gamma(EXP_STEPS + 3)
    # Only where the ratio may exceed epsilon does an error of the ratio move the value.
    near_or_beyond = mass(one, ratios >= epsilon - 2 * off - 1e-15 * abs(epsilon))
    return mean(one, values) + near_or_beyond * ball(-apart.upper(), apart.upper())


def _beside_one(error: Ball) -> Ball:
    return 1 + ball(-error.upper(), error.upper())


def _summed(law: Cells, values: Array) -> Array:
    """Return the sums of products in floats; each product has a rounding besides those of `_added`."""
    return _added(law.masses * values)


def _added(values: Array) -> Array:
    """Return sums over the last axis, by blocks, so that no number has more than `_additions` roundings."""
    size = values.shape[-1]
    # Blocks of the root's size: each number is added some 2 sqrt(m) times, not m times.
    block = math.isqrt(size)
    whole = size // block * block
    blocks = values[..., :whole].reshape(*values.shape[:-1], -1, block)
    return np.asarray(blocks.sum(axis=-1).sum(axis=-1) + values[..., whole:].sum(axis=-1))


def _additions(size: int) -> int:
    """Return how often a number is added at most: ``block - 1`` times in its block, blocks, then the rest."""
    block = math.isqrt(size)
    return block + size // block


def _each(function: Any, *numbers: Array) -> Balls:
    """Apply a function of floats to each measure's numbers."""
    if numbers[0].ndim == 0:
        return function(*map(float, numbers))
    return np.vectorize(lambda *row: function(*map(float, row)), otypes=[object])(*numbers)
