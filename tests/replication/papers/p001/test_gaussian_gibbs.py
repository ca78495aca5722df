"""The checks of Gaussian privacy give their verdicts on small grids, and others on something wrong."""

from typing import Any

import numpy as np
import pytest

from private_experts.privacy.gaussian_mechanism import delta
from private_experts.private_oco.gaussian_levels import lottery_level
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.replication.balls.balls import ball, near, precision
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import gaussian_gibbs, measures
from private_experts.replication.papers.p001.convex_losses import Maxima, convex
from private_experts.replication.papers.p001.measures import HIGH, LOW, Case, on_interval

NEIGHBOURS = {
    "set": ["interval"],
    "G": 2.0,
    "beta": [3.0],
    "lam": [10.0],
    "deviations": [-1.0, 0.0, 2.0],
    "instances": {"interval": 4, "disc": 1},
    "cells": {"disc": 80},
    "most_cells": {"disc": 200},
    "fineness": 4,
    "above": {"interval": 0.0, "disc": 0.03},
    "below": {"interval": 1e-12, "disc": 0.03},
}
QUADRATIC = {"d": [1, 3], "beta": [3.0], "lam": [2.0], "curvature": [0.0, 1.0], "G": 2.0, "instances": 4}
LOTTERY = {"p": [0.05, 0.7], "spread": [0.01, 3.0], "kept": [1.0, 0.99, 0.1], "z": [-5.0, 6.0]}


def test_they_hold() -> None:
    assert decide(gaussian_gibbs.neighbours(NEIGHBOURS, 2, 1)) == "holds"
    assert decide(gaussian_gibbs.neighbours(NEIGHBOURS | {"set": ["disc"]}, 2, 1)) == "holds"
    assert decide(gaussian_gibbs.quadratic(QUADRATIC, 2, 1)) == "holds"
    assert decide(gaussian_gibbs.lottery(LOTTERY, 2, 1)) == "holds"


@pytest.mark.parametrize("factor", [1 - 1e-8, 1 + 1e-8])
@pytest.mark.parametrize("name", ["beta", "lam"])
def test_a_parameter_a_hundred_millionth_off_is_caught(
    name: str, factor: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    def other(loss: Maxima, beta: float, lam: float) -> Any:
        return on_interval(loss, factor * beta if name == "beta" else beta, factor * lam if name == "lam" else lam)

    monkeypatch.setattr(measures, "on_interval", other)
    assert decide(gaussian_gibbs.neighbours(NEIGHBOURS, 2, 1)) == "fails"


def test_both_directions_count() -> None:
    one, two = (convex(1, 2.0, 2.0, 3, np.random.default_rng(number)) for number in range(2))
    with precision():
        case = Case("interval", 3.0, 10.0, 0, True)
        (first,), (second,) = (gaussian_gibbs._ratio(case, *pair, [0.0, 1.5], 2.0) for pair in ((one, two), (two, one)))
        assert near(first) == pytest.approx(near(second), rel=1e-12)


@pytest.mark.parametrize("factor", [0.9, 1.1])
def test_on_the_disc_a_parameter_a_tenth_off_is_caught(factor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    right = measures.cells.gibbs
    monkeypatch.setattr(measures.cells, "gibbs", lambda *given: right(*given[:2], factor * given[2], given[3]))
    assert decide(gaussian_gibbs.neighbours(NEIGHBOURS | {"set": ["disc"]}, 2, 1)) == "fails"


@pytest.mark.parametrize("name", ["interval", "disc"])
def test_deltas_are_those_of_sums_over_cells(name: str) -> None:
    case = Case(name, 3.0, 2.0, 60, False)
    pair = list(case.pairs(2.0, {name: 2}, np.random.default_rng(2)))[-1]
    points = np.linspace(LOW, HIGH, 80001)[:, None] if name == "interval" else case.points
    one, two = GridGibbs(points, beta=3.0, lam=2.0).log_masses(np.stack([loss.at(points) for loss in pair]))
    epsilons = [0.0, 0.3, 1.5]
    by_sums = [float(np.maximum(np.exp(one) - np.exp(epsilon + two), 0).sum()) for epsilon in epsilons]
    with precision():
        mine, other = case.measures(*pair)
        found = [near(each) for each in mine.deltas(other, epsilons)]
    assert found == pytest.approx(by_sums, rel=3e-4 if name == "interval" else 1e-9)


def test_the_delta_of_gaussians_is_the_librarys() -> None:
    with precision():
        assert near(gaussian_gibbs.normal_delta(0.7, ball(1.3))) == pytest.approx(float(delta(0.7, 1.3)), rel=1e-13)


@pytest.mark.parametrize("factor", [0.999, 1.001])
def test_a_lottery_level_that_is_off_is_caught(factor: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gaussian_gibbs, "lottery_level", lambda p, spread: factor * lottery_level(p, spread))
    assert decide(gaussian_gibbs.lottery(LOTTERY, 2, 1)) == "fails"


def test_a_hazard_rate_that_does_not_grow_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = gaussian_gibbs._hazard  # at z = 6 the sides are 2.6 % apart
    monkeypatch.setattr(gaussian_gibbs, "_hazard", lambda z: (1.03 * right(z)[0], right(z)[1]))
    assert decide(gaussian_gibbs.lottery(LOTTERY, 2, 1)[:1]) == "fails"


@pytest.mark.parametrize("steeper", [0.999, 1.001])
def test_losses_of_another_slope_are_caught(steeper: float, monkeypatch: pytest.MonkeyPatch) -> None:
    level = gaussian_gibbs._level
    monkeypatch.setattr(gaussian_gibbs, "_level", lambda *arguments: steeper * level(*arguments))
    assert decide(gaussian_gibbs.quadratic(QUADRATIC, 2, 1)) == "fails"
