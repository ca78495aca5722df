"""An interpolated inverse gives the exact batch sizes, and a coarse one does not."""

from typing import Any

import numpy as np
import pytest

from private_experts.replication.claims.checks.paper_000 import interpolation
from private_experts.replication.claims.evidence import decide
from private_experts.walks.leader_change import look_up

GRID = {"n": [24], "eta": [5.0], "rho": [0.0, 1.0], "alpha": [0.01], "decisions": 5000, "share": 1e-3}


def coarse(log_p: Any) -> Any:
    """A straight line between 40 points."""
    knots = np.linspace(-20.0, 0.0, 40)
    return np.interp(log_p, knots, look_up(knots))


def test_interpolation_holds() -> None:
    assert decide(interpolation.interpolation(GRID, 2, 1)) == "holds"


@pytest.mark.parametrize("inverse", [coarse, lambda log_p: look_up(log_p) * (1 + 1e-3)])
def test_interpolation_catches(inverse: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interpolation, "look_up", inverse)
    assert decide(interpolation.interpolation(GRID, 2, 1)) == "fails"
