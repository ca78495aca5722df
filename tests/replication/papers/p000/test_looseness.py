"""Why the analytic law is loose: each check gives the expected verdict, and another where the reason is another."""

from typing import Any

import numpy as np
import pytest

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import looseness
from private_experts.walks.batch_size import proxy_survival
from tests.replication.papers.remembered import remembered

CHECKED = looseness

GRID = {"n": [2], "mu": [1.0], "T": 300, "t": 150}
REGIME = GRID | {"epsilon": 3, "factor": 2}

still = looseness.still_survival
SIMULATED = remembered(looseness.simulated)


@pytest.fixture(autouse=True)
def simulated_once(put: Any) -> None:
    """Simulate once for all tests that ask for the same games."""
    put(simulated=SIMULATED)


def larger(*cell: Any) -> Any:
    """A law without drift whose probabilities of large batches are a tenth larger."""
    return np.minimum(1.1 * still(*cell), 1.0)


def test_the_drift_is_not_the_cause() -> None:
    assert decide(looseness.drift_is_the_cause(GRID, 400, 1)) == "fails"


def test_a_drift_that_costs_a_tenth_more_would_be(put: Any) -> None:
    put(still_survival=larger)
    assert decide(looseness.drift_is_the_cause(GRID, 400, 1)) == "holds"


def test_theorem_1_is_the_largest_cause() -> None:
    assert decide(looseness.causes(GRID, 1600, 1)) == "holds"


def test_a_theorem_1_that_gives_away_less_would_not_be_the_cause(put: Any) -> None:
    put(still_survival=larger)
    assert decide(looseness.causes(GRID, 400, 1)) == "fails"


def test_the_half_normal_law_lies_between_theorem_1_and_the_truth() -> None:
    cell = (150, 1.4, 10, 0.01, 100)
    theorem_1, half = still(*cell), looseness.half_normal_survival(*cell)
    assert (half >= theorem_1 - 1e-9).all()
    assert looseness.mean_inverse(half) < looseness.mean_inverse(theorem_1)


def test_moderate_errors_hold() -> None:
    assert decide(looseness.moderate_errors(REGIME, 6000, 1)) == "holds"


def test_moderate_errors_catch_a_law_with_a_tenth_too_few_large_batches(put: Any) -> None:
    def fewer(*cell: Any) -> Any:
        return np.concatenate([[1.0], 0.9 * proxy_survival(*cell)[1:]])

    put(proxy_survival=fewer)  # loose at low type I errors as well
    assert decide(looseness.moderate_errors(REGIME, 3000, 1)) == "fails"
