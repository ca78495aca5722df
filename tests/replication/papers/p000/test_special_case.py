"""RW-FTPL is RW-Meta with one learner for each expert at one noise scale, and mutants that are not."""

from typing import Any

from private_experts.replication.papers.p000 import special_case
from tests.each import each
from tests.replication.papers.p000.mutants import floored, louder
from tests.replication.papers.small_checks import verdict

GRID = {"n": [2, 5], "eta": [2.0], "t": [1, 2, 10], "tolerance": 1e-6}


def test_the_special_case_holds_and_for_another_noise_scale_the_laws_differ() -> None:
    assert verdict(special_case.same_choice, GRID) == "holds"
    for eta in (0.5, 3.0):
        assert special_case.apart(5, eta, 10, 10 * eta**2) > 0.05


@each("mutant", [floored(1.0), louder(1.001)])
def test_the_special_case_catches(mutant: Any) -> None:
    assert verdict(special_case.same_choice, GRID, Decorrelation=mutant) == "fails"
