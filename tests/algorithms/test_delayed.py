"""Reports that arrive late: copies that take turns, and one copy that is told late."""

import math
import weakref

import numpy as np
import pandas as pd
import pytest

from private_experts.algorithms import (
    RWFTPL,
    Delayed,
    FollowTheLeader,
    Hedge,
    PrefixFTPL,
    ShrinkingDartboard,
    SleepingHedge,
    TreeFTPL,
    Uniform,
)
from private_experts.algorithms.fresh_scales import expected_maximum
from private_experts.errors import InputError
from private_experts.games import late, play, private_reports, static_regret, switches
from private_experts.privacy import GaussianDP, PureDP, SimulatedNoise, TreeSums, privatize
from private_experts.randomness import rng_for
from private_experts.saving import load_state_dict, state_dict
from tests.algorithms.cases import gains_of

ROUNDS, N, COPIES, SCALE = 240, 3, 500, 0.5
LOCAL, CENTRAL = GaussianDP(1.0, "local"), GaussianDP(1.0, "central")


def leader(copy=0, seed=0):
    noise = SimulatedNoise(rng_for(seed, "start", copy))
    return RWFTPL(N, LOCAL, noise_scale=SCALE, noise=noise, repetitions=COPIES)


def reports_of(gains):
    return list(private_reports(gains, LOCAL, SCALE, SimulatedNoise(rng_for(0, "reports")), COPIES))


