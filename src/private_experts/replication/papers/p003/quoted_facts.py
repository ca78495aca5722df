"""What 003 quotes, and how a level is computed, as cells of one claim. [mathematics/003.md#as-quoted]"""

import math
from dataclasses import replace
from itertools import product

import numpy as np

from private_experts.arrays import Array
from private_experts.distribution_learning.pure import NoisyCoordinate
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, precision, upper
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point, labelled
from private_experts.replication.papers.p003.classes import lower_bound_class, lower_bound_gap
from private_experts.replication.papers.p003.exact_classes import EXACT, INSTANCES, interval_level
from private_experts.replication.papers.p003.kl_risk import mechanism_of
from private_experts.replication.papers.p003.median import median_trick
from private_experts.replication.papers.p003.privacy_level import exact_levels

_ROUNDING = 1e-12  # of a game's two averages, which are equal for a learner that never changes its mind


def quoted(grid: Grid, seed: int) -> list[Point]:
    """Each fact holds on its cells; a row names the fact that it is about."""
    facts = {
        "equation 17": equation_17(grid["equation 17"], seed),
        "median trick": median_trick(grid["median trick"], seed),
        "exact level": exact_level(grid["exact level"]),
    }
    return labelled("fact", facts)


def equation_17(cells: Grid, seed: int) -> list[Point]:
    """The averaged prediction has at most the averaged KL divergence, in every game. [003, Appendix A]

    So a learner is an estimate from a batch, and the lower bound for estimates is one for learners.
    """
    points = []
    for name, pairs, epsilon in product(cells["mechanism"], cells["K"], cells["eps"]):
        horizon = cells["T"]
        classes = lower_bound_class(pairs, lower_bound_gap(pairs, horizon, epsilon))
        mechanism = mechanism_of(name, len(classes), classes.shape[1], horizon, epsilon)
        rng = rng_for(seed, "equation 17", name, pairs, epsilon)
        learner = mechanism.learner(cells["games"])
        played = []
        for _ in range(horizon):
            played.append(learner.predict(classes).copy())
            labels = np.asarray(
                rng.choice(classes.shape[1], p=classes[0], size=cells["games"]), dtype=np.intp
            )
            learner.update(mechanism.privatize(labels, classes, rng))
        # In every game and not on average: it is Jensen's inequality, which needs no luck.
        with precision():
            excess = max((jensen(classes[0], game) for game in np.stack(played, axis=1)), key=upper)
            points.append(at_point({"mechanism": name, "K": pairs, "eps": epsilon}, excess, ball(_ROUNDING)))
    return points


def jensen(truth: Array, predictions: Array) -> Ball:
    """Return how far the KL divergence of a game's average exceeds the average of its KL divergences.

    The entropy of the truth is in both. One logarithm of a product stands for the sum of logarithms.
    """
    excess = ball(0)
    for share, column in zip(truth.tolist(), predictions.T.tolist(), strict=True):
        probabilities = [ball(probability) for probability in column]
        excess += share * (
            math.prod(probabilities, start=ball(1)).log() / len(probabilities)
            - (sum(probabilities) / len(probabilities)).log()
        )
    return excess


def exact_level(cells: Grid) -> list[Point]:
    """The closed form of a report's privacy level agrees with intervals' probabilities. [003, Lemma 6]

    The level is the library's, and the probabilities are balls, for each pair of labels. Over an interval of
    w noise scales a log-ratio of densities changes by at most 2w. The noise is for the printed span, whose
    level is above the one stated, and for the proved one.
    """
    points = []
    for name, epsilon, horizon in product(cells["class"], cells["eps"], cells["T"]):
        for span in ("printed", "proved"):
            classes = INSTANCES[name]
            mechanism = NoisyCoordinate(len(classes), PureDP(epsilon, "local"), horizon=horizon)
            noise = replace(mechanism.scaling, span=span).noise
            level = float(exact_levels(classes, horizon, noise).max())
            where = {"class": name, "T": horizon, "eps": epsilon, "span": span}
            with precision():
                # Intervals lose at most 2 w of the level, which densities reach only in the limit.
                off = abs(interval_level(EXACT[name], horizon, ball(noise), cells["width"]) - level)
                points.append(at_point(where, off, ball(2 * cells["width"] + 1e-9), {"level": level}))
    return points
