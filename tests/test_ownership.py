"""Sums, curators, learners and algorithms inside others are played by one object, in one game."""

import copy
import math
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms import (
    BernoulliResampled,
    CreditedLeader,
    Delayed,
    FollowTheLeader,
    HedgeMeta,
    PrefixFTPL,
    RWMeta,
    TreeFTPL,
)
from private_experts.errors import InputError
from private_experts.games import FavouriteAdversary, NamedExperts, play, play_adaptively, private_reports
from private_experts.learners import TotalsLeader
from private_experts.privacy import (
    CorrelatedReports,
    GaussianDP,
    SideBySideReports,
    SideBySideSums,
    SimulatedNoise,
    TreeSums,
    privacy_report,
    privatize,
)
from private_experts.private_oco import DPFTRL, Box
from private_experts.saving import load_state_dict, state_dict

LOCAL, CENTRAL = GaussianDP(1.0, "local"), GaussianDP(1.0, "central")
ROUNDS = 4
GAINS = np.tile([0.25, 0.75], (ROUNDS, 1))


def sums(n: int = 2, seed: int = 1) -> TreeSums:
    reach = 1.5 if n == 1 else math.sqrt(2)  # of a slope, or of gains
    return TreeSums(n, CENTRAL, horizon=16, sensitivity=reach, noise=SimulatedNoise(seed))


def tree() -> TreeFTPL:
    return TreeFTPL(2, CENTRAL, horizon=16, sensitivity=math.sqrt(2), noise=SimulatedNoise(1))


def learner() -> TotalsLeader:
    return TotalsLeader(privatize(np.zeros(2), LOCAL, 0.5, SimulatedNoise(1)))


def central(leader: Any) -> None:
    play(leader, GAINS)


def local(leader: Any) -> None:
    play(leader, private_reports(GAINS, LOCAL, 0.5, SimulatedNoise(2)))


def by_hand(leader: Any) -> None:
    for row in GAINS:
        leader.predict()
        leader.update(row)


def online(leader: Any) -> None:
    leader.predict()
    leader.update(np.array([0.5]))


def added(sums_of_two: Any) -> None:
    sums_of_two.add(GAINS[0])
    sums_of_two.release()


def reported(curator: Any) -> None:
    curator.report(GAINS[0])


def reports(seed: int = 1) -> CorrelatedReports:
    settings = {"strategy": np.eye(ROUNDS), "sensitivity": np.ones(ROUNDS), "noise": SimulatedNoise(seed)}
    return CorrelatedReports(1, CENTRAL, **settings)


class Somebodys:
    """An algorithm that is not of the library, and has sums of it somewhere inside."""

    guarantee, sensitivity = CENTRAL, math.sqrt(2)

    def __init__(self, inside: Any) -> None:
        self.inside = {"sums": [inside]}

    def predict(self) -> np.ndarray:
        return self.inside["sums"][0].release().argmax(axis=-1)

    def update(self, gains: np.ndarray) -> None:
        self.inside["sums"][0].add(gains)


KINDS: dict[str, tuple[Callable[[], Any], Callable[[Any], Any], Callable[[Any], None]]] = {
    "sums": (sums, PrefixFTPL, central),
    "sums by hand": (sums, PrefixFTPL, by_hand),
    "slopes": (lambda: sums(1), partial(DPFTRL, Box([-1.0], [1.0]), lam=1.0, lipschitz=0.75), online),
    "learner": (learner, lambda part: CreditedLeader([part], LOCAL), local),
    "learner by name": (learner, lambda part: HedgeMeta({"a": part}, LOCAL, rng=1), local),
    "learner, many rounds at once": (learner, lambda part: RWMeta([part], LOCAL, rng=1), local),
    "resampled": (tree, lambda part: BernoulliResampled(2, part, rng=1), central),
    "late": (tree, lambda part: Delayed(lambda _: part, 0), partial(play, reports=GAINS, delays=0)),
    "side by side": (lambda: sums(1), lambda part: SideBySideSums([part, sums(1, seed=2)]), added),
    "reports side by side": (reports, lambda part: SideBySideReports([part, reports(2)]), reported),
    "somebody's": (sums, Somebodys, central),
}


@pytest.mark.parametrize("name", KINDS)
def test_what_has_played_for_one_is_refused_for_another(name: str) -> None:
    make, around, played = KINDS[name]
    part = make()
    first, second = around(part), around(part)
    played(first)
    with pytest.raises(InputError, match=r"^\w+: its \w+ has played for another algorithm: make a new one"):
        played(second)
    del first  # also where the other one is gone
    with pytest.raises(InputError, match="has played for another algorithm"):
        played(around(part))


