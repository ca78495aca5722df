"""Gains and regret of a play: against one expert, against a sequence of experts, and in intervals of rounds."""

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array, Indices
from private_experts.validation import checked_actions, whole


def earned(gains: Array, actions: Indices) -> Array:
    """Return the true gain of each action. [mathematics/000.md#setting]

    Parameters
    ----------
    gains : ndarray, shape (T, n)
        True gains.
    actions : ndarray of int, shape (T, ...)
        The experts that were played.

    Returns
    -------
    ndarray, shape (T, ...)

    Raises
    ------
    InputError
        When actions are no whole numbers from 0 to n - 1, or not those of T rounds.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.games import earned
    >>> gains = np.array([[0.2, 0.9], [0.3, 0.8]])
    >>> earned(gains, actions=np.array([[0, 1], [1, 1]])).tolist()  # two rounds of two copies
    [[0.2, 0.9], [0.8, 0.8]]
    """
    actions = checked_actions("regret", actions, gains.shape[1], rounds=len(gains))
    rounds = np.arange(gains.shape[0]).reshape(-1, *([1] * (actions.ndim - 1)))
    return gains[rounds, actions]


def static_regret(gains: Array, actions: Indices) -> Array:
    """Return the best single expert's total minus that of the actions. [mathematics/000.md#setting]

    Parameters
    ----------
    gains, actions
        As for `earned`.

    Returns
    -------
    ndarray, shape (...)
        In units of the gains. It is negative where the actions earned more than every single expert.

    Raises
    ------
    InputError
        As for `earned`.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.games import static_regret, streams
    >>> gains = streams.turncoat(10, 2)  # each expert gains in five rounds
    >>> always_first, follow_the_change = np.zeros(10, dtype=int), np.repeat([0, 1], 5)
    >>> [float(static_regret(gains, actions)) for actions in (always_first, follow_the_change)]
    [0.0, -5.0]
    """
    result: Array = gains.sum(axis=0).max() - earned(gains, actions).sum(axis=0)
    return result


def switches(actions: Indices) -> Indices:
    """Return how often consecutive actions differ. [mathematics/004.md#setting]

    Parameters
    ----------
    actions : ndarray of int, shape (T, ...)
        The experts that were played.

    Returns
    -------
    ndarray of int, shape (...)
        From 0 to T - 1.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.games import switches
    >>> int(switches(np.array([0, 0, 2, 2, 0])))
    2
    """
    result: Indices = (actions[1:] != actions[:-1]).sum(axis=0)
    return result


def best_sequence(gains: Array, most: int) -> Indices:
    """Return the sequence of experts that earns most among those with at most `most` switches.

    [mathematics/004.md#setting]

    Found by dynamic programming.

    Parameters
    ----------
    gains : ndarray, shape (T, n) or (T, repetitions, n)
        True gains.
    most : int
        How many switches the sequence may make, at least 0.

    Returns
    -------
    ndarray of int, shape (T,) or (T, repetitions)

    Raises
    ------
    InputError
        When the number of switches is negative.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.games import best_sequence
    >>> gains = np.array([[0.9, 0.1], [0.2, 0.7], [0.8, 0.3], [0.1, 0.9]])
    >>> [best_sequence(gains, most).tolist() for most in (0, 1, 3)]
    [[0, 0, 0, 0], [0, 1, 1, 1], [0, 1, 0, 1]]
    """
    most = whole(most, "comparison sequence", "switches", least=0)
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


def best_total(gains: Array, most: int) -> Array:
    """Return what `best_sequence` earns, without the sequence. [mathematics/004.md#setting]

    Parameters
    ----------
    gains, most
        As for `best_sequence`.

    Returns
    -------
    ndarray, shape () or (repetitions,)
        In units of the gains.

    Raises
    ------
    InputError
        When the number of switches is negative.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.games import best_total
    >>> gains = np.array([[0.9, 0.1], [0.2, 0.7], [0.8, 0.3], [0.1, 0.9]])
    >>> [round(float(best_total(gains, most)), 2) for most in (0, 1, 3)]
    [2.0, 2.8, 3.3]
    """
    most = whole(most, "comparison sequence", "switches", least=0)
    wide = np.moveaxis(gains, -1, 1)
    # The largest total so far, by the present expert and the number of switches made.
    total = np.repeat(wide[0][:, None], most + 1, axis=1)
    for each in wide[1:]:
        np.maximum(total[:, 1:], total[:, :-1].max(axis=0), out=total[:, 1:])
        total += each[:, None]
    result: Array = total[:, most].max(axis=0)
    return result


def dynamic_regret(gains: Array, actions: Indices, comparator: int | Indices) -> Array:
    """Return the total of a sequence of experts minus that of the actions. [mathematics/004.md#setting]

    Parameters
    ----------
    gains : ndarray, shape (T, n), or (T, repetitions, n) where each repetition has a stream of its own
        True gains.
    actions : ndarray of int, shape (T, repetitions)
        The experts that were played.
    comparator : int or ndarray of int
        A number of switches, for the best sequence with at most that many; or a sequence, shape (T,) or
        (T, repetitions).

    Returns
    -------
    ndarray, shape (repetitions,)
        In units of the gains.

    Raises
    ------
    InputError
        When the number of switches is negative.

    Examples
    --------
    Whoever stays with expert 0 misses nothing against one expert, and half of the rounds against a switch:

    >>> import numpy as np
    >>> from private_experts.games import dynamic_regret, streams
    >>> gains, actions = streams.turncoat(10, 2), np.zeros((10, 1), dtype=int)
    >>> [dynamic_regret(gains, actions, comparator).tolist() for comparator in (0, 1)]
    [[0.0], [5.0]]
    """
    if isinstance(comparator, int | np.integer):
        best = best_total(gains, int(comparator))
    else:
        best = _totals(gains, comparator.reshape(len(gains), -1))
    return np.asarray(best - _totals(gains, actions))


def _totals(gains: Array, actions: Indices) -> Array:
    """Return what actions (T, repetitions or 1) earn, shape (repetitions,) or (1,)."""
    if gains.ndim == 2:
        return np.asarray(earned(gains, actions).sum(axis=0))
    actions = checked_actions("regret", actions, gains.shape[-1], rounds=len(gains))
    return np.asarray(np.take_along_axis(gains, actions[..., None], axis=-1).sum(axis=(0, 2)))


def interval_regret(gains: Array, actions: Indices, lengths: ArrayLike) -> Array:
    """Return the largest regret against one expert in any interval of the given lengths. [mathematics/004.md#setting]

    Parameters
    ----------
    gains : ndarray, shape (T, n) or (T, repetitions, n)
        True gains.
    actions : ndarray of int, shape (T, repetitions)
        The experts that were played.
    lengths : array_like of int, shape (k,)
        From 1 to T.

    Returns
    -------
    ndarray, shape (k, repetitions)
        In units of the gains.

    Examples
    --------
    Expert 0 is played throughout, and expert 1 gains in the last five of ten rounds:

    >>> import numpy as np
    >>> from private_experts.games import interval_regret, streams
    >>> gains, actions = streams.turncoat(10, 2), np.zeros((10, 1), dtype=int)
    >>> interval_regret(gains, actions, lengths=[1, 5, 10]).tolist()
    [[1.0], [5.0], [0.0]]
    """
    actions = checked_actions("regret", actions, gains.shape[-1], rounds=len(gains))
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
