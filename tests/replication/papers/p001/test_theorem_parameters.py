"""The checks of the theorems' parameters give their verdicts, and others on something wrong."""

from typing import Any

from private_experts.private_oco.convex_regret import gibbs_parameters
from private_experts.private_oco.parameters import private_regret
from private_experts.private_oco.private_accounting import private_scale
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import theorem_parameters
from private_experts.replication.papers.p001.theorem_parameters import _share
from tests.each import each
from tests.replication.papers.p001.mutants import put

SCALE = {
    "box": {"log_T": [0.0, 20.0], "minus_log_delta": [0.69, 30.0], "epsilon": [0.0, 1.0]},
    "accounting": ["closed", "mended"],
    "log2_T": [5, 20],
    "epsilon": [1.0, 1e-3],
    "minus_log10_delta": [0.30103, 6],
    "d": [2],
}
SMALL_BOX = {"log_T": [3.0, 4.0], "minus_log_delta": [10.0, 14.0], "epsilon": [0.5, 1.0]}
CELL = SCALE | {
    "box": SMALL_BOX,
    "accounting": ["closed"],
    "log2_T": [5],
    "epsilon": [1.0],
    "minus_log10_delta": [6],
}


LONG = CELL | {"log2_T": [20], "epsilon": [1.0, 1e-3]}


@each(
    ("grid", "mutants", "found"),
    [
        (SCALE, {}, "holds"),
        (
            LONG | {"accounting": ["closed"]},
            {"private_scale": lambda *given: 3.0 * private_scale(*given)},
            "fails",
        ),
        (
            LONG | {"accounting": ["mended"]},
            {"private_scale": lambda *given: 1.0001 * private_scale(*given)},
            "fails",
        ),
        (CELL, {"private_regret": lambda *given, **more: 1.001 * private_regret(*given, **more)}, "fails"),
        (CELL, {"gibbs_parameters": lambda t, d, u: gibbs_parameters(t, d, 1.01 * u)}, "fails"),
    ],
)
def test_the_scale_keeps_epsilon_and_what_is_wrong_is_caught(grid: Any, mutants: Any, found: str) -> None:
    with put(theorem_parameters, **mutants):
        points = theorem_parameters.scale(grid)
    assert decide(points) == found
    if "private_scale" in mutants:
        assert decide([point for point in points if point.where["quantity"] == "epsilon"]) == "fails"


def test_a_share_that_is_three_times_as_large_is_caught_over_the_box() -> None:
    # it spends 0.353
    with put(theorem_parameters, _share=lambda *given, **more: 2.84 * _share(*given, **more)):
        assert decide(theorem_parameters.scale(CELL | {"box": SCALE["box"]})[:1]) == "fails"
