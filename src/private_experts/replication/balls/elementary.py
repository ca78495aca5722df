"""Exponentials, also of imaginary numbers, and logarithms of many floats at once, with a proved error.

All look up the value at a point nearby, rounded from a ball, and go on with a polynomial. The distance to
that point is exact [Sterbenz 1974]. Horner's rule of degree n is off by at most ``gamma_2n`` times the sum of
the sizes of its terms [Higham 2002, Section 5.1].
"""

import functools

import numpy as np
from numpy.typing import ArrayLike, NDArray

from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, exp, log, precision
from private_experts.replication.balls.sums import floats

EXP_STEPS = 20  # an exponential is as far off as after so many roundings
TURNED = 16  # the largest angle, and a little less in the other direction
_LEAST = -700  # below there are exponentials that are too small for a float
_PARTS = 64  # points for each unit of exponents
_SHIFT = 6  # binary digits of _PARTS
_AT_ONCE = 8192  # exponents, so that all passes over them stay in the processor's cache
_CELLS = 128  # for mantissas
_UNIT = 2.0**-53
_TAYLOR = [1 / 5040, 1 / 720, 1 / 120, 1 / 24, 1 / 6, 0.5, 1.0, 1.0]
_COSINE = [-1 / 720, 1 / 24, -0.5, 1.0]
_SINE = [-1 / 5040, 1 / 120, -1 / 6, 1.0]
_MERCATOR = [-1 / 8, 1 / 7, -1 / 6, 1 / 5, -0.25, 1 / 3, -0.5, 1.0]


def exps(x: ArrayLike) -> Array:
    """Return e to the power of floats from -700 to 1, each off by at most ``gamma(EXP_STEPS)``, relative.

    From a multiple of 1/64 it is at most 1/128, so degree 7 leaves out less than 2^-70, and terms add up to
    ``e^(2 r)`` times the sum. Horner's rule and coefficients are 15 roundings, the value at the point (two
    tables) and products four more.
    """
    exponents = np.asarray(x, dtype=np.float64)
    if exponents.size and not (exponents.min() >= _LEAST and exponents.max() <= 1):
        raise ValueError(
            f"exponents from {exponents.min()} to {exponents.max()}: the table has those from {_LEAST} to 1"
        )
    result = np.empty(exponents.shape)
    flat, into = exponents.reshape(-1), result.reshape(-1)
    for start in range(0, flat.size, _AT_ONCE):
        into[start : start + _AT_ONCE] = _some_exps(flat[start : start + _AT_ONCE])
    return result


def _some_exps(exponents: Array) -> Array:
    # A multiple of 1/64 near x differs from it exactly, by Sterbenz: the only error is in what is looked up.
    nearest = np.rint(exponents * _PARTS)
    away = np.asarray(exponents - nearest / _PARTS)
    parts = nearest.astype(np.int64)
    of_whole, of_part = _points()
    # Quotient and remainder by 64, also of negative numbers.
    result: Array = (
        of_whole[(parts >> _SHIFT) - _LEAST] * of_part[parts & (_PARTS - 1)] * _horner(_TAYLOR, away)
    )
    return result


def turns(x: ArrayLike) -> NDArray[np.complex128]:
    """Return e to the power of i x for floats x from -16 to 16, each off by at most ``gamma(EXP_STEPS)``.

    Polynomials leave out less than 2^-70, and all terms but the 1 of the cosine add up to less than 0.008, so
    both are off by less than two units; the value at the point by one, and the complex product by three.
    [Higham 2002, Lemma 3.5]
    """
    angles = np.asarray(x, dtype=np.float64)
    if angles.size and not np.abs(angles).max() <= TURNED:
        raise ValueError(f"angles from {angles.min()} to {angles.max()}: the table has those up to {TURNED}")
    nearest = np.rint(angles * _PARTS)
    away = np.asarray(angles - nearest / _PARTS)
    squares = away * away
    # Sine and cosine of a small angle by even and odd terms, so that the 1 is added last.
    near_one = _horner(_COSINE, squares) + 1j * (away * _horner(_SINE, squares))
    result: NDArray[np.complex128] = _circle()[nearest.astype(np.int64) + TURNED * _PARTS] * near_one
    return result


def logs(x: ArrayLike) -> tuple[Array, Ball]:
    """Return the logarithms of positive floats, and by how much they are off at most, absolute.

    A float is ``m 2^e``; with c the middle of m's cell, ``log m = log c + log(1 + t)`` and ``|t| <= 1/128``.
    Degree 8 leaves out less than 2^-65, roundings of terms less than a fifth of a unit; log c, e log 2 and
    sums ``1 + 2 |e| + 2 (|e| + 1)``.
    """
    numbers = np.asarray(x, dtype=np.float64)
    if numbers.size and not (numbers.min() >= 2.0**-1000 and numbers.max() < np.inf):
        raise ValueError(
            f"logarithms of numbers from {numbers.min()} to {numbers.max()}: they must be positive and normal"
        )
    mantissa, exponent = np.frexp(numbers)
    cell = np.floor(mantissa * _CELLS)
    # The middle of a cell: distances are at most half of its width.
    centre = (cell + 0.5) / _CELLS
    away = (mantissa - centre) / centre
    of_centres, two = _centres()
    result: Array = (exponent * two + of_centres[cell.astype(np.int64) - _CELLS // 2]) + away * _horner(
        _MERCATOR, away
    )
    return result, ball(5 * _UNIT) * (int(np.abs(exponent).max(initial=0)) + 1)


def _horner(coefficients: list[float], x: Array) -> Array:
    result = np.full_like(x, coefficients[0])
    for coefficient in coefficients[1:]:
        result *= x
        result += coefficient
    return result


@functools.cache
def _points() -> tuple[Array, Array]:
    """Return e to the power of whole numbers from -700 to 1, and of 0, 1/64, ..., 63/64."""
    with precision():
        whole, part = range(_LEAST * _PARTS, 2 * _PARTS, _PARTS), range(_PARTS)
        return _nearest([exp(ball(k) / _PARTS) for k in whole]), _nearest(
            [exp(ball(k) / _PARTS) for k in part]
        )


@functools.cache
def _circle() -> NDArray[np.complex128]:
    """Return e to the power of i k / 64 for whole k, for all angles of the table."""
    with precision():
        angles = [ball(k) / _PARTS for k in range(TURNED * _PARTS + 1)]
        # Negative angles by conjugation: the table is symmetric to the last bit.
        ahead = _nearest([x.cos() for x in angles]) + 1j * _nearest([x.sin() for x in angles])
    return np.concatenate([ahead[:0:-1].conj(), ahead])


@functools.cache
def _centres() -> tuple[Array, float]:
    """Return the logarithms of the middles of cells, and of 2."""
    with precision():
        middles = [(ball(k) + 0.5) / _CELLS for k in range(_CELLS // 2, _CELLS)]
        logarithms = _nearest([*map(log, middles), log(ball(2))])
    return logarithms[:-1], float(logarithms[-1])


def _nearest(balls: list[Ball]) -> Array:
    """Return the float next to each ball, which has to be half a unit away at most."""
    nearest, error = floats(balls)
    # The error bounds of all functions here count on it.
    assert error <= 1.001 * _UNIT
    return nearest
