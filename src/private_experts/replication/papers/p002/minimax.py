"""The least regret that a private algorithm can promise, by linear programming. [mathematics/002.md#minimax]

There are K letters: letter i is the loss vector in which action i loses 0 and all others lose 1. Under law i
letter i has the probability (1 + (K - 1) gap) / K, each other (1 - gap) / K. An algorithm is a law of its
first t actions given the first t - 1 letters, for each t; what links these laws, privacy and regret are
linear.
"""

import math
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from private_experts.arrays import Array, Indices
from private_experts.replication.balls.balls import Ball, ball, exp, expm1, log, near, smallest
from private_experts.replication.balls.sums import gamma, rounded


@dataclass(frozen=True)
class Minimax:
    """The value of the program, between what a dual solution proves and what an algorithm attains."""

    least: Ball
    attained: Ball


def _words(length: int, letters: int) -> Indices:
    """Return all words of that length, shape (length, letters^length), in the order of their numbers."""
    return np.indices((letters,) * length).reshape(length, letters**length)


def _numbers(words: Indices, letters: int) -> Indices:
    numbers = np.zeros(words.shape[1], dtype=np.intp)
    for letter in words:
        numbers = numbers * letters + letter
    return numbers


def _orbits(data: int, actions: int, letters: int) -> Indices:
    """Return for each pair of words the least number of a pair that is the same up to names of the actions.

    A worst regret is least for an algorithm that treats all actions alike, so one variable is enough for all
    of these.
    """
    first, second = _words(data, letters), _words(actions, letters)
    renamed = []
    for names in permutations(range(letters)):
        permutation = np.array(names)
        pairs = _numbers(permutation[first], letters)[:, None] * letters**actions + _numbers(
            permutation[second], letters
        )
        renamed.append(pairs.ravel())
    return np.asarray(np.min(renamed, axis=0))


