"""Gains and regret of a play: against one expert, a sequence of experts, and in intervals of rounds."""

import math

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array, Indices
from private_experts.tabular import as_gains, check_same_rows, numbered
from private_experts.validation import checked_actions, whole

_AT_ONCE = 1 << 15  # numbers of some rounds, which stay in the processor's cache


def earned(gains: ArrayLike, actions: ArrayLike, *, losses: bool | None = None) -> Array:
    """Return the true gain of each action. [mathematics/000.md#setting]

    Parameters
    ----------
    gains : array_like or data frame, shape (T, n)
        True gains, in any unit. After ``play(..., losses=True)`` write the losses as they are, which count as
        negative gains.
    actions : array_like of int, shape (T, ...), or a frame
        The experts that were played: by number, or by the names of the frame's columns, as `play` returns
        them.
    losses : bool, optional
        Whether `gains` are losses. What `play` returned tells it, and lists, files and other arrays made of
        that do not: numbers that this process played as losses are refused beside them, unless it is said.
        From another process it has to be said.

    Returns
    -------
    ndarray, shape (T, ...)

    Raises
    ------
    InputError
        When actions are no whole numbers from 0 to n - 1, or not those of T rounds; when rows of two frames
        differ; or when actions on losses stand beside other numbers than those losses.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.games import earned
    >>> gains = np.array([[0.2, 0.9], [0.3, 0.8]])
    >>> earned(gains, actions=np.array([[0, 1], [1, 1]])).tolist()  # two rounds of two copies
    [[0.2, 0.9], [0.8, 0.8]]
    """
    array, actions = _game(gains, actions, losses)
    actions = checked_actions("regret", actions, array.shape[1], rounds=len(array))
    rounds = np.arange(array.shape[0]).reshape(-1, *([1] * (actions.ndim - 1)))
    return array[rounds, actions]


def _game(gains: ArrayLike, actions: ArrayLike, losses: bool | None) -> tuple[Array, Indices]:
    """Return gains and actions as arrays, those of a data frame by its columns."""
    check_same_rows(gains, actions, "regret")
    return as_gains(gains, actions, "regret", losses), np.asarray(numbered(actions, gains, "regret"))


