"""Seeing the plays: each check gives its verdict, and another one when something is wrong."""

from typing import Any

import numpy as np

from private_experts.games.adaptive import FavouriteAdversary
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import past_plays
from private_experts.replication.papers.p004.share_bounds import noisy_share
from tests.replication.papers.small_checks import SEED, verdict

TREES = {"T": [3], "S": [1], "eta": [1.0], "tolerance": 1e-12}


def test_weights_of_losses_alone_tell_an_adversary_nothing() -> None:
    assert verdict(past_plays.theorem_b1, TREES) == "holds"


def test_a_learner_that_repeats_its_first_play_is_caught(put: Any) -> None:
    def stubborn(horizon: int, switches: int, eta: float) -> list[Any]:
        first = np.full(2, 0.5)
        return [first] + [
            np.eye(2).reshape((1,) * t + (2,) + (1,) * (t - 1) + (2,)) for t in range(1, horizon)
        ]

    put(past_plays, "laws", stubborn)
    assert verdict(past_plays.theorem_b1, TREES) == "fails"


PRINTED = {"games": [[400, 1e-4]], "turn": 0.4, "memory": 1.0}


def test_noisy_weights_tell_an_adversary_something() -> None:
    assert verdict(past_plays.adaptive_regret_printed, PRINTED, 1000) == "fails"


def test_an_adversary_who_does_not_look_gains_nothing(put: Any) -> None:
    class Blind(FavouriteAdversary):
        def answer(self, actions: Any) -> None:
            super().answer(np.arange(actions.size) % 2)

    put(past_plays, "FavouriteAdversary", Blind)
    assert verdict(past_plays.adaptive_regret_printed, PRINTED, 1000) != "fails"


def test_no_fixed_stream_exceeds_what_is_said_of_all() -> None:
    eta, horizon = 0.3, 5
    _, worst = past_plays.values(horizon, 1, eta)  # without noise
    assert horizon / 2 < worst <= past_plays.largest_fixed(horizon, eta)


MENDED = {"T": [1000], "S": [2], "epsilon": [8.0], "memory": 1.0, "paths": 40}


def test_the_mended_bound_holds_against_who_sees_the_plays() -> None:
    points = past_plays.adaptive_regret(MENDED, 20, SEED)
    assert decide(points) == "holds"
    assert not any(point.vacuous for point in points)


def test_hardly_a_step_is_caught(put: Any) -> None:
    put(past_plays, "noisy_share", lambda n, t, s, eta, *rest: noisy_share(n, t, s, eta / 20, *rest))
    assert verdict(past_plays.adaptive_regret, MENDED, 20) == "fails"
