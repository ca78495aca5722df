"""The checks of Gaussian privacy give their verdicts on small grids, and others on something wrong."""

from typing import Any

import numpy as np
import pytest

from private_experts.convex.gaussian_levels import lottery_level
from private_experts.convex.gibbs import GridGibbs
from private_experts.replication.claims.checks.paper_001 import gaussian
from private_experts.replication.claims.evidence import decide

NEIGHBOURS = {
    "set": ["interval"],
    "G": 2.0,
    "beta": [3.0],
    "lam": [10.0],
    "deviations": [-1.0, 0.0, 2.0],
    "cells": {"interval": 4000},
    "most_cells": {"interval": 4000},
    "instances": {"interval": 4},
    "allowed": 0.001,
}
QUADRATIC = {"d": [1, 3], "beta": [3.0], "lam": [2.0], "curvature": [0.0, 1.0], "G": 2.0, "instances": 4}
LOTTERY = {"p": [0.05, 0.7], "spread": [0.01, 3.0], "kept": [1.0, 0.99, 0.1], "z": [-5.0, 6.0]}


def other_than_it_says(beta_factor: float, lam_factor: float) -> type[GridGibbs]:
    class Other(GridGibbs):
        """Gibbs measures of another temperature and regulariser than the claims are told."""

        def __init__(self, points: Any, *, beta: float, lam: float) -> None:
            super().__init__(points, beta=beta * beta_factor, lam=lam * lam_factor)
            self.beta, self._true_beta, self.lam = beta, beta * beta_factor, lam

        def log_masses(self, totals: Any) -> Any:
            told, self.beta = self.beta, self._true_beta
            logs = super().log_masses(totals)
            self.beta = told
            return logs

    return Other


def test_they_hold() -> None:
    assert decide(gaussian.neighbours(NEIGHBOURS, 2, 1)) == "holds"
    assert decide(gaussian.quadratic(QUADRATIC, 2, 1)) == "holds"
    assert decide(gaussian.lottery(LOTTERY, 2, 1)) == "holds"


@pytest.mark.parametrize("factor", [0.99, 1.01])
@pytest.mark.parametrize("place", [0, 1])
def test_a_parameter_one_percent_off_is_caught(factor: float, place: int, monkeypatch: pytest.MonkeyPatch) -> None:
    other = other_than_it_says(*np.where(np.arange(2) == place, factor, 1.0))
    monkeypatch.setattr("private_experts.replication.claims.checks.paper_001.gaussian.GridGibbs", other)
    assert decide(gaussian.neighbours(NEIGHBOURS, 2, 1)) == "fails"


@pytest.mark.parametrize("factor", [0.999, 1.001])
def test_a_lottery_level_that_is_off_is_caught(factor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gaussian, "lottery_level", lambda p, spread: factor * lottery_level(p, spread))
    assert decide(gaussian.lottery(LOTTERY, 2, 1)) == "fails"


def test_a_hazard_rate_that_does_not_grow_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = gaussian._hazard  # at z = 6 the sides are 2.6 % apart
    monkeypatch.setattr(gaussian, "_hazard", lambda z: (1.03 * right(z)[0], right(z)[1]))
    assert decide(gaussian.lottery(LOTTERY, 2, 1)[:1]) == "fails"


@pytest.mark.parametrize("steeper", [0.999, 1.001])
def test_losses_of_another_slope_are_caught(steeper: float, monkeypatch: pytest.MonkeyPatch) -> None:
    level = gaussian._level
    monkeypatch.setattr(gaussian, "_level", lambda *arguments: steeper * level(*arguments))
    assert decide(gaussian.quadratic(QUADRATIC, 2, 1)) == "fails"
