"""The distance of a prediction from the truth: exact KL divergence and total variation.

[mathematics/003.md#setting]
"""

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import rel_entr

from private_experts.arrays import Array


def kl(p: ArrayLike, q: ArrayLike) -> Array:
    """Return ``sum_y p[y] log(p[y] / q[y])``; inf where q gives no mass to a label of p. [003]

    Parameters
    ----------
    p, q : array_like, shape (..., M)
        Distributions along the last axis; the other axes go together as NumPy broadcasts them.

    Returns
    -------
    ndarray, shape (...)
        Divergences in natural logarithms, at least 0.

    Examples
    --------
    >>> from private_experts.distributions.risk import kl
    >>> round(float(kl([0.5, 0.5], [0.9, 0.1])), 4)
    0.5108
    """
    return np.asarray(rel_entr(p, q).sum(axis=-1))


def total_variation(p: ArrayLike, q: ArrayLike) -> Array:
    """Return ``sum_y max(p[y] - q[y], 0)``, the most by which probabilities of a set of labels differ.

    [003]

    Parameters
    ----------
    p, q : array_like, shape (..., M)
        Distributions along the last axis; the other axes go together as NumPy broadcasts them.

    Returns
    -------
    ndarray, shape (...)
        Distances in [0, 1].

    Examples
    --------
    >>> from private_experts.distributions.risk import total_variation
    >>> round(float(total_variation([0.5, 0.5], [0.9, 0.1])), 4)
    0.4
    """
    return np.asarray(np.maximum(np.asarray(p) - np.asarray(q), 0.0).sum(axis=-1))
