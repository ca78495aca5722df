"""The closed form of Theorem 1's bound is its integral."""

import math
from typing import Any

import pytest

from private_experts.replication.balls.balls import erfc, sqrt
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import certified_laws, two_bounds
from private_experts.walks.leader_change import bound

CHECKED = two_bounds
EQUATION = {"n": [10], "B": [4], "c": [0.5, 2.0, 8.0], "tolerance": 1e-12}
theorem_1 = certified_laws.theorem_1


def test_equation_6_holds() -> None:
    assert decide(two_bounds.equation_6(EQUATION)) == "holds"


@pytest.mark.parametrize(
    ("module", "name", "mutant", "what"),
    [
        (None, "bound", lambda beta: bound(beta) * (1 + 1e-11), "library"),
        # without Lemma 5's mean
        (None, "argument", lambda k, eta, steps, n: k / math.sqrt(2 * steps), "library"),
        (None, "proof_terms", lambda c: erfc(c / sqrt(2)), "closed form"),  # the leader's fall alone
        (certified_laws, "theorem_1", lambda beta: theorem_1(beta) * (1 + 1e-15), "closed form"),
    ],
)
def test_equation_6_catches(module: Any, name: str, mutant: Any, what: str, put: Any) -> None:
    put(module, **{name: mutant})
    points = two_bounds.equation_6(EQUATION)
    assert decide([point for point in points if point.where["what"] == what]) == "fails"
