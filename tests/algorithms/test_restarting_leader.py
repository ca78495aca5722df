"""Algorithm 2 looks at the windows it says, with the thresholds it says, and begins anew as it says."""

import math

import numpy as np
import pytest

from private_experts.algorithms import DyadicLeader
from private_experts.algorithms.restarting_leader import (
    RestartingLeader,
    printed_allowance,
    proved_allowance,
    softmax_allowance,
)
from private_experts.errors import InputError
from private_experts.games import play
from private_experts.privacy import AboveThreshold, PureDP
from private_experts.randomness import rng_for
from tests.each import each

NO_NOISE = PureDP(1e6, "central")  # at this level it is of no account


@each("windows", ["all", "dyadic"])
def test_a_copy_that_restarts_has_the_threshold_that_was_drawn_for_it_and_others_keep_theirs(
    windows, monkeypatch
):
    honest, drawn = AboveThreshold.restart, []

    def noted(self, which):
        honest(self, which)
        drawn.append((which.copy(), self._threshold.copy()))

    monkeypatch.setattr(AboveThreshold, "restart", noted)
    given = {"horizon": 40, "repetitions": 30, "slack": 0.05, "windows": windows}
    leader = RestartingLeader(2, PureDP(1000.0, "central"), rng=rng_for(0, "thresholds"), **given)
    rng = rng_for(0, "thresholds", "gains")
    best = rng.random((8, 30, 1)).round().repeat(5, axis=0)  # for five rounds, in each copy by itself
    for of_round in np.concatenate([best, 1 - best], axis=2):
        before, restarts = leader._above._threshold.copy(), leader.restarts.copy()
        leader.update(of_round)
        ended, after = leader.restarts > restarts, leader._above._threshold
        np.testing.assert_array_equal(after == before, ~ended)
        if ended.any():
            which, fresh = drawn.pop()
            np.testing.assert_array_equal(which, ended)
            np.testing.assert_array_equal(after, fresh)
    assert leader.restarts.max() > 1


def test_the_allowances_in_numbers():
    level = math.log(2 * 100 / 0.05)
    lengths = np.array([1.0, 10.0])
    printed = [16 * level / 0.5, 16 * level / 0.5 + 9 * math.sqrt(9 * level)]
    np.testing.assert_allclose(printed_allowance(lengths, 2, 100, 0.5, 0.05), printed)
    constant = 16 * level / 0.25
    proved = [
        constant + 14.1421356 * math.sqrt(level),
        constant * (1 + math.log(10)) + 14.1421356 * math.sqrt(10 * level),
    ]
    np.testing.assert_allclose(proved_allowance(lengths, 2, 100, 0.5, 0.05), proved)
    softmax = [constant + 18.8284271 * math.sqrt(level), constant + 18.8284271 * math.sqrt(10 * level)]
    np.testing.assert_allclose(softmax_allowance(lengths, 2, 100, 0.5, 0.05), softmax)


def test_the_thresholds_are_allowance_alpha_and_one():
    def thresholds(**options):
        return RestartingLeader(
            3, PureDP(2.0, "central"), horizon=50, rng=rng_for(0, "unused"), beta=0.1, **options
        ).thresholds

    lengths = np.arange(1.0, 51.0)
    allowed = printed_allowance(lengths, 3, 50, 2.0, 0.1)
    alpha = 16 * (2 * math.log(50) + math.log(20)) / 2.0  # as printed, for 1-sensitive queries
    np.testing.assert_allclose(thresholds(windows="all", printed=True)[1:], allowed + alpha + 1)
    np.testing.assert_allclose(thresholds(windows="all")[1:], allowed + 2 * alpha + 1)
    # No block of at most 50 rounds can exceed its threshold; of the longest, 32, three are paid for.
    alpha = 32 * (math.log(3) + math.log(20)) / 2.0
    np.testing.assert_allclose(thresholds(slack=0.5, windows="dyadic")[1:], 0.5 * allowed + alpha + 1)
    proved = proved_allowance(lengths, 3, 50, 2.0, 0.1)
    np.testing.assert_allclose(thresholds(allowance="proved", windows="dyadic")[1:], proved + alpha + 1)
    softmax = softmax_allowance(lengths, 3, 50, 2.0, 0.1)
    np.testing.assert_allclose(
        thresholds(allowance="proved", selection="gumbel", windows="dyadic")[1:], softmax + alpha + 1
    )
    np.testing.assert_array_equal(thresholds(selection="gumbel"), thresholds())


def test_the_guarantee_says_what_the_printed_noise_costs():
    for printed, stated, sensitivity in ((False, 0.8, 2.0), (True, 2.0, 1.0)):
        leader = RestartingLeader(3, PureDP(0.8, "central"), horizon=50, rng=0, printed=printed)
        assert leader.guarantee == PureDP(stated, "central")
        assert leader._leader.guarantee == leader._above.guarantee == PureDP(0.4, "central")
        assert leader._above.query_scale == pytest.approx(4 * sensitivity / 0.4)


