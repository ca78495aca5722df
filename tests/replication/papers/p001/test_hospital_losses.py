"""The race on densities: cells sum to truncated laws, a played leader has its law, losses decide."""

from typing import Any

import numpy as np
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.papers.p001 import hospital_losses, rivals
from private_experts.replication.study.data.panel import Panel
from tests.replication.papers.small_checks import SEED

GRID = {
    "loss": ["distance", "square"],
    "epsilon": 1.0,
    "delta": 1e-6,
    "factors": [0.25, 1.0, 4.0],
    "played": ["tree", "banded"],
}
REPORTS = rng_for(SEED, "densities").beta(1, 6, 1500) - hospital_losses.HALF


def points(reports: Any) -> Any:
    panel = Panel(("1", "2", "3"), tuple(map(str, range(500))), reports.reshape(3, 500) + 0.5, np.ones(3))
    return hospital_losses.rivals_on_hospitals(GRID, 8, SEED, {"XX": panel})


def test_gibbs_measures_of_squares_are_truncated_normal_laws() -> None:
    beta, lam = 0.05, 800.0
    guess = hospital_losses.GUESSES["square"]
    values = guess.loss(hospital_losses.MIDDLES - REPORTS[:, None])
    seen = np.arange(REPORTS.size)
    mean, deviation = (np.cumsum(REPORTS) - REPORTS) / (seen + lam), 1 / np.sqrt(beta * (seen + lam))
    drawn = rng_for(SEED, "truncated").standard_normal((4000, REPORTS.size)) * deviation + mean
    inside = np.abs(drawn) <= hospital_losses.HALF
    losses = np.where(inside, guess.loss(drawn - REPORTS), 0).sum(axis=0) / inside.sum(axis=0)
    totals = hospital_losses.totals_before(values)
    assert hospital_losses.gibbs_regret(values, totals, beta, lam) == pytest.approx(losses.sum(), rel=0.002)


def test_a_leader_whose_losses_are_nearly_linear_has_the_mean_of_the_law() -> None:
    """A density beyond the end of the interval makes the distance linear."""
    reports, level = np.full(64, hospital_losses.HALF + 1e-9), 2.0
    guess, rng = hospital_losses.GUESSES["distance"], rng_for(SEED, "linear")
    [lost] = hospital_losses.leader_losses("tree", [guess], reports, level, 4000, rng)
    law = rivals.leader_regret("tree", -np.ones(64), 1, level)
    assert abs(lost.mean() - law) < 5 * lost.std() / np.sqrt(lost.size)  # a false alarm once in 10^6


def test_the_leader_loses_least_and_a_point_that_never_moves_is_caught() -> None:
    found = points(REPORTS)
    assert len(found) == 4
    assert all(point.high < point.bound and point.lazy_fails for point in found)


def test_a_leader_with_the_noise_of_local_reports_is_caught(put: Any) -> None:
    def loud(which: str, horizon: int, dimension: int, level: float, repetitions: int, rng: Any) -> Any:
        return sums(which, horizon, dimension, level / np.sqrt(horizon), repetitions, rng)

    sums = hospital_losses.noisy_sums
    put(hospital_losses, "noisy_sums", loud)
    assert any(point.low > point.bound for point in points(REPORTS))
