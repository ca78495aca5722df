"""The two secure noises, and mutants of each."""

from typing import Any

import pytest

from private_experts.replication.balls.balls import ball
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import secure_noise
from tests.each import each

CHECKED = secure_noise
GRID: dict[str, Any] = {"draws": [2, 4], "x": [-1.0, 0.5], "step": [0.25, 0.0625], "mu": [1.0]}
GRID |= {"epsilon": [0.0, 0.3, 1.0], "tolerance": 1e-20, "excess": 0.02}
weight, delta = secure_noise.grid_weight, secure_noise.grid_delta


def told(what: str) -> str:
    return decide([point for point in secure_noise.secure_noise(GRID) if point.where["what"] == what])


@each("what", ["sum", "grid"])
def test_the_noise_is_what_is_claimed(what: str) -> None:
    assert told(what) == "holds"


@pytest.mark.parametrize(
    ("what", "mutant"),
    [
        ("sum", {"divisor": ball}),  # divided by the number of draws
        ("grid", {"grid_weight": lambda place, step: weight(place, 1.01 * step)}),  # a hundredth less noise
        # Rounding moves values a step apart, and they are asked at the old level.
        ("grid", {"grid_delta": lambda epsilon, step, apart: delta(epsilon, step, apart + 1)}),
    ],
)
def test_another_noise_is_caught(what: str, mutant: dict[str, Any], put: Any) -> None:
    put(**mutant)
    assert told(what) == "fails"
