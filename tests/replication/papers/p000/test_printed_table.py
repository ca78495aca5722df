"""The paper's own Table 2 against its words."""

import math

import pytest

from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.papers.p000 import printed_table
from private_experts.replication.study.published import TABLE_2
from tests.each import each

Cell = tuple[str, float]
NM = ("NM", 0.25)


def failing(points: list[Point]) -> list[Cell]:
    """Return the cells that fail."""
    assert all(point.certified for point in points)
    return [(point.where["state"], point.where["mu"]) for point in points if decide([point]) == "fails"]


def printed(monkeypatch: pytest.MonkeyPatch, **figures: float) -> None:
    """Print a cell otherwise."""
    row = dict(zip(("meta", "noise", "regret", "linear"), TABLE_2[NM], strict=True)) | figures
    monkeypatch.setattr(printed_table, "TABLE_2", TABLE_2 | {NM: tuple(row.values())})


def test_the_ratio_to_min_noise_fails_in_one_cell_and_no_rounding_can_save_it() -> None:
    points = printed_table.table_2_printed_ratio({}, 2, 1)
    assert failing(points) == [NM]
    assert not any(point.notes["rounds into it"] for point in points if decide([point]) == "fails")
    assert {decide([point]) for point in points} == {"holds", "fails"}


def test_the_ratio_to_min_regret_fails_in_two_cells_and_is_open_in_one() -> None:
    points = printed_table.table_2_printed_ratio_to_min_regret({}, 2, 1)
    assert failing(points) == [("CA", math.inf), ("CA", 1.0)]
    [open_] = [point for point in points if decide([point]) == "undecided"]
    assert (open_.where["state"], open_.where["mu"], open_.bound) == ("NM", math.inf, 3.0)


@each(
    ("check", "figures"),
    [("table_2_printed_ratio", {"meta": 23.40}), ("table_2_printed_ratio_to_min_regret", {})],
)
def test_a_ratio_would_hold_there_had_one_value_been_printed_otherwise(
    monkeypatch: pytest.MonkeyPatch, check: str, figures: dict[str, float]
) -> None:
    printed(monkeypatch, **figures)
    assert NM not in failing(getattr(printed_table, check)({}, 2, 1))


@each(
    ("check", "figures"),
    [
        ("table_2_printed_ratio", {"meta": 48.0}),
        ("table_2_printed_ratio_to_min_regret", {"meta": 19.9}),
        ("table_2_printed_ratio_to_min_regret", {"regret": 7.4}),
        ("table_2_printed_best_linear", {"meta": 21.94}),
        ("table_2_printed_best_linear", {"linear": 23.6}),
        ("table_2_printed_order", {"meta": 15.56}),
        ("table_2_printed_order", {"regret": 15.60}),
    ],
)
def test_a_statement_fails_where_one_value_is_printed_otherwise(
    monkeypatch: pytest.MonkeyPatch, check: str, figures: dict[str, float]
) -> None:
    printed(monkeypatch, **figures)
    assert NM in failing(getattr(printed_table, check)({}, 2, 1))


@each("check", ["table_2_printed_best_linear", "table_2_printed_order"])
def test_the_share_of_the_best_model_and_the_order_hold(check: str) -> None:
    points = getattr(printed_table, check)({}, 2, 1)
    assert decide(points) == "holds"
    assert failing(points) == []
    assert len(points) == 24


@pytest.mark.parametrize(
    ("meta", "noise", "verdict"),
    [
        (14.99, 10.01, "fails"), (15.0, 10.01, "undecided"),  # 15.009 over 10.005 is above 1.5, 15.005 is not
        (30.03, 10.0, "undecided"), (30.04, 10.0, "fails"),  # 30.025 over 10.009 is below 3, but not over 10.005
    ],
)  # fmt: skip
def test_the_last_digits_of_the_printed_figures_may_be_cut_off(
    meta: float, noise: float, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    printed(monkeypatch, meta=meta, noise=noise)
    assert decide(printed_table.table_2_printed_ratio({}, 2, 1)) == verdict


def test_a_ratio_is_undecided_where_rounding_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    printed(monkeypatch, meta=1.5, noise=1.0)
    assert decide(printed_table.table_2_printed_ratio({}, 2, 1)) == "undecided"
    printed(monkeypatch, meta=14.7, noise=10.0)
    points = printed_table.table_2_printed_ratio({}, 2, 1)
    assert decide(points) == "fails"
    assert all(point.notes["rounds into it"] for point in points)
