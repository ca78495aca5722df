"""The paper's own Table 2 against its words."""

import math
from collections.abc import Sequence
from typing import Any

import pytest

from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.papers.p000 import printed_table
from private_experts.replication.papers.p000.printed_table import table_2_printed_words
from private_experts.replication.study.published import TABLE_2
from tests.each import each

CHECKED = printed_table
NM = ("NM", 0.25)
NOISE, REGRET, LINEAR, ORDER = "1.5x to 3x", "1.5x to 3x of Min Regret", "about 90 %", "order of the gains"


def points_of(statement: str) -> list[Point]:
    points = table_2_printed_words({"statement": [statement]})
    assert len(points) == 24 or statement in (NOISE, REGRET)
    assert all(point.certified for point in points)
    return points


def cells(points: Sequence[Point], verdict: str) -> list[tuple[str, float]]:
    """Return the cells of a verdict."""
    return [(point.where["state"], point.where["mu"]) for point in points if decide([point]) == verdict]


@each(
    ("statement", "fails", "unsure"),
    [
        (NOISE, [NM], []),
        (REGRET, [("CA", math.inf), ("CA", 1.0)], [("NM", math.inf)]),
        (LINEAR, [], []),
        (ORDER, [], []),
    ],
)
def test_words_fail_in_some_cells_of_the_table_which_no_rounding_saves(
    statement: str, fails: Any, unsure: Any
) -> None:
    points = points_of(statement)
    assert (cells(points, "fails"), cells(points, "undecided")) == (fails, unsure)
    if statement == NOISE:
        assert not any(point.notes["rounds into it"] for point in points if decide([point]) == "fails")


@pytest.mark.parametrize(
    ("statement", "figures", "verdict"),
    [
        (NOISE, {"meta": 23.40}, "holds"),
        (NOISE, {"meta": 48.0}, "fails"),
        (REGRET, {"meta": 19.9}, "fails"),
        (REGRET, {"regret": 7.4}, "fails"),
        (LINEAR, {"meta": 21.94}, "fails"),
        (LINEAR, {"linear": 23.6}, "fails"),
        (ORDER, {"meta": 15.56}, "fails"),
        (ORDER, {"regret": 15.60}, "fails"),
        # the last digits may be cut off: 15.009 over 10.005 is above 1.5, 15.005 is not
        (NOISE, {"meta": 14.99, "noise": 10.01}, "fails"),
        (NOISE, {"meta": 15.0, "noise": 10.01}, "undecided"),
        # 30.025 over 10.009 is below 3, but not over 10.005
        (NOISE, {"meta": 30.03, "noise": 10.0}, "undecided"),
        (NOISE, {"meta": 30.04, "noise": 10.0}, "fails"),
        (NOISE, {"meta": 14.7, "noise": 10.0}, "fails"),
    ],
)
def test_a_cell_that_is_printed_otherwise_counts(
    statement: str, figures: dict[str, float], verdict: str, put: Any
) -> None:
    row = dict(zip(("meta", "noise", "regret", "linear"), TABLE_2[NM], strict=True)) | figures
    put(TABLE_2=TABLE_2 | {NM: tuple(row.values())})
    assert NM in cells(points_of(statement), verdict)
