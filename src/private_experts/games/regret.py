"""What a play earned, and what it missed."""

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def earned(gains: Array, actions: NDArray[np.intp]) -> Array:
    """Return the true gain of each action.

    Parameters
    ----------
    gains : ndarray, shape (T, n)
    actions : ndarray of int, shape (T, ...)

    Returns
    -------
    ndarray, shape (T, ...)
    """
    rounds = np.arange(gains.shape[0]).reshape(-1, *([1] * (actions.ndim - 1)))
    return gains[rounds, actions]


def static_regret(gains: Array, actions: NDArray[np.intp]) -> Array:
    """Return the best single expert's total less what the actions (T, ...) earned, shape (...)."""
    return gains.sum(axis=0).max() - earned(gains, actions).sum(axis=0)


def switches(actions: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return how often consecutive actions (T, ...) differ, shape (...)."""
    return (actions[1:] != actions[:-1]).sum(axis=0)
