"""The two secure noises, and mutants of each."""

from typing import Any

import pytest

from private_experts.replication.balls.balls import ball
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import secure_noise

CHECKED = secure_noise

GRID = {
    "draws": [2, 4], "x": [-1.0, 0.5], "step": [0.25, 0.0625], "mu": [1.0], "epsilon": [0.0, 0.3, 1.0],
    "tolerance": 1e-20, "excess": 0.02,
}  # fmt: skip


def told(what: str) -> str:
    return decide([point for point in secure_noise.secure_noise(GRID, 2, 1) if point.where["what"] == what])


@pytest.mark.parametrize("what", ["sum", "grid"])
def test_the_noise_is_what_is_claimed(what: str) -> None:
    assert told(what) == "holds"


def test_a_sum_divided_by_the_number_of_draws_is_caught(put: Any) -> None:
    put(divisor=ball)
    assert told("sum") == "fails"


def test_a_grid_with_a_hundredth_less_noise_is_caught(put: Any) -> None:
    weight = secure_noise.grid_weight
    put(grid_weight=lambda place, step: weight(place, 1.01 * step))
    assert told("grid") == "fails"


def test_values_that_rounding_moves_a_step_apart_are_caught_at_the_old_level(put: Any) -> None:
    delta = secure_noise.grid_delta
    put(grid_delta=lambda epsilon, step, apart: delta(epsilon, step, apart + 1))
    assert told("grid") == "fails"
