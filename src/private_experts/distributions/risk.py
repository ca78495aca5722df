"""The distance of a prediction from the truth: exact KL divergence and total variation.

[mathematics/003.md#setting]
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import rel_entr

Array = NDArray[np.float64]


def kl(p: ArrayLike, q: ArrayLike) -> Array:
    """Return ``sum_y p[y] log(p[y] / q[y])`` along the last axis; inf where q gives no mass to a label of p."""
    return np.asarray(rel_entr(p, q).sum(axis=-1))


def total_variation(p: ArrayLike, q: ArrayLike) -> Array:
    """Return ``sum_y max(p[y] - q[y], 0)`` along the last axis."""
    return np.maximum(np.asarray(p) - np.asarray(q), 0.0).sum(axis=-1)
