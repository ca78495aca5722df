"""How far the algorithm is from the best possible: Corollary 1, its lower bound, equation (2) and Remark 1."""

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from private_experts.games.blocks import block_regret, exact_errors
from private_experts.games.instances import deterministic, equal_gaps, opposed
from private_experts.games.stochastic import CoinFlips, Mixture
from private_experts.randomness import rng_for
from private_experts.replication.claims.checks.paper_002.errors import algorithm_of
from private_experts.replication.claims.checks.paper_002.minimax import bayes_bound, minimax_regret, privacy_bound
from private_experts.replication.claims.evidence import Point

Array = NDArray[np.float64]
Grid = Mapping[str, Any]


def _regret(name: str, stream: CoinFlips | Mixture, epsilon: float, horizon: int) -> float:
    algorithm = algorithm_of(name, 2, epsilon, rng_for(0))  # only its law is used, so the generator does not matter
    return float(block_regret(exact_errors(algorithm, stream, horizon.bit_length()), [horizon])[0])


def lower_bound(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """No epsilon-DP algorithm has less regret on all K laws than the lower bound.

    The value is the least possible worst regret, from a linear program: [what a dual solution proves, what an algorithm
    attains]. Points where learning without privacy costs as much as the bound say nothing about privacy.
    [mathematics/002.md#lower-bound]
    """
    points = []
    for (n, horizon), epsilon, gap in product(grid["K, T"], grid["epsilon"], grid["gap"]):
        found = minimax_regret(n, horizon, epsilon, gap)
        where, free = {"K": n, "T": horizon, "epsilon": epsilon, "gap": gap}, bayes_bound(n, horizon, gap)
        bounds = {"privacy": (privacy_bound(n, horizon, epsilon, gap), free), "no privacy": (free, 0.0)}
        for name, (bound, trivial) in bounds.items():
            sides = (found.attained, bound - grid["rounding"], found.least, found.attained)
            notes = {"quotient": found.attained / bound}
            points.append(Point({**where, "bound of": name}, *sides, sense=">=", trivial=trivial, notes=notes))
    return points


def minimax(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The algorithm's regret is at least the least possible one, and at most `factor` times it.

    There are two actions, and the two laws of the linear program are the opposed coin flips. Playing at random is the
    trivial bound. [mathematics/002.md#minimax]
    """
    points = []
    for horizon, epsilon, gap in product(grid["T"], grid["epsilon"], grid["gap"]):
        found = minimax_regret(2, horizon, epsilon, gap)
        ours = _regret("randomised prefix", opposed(equal_gaps(2, gap)), epsilon, horizon)
        where, most = {"T": horizon, "epsilon": epsilon, "gap": gap}, grid["factor"] * found.least
        notes = {"least": found.attained, "quotient": ours / found.attained, "theorem_1": _theorem(2, gap, epsilon)}
        notes["lower_bound"] = max(privacy_bound(2, horizon, epsilon, gap), bayes_bound(2, horizon, gap))
        points.append(Point({**where, "side": "at least"}, ours, found.attained - grid["rounding"], sense=">="))
        points.append(Point({**where, "side": "at most"}, ours, most, trivial=gap * horizon / 2, notes=notes))
    return points


def _theorem(n: int, gap: float, epsilon: float) -> float:
    """Return the bound that the proof of Theorem 1 gives."""
    return float(np.log(n) * (674 / gap + 32 / epsilon))


def corollary_1(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """On the streams of the lower bound, the algorithm's regret is at most `factor` times the lower bound.

    The lower bound is the larger of the private and the free one. Two actions have opposed coin flips; with more, all
    gaps are 1 and nothing is random. Playing at random is the trivial bound. [mathematics/002.md#corollary-1]
    """
    points = []
    for n, gap, epsilon, horizon in (
        (*cell, *rest) for cell, *rest in product(grid["K, gap"], grid["epsilon"], grid["T"])
    ):
        stream = opposed(equal_gaps(2, gap)) if n == 2 else deterministic(equal_gaps(n, gap))
        ours = _regret("randomised prefix", stream, epsilon, horizon)
        free = bayes_bound(n, horizon, gap) if n == 2 else 1 - 1 / n  # without chance one round tells all
        least = max(privacy_bound(n, horizon, epsilon, gap), free)
        where = {"K": n, "gap": gap, "epsilon": epsilon, "T": horizon}
        notes = {"quotient": ours / least, "lower_bound": least, "theorem_1": _theorem(n, gap, epsilon)}
        at_random = gap * (1 - 1 / n) * horizon
        points.append(Point(where, ours, grid["factor"] * least, trivial=at_random, notes=notes))
    return points


def equation_2(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The sum of log K / gap and log K / epsilon is between once and twice log K over the smaller of the two."""
    points = []
    for gap, epsilon in product(grid["gap"], grid["epsilon"]):
        quotient = (1 / gap + 1 / epsilon) * min(gap, epsilon)
        where = {"gap": gap, "epsilon": epsilon}
        points.append(Point({**where, "side": "at most"}, quotient, 2.0))
        points.append(Point({**where, "side": "at least"}, quotient, 1.0, sense=">="))
    return points


def remark_1(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Bounding each action by itself adds up to log^2 K / (2 beta), while the errors add up to log K / beta.

    All gaps are 1 and nothing is random. Where better actions are more likely, the one of rank a has a probability
    of at most 1 / a, and of at most exp(-beta r). The third value is the regret of report-noisy-max in units of
    log K / epsilon. [mathematics/002.md#remark-1]
    """
    points = []
    for n, epsilon in product(grid["K"], grid["epsilon"]):
        beta, ranks = epsilon / 2, np.arange(2, n + 1)
        rounds = np.arange(int((np.log(n) + 40) / beta) + 1)
        each = per_action(ranks, rounds, beta)
        law = algorithm_of("randomised prefix", 2, epsilon, rng_for(0)).law
        scores = np.stack([rounds, np.zeros_like(rounds)], axis=1).astype(np.float64)
        errors = (n - 1) * law(scores, np.array([1, n - 1]))[:, 1]
        horizon = 2 ** (int(np.ceil(np.log2((np.log(n) + 40) / beta))) + 2) - 1
        noisy = _regret("noisy max", deterministic(equal_gaps(n, 1.0)), epsilon, horizon) / (np.log(n) / epsilon)
        where, notes = {"K": n, "epsilon": epsilon}, {"quotient": float(each.sum() / errors.sum())}
        log_k = float(np.log(n))
        points += [
            Point(
                {**where, "sum": "action by action"}, float(each.sum()), log_k**2 / (2 * beta), sense=">=", notes=notes
            ),
            Point({**where, "sum": "errors"}, float(errors.sum()), log_k / beta + 1 - 1 / n),
            Point({**where, "sum": "report-noisy-max"}, noisy, grid["noisy max"], notes=notes),
        ]
    return points


def per_action(ranks: NDArray[np.intp], rounds: NDArray[np.intp], beta: float) -> Array:
    """Return for each rank a the sum over rounds r of the smaller of 1 / a and exp(-beta r), shape (ranks,)."""
    decay = np.exp(-beta * rounds)
    rest = np.append(np.cumsum(decay[::-1])[::-1], 0.0)  # entry r: the sum from r on
    first = np.searchsorted(-decay, -1 / ranks)  # the first round at which the exponential is at most 1 / a
    return np.asarray(first / ranks + rest[first])
