"""What the appendix says of computing is one claim, with rows for each fact."""

from typing import Any

import pytest

from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.papers.p000 import computation
from tests.replication.papers.small_checks import failing

CHECKED = computation
SHARE = {"library": 1e-3}
GRID: dict[str, Any] = {
    "costs": {"n": [2], "completed": [100], "T": [3, 5], "m": [2]},
    "interpolation": {
        "n": [24],
        "eta": [5.0],
        "rho": [1.0],
        "alpha": [0.01],
        "decisions": 500,
        "share": SHARE,
    },
    "warm start": {"m": [2, 3], "weight": [1.0]},
    "LOBPCG": {"n": [10], "mu": [0.25], "windows": [[8, 64]], "T": 5, "copies": 1, "tolerance": 1e-6},
    "rate of LOBPCG": {
        "m": [5],
        "rounds": [10],
        "instances": 1,
        "attained": 0.99,
        "halves": [4, 12],
        "kept": [8],
    },
}
GRID["interpolation"]["excess"] = 0.01
GRID["rate of LOBPCG"]["tolerance"] = 1e-6
CHECKS = {
    "costs": "complexity",
    "interpolation": "interpolation",
    "warm start": "warm_start",
    "LOBPCG": "lobpcg_agrees",
    "rate of LOBPCG": "linear_convergence",
}


def test_every_fact_holds_in_rows_of_its_own() -> None:
    points = computation.computation(GRID, 1)
    assert decide(points) == "holds"
    assert list(dict.fromkeys(point.where["fact"] for point in points)) == list(GRID)


@pytest.mark.parametrize("fact", GRID)
def test_a_fact_that_is_false_fails_in_its_rows_alone(fact: str, put: Any) -> None:
    put(**{CHECKS[fact]: lambda *of: [Point({"what": "a mutant"}, 2.0, 1.0)]})
    points = computation.computation(GRID, 1)
    assert failing(points, "fact") == {fact}
