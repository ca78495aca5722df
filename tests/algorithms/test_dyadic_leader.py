"""The block algorithms: when they select, from which rounds, and with which law."""

import numpy as np
import pytest
from scipy import stats

from private_experts.algorithms import BernoulliResampled, DyadicLeader, RandomizedPrefix, dyadic_leader
from private_experts.errors import InputError
from private_experts.games import play
from private_experts.privacy import GaussianDP, PureDP
from private_experts.privacy.selection import (
    exponential_law,
    exponential_mechanism,
    laplace_report_noisy_max,
    report_noisy_max_law,
)
from private_experts.randomness import rng_for
from tests.each import each

FALSE_ALARM = 1e-6
ONE = PureDP(1.0, "central")


class Watched(DyadicLeader):
    """Records the scores of each selection. The k-th selection, counted from 0, chooses expert k."""

    def select(self, scores):
        self.seen = [*getattr(self, "seen", []), scores.copy()]
        return np.full(len(scores), len(self.seen) - 1)


class WatchedPrefix(Watched, RandomizedPrefix):
    """The same with random prefixes and the parameters of `RandomizedPrefix`."""

    def __init__(self, n, guarantee, *, rng, repetitions=1):
        RandomizedPrefix.__init__(self, n, guarantee, rng=rng, repetitions=repetitions)


@each("epsilon", [0.01, 0.3, 1.0, 5.0, 40.0])
@each("moves_at_most_1", [False, True])
@each("copies", [1, 3])
def test_selections_have_the_noise_of_their_level_to_the_digit(epsilon, moves_at_most_1, copies, monkeypatch):
    drawn, totals = [], []
    for name in ("laplace_report_noisy_max", "exponential_mechanism"):

        def noted(scores, parameter, rng, name=name):
            drawn.append((name, parameter))
            totals.append(scores.copy())
            return np.zeros(len(scores), dtype=np.intp)

        monkeypatch.setattr(dyadic_leader, name, noted)
    given = {"rng": rng_for(0), "repetitions": copies, "moves_at_most_1": moves_at_most_1}
    leaders = {
        ("laplace_report_noisy_max", 2 / epsilon): [DyadicLeader(3, PureDP(epsilon, "central"), **given)],
        ("exponential_mechanism", epsilon / 2): [
            DyadicLeader(3, PureDP(epsilon, "central"), selection="gumbel", **given),
            RandomizedPrefix(3, PureDP(epsilon, "central"), **given),
        ],
    }
    for expected, kinds in leaders.items():
        for leader in kinds:
            drawn.clear()
            totals.clear()
            play(leader, np.full((200, 3), 0.5))
            assert drawn == [expected] * 7  # at the beginning of each later block
            rounds = 2 * np.array(totals)
            least = [leader.shortest_prefix(2**block) for block in range(7)]
            assert (np.reshape(least, (7, 1, 1)) <= rounds).all()
            assert (rounds <= 2.0 ** np.arange(7)[:, None, None]).all()


def test_a_block_is_played_by_one_expert_that_its_predecessor_selects_from_all_its_rounds():
    gains = np.eye(31)  # round t is the t-th unit vector, so scores show which rounds they hold
    algorithm = Watched(31, ONE, rng=rng_for(0), repetitions=2)
    actions = play(algorithm, gains)
    assert actions[:, 0].tolist() == [0, 1, 1, *[2] * 4, *[3] * 8, *[4] * 16]
    np.testing.assert_array_equal(actions[:, 0], actions[:, 1])
    assert len(algorithm.seen) == 6
    for m, scores in enumerate(algorithm.seen[1:]):
        held = np.zeros(31)
        held[2**m - 1 : 2 ** (m + 1) - 1] = 1  # rounds count from 1, places from 0
        np.testing.assert_array_equal(scores, [held, held])
    assert not algorithm.seen[0].any()


def test_a_prefix_ends_uniformly_in_the_second_half_of_the_block_in_each_repetition():
    repetitions = 4000
    algorithm = WatchedPrefix(1, ONE, rng=rng_for(0, "test prefix"), repetitions=repetitions)
    play(algorithm, np.ones((511, 1)))  # the score is the number of rounds that count
    counted = [scores[:, 0].astype(int) for scores in algorithm.seen[1:]]
    assert (counted[0] == 1).all()
    assert (counted[1] == 2).all()
    for m in (2, 3, 4, 5, 8):
        tally = np.bincount(counted[m], minlength=2**m + 1)
        assert not tally[: 2 ** (m - 1) + 1].any()
        assert tally.size == 2**m + 1
        assert stats.chisquare(tally[2 ** (m - 1) + 1 :]).pvalue > FALSE_ALARM / 3
    assert abs(np.corrcoef(counted[3], counted[4])[0, 1]) < 5 / np.sqrt(repetitions)


def test_a_prefix_holds_the_first_rounds_of_the_block():
    algorithm = WatchedPrefix(15, ONE, rng=rng_for(1, "test prefix"), repetitions=50)
    play(algorithm, np.eye(15))
    for m, scores in enumerate(algorithm.seen[1:]):
        count = scores.sum(axis=1).astype(int)
        places = np.arange(15)
        np.testing.assert_array_equal(scores, (places >= 2**m - 1) & (places < 2**m - 1 + count[:, None]))


