"""Softmax errors over prefixes: the clock, the potential, and their sum. [002, Sections 5.3 and 5.4]

The softmax error q_r is the expected gap of an action drawn with probability proportional to exp(-beta * loss
in r rounds). [mathematics/002.md#softmax-errors]
"""

from collections.abc import Iterator
from itertools import product
from typing import Any, Literal

import numpy as np

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.interface import Algorithm
from private_experts.algorithms.randomized_prefix import RandomizedPrefix
from private_experts.arrays import Array
from private_experts.games.play import play
from private_experts.games.streams import (
    KINDS,
    CoinFlips,
    Mixture,
    chunks,
    doubling_gaps,
    equal_gaps,
    gaps,
    pseudo_regret,
)
from private_experts.privacy.guarantees import PureDP
from private_experts.privacy.selection import exponential_law
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, exp, log, log1p, precision
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.blocks import block_regret, exact_errors, prefix_errors
from private_experts.replication.study.intervals import mean_interval

WITH_LAPLACE = ("noisy max", "resampled")  # algorithms by name; all others select by softmax


def instance(kind: str, n: int, gap: float, doubling: bool = False) -> CoinFlips | Mixture:
    """Return a stream of a kind in `KINDS` with about n actions: equal gaps, or gaps that double by group."""
    return KINDS[kind](doubling_gaps(round((n - 1) ** 0.5), gap) if doubling else equal_gaps(n, gap))


def simulated_regret(
    algorithm: Algorithm, stream: CoinFlips | Mixture, horizon: int, rng: np.random.Generator
) -> Array:
    """Return the pseudo-regret of each repetition. All rounds are played, each on its own stream."""
    repetitions = len(algorithm.predict())
    return np.sum(
        [
            pseudo_regret(gaps(stream), play(algorithm, rounds, resume=True))
            for rounds in chunks(stream, horizon, repetitions, rng)
        ],
        axis=0,
    )


