"""Algorithm 1's Laplace selections: the lemma, the moment and the intervals; what is wrong is caught."""

import math
from typing import Any

import numpy as np
import pytest

from private_experts.replication.balls.balls import ball, precision
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import laplace_selections as checks
from private_experts.replication.papers.p004 import stationary
from tests.each import each
from tests.replication.papers.small_checks import verdict

LEMMA = {"N": [2, 100], "gap": [0.25, 8.0], "drawn": 1}
POTENTIAL = {"N": [10], "gaps": ["two"], "epsilon": [0.32], "T": [1024]}
INTERVALS = {
    "kind": ["opposed"],
    "N": [2],
    "T": [32768],
    "epsilon": [5.0],
    "gap": [0.9],
    "beta": 0.25,
    "lengths": 12,
    "fraction": [1.0],
}
law = checks.law


def failing(points: Any) -> set[str]:
    """What is wrong."""
    return {point.where["what"] for point in points if decide([point]) == "fails"}


def test_the_lemma_and_the_potential_hold() -> None:
    for points in (checks.laplace_lemma(LEMMA), checks.laplace_potential(POTENTIAL)):
        assert decide(points) == "holds"
        assert all(point.certified for point in points)
        assert all(point.lazy_fails and not point.vacuous for point in points if point.lazy is not None)


@pytest.mark.parametrize(
    ("name", "mutant", "caught"),
    [
        ("constant", lambda: ball(1.412), {"constant a"}),
        ("slope", lambda: ball(0.303), {"constant b"}),
        ("share", lambda: ball(0.31), {"share"}),
        ("permuted", lambda: ball(1.298), {"constant exponential"}),
        ("law", lambda noise, groups: law(noise, [(k, gap / 2) for k, gap in groups]), {"ratio", "library"}),
    ],
)
def test_wrong_constants_noise_and_numbers_of_experts_are_caught(
    name: str, mutant: Any, caught: set[str], put: Any
) -> None:
    put(checks, name, mutant)
    assert failing(checks.laplace_lemma(LEMMA)) >= caught


@pytest.mark.parametrize(
    ("name", "mutant", "caught"),
    [
        ("_MEAN", 0.6 * checks._MEAN, {"mean"}),
        ("share", lambda: ball(0.5), {"moment, library"}),
        ("law", lambda noise, groups: law(noise, [(k, gap / 2) for k, gap in groups]), {"mean"}),
        (
            "leader",
            lambda n, epsilon, *rest: stationary.leader(n, 0.999 * epsilon, *rest),
            {"moment, library", "mean, library"},
        ),
    ],
)
def test_another_bound_and_other_noise_are_caught(name: str, mutant: Any, caught: set[str], put: Any) -> None:
    put(checks, name, mutant)
    assert failing(checks.laplace_potential(POTENTIAL)) >= caught


@each("noise", ["laplace", "exponential"])
def test_the_law_is_that_of_draws_and_of_two_by_hand(noise: str) -> None:
    with precision():
        laws = [float(chance) for chance in law(noise, [(1, 0.0), (2, 0.5), (1, 2.0)])]
        far = [float(chance) for chance in law(noise, [(1, 0.0), (1, 3.0)])]
    assert laws[0] + 2 * laws[1] + laws[2] == pytest.approx(1, abs=1e-12)
    expected = math.exp(-3) * (0.5 + 3 / 4 if noise == "laplace" else 0.5)
    assert far == pytest.approx([1 - expected, expected], abs=1e-12)
    # 4 standard deviations: a false alarm has a probability below 1e-3
    draws = getattr(np.random.default_rng(0), noise)(size=(40000, 4)) - [0.0, 0.5, 0.5, 2.0]
    seen = np.bincount(draws.argmax(axis=1), minlength=4) / 40000
    assert seen == pytest.approx([laws[0], laws[1], laws[1], laws[2]], abs=4 * 0.5 / 200)


def test_intervals_stay_within_the_bound() -> None:
    assert verdict(checks.laplace_intervals, INTERVALS, 60) == "holds"


def test_the_allowance_in_numbers() -> None:
    level = math.log(2 * 100 / 0.01)
    expected = [26.6666667 * level / 0.5 + 37.5 * math.sqrt(n * level) for n in (1, 100)]
    assert checks.allowance(np.array([1.0, 100.0]), 2, 100, 0.5, 0.01) == pytest.approx(expected)
