"""Whether a report is private as balls decide it, against the closed form, a quadrature and a line cut finely."""

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from private_experts.distribution_learning.approximate import NoisyVector
from private_experts.distribution_learning.vector_privacy import coordinates, delta_at, level_at
from private_experts.privacy.guarantees import ApproximateDP
from private_experts.replication.balls.balls import ball, precision
from private_experts.replication.papers.p003 import vector, vector_level
from private_experts.replication.papers.p003.laplace_sums import together
from private_experts.replication.papers.p003.named import EXACT, Fractions
from private_experts.replication.papers.p003.vector_level import Report, _at_most, _sides, is_private, report
from tests.each import each

UNEVEN = [[Fraction(each) for each in row.split()] for row in ("1/2 1/2 0", "1/3 1/3 1/3", "0 1/10 9/10")]


@each(("shifts", "epsilon"), [((0.5, 0.5), 0.9), ((0.5, 0.5), 0.2), ((1.5, 1.5), 0.6), ((0.0, 0.7), 0.3)])
def test_two_kinds_of_cells_without_hiding_are_laplace_mechanisms(shifts: Any, epsilon: float) -> None:
    """A coordinate whose centres are the same tells nothing."""
    with precision():
        ranks = [[0, 0], [int(each > 0) for each in shifts]]
        centres = [[ball(0), ball(0)], [ball(each) for each in shifts]]
        about = Report(centres, ranks, [ball(0.5), ball(0.5)], ball(0))
        told = [each for each in shifts if each]
        true = together(len(told), ball(told[0]), ball(epsilon))
        assert is_private(about, ball(epsilon), true * 1.01) is True
        assert is_private(about, ball(epsilon), true * 0.99) is False


@each(
    ("f", "noise", "epsilon"),
    [(EXACT["three eighths"], 2.0, 1.0), (EXACT["one, two labels"], 0.3, 0.5), (UNEVEN, 20.0, 0.3)],
)
def test_it_is_what_a_quadrature_says_to_a_few_hundredths(f: Fractions, noise: float, epsilon: float) -> None:
    classes = np.array(f, dtype=np.float64)
    true = delta_at(*coordinates(classes, 50, noise, 3), epsilon)
    assert 1e-3 < true < 0.9
    with precision():
        about = report(f, 50, ball(noise))
        assert is_private(about, ball(epsilon), ball(1.03 * true)) is True
        assert is_private(about, ball(epsilon), ball(0.97 * true)) is False


@each("name", ["sure, K = 2", "sure, K = 3", "needle, K = 3"])
def test_at_half_the_level_it_is_what_a_quadrature_says_and_the_interior_counts(name: str) -> None:
    """At the level itself nearly all comes from where every coordinate is in a tail, and there nodes are exact."""
    f, delta = vector._CLASSES[name], 1e-5
    experts, classes = len(f), np.array(f, dtype=np.float64)
    noise = NoisyVector(experts, ApproximateDP(4.0, delta, "local"), horizon=100).scaling.noise
    densities, weights = coordinates(classes, 100, noise, 2)
    half = level_at(partial(delta_at, *coordinates(classes, 100, noise, 1)), delta, 4.0) / 2
    true = delta_at(densities, weights, half)
    corners = np.where(np.isclose(weights, noise**experts), weights, 0.0)
    assert true - delta_at(densities, corners, half) > 0.09 * true
    with precision():
        about = report(f, 100, ball(noise))
        assert is_private(about, ball(half), ball(1.001 * true)) is True
        assert is_private(about, ball(half), ball(0.999 * true)) is False


def test_halves_of_a_side_are_all_of_it_and_a_tail_stays_whole() -> None:
    with precision():
        sides = list(_sides(Report([[ball(0)], [ball(2)]], [[0], [1]], [ball(0.9), ball(0.1)], ball(0.5)), 0))
        assert [len(side.halves()) for side in sides] == [1, 2, 1]
        for side in sides:
            for kind in (0, 1):
                assert sum(half.mass(kind) for half in side.halves()).overlaps(side.mass(kind))
        assert sum(side.mass(1) for side in sides).overlaps(ball(1))


def test_each_label_is_asked_against_the_other() -> None:
    """One kind has nine tenths of the cells, so the pair is not like its reverse. Here the line is cut finely."""
    z, epsilon = np.linspace(-30.0, 32.0, 620_001), 0.4
    kinds = [np.exp(-np.abs(z - centre)) / 2 for centre in (0.0, 2.0)]
    labels = [0.5 * own + 0.5 * (0.9 * kinds[0] + 0.1 * kinds[1]) for own in kinds]
    pairs = [(0, 1), (1, 0)]
    excess = [float(np.maximum(labels[y] - np.exp(epsilon) * labels[x], 0.0).sum() * 1e-4) for y, x in pairs]
    assert excess[1] > 1.1 * excess[0] > 1e-3
    with precision():
        about = Report([[ball(0)], [ball(2)]], [[0], [1]], [ball(0.9), ball(0.1)], ball(0.5))
        for pair, true in zip(pairs, excess, strict=True):
            assert _at_most(about, *pair, ball(epsilon), ball(1.001 * true)) is True
            assert _at_most(about, *pair, ball(epsilon), ball(0.999 * true)) is False
        between = ball((excess[0] + excess[1]) / 2)
        assert is_private(about, ball(epsilon), between) is False


def test_what_balls_leave_open_is_not_decided(monkeypatch: pytest.MonkeyPatch) -> None:
    with precision():
        about = report(EXACT["three eighths"], 50, ball(2.0))
        monkeypatch.setattr(vector_level, "_OPEN", 30)
        assert is_private(about, ball(1.0), ball(0.1, 0.9)) is None