def streams() -> dict[str, np.ndarray]:
    """Gains, (ROUNDS, N): an easy stream, one where the best changes, and one that knows the delay of 3."""
    better = np.tile(np.linspace(0.2, 0.8, N), (ROUNDS, 1))
    blocks = np.eye(N)[np.arange(ROUNDS) // 4 % N]  # each earns for four rounds, so that old news mislead
    return {"better": better, "halves": np.vstack([better[::2], better[::2, ::-1]]), "blocks": blocks}


STREAMS = streams()


def bound(rounds: float) -> float:
    """What the regret of the leader is at most. [mathematics/000.md#regret-sharper]"""
    return (SCALE + 1 / (2 * SCALE)) * math.sqrt(rounds) * expected_maximum(N)


def excess(actions, gains, limit: float) -> float:
    """By how many standard errors the mean regret is beyond a limit."""
    regret = static_regret(gains, actions)
    return float((regret.mean() - limit) / (regret.std(ddof=1) / math.sqrt(regret.size) + 1e-9))


@pytest.mark.parametrize("stream", STREAMS)
@pytest.mark.parametrize("delay", [0, 3, 11])
def test_the_regret_is_at_most_that_of_copies_on_their_parts(stream, delay):
    gains = STREAMS[stream]
    delays = rng_for(0, "delays").integers(0, delay + 1, ROUNDS).tolist()
    for lateness in (delay, delays):
        actions = play(Delayed(leader, delay), late(reports_of(gains), lateness))
        assert excess(actions, gains, (delay + 1) * bound(ROUNDS / (delay + 1))) < 4


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


def test_a_game_in_which_nothing_would_be_late_is_refused():
    gains, noise = gains_of(5, N), SimulatedNoise(0)
    with pytest.raises(InputError, match="nothing is late for Delayed: write delays="):
        play(Delayed(leader, 3), gains, sensitivity=SCALE, noise=noise)
    with pytest.raises(InputError, match="RWFTPL takes no late reports: leave out delays"):
        play(leader(), gains, sensitivity=SCALE, noise=noise, delays=1)
    with pytest.raises(InputError, match="2 delays for more rounds"):
        play(Delayed(leader, 3), gains, sensitivity=SCALE, noise=noise, delays=[0, 1])


def test_who_learns_nothing_has_a_larger_regret():
    gains = np.tile([0.0, 0.0, 1.0], (ROUNDS, 1))
    lazy = Delayed(lambda copy: Uniform(N, rng=rng_for(0, "uniform", copy), repetitions=COPIES), 3)
    assert excess(play(lazy, late(gains, 3)), gains, 4 * bound(ROUNDS / 4)) > 4


def test_without_delay_it_is_the_algorithm():
    gains = gains_of(40, N)
    reports = reports_of(gains)
    expected = play(leader(), reports)
    for delay in (0, 5):
        np.testing.assert_array_equal(play(Delayed(leader, delay), reports), expected)
        np.testing.assert_array_equal(play(Delayed(leader, delay), late(reports, 0)), expected)


def test_with_a_fixed_delay_each_copy_plays_its_own_game():
    gains = gains_of(40, N)
    reports = reports_of(gains)
    actions = play(Delayed(leader, 3), late(reports, 3))
    for copy in range(4):
        np.testing.assert_array_equal(actions[copy::4], play(leader(copy), reports[copy::4]))


def test_what_arrives_later_changes_nothing_before():
    gains = gains_of(30, N)
    reports, changed = reports_of(gains), reports_of(1 - gains)
    actions = play(Delayed(leader, 4), late(reports, 4))
    for t in (0, 7, 20):
        other = play(Delayed(leader, 4), late([*reports[:t], changed[t], *reports[t + 1 :]], 4))
        np.testing.assert_array_equal(other[: t + 5], actions[: t + 5])
        assert (other != actions).any()


def test_a_curators_round_reaches_one_copy_with_noise_of_its_own():
    class Noted(TreeFTPL):
        def update_unchecked(self, gains):
            self.gains_seen = [*getattr(self, "gains_seen", []), gains[0]]
            super().update_unchecked(gains)

    copies = []

    def tree(copy):
        noise = SimulatedNoise(rng_for(0, "tree", copy))
        copies.append(Noted(2, CENTRAL, horizon=20, sensitivity=1.0, noise=noise))
        return copies[-1]

    algorithm = Delayed(tree, 2)
    gains = np.linspace(0, 1, 40).reshape(20, 2)
    play(algorithm, late(gains, [2, 0, 1, 2] * 5))
    gains_seen = np.sort(np.concatenate([tree.gains_seen for tree in copies]))
    assert np.unique(gains_seen).size == gains_seen.size == 20 - len(algorithm.waiting)
    assert algorithm.guarantee == CENTRAL


@pytest.mark.parametrize("delay", [1, 3])
@pytest.mark.parametrize("stream", STREAMS)
def test_one_copy_that_is_told_late_pays_for_switches(stream, delay):
    gains = STREAMS[stream]
    reports, algorithm, actions = reports_of(gains), leader(), []
    for t in range(ROUNDS):
        actions.append(algorithm.predict())
        if t >= delay:
            algorithm.update(reports[t - delay])
    without = play(leader(), reports)
    np.testing.assert_array_equal(actions, without[np.maximum(np.arange(ROUNDS) - delay, 0)])
    price = static_regret(gains, np.array(actions)) - static_regret(gains, without)
    changed = switches(without)
    assert (price <= delay * changed + 1e-9).all()


@pytest.mark.parametrize("delay", [1, 3])
def test_a_switch_can_cost_as_many_rounds_as_the_delay(delay):
    """The second expert always earns all: the leader switches once, after the first round reported to it."""
    gains, algorithm, lost = np.tile([0.0, 1.0], (20, 1)), FollowTheLeader(2), 0
    for t in range(20):
        lost += int(algorithm.predict()[0] == 0)
        if t >= delay:
            algorithm.update(gains[t - delay])
    without = play(FollowTheLeader(2), gains)
    assert lost == static_regret(gains, without)[0] + delay * switches(without)[0] == 1 + delay


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
        np.testing.assert_array_equal(together.predict(), alone[t % 3].predict())
        together.update(arrived)
        alone[t % 3].update(reports[t])
    with pytest.raises(InputError, match="no expert sleeps in RWFTPL"):
        Delayed(leader, 1).wake([True] * N)


def test_a_report_that_is_later_than_stated_is_refused():
    algorithm = Delayed(leader, 1)
    algorithm.update({})
    algorithm.update({})
    assert algorithm.waiting == (1, 2)
    with pytest.raises(
        InputError, match=r"round 3 begins, and no report has come of the rounds \[1, 2\]: delay = 1"
    ):
        algorithm.predict()


@pytest.mark.parametrize("unknown", [0, 2, 4, "1"])
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


def test_true_gains_reach_no_copy():
    algorithm = Delayed(leader, 1)
    with pytest.raises(InputError, match="true gains never reach"):
        algorithm.update({1: np.zeros(N)})


def test_copies_that_are_one_or_of_different_guarantees_are_refused():
    with pytest.raises(InputError, match=r"copies that state 1-GDP \(local.*\) and 2-GDP \(local"):
        Delayed(
            lambda copy: RWFTPL(2, GaussianDP(copy + 1.0, "local"), noise_scale=1.0, noise=SimulatedNoise(0)),
            1,
        )
    same = leader()
    with pytest.raises(InputError, match="the same algorithm twice"):
        Delayed(lambda copy: same, 1)


@pytest.mark.parametrize("reach", [lambda copy: 0.5 + copy, lambda copy: 0.5 * np.ones(4 + copy)])
def test_copies_for_different_sensitivities_are_refused(reach):
    def make(copy):
        noise = SimulatedNoise(rng_for(0, "noise", copy))
        return TreeFTPL(N, CENTRAL, horizon=np.size(reach(copy)), sensitivity=reach(copy), noise=noise)

    with pytest.raises(InputError, match="delayed: copies that were made for different sensitivities"):
        Delayed(make, 1)
    Delayed(lambda copy: make(0), 0)


@pytest.mark.parametrize("delay", [-1, 1.5, None])
def test_a_delay_that_is_no_number_of_rounds_is_refused(delay):
    with pytest.raises(InputError, match="write a whole number of at least 0"):
        Delayed(leader, delay)
    with pytest.raises(InputError, match="write a whole number of at least 0"):
        list(late([1, 2], delay))


def test_a_game_with_reports_under_way_is_saved():
    arrivals = list(late(reports_of(gains_of(30, N)), [3, 0, 2, 1, 3] * 6))
    expected = play(Delayed(leader, 3), arrivals)
    first, second = Delayed(leader, 3), Delayed(lambda copy: leader(copy, seed=1), 3)
    play(first, arrivals[:13])
    assert first.waiting
    load_state_dict(state_dict(first), second)
    assert second.waiting == first.waiting
    np.testing.assert_array_equal(play(second, arrivals[13:], resume=True), expected[13:])


def test_any_algorithm_can_be_delayed():
    gains = np.tile([0.2, 0.9], (60, 1))
    for make in (lambda copy: Hedge(2, rng=rng_for(0, copy), repetitions=50), lambda _: FollowTheLeader(2)):
        actions = play(Delayed(make, 2), late(gains, 2))
        assert (actions[-10:] == 1).mean() > 0.95


@pytest.mark.parametrize(
    "make",
    [
        lambda copy: TreeFTPL(N, CENTRAL, horizon=9, sensitivity=0.1, noise=SimulatedNoise(7)),
        lambda copy: PrefixFTPL(TreeSums(N, CENTRAL, horizon=9, sensitivity=0.1, noise=SimulatedNoise(7))),
        lambda copy: ShrinkingDartboard(N, PureDP(1.0, "central"), horizon=9, rng=rng_for(0, "darts")),
    ],
)
def test_copies_of_a_curator_with_the_same_noise_are_refused(make):
    with pytest.raises(InputError, match="two copies draw the same noise"):
        Delayed(make, 1)


def test_copies_may_share_one_source_of_noise():
    noise = SimulatedNoise(7)
    Delayed(lambda copy: TreeFTPL(N, CENTRAL, horizon=9, sensitivity=0.1, noise=noise), 1)


@pytest.mark.parametrize("late_by", [0, 1])
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


@pytest.mark.parametrize("more", [{"bounds": (0, 400)}, {"losses": True}, {"sensitivity": 1}])
def test_what_is_about_gains_is_refused_of_late_ones(more):
    with pytest.raises(InputError, match="Write that in its place, and delays= where they are late"):
        play(Delayed(lambda _: FollowTheLeader(2), 1), late([[1, 2]], 1), **more)
