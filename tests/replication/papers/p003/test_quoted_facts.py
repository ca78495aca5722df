"""What paper 003 quotes, and mutants of each fact."""

from typing import Any

import numpy as np
import pytest

from private_experts.distribution_learning.risk import kl
from private_experts.replication.balls.balls import ball, precision
from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.papers.p003 import quoted_facts
from private_experts.replication.papers.p003.exact_classes import EXACT, interval_level, level
from private_experts.replication.papers.p003.privacy_level import exact_levels
from tests.each import each
from tests.replication.papers.small_checks import SEED

AVERAGE = {"mechanism": ["centred reports", "posterior"], "K": [3], "eps": [1.0], "T": 40, "games": 20}
MEDIAN = {"k": [3], "r": [0.1], "M": 4, "instances": 5}
LEVELS = {"class": ["three eighths", "nine eightieths"], "eps": [1.0], "T": [100], "width": 1e-5}
GRID = {"equation 17": AVERAGE, "median trick": MEDIAN, "exact level": LEVELS}


def points_of_fact(fact: str) -> list[Point]:
    """Return the points of one fact, from the check of all."""
    return [point for point in quoted_facts.quoted(GRID, SEED) if point.where["fact"] == fact]


def test_each_fact_holds_on_its_cells() -> None:
    assert {fact: decide(points_of_fact(fact)) for fact in GRID} == dict.fromkeys(GRID, "holds")
    assert all(point.notes["level"] > 0.9 for point in points_of_fact("exact level"))


def test_the_excess_is_that_of_the_divergences() -> None:
    truth, predictions = np.array([0.25, 0.75]), np.array([[0.5, 0.5], [0.1, 0.9], [0.3, 0.7]])
    excess = kl(truth, predictions.mean(axis=0)) - kl(truth, predictions).mean()
    assert float(quoted_facts.jensen(truth, predictions)) == pytest.approx(excess, abs=1e-14)
    assert excess < -0.01


def test_a_divergence_that_is_concave_is_caught(put: Any) -> None:
    jensen = quoted_facts.jensen
    put(quoted_facts, "jensen", lambda truth, predictions: -jensen(truth, predictions))
    assert decide(points_of_fact("equation 17")) == "fails"


def test_a_level_of_a_bit_more_or_less_noise_is_caught(put: Any) -> None:
    put(quoted_facts, "exact_levels", lambda f, horizon, noise: exact_levels(f, horizon, 1.001 * noise))
    assert decide(points_of_fact("exact level")) == "fails"
    put(quoted_facts, "exact_levels", exact_levels)
    put(quoted_facts, "interval_level", lambda f, t, noise, width: interval_level(f, t, noise * 0.999, width))
    assert decide(points_of_fact("exact level")) == "fails"


@each(("name", "horizon"), [("three eighths", 50), ("packed 3 x 10", 100), ("one, two labels", 20)])
def test_intervals_come_near_to_the_level_from_below(name: str, horizon: int) -> None:
    """An interval of w noise scales around the worst output has a log-ratio at most 2 w smaller."""
    with precision():
        for width in (1e-5, 1e-2):
            exact, found = (
                level(EXACT[name], horizon, ball(6)),
                interval_level(EXACT[name], horizon, ball(6), width),
            )
            assert found <= exact + 1e-20
            assert found >= exact - 2 * width
