"""The checks of privacy reach the expected verdict on a small grid, and another one on a mutant."""

from typing import Any

import pytest

from private_experts.distribution_learning.clipping import spread
from private_experts.replication.ledger.checking import points_of
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import privacy_level, report_levels
from private_experts.replication.papers.p003.exact_classes import level
from private_experts.replication.papers.p003.privacy_level import exact_levels
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


@each("report", LEVELS["report"])
def test_the_mended_noise_is_enough_for_each_report_and_the_printed_noise_is_not(report: str) -> None:
    grid = LEVELS | {"report": [report]}
    assert verdict(report_levels.lemma_6, grid) == "holds"
    assert verdict(report_levels.lemma_6_printed, grid) == "fails"


def test_the_known_levels() -> None:
    grid = LEVELS | {"eps": [1.0], "report": ["algorithm 2"]}
    for check, expected in (
        (report_levels.lemma_6_printed, (1.0098, 1.0444)),
        (report_levels.lemma_6, (0.9382, 0.9703)),
    ):
        points = [
            point for point in points_of(check, grid, 2, SEED) if point.where["report"] == "algorithm 2"
        ]
        levels = [point.value for point in points[:2]]
        assert levels == pytest.approx(expected, abs=5e-5)


def test_less_noise_is_caught(put: Any) -> None:
    put(report_levels, "exact_levels", lambda f, horizon, noise: exact_levels(f, horizon, 0.95 * noise))
    assert verdict(report_levels.lemma_6, LEVELS) == "fails"


def test_1_percent_less_noise_is_caught_by_balls(put: Any) -> None:
    grid = LEVELS | {"class": ["packed 3 x 10"], "T": [10000], "report": ["algorithm 2"]}
    assert decide([point for point in report_levels.lemma_6(grid, SEED) if point.certified]) == "holds"
    put(report_levels, "level", lambda f, horizon, noise: level(f, horizon, noise * 0.99))
    points = report_levels.lemma_6(grid, SEED)
    assert (
        decide([point for point in points if point.where["report"] == "algorithm 2" and point.certified])
        == "fails"
    )


def test_clipping_without_its_uniform_part_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        privacy_level,
        "clip",
        lambda f, horizon: spread(f, -(-f.shape[-1] * f.max(axis=-2) // 1), 1000 * horizon),
    )
    assert verdict(report_levels.lemma_6, LEVELS) == "fails"
