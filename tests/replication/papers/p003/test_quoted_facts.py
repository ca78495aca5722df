"""What paper 003 quotes, and mutants of each fact."""

import numpy as np
import pytest

from private_experts.distribution_learning.risk import kl
from private_experts.replication.balls.balls import ball, precision
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import quoted_facts
from private_experts.replication.papers.p003.exact_classes import EXACT, interval_level, level
from tests.each import each
from tests.replication.papers.small_checks import SEED, failing, wrong

AVERAGE = {"mechanism": ["centred reports", "posterior"], "K": [3], "eps": [1.0], "T": 40, "games": 20}
MEDIAN = {"k": [3], "r": [0.1], "M": 4, "instances": 5}
LEVELS = {"class": ["three eighths", "nine eightieths"], "eps": [1.0], "T": [100], "width": 1e-5}
GRID = {"equation 17": AVERAGE, "median trick": MEDIAN, "exact level": LEVELS}


def test_each_fact_holds_on_its_cells() -> None:
    points = quoted_facts.quoted(GRID, SEED)
    assert decide(points) == "holds"
    assert {point.where["fact"] for point in points} == {*GRID}
    assert all(point.notes["level"] > 0.9 for point in points if point.where["fact"] == "exact level")


def test_the_excess_is_that_of_the_divergences() -> None:
    truth, predictions = np.array([0.25, 0.75]), np.array([[0.5, 0.5], [0.1, 0.9], [0.3, 0.7]])
    excess = kl(truth, predictions.mean(axis=0)) - kl(truth, predictions).mean()
    assert float(quoted_facts.jensen(truth, predictions)) == pytest.approx(excess, abs=1e-14)
    assert excess < -0.01


@each(
    ("name", "mutant", "fact"),
    [
        ("jensen", -1.0, "equation 17"),  # a divergence that is concave
        ("exact_levels", lambda right, f, t, noise: right(f, t, 1.001 * noise), "exact level"),
        (
            "interval_level",
            lambda right, f, t, noise, *rest: right(f, t, noise * 0.999, *rest),
            "exact level",
        ),
    ],
)
def test_another_divergence_and_a_bit_more_or_less_noise_are_caught(name, mutant, fact) -> None:
    with wrong(quoted_facts, name, mutant):
        assert failing(quoted_facts.quoted(GRID, SEED), "fact") == {fact}


@each(("name", "horizon"), [("three eighths", 50), ("packed 3 x 10", 100), ("one, two labels", 20)])
def test_intervals_come_near_to_the_level_from_below(name, horizon) -> None:
    """An interval of w noise scales around the worst output has a log-ratio at most 2 w smaller."""
    with precision():
        for width in (1e-5, 1e-2):
            found = interval_level(EXACT[name], horizon, ball(6), width)
            exact = level(EXACT[name], horizon, ball(6))
            assert exact - 2 * width <= found <= exact + 1e-20
