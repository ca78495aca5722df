"""The checks of privacy reach the expected verdict on a small grid, and another one on a mutant."""

from typing import Any

import pytest

from private_experts.distribution_learning import privacy_level
from private_experts.distribution_learning.clipping import spread
from private_experts.distribution_learning.privacy_level import exact_levels
from private_experts.replication.balls.balls import ball, precision
from private_experts.replication.ledger.checking import points_of
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import report_levels
from private_experts.replication.papers.p003.named import EXACT, interval_level, level
from tests.each import each
from tests.replication.papers.small_checks import SEED, verdict

LEVELS = {
    "class": ["three eighths", "nine eightieths", "packed 3 x 10"],
    "K": [2],
    "M": [3],
    "instances": 30,
    "T": [100],
    "eps": [0.5, 1.0],
    "report": ["algorithm 2", "a coordinate of algorithm 1"],
}
MIXTURES = {"class": ["three eighths", "nine eightieths"], "eps": [1.0], "T": [100], "width": 1e-5}


def test_the_mended_noise_is_enough_and_the_printed_noise_is_not() -> None:
    assert verdict(report_levels.lemma_6, LEVELS) == "holds"
    assert verdict(report_levels.lemma_6_printed, LEVELS) == "fails"


@each("report", LEVELS["report"])
def test_the_printed_noise_fails_for_each_report(report: str) -> None:
    grid = LEVELS | {"report": [report]}
    assert verdict(report_levels.lemma_6, grid) == "holds"
    assert verdict(report_levels.lemma_6_printed, grid) == "fails"


def test_the_known_levels() -> None:
    grid = LEVELS | {"eps": [1.0], "report": ["algorithm 2"]}
    for check, expected in (
        (report_levels.lemma_6_printed, (1.0098, 1.0444)),
        (report_levels.lemma_6, (0.9382, 0.9703)),
    ):
        points = [point for point in points_of(check, grid, 2, SEED) if point.where["report"] == "algorithm 2"]
        levels = [point.value for point in points[:2]]
        assert levels == pytest.approx(expected, abs=5e-5)


@pytest.mark.parametrize("factor", [0.8, 0.95])
def test_less_noise_is_caught(factor: float, put: Any) -> None:
    put(report_levels, "exact_levels", lambda f, horizon, noise: exact_levels(f, horizon, factor * noise))
    assert verdict(report_levels.lemma_6, LEVELS) == "fails"


def test_1_percent_less_noise_is_caught_by_balls(put: Any) -> None:
    grid = LEVELS | {"class": ["packed 3 x 10"], "T": [10000], "report": ["algorithm 2"]}
    assert decide([point for point in report_levels.lemma_6(grid, 2, SEED) if point.certified]) == "holds"
    put(report_levels, "level", lambda f, horizon, noise: level(f, horizon, noise * 0.99))
    points = report_levels.lemma_6(grid, 2, SEED)
    assert decide([point for point in points if point.where["report"] == "algorithm 2" and point.certified]) == "fails"


def test_clipping_without_its_uniform_part_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        privacy_level, "clip", lambda f, horizon: spread(f, -(-f.shape[-1] * f.max(axis=-2) // 1), 1000 * horizon)
    )
    assert verdict(report_levels.lemma_6, LEVELS) == "fails"


def test_the_closed_form_agrees_with_intervals() -> None:
    points = report_levels.laplace_mixtures(MIXTURES)
    assert decide(points) == "holds"
    for point in points:
        assert (point.notes["level"] > 1) == (point.notes["delta_at_eps"] > 1e-6) == (point.where["span"] == "printed")


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda f, t, b: exact_levels(f, t, 1.001 * b), id="noise 0.1 percent larger"),
        pytest.param(lambda f, t, b: exact_levels(f, 2 * t, b), id="twice the rounds"),
    ],
)
def test_another_level_is_caught(mutant: Any, put: Any) -> None:
    put(report_levels, "exact_levels", mutant)
    assert verdict(report_levels.laplace_mixtures, MIXTURES) == "fails"


def test_an_interval_level_of_a_bit_less_noise_is_caught(put: Any) -> None:
    right = report_levels.interval_level
    put(report_levels, "interval_level", lambda f, horizon, noise, width: right(f, horizon, noise * 0.999, width))
    assert verdict(report_levels.laplace_mixtures, MIXTURES) == "fails"


@each(("name", "horizon"), [("three eighths", 50), ("packed 3 x 10", 100), ("one, two labels", 20)])
def test_intervals_come_near_to_the_level_from_below(name: str, horizon: int) -> None:
    """An interval of w noise scales around the worst output has a log-ratio at most 2 w smaller."""
    with precision():
        for width in (1e-5, 1e-2):
            exact, found = level(EXACT[name], horizon, ball(6)), interval_level(EXACT[name], horizon, ball(6), width)
            assert found <= exact + 1e-20
            assert found >= exact - 2 * width
