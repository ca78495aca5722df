"""The distance of a prediction from the truth: exact KL divergence and total variation."""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import rel_entr

from private_experts.arrays import Array

_TINY = np.finfo(np.float64).tiny  # no probability over a larger one overflows
_LEAST = 1e-100  # of factors and products of which one more neither overflows nor underflows
_TRUTHS = 16  # of which products are kept


def kl(p: ArrayLike, q: ArrayLike) -> Array:
    """Return ``sum_y p[y] log(p[y] / q[y])``, last axis; inf where q gives no mass to a label of p. [003]"""
    p, q = np.asarray(p, dtype=np.float64), np.asarray(q, dtype=np.float64)
    if not ((p > 0).all() and (q > _TINY).all()):
        # It takes 0 log 0 as 0, and no quotient is too large for it.
        return np.asarray(rel_entr(p, q).sum(axis=-1))
    # The same to rounding, in less than half the time.
    return np.asarray((p * np.log(p / q)).sum(axis=-1))


def total_variation(p: ArrayLike, q: ArrayLike) -> Array:
    """Return ``sum_y max(p[y] - q[y], 0)``, the most by which probabilities of a set of labels differ."""
    apart = np.subtract(p, q)
    return np.asarray(np.maximum(apart, 0.0, out=apart).sum(axis=-1))


class SummedDivergence:
    """The KL divergences of many rounds, added up for each repetition.

    Rounds of one truth need one logarithm, of the product of all.
    """

    def __init__(self, repetitions: int) -> None:
        self._total = np.zeros(repetitions)
        self._products: dict[bytes, tuple[Array, Array]] = {}  # truths, and predictions over them

    def add(self, p: Array, q: Array) -> None:
        """Add the divergences of predictions (repetitions, M) from the truth of a round, (M,)."""
        if not p.all():  # labels of mass 0 add nothing
            p, q = p[p != 0], q[:, p != 0]
        if not min(p.min(), q.min()) > _LEAST:
            self._total += kl(p, q)
            return
        key, ratio = p.tobytes(), q / p
        if key in self._products:
            ratio *= self._products[key][1]
        elif len(self._products) == _TRUTHS:
            self._take_out(next(iter(self._products)))
        self._products[key] = p, ratio
        if not (ratio.min() > _LEAST and ratio.max() < 1 / _LEAST):
            self._take_out(key)

    def _take_out(self, key: bytes) -> None:
        truth, product = self._products.pop(key)
        self._total -= np.log(product) @ truth

    def total(self) -> Array:
        """Return the sum of all that were added, (repetitions,)."""
        for key in [*self._products]:
            self._take_out(key)
        return self._total
