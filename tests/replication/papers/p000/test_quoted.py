"""What the paper quotes is one claim: each fact has its rows, and a false one fails in its own rows."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.papers.p000 import quoted
from tests.replication.papers.small_checks import failing

CHECKED = quoted
GRID: dict[str, Any] = {
    "Lemma 4": {"T": [2], "n": [2], "level": [0.25]},
    "Lemma 5": {"N": [2], "correlation": [0.5], "between": [2, 5]},
    "equation (1), density": {"n": [2], "e": [0.0, 1.0], "slope_at": [1.0]},
    "equation (6)": {"n": [10], "B": [4], "c": [2.0], "tolerance": 1e-12},
    "equations (16) to (18)": {"n": [3], "e": [0.1]},
    "A.2, noise scale": {"s": [0.1, 10.0], "n": [2], "T": [100], "points": [1.0]},
}
CHECKS = {
    "Lemma 4": "lemma_4",
    "Lemma 5": "lemma_5",
    "equation (1), density": "gap_density",
    "equation (6)": "equation_6",
    "equations (16) to (18)": "conversion",
    "A.2, noise scale": "best_eta",
}


def test_every_fact_holds_in_rows_of_its_own() -> None:
    points = quoted.as_quoted(GRID, 8000, 1)
    assert decide(points) == "holds"
    assert list(dict.fromkeys(point.where["fact"] for point in points)) == list(GRID)


def falsified(check: Callable[..., list[Point]]) -> Callable[..., list[Point]]:
    return lambda *of: [
        replace(point, bound=point.interval[0] - 1) for point in check(*of) if point.sense == "<="
    ]


@pytest.mark.parametrize("fact", GRID)
def test_a_fact_that_is_false_fails_in_its_rows_alone(fact: str, put: Any) -> None:
    put(**{CHECKS[fact]: falsified(getattr(quoted, CHECKS[fact]))})
    points = quoted.as_quoted(GRID, 8000, 1)
    assert decide(points) == "fails"
    assert failing(points, "fact") == {fact}
