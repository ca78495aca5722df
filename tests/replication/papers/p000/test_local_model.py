"""Each check of the local model gives the expected verdict, and another one for a mutant."""

from typing import Any

import pytest

from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.reports import Reports
from private_experts.replication.ledger.checking import points_of
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import local_model
from private_experts.replication.study.hospital_game import game
from tests.each import each

CHECKED = local_model
SEED = 1
WEEK = {"n": [2, 6], "instances": 4}
CHECKS: dict[str, tuple[Any, dict[str, Any], int]] = {
    "guarantee": (
        local_model.local_guarantee, {"n": [1], "mu": [1.0], "alpha": [0.01, 0.3], "tolerance": 0.04}, 800_000
    ),
    "sensitivity": (local_model.weekly_sensitivity, WEEK, 2),
    "split": (local_model.naive_split, {"m": [1, 13], "mu": [0.5], "tolerance": 1e-12}, 2),
    "shared": (local_model.shared_reports, {"n": [3], "m": [2, 4], "T": 10}, 5),
}  # fmt: skip
reports, compose = local_model.private_reports, local_model.compose


def verdict(name: str) -> str:
    check, grid, repetitions = CHECKS[name]
    return decide(points_of(check, grid, repetitions, SEED))


class Flat(GaussianDP):
    """Has noise that does not grow with m."""

    def noise_scale(self, sensitivity: float) -> float:
        return super().noise_scale(sensitivity) / 1.001


class Split(local_model.RWMeta):
    """Has learners with noise of their own."""

    def update(self, report: Any) -> None:
        values = report.values + (len(self._learners) - 1) * 0.01
        super().update(Reports(values, report.guarantee, report.scale))


def louder(factor: float) -> Any:
    return lambda gains, promised, reach, *rest: reports(gains, promised, factor * reach, *rest)


@each("name", CHECKS)
def test_it_holds(name: str) -> None:
    assert verdict(name) == "holds"


@pytest.mark.parametrize(
    ("name", "replaced", "mutant"),
    [
        ("guarantee", "private_reports", louder(0.97)),
        ("guarantee", "private_reports", louder(1.03)),
        ("split", "compose", lambda *uses: compose(*uses[:1])),  # the m-th part of the level
        ("split", "GaussianDP", Flat),
        ("shared", "RWMeta", Split),
    ],
)
def test_it_is_caught(name: str, replaced: str, mutant: Any, put: Any) -> None:
    put(**{replaced: mutant})
    assert verdict(name) == "fails"


@pytest.mark.parametrize(
    ("adjacency", "found"),
    [
        pytest.param("removal", "covers", id="removal in the place of move is too small"),
        pytest.param("move", "attained", id="move in the place of removal is too large"),
    ],
)
def test_the_weekly_sensitivity_of_the_other_adjacency_is_caught(adjacency: Any, found: str, put: Any) -> None:
    put(game=lambda *arguments: game(*arguments[:-1], adjacency))
    failed = [p for p in local_model.weekly_sensitivity(WEEK, 2, SEED) if decide([p]) == "fails"]
    assert {point.where["what"] for point in failed} == {found}
