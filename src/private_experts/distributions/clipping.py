"""Clipped distributions: each label is spread over cells of similar weight, which bounds log-likelihoods.

There are M labels and K distributions f_j. Label y gets ``c_y = ceil(M max_j f_j[y])`` cells of its own; N' is the
number of all cells. A user maps the label to a uniform cell of that label or, with probability 1/T, to a uniform cell
of all. Every probability of a cell depends only on the label that owns it. So arrays have one entry for each label and
not for each cell. [003, Section 4.2] [mathematics/003.md#clipping]
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array, Indices
from private_experts.validation import checked_distributions, checked_indices, whole


@dataclass(frozen=True)
class Clipped:
    """The clipped distributions of one round, or of many rounds along leading axes. [003, equations 3-6]

    `clip` makes them. [mathematics/003.md#clipping]

    Parameters
    ----------
    sizes : ndarray, shape (..., M)
        Number of cells c_y of each label.
    total : ndarray, shape (...)
        Number of cells N'.
    values : ndarray, shape (..., K, M)
        Probability of each single cell of a label under each clipped distribution.
    horizon : int
        Number of rounds T, at least 2.

    Examples
    --------
    >>> from private_experts.distributions.clipping import clip
    >>> clipped = clip([[0.6, 0.4]], 10)
    >>> clipped.sizes.tolist(), clipped.values.round(4).tolist()  # 2 cells for the first label, 1 for the second
    ([2.0, 1.0], [[0.3033, 0.3933]])
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
        """Mix the distributions of a single round. [mathematics/003.md#prediction]

        Parameters
        ----------
        weights : ndarray, shape (repetitions, K)
            Weights of the distributions; each row has the sum 1.

        Returns
        -------
        ndarray, shape (repetitions, M)
            The mixtures as distributions of labels. Label y has at least the probability ``c_y / (T N')``.
        """
        return weights @ self.values * self.sizes

    def draw(self, labels: Indices, rng: np.random.Generator) -> Indices:
        """Draw a cell for each user, and say who owns it; for a single round. [003, equations 3-6]

        Parameters
        ----------
        labels : ndarray of int, shape (repetitions,)
            The users' labels, from 0 to M - 1.
        rng : numpy.random.Generator
            Source of the draws.

        Returns
        -------
        ndarray of int, shape (repetitions,)
            The label that owns the cell: mostly the user's own.

        Raises
        ------
        InputError
            When a label is out of range or not a whole number.
        """
        labels = checked_indices("labels", labels, self.sizes.size)
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

    Returns
    -------
    Clipped
        Cells and their probabilities.

    Raises
    ------
    InputError
        When a row is not a distribution, or the horizon is below 2.

    Examples
    --------
    >>> import math
    >>> from private_experts.distributions.clipping import clip
    >>> values = clip([[1.0, 0.0], [0.5, 0.5]], 100).values
    >>> round(math.log(values.max() / values.min()), 2), round(math.log(3 * 100), 2)  # never above log((K + 1) T)
    (5.01, 5.7)
    """
    f = checked_distributions(classes)
    sizes = np.ceil(f.shape[-1] * f.max(axis=-2))
    return spread(f, sizes, horizon)


def smooth(classes: ArrayLike, horizon: int) -> Clipped:
    """Mix each distribution with 1/T of the uniform one. Each label is a single cell. Used by the baseline.

    [003, Section 3, remark] [mathematics/003.md#randomised-response]

    Parameters
    ----------
    classes : array_like, shape (..., K, M)
        K distributions over M labels.
    horizon : int
        Number of rounds T, at least 2.

    Returns
    -------
    Clipped
        With one cell for each label.

    Raises
    ------
    InputError
        When a row is not a distribution, or the horizon is below 2.

    Examples
    --------
    >>> from private_experts.distributions.clipping import smooth
    >>> smooth([[1.0, 0.0]], 10).values.round(4).tolist()
    [[0.95, 0.05]]
    """
    f = checked_distributions(classes)
    return spread(f, np.ones(f.shape[:-2] + f.shape[-1:]), horizon)


def spread(f: Array, sizes: Array, horizon: int) -> Clipped:
    """Spread distributions over given numbers of cells, and mix in 1/T of the uniform one. [003, equations 3-6]

    [mathematics/003.md#clipping]

    Parameters
    ----------
    f : ndarray, shape (..., K, M)
        K distributions over M labels, as `distributions` returns them.
    sizes : ndarray, shape (..., M)
        Number of cells of each label, at least 0; 0 only for labels that have no mass.
    horizon : int
        Number of rounds T, at least 2.

    Returns
    -------
    Clipped
        Cells and their probabilities.

    Raises
    ------
    InputError
        When the horizon is below 2: the mechanisms hide a label in 1/T, so one round would hide all of it.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.distributions.clipping import spread
    >>> spread(np.array([[0.5, 0.5]]), np.array([4.0, 1.0]), 10).values.round(4).tolist()
    [[0.1325, 0.47]]
    """
    whole(horizon, "clipping", "horizon", least=2, most=None)
    total = sizes.sum(axis=-1)
    share = f / np.maximum(sizes, 1)[..., None, :]
    values = (1 - 1 / horizon) * share + 1 / (horizon * total)[..., None, None]
    return Clipped(sizes, total, values, horizon)