def minimax_regret(letters: int, horizon: int, epsilon: float, gap: float) -> Minimax:
    """Return the least worst pseudo-regret under epsilon-DP, with some ``K^(2 T - 1) / K!`` variables."""
    from scipy.optimize import linprog
    from scipy.sparse import csr_array

    places: list[Indices] = []  # for each t: the variable of (letters up to t - 1, actions up to t)
    size = 0
    for t in range(1, horizon + 1):
        # One variable an orbit: K! times fewer, without which the program is out of reach.
        _, place = np.unique(_orbits(t - 1, t, letters), return_inverse=True)
        places.append(place.reshape(letters ** (t - 1), letters**t) + size)
        size += int(place.max()) + 1

    # wrong actions by t and how often letter 0 came before
    wrong_counts = np.zeros((size, horizon * horizon), dtype=np.intp)
    for t, place in enumerate(places, start=1):
        wrong = np.broadcast_to(_words(t, letters)[-1] != 0, place.shape)
        # By symmetry law 0 alone is asked for: the likelihood depends on how often letter 0 came.
        first = np.broadcast_to((_words(t - 1, letters) == 0).sum(axis=0)[:, None], place.shape)
        np.add.at(wrong_counts, (place[wrong], (t - 1) * horizon + first[wrong]), 1)
    exact = _costs(wrong_counts, letters, gap)
    cost = np.array([near(number) for number in exact])

    # The law of t actions, summed over the last, is the law of t - 1 actions; it does not depend on letter t
    # - 1.
    rows, columns, values, count = (
        [np.zeros(letters, dtype=np.intp)],
        [places[0].ravel()],
        [np.ones(letters)],
        1,
    )
    shares = []  # for each t: the variables of t actions by those of t - 1 that they add up to
    for t in range(2, horizon + 1):
        _, chosen = np.unique(_orbits(t - 1, t - 1, letters), return_index=True)
        data, before = np.divmod(chosen, letters ** (t - 1))
        number = count + np.arange(chosen.size)
        last = places[t - 1][data[:, None], before[:, None] * letters + np.arange(letters)]
        shares.append((places[t - 2][data // letters, before], last))
        rows += [np.repeat(number, letters), number]
        columns += [last.ravel(), shares[-1][0]]
        values += [np.ones(last.size), -np.ones(chosen.size)]
        count += chosen.size
    entries = np.concatenate(values), (np.concatenate(rows), np.concatenate(columns))
    links = csr_array(entries, shape=(count, size))
    totals = np.zeros(count)
    totals[0] = 1.0

    pairs = _neighbours(places[-1], letters, horizon)
    number = np.arange(len(pairs))
    factors = np.concatenate([np.ones(len(pairs)), np.full(len(pairs), -np.exp(epsilon))])
    privacy = csr_array((factors, (np.tile(number, 2), pairs.T.ravel())), shape=(len(pairs), size))

    # What the solver returns is only a candidate: both ends of the answer are proved from it below.
    solution = linprog(
        cost, privacy, np.zeros(len(pairs)), links, totals, bounds=(0, None), method="highs-ipm"
    )
    # Duals of inequalities have a sign; a rounded one on the wrong side would void the bound.
    whole, private = solution.eqlin.marginals, np.minimum(solution.ineqlin.marginals, 0)
    slack = _slack(exact, entries, whole, pairs, private, epsilon)
    # The variables of one t add up to the number of data words, each counted once for its orbit. So dual
    # variables that miss feasibility by a rounding error still prove a bound.
    mass = sum(letters ** (t - 1) for t in range(1, horizon + 1))
    # Weak duality: the only right side that is not 0 is that of the first row.
    least = ball(float(whole[0])) + mass * smallest([ball(0), *slack])
    return Minimax(least, _attained(exact, solution.x, shares, pairs, letters, epsilon, gap))


def _costs(wrong_counts: Indices, letters: int, gap: float) -> list[Ball]:
    """Return the cost of each variable: by wrong action the gap times the chance of letters before it."""
    horizon = math.isqrt(wrong_counts.shape[1])
    likely, other = (1 + (letters - 1) * ball(gap)) / letters, (1 - ball(gap)) / letters
    one_action = [
        ball(gap) * likely**k * other ** max(t - k, 0) for t in range(horizon) for k in range(horizon)
    ]
    kinds, place = np.unique(wrong_counts, axis=0, return_inverse=True)
    of_kind = [
        sum((count * one for count, one in zip(row, one_action, strict=True) if count), ball(0))
        for row in kinds.tolist()
    ]
    return [of_kind[k] for k in place.ravel().tolist()]


def _slack(
    cost: list[Ball],
    links: tuple[Array, tuple[Indices, Indices]],
    whole: Array,
    pairs: Indices,
    private: Array,
    epsilon: float,
) -> list[Ball]:
    """Return by how much the cost of each variable exceeds what dual variables make of it."""
    slack, grows = list(cost), exp(ball(epsilon))
    values, (rows, columns) = links
    dual = [ball(value) for value in whole.tolist()]
    for row, column, value in zip(rows.tolist(), columns.tolist(), values.tolist(), strict=True):
        slack[column] -= dual[row] if value > 0 else -dual[row]
    for (likelier, other), dual_value in zip(pairs.tolist(), private.tolist(), strict=True):
        if dual_value:
            slack[likelier] -= dual_value
            slack[other] += grows * dual_value
    return slack


def _attained(
    cost: list[Ball],
    solution: Array,
    shares: list[tuple[Indices, Indices]],
    pairs: Indices,
    letters: int,
    epsilon: float,
    gap: float,
) -> Ball:
    """Return the regret of a private algorithm near a solution in floats: its laws, linked exactly by shares.

    It is mixed with the one that plays at random, so much that it is private. A share is a quotient by a sum
    of K numbers: `K + 1` roundings for each t, and three more where a likelier number exceeds e^eps times
    another.
    """
    # so that no product is too small for a float
    horizon, x = len(shares) + 1, np.where(solution < 1e-40, 0.0, solution)
    law = np.zeros_like(x)
    # By shares and not by the program's own numbers: so each law is one exactly, up to roundings that are
    # counted.
    law[0] = 1 / letters  # there is one variable for the first action
    for before, last in shares:
        total = x[last].sum(axis=1, keepdims=True)
        share = np.where(total > 0, x[last] / np.where(total > 0, total, 1.0), 1 / letters)
        law[last] = law[before][:, None] * share
    roundings, grows = (letters + 2) * horizon, exp(ball(epsilon))
    likelier, other = law[pairs.T]
    most = near(grows) * other
    beyond = ball(float((likelier - most).max())) + gamma(roundings + 4) * (
        float(likelier.max()) + float(most.max())
    )
    random = ball(float(letters)) ** -horizon  # the chance of each word of actions when they are random
    # Mixed with weight w, the constraint's slack of random play, (e^eps - 1) times its chance, has to cover
    # what is beyond.
    needed = (beyond / (random * (grows - 1))).nonnegative_part().upper()
    mixed = needed / (1 + needed)
    regret = sum(
        (one_cost * one for one_cost, one in zip(cost, law.tolist(), strict=True)), ball(0)
    ) * rounded(1.0, roundings)
    return (1 - mixed) * regret + mixed * horizon * ball(gap) * (letters - 1) / letters


def _neighbours(place: Indices, letters: int, horizon: int) -> Indices:
    """Return pairs of variables (rows) whose data differ in one letter and whose actions are the same."""
    data = np.arange(place.shape[0])
    pairs = []
    for power in letters ** np.arange(horizon - 1):
        here = data // power % letters
        # Both orders come up, since the shifted word has its own turn: privacy holds in both directions.
        for shift in range(1, letters):
            there = data + ((here + shift) % letters - here) * power
            pairs.append(np.stack([place.ravel(), place[there].ravel()], axis=1))
    distinct = np.unique(np.concatenate(pairs), axis=0) if pairs else np.empty((0, 2), dtype=np.intp)
    return distinct[distinct[:, 0] != distinct[:, 1]]


def privacy_bound(actions: int, horizon: int, epsilon: float, gap: float) -> Ball:
    """Return a bound below the worst regret of an epsilon-DP algorithm. [mathematics/002.md#lower-bound]"""
    step = 1 + ball(gap) * expm1(ball(epsilon))  # what one round can change the law of the actions by
    # Terms fall geometrically from there; what is left out is bounded by the series.
    rounds = min(horizon, int((60 + math.log(actions)) / near(log(step))) + 1)
    power, total = ball(1), ball(0)
    for _ in range(rounds):
        total += (actions - 1) / (actions - 1 + power)
        power *= step
    if rounds < horizon:
        total += ball(0, ((actions - 1) / (power * (1 - 1 / step))).upper())
    return ball(gap) * total


def bayes_bound(actions: int, horizon: int, gap: float) -> Ball:
    """Return the worst regret that no algorithm can avoid, private or not. [mathematics/002.md#lower-bound]

    When all laws are equally likely, it is best to play the letter that was seen most often.
    """
    wide, regret = ball(gap), ball(0)
    if actions == 2:
        # The chance to err changes only after a tie of 2 m letters: from a half to q, the other letter's
        # chance.
        q, wrong, tie = (1 - wide) / 2, ball(1) / 2, ball(1)
        less, both = ball(1) / 2 - q, q * (1 - q)
        for t in range(0, horizon, 2):
            regret += wrong
            wrong -= tie * less
            if t + 1 < horizon:
                regret += wrong
            tie *= both * (2 * (t + 1)) / (t // 2 + 1)
        return wide * regret
    likely, other = (1 + (actions - 1) * wide) / actions, (1 - wide) / actions
    for t in range(horizon):
        words = _words(t, actions)
        most = np.max([(words == letter).sum(axis=0) for letter in range(actions)], axis=0)
        kinds = zip(*(column.tolist() for column in np.unique(most, return_counts=True)), strict=True)
        right = sum((count * likely**times * other ** (t - times) for times, count in kinds), ball(0))
        regret += 1 - right / actions
    return wide * regret
