"""Algorithm 1's Laplace selections: the lemma, the moment and the intervals; what is wrong is caught."""

import math

import numpy as np
import pytest

from private_experts.replication.balls.balls import ball, precision
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import laplace_selections as checks
from tests.each import each
from tests.replication.papers.small_checks import failing, verdict, wrong

LEMMA = {"N": [2, 100], "gap": [0.25, 8.0], "drawn": 1}
POTENTIAL = {"N": [10], "gaps": ["two"], "epsilon": [0.32], "T": [1024]}
INTERVALS = {"kind": ["opposed"], "N": [2], "T": [32768], "epsilon": [5.0], "gap": [0.9], "beta": 0.25}
INTERVALS |= {"lengths": 12, "fraction": [1.0]}
LIBRARY = {"moment, library", "mean, library"}
OF_TWO, OF_THREE = LEMMA | {"N": [2], "gap": [8.0]}, POTENTIAL | {"N": [3], "T": [256]}  # mutants show there


def test_the_lemma_and_the_potential_hold_and_intervals_are_within_the_bound() -> None:
    for points in (checks.laplace_lemma(LEMMA), checks.laplace_potential(POTENTIAL)):
        assert decide(points) == "holds"
        assert all(point.certified for point in points)
        assert all(point.lazy_fails and not point.vacuous for point in points if point.lazy is not None)
    assert verdict(checks.laplace_intervals, INTERVALS, 60) == "holds"


def half_the_gaps(right, noise, groups):
    return right(noise, [(count, gap / 2) for count, gap in groups])


@each(
    ("name", "mutant", "check", "grid", "caught"),
    [
        ("constant", lambda right: ball(1.412), checks.laplace_lemma, OF_TWO, {"constant a"}),
        ("slope", lambda right: ball(0.303), checks.laplace_lemma, OF_TWO, {"constant b"}),
        ("share", lambda right: ball(0.31), checks.laplace_lemma, OF_TWO, {"share"}),
        ("permuted", lambda right: ball(1.298), checks.laplace_lemma, OF_TWO, {"constant exponential"}),
        ("law", half_the_gaps, checks.laplace_lemma, OF_TWO, {"ratio", "library"}),
        ("_MEAN", 0.6 * checks._MEAN, checks.laplace_potential, OF_THREE, {"mean"}),
        ("share", lambda right: ball(0.5), checks.laplace_potential, OF_THREE, {"moment, library"}),
        ("law", half_the_gaps, checks.laplace_potential, OF_THREE, {"mean"}),
        (
            "leader",
            lambda right, n, level, *rest: right(n, 0.999 * level, *rest),
            checks.laplace_potential,
            OF_THREE,
            LIBRARY,
        ),
    ],
)
def test_wrong_constants_noise_and_numbers_of_experts_are_caught(name, mutant, check, grid, caught) -> None:
    with wrong(checks, name, mutant):
        assert failing(check(grid), "what") >= caught


@each("noise", ["laplace", "exponential"])
def test_the_law_is_that_of_draws_and_of_two_by_hand(noise) -> None:
    with precision():
        laws = [float(chance) for chance in checks.law(noise, [(1, 0.0), (2, 0.5), (1, 2.0)])]
        far = [float(chance) for chance in checks.law(noise, [(1, 0.0), (1, 3.0)])]
    assert laws[0] + 2 * laws[1] + laws[2] == pytest.approx(1, abs=1e-12)
    expected = math.exp(-3) * (0.5 + 3 / 4 if noise == "laplace" else 0.5)
    assert far == pytest.approx([1 - expected, expected], abs=1e-12)
    # 4 standard deviations: a false alarm has a probability below 1e-3
    draws = getattr(np.random.default_rng(0), noise)(size=(40000, 4)) - [0.0, 0.5, 0.5, 2.0]
    seen = np.bincount(draws.argmax(axis=1), minlength=4) / 40000
    assert seen == pytest.approx([laws[0], laws[1], laws[1], laws[2]], abs=4 * 0.5 / 200)


def test_the_allowance_in_numbers() -> None:
    level = math.log(2 * 100 / 0.01)
    expected = [26.6666667 * level / 0.5 + 37.5 * math.sqrt(n * level) for n in (1, 100)]
    assert checks.allowance(np.array([1.0, 100.0]), 2, 100, 0.5, 0.01) == pytest.approx(expected)
