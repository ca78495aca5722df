"""The surplus: what selections cost is what it loses, for two actions and for more; wrong laws are caught."""

from typing import Any

import pytest

from private_experts.privacy.guarantees import PureDP
from private_experts.replication.papers.p002.half_block import (
    NOISE,
    ball,
    half_block,
    surplus,
    three_surplus,
)
from tests.each import each
from tests.replication.papers.small_checks import verdict

THREE = {"kind, gap": [["independent", 0.3], ["one", 0.2]], "epsilon": [0.1], "r": [2, 4]}
NONE: dict[str, list[Any]] = {"kind, gap": [], "epsilon": [], "r": []}
TWO = {"kind, gap": [["alike", 0.3]], "epsilon": [0.1], "r": [2, 8], "three": NONE}
OF_THREE = TWO | {"kind, gap": [], "three": THREE}


def losing_less(noise: str) -> Any:
    tail, chance = NOISE[noise]
    return {"NOISE": NOISE | {noise: (lambda x: tail(0.95 * x), chance)}}


def less_of_three(noise: str, scores: Any) -> Any:
    value, law = three_surplus(noise, scores)
    return 0.9 * value, law


@each(
    ("grid", "mutants", "found"),
    [
        (TWO, {}, "holds"),
        *((TWO, losing_less(noise), "fails") for noise in NOISE),
        (TWO, {"PureDP": lambda epsilon, model: PureDP(1.01, model)}, "fails"),
        (OF_THREE, {}, "holds"),
        (OF_THREE, {"three_surplus": less_of_three}, "fails"),
    ],
)
def test_what_selections_cost_is_at_most_what_the_surplus_loses(grid: Any, mutants: Any, found: str) -> None:
    assert verdict(half_block, grid, **mutants) == found


@each("noise", NOISE)
def test_the_chance_is_the_slope_of_the_surplus(noise: str) -> None:
    for x in (0.0, 0.3, 2.0):
        tail, chance = (lambda y, f=f: float(f(ball(y))) for f in NOISE[noise])
        assert (tail(x) - tail(x + 1e-6)) / 1e-6 == pytest.approx(chance(x), rel=1e-5)
    assert surplus(noise, ball(0.5), -3) > 1.5
