"""The closed form of Theorem 1's bound is its integral, and Levy's bound is smaller where claimed."""

import math
from typing import Any

import pytest

from private_experts.replication.balls.balls import erfc, sqrt
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import certified_laws, two_bounds
from private_experts.walks.leader_change import bound

CHECKED = two_bounds
EQUATION = {"n": [10], "B": [4], "c": [0.5, 2.0, 8.0], "tolerance": 1e-12}
WHERE = {"few": [2.0, 16.0], "many": [2, 1e6], "beta": [0.0, 8.0], "larger": [[20, 0.0]]}
theorem_1, levy = certified_laws.theorem_1, certified_laws.levy


def test_the_checks_hold() -> None:
    assert decide(two_bounds.equation_6(EQUATION)) == "holds"
    assert decide(two_bounds.levy_is_smaller(WHERE)) == "holds"


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


@pytest.mark.parametrize("change", [{"few": [2.0, 17.0]}, {"larger": [[16, 0.0]]}, {"larger": [[20, 0.1]]}])
def test_the_limits_of_the_smaller_bound_are_sharp(change: dict[str, Any]) -> None:
    assert decide(two_bounds.levy_is_smaller(WHERE | change)) == "fails"


def test_a_bound_3_percent_larger_is_caught(put: Any) -> None:
    # 0.977 for 16 at beta = 0
    put(certified_laws, levy=lambda ahead, challengers: 1.03 * levy(ahead, challengers))
    assert decide(two_bounds.levy_is_smaller(WHERE)) == "fails"
