"""Strategies with little noise for what a person in several rounds is promised.

[mathematics/000.md#strategies-in-rounds]
"""

import numpy as np

from private_experts.arrays import Array
from private_experts.errors import InputError
from private_experts.privacy.factorization import (
    checked_sensitivity,
    noise_deviation,
    optimal,
    square_root,
)
from private_experts.privacy.participation import Participation, level_in_rounds
from private_experts.validation import whole


def optimal_band(workload: Array, sensitivity: Array, width: int) -> Array:
    """Return the strategy of so many diagonals with the least squared noise over a workload.

    Data that are `width` rounds or more apart share no release. So a person in k rounds that are at least as
    far apart has sqrt(k) times the level of one round. (Choquette-Choo et al., (Amplified) Banded Matrix
    Factorization, 2023.) Found by descent; other than that of `optimal` its distance from the best one is not
    proved. [mathematics/000.md#strategies-in-rounds]

    Parameters
    ----------
    workload, sensitivity : ndarray
        As for `optimal`.
    width : int
        Number of diagonals b: the main one and those below it. With 1 the reports are local ones.

    Returns
    -------
    ndarray, shape (T, T)

    Raises
    ------
    InputError
        When the width is no whole number of at least 1, the sensitivities do not fit, or the descent fails.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.privacy.factorization import noise_deviation, prefix_sums
    >>> from private_experts.privacy.strategies_in_rounds import optimal_band
    >>> sums, one = prefix_sums(24), np.ones(24)
    >>> strategies = [optimal_band(sums, one, width) for width in (1, 6, 24)]
    >>> [round(float((noise_deviation(sums, each, one) ** 2).mean()), 2) for each in strategies]
    [12.5, 4.05, 3.27]
    """
    from scipy.linalg import solve_triangular  # few who import this room need them
    from scipy.optimize import minimize

    width = whole(width, "strategy", "width")
    rounds = workload.shape[1]
    scaled = workload * checked_sensitivity(sensitivity, rounds)
    wanted = scaled.T @ scaled / np.square(scaled).sum()
    inside = np.nonzero(np.tri(rounds) - np.tri(rounds, k=-width))

    def strategy(entries: Array) -> tuple[Array, Array]:
        raw = np.zeros((rounds, rounds))
        raw[inside] = entries
        lengths = np.sqrt(np.square(raw).sum(axis=0))
        return raw / lengths, lengths

    def noise(entries: Array) -> tuple[float, Array]:
        made, lengths = strategy(entries)
        inverse = solve_triangular(made, np.eye(rounds), lower=True)
        product = inverse.T @ wanted @ inverse  # its trace is the squared noise
        slope = -2 * product @ inverse.T
        slope = (slope - made * (slope * made).sum(axis=0)) / lengths  # along columns of length 1
        return float(np.trace(product)), slope[inside]

    # To the last digits: where it ends must not hang on the machine.
    options = {"maxiter": 2000, "ftol": 1e-12, "gtol": 1e-9}
    found = minimize(noise, square_root(rounds)[inside], jac=True, method="L-BFGS-B", options=options)
    if not found.success:
        raise InputError(f"workload: its best strategy of width {width} was not found: {found.message}")
    made, _ = strategy(found.x)
    return np.asarray(made * np.sign(np.diag(made))[:, None], dtype=np.float64)


def strategy_for(workload: Array, sensitivity: Array, participation: Participation) -> Array:
    """Return a strategy with little squared noise at a level for a person in several rounds.

    It is the best of four: local reports, the square root of the prefix sums, `optimal`, and `optimal_band`
    as wide as the person's rounds are apart. What is compared is the noise over the workload times the level
    of such a person. The mechanism that is made with it is told the level of one round; `privacy_report` says
    that of all.

    Parameters
    ----------
    workload, sensitivity : ndarray
        As for `optimal`.
    participation : Participation
        In which rounds a person is.

    Returns
    -------
    ndarray, shape (T, T)

    Raises
    ------
    InputError
        As for `optimal` and `optimal_band`.

    Examples
    --------
    The noise of sums over 26 weeks at 1-GDP for a person who comes back after six weeks at the earliest:

    >>> import numpy as np
    >>> from private_experts.privacy import Participation
    >>> from private_experts.privacy.factorization import noise_deviation, optimal, prefix_sums
    >>> from private_experts.privacy.participation import level_in_rounds
    >>> from private_experts.privacy.strategies_in_rounds import strategy_for
    >>> sums, one, weeks = prefix_sums(26), np.ones(26), Participation(4, apart=6)
    >>> for made in (optimal(sums, one).strategy, strategy_for(sums, one, weeks)):
    ...     level = level_in_rounds(made.T @ made, weeks)
    ...     print(round(level * float(np.sqrt((noise_deviation(sums, made, one) ** 2).mean())), 2))
    4.97
    4.13
    """
    rounds = workload.shape[1]
    made = [np.eye(rounds), square_root(rounds), optimal(workload, sensitivity).strategy]
    if 1 < participation.apart < rounds and participation.rounds > 1:
        made.append(optimal_band(workload, sensitivity, participation.apart))

    def cost(strategy: Array) -> float:
        squared = np.square(noise_deviation(workload, strategy, sensitivity)).sum()
        return float(squared) * level_in_rounds(strategy.T @ strategy, participation) ** 2

    return min(made, key=cost)
