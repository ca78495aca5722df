"""Each check of privacy gives its verdict on a small grid, and another one on something wrong."""

import math
from typing import Any

import numpy as np
import pytest

from private_experts.replication.balls.balls import ball, near
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import grid_privacy
from private_experts.replication.papers.p001.chains import keep_probabilities
from private_experts.replication.papers.p001.grid_privacy import (
    _streams,
    claim_d1,
    path_probabilities,
    piecewise_losses,
)
from private_experts.replication.papers.p001.paths import path_laws
from private_experts.replication.papers.p001.round_costs import Lottery
from private_experts.replication.papers.p001.scales import closeness
from tests.each import each
from tests.replication.papers.replaced import put
from tests.replication.papers.small_checks import failing, found, verdict

ROUNDS = {
    "losses": ["linear"],
    "T": [20],
    "u": [0.02, 1.0],
    "p": [0.05],
    "clip": [0.02, 1.0],
    "delta": [1e-2, 1e-6],
    "cells": 100,
}


def test_a_round_costs_what_the_claim_says() -> None:
    points = claim_d1(ROUNDS, 1)
    assert decide(points) == "holds"
    assert all(point.certified for point in points)
    dearest: dict[str, float] = {}
    for point in points:
        dearest[point.where["step"]] = max(point.value, dearest.get(point.where["step"], 0.0))
    assert dearest.pop("program") < 1e-12
    assert dearest == pytest.approx(
        {"lottery that differs": 0.923, "later lottery": 0.386, "draw": 0.677}, abs=1e-3
    )


@each("shares", [{0: 0.2, 10: 0.1}, {0: 0.1, 10: 0.2}])
def test_the_round_that_differs_is_the_first_or_in_the_middle(shares: dict[int, float]) -> None:
    with put(grid_privacy, _shares=lambda grid, where, change, seed: {"draw": ball(shares[change])}):
        assert {point.value for point in claim_d1(ROUNDS, 1)} == {0.2}


ONE, CLIPPED, FREE = {"T": [12], "u": [1.0], "clip": [0.02]}, {"T": [8], "clip": [0.02]}, {"clip": [1.0]}


def thrice_as_steep(*arguments: Any) -> list[Any]:
    return [loss + loss + loss for loss in piecewise_losses(*arguments)]


def keeps(more: float, factor: float) -> Any:
    return {"keep_probabilities": lambda laws, phi, p: keep_probabilities(laws, phi * factor, p + more)}


@each(
    ("step", "mutant", "grid"),
    [
        ("program", keeps(1e-10, 1), ONE),
        ("program", keeps(0, 1 + 1e-8), ONE),
        ("lottery that differs", {"Lottery": lambda log_phi, p: Lottery(log_phi, p * 0.8)}, CLIPPED),
        ("later lottery", {"piecewise_losses": thrice_as_steep}, FREE),
        ("draw", {"closeness": lambda u, minus_log: closeness(u / 2, minus_log)}, FREE),
    ],
)
def test_another_cost_of_a_step_is_caught(step: str, mutant: Any, grid: Any) -> None:
    points = found(claim_d1, ROUNDS | grid, **mutant)
    assert failing(points, "step") >= {step}
    if step == "program":
        assert decide([point for point in points if point.where["step"] != step]) == "holds"


PATHS = {
    "play": [[2, 4, 0.1, 40.0, 0.002, 0.3], [3, 3, 0.1, 40.0, 0.02, 0.3]],
    "budget": [1, "inf"],
    "delta": [0.0, 0.001],
}


def steeper(points: Any, rounds: int) -> Any:
    losses, one, two = _streams(points, rounds)
    return 2.5 * losses, one, two


@each(
    ("mutants", "expected"),
    [
        ({}, "holds holds"),
        ({"path_probabilities": lambda play, _: path_probabilities(play, math.inf)}, "fails fails"),
        ({"path_laws": lambda laws, phi, p, b: path_laws(laws, phi, p * (1 + 1e-10), b)}, "holds fails"),
        ({"_streams": steeper}, "fails holds"),
    ],
)
def test_short_plays_give_away_no_more_than_their_rounds_and_others_are_caught(
    mutants: Any, expected: str
) -> None:
    assert verdict(grid_privacy.paths, PATHS, last=1, **mutants) == expected


def test_every_ordered_pair_of_neighbours_is_compared() -> None:
    losses, one, two = _streams(np.array([[-0.5], [0.5]]), 3)
    assert losses.shape == (64, 3, 2)
    assert len(set(zip(one.tolist(), two.tolist(), strict=True))) == len(one) == 64 * 9
    numbers = np.arange(64)[:, None] // 4 ** np.arange(3) % 4
    assert ((numbers[one] != numbers[two]).sum(axis=1) == 1).all()


def test_costs_are_of_one_lottery_of_the_draws_and_of_all_later_lotteries() -> None:
    """Of 6 rounds five end in a lottery. One follows the loss that differs, and four come later."""
    plain, advanced = (grid_privacy._composed((6, 0.5, 8.0, 0.25, 0.5), 3.0, delta) for delta in (1e-6, 0.8))
    costs = np.array([1.0, *[1.0] * 3, *[0.25] * 4])
    assert near(plain) == pytest.approx(costs.sum(), rel=1e-12)
    squares = (costs**2).sum()
    assert near(advanced) == pytest.approx(squares / 2 + np.sqrt(2 * squares * np.log(1 / 0.8)), rel=1e-12)
