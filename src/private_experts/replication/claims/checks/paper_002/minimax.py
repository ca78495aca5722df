"""The least regret that any private algorithm can promise, by linear programming. [mathematics/002.md#minimax]

There are K letters. Letter i is the loss vector in which action i loses 0 and all others lose 1. Under law i letter i
has the probability (1 + (K - 1) gap) / K, and each other letter (1 - gap) / K. So action i is best by `gap`. An
algorithm for T rounds is a law of its first t actions given the first t - 1 letters, for each t. What links these laws
is linear, and so are privacy and the regret. So the least possible worst regret over the K laws is a linear program.
"""

from dataclasses import dataclass
from itertools import permutations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Index = NDArray[np.intp]


@dataclass(frozen=True)
class Minimax:
    """The value of the program, between what a dual solution proves and what an algorithm attains.

    Parameters
    ----------
    least : float
        No private algorithm has less regret on the worst law.
    attained : float
        The regret of the algorithm found.
    """

    least: float
    attained: float


def _words(length: int, letters: int) -> Index:
    """Return all words of that length, shape (length, letters^length), in the order of their numbers."""
    return np.indices((letters,) * length).reshape(length, letters**length)


def _numbers(words: Index, letters: int) -> Index:
    numbers = np.zeros(words.shape[1], dtype=np.intp)
    for each in words:
        numbers = numbers * letters + each
    return numbers


def _orbits(data: int, actions: int, letters: int) -> Index:
    """Return for each pair of words the least number of a pair that is the same up to names of the actions.

    A worst regret is least for an algorithm that treats all actions alike, because the average of an algorithm over all
    names has at most its worst regret. So one variable is enough for all pairs that differ in names alone.
    """
    first, second = _words(data, letters), _words(actions, letters)
    each = []
    for names in permutations(range(letters)):
        given = np.array(names)
        pairs = _numbers(given[first], letters)[:, None] * letters**actions + _numbers(given[second], letters)
        each.append(pairs.ravel())
    return np.asarray(np.min(each, axis=0))


def chances_of_words(length: int, letters: int, gap: float) -> Array:
    """Return the probabilities of all words under law 0, shape (letters^length,)."""
    first = (_words(length, letters) == 0).sum(axis=0)
    likely, other = (1 + (letters - 1) * gap) / letters, (1 - gap) / letters
    return np.asarray(likely**first * other ** (length - first))


