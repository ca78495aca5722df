"""The surplus: what selections cost is what it loses, for two actions and for more; wrong laws are caught."""

from typing import Any

import numpy as np
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.papers.p002 import half_block
from tests.replication.papers.small_checks import SEED, verdict

THREE = {"kind, gap": [["independent", 0.3], ["one", 0.2]], "epsilon": [0.1], "r": [2, 4]}
NONE: dict[str, list[Any]] = {"kind, gap": [], "epsilon": [], "r": []}
GRID = {"kind, gap": [["alike", 0.3]], "epsilon": [0.1], "r": [2, 8], "three": NONE}


def test_what_selections_cost_is_at_most_what_the_surplus_loses() -> None:
    assert verdict(half_block.half_block, GRID) == "holds"


@pytest.mark.parametrize("noise", half_block.NOISE)
def test_the_chance_is_the_slope_of_the_surplus(noise: str) -> None:
    for x in (0.0, 0.3, 2.0):
        tail, chance = (lambda y, f=f: float(f(half_block.ball(y))) for f in half_block.NOISE[noise])
        assert (tail(x) - tail(x + 1e-6)) / 1e-6 == pytest.approx(chance(x), rel=1e-5)
    assert half_block.surplus(noise, half_block.ball(0.5), -3) > 1.5


@pytest.mark.parametrize("noise", half_block.NOISE)
def test_a_surplus_that_loses_too_little_is_caught(noise: str, put: Any) -> None:
    tail, chance = half_block.NOISE[noise]
    put(half_block, "NOISE", half_block.NOISE | {noise: (lambda x: tail(0.95 * x), chance)})
    assert verdict(half_block.half_block, GRID) == "fails"


def test_a_library_with_other_noise_is_caught(put: Any) -> None:
    put(
        half_block,
        "PureDP",
        lambda epsilon, model: half_block.DyadicLeader.__init__.__globals__["PureDP"](1.01, model),
    )
    assert verdict(half_block.half_block, GRID) == "fails"


@pytest.mark.parametrize("noise", ["gumbel", "exponential"])
def test_for_three_actions_the_law_is_the_gradient_of_the_surplus(noise: str) -> None:
    """And the surplus is that of drawn noise."""
    draws = rng_for(SEED, "three", noise).gumbel(size=(3, 400_000))
    if noise == "exponential":
        draws = rng_for(SEED, "three", noise).exponential(size=(3, 400_000))
    for scores in ((0.0, -0.4, 0.7), (0.3, -2.0, -1.0)):
        value, law = half_block.three_surplus(noise, tuple(map(half_block.ball, scores)))
        noisy = draws + np.array(scores)[:, None]
        assert float(value) == pytest.approx(noisy.max(axis=0).mean() - draws.mean(), abs=0.01)
        shares = np.bincount(noisy.argmax(axis=0), minlength=3) / draws.shape[1]
        assert [float(chance) for chance in law] == pytest.approx(shares, abs=0.005)
        for a in range(3):
            moved = [score + 1e-6 * (a == b) for b, score in enumerate(scores)]
            more, _ = half_block.three_surplus(noise, tuple(map(half_block.ball, moved)))
            assert float(more - value) / 1e-6 == pytest.approx(float(law[a]), abs=1e-4)


def test_one_round_of_three_actions_is_that_of_their_gains() -> None:
    one = {lead: float(chance) for lead, chance in half_block.three_steps("one", 0.2).items()}
    assert one == pytest.approx({(1, 1): 1 / 3 + 0.1, (-1, 0): 1 / 3, (0, -1): 1 / 3 - 0.1})
    alone = {lead: float(chance) for lead, chance in half_block.three_steps("independent", 0.3).items()}
    assert alone[1, 1] == pytest.approx(0.65 * 0.5 * 0.65)
    assert alone[0, 0] == pytest.approx(0.65 * 0.5 * 0.35 + 0.35 * 0.5 * 0.65)
    assert len(alone) == 7


def test_three_actions_hold_and_a_surplus_that_loses_too_little_is_caught(put: Any) -> None:
    grid = GRID | {"kind, gap": [], "three": THREE}
    assert verdict(half_block.half_block, grid) == "holds"
    given_surplus = half_block.three_surplus

    def less(noise: str, scores: Any) -> Any:
        value, law = given_surplus(noise, scores)
        return 0.9 * value, law

    put(half_block, "three_surplus", less)
    assert verdict(half_block.half_block, grid) == "fails"
