"""RW-FTPL on a panel: its noise, and that it leads the sum of what it hears."""

import math

import numpy as np
import pytest

from private_experts.replication.study.players import rw_ftpl
from tests.replication.study.plays import a_game, a_panel, plays, same


@pytest.mark.parametrize("adjacency", ["move", "removal"])
@pytest.mark.parametrize("mu", [1.0, 0.25])
def test_noise_has_scale_sensitivity_over_mu_each_week_and_z_0_comes_first(noises, mu, adjacency):
    game = a_game(levels=(mu,), adjacency=adjacency)
    rw_ftpl.play(game)
    [calls] = noises
    assert len(calls) == 1 + len(game.gains)
    values, scale, repetitions, _ = calls[0]  # z_0 is drawn like the first report's noise
    assert not values.any()
    assert values.shape == (4,)
    assert (scale, repetitions) == (game.sensitivity[0] / mu, 6)
    for week, (values, scale, repetitions, report) in enumerate(calls[1:]):
        np.testing.assert_array_equal(values, game.gains[week])
        assert (scale, repetitions) == (pytest.approx(game.sensitivity[week] / mu, rel=1e-15), 6)
        assert report.shape == (6, 4)


def test_it_leads_the_sum_of_z_0_and_the_reports(noises):
    game = a_game(levels=(0.5,))
    [play] = rw_ftpl.play(game)
    totals = np.cumsum([report for *_, report in noises[0]], axis=0)[:-1]
    leaders = totals.argmax(axis=-1)
    expected = [gains[of_week] for gains, of_week in zip(game.gains, leaders, strict=True)]
    np.testing.assert_array_equal(play.earned, expected)


def test_the_same_seed_state_and_level_give_the_same_noise_in_other_scenarios(noises):
    rw_ftpl.play(a_game(levels=(0.5,)))
    rw_ftpl.play(a_game(levels=(0.5,), adjacency="removal"))
    rw_ftpl.play(a_game(levels=(0.5,), panel=a_panel(seed=2)))  # such as another suppressed value
    standard = [
        np.array([(report - values) / scale for values, scale, _, report in calls]) for calls in noises
    ]
    np.testing.assert_allclose(standard[1], standard[0], atol=1e-12)
    np.testing.assert_allclose(standard[2], standard[0], atol=1e-12)


def test_without_privacy_it_is_follow_the_leader_in_every_repetition():
    game = a_game(levels=(math.inf,))
    leader = plays("yardsticks", game)["follow-the-leader", math.inf]
    follower = plays("rw-ftpl", game)["rw-ftpl", math.inf]
    assert same(follower, leader)
    assert (follower.earned == follower.earned[:, :1]).all()


def test_noise_has_that_scale_in_a_long_game():
    game = a_game(panel=a_panel(weeks=300))
    _, reports = rw_ftpl.follower(game, 0.5)
    assert [report.scale for report in reports] == (game.sensitivity / 0.5).tolist()
