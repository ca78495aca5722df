"""The checks of clipping reach the expected verdict on a small grid, and another one on a mutant."""

import math
from typing import Any

import numpy as np
import pytest

from private_experts.distribution_learning.clipping import clip, spread
from private_experts.distribution_learning.scaling import log_span
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import clipping_costs
from private_experts.replication.papers.p003.exact_classes import INSTANCES, clipped
from tests.each import each
from tests.replication.papers.small_checks import SEED, failing, verdict

CELLS = {"class": [*INSTANCES], "K": [2, 3], "M": [5], "instances": 60, "T": [2, 100]}
COSTS = {"K": [1, 2, 8], "M": [4, 32], "instances": 60, "T": [2, 10000]}


def test_the_mended_bounds_hold_and_the_printed_ones_fail() -> None:
    assert verdict(clipping_costs.equation_7, CELLS) == "holds"
    assert verdict(clipping_costs.equation_7_printed, CELLS) == "fails"


@each("quantity", ["cells", "M x probability", "span"])
def test_each_of_the_printed_bounds_fails_by_itself(quantity: str) -> None:
    points = [
        point
        for point in clipping_costs.equation_7_printed(CELLS, SEED)
        if point.where["quantity"] == quantity
    ]
    assert decide(points) == "fails"


def test_the_counterexamples_are_the_known_ones() -> None:
    cells = {name: clip(f, 100).total for name, f in INSTANCES.items()}
    assert (cells["one, two labels"], cells["apart, four labels"]) == (3, 10)
    values = clip(INSTANCES["three eighths"], 100).values
    assert np.log(values.max() / values.min()) == pytest.approx(5.411, abs=5e-4)


def off_by_one(f: Any, horizon: int) -> Any:
    return spread(f, np.ceil(f.shape[-1] * f.max(axis=-2)) + 1, horizon)


def no_uniform_part(f: Any, horizon: int) -> Any:
    return clip(f, 100 * horizon)


@pytest.mark.parametrize("mutant", [off_by_one, no_uniform_part])
def test_other_cells_are_caught(mutant: Any, put: Any) -> None:
    put(clipping_costs, "clip", mutant)
    assert verdict(clipping_costs.equation_7, CELLS) == "fails"


def test_a_cell_more_is_caught_in_fractions(put: Any) -> None:
    put(clipping_costs, "clipped", lambda f, horizon: ([3, 3], clipped(f, horizon)[1]))
    points = clipping_costs.equation_7(CELLS | {"class": ["one, two labels"], "K": []}, SEED)
    assert failing(points, "quantity") == {"cells", "cells, library"}


def test_a_span_5_percent_too_small_is_caught(put: Any) -> None:
    put(clipping_costs, "log_span", lambda *arguments: 0.95 * log_span(*arguments))
    assert verdict(clipping_costs.equation_7, CELLS) == "fails"


def test_random_classes_are_classes_of_which_half_cost_a_cell_a_label() -> None:
    f = clipping_costs.random_classes(2, 6, 40, SEED)
    np.testing.assert_allclose(f.sum(axis=-1), 1.0, rtol=1e-12)
    assert (f >= 0).all()
    assert clip(f, 10).total[:20].max() > 2 * 6


def test_clipping_costs_what_the_mended_bound_says_and_more_than_the_printed_one() -> None:
    assert verdict(clipping_costs.clipping_cost, COSTS) == "holds"
    assert verdict(clipping_costs.clipping_cost_printed, COSTS) == "fails"


def test_a_horizon_term_of_log_kt_fails_for_one_distribution(put: Any) -> None:
    put(clipping_costs, "log_span", lambda experts, horizon, span: log_span(experts, horizon, "printed"))
    points = clipping_costs.clipping_cost(COSTS, SEED)
    assert failing(points, "quantity") == {"log(2 T)"}
    assert -2 * math.log1p(-1 / 2) > math.log(2)  # for T = 2, where log(KT) is log 2


def test_four_times_the_uniform_part_costs_more(put: Any) -> None:
    put(clipping_costs, "clip", lambda f, horizon: clip(f, horizon // 4))
    assert verdict(clipping_costs.clipping_cost, COSTS | {"T": [10000]}) == "fails"


def test_one_distribution_and_two_rounds_have_no_room_for_smoothing(monkeypatch: pytest.MonkeyPatch) -> None:
    right = clipping_costs._smoothing
    monkeypatch.setattr(clipping_costs, "_smoothing", lambda q: (1.001 * right(q)[0], right(q)[1]))
    points = clipping_costs.clipping_cost(COSTS, SEED)
    assert decide([point for point in points if point.certified]) == "fails"
