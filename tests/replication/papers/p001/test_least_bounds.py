"""The check of the least bounds gives its verdict on small grids, and another one on something wrong."""

import functools
from collections.abc import Iterator
from typing import Any

import pytest

from private_experts.private_oco.gaussian_accounting import every_round_regret, first_useful
from private_experts.replication.balls.balls import exp, square
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import fresh_gibbs, least_bounds
from private_experts.replication.papers.p001.fresh_gibbs import bounds, leader
from private_experts.replication.papers.p001.predecessors import private_leader_regret
from tests.each import each
from tests.replication.papers.replaced import put
from tests.replication.papers.small_checks import failing, found, times

LEAST = {
    "closed": 5_000_000,
    "mended": 800_000,
    "careful": 18_000,
    "gaussian": 1200,
    "every round": 980,
    "private leader": 44,
}
STATED = [["every round", "gaussian", 1, 3.3, 3.4], ["private leader", "closed", 1, 22.1, 22.2]]
NOTHING = {"least": {}, "epsilon": 1.0, "d": [1]}
USEFUL = NOTHING | {"least": LEAST}
OVERTAKES = {"epsilon": 1.0, "log10_T": [2, 30], "stated": STATED}
FOUR = {"d": [1, 10], "epsilon": [1.0], "log10_T": [3, 6, 9], "delta": 1e-6, "tolerance": 1e-9}
BEST = FOUR | {"useful from": NOTHING, "overtakes": OVERTAKES | {"stated": []}}
SHARES = functools.cache(least_bounds.shares)  # exact bounds keep the scales that they have found


@pytest.fixture(autouse=True)
def exact_bounds_once() -> Iterator[None]:
    """Find each scale in balls once for all tests."""
    with put(least_bounds, shares=SHARES):
        yield


def useful(**changed: Any) -> Any:
    return [*least_bounds._useful_from(USEFUL | changed, 1e-6)]


def overtakes(stated: Any) -> Any:
    return [*least_bounds._overtakes(OVERTAKES | {"stated": stated}, 1e-6)]


def outdone_between(*at: Any) -> Any:
    """The leader's bound, but for a peak between two T of the grid."""
    return leader(*at) * (1 + 40 * exp(-square(at[0] - 10.4)))


def test_it_holds_and_all_of_it_is_certified() -> None:
    points = least_bounds.best_bound(BEST | {"useful from": USEFUL, "overtakes": OVERTAKES})
    assert decide(points) == "holds"
    assert all(point.certified for point in points)
    assert {point.where["what"] for point in points} >= {"all", "ratio", "useful from", "overtakes"}


def test_another_leader_in_the_library_or_one_that_is_outdone_somewhere_in_the_box_alone_is_caught() -> None:
    with put(fresh_gibbs, private_leader_regret=lambda t, d, level: private_leader_regret(t, d, level / 18)):
        assert failing(least_bounds.best_bound(BEST), "what") == {"private leader"}
    box, *others = found(least_bounds.best_bound, BEST, leader=outdone_between)
    assert (decide([box]), decide(others)) == ("fails", "holds")


def test_points_where_no_bound_says_anything_are_vacuous() -> None:
    points = least_bounds.best_bound(BEST | {"d": [1], "log10_T": [1.5, 3]})
    assert [point.vacuous for point in points if point.where["what"] == "ratio"] == [True, False]


@each("more", [1, -1])
def test_another_first_round_is_caught(more: int) -> None:
    with put(least_bounds, first_useful=lambda bound: first_useful(bound) + more):
        assert decide(useful()) == "fails"


@each("accounting", LEAST)
def test_a_bound_that_is_not_the_formula_or_is_first_useful_elsewhere_is_caught(accounting: str) -> None:
    with put(least_bounds, bounds=lambda *at: {accounting: times(1 + 1e-8, bounds(*at)[accounting])}):
        assert failing(useful(least={accounting: LEAST[accounting]}), "quantity") == {"program"}
    # and the stated numbers are within a sixth
    assert failing(useful(least={accounting: 1.2 * LEAST[accounting]}), "quantity") == {"first T"}


@each(("factor", "side"), [(0.9, "not before"), (1.1, "not after")])
def test_a_rival_at_another_level_is_overtaken_elsewhere(factor: float, side: str) -> None:
    """Fresh draws at a lower level have a larger bound, which is overtaken earlier."""

    moved = every_round_regret(10**6, 1, factor * 0.24) / every_round_regret(10**6, 1, 0.24)

    def shares(*given: float) -> Any:
        return SHARES(*given) | {"every round": times(moved, SHARES(*given)["every round"])}

    with put(least_bounds, shares=shares):
        assert failing(overtakes(STATED[:1]), "side") == {side}


def test_what_is_never_overtaken_is_not_overtaken_in_time() -> None:
    points = overtakes([["private leader", "every round", 1, 3.0, 4.0]])
    assert [point.value for point in points] == [float("inf")] * 2
    assert failing(points, "side") == {"not after"}
