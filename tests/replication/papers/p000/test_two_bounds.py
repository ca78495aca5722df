"""The closed form of Theorem 1's bound is its integral."""

import math
from typing import Any

from private_experts.replication.balls.balls import erfc, sqrt
from private_experts.replication.papers.p000.certified_laws import theorem_1
from private_experts.replication.papers.p000.two_bounds import equation_6
from private_experts.walks.leader_change import bound
from tests.each import each
from tests.replication.papers.small_checks import times, verdict

EQUATION = {"n": [10], "B": [4], "c": [0.5, 2.0, 8.0], "tolerance": 1e-12}


@each(
    ("of", "mutants", "found"),
    [
        ({}, {}, "holds"),
        ({"what": "library"}, {"bound": times(1 + 1e-11, bound)}, "fails"),
        # without Lemma 5's mean
        ({"what": "library"}, {"argument": lambda k, eta, steps, n: k / math.sqrt(2 * steps)}, "fails"),
        # the leader's fall alone
        ({"what": "closed form"}, {"proof_terms": lambda c: erfc(c / sqrt(2))}, "fails"),
        ({"what": "closed form"}, {"certified_laws.theorem_1": times(1 + 1e-15, theorem_1)}, "fails"),
    ],
)
def test_equation_6_holds_and_another_one_is_caught(of: Any, mutants: Any, found: str) -> None:
    assert verdict(equation_6, EQUATION, of=of, **mutants) == found
