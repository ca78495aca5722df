"""Reports that arrive late: copies that take turns, and one copy that is told late."""

import itertools
import math
import weakref
from dataclasses import replace
from functools import partial

import numpy as np
import pandas as pd
import pytest

from private_experts.algorithms import (
    RWFTPL,
    Delayed,
    FollowTheLeader,
    PrefixFTPL,
    ShrinkingDartboard,
    SleepingHedge,
    TreeFTPL,
)
from private_experts.errors import InputError
from private_experts.games import late, play, private_reports
from private_experts.privacy import GaussianDP, PureDP, SimulatedNoise, TreeSums, privatize
from private_experts.privacy.participation import Participation, times_in
from private_experts.randomness import rng_for
from private_experts.saving import load_state_dict, state_dict
from tests.algorithms.cases import gains_of
from tests.each import each

N, COPIES, SCALE = 3, 500, 0.5
LOCAL, CENTRAL = GaussianDP(1.0, "local"), GaussianDP(1.0, "central")


def leader(copy=0, seed=0):
    noise = SimulatedNoise(rng_for(seed, "start", copy))
    return RWFTPL(N, LOCAL, noise_scale=SCALE, noise=noise, repetitions=COPIES)


def reports_of(gains):
    return list(private_reports(gains, LOCAL, SCALE, SimulatedNoise(rng_for(0, "reports")), COPIES))


def test_gains_are_as_late_in_play_as_is_said():
    gains, noise = gains_of(40, N), lambda: SimulatedNoise(rng_for(0, "in play"))
    lateness = rng_for(0, "delays in play").integers(0, 4, 40).tolist()
    made = private_reports(gains, leader().guarantee, SCALE, noise(), COPIES)
    reports = list(late(made, lateness))
    expected = play(Delayed(leader, 3), reports)
    actions = play(Delayed(leader, 3), gains, sensitivity=SCALE, noise=noise(), delays=lateness)
    np.testing.assert_array_equal(actions, expected)
    assert (actions != play(Delayed(leader, 3), gains, sensitivity=SCALE, noise=noise(), delays=0)).any()


def test_what_has_arrived_is_let_go():
    class Report:
        pass

    kept = weakref.WeakSet()

    def reports():
        for _ in range(50):
            report = Report()
            kept.add(report)
            yield report

    for arrived in late(reports(), 3):
        arrived.clear()
        assert len(kept) <= 4  # those under way, and the one that was just sent


def test_without_delay_it_is_the_algorithm():
    gains = gains_of(40, N)
    reports = reports_of(gains)
    expected = play(leader(), reports)
    for delay in (0, 5):
        np.testing.assert_array_equal(play(Delayed(leader, delay), reports), expected)
        np.testing.assert_array_equal(play(Delayed(leader, delay), late(reports, 0)), expected)


def tree(copy=0, **settings):
    given = {"horizon": 40, "sensitivity": 1.0, "noise": SimulatedNoise(rng_for(0, "tree", copy))}
    return TreeFTPL(N, CENTRAL, **given | settings)


@each("make", [leader, tree])
@each("delays", [3, [2, 0, 1, 3] * 10])
def test_each_copy_plays_its_own_game_and_the_first_that_waits_for_nothing_is_next(make, delays):
    gains, together, alone = gains_of(40, N), Delayed(make, 3), [make(copy) for copy in range(4)]
    player_of = {}
    for t, arrived in enumerate(late(reports_of(gains) if make is leader else gains, delays), start=1):
        player_of[t] = next(copy for copy in range(4) if copy not in player_of.values())
        np.testing.assert_array_equal(together.predict(), alone[player_of[t]].predict())
        together.update(arrived)
        for number in sorted(arrived):
            alone[player_of.pop(number)].update(arrived[number])
        assert together.waiting == tuple(player_of)
    assert together.guarantee == make().guarantee


def test_experts_may_sleep_while_reports_are_late():
    def hedge(copy):
        return SleepingHedge(N, LOCAL, rate=0.5, rng=rng_for(0, "choice", copy), repetitions=COPIES)

    gains, awake = gains_of(40, N), rng_for(0, "awake").random((40, N)) < 0.6
    awake[~awake.any(axis=1)] = True
    awake[1::2] = awake[::2]  # said in every other round only
    noise = SimulatedNoise(rng_for(0, "reports"))
    reports = [
        privatize(row[here], LOCAL, SCALE, noise, repetitions=COPIES)
        for row, here in zip(gains, awake, strict=True)
    ]
    together, alone = Delayed(hedge, 2), [hedge(copy) for copy in range(3)]
    for t, arrived in enumerate(late(reports, 2)):
        if t % 2 == 0:
            together.wake(awake[t])
        alone[t % 3].wake(awake[t])
        np.testing.assert_array_equal(together.probabilities(), alone[t % 3].probabilities())
        np.testing.assert_array_equal(together.predict(), alone[t % 3].predict())
        together.update(arrived)
        alone[t % 3].update(reports[t])


@each("delay", [0, 1, 2])
def test_a_person_in_several_rounds_has_them_in_the_worst_shares_of_the_copies(delay):
    person = Participation(5, in_a_row=True)
    alone = [0.0, *(times_in(tree(), replace(person, rounds=rounds)) for rounds in range(1, 6))]
    shares = (share for share in itertools.product(range(6), repeat=delay + 1) if sum(share) == 5)
    worst = max(math.hypot(*(alone[rounds] for rounds in share)) for share in shares)
    assert Delayed(tree, delay).times_in(person) == pytest.approx(worst, rel=1e-12)