def minimax_regret(letters: int, horizon: int, epsilon: float, gap: float) -> Minimax:
    """Return the least worst pseudo-regret of an epsilon-DP algorithm over the K laws.

    Parameters
    ----------
    letters : int
        Number K of actions.
    horizon : int
        At least 1. There are about ``K^(2 horizon - 1) / K!`` variables.
    epsilon : float
        Privacy of all actions together, where one letter may be replaced.
    gap : float
        In (0, 1].

    Returns
    -------
    Minimax
    """
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    places: list[Index] = []  # for each t: the variable of (letters up to t - 1, actions up to t)
    size = 0
    for t in range(1, horizon + 1):
        _, place = np.unique(_orbits(t - 1, t, letters), return_inverse=True)
        places.append(place.reshape(letters ** (t - 1), letters**t) + size)
        size += int(place.max()) + 1

    cost = np.zeros(size)
    for t, place in enumerate(places, start=1):
        wrong = _words(t, letters)[-1] != 0
        weights = gap * chances_of_words(t - 1, letters, gap)[:, None] * wrong
        np.add.at(cost, place, weights)

    # The law of t actions, summed over the last, is the law of t - 1 actions; it does not depend on letter t - 1.
    rows, columns, values, count = [np.zeros(letters, dtype=np.intp)], [places[0].ravel()], [np.ones(letters)], 1
    for t in range(2, horizon + 1):
        _, chosen = np.unique(_orbits(t - 1, t - 1, letters), return_index=True)
        data, before = np.divmod(chosen, letters ** (t - 1))
        number = count + np.arange(chosen.size)
        last = places[t - 1][data[:, None], before[:, None] * letters + np.arange(letters)]
        rows += [np.repeat(number, letters), number]
        columns += [last.ravel(), places[t - 2][data // letters, before]]
        values += [np.ones(last.size), -np.ones(chosen.size)]
        count += chosen.size
    links = csr_array(_entries(values, rows, columns), shape=(count, size))
    totals = np.zeros(count)
    totals[0] = 1.0

    pairs = _neighbours(places[-1], letters, horizon)
    number = np.arange(len(pairs))
    factors = np.concatenate([np.ones(len(pairs)), np.full(len(pairs), -np.exp(epsilon))])
    privacy = csr_array((factors, (np.tile(number, 2), pairs.T.ravel())), shape=(len(pairs), size))

    found = linprog(cost, privacy, np.zeros(len(pairs)), links, totals, bounds=(0, None), method="highs-ipm")
    slack = cost - links.T @ found.eqlin.marginals - privacy.T @ np.minimum(found.ineqlin.marginals, 0)
    # The variables of one t add up to the number of data words, each counted once for its orbit. So dual variables
    # that miss feasibility by a rounding error still prove a bound.
    mass = sum(letters ** (t - 1) for t in range(1, horizon + 1))
    least = float(totals @ found.eqlin.marginals) + mass * min(0.0, float(slack.min()))
    return Minimax(least, float(cost @ found.x))


def _entries(values: list[Array], rows: list[Index], columns: list[Index]) -> tuple[Array, tuple[Index, Index]]:
    return np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))


def _neighbours(place: Index, letters: int, horizon: int) -> Index:
    """Return pairs of variables (rows) whose data differ in one letter and whose actions are the same."""
    data = np.arange(place.shape[0])
    pairs = []
    for power in letters ** np.arange(horizon - 1):
        here = data // power % letters
        for shift in range(1, letters):
            there = data + ((here + shift) % letters - here) * power
            pairs.append(np.stack([place.ravel(), place[there].ravel()], axis=1))
    found = np.unique(np.concatenate(pairs), axis=0) if pairs else np.empty((0, 2), dtype=np.intp)
    return found[found[:, 0] != found[:, 1]]


def privacy_bound(actions: int, horizon: int, epsilon: float, gap: float) -> float:
    """Return a lower bound on the worst regret of an epsilon-DP algorithm. [mathematics/002.md#lower-bound]"""
    step = 1 + gap * np.expm1(epsilon)  # what one round can change the law of the actions by
    rounds = np.arange(min(horizon, int(60 / np.log(step)) + int(np.log(actions) / np.log(step)) + 1))
    return float(gap * ((actions - 1) / (actions - 1 + step**rounds)).sum())


def bayes_bound(actions: int, horizon: int, gap: float) -> float:
    """Return the worst regret that no algorithm can avoid, private or not. [mathematics/002.md#lower-bound]

    When all laws are equally likely, it is best to play the letter that was seen most often.
    """
    from scipy.special import bdtr
    from scipy.stats import binom

    if actions == 2:
        rounds = np.arange(horizon)
        tied = np.where(rounds % 2 == 0, binom.pmf(rounds // 2, rounds, (1 + gap) / 2), 0.0)
        fewer = bdtr((rounds - 1) // 2, rounds, (1 + gap) / 2)  # letter 0 at most (t - 1) / 2 times
        return float(gap * (np.where(rounds == 0, 0.0, fewer) + tied / 2).sum())
    regret = 0.0
    for t in range(horizon):
        words, likely, other = _words(t, actions), (1 + (actions - 1) * gap) / actions, (1 - gap) / actions
        most = np.max([(words == each).sum(axis=0) for each in range(actions)], axis=0)
        regret += gap * (1 - float((likely**most * other ** (t - most)).sum()) / actions)
    return regret