@pytest.mark.parametrize("name", ["learner", "resampled", "late"])
def test_what_has_played_by_itself_is_no_part_of_another_and_the_other_way_round(name: str) -> None:
    make, around, played = KINDS[name]
    part, alone = make(), local if name == "learner" else central
    alone(part)
    with pytest.raises(InputError, match="has played by itself: make a new one"):
        played(around(part))
    inside = make()
    played(around(inside))
    with pytest.raises(InputError, match=r"has played (4 rounds|for another algorithm): make a new one"):
        alone(inside)


def test_copies_that_take_turns_do_not_share_their_sums() -> None:
    shared = sums()
    late = Delayed(lambda _: PrefixFTPL(shared), 1)
    with pytest.raises(InputError, match="PrefixFTPL: its TreeSums has played for another algorithm"):
        play(late, GAINS, delays=1)


def test_two_plays_by_name_of_one_algorithm_go_on() -> None:
    leader = tree()
    for _ in range(2):
        NamedExperts(leader, ["a", "b"]).learn_one({"a": 0.25, "b": 0.75})
    with pytest.raises(InputError, match="has played by itself"):
        Delayed(lambda _: leader, 0).predict()
    play(leader, GAINS, resume=True)
    assert leader.rounds_played == 2 + ROUNDS


def test_looking_at_what_is_promised_is_no_play() -> None:
    part = sums()
    privacy_report(PrefixFTPL(part), delta=1e-6)
    central(PrefixFTPL(part))


def test_copies_and_loaded_games_have_parts_of_their_own() -> None:
    first = PrefixFTPL(sums())
    central(first)
    other = copy.deepcopy(first)
    play(other, GAINS, resume=True)
    loaded = PrefixFTPL(sums())
    load_state_dict(state_dict(first), loaded)
    play(loaded, GAINS, resume=True)
    play(first, GAINS, resume=True)


@pytest.mark.parametrize(
    ("make", "play_it", "other"),
    [
        (lambda: PrefixFTPL(sums()), central, {"bounds": (0, 2)}),
        (lambda: CreditedLeader([learner()], LOCAL), local, {"guarantee": LOCAL}),
        (lambda: HedgeMeta({"a": learner()}, LOCAL, rng=1), local, {"rate": 0.5}),
    ],
)
def test_a_game_does_not_begin_again_with_parts_that_have_played(make, play_it, other) -> None:
    leader = make()
    play_it(leader)
    with pytest.raises(InputError, match=r"(sums|learners) has played: write (sums|learners)=\.\.\. anew"):
        leader.set_params(**other)
    fresh = make()
    leader.set_params(**fresh.get_params(deep=False))
    play_it(leader)


def test_sums_that_are_made_anew_in_their_place_play_again() -> None:
    leader = PrefixFTPL(sums())
    central(leader)
    leader.set_params(sums__sensitivity=1.3)
    central(leader)
    assert leader.rounds_played == ROUNDS
    part = leader.get_params(deep=False)["sums"]
    part.set_params()
    central(PrefixFTPL(part))


def test_one_call_at_a_time_plays_an_object() -> None:
    class Meeting(FollowTheLeader):
        """Waits in its first round until another thread was refused."""

        def predict(self) -> np.ndarray:
            begun.set()
            assert refused.wait(60)
            return super().predict()

    begun, refused = threading.Event(), threading.Event()
    leader = Meeting(2)
    with ThreadPoolExecutor(1) as pool:
        first = pool.submit(play, leader, GAINS)
        try:
            assert begun.wait(60)
            for again in (
                lambda: play(leader, GAINS),
                lambda: play(leader, GAINS, resume=True),
                lambda: play_adaptively(leader, FavouriteAdversary(2, starts=[4], memory=10.0), 2),
            ):
                with pytest.raises(InputError, match=r"^Meeting: another call is playing it: make a new one"):
                    again()
        finally:
            refused.set()
        assert len(first.result()) == leader.rounds_played == ROUNDS
    play(leader, GAINS, resume=True)  # one after the other


def test_what_was_refused_is_played_by_nobody() -> None:
    leader = tree()
    with pytest.raises(InputError, match=r"1\.5"):
        play(leader, 6 * GAINS)
    play(leader, GAINS, resume=True)
