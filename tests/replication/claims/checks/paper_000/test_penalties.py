"""The penalties of Appendix A.10 are within their bounds, and mutants are not."""

import math
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.rw_meta import Decorrelation
from private_experts.replication.claims.checks.paper_000 import penalties
from private_experts.replication.claims.evidence import decide

GRID = {
    "structure": ["orthogonal"],
    "m": [2, 13],
    "eta": [0.5, 3.0],
    "stream": ["zero", "alternating"],
    "T": 40,
    "tolerance": 1e-8,
}
CHECKS = [penalties.overestimation, penalties.divergence, penalties.decomposition]


class LowFloor(Decorrelation):
    """Has a floor of t / 1000."""

    def level(self, covariance: Any, t: int) -> Any:
        return np.maximum(np.linalg.eigvalsh(covariance)[..., -1], 0.001 * t)


class Loud(Decorrelation):
    """Has twice the variance."""

    def level(self, covariance: Any, t: int) -> Any:
        return 2 * super().level(covariance, t)


@pytest.mark.parametrize("check", CHECKS)
def test_it_holds(check: Any) -> None:
    assert decide(check(GRID, 2, 1)) == "holds"


def test_overestimation_catches_twice_the_variance(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(penalties, "Decorrelation", Loud)
    assert decide(penalties.overestimation(GRID, 2, 1)) == "fails"


def test_divergence_catches_a_floor_that_is_nearly_absent(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(penalties, "Decorrelation", LowFloor)
    failed = [p for p in penalties.divergence(GRID | {"eta": [0.01], "T": 100}, 2, 1) if decide([p]) == "fails"]
    assert {point.where["what"] for point in failed} == {"all rounds"}


def test_divergence_catches_gains_that_are_four_times_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    alternating = penalties.STREAMS["alternating"]
    monkeypatch.setattr(penalties, "STREAMS", {"alternating": lambda horizon, n: 4 * alternating(horizon, n)})
    assert decide(penalties.divergence(GRID | {"stream": ["alternating"]}, 2, 1)) == "fails"


@pytest.mark.parametrize("factor", [1 - 1e-6, 1 + 1e-6])
def test_the_decomposition_catches_a_law_of_play_that_is_off(factor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    ndtr = penalties.ndtr
    monkeypatch.setattr(penalties, "ndtr", lambda x: ndtr(factor * x))
    assert decide(penalties.decomposition(GRID, 2, 1)) == "fails"


def test_the_potential_of_equal_totals_is_known() -> None:
    mean, law = penalties.potential(np.zeros((1, 3)), np.array([2.0]))
    assert mean[0] == pytest.approx(3 / math.sqrt(math.pi), abs=1e-9)
    assert law[0] == pytest.approx([1 / 3] * 3, abs=1e-10)
