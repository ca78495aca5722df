"""The checks of clipping reach the expected verdict on a small grid, and another one on a mutant."""

import numpy as np

from private_experts.distribution_learning.clipping import spread
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
