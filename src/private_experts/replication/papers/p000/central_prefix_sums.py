"""Central prefix sums with less noise than the paper's tree: privacy, estimates, and what is best.

Nothing is sampled: the noise source records which draw enters where, in the code that plays.
[mathematics/000.md#central-sums]
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise, product
from typing import Any

import numpy as np

from private_experts.algorithms.prefix_ftpl import PrefixSums
from private_experts.arrays import Array, Indices
from private_experts.privacy.correlated import MatrixSums
from private_experts.privacy.factorization import (
    geometric,
    noise_deviation,
    optimal,
    prefix_sums,
    square_root,
)
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import Noise
from private_experts.privacy.strategies_in_rounds import optimal_band
from private_experts.privacy.tight_tree import TightTreeSums
from private_experts.privacy.tree import least_scale
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    flint,
    largest,
    near,
    precision,
    rational,
    sqrt,
)
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.balls.matrices import largest_entry, matrix, squared_levels
from private_experts.replication.balls.sums import rounded
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.prefix_noise import mean_lengths
from private_experts.replication.papers.p000.solves import (
    nuclear_at_least,
    squared_levels_between,
    squares_after,
)
from private_experts.replication.papers.p000.tree_baseline import Sources
from private_experts.replication.study.players.central_learners import workload as forecast_workload

# Sensitivities by name: the same in all rounds, rising, and with rare rounds that show three times as much.
PATTERNS: dict[str, Callable[[int], Array]] = {
    "constant": np.ones,
    "rising": lambda rounds: np.linspace(1.0, 2.0, rounds),
    "spikes": lambda rounds: np.where(np.arange(rounds) % 7 == 3, 3.0, 1.0),
}

TAKEN_BACK = 0.5  # the part of the noise of a report that the next one takes back, as in the study
_EQUAL = 1e-9  # relative: costs that differ by less are equal but for rounding errors
BAND = 3  # diagonals of a strategy for people who come back after as many rounds

SETTINGS = list(product([8, 16, 32, 64], [0.1, 1.0, 10.0]))  # windows and strengths of the study's learners


def workload_of(name: str, rounds: int) -> Array:
    """Return the workload of a name: the prefix sums, or the forecasts of the learners."""
    return prefix_sums(rounds) if name == "prefix sums" else forecast_workload("trend", SETTINGS, rounds)


def mechanism(name: str, n: int, bounds: Array, mu: float, source: Noise, repetitions: int) -> PrefixSums:
    """Return the sums of one mechanism, by the name of the player who follows their leader."""
    guarantee = GaussianDP(mu, "central")
    if name in ("tree-tight", "tree-honaker"):
        refined = name == "tree-honaker"
        return TightTreeSums(
            n, guarantee, sensitivity=bounds, noise=source, refined=refined, repetitions=repetitions
        )
    if name == "square-root":
        strategy = square_root(len(bounds))
    elif name == "taken-back":
        strategy = geometric(len(bounds), TAKEN_BACK)
    elif name == "band":
        strategy = optimal_band(prefix_sums(len(bounds)), bounds, BAND)
    else:
        best_for = {"optimised-sums": "prefix sums", "central-learners": "forecasts"}[name]
        strategy = optimal(workload_of(best_for, len(bounds)), bounds, tolerance=1e-9).strategy
    return MatrixSums(
        n, guarantee, strategy=strategy, sensitivity=bounds, noise=source, repetitions=repetitions
    )


@dataclass(frozen=True)
class Release:
    """What a mechanism releases: the data in each draw's value, its scale, and the draws in each sum."""

    protected: Array  # (draws, T): how each datum enters what each draw protects
    scales: Array
    sums: Array  # (T, T): how each datum enters the sum that is released before each round
    loadings: Array  # (T, draws): how each draw enters it
    drawn: Indices  # (T,): how many draws there were before each round


def release_of(name: str, bounds: Array, mu: float) -> Release:
    """Play a mechanism on unit vectors with recorded draws; the last repetition has no noise."""
    rounds = len(bounds)
    source = Sources()
    # A copy for each draw, in which it alone is not 0: so the released sums show where each draw enters.
    copies = rounds * (2 if name == "tree-honaker" else 1) + 2  # one for each draw, and one for none
    sums = mechanism(name, rounds, bounds, mu, source, copies)
    released, drawn = [], []
    for datum in np.eye(rounds):
        drawn.append(source.draws)
        released.append(sums.release())
        sums.add(datum)
    every = np.array(released)  # (T, copies, T)
    means, loadings = every[:, -1], every[:, : source.draws, 0] - every[:, -1:, 0]
    return Release(np.array(source.released), np.array(source.scales), means, loadings, np.array(drawn))


