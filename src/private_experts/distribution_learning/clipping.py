"""Clipped distributions: each label is spread over cells of similar weight, which bounds log-likelihoods.

There are M labels and K distributions f_j. Label y gets ``c_y = ceil(M max_j f_j[y])`` cells of its own; N'
is the number of all cells. A user maps the label to a uniform cell of that label or, with probability 1/T, to
a uniform cell of all. Every probability of a cell depends only on the label that owns it. So arrays have one
entry for each label and not for each cell. [003, Section 4.2] [mathematics/003.md#clipping]
"""

import functools
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array, Indices
from private_experts.validation import checked_distributions, checked_indices, whole

_SMALL = 1 << 16  # bytes of classes that are kept, to be compared with the next ones


@dataclass(frozen=True)
class Clipped:
    """The clipped distributions of one round, or of many rounds along leading axes. [003, equations 3-6]"""

    sizes: Array  # number of cells c_y of each label, (..., M)
    total: Array  # number of cells N', (...)
    values: Array  # probability of a single cell of a label under each clipped distribution, (..., K, M)
    horizon: int

    @property
    def owners(self) -> Array:
        """Law of the owner of the cell that a user draws, shape (..., M, M). Row y is for label y."""
        spread = (self.sizes / self.total[..., None])[..., None, :]
        # A label that no distribution allows has no cell; a user with it draws among all cells, like a lost
        # one.
        kept = np.where(self.sizes > 0, 1 - 1 / self.horizon, 0.0)[..., None]
        return kept * np.eye(self.sizes.shape[-1]) + (1 - kept) * spread

    def predict(self, weights: Array) -> Array:
        """Mix the distributions of a single round by weights (repetitions, K), to (repetitions, M)."""
        return weights @ self.values * self.sizes

    def draw(self, labels: Indices, rng: np.random.Generator) -> Indices:
        """Draw a cell for each user's label, in a single round, and return the label that owns it."""
        labels = checked_indices("labels", labels, self.sizes.size)
        # Owners in proportion to their cells: a uniform cell, without listing cells.
        uniform = np.searchsorted(self.sizes.cumsum(), rng.random(labels.shape) * self.total, side="right")
        moved = (rng.random(labels.shape) < 1 / self.horizon) | (self.sizes[labels] == 0)
        return np.where(moved, uniform, labels)


def clip(classes: ArrayLike, horizon: int) -> Clipped:
    """Clip the K distributions of a feature, one a row, shape (..., K, M). [003, equations 3-6]"""
    if (
        isinstance(classes, np.ndarray)
        and classes.dtype == np.float64
        and classes.ndim == 2
        and 0 < classes.nbytes <= _SMALL
    ):
        return _clipped(classes.tobytes(), classes.shape, whole(horizon, "clipping", "horizon", most=None))
    return _compute_clipped(classes, horizon)


@functools.lru_cache(maxsize=8)
def _clipped(numbers: bytes, shape: tuple[int, ...], horizon: int) -> Clipped:
    """Keep what was clipped last: in a round both the user's program and the learner clip the same."""
    clipped = _compute_clipped(np.frombuffer(numbers).reshape(shape), horizon)
    for shared in clipped.sizes, clipped.values:
        shared.flags.writeable = False
    return clipped


def _compute_clipped(classes: ArrayLike, horizon: int) -> Clipped:
    f = checked_distributions(classes)
    # So many cells that no single one has more than 1 / M under any distribution. [003, equation 3]
    sizes = np.ceil(f.shape[-1] * f.max(axis=-2))
    return spread(f, sizes, horizon)


def smooth(classes: ArrayLike, horizon: int) -> Clipped:
    """Mix each distribution with 1/T of the uniform one; each label is one cell. For the baseline."""
    f = checked_distributions(classes)
    return spread(f, np.ones(f.shape[:-2] + f.shape[-1:]), horizon)


def spread(f: Array, sizes: Array, horizon: int) -> Clipped:
    """Spread distributions over numbers of cells, and mix in 1/T of the uniform one. [003, equations 3-6]

    [mathematics/003.md#clipping]

    Cell numbers `sizes`, shape (..., M), are 0 only for labels that have no mass. The horizon is at least 2:
    the mechanisms hide a label in 1/T, so one round would hide all of it.
    """
    horizon = whole(horizon, "clipping", "horizon", least=2, most=None)
    total = sizes.sum(axis=-1)
    share = f / np.maximum(sizes, 1)[..., None, :]
    # The mix keeps every probability of a cell above 1 / (T N'), which bounds its logarithm. [003, equation
    # 6]
    values = (1 - 1 / horizon) * share + 1 / (horizon * total)[..., None, None]
    return Clipped(sizes, total, values, horizon)