@each("unknown", [0, 2, 4, "1"])
def test_a_report_that_nobody_waits_for_is_refused_and_changes_nothing(unknown):
    reports = reports_of(gains_of(3, N))
    algorithm = Delayed(leader, 2)
    algorithm.update({})
    algorithm.update(reports[1])
    before = algorithm.predict()
    with pytest.raises(InputError, match=rf"round {unknown}: those that wait for theirs are \[1, 3\]"):
        algorithm.update({unknown: reports[0], 1: reports[0]})
    np.testing.assert_array_equal(algorithm.predict(), before)
    algorithm.update({3: reports[2], 1: reports[0]})
    assert algorithm.waiting == ()


SHARED, ALONE, OF_SUMS = SimulatedNoise(7), leader(), {"horizon": 9, "sensitivity": 0.1}


def leader_at(level):
    return RWFTPL(2, GaussianDP(level, "local"), noise_scale=1.0, noise=SHARED)


def tree_for(horizon):
    return tree(horizon, horizon=horizon, sensitivity=0.5 * np.ones(horizon))


@each(
    ("make", "message"),
    [
        (lambda copy: ALONE, "make returned the same algorithm twice"),
        (lambda copy: leader_at(copy + 1), r"copies that state 1-GDP \(local.*\) and 2-GDP \(local"),
        (lambda copy: tree(copy, sensitivity=0.5 + copy / 4), "made for different sensitivities"),
        (lambda copy: tree(copy, bounds=(0, 1 + copy)), r"copies of bounds \(0.*\) and \(0.*: make them"),
        (lambda copy: tree_for(40 + copy), "made for different sensitivities"),
        (lambda copy: tree(), "two copies draw the same noise"),
        (
            lambda copy: PrefixFTPL(TreeSums(N, CENTRAL, noise=SimulatedNoise(7), **OF_SUMS)),
            "draw the same noise",
        ),
        (lambda copy: ShrinkingDartboard(N, PureDP(1.0, "central"), horizon=9, rng=0), "draw the same noise"),
    ],
)
def test_copies_that_no_guarantee_covers_are_refused(make, message):
    with pytest.raises(InputError, match=f"^delayed: .*{message}"):
        Delayed(make, 1)
    Delayed(make, 0)


def test_copies_may_share_one_source_of_noise():
    Delayed(lambda copy: tree(noise=SHARED), 1)


def game(**more):
    return lambda: play(Delayed(leader, 3), gains_of(5, N), sensitivity=SCALE, noise=SHARED, **more)


def late_game(**more):
    return lambda: play(Delayed(lambda _: FollowTheLeader(2), 1), late([[1, 2]], 1), **more)


def later_than_stated():
    algorithm = Delayed(leader, 1)
    algorithm.update({})
    algorithm.update({})
    assert algorithm.waiting == (1, 2)
    algorithm.predict()


OF_GAINS = "Write that in its place, and delays= where they are late"


@each(
    ("message", "act"),
    [
        ("nothing is late for Delayed: write delays=", game()),
        ("2 delays for more rounds", game(delays=[0, 1])),
        (r"round 3 begins, and no report has come of the rounds \[1, 2\]: delay = 1", later_than_stated),
        ("true gains never reach", lambda: Delayed(leader, 1).update({1: np.zeros(N)})),
        ("no expert sleeps in RWFTPL", lambda: Delayed(leader, 1).wake([True] * N)),
        ("delay = -1: write a whole number of at least 0", partial(Delayed, leader, -1)),
        ("delay = 1.5: write a whole number of at least 0", partial(Delayed, leader, 1.5)),
        ("delay = -1: write a whole number of at least 0", lambda: list(late([1, 2], -1))),
        ("delay = 1.5: write a whole number of at least 0", lambda: list(late([1, 2], 1.5))),
        *(
            (OF_GAINS, late_game(**more))
            for more in ({"bounds": (0, 400)}, {"losses": True}, {"sensitivity": 1})
        ),
    ],
)
def test_what_fits_no_late_game_is_refused(message, act):
    with pytest.raises(InputError, match=message):
        act()


def test_a_game_with_reports_under_way_is_saved():
    arrivals = list(late(reports_of(gains_of(30, N)), [3, 0, 2, 1, 3] * 6))
    expected = play(Delayed(leader, 3), arrivals)
    first, second = Delayed(leader, 3), Delayed(lambda copy: leader(copy, seed=1), 3)
    play(first, arrivals[:13])
    assert first.waiting
    load_state_dict(state_dict(first), second)
    assert second.waiting == first.waiting
    np.testing.assert_array_equal(play(second, arrivals[13:], resume=True), expected[13:])


@each("late_by", [0, 1])
def test_names_that_one_copy_was_told_hold_for_all(late_by):
    frame = pd.DataFrame([[0.1, 0.9]], columns=["a", "b"])
    delayed = Delayed(lambda copy: FollowTheLeader(2), 1)
    if late_by:
        delayed.update({})
        reports = {1: frame.iloc[0], 2: frame[["b", "a"]].iloc[0]}
    else:
        play(delayed, frame)
        reports = frame[["b", "a"]].iloc[0]
    with pytest.raises(InputError, match="column b stands where a stood before"):
        delayed.update(reports)


def test_rows_of_a_frame_and_of_lists_arrive_late():
    gains = gains_of(12, 2)
    expected = play(Delayed(lambda _: FollowTheLeader(2), 1), late(gains, 1))
    for given in (pd.DataFrame(gains, columns=["north", "south"]), gains.tolist()):
        for delays in (1, np.ones(12, dtype=int)):
            played = play(Delayed(lambda _: FollowTheLeader(2), 1), late(given, delays))
            np.testing.assert_array_equal(played, expected)
