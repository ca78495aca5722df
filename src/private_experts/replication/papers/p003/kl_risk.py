"""KL risk of both algorithms and randomised response and bounds. [003, Lemmas 5, 8; Theorems 4, 5]"""

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

from private_experts.arrays import Array
from private_experts.distribution_learning.approximate import NoisyVector
from private_experts.distribution_learning.centred import CentredCoordinate
from private_experts.distribution_learning.clipping import clip
from private_experts.distribution_learning.game import Risk, play_labels
from private_experts.distribution_learning.hadamard_response import HadamardResponse
from private_experts.distribution_learning.label_learner import Mechanism
from private_experts.distribution_learning.long_run import play_long
from private_experts.distribution_learning.posterior import ResponsePosterior
from private_experts.distribution_learning.pure import NoisyCoordinate
from private_experts.distribution_learning.randomized_response import RandomizedResponse
from private_experts.distribution_learning.risk import kl
from private_experts.distribution_learning.scaling import Scaling
from private_experts.distribution_learning.subset_selection import SubsetSelection
from private_experts.privacy.guarantees import ApproximateDP, PureDP
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, exp, expm1, largest, log, log1p, precision
from private_experts.replication.balls.boxes import at_point, widened
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p003.classes import (
    dirichlet,
    lower_bound_class,
    lower_bound_gap,
    needle,
    tilted,
)
from private_experts.replication.papers.p003.features import FEATURES
from private_experts.replication.study.intervals import mean_interval

_DELTA = 1e-5