@each("selection", ["laplace", "gumbel"])
def test_a_selection_has_the_noise_of_its_law_to_the_digit(selection):
    law, draw, parameter = {
        "laplace": (report_noisy_max_law, laplace_report_noisy_max, 2.5),
        "gumbel": (exponential_law, exponential_mechanism, 0.4),
    }[selection]
    rng, draws = (rng_for(2, "selected") for _ in range(2))
    leader = DyadicLeader(40, PureDP(0.8, "central"), rng=rng, repetitions=2000, selection=selection)
    gains, few = rng_for(1, "scores").random((7, 2000, 40)), np.array([2.0, 0.0, 0.5])
    np.testing.assert_allclose(leader.law(few), law(few, parameter), rtol=0, atol=1e-14)
    blocks = np.zeros((2000, 40)), gains[0], gains[1] + gains[2]
    expected = [draw(scores, parameter, draws) for scores in blocks]
    np.testing.assert_array_equal(play(leader, gains)[[0, 1, 3]], expected)


def test_a_restart_is_a_fresh_copy_in_the_repetitions_named_and_nothing_in_the_others():
    gains = np.eye(15)
    algorithm, whole = (Watched(15, ONE, rng=rng_for(0), repetitions=3) for _ in range(2))
    play(whole, gains)
    play(algorithm, gains[:5])
    before = algorithm.predict()
    algorithm.restart(np.array([False, True, False]))
    assert algorithm.predict()[[0, 2]].tolist() == before[[0, 2]].tolist()
    play(algorithm, gains[5:], resume=True)
    np.testing.assert_array_equal(algorithm.seen[-1], whole.seen[-1][[0, 2]])  # rounds 8 to 15
    held = [np.flatnonzero(scores[0]).tolist() for scores in algorithm.seen if len(scores) == 1]
    assert held == [[], [5], [6, 7], [8, 9, 10, 11]]  # the restarted one's blocks begin with the sixth round


def test_what_is_no_level_no_selection_and_no_gain_is_refused():
    for epsilon in (0.0, -1.0, float("inf"), float("nan")):
        with pytest.raises(InputError, match="positive number"):
            DyadicLeader(2, PureDP(epsilon, "central"), rng=0)
    for wrong in (0.5, PureDP(0.5, "local"), GaussianDP(0.5, "central")):
        with pytest.raises(InputError, match=r"write PureDP\(..., 'central'\)"):
            DyadicLeader(2, wrong, rng=0)
    with pytest.raises(InputError, match=r"selection = .*: write 'laplace' or 'gumbel'"):
        DyadicLeader(2, ONE, rng=0, selection="gauss")
    DyadicLeader(2, ONE, rng=0, moves_at_most_1=True).update([0.0, 30.0])
    with pytest.raises(InputError, match="write numbers from 0 to 1"):
        DyadicLeader(2, ONE, rng=0).update([0.0, 30.0])


@each("copies", [1, 50])
def test_resampled_gains_are_coin_flips_of_each_copy_and_expert_to_the_digit(copies):
    flips_of_rounds = []

    class Listener(Watched):
        def update(self, gains):
            flips_of_rounds.append(gains.copy())
            super().update(gains)

    inner = Listener(4, ONE, rng=rng_for(0), repetitions=copies)
    flipping, draws = (rng_for(0, "test flips") for _ in range(2))
    algorithm = BernoulliResampled(4, inner, rng=flipping, repetitions=copies)
    gains = rng_for(0, "gains of flips").random((200, copies, 4))
    gains[::3], gains[:, :, 0] = gains[::3, :1], 0.0  # of all copies, or of each
    gains[..., 1] = 1.0
    told = [rows[0] if t % 3 == 0 else rows for t, rows in enumerate(gains)]
    assert play(algorithm, told).shape == (200, copies)
    for flips, rows in zip(flips_of_rounds, gains, strict=True):
        np.testing.assert_array_equal(flips, draws.random((copies, 4)) < rows)


@each("kind", [DyadicLeader, RandomizedPrefix])
@each("rows", [False, True])
def test_blocks_that_are_played_at_once_are_played_as_one_by_one(kind, rows):
    def opened():
        return kind(3, ONE, rng=rng_for(2, "blocks"), repetitions=4)

    gains, quick, slow = rng_for(5, "blocks").random((1100, 4, 3) if rows else (1100, 3)), opened(), opened()
    apart = np.array([True, False, True, False])
    for part in gains[:50], gains[50:90], gains[90:]:
        for played, now in zip(play(quick, part, resume=True), part, strict=True):
            np.testing.assert_array_equal(played, slow.predict())
            slow.update(now)
        np.testing.assert_array_equal(quick._scores, slow._scores)
        for leader in quick, slow:  # so that blocks end apart
            leader.restart(apart)


def test_after_a_restart_the_first_expert_is_uniform_again():
    leader = DyadicLeader(3, ONE, rng=rng_for(0, "again"), repetitions=6000)
    play(leader, np.tile([1.0, 0.0, 0.0], (40, 1)))
    leader.restart(np.ones(6000, dtype=np.bool_))
    assert stats.chisquare(np.bincount(leader.predict(), minlength=3)).pvalue > FALSE_ALARM
