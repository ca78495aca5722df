"""The exact privacy of whole plays: how much too large a scale must be to be caught, by accounting."""

import math
from typing import Any

import pytest

from private_experts.private_oco import gaussian_accounting
from private_experts.private_oco.chains import keep_probabilities
from private_experts.private_oco.gaussian_levels import play_level
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.replication.balls.balls import ball, near, precision
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import play_privacy

GRID = {
    "accounting": ["mended", "careful", "gaussian", "gaussian, p = 0.9", "every round"],
    "T": [50],
    "epsilon": [1.0],
    "delta": 1e-6,
    "d": [20],
    "streams": [[0.0, 0.0, 0.0]],
    "cells": 30,
    "narrow": 20,
    "attained": 1e-6,
    "noise": [0.05, 0.005],
}


def test_no_play_gives_away_more_than_is_promised() -> None:
    assert decide(play_privacy.whole_plays(GRID, 2, 1)) == "holds"


def test_what_is_not_known_of_a_probability_counts_as_a_difference(monkeypatch: pytest.MonkeyPatch) -> None:
    right = play_privacy.loss_steps
    monkeypatch.setattr(play_privacy, "loss_steps", lambda *given: right(*given)._replace(each_off=ball(1e-9)))
    assert decide(play_privacy.whole_plays(GRID | {"accounting": ["mended"]}, 2, 1)) == "fails"


@pytest.mark.parametrize(
    "mutant",
    [
        ("keep_probabilities", lambda laws, log_phi, p: keep_probabilities(laws, log_phi, p + 1e-11)),
        ("GridGibbs", lambda points, beta, lam: GridGibbs(points, beta=beta, lam=lam * (1 + 1e-10))),
    ],
)
def test_a_program_that_plays_something_else_is_caught(mutant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_privacy, *mutant)
    monkeypatch.setattr(play_privacy, "epsilon_between", lambda curve, delta: ball(1.0))
    for accounting in GRID["accounting"]:
        *points, program = play_privacy.whole_plays(GRID | {"accounting": [accounting]}, 2, 1)
        assert (decide(points), decide([program])) == ("holds", "fails")


def test_all_streams_are_played_in_both_orders_and_held_against_what_is_promised(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    asked: set[tuple[str, bytes]] = set()
    steps, needle = play_privacy.loss_steps, play_privacy.Needle

    def on_grid(points: Any, pair: Any, *rest: Any) -> Any:
        asked.add(("grid", pair.tobytes()))
        return steps(points, pair, *rest)

    def on_needle(pair: Any, *rest: Any) -> Any:
        asked.add(("needle", pair.tobytes()))
        return needle(pair, *rest)

    monkeypatch.setattr(play_privacy, "loss_steps", on_grid)
    monkeypatch.setattr(play_privacy, "Needle", on_needle)
    monkeypatch.setattr(play_privacy, "epsilon_between", lambda curve, delta: ball(1.0))
    streams = {"streams": [[0.0, 0.0, 0.0], [0.5, 1.0, -1.0]]}
    pairs = [play_privacy._slopes(50, 0, 0.0, 0.0), play_privacy._slopes(50, 24, 1.0, -1.0)]
    orders = {each.tobytes() for pair in pairs for each in (pair, pair[::-1])}
    for accounting, allowed, places in (("gaussian", 1.0, ["grid"]), ("every round", 1 + 1e-6, ["grid", "needle"])):
        asked.clear()
        points = play_privacy.whole_plays(GRID | streams | {"accounting": [accounting]}, 2, 1)
        assert asked == {(place, order) for place in places for order in orders}
        bounds = {point.where["change"]: point.bound for point in points if "side" not in point.where}
        assert bounds == pytest.approx({1: allowed, 25: allowed}, rel=1e-15)


def test_the_order_that_gives_more_away_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    play = play_privacy.ACCOUNTINGS["gaussian"](20, 1, 1.0, 1e-6)
    with precision():
        on_grid = play_privacy._OnGrid(play, 5, play_privacy._slopes(20, 0, 0.0, 0.0))
        found = iter([1.0, 2.0, 2.0, 1.0])
        monkeypatch.setattr(play_privacy, "epsilon_between", lambda curve, delta: ball(next(found)))
        assert [near(on_grid.epsilon(1e-6, 0.05)) for _ in range(2)] == [2.0, 2.0]


@pytest.mark.parametrize(
    ("accounting", "factor", "verdict"),
    [
        ("every round", 1.001, "fails"),
        ("every round", 0.999, "fails"),
        ("gaussian", 3.0, "fails"),
        ("gaussian", 2.0, "holds"),
        ("gaussian, p = 0.9", 1.15, "fails"),
        ("careful", 16.0, "fails"),
        ("mended", 160.0, "fails"),
    ],
)
def test_a_scale_that_is_off_is_caught(
    accounting: str, factor: float, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    exact = play_privacy.ACCOUNTINGS[accounting]

    def mutant(*arguments: Any) -> Any:
        play = exact(*arguments)
        return play._replace(beta=factor * play.beta, lam=play.lam / factor)

    monkeypatch.setitem(play_privacy.ACCOUNTINGS, accounting, mutant)
    assert decide(play_privacy.whole_plays(GRID | {"accounting": [accounting]}, 2, 1)) == verdict


@pytest.mark.parametrize(
    ("accounting", "verdict"), [("gaussian", "holds"), ("gaussian, p = 0.9", "fails")]
)  # with p = T^(-1/3) the evidence has no power over this
def test_draws_charged_for_one_loss_alone_are_caught_where_most_rounds_draw(
    accounting: str, verdict: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def mutant(u: float, horizon: float, log_phi: float, p: float, budget: float) -> float:
        lotteries = play_level(u, horizon, log_phi, p, 0) ** 2
        return math.sqrt(lotteries + min(budget, horizon - 1) * u**2)

    monkeypatch.setattr(gaussian_accounting, "play_level", mutant)
    assert decide(play_privacy.whole_plays(GRID | {"accounting": [accounting]}, 2, 1)) == verdict


SEARCH = {
    "accounting": ["every round"],
    "T": 30,
    "epsilon": 1.0,
    "delta": 1e-6,
    "d": 20,
    "cells": 30,
    "blocks": 3,
    "starts": 1,
    "steps": 25,
    "noise": 0.05,
    "fine": 0.002,
    "allowed": 0.01,
}


def test_a_search_finds_nothing_worse_than_opposite_losses_in_the_first_round() -> None:
    assert decide(play_privacy.search(SEARCH, 2, 1)) == "holds"


def test_the_largest_that_a_pair_may_give_away_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(play_privacy, "epsilon_between", lambda curve, delta: ball(1, 1.02))
    (point,) = play_privacy.search(SEARCH | {"steps": 1}, 2, 1)
    assert point.low == pytest.approx(1 / 1.02)
    assert point.high == pytest.approx(1.02)


def test_a_search_whose_bounds_contradict_each_other_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    found = iter([1.0] * 4 + [2.0] * 2)  # the stated pair, one that is tried, and it again
    monkeypatch.setattr(play_privacy, "epsilon_between", lambda curve, delta: ball(next(found)))
    with pytest.raises(AssertionError, match="epsilon is at least"):
        play_privacy.search(SEARCH | {"steps": 1}, 2, 1)


def test_a_pair_that_is_not_the_worst_is_outdone(monkeypatch: pytest.MonkeyPatch) -> None:
    slopes = play_privacy._slopes
    monkeypatch.setattr(play_privacy, "_slopes", lambda *given: slopes(*given) / 2)
    assert decide(play_privacy.search(SEARCH, 2, 1)) == "fails"
