"""The closed form of Theorem 1's bound is its integral, and a wrong one is not."""

import math
from typing import Any

import pytest

from private_experts.replication.claims.checks.paper_000 import equation_6
from private_experts.replication.claims.evidence import decide
from private_experts.walks.leader_change import bound

GRID = {"n": [10], "B": [4], "c": [0.5, 2.0, 8.0], "tolerance": 1e-12}


def test_equation_6_holds() -> None:
    assert decide(equation_6.equation_6(GRID, 2, 1)) == "holds"


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        pytest.param("bound", lambda beta: bound(beta) * (1 + 1e-11), id="off by 1e-11"),
        pytest.param("argument", lambda k, eta, steps, n: k / math.sqrt(2 * steps), id="without the mean of Lemma 5"),
        pytest.param("proof_terms", lambda c: math.erfc(c / math.sqrt(2)), id="the leader's fall alone"),
    ],
)
def test_equation_6_catches(name: str, mutant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(equation_6, name, mutant)
    assert decide(equation_6.equation_6(GRID, 2, 1)) == "fails"