SURE = {"n": 2, "guarantee": NO_NOISE, "horizon": 300, "slack": 0.2}  # noise of no account


@each("windows", ["dyadic", "all"])
@each("printed", [False, True])
def test_a_shift_ends_the_phase_and_the_new_one_knows_nothing_of_the_old(windows, printed):
    gains = np.zeros((300, 2))
    gains[:130, 0] = 1.0  # the block from round 128 on keeps expert 0, whose gains end
    gains[130:, 1] = 1.0
    algorithm = RestartingLeader(**SURE, rng=rng_for(1, "shift", windows), windows=windows, printed=printed)
    ends, actions = [], []
    for one in gains:
        actions.append(int(algorithm.predict()[0]))
        before = algorithm.restarts[0]
        algorithm.update(one)
        if algorithm.restarts[0] > before:
            ends.append(len(actions))
    assert len(ends) == 1
    allowed = algorithm.thresholds
    if windows == "all":  # as soon as the longest stretch of losses exceeds its threshold
        assert ends[0] == 130 + next(w for w in range(1, 300) if w > allowed[w])
    else:  # when a block inside it does
        assert 130 < ends[0] < 255
    # After one round, two in the printed algorithm's count, the new phase follows the new leader.
    assert set(actions[ends[0] + 2 :]) == {1}
    assert set(actions[2 : ends[0]]) == {0}


def test_without_a_shift_it_plays_as_algorithm_1_does():
    gains = rng_for(1, "stationary").random((60, 3))
    algorithm = RestartingLeader(
        3, PureDP(2.0, "central"), horizon=60, rng=rng_for(1, "play"), repetitions=50
    )
    inner = DyadicLeader(3, PureDP(1.0, "central"), rng=rng_for(1, "play"), repetitions=50)
    np.testing.assert_array_equal(play(algorithm, gains), play(inner, gains))
    assert (algorithm.restarts == 0).all()


def past_its_end():
    algorithm = RestartingLeader(2, PureDP(1.0, "central"), horizon=2, rng=0)
    for _ in range(3):
        algorithm.update(np.zeros(2))


@each(
    ("wrong", "message"),
    [
        ({"horizon": 1}, "horizon = 1: write a whole number of at least 2"),
        ({"beta": 1.0}, "beta = 1.0: write a number between 0 and 1"),
        ({"windows": "some"}, "windows = 'some': write 'all' or 'dyadic'"),
        ({"allowance": "none"}, "allowance = 'none': write 'printed' or 'proved'"),
        ({"slack": 0.0}, "slack = 0.0: write a positive number"),
        ({"guarantee": PureDP(1.0, "local")}, r"1-DP \(local\) was asked for; write PureDP"),
        (None, "true horizon"),
    ],
)
def test_what_is_out_of_range_or_past_the_horizon_is_refused(wrong, message):
    given = {"n": 2, "horizon": 10, "guarantee": PureDP(1.0, "central"), "rng": 0}
    with pytest.raises(InputError, match=f"^restarting leader: .*{message}"):
        past_its_end() if wrong is None else RestartingLeader(**given | wrong)


@each("windows", ["dyadic", "all"])
@each("rows", [False, True])
def test_rounds_that_are_passed_at_once_are_played_as_one_by_one(windows, rows):
    def opened():
        given = {"horizon": 900, "rng": rng_for(2, "quiet"), "repetitions": 4, "slack": 0.2}
        return RestartingLeader(2, PureDP(60.0, "central"), windows=windows, **given)

    means = np.where(np.arange(900)[:, None, None] < 300, [0.9, 0.1], [0.1, 0.9])
    gains = (rng_for(5, "quiet").random((900, 4, 2)) < means).astype(float)
    gains, quick, slow = gains if rows else gains[:, 0], opened(), opened()
    actions = np.concatenate([play(quick, gains[:400]), play(quick, gains[400:], resume=True)])
    for played, now in zip(actions, gains, strict=True):
        np.testing.assert_array_equal(played, slow.predict())
        slow.update(now)
    assert quick.restarts.tolist() == slow.restarts.tolist()
    assert quick.restarts.all()


def test_gains_beyond_one_end_phases_too():
    # From round 4 on expert 1 is 44 ahead a round, in the block that expert 0 may lead: 176 in all, with a
    # threshold of 188 and noise of scale 16. Rounds were passed over that no regret of 1 a round could end.
    gains = np.array([[1.0, 0.0], [1.0, 0.0], [1.0, 0.0], *[[0.0, 44.0]] * 4])
    restarts = []
    for parts in (1, len(gains)):
        given = {
            "horizon": 13,
            "rng": rng_for(0, "large gains"),
            "repetitions": 4000,
            "moves_at_most_1": True,
        }
        leader = RestartingLeader(2, PureDP(1.0, "central"), beta=0.99, slack=1e-9, **given)
        for part in np.array_split(gains, parts):
            play(leader, part, resume=True)
        restarts.append(leader.restarts)
    assert 0.38 < restarts[0].mean() < 0.44
    assert restarts[0].tolist() == restarts[1].tolist()
