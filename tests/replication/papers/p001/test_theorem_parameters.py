"""The checks of the theorems' parameters give their verdicts, and others on something wrong."""

from typing import Any

from private_experts.private_oco.convex_regret import gibbs_parameters
from private_experts.private_oco.parameters import private_regret
from private_experts.private_oco.private_accounting import private_scale
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import theorem_parameters
from private_experts.replication.papers.p001.theorem_parameters import _share
from tests.each import each
from tests.replication.papers.small_checks import found, times, verdict

BOX = {"log_T": [0.0, 20.0], "minus_log_delta": [0.69, 30.0], "epsilon": [0.0, 1.0]}
SCALE = {
    "box": BOX,
    "accounting": ["closed", "mended"],
    "log2_T": [5, 20],
    "epsilon": [1.0, 1e-3],
    "minus_log10_delta": [0.30103, 6],
    "d": [2],
}
CELL = SCALE | {
    "box": {"log_T": [3.0, 4.0], "minus_log_delta": [10.0, 14.0], "epsilon": [0.5, 1.0]},
    "accounting": ["closed"],
    "log2_T": [5],
    "epsilon": [1.0],
    "minus_log10_delta": [6],
}
LONG = CELL | {"log2_T": [20], "epsilon": [1.0, 1e-3]}


@each(
    ("grid", "mutants", "expected"),
    [
        (SCALE, {}, "holds"),
        (CELL, {"private_regret": times(1.001, private_regret)}, "fails"),
        (CELL, {"gibbs_parameters": lambda t, d, u: gibbs_parameters(t, d, 1.01 * u)}, "fails"),
    ],
)
def test_the_scale_keeps_epsilon_and_what_is_wrong_is_caught(grid: Any, mutants: Any, expected: str) -> None:
    assert verdict(theorem_parameters.scale, grid, **mutants) == expected


@each(("accounting", "factor"), [("closed", 3.0), ("mended", 1.0001)])
def test_a_scale_that_is_too_large_gives_away_more_than_epsilon(accounting: str, factor: float) -> None:
    mutant = {"private_scale": times(factor, private_scale)}
    grid = LONG | {"accounting": [accounting]}
    assert verdict(theorem_parameters.scale, grid, of={"quantity": "epsilon"}, **mutant) == "fails"


def test_a_share_that_is_three_times_as_large_is_caught_over_the_box() -> None:
    over_box, *_ = found(theorem_parameters.scale, CELL | {"box": BOX}, _share=times(2.84, _share))
    assert decide([over_box]) == "fails"  # it spends 0.353
