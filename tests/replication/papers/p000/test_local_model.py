"""Each check of the local model gives the expected verdict, and another one for a mutant."""

from typing import Any

from private_experts.privacy.guarantees import GaussianDP
from private_experts.replication.papers.p000 import local_model
from private_experts.replication.study.hospital_game import game
from tests.each import each
from tests.replication.papers.small_checks import failing, found, verdict

WEEK = {"n": [2, 6], "instances": 4}
MANY = {"n": [1], "mu": [1.0], "alpha": [0.01, 0.3], "tolerance": 0.04}
reports = local_model.private_reports


def louder(factor: float) -> Any:
    return lambda gains, promised, *rest: reports(gains, GaussianDP(promised.mu / factor, "local"), *rest)


@each(
    ("check", "grid", "repetitions", "mutants", "expected"),
    [
        (local_model.local_guarantee, MANY, 800_000, {}, "holds"),
        (local_model.local_guarantee, MANY, 800_000, {"private_reports": louder(0.97)}, "fails"),
        (local_model.local_guarantee, MANY, 800_000, {"private_reports": louder(1.03)}, "fails"),
        (local_model.weekly_sensitivity, WEEK, 2, {}, "holds"),
    ],
)
def test_it_holds_and_noise_of_another_scale_is_caught(
    check: Any, grid: Any, repetitions: int, mutants: Any, expected: str
) -> None:
    assert verdict(check, grid, repetitions, **mutants) == expected


@each(
    ("adjacency", "wrong"),
    [
        ("removal", "covers"),  # in the place of move it is too small
        ("move", "attained"),  # in the place of removal it is too large
    ],
)
def test_the_weekly_sensitivity_of_the_other_adjacency_is_caught(adjacency: Any, wrong: str) -> None:
    other = {"game": lambda *given: game(*given[:-1], adjacency)}
    assert failing(found(local_model.weekly_sensitivity, WEEK, **other), "what") == {wrong}
