"""Matrices of balls: the largest entry, and the leading eigenvalue. Floats are taken as they are."""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, flint, largest, smallest, upper
from private_experts.replication.balls.sums import gamma

Matrix = Any  # flint.arb_mat

_TINY = 1e-130  # products of such numbers, and of their roundings, are far from what floats cannot hold


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
    """Return the leading eigenvalue of a symmetric matrix m, which no Rayleigh quotient is above.

    With V as eigenvectors as computed, ``G = V'V`` and ``A = V'mV``: the largest eigenvalue of A is at most
    its largest diagonal entry and the Frobenius norm of the rest, G's smallest is bounded likewise, and their
    ratio bounds m's, or 0 does.
    """
    middle = np.array([float(entry) for entry in m.entries()]).reshape(m.nrows(), -1)
    vectors = matrix(np.linalg.eigh(middle)[1])
    # Computed eigenvectors are not orthogonal to the last bit, so their Gram matrix has to be bounded as
    # well.
    gram, along = (vectors.transpose() * product for product in (vectors, m * vectors))
    of_gram, of_along = ([product[i, i] for i in range(m.nrows())] for product in (gram, along))
    basis = smallest(of_gram) - _beside(gram, of_gram)
    # 0, as for a negative matrix the ratio of the bounds would go the wrong way.
    most = largest([ball(0), largest(of_along) + _beside(along, of_along)])
    least = largest(one / other for one, other in zip(of_along, of_gram, strict=True))
    # Without a positive lower bound the computed vectors might not even be independent.
    return least.union(most / basis) if basis > 0 else flint().arb.nan()


def leadings(stack: Array) -> tuple[Array, Array]:
    """Return floats between which leading eigenvalues of symmetric matrices (..., n, n) surely lie.

    From below: the computed eigenvector's Rayleigh quotient, with 3n + 4 roundings. From above: if Cholesky's
    method ends for ``c I - m``, then ``L L'`` is off by at most gamma_(n+1) ``|L| |L'|``. [Higham 2002,
    Theorem 10.3] 1 % is for norms.
    """
    largest_entries = np.abs(stack).max(axis=(-2, -1))
    if not ((largest_entries == 0) | ((largest_entries > _TINY) & (largest_entries < 1 / _TINY))).all():
        raise ValueError("entries of a matrix are huge or tiny, or no numbers")
    n = stack.shape[-1]
    values, vectors = np.linalg.eigh(stack)
    size, vector = np.sqrt(np.square(stack).sum(axis=(-2, -1))), vectors[..., -1:]
    quotient = (vector * (stack @ vector)).sum(axis=(-2, -1)) / np.square(vector).sum(axis=(-2, -1))
    least = quotient - 1.01 * upper(gamma(3 * n + 4)) * size
    # A little above what was computed, so that Cholesky's method succeeds, which is the proof.
    # the matrix may be 0
    above = np.maximum(values[..., -1], quotient) + (n + 8) * 2.0**-51 * size + 2.0**-900
    left = above[..., None, None] * np.eye(n) - stack
    try:
        factor = np.abs(np.linalg.cholesky(left))
    except np.linalg.LinAlgError:  # some eigenvalue was not found
        # The Frobenius norm is above every eigenvalue: a bound that needs no success.
        return least, 1.01 * size
    products = np.square(factor @ np.swapaxes(factor, -1, -2)).sum(axis=(-2, -1))
    # and `left` was rounded
    off = upper(gamma(n + 1)) * np.sqrt(products) + 2.0**-52 * (np.abs(above) + size)
    return least, above + 1.01 * off


def _beside(m: Matrix, diagonal: list[Ball]) -> Ball:
    """Return a bound on the Frobenius norm of what is off the diagonal."""
    squares = sum((entry * entry for entry in m.entries()), ball(0)) - sum(
        (entry * entry for entry in diagonal), ball(0)
    )
    return squares.upper().sqrt()


def squared_levels(shifts: Matrix, covariance: Matrix) -> list[Ball]:
    """Return ``d' C^-1 d`` for each column d: its squared level as the shift of a Gaussian vector."""
    solved = (shifts.transpose() * covariance.solve(shifts)).tolist()
    return [row[place] for place, row in enumerate(solved)]
