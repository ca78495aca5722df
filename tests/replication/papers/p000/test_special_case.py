"""RW-FTPL is RW-Meta with one learner for each expert at one noise scale, and mutants that are not."""

from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.rw_meta import Decorrelation
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import special_case

CHECKED = special_case

GRID = {"n": [2, 5], "eta": [2.0], "t": [1, 2, 10], "tolerance": 1e-6}


def test_the_special_case_holds() -> None:
    assert decide(special_case.same_choice(GRID, 2, 1)) == "holds"


class HalfFloor(Decorrelation):
    """Has the floor t."""

    def level(self, covariance: Any, t: int) -> Any:
        return np.maximum(np.linalg.eigvalsh(covariance)[..., -1], float(t))


def test_for_another_noise_scale_the_laws_differ() -> None:
    for eta in (0.5, 3.0):
        assert special_case.apart(5, eta, 10, 10 * eta**2) > 0.05


class Louder(Decorrelation):
    """Draws a thousandth more noise."""

    def draw(self, *arguments: Any) -> Any:
        return 1.001 * super().draw(*arguments)


@pytest.mark.parametrize("mutant", [HalfFloor, Louder])
def test_the_special_case_catches(mutant: Any, put: Any) -> None:
    put(Decorrelation=mutant)
    assert decide(special_case.same_choice(GRID, 2, 1)) == "fails"
