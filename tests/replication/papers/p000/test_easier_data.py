"""Amplification grows on easier data and hardly depends on the tolerance, and mutants of both."""

from typing import Any

import numpy as np
import pytest

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import easier_data, sampled_points

CHECKED = easier_data
EASIER = {"n": [2], "gap": [0.0, 0.5, 1.0], "mu": 1.0, "T": 200, "t": 100}
TOLERANCE = {"n": [2], "alpha": [0.001, 0.1], "mu": 1.0, "T": 200, "t": 100, "change": 0.1}
drawn, sizes = easier_data.simulate_batches, easier_data.containing_sizes


def test_they_hold_and_a_change_of_a_twentieth_would_be_caught() -> None:
    assert decide(easier_data.easier_data(EASIER, 400, 1)) == "holds"
    assert decide(easier_data.tolerance_matters_little(TOLERANCE, 2000, 1)) == "holds"
    assert decide(easier_data.tolerance_matters_little(TOLERANCE | {"change": 0.02}, 2000, 1)) == "fails"


@pytest.mark.parametrize(
    "batches",
    [
        pytest.param(lambda *a, drift, **rest: drawn(*a, drift=0.0 * drift, **rest), id="ignore the gap"),
        pytest.param(
            lambda *a, drift, **rest: np.ones_like(drawn(*a, drift=drift, **rest)), id="are single rounds"
        ),
    ],
)
def test_easier_data_catch_batches_that(batches: Any, put: Any) -> None:
    put(simulate_batches=batches)
    put(sampled_points, mean_interval=lambda x, **_: (x.mean(), x.mean() - 0.01, x.mean() + 0.01))
    assert decide(easier_data.easier_data(EASIER, 400, 1)) != "holds"


def test_the_tolerance_catches_batches_that_grow_with_the_tenth_root_of_it(put: Any) -> None:
    put(
        containing_sizes=lambda gaps, eta, n, alpha, *a: (
            sizes(gaps, eta, n, alpha, *a) * (alpha / 0.001) ** 0.1
        )
    )
    assert decide(easier_data.tolerance_matters_little(TOLERANCE, 2000, 1)) == "fails"
