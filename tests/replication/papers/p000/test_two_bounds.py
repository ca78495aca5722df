"""The closed form of Theorem 1's bound is its integral, and Levy's bound is smaller where it is said to be."""

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


def test_the_checks_hold() -> None:
    assert decide(two_bounds.equation_6(EQUATION, 2, 1)) == "holds"
    assert decide(two_bounds.levy_is_smaller(WHERE, 2, 1)) == "holds"


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        pytest.param("bound", lambda beta: bound(beta) * (1 + 1e-11), id="off by 1e-11"),
        pytest.param("argument", lambda k, eta, steps, n: k / math.sqrt(2 * steps), id="without the mean of Lemma 5"),
        pytest.param("proof_terms", lambda c: erfc(c / sqrt(2)), id="the leader's fall alone"),
    ],
)
def test_equation_6_catches(name: str, mutant: Any, put: Any) -> None:
    put(**{name: mutant})
    assert decide(two_bounds.equation_6(EQUATION, 2, 1)) == "fails"


def test_a_closed_form_that_is_off_by_little_is_caught(put: Any) -> None:
    right = certified_laws.theorem_1
    put(certified_laws, theorem_1=lambda beta: right(beta) * (1 + 1e-15))
    points = two_bounds.equation_6(EQUATION, 2, 1)
    assert decide([point for point in points if point.where["what"] == "closed form"]) == "fails"


@pytest.mark.parametrize("change", [{"few": [2.0, 17.0]}, {"larger": [[16, 0.0]]}, {"larger": [[20, 0.1]]}])
def test_the_limits_of_the_smaller_bound_are_sharp(change: dict[str, Any]) -> None:
    assert decide(two_bounds.levy_is_smaller(WHERE | change, 2, 1)) == "fails"


def test_a_bound_3_percent_larger_is_caught(put: Any) -> None:
    right = certified_laws.levy  # for 16 experts it is 0.977 at beta = 0
    put(certified_laws, levy=lambda ahead, challengers: 1.03 * right(ahead, challengers))
    assert decide(two_bounds.levy_is_smaller(WHERE, 2, 1)) == "fails"