def _releases(grid: Grid) -> Iterator[tuple[dict[str, Any], Array, float, Release]]:
    """Yield each cell of a grid of mechanisms, with its sensitivities, its level and what it releases."""
    for name, pattern, rounds, mu in product(grid["mechanism"], grid["pattern"], grid["T"], grid["mu"]):
        bounds = PATTERNS[pattern](rounds)
        yield (
            {"mechanism": name, "pattern": pattern, "T": rounds, "mu": mu},
            bounds,
            mu,
            release_of(name, bounds, mu),
        )


def central_privacy(grid: Grid) -> list[Point]:
    """The datum that costs most costs mu, no more and no less; what draws are used for costs no more.

    Where noise is taken back, it costs mu in the limit of many rounds, and sqrt(1 - beta^(2 T)) mu before.

    The level is the root of the sum of (shift / scale)^2 over all independent draws. Second route, from the
    released sums alone: ``d' C^-1 d``. [mathematics/000.md#correlated-reports]
    """
    points = []
    with precision():
        slack = rational("1e-9")
        for where, bounds, mu, release in _releases(grid):
            # A datum's squared level: how far it moves what each draw protects, in units of the draw.
            squares = bounds**2 * np.square(release.protected / release.scales[:, None]).sum(axis=0)
            # as far off as any, relative
            of_draws = sqrt(rounded(float(squares.max()), len(release.scales) + 4))
            # The first of those that cost most: where costs are equal, rounding errors would choose one.
            notes = {"round": int(np.argmax(squares >= squares.max() * (1 - _EQUAL))) + 1}
            cell = {**where, "what": "draws"}
            points.append(at_point(cell, of_draws, mu * (1 + slack), notes))
            least_level = mu * (1 - slack)
            if where["mechanism"] == "taken-back":
                # Columns of the geometric strategy are cut at the last round, and the first is the longest.
                least_level *= sqrt(1 - ball(TAKEN_BACK) ** (2 * len(bounds)))
            points.append(at_point(cell, of_draws, least_level, notes, sense=">="))
            # Before the first datum there is nothing to tell.
            low, high = squared_levels_between(release.sums[1:], release.loadings[1:])
            least, most = (rounded(float((bounds**2 * level).max()), 3) for level in (low, high))
            of_sums = sqrt(least.union(most))
            points.append(at_point({**where, "what": "sums"}, of_sums, mu * (1 + slack)))
    return points


def central_estimates(grid: Grid) -> list[Point]:
    """Every released sum is unbiased, and no linear unbiased estimate from the same draws has less variance.

    Second route: weights w give an unbiased estimate of the prefix p if ``B u = p``, ``u = scale * w``, and
    have variance ``|u|^2``, which is at least ``p' (B B')^-1 p``. [mathematics/000.md#honaker]
    """
    points = []
    for where, _, _, release in _releases(grid):
        rounds, tolerance = len(release.sums), ball(grid["tolerance"])
        with precision():
            truth, excess = np.tri(rounds, k=-1), [ball(0)]
            bias = largest_entry(matrix(release.sums) - matrix(truth))
            rows = zip(release.protected.tolist(), release.scales.tolist(), strict=True)
            weighted = [[entry / ball(scale) for entry in row] for row, scale in rows]
            for t in range(1, rounds, grid["every"]):
                loadings = flint().arb_mat([row[:t] for row in weighted[: release.drawn[t]]])
                # The least variance of an unbiased estimate of the prefix, by Gauss and Markov.
                best = squared_levels(matrix(np.ones((t, 1))), loadings.transpose() * loadings)[0]
                variance = sum((ball(loading) * loading for loading in release.loadings[t].tolist()), ball(0))
                excess.append(abs(variance / best - 1))
            points.append(at_point({**where, "what": "bias"}, bias, tolerance))
            points.append(at_point({**where, "what": "excess variance"}, largest(excess), tolerance))
    return points


