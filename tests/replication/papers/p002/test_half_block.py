"""The surplus: what selections cost is what it loses, for two actions and for more; wrong laws are caught."""

from typing import Any

import numpy as np
import pytest

from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.papers.p002.half_block import (
    NOISE,
    ball,
    half_block,
    surplus,
    three_steps,
    three_surplus,
)
from tests.each import each
from tests.replication.papers.small_checks import SEED, verdict

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


@each("noise", ["gumbel", "exponential"])
def test_for_three_actions_the_law_is_the_gradient_of_the_surplus(noise: str) -> None:
    """And the surplus is that of drawn noise."""
    draws = getattr(rng_for(SEED, "three", noise), noise)(size=(3, 400_000))
    for scores in ((0.0, -0.4, 0.7), (0.3, -2.0, -1.0)):
        value, law = three_surplus(noise, tuple(map(ball, scores)))
        noisy = draws + np.array(scores)[:, None]
        assert float(value) == pytest.approx(noisy.max(axis=0).mean() - draws.mean(), abs=0.01)
        shares = np.bincount(noisy.argmax(axis=0), minlength=3) / draws.shape[1]
        assert [float(chance) for chance in law] == pytest.approx(shares, abs=0.005)
        for a in range(3):
            moved = [score + 1e-6 * (a == b) for b, score in enumerate(scores)]
            more, _ = three_surplus(noise, tuple(map(ball, moved)))
            assert float(more - value) / 1e-6 == pytest.approx(float(law[a]), abs=1e-4)


def test_one_round_of_three_actions_is_that_of_their_gains() -> None:
    one = {lead: float(chance) for lead, chance in three_steps("one", 0.2).items()}
    assert one == pytest.approx({(1, 1): 1 / 3 + 0.1, (-1, 0): 1 / 3, (0, -1): 1 / 3 - 0.1})
    alone = {lead: float(chance) for lead, chance in three_steps("independent", 0.3).items()}
    assert alone[1, 1] == pytest.approx(0.65 * 0.5 * 0.65)
    assert alone[0, 0] == pytest.approx(0.65 * 0.5 * 0.35 + 0.35 * 0.5 * 0.65)
    assert len(alone) == 7
