"""What batching costs: switches, regret, and the hospitals."""

import numpy as np
import pandas as pd
import pytest
from numpy.testing import assert_allclose

from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.games.play import play, private_reports
from private_experts.games.regret import earned
from private_experts.games.streams import STREAMS
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.study.batching import hospital_batches as hospital
from private_experts.replication.study.batching import simulations
from private_experts.replication.study.hospital_game import Game
from private_experts.replication.study.players import rw_ftpl
from tests.each import each
from tests.noisy import UNIT


def test_switches_are_counted_up_to_each_horizon():
    counts = simulations.switch_counts(3, [2, 10, 40], 30, 0.01, 1)
    assert len(counts) == 2 * 3 * 30
    wide = counts.set_index(["algorithm", "repetition", "horizon"])["switches"].unstack("horizon")
    assert (wide[2] <= 1).all()
    assert (wide.diff(axis=1).iloc[:, 1:] >= 0).all(axis=None)
    assert (wide[40] <= 39).all()
    assert wide[40].mean() > wide[10].mean() > 0
    alone = simulations.switch_counts(3, [40], 30, 0.01, 1)
    assert alone["switches"].tolist() == counts[counts["horizon"] == 40]["switches"].tolist()


@each("n", [2, 5])
def test_the_law_of_switches_is_met(n, monkeypatch):
    # The law is RW-FTPL's alone, and the other algorithm takes five times as long.
    monkeypatch.setattr(simulations, "RWAdaBatch", lambda *given, alpha, horizon, **more: RWFTPL(*given, **more))
    counts = simulations.switch_counts(n, [1000], 300, 0.01, 2)
    row = simulations.mean_switches(counts, 0.9999).set_index("algorithm").loc["rw-ftpl"]
    assert row["low"] <= row["law"] * 1.02
    assert row["law"] * 0.95 <= row["high"]
    assert row["high"] - row["low"] < 0.5 * row["law"]


def test_the_law_of_two_experts_is_known():
    assert simulations.switch_law(2, 400) == pytest.approx(2 * 20 / np.pi)  # f_2(0) = 1 / sqrt(pi)


def test_regret_is_of_both_algorithms_on_the_same_reports():
    table = simulations.regrets(3, [30], 12, 0.01, 3)
    assert set(table["stream"]) == set(STREAMS)
    gains = STREAMS["easy"](30, 3)
    noise = SimulatedNoise(rng_for(3, "batched plays", 3, 30, "easy"))
    follower = RWFTPL(3, GaussianDP(1.0, "local"), noise_scale=simulations.ETA, noise=noise, repetitions=12)
    actions = play(follower, private_reports(gains, UNIT, simulations.ETA, noise, 12))
    expected = gains.sum(axis=0).max() - earned(gains, actions).sum(axis=0)
    found = table[(table["stream"] == "easy") & (table["algorithm"] == "rw-ftpl")]
    assert_allclose(found["regret"], expected)


def test_bounds_are_those_of_the_paper():
    assert simulations.regret_bound(5, 100) == pytest.approx(4 * (100 * np.log(5)) ** 0.5)
    assert simulations.regret_bound(5, 100, 0.1) == pytest.approx(1.05 * simulations.regret_bound(5, 100))
    assert simulations.extra_bound(5, 100, 0.1) == pytest.approx(0.2 * (100 * np.log(5)) ** 0.5)


def test_regret_stays_below_its_bounds_and_changed_runs_are_told():
    rows = []
    for repetition, (plain, batched, changed) in enumerate([(1.0, 1.0, 0), (2.0, 4.0, 3), (0.0, 0.0, 0)]):
        where = {"n": 2, "stream": "easy", "horizon": 50, "repetition": repetition, "changed": changed}
        rows += [
            {**where, "algorithm": "rw-ftpl", "regret": plain},
            {**where, "algorithm": "rw-adabatch", "regret": batched},
        ]
    table = simulations.mean_regrets(pd.DataFrame(rows), 0.01, 0.95).set_index("algorithm")
    assert table.loc["extra", "regret"] == pytest.approx(2 / 3)
    assert table.loc["extra", "changed"] == pytest.approx(1 / 3)
    assert table.loc["extra", "changed_low"] < 1 / 3 < table.loc["extra", "changed_high"]
    assert table.loc["rw-adabatch", "bound"] == pytest.approx(simulations.regret_bound(2, 50, 0.01))
    assert table.loc["rw-ftpl", "bound"] == pytest.approx(simulations.regret_bound(2, 50))
    real = simulations.mean_regrets(simulations.regrets(4, [40, 80], 30, 0.01, 4), 0.01, 0.95)
    assert (real["regret"] <= real["bound"]).all()
    assert real[real["algorithm"] == "extra"]["low"].isna().all()


def test_a_large_tolerance_changes_runs():
    table = simulations.regrets(4, [150], 30, 2.0, 5)
    assert table[table["algorithm"] == "rw-adabatch"]["changed"].sum() > 0


@pytest.fixture(scope="module")
def game():
    gains = np.tile([0.9, 0.1, 0.1], (60, 1))
    return Game("NM", gains, np.full(60, 0.05), (np.inf, 1.0, 0.5), 8, 11)


def test_hospital_batches_are_told_by_week_for_every_finite_level(game):
    weeks, totals = hospital.weeks(game, 0.01)
    assert set(weeks["mu"]) == {1.0, 0.5}
    assert len(weeks) == 2 * 2 * 60
    assert len(totals) == 2 * 2 * 8
    guarded = weeks[weeks["rho"] == 1]
    unguarded = weeks[weeks["rho"] == 0]
    assert (guarded["size"].to_numpy() <= unguarded["size"].to_numpy().max()).all()
    assert unguarded["size"].mean() > guarded["size"].mean()
    assert (weeks["inverse"] <= weeks["inverse_root"] + 1e-12).all()
    assert (weeks["single"] <= weeks["inverse"] + 1e-12).all()


def test_rw_ftpl_on_the_hospitals_is_the_study_s_own(game):
    _, totals = hospital.weeks(game, 0.01)
    for one in rw_ftpl.play(game):
        if np.isfinite(one.mu):
            part = totals[(totals["mu"] == one.mu) & (totals["rho"] == 1)]
            assert_allclose(part["rw_ftpl"], one.earned.sum(axis=0))


def test_hospital_summary(game):
    weeks, totals = hospital.weeks(game, 0.01)
    table = hospital.summary(weeks, totals, 0.95)
    assert len(table) == 4
    assert_allclose(table["difference"], table["total"] - table["rw_ftpl"], atol=1e-9)
    assert (table["rms"] <= 1).all()
    assert (table["largest_week"] >= table["size"]).all()


def test_without_noise_there_is_nothing_to_amplify():
    silent = Game("NM", np.full((5, 2), 0.5), np.full(5, 0.1), (np.inf,), 3, 1)
    weeks, totals = hospital.weeks(silent, 0.01)
    assert len(weeks) == len(totals) == 0
    assert len(hospital.summary(weeks, totals, 0.95)) == 0