def least_noise(workload: Array, strategy: Array, bounds: Array) -> Ball:
    """Return a ball whose lower end is below the total squared noise of every strategy, by weak duality.

    For every v > 0, ``tr(M X^-1) >= (tr (V^1/2 M V^1/2)^1/2)^2 / sum v``; v is the diagonal of ``X^-1 M
    X^-1``, and the trace the sum of the singular values of W D V^1/2. [mathematics/000.md#optimal-strategy]
    """
    scaled = workload * bounds
    wanted_gram, gram = scaled.T @ scaled, strategy.T @ strategy
    # Any positive v gives a valid bound; this one is nearly the best, so floats will do to find it.
    roots = np.sqrt(np.diag(np.linalg.solve(gram, np.linalg.solve(gram, wanted_gram).T)))
    return nuclear_at_least(scaled * roots) ** 2 / sum(
        (ball(root) * root for root in roots.tolist()), ball(0)
    )


def optimal_strategy(grid: Grid) -> list[Point]:
    """The optimised strategy has the least squared noise, up to its duality gap, and spends mu every week."""
    points = []
    # The workload in units of the sensitivities is taken for the binary numbers that it is.
    for name, pattern, rounds in product(grid["workload"], grid["pattern"], grid["T"]):
        workload, bounds = workload_of(name, rounds), PATTERNS[pattern](rounds)
        strategy = optimal(workload, bounds, tolerance=1e-9).strategy
        where = {"workload": name, "pattern": pattern, "T": rounds}
        with precision():
            total, least = squares_after(workload * bounds, strategy), least_noise(workload, strategy, bounds)
            computed = float((noise_deviation(workload, strategy, bounds) ** 2).sum())
            # Shown beside the gap: how much is left to gain over the closed form.
            rival = float((noise_deviation(workload, square_root(rounds), bounds) ** 2).sum())
            notes = {"square root": rival / near(least) - 1}
            points.append(at_point({**where, "what": "gap"}, total / least - 1, ball(1e-6), notes))
            points.append(agreement({**where, "what": "library"}, computed, total, 1e-9))
            lengths = np.square(strategy).sum(axis=0)
            ends = (rounded(float(length), rounds) for length in (lengths.min(), lengths.max()))
            longest = largest(abs(end - 1) for end in ends)
            points.append(at_point({**where, "what": "columns"}, longest, ball(1e-9)))
    return points


def strategies(bounds: Array) -> dict[str, Array]:
    """Return the strategies for prefix sums, by name."""
    weeks = len(bounds)
    return {
        "square-root": square_root(weeks),
        "optimised-sums": optimal(prefix_sums(weeks), bounds, tolerance=1e-9).strategy,
    }


def mean_noises(bounds: Array, strategy: Mapping[str, Array]) -> dict[str, float]:
    """Return the library's mean noise over all prefixes that are played on, at mu = 1, by name."""
    weeks = len(bounds)
    means = {
        "min-noise": least_scale(GaussianDP(1.0, "central"), float(bounds.max()), weeks),
        "rw-ftpl": float(noise_deviation(prefix_sums(weeks)[:-1], np.eye(weeks), bounds).mean()),
    }
    for name in ("tree-tight", "tree-honaker"):
        means[name] = float(np.sqrt((release_of(name, bounds, 1.0).loadings[1:] ** 2).sum(axis=1)).mean())
    for name, factor in strategy.items():
        means[name] = float(noise_deviation(prefix_sums(weeks)[:-1], factor, bounds).mean())
    return means


def central_noise(grid: Grid, panels: Mapping[str, Any]) -> list[Point]:
    """On the panels each way to release prefix sums has less mean noise over weeks than the one before.

    The mean is over the prefixes that are played on: those before the last week.
    """
    points = []
    for state, panel in panels.items():
        bounds = np.sqrt(2) / np.maximum(panel.smallest_beds, 1.0)
        strategy = strategies(bounds)
        computed = mean_noises(bounds, strategy)
        with precision():
            means = mean_lengths(bounds, strategy)
            for more, less in pairwise(means):
                notes = {"noise": near(means[less])}
                where = {"state": state, "less": less, "than": more}
                points.append(at_point(where, means[less] / means[more], ball(1), notes))
            points += [
                agreement({"state": state, "library": name}, computed[name], means[name], 1e-9)
                for name in means
            ]
    return points
