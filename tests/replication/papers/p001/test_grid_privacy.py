"""Each check of privacy gives its verdict on a small grid, and another one on something wrong."""

import math
from typing import Any

import numpy as np
import pytest

from private_experts.private_oco.chains import keep_probabilities
from private_experts.private_oco.closeness import draw_probability, tight_drift
from private_experts.private_oco.domains import Box
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.paths import path_laws
from private_experts.private_oco.regret import gibbs_parameters
from private_experts.replication.balls.balls import ball, near, precision
from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.papers.p001 import grid_privacy
from private_experts.replication.papers.p001.round_costs import Lottery, drawn
from private_experts.replication.papers.p001.scales import closeness
from tests.each import each
from tests.replication.papers.remembered import remembered

ROUNDS = {
    "losses": ["linear"],
    "T": [20],
    "u": [0.02, 1.0],
    "p": [0.05],
    "clip": [0.02, 1.0],
    "delta": [1e-2, 1e-6],
    "cells": 100,
}

STEPS_OF_A_ROUND = ("lottery that differs", "later lottery", "draw")


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that puts something else in the place of what the checks use."""
    return lambda name, value: monkeypatch.setattr(grid_privacy, name, value)


COMPANION = remembered(grid_privacy._companion)


@pytest.fixture(autouse=True)
def companion_once(put: Any) -> None:
    """Compute the companion's bounds in balls once for all tests."""
    put("_companion", COMPANION)


def verdict(points: list[Point], step: str) -> str:
    """Return what the points of one step decide."""
    return decide([point for point in points if point.where["step"] == step])


def test_a_round_costs_what_the_claim_says() -> None:
    points = grid_privacy.claim_d1(ROUNDS, 2, 1)
    assert decide(points) == "holds"
    assert all(point.certified for point in points)
    dearest = {step: max(point.value for point in points if point.where["step"] == step) for step in STEPS_OF_A_ROUND}
    assert dearest == pytest.approx({"lottery that differs": 0.923, "later lottery": 0.386, "draw": 0.677}, abs=1e-3)


def test_the_round_that_differs_is_the_first_or_in_the_middle(put: Any) -> None:
    for first, middle in ((0.2, 0.1), (0.1, 0.2)):
        put("_shares", lambda grid, where, change, seed, shares={0: first, 10: middle}: {"draw": ball(shares[change])})
        assert {point.value for point in grid_privacy.claim_d1(ROUNDS, 2, 1)} == {0.2}


def unclipped(laws: Any, log_phi: float, p: float) -> Any:
    """Keep points as if ratios were not clipped from below."""
    return (1 - p) * np.exp(np.minimum(np.diff(laws, axis=-2) - log_phi, 0.0))


@each(
    "mutant",
    [
        lambda laws, log_phi, p: keep_probabilities(laws, log_phi, p + 1e-10),
        lambda laws, log_phi, p: keep_probabilities(laws, log_phi * (1 + 1e-8), p),
        unclipped,
    ],
)
def test_a_program_with_another_lottery_is_caught(mutant: Any, put: Any) -> None:
    put("keep_probabilities", mutant)
    points = grid_privacy.claim_d1(ROUNDS | {"T": [12], "u": [1.0], "clip": [0.02]}, 2, 1)
    assert [verdict(points, step) for step in (*STEPS_OF_A_ROUND, "program")] == ["holds"] * 3 + ["fails"]


class Unclipped(Lottery):
    """A lottery that does not clip ratios from below."""

    def _clipped(self, ratio: Any) -> Any:
        return ball(ratio).min(self.log_phi)


@each(
    "mutant",
    [
        lambda log_phi, p: Lottery(log_phi, p * 0.8),
        lambda log_phi, p: Lottery(log_phi * 1.2, p),
        Unclipped,
    ],
)
def test_a_lottery_that_costs_more_is_caught(mutant: Any, put: Any) -> None:
    put("Lottery", mutant)
    assert verdict(grid_privacy.claim_d1(ROUNDS | {"T": [8], "clip": [0.02]}, 2, 1), "lottery that differs") == "fails"


def test_a_later_lottery_after_steeper_losses_is_caught(put: Any) -> None:
    put("drawn", lambda *given: [each + each + each for each in drawn(*given)])
    points = grid_privacy.claim_d1(ROUNDS | {"clip": [1.0]}, 2, 1)
    assert verdict(points, "later lottery") == "fails"


def test_a_draw_that_costs_more_than_a_bound_at_scale_u_is_caught(put: Any) -> None:
    put("closeness", lambda u, minus_log_delta: closeness(u / 2, minus_log_delta))
    assert verdict(grid_privacy.claim_d1(ROUNDS | {"clip": [1.0]}, 2, 1), "draw") == "fails"


PATHS = {
    "play": [[2, 4, 0.1, 40.0, 0.002, 0.3], [3, 3, 0.1, 40.0, 0.02, 0.3]],
    "budget": [1, "inf"],
    "delta": [0.0, 0.001],
}


def test_short_plays_give_away_no_more_than_their_rounds() -> None:
    assert decide(grid_privacy.paths(PATHS, 2, 1)) == "holds"


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        pytest.param("steps", lambda *play: STEPS(*play[:-1], play[-1] / 3), id="p a third"),
        pytest.param("path_probabilities", lambda play, _: PATHS_OF(play, math.inf), id="no budget"),
        pytest.param("steps", lambda *play: STEPS(*play[:-2], 50 * play[-2], play[-1]), id="Phi larger"),
    ],
)
def test_a_play_that_gives_away_more_is_caught(name: str, mutant: Any, put: Any) -> None:
    put(name, mutant)
    *points, program = grid_privacy.paths(PATHS, 2, 1)
    assert (decide(points), decide([program])) == ("fails", "fails")


