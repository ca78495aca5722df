"""Measures on interval and disc are the library's on fine cells; balls hold both sides of a level."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from scipy.special import logsumexp

from private_experts.private_oco.gibbs import GridGibbs
from private_experts.randomness import rng_for
from private_experts.replication.balls import cells
from private_experts.replication.balls.balls import ball, near
from private_experts.replication.ledger.evidence import Point
from private_experts.replication.papers.p001.convex_losses import Maxima, linear
from private_experts.replication.papers.p001.measures import DOMAINS, Case, OnCells, cases, with_unresolved
from tests.each import each

pytestmark = pytest.mark.usefixtures("in_balls")

CELLS = {"interval": 20_000, "disc": 30}
# the interval's measure is no sum over cells, and tails change within one
OFF = {"interval": 1e-6, "disc": 1e-12}
OFF_TAILS = {"interval": 2e-3, "disc": 1e-12}


@each("name", CELLS)
def test_each_number_is_that_of_the_librarys_measures(name: str) -> None:
    case, points = Case(name, 3.0, 2.0, CELLS["disc"], True), DOMAINS[name].grid(CELLS[name])
    (_, _), (one, two) = case.pairs(2.0, {name: 1}, rng_for(1, "measures", name))
    function, laws = case.convex(1.0, 3, rng_for(2, "measures", name)), case.measures(one, two)
    family, losses = GridGibbs(points, beta=3.0, lam=2.0), np.stack([one.at(points), two.at(points)])
    (first, second), values = family.log_masses(losses), function.at(points)
    mean = float(np.exp(first) @ values)
    expected = [
        mean,
        logsumexp(first - 0.7 * values),
        np.exp(first) @ (first - second),
        logsumexp(-3.0 * (losses[1] - losses[0]) + first),
    ]
    found = [
        laws[0].mean(function),
        laws[0].log_moment(function, -0.7),
        laws[0].divergence(laws[1]),
        laws[1].log_total - laws[0].log_total,
    ]
    assert [*map(near, found)] == pytest.approx(expected, rel=OFF[name])
    tails = [
        *laws[0].tails(function, ball(mean), [ball(0.3), ball(0.9)]),
        *laws[0].ratio_tails(laws[1], [ball(0.5), ball(2.0)]),
    ]
    away, apart = np.abs(values - mean), np.abs(first - second)
    beyond = [np.exp(first) @ event for event in (away >= 0.3, away >= 0.9, apart >= 0.5, apart >= 2.0)]
    assert [*map(near, tails)] == pytest.approx(beyond, rel=OFF_TAILS[name])


def test_cells_that_may_or_may_not_be_beyond_a_level_leave_both_open() -> None:
    case = Case("disc", 3.0, 2.0, 10, True)
    (law,) = case.measures(Maxima())
    level = float(case.points[0, 0])  # of a whole row of cells, and of the row opposite
    (unsure,) = law.tails(linear(1.0, 2), ball(0), [ball(abs(level))])
    (more,), (less,) = (law.tails(linear(1.0, 2), ball(0), [ball(abs(level) + gap)]) for gap in (-1e-9, 1e-9))
    assert less == 0 or near(less) < 1e-200
    assert unsure.contains(less.mid())
    assert unsure.contains(more.mid())
    assert near(more) > 1e-9
    # one of the rows may be beyond
    (mass,) = law.tails(linear(1.0, 2), ball(-1e-9, 1e-9), [ball(abs(level) + 0.5e-9)])
    assert mass.contains(0)
    assert mass.contains((more / 2).mid())


def test_ratios_that_are_known_less_well_leave_levels_open() -> None:
    case = Case("disc", 3.0, 2.0, 10, True)
    one, two = case.measures(Maxima(), linear(1.0, 2))
    assert isinstance(one, OnCells)
    assert isinstance(two, OnCells)
    ratios, _ = cells.log_ratios(one.law, two.law)
    rough = OnCells(replace(one.law, off=one.law.off + 1e-6), case.points)
    for gap in (-1e-7, 1e-7):
        level = float(np.abs(ratios).max()) + gap
        (sharp,), (open_,) = (measure.ratio_tails(two, [ball(level)]) for measure in (one, rough))
        assert open_.contains(sharp.mid())
        assert open_.contains(0)
        assert near(open_.upper()) > 1e-5


GRID: dict[str, Any] = {
    "set": ["interval", "disc"],
    "G": 2.0,
    "beta": [3.0, 300.0],
    "lam": [0.5, 10.0],
    "cells": {"disc": 20},
    "most_cells": {"disc": 100},
}


def test_a_disc_gets_as_many_cells_as_it_needs_and_the_edge_is_far_where_it_is_five_deviations_off() -> None:
    found = [(case.name, case.beta, case.lam, case.cells, case.far) for case in cases(GRID)]
    assert found == [
        ("interval", 3.0, 0.5, 0, False),
        ("interval", 3.0, 10.0, 0, True),
        ("interval", 300.0, 0.5, 0, False),
        ("interval", 300.0, 10.0, 0, True),
        ("disc", 3.0, 0.5, 72, False),
        ("disc", 3.0, 10.0, 72, True),
    ]
    (point,) = with_unresolved([Point({}, 0.0, 1.0)], GRID)
    assert point.notes == {"not resolved": "disc, beta 300, lambda 0.5; disc, beta 300, lambda 10"}
    assert with_unresolved([point], GRID | {"set": ["interval"]}) == [point]