def class_of(name: str, experts: int, horizon: int, epsilon: float, seed: int) -> Array:
    """Return the class (K, M) of this name. Its first distribution is the truth."""
    if name == "lower bound":  # `experts` counts distributions; each pair has two
        return lower_bound_class(experts // 2, lower_bound_gap(experts // 2, horizon, epsilon))
    if name == "dirichlet":
        return dirichlet(experts, 16, 0.5, rng_for(seed, "dirichlet", experts))
    kind, _, amplitude = name.partition(" ")
    return {"tilted": tilted, "needle": needle}[kind](experts, float(amplitude))


def mechanism_of(algorithm: str, experts: int, labels: int, horizon: int, epsilon: float) -> Mechanism:
    """Return the mechanism that users run."""
    if algorithm == "algorithm 1":
        return NoisyVector(experts, ApproximateDP(epsilon, _DELTA, "local"), horizon=horizon)
    guarantee = PureDP(epsilon, "local")
    if algorithm == "algorithm 2":
        return NoisyCoordinate(experts, guarantee, horizon=horizon)
    if algorithm == "centred reports":
        return CentredCoordinate(experts, guarantee, horizon=horizon)
    kinds: dict[str, type[RandomizedResponse | SubsetSelection]] = {
        "posterior": ResponsePosterior,
        "subset selection": SubsetSelection,
        "Hadamard response": HadamardResponse,
        "randomised response": RandomizedResponse,
    }
    return kinds[algorithm](experts, guarantee, labels=labels, horizon=horizon)


def _games(
    algorithm: str, grid: Grid, repetitions: int, seed: int
) -> Iterator[tuple[dict[str, Any], Mechanism, Risk, float]]:
    """Yield very long games with one feature, then games with changing features, played round by round.

    The last is the risk of constant weights.
    """
    for name, experts, horizon, epsilon in product(grid["class"], grid["K"], grid["T_long"], grid["eps"]):
        classes = class_of(name, experts, horizon, epsilon, seed)
        mechanism = mechanism_of(algorithm, experts, classes.shape[-1], horizon, epsilon)
        rng = rng_for(seed, algorithm, name, experts, horizon, epsilon, repetitions)
        where = {"class": name, "features": "one", "K": experts, "T": horizon, "eps": epsilon}
        # With one feature the reports' sums suffice, so T may be far larger than could be played.
        risk = play_long(mechanism, classes, truth=0, repetitions=repetitions, rng=rng)
        yield where, mechanism, risk, horizon * unlearned(classes)
    for features, experts, horizon, epsilon in product(
        grid["features"], grid["K"], grid["T"], grid["eps_low_privacy"]
    ):
        base = tilted(experts, 0.9)
        mechanism = mechanism_of(algorithm, experts, base.shape[-1], horizon, epsilon)
        rng = rng_for(seed, algorithm, features, experts, horizon, epsilon, repetitions)
        where = {"class": "tilted 0.9", "features": features, "K": experts, "T": horizon, "eps": epsilon}
        rounds = FEATURES[features](base, horizon, rng)
        risk = play_labels(mechanism, rounds, truth=0, repetitions=repetitions, rng=rng)
        yield where, mechanism, risk, sum(map(unlearned, rounds))


def unlearned(classes: Array) -> float:
    """Return a round's KL risk without learning: the first distribution's distance from the mean."""
    # With constant weights the prediction is this mixture in every round.
    return float(kl(classes[0], classes.mean(axis=0)))


def under_bound(algorithm: str, games: Grid, repetitions: int, seed: int) -> list[Point]:
    """Return the points that say that a learner's mean risk in each game is under the learner's bound."""
    played = list(_games(algorithm, games, repetitions, seed))
    return [point_of(*game, intervals=len(played)) for game in played]


def point_of(where: dict[str, Any], mechanism: Mechanism, risk: Risk, lazy: float, intervals: int) -> Point:
    """Return a game's risk as a point, beside that of constant weights, which is at most T log K."""
    mean, low, high = (float(end) for end in mean_interval(risk.kl, intervals=intervals))
    bound, trivial = mechanism.risk_bound, where["T"] * math.log(where["K"])
    return Point(
        where, mean, bound, low, high, notes={"share_of_bound": mean / bound}, trivial=trivial, lazy=lazy
    )


def theorem_4(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Algorithm 1's expected KL risk is at most sqrt(2 T log K) / c + 4 log((K + 1) T), gamma = log T."""
    return under_bound("algorithm 1", grid, repetitions, seed)


def theorem_5(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Algorithm 2's expected KL risk is at most sqrt(2 T K log K) / c + 4 log((K + 1) T); gamma = log T."""
    return under_bound("algorithm 2", grid, repetitions, seed)


def large_epsilon(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Randomised response with a posterior has expected KL risk at most log K / c and what lies add."""
    return under_bound("posterior", grid, repetitions, seed)


def subset_reports(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The posterior given sets, or signs, has mean KL risk at most (1 + log K) sqrt(T M log K / (4 i))."""
    games = []
    for name, own in grid["own"].items():
        for where, mechanism, risk, lazy in _games(name, {**grid, **own}, repetitions, seed):
            games.append(({"mechanism": name, **where}, mechanism, risk, lazy))
    return [point_of(*game, intervals=len(games)) for game in games]


def randomized_response(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Randomised response has mean KL risk at most (1 + eta) log(TM) sqrt(2 T log K) / c - T log(1 - 1/T)."""
    return under_bound("randomised response", grid, repetitions, seed)


def reports_in_range(grid: Grid, seed: int) -> list[Point]:
    """With probability at least 1 - e^-gamma all losses are in [0, 1].

    The probability that one of K T losses is not is computed in ball arithmetic from the Laplace
    distribution, with the noise, the shift and the factor that the program uses. That of one loss is convex
    in the log-likelihood. So it is largest at the least or the largest one of the class.
    """
    points = []
    for algorithm, name, experts in product(grid["algorithm"], grid["class"], grid["K"]):
        for horizon, epsilon in product(grid["T"], grid["eps"]):
            mechanism = mechanism_of(algorithm, experts, 0, horizon, epsilon)
            assert isinstance(mechanism, NoisyVector | NoisyCoordinate)
            classes = class_of(name, experts, horizon, epsilon, seed)
            clipped = clip(classes, horizon)
            # Cells of size 0 are never drawn.
            used = clipped.values[:, clipped.sizes > 0]
            where = {"algorithm": algorithm, "class": name, "K": experts, "T": horizon, "eps": epsilon}
            with precision():
                ends = [
                    log(ball(probability)) for probability in widened(float(used.min()), float(used.max()))
                ]
                # A convex function is largest at an end of the range.
                worst = largest(_outside(mechanism.scaling, end, classes.shape[-1]) for end in ends)
                # Noise is independent, so the chance of none is a power; as a difference from 1 it would
                # cancel.
                some = -expm1(experts * horizon * log1p(-worst))
                points.append(at_point(where, some, ball(1) / horizon, trivial=1.0))
    return points


def _outside(scaling: Scaling, log_likelihood: Ball, labels: int) -> Ball:
    """Return the probability that a loss lies outside [0, 1]."""
    factor, noise = ball(scaling.factor), ball(scaling.noise)
    loss = -factor * (log_likelihood + log(ball(labels)) - scaling.shift)  # without noise
    assert 0 <= loss <= 1
    return (exp(-loss / (factor * noise)) + exp(-(1 - loss) / (factor * noise))) / 2
