"""Each check of the local model gives the expected verdict, and another one for a mutant."""

from typing import Any

import pytest

from private_experts.privacy.guarantees import GaussianDP
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
        local_model.local_guarantee,
        {"n": [1], "mu": [1.0], "alpha": [0.01, 0.3], "tolerance": 0.04},
        800_000,
    ),
    "sensitivity": (local_model.weekly_sensitivity, WEEK, 2),
}
reports = local_model.private_reports


def verdict(name: str) -> str:
    check, grid, repetitions = CHECKS[name]
    return decide(points_of(check, grid, repetitions, SEED))


def louder(factor: float) -> Any:
    return lambda gains, promised, *rest: reports(gains, GaussianDP(promised.mu / factor, "local"), *rest)


@each("name", CHECKS)
def test_it_holds(name: str) -> None:
    assert verdict(name) == "holds"


@pytest.mark.parametrize("factor", [0.97, 1.03])
def test_noise_of_another_scale_is_caught(factor: float, put: Any) -> None:
    put(private_reports=louder(factor))
    assert verdict("guarantee") == "fails"


@pytest.mark.parametrize(
    ("adjacency", "found"),
    [
        pytest.param("removal", "covers", id="removal in the place of move is too small"),
        pytest.param("move", "attained", id="move in the place of removal is too large"),
    ],
)
def test_the_weekly_sensitivity_of_the_other_adjacency_is_caught(
    adjacency: Any, found: str, put: Any
) -> None:
    put(game=lambda *arguments: game(*arguments[:-1], adjacency))
    failed = [p for p in local_model.weekly_sensitivity(WEEK, SEED) if decide([p]) == "fails"]
    assert {point.where["what"] for point in failed} == {found}
