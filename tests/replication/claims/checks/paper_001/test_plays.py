"""The exact privacy of whole plays: how much too large a scale must be to be caught, by accounting."""

import math
from typing import Any

import pytest

from private_experts.convex import gaussian_accounting
from private_experts.convex.gaussian_levels import play_level
from private_experts.replication.claims.checks.paper_001 import plays
from private_experts.replication.claims.evidence import decide

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
    assert decide(plays.whole_plays(GRID, 2, 1)) == "holds"


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
    exact = plays.ACCOUNTINGS[accounting]

    def mutant(*arguments: Any) -> Any:
        play = exact(*arguments)
        return play._replace(beta=factor * play.beta, lam=play.lam / factor)

    monkeypatch.setitem(plays.ACCOUNTINGS, accounting, mutant)
    assert decide(plays.whole_plays(GRID | {"accounting": [accounting]}, 2, 1)) == verdict


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
    assert decide(plays.whole_plays(GRID | {"accounting": [accounting]}, 2, 1)) == verdict


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
    assert decide(plays.search(SEARCH, 2, 1)) == "holds"


def test_a_pair_that_is_not_the_worst_is_outdone(monkeypatch: pytest.MonkeyPatch) -> None:
    slopes = plays._slopes
    monkeypatch.setattr(plays, "_slopes", lambda *given: slopes(*given) / 2)
    assert decide(plays.search(SEARCH, 2, 1)) == "fails"
