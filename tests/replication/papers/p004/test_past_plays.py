"""Seeing the plays: each check gives its verdict, and another one when something is wrong."""

import numpy as np

from private_experts.games.adaptive import FavouriteAdversary
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import past_plays
from tests.replication.papers.small_checks import SEED, verdict, wrong

TREES = {"T": [3], "S": [1], "eta": [1.0], "tolerance": 1e-12}
PRINTED = {"games": [[400, 1e-4]], "turn": 0.4, "memory": 1.0}
MENDED = {"T": [1000], "S": [2], "epsilon": [8.0], "memory": 1.0, "paths": 40}


def test_weights_of_losses_alone_tell_an_adversary_nothing() -> None:
    assert verdict(past_plays.theorem_b1, TREES) == "holds"

    def first_play_repeated(right, horizon, switches, eta):
        shapes = [(1,) * t + (2,) + (1,) * (t - 1) + (2,) for t in range(1, horizon)]
        return [np.full(2, 0.5)] + [np.eye(2).reshape(shape) for shape in shapes]

    with wrong(past_plays, "laws", first_play_repeated):
        assert verdict(past_plays.theorem_b1, TREES) == "fails"


class Blind(FavouriteAdversary):
    """Does not look at what was played."""

    def answer(self, actions) -> None:
        super().answer(np.arange(actions.size) % 2)


def test_noisy_weights_tell_an_adversary_something_who_looks() -> None:
    assert verdict(past_plays.adaptive_regret_printed, PRINTED, 1000) == "fails"
    with wrong(past_plays, "FavouriteAdversary", Blind):
        assert verdict(past_plays.adaptive_regret_printed, PRINTED, 1000) != "fails"


def test_no_fixed_stream_exceeds_what_is_said_of_all() -> None:
    eta, horizon = 0.3, 5
    _, worst = past_plays.values(horizon, 1, eta)  # without noise
    assert horizon / 2 < worst <= past_plays.largest_fixed(horizon, eta)


def test_the_mended_bound_holds_against_who_sees_the_plays_and_hardly_a_step_is_caught() -> None:
    points = past_plays.adaptive_regret(MENDED, 20, SEED)
    assert decide(points) == "holds"
    assert not any(point.vacuous for point in points)
    with wrong(past_plays, "noisy_share", lambda right, n, t, s, eta, *rest: right(n, t, s, eta / 20, *rest)):
        assert verdict(past_plays.adaptive_regret, MENDED, 20) == "fails"
