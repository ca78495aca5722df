"""Gains and regret of a play: against one expert, against a sequence of experts, and in intervals of rounds."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from private_experts.errors import InputError

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
    """Return the best single expert's total minus that of the actions (T, ...), shape (...)."""
    return gains.sum(axis=0).max() - earned(gains, actions).sum(axis=0)


def switches(actions: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return how often consecutive actions (T, ...) differ, shape (...)."""
    return (actions[1:] != actions[:-1]).sum(axis=0)


def best_sequence(gains: Array, most: int) -> NDArray[np.intp]:
    """Return the sequence of experts that earns most among those with at most `most` switches.

    Found by dynamic programming.

    Parameters
    ----------
    gains : ndarray, shape (T, n) or (T, repetitions, n)
    most : int
        At least 0.

    Returns
    -------
    ndarray of int, shape (T,) or (T, repetitions)
    """
    if most < 0:
        raise InputError(f"switches of the comparison sequence: {most}: write a whole number of at least 0")
    wide = gains.reshape(gains.shape[0], -1, gains.shape[-1])
    horizon, repetitions, _ = wide.shape
    # The largest total so far, by the number of switches made and the present expert; and which expert came before.
    total = np.repeat(wide[0][:, None], most + 1, axis=1)
    leaders = np.zeros((horizon, repetitions, most + 1), dtype=np.intp)
    switched = np.zeros((horizon, *total.shape), dtype=np.bool_)
    for t in range(1, horizon):
        leaders[t] = total.argmax(axis=2)
        ahead = np.take_along_axis(total, leaders[t, ..., None], axis=2)[:, :-1]
        switched[t, :, 1:] = ahead > total[:, 1:]
        total[:, 1:] = np.maximum(total[:, 1:], ahead)
        total += wide[t][:, None]
    rows = np.arange(repetitions)
    path = np.empty((horizon, repetitions), dtype=np.intp)
    made = np.full(repetitions, most)
    path[-1] = total[:, most].argmax(axis=1)
    for t in range(horizon - 1, 0, -1):
        back = switched[t, rows, made, path[t]]
        made = made - back
        path[t - 1] = np.where(back, leaders[t, rows, made], path[t])
    return path.reshape(gains.shape[:-1])


def dynamic_regret(gains: Array, actions: NDArray[np.intp], comparator: int | NDArray[np.intp]) -> Array:
    """Return the total of a sequence of experts minus that of the actions.

    Parameters
    ----------
    gains : ndarray, shape (T, n), or (T, repetitions, n) where each repetition has a stream of its own
    actions : ndarray of int, shape (T, repetitions)
    comparator : int or ndarray of int
        A number of switches, for the best sequence with at most that many; or a sequence, shape (T,) or
        (T, repetitions).

    Returns
    -------
    ndarray, shape (repetitions,)
    """
    sequence = best_sequence(gains, comparator) if isinstance(comparator, int) else comparator
    if gains.ndim == 2:
        best = earned(gains, sequence).sum(axis=0)
        return np.asarray(best - earned(gains, actions).sum(axis=0))
    both = np.stack([np.broadcast_to(sequence.reshape(len(gains), -1), actions.shape), actions], axis=-1)
    totals = np.take_along_axis(gains, both, axis=-1).sum(axis=0)
    return np.asarray(totals[:, 0] - totals[:, 1])


def interval_regret(gains: Array, actions: NDArray[np.intp], lengths: ArrayLike) -> Array:
    """Return the largest regret against one expert in any interval of the given lengths.

    Parameters
    ----------
    gains : ndarray, shape (T, n) or (T, repetitions, n)
    actions : ndarray of int, shape (T, repetitions)
    lengths : array_like of int, shape (k,)
        From 1 to T.

    Returns
    -------
    ndarray, shape (k, repetitions)
    """
    wide = gains.reshape(gains.shape[0], -1, gains.shape[-1])
    own = np.take_along_axis(np.broadcast_to(wide, (*actions.shape, wide.shape[2])), actions[..., None], axis=-1)
    missed = np.concatenate([np.zeros((1, *own.shape[1:])), own]).cumsum(axis=0)[..., 0]
    totals = np.concatenate([np.zeros((1, *wide.shape[1:])), wide]).cumsum(axis=0)
    return np.array(
        [
            ((totals[w:] - totals[:-w]).max(axis=-1) - (missed[w:] - missed[:-w])).max(axis=0)
            for w in np.asarray(lengths, dtype=np.intp)
        ]
    )
