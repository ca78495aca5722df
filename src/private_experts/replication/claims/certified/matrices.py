"""Matrices of balls: the largest entry, and the leading eigenvalue.

A matrix is Arb's. One of floats is taken for the binary numbers that they are. Where there are many, or where they are
large, floats do the work, and what rounding may have done is bounded.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from private_experts.replication.claims.certified.balls import Ball, ball, flint, largest, smallest, upper
from private_experts.replication.claims.certified.sums import gamma

Array = NDArray[np.float64]
Matrix = Any  # flint.arb_mat


def matrix(rows: ArrayLike) -> Matrix:
    """Return a matrix of numbers that are exact as they stand."""
    return flint().arb_mat(np.asarray(rows, dtype=np.float64).tolist())


def largest_entry(m: Matrix) -> Ball:
    """Return the largest size of an entry."""
    return largest(abs(entry) for entry in m.entries())


def centred(m: Matrix) -> Matrix:
    """Return ``P m P`` with ``P = I - 1 1'/n``."""
    n = m.nrows()
    projection = matrix(n * np.eye(n) - 1) / n
    return projection * m * projection


def leading(m: Matrix) -> Ball:
    """Return the leading eigenvalue of a symmetric matrix.

    Take any V, here eigenvectors as computed in floating point, with ``G = V'V`` and ``A = V'mV``. The eigenvalue is at
    least every Rayleigh quotient ``A_ii / G_ii``. The largest eigenvalue of A is at most its largest diagonal entry and
    the Frobenius norm of what is off the diagonal together, and G's smallest is bounded likewise. If the latter is
    above 0, then V is a basis, and no eigenvalue of m is above their ratio, or above 0.
    """
    middle = np.array([float(entry) for entry in m.entries()]).reshape(m.nrows(), -1)
    vectors = matrix(np.linalg.eigh(middle)[1])
    gram, along = (vectors.transpose() * each for each in (vectors, m * vectors))
    of_gram, of_along = ([each[i, i] for i in range(m.nrows())] for each in (gram, along))
    basis = smallest(of_gram) - _beside(gram, of_gram)
    most = largest([ball(0), largest(of_along) + _beside(along, of_along)])
    least = largest(one / other for one, other in zip(of_along, of_gram, strict=True))
    return least.union(most / basis) if basis > 0 else flint().arb.nan()


def leadings(stack: Array) -> tuple[Array, Array]:
    """Return floats between which the leading eigenvalues of many symmetric matrices surely lie, as `leading` does.

    It is computed in floats. An entry of V'V and of V'mV is a sum of products with at most 2n + 1 roundings each. So
    its error is at most gamma times the product of the norms of two columns, and of the matrix. All norms here are
    Frobenius norms, and one percent more covers their own rounding.

    Parameters
    ----------
    stack : ndarray, shape (..., n, n)
        Symmetric matrices, taken for the binary numbers that they are, of entries neither huge nor tiny.
    """
    n = stack.shape[-1]
    vectors = np.linalg.eigh(stack)[1]
    turned = np.swapaxes(vectors, -1, -2)
    gram, along = turned @ vectors, turned @ (stack @ vectors)
    rounding = 1.01 * upper(gamma(2 * n + 1)) * np.square(vectors).sum(axis=(-2, -1))
    off_gram, off_along = rounding, rounding * np.sqrt(np.square(stack).sum(axis=(-2, -1)))
    of_gram, of_along = (np.diagonal(each, axis1=-2, axis2=-1) for each in (gram, along))
    beside = [_beside_diagonal(each) + n * off for each, off in ((gram, off_gram), (along, off_along))]
    basis = of_gram.min(axis=-1) - off_gram - beside[0]
    most = np.maximum(of_along.max(axis=-1) + off_along + beside[1], 0.0) / np.where(basis > 0, basis, np.nan)
    below = of_along - off_along[..., None]
    least = (below / (of_gram + np.copysign(off_gram[..., None], below))).max(axis=-1)
    return least - 1e-15 * np.abs(least), most * (1 + 1e-15)


def _beside_diagonal(stack: Array) -> Array:
    """Return bounds on the Frobenius norms of what is off the diagonals."""
    beside = stack * (1 - np.eye(stack.shape[-1]))
    return np.asarray(1.01 * np.sqrt(np.square(beside).sum(axis=(-2, -1))))


def _beside(m: Matrix, diagonal: list[Ball]) -> Ball:
    """Return a bound on the Frobenius norm of what is off the diagonal."""
    squares = sum((entry * entry for entry in m.entries()), ball(0)) - sum((each * each for each in diagonal), ball(0))
    return squares.upper().sqrt()


def told(shifts: Matrix, covariance: Matrix) -> list[Ball]:
    """Return ``d' C^-1 d`` for each column d: the square of the level at which it shifts a Gaussian vector."""
    solved = (shifts.transpose() * covariance.solve(shifts)).tolist()
    return [row[place] for place, row in enumerate(solved)]
