"""The largest eigenvalues of many small symmetric matrices at once.

LAPACK takes one matrix after the other, and finds all eigenvalues of each. Here one is sought, by repeated
squaring: a column of the 64th power, multiplied by that power a few times, is the leading eigenvector as a
rule. A stack of small products takes a tenth of the time. The sum of all eigenvalues' 128th powers says
whether the one that was found is the largest, and how far away the others are. What is not certain is left to
LAPACK. The powers only choose the vector, so that single precision will do, which takes half the time for
large matrices. [mathematics/000.md#repeated-squaring]
"""

from typing import Any, NamedTuple

import numpy as np

from private_experts.arrays import Array, Bools

_FEW = 40  # below this LAPACK is asked
_AT_ONCE = 2**16  # numbers, so that the matrices and their powers stay in the processor's cache
_LARGE = 48  # from this size on powers are taken in single precision
_ALONE = 1.25  # times the 128th power of the eigenvalue: the most that the sum of all these powers may be
_WORTH = 0.9  # of the matrices: copying those that are left pays if they are fewer
_FAINT = 1e-140  # squares of what is above this, and below its inverse, have all their digits


class _Powers(NamedTuple):
    """In which precision powers are taken, and what is done with them."""

    precision: type[np.floating[Any]]
    squarings: int
    times: int  # how often the power is applied to its column
    polished: int  # how often the matrix itself is applied to the vector, in double precision
    residual: float  # of the eigenvalue: how far the vector may be from an eigenvector
    room: float  # for rounding, in a sum of powers
    lost: float  # a larger sum of powers has lost nothing to numbers that the precision takes for zero


_DOUBLE = _Powers(np.float64, squarings=6, times=4, polished=0, residual=2.0**-29, room=1 + 1e-9, lost=0.0)
_SINGLE = _Powers(np.float32, squarings=5, times=8, polished=12, residual=2.0**-26, room=1.1, lost=1e-60)


def leading_eigenvalues(matrices: Array, least: Array | float = -np.inf) -> Array:
    """Return the largest eigenvalue of each symmetric matrix (..., m, m), to a few units of its rounding.

    Where none is above `least`, of shape (...), that is returned; it takes less time.
    """
    shape, m = matrices.shape[:-2], matrices.shape[-1]
    stack, found = matrices.reshape(-1, m, m), np.broadcast_to(least, shape).astype(np.float64).ravel()
    above = np.arange(len(stack))
    if np.max(least, initial=0.0) > 0:
        flat = stack.reshape(-1, m * m)
        with np.errstate(all="ignore"):  # none exceeds the Frobenius norm
            small = (np.vecdot(flat, flat) <= found * found) & (found > _FAINT) & (found < 1 / _FAINT)
            above = np.flatnonzero(~small)
        stack = stack[above]
    # A few matrices cost LAPACK less than the calls of the other way.
    if len(stack) < _FEW:
        found[above] = np.maximum(np.linalg.eigvalsh(stack)[:, -1], found[above])
        return found.reshape(shape)
    together = max(16, _AT_ONCE // (m * m))
    for start in range(0, len(stack), together):
        part, rows = stack[start : start + together], above[start : start + together]
        top, certain = _by_squaring(part, found[rows])
        if not certain.all():
            top[~certain] = np.linalg.eigvalsh(part[~certain])[:, -1]
        found[rows] = np.maximum(top, found[rows])
    return found.reshape(shape)


def _by_squaring(stack: Array, least: Array) -> tuple[Array, Bools]:
    """Return each matrix's largest eigenvalue, (N, m, m), at least `least`, and whether it is certain."""
    m, top, certain = stack.shape[-1], least.copy(), np.ones(len(least), dtype=np.bool_)
    powers = _SINGLE if m >= _LARGE else _DOUBLE
    with np.errstate(all="ignore"):  # what is no number at last is not certain
        flat = stack.reshape(-1, m * m).astype(np.float64, copy=False)
        _, power = np.frexp(np.sqrt(np.vecdot(flat, flat)))  # of two, so that no eigenvalue is above 1
        # Scaled by a power of two, which rounds nothing, so that the 128th power cannot overflow.
        matrices = stack * np.ldexp(1.0, -power)[:, None, None]
        high = matrices.astype(powers.precision, copy=False)
        high = high @ high
        high = high @ high
        rows = high.reshape(-1, m * m).astype(np.float64, copy=False)
        # The sum of all eigenvalues' eighth powers, with room for rounding, says of many that none is above
        # `least`.
        total = np.vecdot(rows, rows)
        below = (
            (least > 0)
            & (total > _FAINT)
            & (total < 2)
            & (np.ldexp(least, -power) ** 8 >= total * powers.room)
        )
        left = np.flatnonzero(~below)
        if len(left) < _WORTH * len(stack):
            matrices, high, power = matrices[left], high[left], power[left]
        else:
            left = np.arange(len(stack))
        room = np.empty_like(high)
        for _ in range(powers.squarings - 2):
            np.matmul(high, high, out=room)
            high, room = room, high
        rows = high.reshape(-1, m * m).astype(np.float64, copy=False)
        # of the 128th powers of all eigenvalues, or in single precision the 64th
        total = np.vecdot(rows, rows)
        # its column is not orthogonal to the leading eigenvector
        largest = np.einsum("nii->ni", high).argmax(axis=-1)
        vector = high[np.arange(len(high)), largest]
        size = np.sqrt(total)[:, None].astype(powers.precision)
        for _ in range(powers.times):
            # Divided by the size of the power, or a few products would leave the range of single precision.
            vector = np.matvec(high, vector / size)
        vector = vector.astype(np.float64, copy=False)
        for _ in range(powers.polished):
            vector = np.matvec(matrices, vector)
        image, length = np.matvec(matrices, vector), np.vecdot(vector, vector)
        # Rayleigh's quotient: its error is the square of the vector's, so half of the digits in the vector
        # are enough.
        found = np.vecdot(vector, image) / length
        off = image - found[:, None] * vector
        # A small residual says that some eigenvalue is near; the sum of powers, that no other one can be
        # larger.
        near = np.vecdot(off, off) / length <= (powers.residual * found) ** 2
        alone = (total <= _ALONE * found**2 ** (powers.squarings + 1)) & (total > powers.lost)
        top[left], certain[left] = np.ldexp(found, power), near & alone & (found > 0)
    return top, certain
