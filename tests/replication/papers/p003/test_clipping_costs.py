"""The checks of clipping reach the expected verdict on a small grid, and another one on a mutant."""

import math

import numpy as np
import pytest

from private_experts.distribution_learning.clipping import clip, spread
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import clipping_costs
from private_experts.replication.papers.p003.exact_classes import INSTANCES
from tests.each import each
from tests.replication.papers.small_checks import SEED, failing, verdict, wrong

CELLS = {"class": [*INSTANCES], "K": [2, 3], "M": [5], "instances": 60, "T": [2, 100]}
COSTS = {"K": [1, 2, 8], "M": [4, 32], "instances": 60, "T": [2, 10000]}


def test_the_mended_bounds_hold_and_each_of_the_printed_ones_fails() -> None:
    assert verdict(clipping_costs.equation_7, CELLS) == "holds"
    points = clipping_costs.equation_7_printed(CELLS, SEED)
    assert failing(points, "quantity") >= {"cells", "M x probability", "span"}
    assert verdict(clipping_costs.clipping_cost, COSTS) == "holds"
    assert verdict(clipping_costs.clipping_cost_printed, COSTS) == "fails"


def test_the_counterexamples_are_the_known_ones() -> None:
    cells = {name: clip(f, 100).total for name, f in INSTANCES.items()}
    assert (cells["one, two labels"], cells["apart, four labels"]) == (3, 10)
    values = clip(INSTANCES["three eighths"], 100).values
    assert np.log(values.max() / values.min()) == pytest.approx(5.411, abs=5e-4)


def cell_too_many(right, f, horizon):
    return spread(f, np.ceil(f.shape[-1] * f.max(axis=-2)) + 1, horizon)


@each(
    ("name", "mutant", "check", "grid"),
    [
        ("clip", cell_too_many, clipping_costs.equation_7, CELLS),
        # no uniform part, and four times of it
        ("clip", lambda right, f, horizon: right(f, 100 * horizon), clipping_costs.equation_7, CELLS),
        (
            "clip",
            lambda right, f, horizon: right(f, horizon // 4),
            clipping_costs.clipping_cost,
            COSTS | {"T": [10000]},
        ),
        ("log_span", 0.95, clipping_costs.equation_7, CELLS),
    ],
)
def test_other_cells_and_a_smaller_span_are_caught(name, mutant, check, grid) -> None:
    with wrong(clipping_costs, name, mutant):
        assert verdict(check, grid) == "fails"


def test_a_cell_more_is_caught_in_fractions() -> None:
    with wrong(clipping_costs, "clipped", lambda right, f, horizon: ([3, 3], right(f, horizon)[1])):
        points = clipping_costs.equation_7(CELLS | {"class": ["one, two labels"], "K": []}, SEED)
    assert failing(points, "quantity") == {"cells", "cells, library"}


def test_random_classes_are_classes_of_which_half_cost_a_cell_a_label() -> None:
    f = clipping_costs.random_classes(2, 6, 40, SEED)
    np.testing.assert_allclose(f.sum(axis=-1), 1.0, rtol=1e-12)
    assert (f >= 0).all()
    assert clip(f, 10).total[:20].max() > 2 * 6


def test_a_horizon_term_of_log_kt_fails_for_one_distribution() -> None:
    with wrong(clipping_costs, "log_span", lambda right, k, horizon, span: right(k, horizon, "printed")):
        points = clipping_costs.clipping_cost(COSTS, SEED)
    assert failing(points, "quantity") == {"log(2 T)"}
    assert -2 * math.log1p(-1 / 2) > math.log(2)  # for T = 2, where log(KT) is log 2


def test_one_distribution_and_two_rounds_have_no_room_for_smoothing() -> None:
    with wrong(clipping_costs, "_smoothing", lambda right, q: (1.001 * right(q)[0], right(q)[1])):
        points = clipping_costs.clipping_cost(COSTS, SEED)
    assert decide([point for point in points if point.certified]) == "fails"
