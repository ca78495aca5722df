"""The worst two learners: found by dynamic programming, and played by the algorithm itself."""

import itertools
import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr

from private_experts.algorithms.fresh_meta import FreshMeta
from private_experts.algorithms.fresh_scales import scales_for_horizon
from private_experts.games.play import private_reports
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.reports import Reports
from private_experts.randomness import rng_for
from private_experts.replication.claims.checks.paper_000.shortfall import totals
from private_experts.replication.claims.checks.paper_000.worst_pair import CHOICES, blur, worst_pair


class Played:
    """The two learners of `worst_pair` on the gains (1, 0), for its own choices."""

    actions = np.array([[0, 1, 0], [1, 0, 0]])

    def __init__(self, play: NDArray[np.int8], per_unit: int, repetitions: int) -> None:
        self.play, self.per_unit, self.t = play, per_unit, 0
        self.difference = np.zeros(repetitions)
        self.named = np.zeros((2, repetitions), dtype=np.intp)

    def predict(self) -> NDArray[np.intp]:
        size = self.play.shape[1]
        place = np.clip(np.rint(self.difference * self.per_unit).astype(int) + size // 2, 0, size - 1)
        self.named = self.actions[:, self.play[self.t, place]]
        return self.named

    def update(self, report: Reports) -> None:
        first, second = (report.values[np.arange(len(report.values)), named] for named in self.named)
        self.difference += first - second
        self.t += 1


def test_the_algorithm_loses_to_the_worst_pair_what_was_computed() -> None:
    noise, repetitions = [1.0] * 60, 20_000
    scales = scales_for_horizon(noise)
    value, play = worst_pair(scales, noise, 8)
    rng, gains = rng_for(0, "worst pair"), np.tile([1.0, 0.0], (60, 1))
    played = totals(
        Played(play, 8, repetitions),
        lambda learners: FreshMeta([learners], GaussianDP(1.0, "local"), scale=scales, rng=rng),
        gains,
        private_reports(gains, GaussianDP(1.0, "local"), noise, SimulatedNoise(rng), repetitions),
    )
    fair = played.learners[0] - played.own + (played.noise[0] - played.noise[1]) / 2
    error = fair.std(ddof=1) / math.sqrt(repetitions)
    assert abs(fair.mean() - value) < 4.9 * error + 1e-3  # a false alarm has probability 1e-6
    assert error < 0.02 * value


def test_without_noise_it_is_the_best_of_all_sequences() -> None:
    scales, best = np.array([1.5, 1.2, 1.0, 0.8]), -np.inf
    for gains in itertools.product((-1, 0, 1), repeat=4):
        before = np.concatenate([[0], np.cumsum(gains)[:-1]])
        best = max(best, float((gains * ndtr(-before / (math.sqrt(2) * scales))).sum()))
    assert worst_pair(scales, np.zeros(4), 4)[0] == pytest.approx(best, abs=1e-12)


def test_two_rounds_with_noise_are_an_integral() -> None:
    scales, eta = np.array([1.0, 0.7]), 0.9
    x = np.linspace(-12, 12, 200_001)
    density = np.exp(-(x**2) / (4 * eta**2)) / math.sqrt(4 * math.pi * eta**2)
    last = ndtr(-(1 + x) / (math.sqrt(2) * 0.7))  # to gain 1 more is always the best in the last round
    expected = 0.5 + float(np.trapezoid(density * last, x))
    assert worst_pair(scales, [eta, eta], 16)[0] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("eta", [0.5, 2.0])
def test_smaller_differences_do_not_help(eta: float) -> None:
    noise = [eta] * 40
    scales = scales_for_horizon(noise)
    finer = (*CHOICES, *((d, True) for d in (-0.5, -0.25, 0.0, 0.25, 0.5)))
    assert worst_pair(scales, noise, 8, finer)[0] == pytest.approx(worst_pair(scales, noise, 8)[0], abs=1e-9)


def test_blurring_keeps_lines_and_adds_the_variance_to_squares() -> None:
    x = np.arange(-200, 201) / 4
    middle = slice(150, 251)
    np.testing.assert_allclose(blur(x, 4.0)[middle], x[middle], atol=1e-9)
    np.testing.assert_allclose(blur(x**2, 4.0)[middle], x[middle] ** 2 + 1.0, rtol=1e-9)
    np.testing.assert_array_equal(blur(x, 0.0), x)
