"""RW-FTPL is RW-Meta with one learner for each expert at one noise scale, and mutants that are not."""

import math
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.rw_meta import Decorrelation
from private_experts.replication.claims.checks.paper_000 import special_case
from private_experts.replication.claims.evidence import decide

GRID = {"n": [2, 5], "eta": [2.0], "t": [1, 2, 10], "tolerance": 1e-6}


def test_as_printed_it_fails() -> None:
    assert decide(special_case.same_choice_printed(GRID, 2, 1)) == "fails"


def test_as_printed_it_holds_for_the_one_noise_scale() -> None:
    assert decide(special_case.same_choice_printed(GRID | {"eta": [math.sqrt(2)]}, 2, 1)) == "holds"


def test_the_special_case_holds() -> None:
    assert decide(special_case.same_choice(GRID, 2, 1)) == "holds"


class HalfFloor(Decorrelation):
    """Has the floor t."""

    def level(self, covariance: Any, t: int) -> Any:
        return np.maximum(np.linalg.eigvalsh(covariance)[..., -1], float(t))


class Louder(Decorrelation):
    """Draws a thousandth more noise."""

    def draw(self, *arguments: Any) -> Any:
        return 1.001 * super().draw(*arguments)


@pytest.mark.parametrize("mutant", [HalfFloor, Louder])
def test_the_special_case_catches(mutant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(special_case, "Decorrelation", mutant)
    assert decide(special_case.same_choice(GRID, 2, 1)) == "fails"
