"""The paper's own Table 2 against its words."""

import math
from typing import Any

import pytest

from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.papers.p000 import printed_table
from private_experts.replication.papers.p000.printed_table import table_2_printed_words
from private_experts.replication.study.published import TABLE_2
from tests.each import each

CHECKED = printed_table
NM = ("NM", 0.25)
NOISE, REGRET = {"statement": ["1.5x to 3x"]}, {"statement": ["1.5x to 3x of Min Regret"]}
LINEAR, ORDER = {"statement": ["about 90 %"]}, {"statement": ["order of the gains"]}


def failing(points: list[Point]) -> list[tuple[str, float]]:
    """Return the cells that fail."""
    assert all(point.certified for point in points)
    return [(point.where["state"], point.where["mu"]) for point in points if decide([point]) == "fails"]


def printed(put: Any, **figures: float) -> None:
    """Print a cell otherwise."""
    row = dict(zip(("meta", "noise", "regret", "linear"), TABLE_2[NM], strict=True)) | figures
    put(TABLE_2=TABLE_2 | {NM: tuple(row.values())})


def test_the_ratio_to_min_noise_fails_in_one_cell_and_no_rounding_can_save_it() -> None:
    points = table_2_printed_words(NOISE)
    assert failing(points) == [NM]
    assert not any(point.notes["rounds into it"] for point in points if decide([point]) == "fails")
    assert {decide([point]) for point in points} == {"holds", "fails"}


def test_the_ratio_to_min_regret_fails_in_two_cells_and_is_open_in_one() -> None:
    points = table_2_printed_words(REGRET)
    assert failing(points) == [("CA", math.inf), ("CA", 1.0)]
    [open_] = [point for point in points if decide([point]) == "undecided"]
    assert (open_.where["state"], open_.where["mu"], open_.bound) == ("NM", math.inf, 3.0)


@pytest.mark.parametrize(
    ("grid", "figures", "fails"),
    [
        (NOISE, {"meta": 23.40}, False),
        (REGRET, {}, False),
        (NOISE, {"meta": 48.0}, True),
        (REGRET, {"meta": 19.9}, True),
        (REGRET, {"regret": 7.4}, True),
        (LINEAR, {"meta": 21.94}, True),
        (LINEAR, {"linear": 23.6}, True),
        (ORDER, {"meta": 15.56}, True),
        (ORDER, {"regret": 15.60}, True),
    ],
)
def test_one_value_that_is_printed_otherwise_counts(
    grid: dict[str, list[str]], figures: dict[str, float], fails: bool, put: Any
) -> None:
    printed(put, **figures)
    assert (NM in failing(table_2_printed_words(grid))) == fails


@each("grid", [LINEAR, ORDER])
def test_the_share_of_the_best_model_and_the_order_hold(grid: Any) -> None:
    points = table_2_printed_words(grid)
    assert decide(points) == "holds"
    assert failing(points) == []
    assert len(points) == 24


@pytest.mark.parametrize(
    ("meta", "noise", "verdict"),
    [
        (14.99, 10.01, "fails"),
        (15.0, 10.01, "undecided"),  # 15.009 over 10.005 is above 1.5, 15.005 is not
        # 30.025 over 10.009 is below 3, but not over 10.005
        (30.03, 10.0, "undecided"),
        (30.04, 10.0, "fails"),
        (1.5, 1.0, "undecided"),
        (14.7, 10.0, "fails"),
    ],
)
def test_the_last_digits_of_the_printed_figures_may_be_cut_off(
    meta: float, noise: float, verdict: str, put: Any
) -> None:
    printed(put, meta=meta, noise=noise)
    points = table_2_printed_words(NOISE)
    assert decide(points) == verdict
    if meta == 14.7:
        assert all(point.notes["rounds into it"] for point in points)
