"""RW-FTPL's rate is reached, and a mutant's is not."""

import math
from typing import Any

import numpy as np
import pytest

from private_experts.replication.claims.checks.paper_000 import rates
from private_experts.replication.claims.evidence import decide

GRID = {"n": [2, 10], "T": [100, 10000], "mu": [1.0], "multiple": [0.5, 1, 2], "share": 0.1}

regret = rates.regret_of_leader


def test_the_rate_is_reached() -> None:
    assert decide(rates.rate_attained(GRID, 2, 1)) == "holds"


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda n, T, eta, gaps: regret(n, T, eta, gaps) / T**0.2, id="a smaller exponent of T"),
        pytest.param(lambda n, T, eta, gaps: regret(n, T, eta / math.sqrt(n * 4), gaps), id="noise without sqrt n"),
        pytest.param(lambda n, T, eta, gaps: regret(n, T, eta, gaps) / 6, id="a sixth"),
    ],
)
def test_the_rate_catches(mutant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rates, "regret_of_leader", mutant)
    assert decide(rates.rate_attained(GRID, 2, 1)) == "fails"


def test_the_regret_of_two_experts_has_a_closed_form() -> None:
    t = np.arange(1, 51)
    behind = [0.5 * math.erfc(0.3 * (s - 1) / (2 * math.sqrt(s))) for s in t]
    assert regret(2, 50, 1.0, np.array([0.3]))[0] == pytest.approx(0.3 * sum(behind), rel=1e-6)
