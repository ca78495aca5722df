"""The exact privacy of whole plays: how much too large a scale must be to be caught, by accounting."""

import math
from typing import Any

import pytest

from private_experts.private_oco import gaussian_accounting
from private_experts.private_oco.convex_regret import gibbs_parameters
from private_experts.private_oco.gaussian_levels import play_level
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.replication.balls.balls import ball, near, precision
from private_experts.replication.papers.p001 import play_privacy
from private_experts.replication.papers.p001.chains import keep_probabilities
from private_experts.replication.papers.p001.delta_curves import Needle
from private_experts.replication.papers.p001.loss_steps import loss_steps
from private_experts.replication.papers.p001.play_privacy import (
    ACCOUNTINGS,
    _slopes,
    privacy_theorem,
    program_of_plays,
    whole_plays,
)
from tests.each import each
from tests.replication.papers.replaced import put
from tests.replication.papers.small_checks import verdict

GRID = {
    "accounting": [*ACCOUNTINGS],
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


def only(accounting: str) -> Any:
    return GRID | {"accounting": [accounting]}


@each("check", [whole_plays, program_of_plays])
def test_no_play_gives_away_more_than_is_promised_and_the_program_plays_it(check: Any) -> None:
    assert verdict(check, GRID) == "holds"


@each(("factor", "found"), [(1.0, "holds"), (250.0, "fails")])
def test_a_scale_that_is_much_larger_than_the_privacy_theorems_is_caught(factor: float, found: str) -> None:
    larger = {"gibbs_parameters": lambda horizon, d, u: gibbs_parameters(horizon, d, factor * u)}
    assert verdict(privacy_theorem, GRID | {"u": [0.00003]}, **larger) == found


@each("accounting", ACCOUNTINGS)
@each(
    "mutant",
    [
        {"keep_probabilities": lambda laws, log_phi, p: keep_probabilities(laws, log_phi, p + 1e-11)},
        {"GridGibbs": lambda points, beta, lam: GridGibbs(points, beta=beta, lam=lam * (1 + 1e-10))},
        # what is not known counts
        {"loss_steps": lambda *given: loss_steps(*given)._replace(each_off=ball(1e-9))},
    ],
)
def test_a_program_that_plays_something_else_is_caught(accounting: str, mutant: Any) -> None:
    assert verdict(program_of_plays, only(accounting), **mutant) == "fails"


@each(
    ("accounting", "allowed", "places"),
    [("gaussian", 1.0, ["grid"]), ("every round", 1 + 1e-6, ["grid", "needle"])],
)
def test_all_streams_are_played_in_both_orders_and_held_against_what_is_promised(
    accounting: str, allowed: float, places: Any
) -> None:
    compared: set[tuple[str, bytes]] = set()

    def on_grid(points: Any, pair: Any, *rest: Any) -> Any:
        compared.add(("grid", pair.tobytes()))
        return loss_steps(points, pair, *rest)

    def on_needle(pair: Any, *rest: Any) -> Any:
        compared.add(("needle", pair.tobytes()))
        return Needle(pair, *rest)

    grid = only(accounting) | {"streams": [[0.0, 0.0, 0.0], [0.5, 1.0, -1.0]]}
    with put(play_privacy, loss_steps=on_grid, Needle=on_needle, epsilon_between=lambda *given: ball(1.0)):
        points, _ = whole_plays(grid), program_of_plays(grid)
    pairs = [_slopes(50, 0, 0.0, 0.0), _slopes(50, 24, 1.0, -1.0)]
    orders = {order.tobytes() for pair in pairs for order in (pair, pair[::-1])}
    assert compared == {(place, order) for place in places for order in orders}
    bounds = {point.where["change"]: point.bound for point in points if "side" not in point.where}
    assert bounds == pytest.approx({1: allowed, 25: allowed}, rel=1e-15)


@each("epsilons", [[1.0, 2.0], [2.0, 1.0]])
def test_the_order_that_gives_more_away_counts(epsilons: list[float]) -> None:
    found = iter(epsilons)
    with precision(), put(play_privacy, epsilon_between=lambda curve, delta: ball(next(found))):
        on_grid = play_privacy._OnGrid(ACCOUNTINGS["gaussian"](20, 1, 1.0, 1e-6), 5, _slopes(20, 0, 0.0, 0.0))
        assert near(on_grid.epsilon(1e-6, 0.05)) == 2.0


@each(
    ("accounting", "factor"),
    [
        ("every round", 1.001),
        ("every round", 0.999),
        ("gaussian", 3.0),
        ("gaussian, p = 0.9", 1.15),
        ("careful", 16.0),
        ("mended", 160.0),
    ],
)
def test_a_scale_that_is_off_is_caught(accounting: str, factor: float) -> None:
    def mutant(*given: Any) -> Any:
        play = ACCOUNTINGS[accounting](*given)
        return play._replace(beta=factor * play.beta, lam=play.lam / factor)

    assert verdict(whole_plays, only(accounting), ACCOUNTINGS={accounting: mutant}) == "fails"


@each(("accounting", "found"), [("gaussian", "holds"), ("gaussian, p = 0.9", "fails")])
def test_draws_charged_for_one_loss_alone_are_caught_where_most_rounds_draw(
    accounting: str, found: str
) -> None:
    def mutant(u: float, horizon: float, log_phi: float, p: float, budget: float) -> float:
        lotteries = play_level(u, horizon, log_phi, p, 0) ** 2
        return math.sqrt(lotteries + min(budget, horizon - 1) * u**2)

    with put(gaussian_accounting, play_level=mutant):  # with p = T^(-1/3) the evidence has no power over this
        assert verdict(whole_plays, only(accounting)) == found
