"""Each check of the local model gives the expected verdict, and another one for a mutant."""

from typing import Any

import pytest

from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.reports import Reports
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import local_model
from private_experts.replication.study.hospital_game import game

SEED = 1
REPORT = {"n": [1], "mu": [1.0], "alpha": [0.01, 0.3], "tolerance": 0.04}
WEEK = {"n": [2, 6], "instances": 4}
SPLIT = {"m": [1, 13], "mu": [0.5], "tolerance": 1e-12}
SHARED = {"n": [3], "m": [2, 4], "T": 10}


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that replaces a name in the module of the checks."""
    return lambda name, value: monkeypatch.setattr(local_model, name, value)


def test_the_local_guarantee_holds() -> None:
    assert decide(local_model.local_guarantee(REPORT, 800_000, SEED)) == "holds"


@pytest.mark.parametrize("factor", [0.97, 1.03])
def test_the_local_guarantee_catches_noise_that_is_three_percent_off(factor: float, put: Any) -> None:
    reports = local_model.private_reports
    put("private_reports", lambda gains, promised, reach, *rest: reports(gains, promised, factor * reach, *rest))
    assert decide(local_model.local_guarantee(REPORT, 800_000, SEED)) == "fails"


def test_the_weekly_sensitivity_holds() -> None:
    assert decide(local_model.weekly_sensitivity(WEEK, 2, SEED)) == "holds"


@pytest.mark.parametrize(
    ("adjacency", "found"),
    [
        pytest.param("removal", "covers", id="removal in the place of move is too small"),
        pytest.param("move", "attained", id="move in the place of removal is too large"),
    ],
)
def test_the_weekly_sensitivity_of_the_other_adjacency_is_caught(adjacency: Any, found: str, put: Any) -> None:
    put("game", lambda *arguments: game(*arguments[:-1], adjacency))
    failed = [p for p in local_model.weekly_sensitivity(WEEK, 2, SEED) if decide([p]) == "fails"]
    assert {point.where["what"] for point in failed} == {found}


def test_the_naive_split_holds() -> None:
    assert decide(local_model.naive_split(SPLIT, 2, SEED)) == "holds"


def test_the_naive_split_catches_releases_that_get_the_m_th_part_of_the_level(put: Any) -> None:
    compose = local_model.compose
    put("compose", lambda mus: compose(mus) / len(mus) ** 0.5)
    assert decide(local_model.naive_split(SPLIT, 2, SEED)) == "fails"


def test_the_naive_split_catches_noise_that_does_not_grow_with_m(put: Any) -> None:
    class Flat(GaussianDP):
        def noise_scale(self, sensitivity: float) -> float:
            return super().noise_scale(sensitivity) / 1.001

    put("GaussianDP", Flat)
    assert decide(local_model.naive_split(SPLIT, 2, SEED)) == "fails"


def test_shared_reports_hold() -> None:
    assert decide(local_model.shared_reports(SHARED, 5, SEED)) == "holds"


def test_shared_reports_catch_learners_with_noise_of_their_own(put: Any) -> None:
    class Split(local_model.RWMeta):
        def update(self, report: Any) -> None:
            values = report.values + (len(self._learners) - 1) * 0.01
            super().update(Reports(values, report.guarantee, report.scale))

    put("RWMeta", Split)
    assert decide(local_model.shared_reports(SHARED, 5, SEED)) == "fails"
