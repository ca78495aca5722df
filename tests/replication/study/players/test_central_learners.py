"""The same learners and the same choice, with a curator and without."""

import math

import numpy as np
import pytest

from private_experts.privacy.factorization import noise_deviation
from private_experts.replication.study.players import central_learners, rw_ftpl
from tests.replication.study.plays import a_game, a_panel, plays

SETTINGS = [(2, 0.01), (2, 100.0), (4, 0.01), (4, 100.0)]


@pytest.fixture
def curators(monkeypatch):
    """Record what each curator was given, and every report that it made."""
    made = []

    class Spy(central_learners.CorrelatedReports):
        def __init__(self, n, guarantee, *, strategy, sensitivity, **rest):
            super().__init__(n, guarantee, strategy=strategy, sensitivity=sensitivity, **rest)
            self.given, self.reports = (strategy, sensitivity, guarantee.mu), []
            made.append(self)

        def report(self, vector):
            report = super().report(vector)
            self.reports.append(report.values.copy())
            return report

    monkeypatch.setattr(central_learners, "CorrelatedReports", Spy)
    return made


def test_both_play_at_every_level_and_agree_without_privacy():
    game = a_game(panel=a_panel(weeks=24))
    played = plays("central-learners", game)
    assert (
        {name for name, _ in played} == {"central-learners", "local-learners"} == set(central_learners.SHOWN)
    )
    central, local = (played[name, math.inf].earned for name in central_learners.SHOWN)
    np.testing.assert_array_equal(central, local)
    rw_meta = plays("rw-meta-variants", game)["rw-meta-no-floor", math.inf]
    np.testing.assert_array_equal(local, rw_meta.earned)  # without noise RW-Meta follows the credits as well
    assert (played["central-learners", 0.25].earned != played["local-learners", 0.25].earned).any()


def test_the_local_one_hears_the_very_reports_that_rw_ftpl_hears(noises, monkeypatch):
    rw_ftpl.play(a_game(levels=(0.5,)))
    plays("central-learners", a_game(levels=(0.5,)))
    alone, local = noises
    for (*_, one), (*_, other) in zip(alone, local, strict=True):
        np.testing.assert_array_equal(one, other)


def test_the_curator_is_scaled_to_each_week_and_its_noise_is_best_for_the_forecasts(curators):
    game = a_game()
    plays("central-learners", game)
    assert [curator.given[2] for curator in curators] == list(game.levels)
    workload = central_learners.workload("trend", SETTINGS, len(game.gains))
    strategy, sensitivity, _ = curators[0].given
    np.testing.assert_array_equal(sensitivity, game.sensitivity)
    assert central_learners.curator_of(game, 0.5, strategy)[1].scale == game.sensitivity[0] / 0.5
    least = (noise_deviation(workload, strategy, sensitivity) ** 2).sum()
    rng = np.random.default_rng(0)
    for _ in range(20):
        other = strategy + np.tril(0.05 * rng.standard_normal(strategy.shape))
        other /= np.sqrt((other**2).sum(axis=0))
        assert (noise_deviation(workload, other, sensitivity) ** 2).sum() > least


def test_it_follows_the_learner_that_the_curators_reports_credit_with_most(curators, monkeypatch):
    first = []

    class Follower(central_learners.TotalsLeader):
        def __init__(self, *given):
            super().__init__(*given)
            first.append(self.total.copy())

    advice = []  # of the curator's learners, then of the local ones

    class Spy(central_learners.Recorded):
        def __init__(self, actions):
            advice.append(actions)
            super().__init__(actions)

    monkeypatch.setattr(central_learners, "Recorded", Spy)
    monkeypatch.setattr(central_learners, "TotalsLeader", Follower)
    game = a_game(levels=(0.5,))
    play = plays("central-learners", game)["central-learners", 0.5]
    # (T, repetitions, n), (T, learners, repetitions)
    reports, actions = np.array(curators[0].reports), advice[0]
    assert actions.shape == (len(game.gains), len(SETTINGS) + 1, game.repetitions)
    totals = np.cumsum(np.concatenate([first, reports[:-1]]), axis=0)
    np.testing.assert_array_equal(actions[:, -1], totals.argmax(axis=-1))
    chosen = np.zeros((len(reports), game.repetitions), dtype=int)
    # the shortest window is 2: the mean of this week and the next, if it is over
    for week in range(1, len(reports)):
        means = [reports[since : min(since + 2, week)].mean(axis=0) for since in range(week)]
        credits = np.take_along_axis(np.array(means), actions[:week].swapaxes(1, 2), axis=-1).sum(axis=0)
        chosen[week] = credits.argmax(axis=-1)
    played = np.take_along_axis(actions, chosen[:, None], axis=1)[:, 0]
    np.testing.assert_array_equal(play.earned, np.take_along_axis(game.gains, played, axis=1))


def test_the_workload_has_a_row_for_every_forecast_and_for_the_mean_of_all_reports():
    rows = central_learners.workload("gaussian-process", SETTINGS, 6)
    assert rows.shape == (5 * 6, 6)
    np.testing.assert_allclose(rows.sum(axis=1), 1, atol=1e-12)
    np.testing.assert_allclose(rows[-1], 1 / 6)
    np.testing.assert_array_equal(np.triu(rows.reshape(5, 6, 6), 1), 0)  # no forecast uses later reports
