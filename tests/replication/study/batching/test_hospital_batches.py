"""RW-AdaBatch on the hospitals."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

from private_experts.replication.study.batching import hospital_batches as hospital
from private_experts.replication.study.hospital_game import Game
from private_experts.replication.study.players import rw_ftpl


@pytest.fixture(scope="module")
def game():
    gains = np.tile([0.9, 0.1, 0.1], (60, 1))
    return Game("NM", gains, np.full(60, 0.05), (np.inf, 1.0, 0.5), 8, 11)


@pytest.fixture(scope="module")
def played(game):
    return hospital.weeks(game, 0.01)


def test_hospital_batches_are_told_by_week_for_every_finite_level(played):
    weeks, totals = played
    assert set(weeks["mu"]) == {1.0, 0.5}
    assert len(weeks) == 2 * 2 * 60
    assert len(totals) == 2 * 2 * 8
    guarded = weeks[weeks["rho"] == 1]
    unguarded = weeks[weeks["rho"] == 0]
    assert (guarded["size"].to_numpy() <= unguarded["size"].to_numpy().max()).all()
    assert unguarded["size"].mean() > guarded["size"].mean()
    assert (weeks["inverse"] <= weeks["inverse_root"] + 1e-12).all()
    assert (weeks["single"] <= weeks["inverse"] + 1e-12).all()


def test_rw_ftpl_on_the_hospitals_is_the_study_s_own(game, played):
    _, totals = played
    for one in rw_ftpl.play(game):
        if np.isfinite(one.mu):
            part = totals[(totals["mu"] == one.mu) & (totals["rho"] == 1)]
            assert_allclose(part["rw_ftpl"], one.earned.sum(axis=0))


def test_hospital_summary(played):
    table = hospital.summary(*played, 0.95)
    assert len(table) == 4
    assert_allclose(table["difference"], table["total"] - table["rw_ftpl"], atol=1e-9)
    assert (table["rms"] <= 1).all()
    assert (table["largest_week"] >= table["size"]).all()


def test_without_noise_there_is_nothing_to_amplify():
    silent = Game("NM", np.full((5, 2), 0.5), np.full(5, 0.1), (np.inf,), 3, 1)
    weeks, totals = hospital.weeks(silent, 0.01)
    assert len(weeks) == len(totals) == 0
    assert len(hospital.summary(weeks, totals, 0.95)) == 0
