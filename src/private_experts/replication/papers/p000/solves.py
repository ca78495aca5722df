"""What linear systems of floats have for solutions, between proved bounds. Matrices are taken as they are.

Solutions and inverses are computed in floats by whatever method. How wrong they are is seen from what they
leave when they are put in, a sum of products whose rounding is at most gamma times that of magnitudes
(`sums`). Magnitudes and norms are rounded, too, for which one percent is more than enough.
"""

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, sqrt, upper
from private_experts.replication.balls.sums import gamma, rounded

_MORE = 1.01


def inverse_at_most(m: Array, off: Array | float = 0.0) -> float:
    """Return a bound on the norm of the inverse of a square matrix that is known up to so much in each entry.

    If ``|I - Y m| <= q < 1`` for some Y, the inverse has a norm of at most ``|Y| / (1 - q)``, also in
    Frobenius norms.
    """
    n = len(m)
    try:
        # Any Y would do: a bad one costs a wide ball or none at all, but never a wrong one.
        inverse = np.linalg.inv(m)
    except np.linalg.LinAlgError:
        return np.inf
    size = np.abs(inverse)
    # What is left as computed, plus the most that its rounding can hide.
    left = np.abs(np.eye(n) - inverse @ m) + _rounding(n + 2) * (np.eye(n) + size @ np.abs(m))
    left += size @ np.broadcast_to(off, m.shape)
    # Frobenius norms: they are above spectral norms and need no eigenvalues.
    share = _MORE * float(np.linalg.norm(left))
    return _MORE * float(np.linalg.norm(inverse)) / (0.99 * (1 - share)) if share < 1 else np.inf


def squared_levels_between(shifts: Array, loadings: Array) -> tuple[Array, Array]:
    """Return bounds on ``d' (L L')^-1 d`` for each column d of shifts (T, columns) and loadings L (T, draws).

    With any x and ``r = d - L L' x`` this is ``x' (d + r)`` and ``r' (L L')^-1 r``, which is not negative.
    """
    (size, draws), magnitudes = loadings.shape, np.abs(loadings)
    gram = loadings @ loadings.T
    x = np.linalg.solve(gram, shifts)
    left = shifts - loadings @ (loadings.T @ x)
    off = _rounding(draws + size + 2) * (np.abs(shifts) + magnitudes @ (magnitudes.T @ np.abs(x)))
    # First order in the error of x is in `left`, so what remains is of second order and tiny.
    middle = (x * (shifts + left)).sum(axis=0)
    apart = (np.abs(x) * (off + _rounding(size + 4) * (np.abs(shifts) + np.abs(left)))).sum(axis=0)
    # The Gram matrix is itself a rounded product; the bound must hold for the true one.
    inverse = inverse_at_most(gram, _rounding(draws + 1) * (magnitudes @ magnitudes.T))
    # The last term is not negative, so it widens the upper end alone.
    return middle - _MORE * apart, middle + _MORE * (
        apart + inverse * np.square(np.abs(left) + off).sum(axis=0)
    )


def squares_after(rows: Array, strategy: Array) -> Ball:
    """Return a ball around the sum of the squares of all entries of ``rows strategy^-1``."""
    x, left = _solved(rows, strategy)
    apart = _MORE * float(np.linalg.norm(left)) * inverse_at_most(strategy)
    norm = sqrt(_sum(np.square(x)) * (1 + ball(-1, 1) * gamma(1)))
    return (norm + ball(-apart, apart)) ** 2


def lengths_after(rows: Array, strategy: Array) -> list[Ball]:
    """Return a ball around each row's length in ``rows strategy^-1``, infinite if no inverse is found."""
    x, left = _solved(rows, strategy)
    apart = _MORE * np.linalg.norm(left, axis=1) * inverse_at_most(strategy)
    squares = np.square(x).sum(axis=1).tolist()
    return [
        sqrt(rounded(square, len(strategy))) + ball(-off, off)
        for square, off in zip(squares, apart.tolist(), strict=True)
    ]


def _solved(rows: Array, strategy: Array) -> tuple[Array, Array]:
    """Return X, ``rows strategy^-1`` as computed, and a bound on the size of ``rows - X strategy``."""
    x = np.asarray(np.linalg.solve(strategy.T, rows.T).T, dtype=np.float64)
    off = _rounding(len(strategy) + 2) * (np.abs(rows) + np.abs(x) @ np.abs(strategy))
    left: Array = np.abs(rows - x @ strategy) + off
    return x, left


def nuclear_at_least(m: Array) -> Ball:
    """Return a ball whose lower end is at most a matrix's sum of singular values, entries rounded once.

    That is the largest ``sum Q_ij m_ij`` over Q of spectral norm 1; here the product of the singular vectors
    over its norm.
    """
    u, _, v = np.linalg.svd(m, full_matrices=False)
    q = u @ v
    # The smaller Gram matrix: the other has eigenvalues 0 and would be no closer to the identity.
    tall = q if q.shape[0] >= q.shape[1] else q.T
    size = tall.shape[1]
    left = tall.T @ tall - np.eye(size)
    off = _rounding(tall.shape[0] + 2) * (np.abs(tall).T @ np.abs(tall) + np.eye(size))
    # Q has norm 1 up to rounding; its true norm is at most this by its Gram matrix.
    norm = sqrt(1 + ball(_MORE * float(np.linalg.norm(np.abs(left) + off))))
    products = q * m
    apart = upper((gamma(sum(m.shape) + 1) * 2 * _sum(np.abs(products))).upper())
    return (ball(float(products.sum(axis=0).sum())) + ball(-apart, apart)) / norm


def _sum(values: Array) -> Ball:
    """Return a ball around the sum of a matrix of numbers that are not negative."""
    return ball(float(values.sum(axis=0).sum())) * (1 + ball(-1, 1) * 2 * gamma(sum(values.shape)))


def _rounding(steps: int) -> float:
    return _MORE * upper(gamma(steps))
