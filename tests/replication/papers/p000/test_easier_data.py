"""Amplification grows on easier data and hardly depends on the tolerance, and mutants of both."""

from typing import Any

import numpy as np

from private_experts.replication.papers.p000 import easier_data, sampled_points
from tests.each import each
from tests.replication.papers.small_checks import verdict

EASIER = {"n": [2], "gap": [0.0, 0.5, 1.0], "mu": 1.0, "T": 200, "t": 100}
TOLERANCE = {"n": [2], "alpha": [0.001, 0.1], "mu": 1.0, "T": 200, "t": 100, "change": 0.1}
drawn, sizes = easier_data.simulate_batches, easier_data.containing_sizes


@each(
    ("check", "grid", "repetitions", "mutants", "expected"),
    [
        (easier_data.easier_data, EASIER, 400, {}, "holds"),
        (easier_data.tolerance_matters_little, TOLERANCE, 2000, {}, "holds"),
        (easier_data.tolerance_matters_little, TOLERANCE | {"change": 0.02}, 2000, {}, "fails"),
        # batches that grow with the tenth root of the tolerance
        (
            easier_data.tolerance_matters_little,
            TOLERANCE,
            2000,
            {"containing_sizes": lambda *given: sizes(*given) * (given[3] / 0.001) ** 0.1},
            "fails",
        ),
    ],
)
def test_it_holds_and_what_is_wrong_is_caught(
    check: Any, grid: Any, repetitions: int, mutants: Any, expected: str
) -> None:
    assert verdict(check, grid, repetitions, **mutants) == expected


@each(
    "batches",
    [
        lambda *a, drift, **rest: drawn(*a, drift=0.0 * drift, **rest),  # ignore the gap
        lambda *a, **named: np.ones_like(drawn(*a, **named)),  # are single rounds
    ],
)
def test_easier_data_catch_batches_that_ignore_the_gap_or_are_single_rounds(batches: Any, put: Any) -> None:
    put(sampled_points, mean_interval=lambda x, **_: (x.mean(), x.mean() - 0.01, x.mean() + 0.01))
    assert verdict(easier_data.easier_data, EASIER, 400, simulate_batches=batches) != "holds"
