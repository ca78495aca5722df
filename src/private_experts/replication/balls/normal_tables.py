"""The normal law at many floats, with a proved error: Taylor polynomials with coefficients from balls.

The range is cut into cells, with a polynomial about each centre and a remainder: the next coefficient
somewhere in the cell, times a power of the distance d. In floats each number takes part in at most three
roundings a term: two of a power, and a product and a sum. Integrals over the line of products are trapezoidal
sums, whose error `trapezoidal` bounds.
"""

import functools
import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array, Ints
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    exp,
    flint,
    largest,
    near,
    normal_cdf,
    normal_density,
    pi,
    precision,
    upper,
)
from private_experts.replication.balls.sums import gamma

WIDTH = 2.0**-5  # of a cell, and the least step of `Table.rows`
_TERMS = 12
_FAR = 2.0**62  # cells away, which int64 holds
_HALF = 0.51 * WIDTH  # of a cell: a float next to a border may be taken for its neighbour's


@dataclass(frozen=True)
class Table:
    """A positive function of floats, by coefficients (cells + 2, terms); first and last row for beyond."""

    coefficients: Array
    low: float  # the lower end of the range
    off: Ball  # the relative error inside the range, and above it
    lost: float  # where the table says 0, the function is at most this, also if the argument was rounded
    steep: float  # by how much more than its argument the function changes, relative, at most

    def error(self, steps: int = 0) -> Ball:
        """Return the relative error for arguments that are off by so many roundings themselves."""
        return (1 + self.off) * exp(self.steep * gamma(steps) * 1.001) - 1

    def __call__(self, x: ArrayLike) -> Array:
        """Return the function at some floats, elementwise."""
        numbers = np.asarray(x, dtype=np.float64)
        cell = self._cell(numbers)
        away = np.asarray(numbers - self._centre(cell))
        coefficients = self.coefficients[np.clip(cell + 1, 0, len(self.coefficients) - 1)]
        # Beyond the range the function is a constant, whatever the distance to the centre is.
        away[(cell < 0) | (cell >= len(self.coefficients) - 2)] = 0.0
        result: Array = coefficients[..., -1].copy()
        for k in range(_TERMS - 2, -1, -1):
            result *= away
            result += coefficients[..., k]
        return result

    def rows(self, starts: Array, count: int, stride: int = 1) -> Array:
        """Return the function (starts, count) at ``start + k stride WIDTH``, by one product of matrices."""
        cell = self._cell(starts)
        powers = np.cumprod(
            np.vstack([np.ones_like(starts), *[starts - self._centre(cell)] * (_TERMS - 1)]), axis=0
        )
        # Steps are multiples of a cell: all places have one distance to their centres, and one product gives
        # all cells.
        values = self.coefficients @ powers  # (cells + 2, starts)
        values[0], values[-1] = self.coefficients[0, 0], self.coefficients[-1, 0]
        places = np.clip(cell[:, None] + 1 + stride * np.arange(count), 0, len(self.coefficients) - 1)
        result: Array = values[places, np.arange(starts.size)[:, None]]
        return result

    def _cell(self, x: Array) -> Ints:
        if np.isnan(x).any():
            raise ValueError("a table has no value for what is no number")
        # Cut before the conversion: infinity is no integer.
        place = np.clip((x - self.low) / WIDTH, -_FAR, _FAR)
        return np.asarray(np.floor(place)).astype(np.int64)

    def _centre(self, cell: Ints) -> Array:
        return np.asarray(self.low + (cell + 0.5) * WIDTH)  # exact: a small multiple of a power of 2


def table(
    function: Callable[[Ball], Ball], low: float, high: float, above: float = 0.0, steep: float = math.inf
) -> Table:
    """Make the table of a function that is 0 below the range, up to what is lost, and constant above."""
    rows, errors = [], []
    with precision(terms=_TERMS + 1):
        series = flint().arb_series
        reach = [ball(_HALF) ** k for k in range(_TERMS + 1)]
        for centre in np.arange(low + WIDTH / 2, high, WIDTH).tolist():
            true = function(series([centre, 1]))
            coefficients = [near(true[k]) for k in range(_TERMS)]
            cell = ball(centre - _HALF, centre + _HALF)
            # Rounding of Horner's rule is relative to the sum of the sizes of its terms, not to the value.
            sizes = sum(
                (
                    abs(ball(coefficient)) * power
                    for coefficient, power in zip(coefficients, reach, strict=False)
                ),
                ball(0),
            )
            apart = sum((abs(true[k] - coefficients[k]) * reach[k] for k in range(_TERMS)), ball(0))
            # Taylor's remainder: the next coefficient somewhere in the cell, so over a ball that holds all of
            # it.
            rest = abs(function(series([cell, 1]))[_TERMS]) * reach[_TERMS]
            errors.append((gamma(3 * _TERMS) * sizes + apart + rest) / function(cell).lower())
            rows.append(coefficients)
        beside = [[above if k == 0 and side else 0.0 for k in range(_TERMS)] for side in (0, 1)]
        end = function(ball(high))
        if above:
            errors.append(abs(above / end - 1))
        lost = 1.001 * upper(function(ball(low)) if above else largest([function(ball(low)), end]))
        return Table(np.array([beside[0], *rows, beside[1]]), low, largest(errors).upper(), lost, steep)


@functools.cache
def cdf() -> Table:
    """Return the table of the standard normal distribution function: 0 below -12, and 1 above 9."""
    # below 0 its slope is at most (1 + |x|) times its value
    return table(normal_cdf, -12.0, 9.0, 1.0, 12.0 * 13.0)


@functools.cache
def density() -> Table:
    """Return the table of the standard normal density, which is 0 further than 12 from 0."""
    return table(normal_density, -12.0, 12.0, 0.0, 12.0 * 12.0)


def stride(factors: int) -> int:
    """Return how many cells a step of the trapezoidal rule may take, for so many factors, to 1e-12 or so."""
    # Sharper products of more factors need finer steps, by the root of their number.
    return max(1, int(0.8 / factors**0.5 / WIDTH))


def trapezoidal(factors: int, cells: int, size: Ball = 1) -> Ball:
    """Return the trapezoidal rule's error for a product of normal densities and tails of integral `size`.

    With step h it is off by at most ``2 M / (e^(2 pi a / h) - 1)`` if the integral of ``|f(x + ib)|`` is at
    most M for all ``|b| < a``. [Trefethen and Weideman 2014, Theorem 5.1] A factor, shifted or not, grows by
    at most ``e^(b^2 / 2)``.
    """
    step = ball(cells) * WIDTH
    height = 2 * pi() / (factors * step)  # where the bound is least
    return 2 * size * exp(factors * height * height / 2) / (exp(2 * pi() * height / step) - 1)
