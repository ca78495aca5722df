"""The largest eigenvalues of many small symmetric matrices at once.

LAPACK takes one matrix after the other, and finds all eigenvalues of each. Here every step is taken for all matrices
together, and one eigenvalue is sought: Householder reflections make the matrices tridiagonal, and Laguerre's iteration
descends from a bound to the largest root of the characteristic polynomial. Where all roots are real it never passes
that root, and it converges cubically unless roots coincide. [Parlett, The Symmetric Eigenvalue Problem, 1998]
"""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_FEW = 400  # below this LAPACK is as fast; a step then costs more to call than to compute
_AT_ONCE = 1000  # so that the matrices stay in the processor's cache
_LEAST_POWER = -1023  # so that its inverse is a number; smaller matrices do well with it too
_STEPS = 100  # a root of multiplicity m - 1 takes some 40; what has not converged is left to LAPACK


def leading_eigenvalues(matrices: Array) -> Array:
    """Return the largest eigenvalue of each matrix, to a few units of rounding of the matrix.

    Parameters
    ----------
    matrices : ndarray, shape (..., m, m)
        Symmetric and finite.

    Returns
    -------
    ndarray, shape (...)

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.algorithms.leading_eigenvalues import leading_eigenvalues
    >>> leading_eigenvalues(np.array([[[1.0, 2.0], [2.0, 1.0]], [[0.0, 0.0], [0.0, -1.0]]])).tolist()
    [3.0, 0.0]
    """
    shape, m = matrices.shape[:-2], matrices.shape[-1]
    stack = matrices.reshape(-1, m, m)
    if len(stack) < _FEW or m < 3:
        return np.asarray(np.linalg.eigvalsh(matrices)[..., -1], dtype=np.float64)
    found = np.empty(len(stack))
    for start in range(0, len(stack), _AT_ONCE):
        part = stack[start : start + _AT_ONCE]
        # The matrices last, so that each step runs along them.
        a = np.moveaxis(part, 0, -1).astype(np.float64, order="C")
        _, power = np.frexp(np.abs(a).max(axis=(0, 1)))  # of two, so that no square leaves the range of numbers
        power = np.maximum(power, _LEAST_POWER)
        a *= np.ldexp(1.0, -power)
        top, certain = _largest_root(*_tridiagonal(a))
        top = np.ldexp(top, power)
        if not certain.all():
            top[~certain] = np.linalg.eigvalsh(part[~certain])[:, -1]
        found[start : start + _AT_ONCE] = top
    return found.reshape(shape)


def _tridiagonal(a: Array) -> tuple[Array, Array]:
    """Return the diagonals (m, N) and the squares beside them (m - 1, N) of similar tridiagonal matrices.

    The matrices, shape (m, m, N), are overwritten.
    """
    m = len(a)
    squares = np.empty((m - 1, a.shape[-1]))
    for k in range(m - 2):
        v = a[k + 1 :, k].copy()
        squares[k] = square = np.einsum("in,in->n", v, v)
        first = np.copysign(np.sqrt(square), v[0])
        half = square + first * v[0]  # half of the squared length of the reflection's vector
        v[0] += first
        rest = a[k + 1 :, k + 1 :]
        p = np.einsum("ijn,jn->in", rest, v)
        p /= np.where(half > 0, half, 1.0)  # where the column is zero already, v is, and so is p
        p -= np.einsum("in,in->n", p, v) / np.where(half > 0, 2 * half, 1.0) * v
        product = v[:, None] * p
        rest -= product
        rest -= product.swapaxes(0, 1)
    squares[-1] = a[m - 1, m - 2] ** 2
    return np.einsum("iin->in", a).copy(), squares


def _largest_root(diagonal: Array, squares: Array) -> tuple[Array, NDArray[np.bool_]]:
    """Return the largest eigenvalues of tridiagonal matrices, and for which of them the iteration has ended."""
    m, beside = len(diagonal), np.sqrt(squares)
    radius = np.concatenate([beside, np.zeros((1, beside.shape[1]))])
    radius[1:] += beside
    size = (np.abs(diagonal) + radius).max(axis=0)
    unit = 4 * np.finfo(float).eps * size
    found = (diagonal + radius).max(axis=0) + unit  # Gershgorin
    going = np.flatnonzero(size > 0)
    x = found[going]
    if going.size < found.size:
        diagonal, squares = diagonal[:, going], squares[:, going]
    for _ in range(_STEPS):
        step = _laguerre(diagonal, squares, x, m)
        x = x - step
        found[going] = x
        more = step > unit[going]
        if more.all():
            continue
        going = going[more]
        if not going.size:
            break
        diagonal, squares, x = diagonal[:, more], squares[:, more], x[more]
    certain = np.ones(found.size, dtype=np.bool_)
    certain[going] = False
    return found, certain


def _laguerre(diagonal: Array, squares: Array, x: Array, m: int) -> Array:
    """Return how far to descend from x, which is above all eigenvalues; 0 where rounding says that it no longer is.

    The characteristic polynomial is the product of the pivots q of ``x I - T``. Each pivot follows from the one before,
    and so do ``first = q' / q`` and ``second = q'' / q``.
    """
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        q = x - diagonal[0]
        inside = q > 0
        first, second = 1 / q, np.zeros(1)
        inverse, sum_first, sum_second = first, first.copy(), first * first
        for k in range(1, m):
            pulled = squares[k - 1] * inverse
            q = x - diagonal[k] - pulled
            inside &= q > 0
            inverse = 1 / q
            first, second = (1 + pulled * first) * inverse, pulled * (second - 2 * first * first) * inverse
            sum_first += first
            sum_second += first * first - second
        spread = np.maximum((m - 1) * (m * sum_second - sum_first * sum_first), 0.0)
        step = m / (sum_first + np.sqrt(spread))
    result: Array = np.where(inside & np.isfinite(step), step, 0.0)
    return result
