"""The checks of Gaussian privacy give their verdicts on small grids, and others on something wrong."""

from typing import Any

import numpy as np
import pytest

from private_experts.private_oco.gibbs import GridGibbs
from private_experts.replication.balls import cells
from private_experts.replication.balls.balls import near
from private_experts.replication.papers.p001 import gaussian_gibbs, measures
from private_experts.replication.papers.p001.convex_losses import convex
from private_experts.replication.papers.p001.gaussian_gibbs import _level, neighbours, quadratic
from private_experts.replication.papers.p001.measures import HIGH, LOW, Case, on_interval
from tests.each import each
from tests.replication.papers.replaced import put
from tests.replication.papers.small_checks import times, verdict

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
ON_DISC = NEIGHBOURS | {"set": ["disc"]}
QUADRATIC = {"d": [1, 3], "beta": [3.0], "lam": [2.0], "curvature": [0.0, 1.0], "G": 2.0, "instances": 4}
ON_CELLS = cells.gibbs


def on_line(factor: float) -> Any:
    return lambda loss, beta, lam: on_interval(loss, factor * beta, lam)


def on_cells(factor: float) -> Any:
    return lambda totals, points, beta, lam: ON_CELLS(totals, points, factor * beta, lam)


@each("side", [-1, 0, 1])
@each(
    ("check", "grid", "module", "name", "mutant", "step"),
    [
        (neighbours, NEIGHBOURS, measures, "on_interval", on_line, 1e-8),
        (neighbours, ON_DISC, cells, "gibbs", on_cells, 0.1),
        (quadratic, QUADRATIC, gaussian_gibbs, "_level", lambda factor: times(factor, _level), 0.001),
    ],
)
def test_they_hold_and_what_is_off_to_either_side_is_caught(
    check: Any, grid: Any, module: Any, name: str, mutant: Any, step: float, side: int
) -> None:
    with put(module, **{name: mutant(1 + side * step)}):
        assert verdict(check, grid) == ("fails" if side else "holds")


@pytest.mark.usefixtures("in_balls")
def test_both_directions_count() -> None:
    one, two = (convex(1, 2.0, 2.0, 3, np.random.default_rng(number)) for number in range(2))
    case = Case("interval", 3.0, 10.0, 0, True)
    (first,), (second,) = (
        gaussian_gibbs._ratio(case, *pair, [0.0, 1.5], 2.0) for pair in ((one, two), (two, one))
    )
    assert near(first) == pytest.approx(near(second), rel=1e-12)


@pytest.mark.usefixtures("in_balls")
@each("name", ["interval", "disc"])
def test_deltas_are_those_of_sums_over_cells(name: str) -> None:
    case, epsilons = Case(name, 3.0, 2.0, 60, False), [0.0, 0.3, 1.5]
    pair = list(case.pairs(2.0, {name: 2}, np.random.default_rng(2)))[-1]
    points = np.linspace(LOW, HIGH, 80001)[:, None] if name == "interval" else case.points
    one, two = GridGibbs(points, beta=3.0, lam=2.0).log_masses(np.stack([loss.at(points) for loss in pair]))
    by_sums = [float(np.maximum(np.exp(one) - np.exp(epsilon + two), 0).sum()) for epsilon in epsilons]
    mine, other = case.measures(*pair)
    found = [near(delta) for delta in mine.deltas(other, epsilons)]
    assert found == pytest.approx(by_sums, rel=3e-4 if name == "interval" else 1e-9)