STEPS, PATHS_OF = grid_privacy.steps, grid_privacy.path_probabilities


@pytest.mark.parametrize(
    "mutant",
    [
        pytest.param(lambda laws, log_phi, p, budget: path_laws(laws, log_phi, p * (1 + 1e-10), budget), id="p"),
        pytest.param(lambda laws, log_phi, p, budget: path_laws(laws, log_phi, p, math.inf), id="no budget"),
    ],
)
def test_a_program_with_other_paths_is_caught(mutant: Any, put: Any) -> None:
    put("path_laws", mutant)
    *points, program = grid_privacy.paths(PATHS, 2, 1)
    assert (decide(points), decide([program])) == ("holds", "fails")


def test_steeper_losses_than_stated_are_caught(put: Any) -> None:
    streams = grid_privacy._streams

    def steeper(points: Any, rounds: int) -> Any:
        losses, one, two = streams(points, rounds)
        return 2.5 * losses, one, two

    put("_streams", steeper)
    assert decide(grid_privacy.paths(PATHS, 2, 1)) == "fails"


def test_every_ordered_pair_of_neighbours_is_compared() -> None:
    losses, one, two = grid_privacy._streams(np.array([[-0.5], [0.5]]), 3)
    assert losses.shape == (64, 3, 2)
    assert len(set(zip(one.tolist(), two.tolist(), strict=True))) == len(one) == 64 * 9
    numbers = np.arange(64)[:, None] // 4 ** np.arange(3) % 4
    assert ((numbers[one] != numbers[two]).sum(axis=1) == 1).all()


OUTSIDE = {"losses": ["linear"], "T": [10, 20], "u": [1.0], "p": [0.4], "log_phi": [3.5], "cells": 100}


def test_claim_d2_holds_over_all_histories_and_fails_given_the_worst() -> None:
    assert decide(grid_privacy.claim_d2(OUTSIDE | {"histories": "all"}, 2, 1)) == "holds"
    assert decide(grid_privacy.claim_d2(OUTSIDE | {"histories": "worst"}, 2, 1)) == "fails"


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        pytest.param("marginals", lambda laws, *rest: (np.roll(np.exp(laws), 1, axis=0), None), id="a round late"),
        pytest.param("tight_drift", lambda *arguments: -1e-5 + tight_drift(*arguments), id="one percent smaller"),
    ],
)
def test_a_play_that_has_more_outside_is_caught(name: str, mutant: Any, put: Any) -> None:
    put(name, mutant)
    assert (
        decide(grid_privacy.claim_d2(OUTSIDE | {"histories": "all", "losses": ["constant"], "T": [20]}, 2, 1))
        == "fails"
    )


def test_a_history_that_cannot_happen_proves_nothing(put: Any) -> None:
    put("keep_probabilities", lambda laws, log_phi, p: 0.0 * keep_probabilities(laws, log_phi, p))
    assert decide(grid_privacy.claim_d2(OUTSIDE | {"histories": "worst"}, 2, 1)) == "holds"


def test_where_no_point_is_outside_no_history_is_a_counterexample() -> None:
    points = grid_privacy.claim_d2(OUTSIDE | {"histories": "worst", "log_phi": [9.0]}, 2, 1)
    assert [(point.value, point.notes["delta"]) for point in points] == [(0.0, 0.0)] * 2


def test_balls_are_around_the_masses_outside_that_the_library_finds() -> None:
    family = GridGibbs(Box((-0.5,), (0.5,)).grid(100), **gibbs_parameters(10, 1, 1.0)._asdict())
    slopes = np.ones((2, 10))
    slopes[1, 5] = -1.0
    laws = family.laws(slopes[..., None] * family.points[:, 0])
    outside = (np.abs(np.diff(laws, axis=1)) > 3.5).any(axis=0)
    with precision():
        bound, sure, delta = grid_privacy._companion(family.points, slopes, 1.0, 0.4, 3.5)
    np.testing.assert_array_equal(sure, outside)
    expected = max((np.exp(side) * outside).sum(axis=-1).max() for side in (laws[:, 1:], laws[:, :-1]))
    assert near(delta) == pytest.approx(expected, rel=1e-12)
    assert near(bound) == pytest.approx(93 * expected + 3 * np.exp(-draw_probability(3.5, 0.4) * 10), rel=1e-12)


def test_costs_are_of_one_lottery_of_the_draws_and_of_all_later_lotteries() -> None:
    """Of 6 rounds five end in a lottery. One follows the loss that differs, and four come later."""
    plain, advanced = (grid_privacy._composed((6, 0.5, 8.0, 0.25, 0.5), 3.0, delta) for delta in (1e-6, 0.8))
    costs = np.array([1.0, *[1.0] * 3, *[0.25] * 4])
    assert near(plain) == pytest.approx(costs.sum(), rel=1e-12)
    squares = (costs**2).sum()
    assert near(advanced) == pytest.approx(squares / 2 + np.sqrt(2 * squares * np.log(1 / 0.8)), rel=1e-12)