def static_regret(gains: ArrayLike, actions: ArrayLike, *, losses: bool | None = None) -> Array:
    """Return the best single expert's total minus that of the actions. [mathematics/000.md#setting]

    Parameters
    ----------
    gains, actions, losses
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
    array, actions = _game(gains, actions, losses)
    # It may be negative: a play that switches can earn more than every single expert.
    result: Array = array.sum(axis=0).max() - earned(array, actions, losses=False).sum(axis=0)
    return result


def switches(actions: ArrayLike) -> Indices:
    """Return how often consecutive actions differ. [mathematics/004.md#setting]

    Parameters
    ----------
    actions : array_like of int, shape (T, ...), or a frame of names
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
    array = np.asarray(actions)
    result: Indices = (array[1:] != array[:-1]).sum(axis=0)
    return result


def best_sequence(gains: ArrayLike, most: int, *, losses: bool | None = None) -> Indices:
    """Return the sequence of experts that earns most among those with at most `most` switches.

    [mathematics/004.md#setting]

    Found by dynamic programming.

    Parameters
    ----------
    gains : array_like or data frame, shape (T, n) or (T, repetitions, n)
        True gains, in any unit.
    most : int
        How many switches the sequence may make, at least 0.
    losses : bool, optional
        Whether `gains` are losses; see `earned`.

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
    array: Array = as_gains(gains, None, "regret", losses)
    wide = array.reshape(array.shape[0], -1, array.shape[-1])
    horizon, repetitions, _ = wide.shape
    # The largest total so far, by the number of switches made and the present expert; and which expert came
    # before.
    total = np.repeat(wide[0][:, None], most + 1, axis=1)
    leaders = np.zeros((horizon, repetitions, most + 1), dtype=np.intp)
    switched = np.zeros((horizon, *total.shape), dtype=np.bool_)
    for t in range(1, horizon):
        leaders[t] = total.argmax(axis=2)
        ahead = np.take_along_axis(total, leaders[t, ..., None], axis=2)[:, :-1]
        # Only if it gains, so that of equal sequences one that stays is returned.
        switched[t, :, 1:] = ahead > total[:, 1:]
        # All numbers of switches in one step: the old values on the right are read before they are
        # overwritten.
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
    return path.reshape(array.shape[:-1])


def best_total(gains: ArrayLike, most: int, *, losses: bool | None = None) -> Array:
    """Return what `best_sequence` earns, without the sequence. [mathematics/004.md#setting]

    Parameters
    ----------
    gains, most, losses
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
    rounds = as_gains(gains, None, "regret", losses)
    step = max(1, _AT_ONCE // max(1, math.prod(rounds.shape[1:])))
    so_far = np.zeros(rounds.shape[1:])  # earned in all parts before
    # By the number of switches before: the most that whoever switches then is ahead of staying throughout.
    most_ahead = [np.zeros(rounds.shape[1:]) for _ in range(most)]
    total = so_far
    for start in range(0, len(rounds), step):
        part = rounds[start : start + step].astype(np.float64)
        part[0] += so_far
        sums = np.cumsum(part, axis=0, out=part)
        # The largest total so far, by the present expert, with one switch more each time.
        totals = sums
        for before in most_ahead:
            # Of those who switch to an expert now. The running maximum over the time of the last switch makes
            # this linear in T.
            ahead = np.subtract(totals.max(axis=-1, keepdims=True), sums)
            ahead[0] = np.maximum(ahead[0], before)
            np.maximum.accumulate(ahead, out=ahead)
            totals = sums.copy()
            totals[0] += before
            totals[1:] += ahead[:-1]
            before[:] = ahead[-1]
        so_far, total = sums[-1], totals[-1]
    result: Array = total.max(axis=-1)
    return result


def dynamic_regret(
    gains: ArrayLike, actions: ArrayLike, comparator: int | ArrayLike, *, losses: bool | None = None
) -> Array:
    """Return the total of a sequence of experts minus that of the actions. [mathematics/004.md#setting]

    Parameters
    ----------
    gains : array_like or data frame, shape (T, n); (T, repetitions, n) for a stream in each repetition
        True gains, in any unit.
    actions : array_like of int, shape (T, repetitions), or a frame
        The experts that were played, as for `earned`.
    comparator : int or array_like of int
        A number of switches, for the best sequence with at most that many; or a sequence, shape (T,) or
        (T, repetitions).
    losses : bool, optional
        As for `earned`.

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
    array, played = _game(gains, actions, losses)
    if isinstance(comparator, int | np.integer):
        best = best_total(array, int(comparator), losses=False)
    else:
        check_same_rows(gains, comparator, "regret")
        best = _totals(array, np.reshape(numbered(comparator, gains, "regret"), (len(array), -1)))
    return np.asarray(best - _totals(array, played))


def _totals(gains: Array, actions: Indices) -> Array:
    """Return what actions (T, repetitions or 1) earn, shape (repetitions,) or (1,)."""
    if gains.ndim == 2:
        return np.asarray(earned(gains, actions, losses=False).sum(axis=0))
    actions = checked_actions("regret", actions, gains.shape[-1], rounds=len(gains))
    return np.asarray(np.take_along_axis(gains, actions[..., None], axis=-1).sum(axis=(0, 2)))


def interval_regret(
    gains: ArrayLike, actions: ArrayLike, lengths: ArrayLike, *, losses: bool | None = None
) -> Array:
    """Return the largest regret against an expert in intervals of given lengths. [mathematics/004.md#setting]

    Parameters
    ----------
    gains : array_like or data frame, shape (T, n) or (T, repetitions, n)
        True gains, in any unit.
    actions : array_like of int, shape (T, repetitions), or a frame
        The experts that were played, as for `earned`.
    lengths : array_like of int, shape (k,)
        From 1 to T.
    losses : bool, optional
        As for `earned`.

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
    array, actions = _game(gains, actions, losses)
    actions = checked_actions("regret", actions, array.shape[-1], rounds=len(array))
    wide = array.reshape(array.shape[0], -1, array.shape[-1])
    played, sizes = actions.reshape(len(actions), -1), np.asarray(lengths, dtype=np.intp)
    worst = np.empty((sizes.size, played.shape[1]))
    games = np.broadcast_to(wide, (len(wide), played.shape[1], wide.shape[2]))
    for i, own in enumerate(played.T):  # one game at a time, which stays in the processor's cache
        game = games[:, i]
        missed = (game - np.take_along_axis(game, own[:, None], axis=1)).T
        ahead = np.zeros((len(missed), missed.shape[1] + 1))
        missed.cumsum(axis=1, out=ahead[:, 1:])
        worst[:, i] = [(ahead[:, w:] - ahead[:, :-w]).max() for w in sizes]
    return worst
