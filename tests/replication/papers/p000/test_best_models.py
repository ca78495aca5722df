"""Which linear model is best: all three verdicts on games made by hand."""

import math
from functools import partial
from typing import Any

import pytest

from private_experts.replication.ledger.evidence import NotRunError, Point, decide
from private_experts.replication.papers.p000 import best_models
from private_experts.replication.study.hospital_game import LEARNER
from tests.each import each
from tests.replication.papers.p000 import hand_made
from tests.replication.papers.p000.hand_made import GRID, STATES, Check, Means, ask, ask_where_nothing_varies

CHECKED = best_models
asking = partial(hand_made.asking, best_models.table_2_best_models)


def models(**means: float) -> dict[str, float]:
    """Return means of linear models; names are written with _ for -."""
    return {LEARNER + name.replace("_", "-"): mean for name, mean in means.items()}


THREE = models(w2_weak=10.0, w2_strong=9.5, w4_weak=9.0)
W4 = models(w4_weak=11.0)
NAMES = ("w8_strong", "w8_medium", "w8_weak", "w16_strong", "w16_weak", "w32_weak", "w64_strong", "w64_weak")
PAPERS = {  # as the paper has it
    "PA": models(**dict(zip(NAMES, (10.0, 9.0, 8.0, 7.0, 6.0, 5.0, 4.0, 3.0), strict=True))),
    "NM": models(**dict(zip(NAMES, (7.0, 6.0, 5.0, 4.0, 3.0, 8.0, 9.0, 10.0), strict=True))),
}
HIGH = min(GRID["mu"])


def varies(put: Any, check: Check, changes: Any, means: Means = THREE) -> list[Point]:
    return ask(put, check, means, changes)


@each(
    ("changes", "verdicts"),
    [
        ({}, ["fails", "fails"]),
        ({("PA", mu): W4 for mu in GRID["mu"]}, ["holds", "fails"]),  # another model, but at all levels
        # another one at a level, but in all states
        ({(state, 0.5): W4 for state in STATES}, ["fails", "holds"]),
        ({("PA", 0.5): W4}, ["holds", "holds"]),
        ({("PA", 0.5): models(w4_weak=10.0)}, ["undecided", "undecided"]),  # as good, by all that can be told
    ],
)
def test_the_best_model_varies_with_the_state_and_with_the_level(
    put: Any, changes: Any, verdicts: list[str]
) -> None:
    points = varies(put, asking("the best model varies"), changes)
    assert [point.where["depends on"] for point in points] == ["state", "level"]
    assert [decide([point]) for point in points] == verdicts


def named(put: Any, state: str = "NM", **means: float) -> list[str]:
    """Return the verdicts on the named models, where some means of a state are others."""
    changes = {(other, HIGH): PAPERS[other] | (models(**means) if other == state else {}) for other in STATES}
    points = varies(put, asking("the best models by name"), changes, {})
    assert [point.where["state"] for point in points] == ["PA", "NM", "NM", "NM"]
    return [decide([point]) for point in points]


@each(
    ("state", "means", "where", "verdict"),
    [
        ("PA", {}, [], ""),
        ("NM", {"w64_weak": 9.0}, [], ""),  # which model of window 64 is best does not matter
        ("PA", {"w8_weak": 10.2}, [0], "fails"),  # of the same window
        ("NM", {"w16_strong": 10.2}, [1], "fails"),
        ("NM", {"w32_weak": 6.9}, [2], "fails"),  # two are ahead
        ("NM", dict.fromkeys(NAMES[1:4], 7.2), [3], "fails"),  # one is behind
        ("PA", {"w8_weak": 10.0}, [0], "undecided"),
        ("NM", {"w8_weak": 10.0}, [1], "undecided"),
        ("NM", {"w32_weak": 7.0}, [2], "undecided"),
        ("NM", {"w8_medium": 7.2, "w8_weak": 7.0}, [3], "undecided"),
    ],
)
def test_the_named_models_are_as_the_paper_says_or_not_or_that_cannot_be_told(
    put: Any, state: str, means: dict[str, float], where: list[int], verdict: str
) -> None:
    expected = ["holds"] * 4
    for number in where:
        expected[number] = verdict
    assert named(put, state, **means) == expected


def test_the_named_models_are_asked_at_the_highest_privacy(put: Any) -> None:
    changes = {(state, mu): THREE for state in STATES for mu in GRID["mu"] if mu != HIGH}
    here = {(state, HIGH): PAPERS[state] for state in STATES}
    assert decide(varies(put, asking("the best models by name"), changes | here, {})) == "holds"


COST = asking("it varies more with the level")


@each(
    ("changes", "verdict", "costs"),
    [
        # W4 at a level of both states: of two levels, one differs in two pairs of three, and costs 5 % for
        # w2-weak (10 of 11 is 9.1 % less, 9.5 of 11 and of 10 are 13.6 and 5 %).
        ({(state, 0.5): W4 for state in STATES}, "holds", (2 / 3 / 11, 0.0)),
        ({("PA", mu): W4 for mu in GRID["mu"]}, "fails", (0.0, 1 / 11)),
        # in a cell alone: two pairs of six that differ in the level, one of three that differ in the state
        ({("PA", 0.5): W4}, "undecided", (1 / 3 / 11, 1 / 3 / 11)),
    ],
)
def test_what_costs_more_varies_more(
    put: Any, changes: Any, verdict: str, costs: tuple[float, float]
) -> None:
    [point] = varies(put, COST, changes)
    found = point.notes["between levels"], point.notes["between states"]
    assert decide([point]) == verdict
    assert found == pytest.approx(costs, abs=0.01)
    assert point.value == pytest.approx(costs[0] - costs[1], abs=0.01)


def test_the_cost_is_a_share_of_the_gain_and_so_that_of_the_worse_cell(put: Any) -> None:
    # Gains are ten times as large at one level. The compromise loses 10 % in either cell; each best model
    # more.
    one, other = models(a=10.0, b=9.0, c=5.0), models(a=50.0, b=90.0, c=100.0)
    [point] = varies(put, COST, {(state, 0.5): other for state in STATES}, one)
    assert point.notes["between levels"] == pytest.approx(2 / 3 * 0.1, abs=0.003)


@each("check", [asking("the best model varies"), COST])
@each("awkward", [12.3, 0.1])
def test_equal_repetitions_say_nothing_where_there_is_privacy(put: Any, check: Check, awkward: float) -> None:
    means = {name: awkward * mean for name, mean in THREE.items()}
    points = ask_where_nothing_varies(put, check, means, mu=[1.0, 0.5])
    assert {decide([point]) for point in points} == {"undecided"}


def test_what_has_nothing_to_compare_is_not_run() -> None:
    one = {"NM": STATES["NM"]}
    with pytest.raises(NotRunError, match="speaks of PA as well"):
        asking("the best models by name")(GRID, 100, 1, panels=one)
    for grid, panels in ((GRID, one), (GRID | {"mu": [math.inf]}, STATES)):
        with pytest.raises(NotRunError, match="to be compared"):
            COST(grid, 100, 1, panels=panels)
