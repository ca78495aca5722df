"""The rate without privacy: the Bayes mixture loses at most log K in all, however many rounds there are.

No probability of a class is 0 here. On distributions that share no label the risk is log K, and balls cannot
decide.

[mathematics/003.md#no-privacy]
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from itertools import product

import numpy as np

from private_experts.arrays import Array
from private_experts.distribution_learning.label_reports import LabelReports
from private_experts.distribution_learning.posterior import ResponsePosterior
from private_experts.distribution_learning.risk import kl
from private_experts.privacy.guarantees import PureDP
from private_experts.replication.balls.balls import Ball, ball, log, precision
from private_experts.replication.balls.boxes import agreement, at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p003.exact_classes import Fractions, logarithm

_OPEN = 700.0  # a level at which reports are the labels themselves
_LIBRARY, _CHAIN = 1e-9, 1e-20  # tolerances: of the library's risk, and of the balls' two routes


def leaning(experts: int) -> Fractions:
    """Return K distributions over K labels. Each has a label of its own, and 1/20 for every other label."""
    little = Fraction(1, 20)
    return [
        [1 - little * (experts - 1) if y == j else little for y in range(experts)] for j in range(experts)
    ]


CLASSES: Mapping[str, Fractions] = {
    **{f"leaning {experts}": leaning(experts) for experts in (2, 3, 4)},
    "uneven": [[Fraction(sixths, 6) for sixths in row] for row in ((3, 2, 1), (1, 2, 3), (2, 2, 2))],
}


def rounds_of(f: Fractions, horizon: int, features: str) -> list[Fractions]:
    """Return the class of each round: the same, or with its labels moved on by one from round to round."""
    steps = [t % len(f[0]) if features == "moving" else 0 for t in range(horizon)]
    return [[[*row[by:], *row[:by]] for row in f] for by in steps]


def _divergence(p: Sequence[Fraction], q: Sequence[Fraction]) -> Ball:
    terms = (ball(x.numerator) / x.denominator * logarithm(x / y) for x, y in zip(p, q, strict=True))
    return sum(terms, ball(0))


def _mixtures(
    rounds: Sequence[Fractions], likelihoods: Sequence[Fraction], chance: Fraction
) -> Iterator[tuple[Fraction, Sequence[Fraction], Sequence[Fraction]]]:
    """Yield each round after each sequence of labels: its probability, the truth, the Bayes mixture."""
    if not rounds:
        return
    f, total = rounds[0], sum(likelihoods, Fraction(0))
    columns = list(zip(*f, strict=True))
    mixture = [
        sum((w * x for w, x in zip(likelihoods, column, strict=True)), Fraction(0)) / total
        for column in columns
    ]
    yield chance, f[0], mixture
    # Depth first: one path of likelihoods at a time, though there are M^T of them.
    for column in columns:
        updated = [w * x for w, x in zip(likelihoods, column, strict=True)]
        yield from _mixtures(rounds[1:], updated, chance * column[0])


def _whole(rounds: Sequence[Fractions]) -> Ball:
    """Return the divergence of all labels' law from its average over the class, sequence by sequence."""
    total = ball(0)
    for labels in product(range(len(rounds[0][0])), repeat=len(rounds)):
        likelihoods = [
            math.prod((f[j][y] for f, y in zip(rounds, labels, strict=True)), start=Fraction(1))
            for j in range(len(rounds[0]))
        ]
        # Fractions until the logarithm, so that equal numbers cancel exactly.
        share = likelihoods[0] * len(likelihoods) / sum(likelihoods, Fraction(0))
        total += ball(likelihoods[0].numerator) / likelihoods[0].denominator * logarithm(share)
    return total


def library_risk(rounds: Sequence[Array]) -> float:
    """Return the risk of the library's posterior, told each sequence of labels in a repetition of its own."""
    horizon, (experts, labels) = len(rounds), rounds[0].shape
    sequences = np.array(list(product(range(labels), repeat=horizon)))
    # At this level lies have a probability of 0 for floats: the posterior is the Bayes mixture itself.
    mechanism = ResponsePosterior(experts, PureDP(_OPEN, "local"), labels=labels, horizon=horizon)
    learner, chances, divergences = (
        mechanism.learner(len(sequences)),
        np.ones(len(sequences)),
        np.zeros(len(sequences)),
    )
    for f, labels_now in zip(rounds, sequences.T, strict=True):
        divergences += kl(f[0], learner.predict(f))
        learner.update(LabelReports(labels_now, mechanism))
        chances *= f[0][labels_now]
    return float(chances @ divergences)


@precision()
def no_privacy(grid: Grid) -> list[Point]:
    """The total risk of the Bayes mixture is at most log K, and is the divergence of the law of all labels.

    All sequences of labels are enumerated in fractions. Lazy are weights that stay equal.
    """
    points = []
    for where, name, features, horizon in cells_of(grid, "class", "features", "T"):
        f, risk = CLASSES[name], ball(0)
        rounds = rounds_of(f, horizon, features)
        for chance, truth, mixture in _mixtures(rounds, [Fraction(1)] * len(f), Fraction(1)):
            risk += ball(chance.numerator) / chance.denominator * _divergence(truth, mixture)
        floats = [np.array(classes, dtype=np.float64) for classes in rounds]
        lazy = float(sum(kl(classes[0], classes.mean(axis=0)) for classes in floats))
        points.append(at_point({**where, "what": "risk"}, risk, log(ball(len(f))), lazy=lazy))
        # Two routes to one number: round by round, and from the law of all labels at once.
        points.append(at_point({**where, "what": "chain rule"}, abs(risk - _whole(rounds)), ball(_CHAIN)))
        points.append(agreement({**where, "what": "library"}, library_risk(floats), risk, _LIBRARY))
    return points
