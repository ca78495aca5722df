"""The checks of privacy reach the expected verdict on a small grid, and another one on a mutant."""

import pytest

from private_experts.distribution_learning.clipping import spread
from private_experts.replication.ledger.checking import points_of
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import privacy_level, report_levels
from tests.each import each
from tests.replication.papers.small_checks import SEED, verdict, wrong

LEVELS = {"class": ["three eighths", "nine eightieths", "packed 3 x 10"], "K": [2], "M": [3], "T": [100]}
LEVELS |= {"instances": 30, "eps": [0.5, 1.0], "report": ["algorithm 2", "a coordinate of algorithm 1"]}


@each("report", LEVELS["report"])
def test_the_mended_noise_is_enough_for_each_report_and_the_printed_noise_is_not(report) -> None:
    grid = LEVELS | {"report": [report]}
    assert verdict(report_levels.lemma_6, grid) == "holds"
    assert verdict(report_levels.lemma_6_printed, grid) == "fails"


@each(
    ("check", "expected"),
    [(report_levels.lemma_6_printed, (1.0098, 1.0444)), (report_levels.lemma_6, (0.9382, 0.9703))],
)
def test_the_known_levels(check, expected) -> None:
    points = points_of(check, LEVELS | {"eps": [1.0], "report": ["algorithm 2"]}, 2, SEED)
    levels = [point.value for point in points if point.where["report"] == "algorithm 2"]
    assert levels[:2] == pytest.approx(expected, abs=5e-5)


def without_uniform_part(right, f, horizon):
    return spread(f, -(-f.shape[-1] * f.max(axis=-2) // 1), 1000 * horizon)


@each(
    ("module", "name", "mutant"),
    [
        (report_levels, "exact_levels", lambda right, f, horizon, noise: right(f, horizon, 0.95 * noise)),
        (privacy_level, "clip", without_uniform_part),
    ],
)
def test_less_noise_and_other_cells_are_caught(module, name, mutant) -> None:
    with wrong(module, name, mutant):
        assert verdict(report_levels.lemma_6, LEVELS) == "fails"


def test_1_percent_less_noise_is_caught_by_balls() -> None:
    grid = LEVELS | {"class": ["packed 3 x 10"], "T": [10000], "report": ["algorithm 2"]}

    def by_balls() -> str:
        points = [point for point in report_levels.lemma_6(grid, SEED) if point.certified]
        return decide([point for point in points if point.where["report"] == "algorithm 2"])

    assert by_balls() == "holds"
    with wrong(report_levels, "level", lambda right, f, horizon, noise: right(f, horizon, noise * 0.99)):
        assert by_balls() == "fails"
