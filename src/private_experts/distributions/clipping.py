"""Clipped distributions: each label is spread over cells of similar weight, which bounds log-likelihoods.

There are M labels and K distributions f_j. Label y gets ``c_y = ceil(M max_j f_j[y])`` cells of its own; N' is the
number of all cells. A user maps the label to a uniform cell of that label or, with probability 1/T, to a uniform cell
of all. Every probability of a cell depends only on the label that owns it. So arrays have one entry for each label and
not for each cell. [003, Section 4.2] [mathematics/003.md#clipping]
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from private_experts.errors import InputError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Clipped:
    """The clipped distributions of one round, or of many rounds along leading axes.

    Attributes
    ----------
    sizes : ndarray, shape (..., M)
        Number of cells c_y of each label.
    total : ndarray, shape (...)
        Number of cells N'.
    values : ndarray, shape (..., K, M)
        Probability of each single cell of a label under each clipped distribution.
    horizon : int
        Number of rounds T.
    """

    sizes: Array
    total: Array
    values: Array
    horizon: int

    @property
    def owners(self) -> Array:
        """Law of the owner of the cell that a user draws, shape (..., M, M). Row y is for label y.

        A label that no distribution of the class gives any mass has no cells. Its user draws from all cells.
        """
        spread = (self.sizes / self.total[..., None])[..., None, :]
        kept = np.where(self.sizes > 0, 1 - 1 / self.horizon, 0.0)[..., None]
        return kept * np.eye(self.sizes.shape[-1]) + (1 - kept) * spread

    def predict(self, weights: Array) -> Array:
        """Return the mixtures with these weights (repetitions, K) as distributions of labels, for a single round.

        Label y has at least the probability ``c_y / (T N')``. [mathematics/003.md#prediction]
        """
        return weights @ self.values * self.sizes

    def draw(self, labels: NDArray[np.intp], rng: np.random.Generator) -> NDArray[np.intp]:
        """Return the owners of the cells that users with these labels draw, for a single round."""
        uniform = np.searchsorted(self.sizes.cumsum(), rng.random(labels.shape) * self.total, side="right")
        moved = (rng.random(labels.shape) < 1 / self.horizon) | (self.sizes[labels] == 0)
        return np.where(moved, uniform, labels)


def clip(classes: ArrayLike, horizon: int) -> Clipped:
    """Clip the K distributions of a feature. [003, equations 3-6] [mathematics/003.md#clipping]

    Parameters
    ----------
    classes : array_like, shape (..., K, M)
        K distributions over M labels.
    horizon : int
        Number of rounds T, at least 2.

    Raises
    ------
    InputError
        When a row is not a distribution, or the horizon is below 2.
    """
    f = distributions(classes)
    sizes = np.ceil(f.shape[-1] * f.max(axis=-2))
    return spread(f, sizes, horizon)


def smooth(classes: ArrayLike, horizon: int) -> Clipped:
    """Mix each distribution with 1/T of the uniform one. Each label is a single cell. Used by the baseline."""
    f = distributions(classes)
    return spread(f, np.ones(f.shape[:-2] + f.shape[-1:]), horizon)


def spread(f: Array, sizes: Array, horizon: int) -> Clipped:
    """Spread distributions (..., K, M) over given numbers of cells (..., M), and mix in 1/T of the uniform one."""
    if horizon < 2:
        raise InputError(f"horizon {horizon}: the mechanisms need at least 2 rounds, for they hide a label in 1/T")
    total = sizes.sum(axis=-1)
    share = f / np.maximum(sizes, 1)[..., None, :]
    values = (1 - 1 / horizon) * share + 1 / (horizon * total)[..., None, None]
    return Clipped(sizes, total, values, horizon)


def distributions(classes: ArrayLike) -> Array:
    """Return the classes as an array. Raise `InputError` if a row is not a distribution."""
    f = np.asarray(classes, dtype=np.float64)
    if f.ndim < 2 or f.size == 0:
        raise InputError(f"classes of shape {f.shape}: write K rows of M probabilities")
    if not (f >= 0).all() or not np.allclose(f.sum(axis=-1), 1.0, rtol=0, atol=1e-9):
        raise InputError("classes: each row must be a distribution, that is at least 0 and with the sum 1")
    return f
