"""How filters weigh all reports that they have seen, round by round. [mathematics/000.md#learners]"""

import functools
from collections.abc import Callable, Sequence

import numpy as np

from private_experts.arrays import Array


@functools.lru_cache(maxsize=4096)
def shared_weights(
    weights: Callable[[int, int, float], Array], window: int, held: int, strength: float
) -> Array:
    """Return a filter that all banks with these settings share, as those of all states and levels do."""
    found = weights(window, held, strength)
    found.flags.writeable = False
    return found


def forecast_rows(
    weights: Callable[[int, int, float], Array], settings: Sequence[tuple[int, float]], rounds: int
) -> Array:
    """Return how the forecasts of a bank of filters weigh all reports. [mathematics/000.md#learners]

    A curator who knows these rows can choose the noise for them.

    Parameters
    ----------
    weights : callable
        ``weights(window, count, strength)``, such as `trend_weights`.
    settings : sequence of (int, float)
        Window and strength of each learner.
    rounds : int
        Number of rounds with reports, at least 1.

    Returns
    -------
    ndarray, shape (learners, rounds, rounds)
        Entry ``[i, t]`` holds the weights of learner i after t + 1 reports, the oldest report first.

    Examples
    --------
    One learner that remembers two rounds, after each of three reports:

    >>> from private_experts.learners import forecast_rows, trend_weights
    >>> forecast_rows(trend_weights, [(2, 1.0)], rounds=3)[0].round(2).tolist()
    [[1.0, 0.0, 0.0], [0.33, 0.67, 0.0], [0.0, 0.33, 0.67]]
    """
    rows = np.zeros((len(settings), rounds, rounds))
    for learner, (window, strength) in zip(rows, settings, strict=True):
        for t in range(rounds):
            held = min(window, t + 1)
            learner[t, t + 1 - held : t + 1] = shared_weights(weights, window, held, strength)[::-1]
    return rows