def lemma_4(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The pseudo-regret is at most 1 + 4 sum_r q_r. The sum is over the prefixes that T rounds can have.

    The regret is played. The sum is exact; r goes up to the length of the last block whose selection is
    played. Lazy is uniform play.
    """
    cells = cells_of(grid, "kind, K, gap", "epsilon", "T")
    points = []
    for where, kind, n, gap, epsilon, horizon in cells:
        stream, key = instance(kind, n, gap), (seed, "clock", kind, n, gap, epsilon, horizon, repetitions)
        algorithm = RandomizedPrefix(
            n, PureDP(epsilon, "central"), rng=rng_for(*key, "own"), repetitions=repetitions
        )
        mean, low, high = mean_interval(
            simulated_regret(algorithm, stream, horizon, rng_for(*key)), intervals=len(cells)
        )
        # The last block's own selection is made from the block before, so longer prefixes are never used.
        longest = 2 ** (horizon.bit_length() - 2) if horizon > 1 else 0
        errors = prefix_errors(algorithm.law, stream, np.arange(1, longest + 1))
        sides = (float(mean), 1 + 4 * float(errors.sum()), float(low), float(high))
        at_most, lazy = (horizon * float(gap_of) for gap_of in (gaps(stream).max(), gaps(stream).mean()))
        points.append(Point(where, *sides, trivial=at_most, lazy=lazy))
    return points


def played_regret(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The regret of playing every round is the one computed from the law of the blocks' totals.

    Lazy is uniform play.
    """
    cells = cells_of(grid, "algorithm", "kind, K, gap", "epsilon", "T")
    points = []
    for where, name, kind, n, gap, epsilon, horizon in cells:
        stream, key = (
            instance(kind, n, gap),
            (seed, "played", name, kind, n, gap, epsilon, horizon, repetitions),
        )
        algorithm = algorithm_of(name, n, epsilon, rng_for(*key, "own"), repetitions)
        exact = block_regret(exact_errors(algorithm, stream, horizon.bit_length()), [horizon])[0]
        # As shares of the exact regret, so that one tolerance serves all cells.
        ratios = simulated_regret(algorithm, stream, horizon, rng_for(*key)) / exact
        mean, low, high = (float(end) for end in mean_interval(ratios, intervals=len(cells)))
        lazy, notes = float(horizon * gaps(stream).mean() / exact), {"exact": exact}
        points.append(Point(where, mean, 1 - grid["tolerance"], low, high, ">=", notes, lazy=lazy))
        points.append(Point(where, mean, 1 + grid["tolerance"], low, high, "<=", notes, lazy=lazy))
    return points


def algorithm_of(
    name: str, n: int, epsilon: float, rng: np.random.Generator, repetitions: int = 1
) -> DyadicLeader:
    """Return an algorithm by name: the paper's, or one with which it is compared."""
    guarantee = PureDP(epsilon, "central")
    if name == "randomised prefix":
        return RandomizedPrefix(n, guarantee, rng=rng, repetitions=repetitions)
    selection: Literal["laplace", "gumbel"] = "laplace" if name in WITH_LAPLACE else "gumbel"
    return DyadicLeader(n, guarantee, rng=rng, repetitions=repetitions, selection=selection)


def _paths(
    stream: CoinFlips | Mixture, rounds: int, repetitions: int, rng: np.random.Generator
) -> Iterator[Array]:
    """Yield total gains after r = 1, 2, ... rounds, in arrays of shape (rounds, repetitions, n)."""
    total = np.zeros((repetitions, stream.means.size))
    for part in chunks(stream, rounds, repetitions, rng):
        totals = total + part.cumsum(axis=0)
        total = totals[-1]
        yield totals


def _rest(stream: CoinFlips | Mixture, beta: float, rounds: int) -> float:
    """Return a bound on the sum of errors over r > `rounds`. [mathematics/002.md#sum-bounds]

    For any theta in [0, beta], action a is drawn with probability at most E exp(-theta D_r(a)).
    """
    best, shortfalls = int(stream.means.argmax()), gaps(stream)
    moments = np.ones(len(shortfalls))
    # Any theta gives a bound; for small gaps a large theta makes moments exceed 1, and the sum would not
    # converge.
    for theta in beta * np.arange(1, 21) / 20:
        if isinstance(stream, Mixture):
            vectors = stream.vectors
            one = stream.probabilities @ np.exp(-theta * (vectors[:, best, None] - vectors))
        else:
            first, others = stream.means[best], stream.means
            # The two flips are independent, so the moment of their difference is a product.
            one = (1 - first + first * np.exp(-theta)) * (1 - others + others * np.exp(theta))
        moments = np.minimum(moments, one)
    worse = shortfalls > 0
    # Rounds are independent: errors fall at least geometrically, and what is left is a geometric series.
    return float((shortfalls[worse] * moments[worse] ** (rounds + 1) / (1 - moments[worse])).sum())


def _enough(stream: CoinFlips | Mixture, beta: float, most: float) -> int:
    """Return a number of rounds, a power of 2, after which the rest of the sum is at most `most`."""
    rounds = 16
    while _rest(stream, beta, rounds) > most:
        rounds *= 2
    return rounds


def _exact(stream: CoinFlips | Mixture) -> bool:
    return stream.means.size == 2 or (isinstance(stream, Mixture) and len(stream.vectors) == 1)


def _sums(stream: CoinFlips | Mixture, beta: float, rounds: int, repetitions: int, *key: Any) -> Array:
    """Return sums of errors over r = 1..rounds: the expectation, shape (1,), or a sum a repetition."""
    # With two actions, or one vector, there is a law to sum over; else the totals are simulated.
    if _exact(stream):
        law = RandomizedPrefix(2, PureDP(2 * beta, "central"), rng=rng_for(*key)).law
        return prefix_errors(law, stream, np.arange(1, rounds + 1)).sum(keepdims=True)
    paths = _paths(stream, rounds, repetitions, rng_for(*key))
    return np.sum([(exponential_law(totals, beta) @ gaps(stream)).sum(axis=0) for totals in paths], axis=0)


def lemma_5(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The sum of q_r over all r >= 1 is at most A log K / Delta_min + B log K / beta.

    The sum stops where a bound on its rest is at most `rest` times log K / beta. That bound is added to the
    upper end.
    """
    cells = list(product(grid["kind, K, gap, doubling"], grid["beta"]))
    points = []
    for (kind, n, gap, doubling), beta in cells:
        stream = instance(kind, n, gap, doubling)
        log_k = float(np.log(stream.means.size))
        rounds = _enough(stream, beta, grid["rest"] * log_k / beta)
        sums = _sums(
            stream, beta, rounds, repetitions, seed, "lemma 5", kind, n, gap, doubling, beta, repetitions
        )
        value, low, high = _with_rest(sums, _rest(stream, beta, rounds), len(cells))
        where = {"kind": kind, "K": stream.means.size, "gap": gap, "doubling": doubling, "beta": beta}
        for name, (a, b) in grid["constants"].items():
            bound = a * log_k / gap + b * log_k / beta
            points.append(
                Point({**where, "constants": name}, value, bound, low, high, notes={"rounds": rounds})
            )
    return points


def _with_rest(sums: Array, rest: float, intervals: int) -> tuple[float, float, float]:
    """Return the mean of sums, exact where there is one, and its interval with what they leave out."""
    mean, low, high = [sums[0]] * 3 if len(sums) == 1 else mean_interval(sums, intervals=intervals)
    return float(mean), float(low), float(high) + rest


def potential(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Restrict the softmax to gaps above beta. Expected gaps M_r sum to at most 4 log K / beta over r >= 0.

    The sum stops where a bound on its rest is at most `rest` times log K / beta. That bound is added to the
    upper end.
    """
    cells = list(product(grid["kind, K, gap, doubling"], grid["beta"]))
    points = []
    for (kind, n, gap, doubling), beta in cells:
        whole = instance(kind, n, gap, doubling)
        stream = _restricted(whole, beta)
        # Without a large gap nothing is left to sum.
        if stream.means.size == 1:
            continue
        log_k = float(np.log(whole.means.size))
        rounds = _enough(stream, beta, grid["rest"] * log_k / beta)
        key = (seed, "potential", kind, n, gap, doubling, beta, repetitions)
        # M_0, which is uniform: the sums begin after the first round.
        sums = _sums(stream, beta, rounds, repetitions, *key) + gaps(stream).mean()
        value, low, high = _with_rest(sums, _rest(stream, beta, rounds), len(cells))
        where = {"kind": kind, "K": whole.means.size, "gap": gap, "doubling": doubling, "beta": beta}
        # Against the log of all K, as in the paper, though fewer actions are left.
        notes = {"large": stream.means.size - 1, "of_log_k_over_beta": value * beta / log_k, "rounds": rounds}
        for name, constant in grid["constants"].items():
            bound = constant * log_k / beta
            points.append(Point({**where, "constants": name}, value, bound, low, high, notes=notes))
    return points


def _restricted(stream: CoinFlips | Mixture, beta: float) -> CoinFlips | Mixture:
    """Return the stream of the best action and the actions whose gap exceeds beta."""
    # Small gaps are another lemma's case: there the potential would not fall by enough in each round.
    kept = (gaps(stream) == 0) | (gaps(stream) > beta)
    if isinstance(stream, CoinFlips):
        return CoinFlips(stream.means[kept])
    return Mixture(stream.vectors[:, kept], stream.probabilities)


def potential_sum(n: int, beta: float, rounds: int) -> Ball:
    """Return a sum of ``M_r = (K - 1) / (K - 1 + e^(beta r))`` over all r >= 0; from `rounds` on bounded."""
    decay, weight, total = exp(-ball(beta)), ball(1), ball(0)
    # Weights fall geometrically, so from some round on the terms lie between an integral and one term more.
    for _ in range(rounds):
        total += (n - 1) * weight / ((n - 1) * weight + 1)
        weight *= decay
    return total + log1p((n - 1) * weight) / ball(beta) + ball(0, ((n - 1) * weight).upper())


def potential_attained(grid: Grid) -> list[Point]:
    """When every other action loses 1 more each round, sum_r M_r is log K / beta to 1 - 1/K above it.

    M_r falls with r, its integral from 0 is log K / beta, and M_0 = 1 - 1/K.
    """
    points = []
    for where, n, beta in cells_of(grid, "K", "beta"):
        # By then (K - 1) e^(-beta r) is below e^-40, and the rest of the sum as well.
        scores = np.zeros((int((np.log(n) + 40) / beta), 2))
        scores[:, 0] = np.arange(len(scores))
        # Two scores with counts stand for K actions, so that K can be astronomical.
        computed = float((n - 1) * exponential_law(scores, beta, [1, n - 1])[:, 1].sum())
        with precision():
            total = potential_sum(n, beta, len(scores))
            excess = total - log(n) / ball(beta)
            points.append(at_point({**where, "side": "below"}, excess, ball(0), sense=">="))
            points.append(at_point({**where, "side": "above"}, excess, 1 - ball(1) / n))
            points.append(agreement({**where, "side": "sum of the law"}, computed, total, 1e-9))
    return points
