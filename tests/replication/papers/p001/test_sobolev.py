"""The check of the logarithmic Sobolev inequality holds, and fails for another constant and a misprint."""

from typing import Any

from private_experts.replication.balls.balls import Ball
from private_experts.replication.papers.p001 import sobolev
from private_experts.replication.papers.p001.sobolev import _exponential, _sides
from tests.each import each
from tests.replication.papers.small_checks import times, verdict

GRID = {
    "set": ["interval"],
    "G": 2.0,
    "beta": [3.0],
    "lam": [10.0],
    "tilt": 0.5,
    "instances": {"interval": 2},
    "allowed": 1e-12,
}


def smaller(*given: Any) -> tuple[Ball, Ball]:
    left, slopes = _sides(*given)
    return left, 0.99 * slopes


@each(
    ("mutants", "found"),
    [
        ({}, "holds"),
        ({"_exponential": times(1 - 1e-9, _exponential)}, "fails"),
        ({"_exponential": times(1 + 1e-9, _exponential)}, "fails"),
        ({"_sides": smaller}, "fails"),
    ],
)
def test_it_holds_and_another_constant_is_caught(mutants: Any, found: str) -> None:
    assert verdict(sobolev.log_sobolev, GRID, **mutants) == found
