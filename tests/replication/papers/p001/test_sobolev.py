"""The check of the logarithmic Sobolev inequality holds, and fails for another constant and a misprint."""

from typing import Any

from private_experts.replication.balls.balls import Ball, ball, precision
from private_experts.replication.papers.p001 import sobolev
from private_experts.replication.papers.p001.convex_losses import Maxima
from private_experts.replication.papers.p001.measures import on_interval
from private_experts.replication.papers.p001.sobolev import _exponential, _sides
from private_experts.replication.papers.p001.waves import Wave
from tests.each import each
from tests.replication.papers.small_checks import times, verdict

GRID = {
    "set": ["interval"],
    "G": 2.0,
    "beta": [3.0],
    "lam": [10.0],
    "tilt": 0.5,
    "instances": {"interval": 3},
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


@each("wave", [0.003, 0.001])
def test_a_function_that_is_nearly_an_exponential_is_told_from_one(wave: float) -> None:
    with precision(90):
        law = on_interval(Maxima(), 30.0, 10.0)
        share = sobolev._share(law, Wave(ball(0.5), ball(wave), ball(0.7), ball(0.5)))
        assert share < 1
        # lower orders of a small wave vanish
        assert ((1 - share) / ball(wave) ** 4).overlaps(ball(0.2135, 0.2145))
