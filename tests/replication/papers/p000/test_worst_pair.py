"""The worst two learners: what a grid's program finds is between the bounds, and the algorithm plays it."""

import itertools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import ndtr

from private_experts.algorithms.fresh_meta import FreshMeta
from private_experts.algorithms.fresh_scales import scales_for_any_horizon, scales_for_horizon
from private_experts.arrays import Array
from private_experts.games.play import private_reports
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.reports import Reports
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import lower, precision, upper
from private_experts.replication.papers.p000 import worst_pair as worst
from private_experts.replication.papers.p000.shortfall import play_totals
from tests.each import each

CHECKED = worst
# What the first learner gains more than the second, and whether they name different experts.
CHOICES: tuple[tuple[float, bool], ...] = ((1.0, True), (-1.0, True), (0.0, False))
SMALLER = (*CHOICES, *((d, True) for d in (-0.5, -0.25, 0.0, 0.25, 0.5)))


def proved(scales: Sequence[float], eta: float, per_unit: int) -> tuple[float, float]:
    """Return the two ends of the ball."""
    with precision():
        found = worst.worst_pair(list(scales), eta, per_unit)
        return lower(found), upper(found)


def backwards(
    laws: Callable[[Array], Sequence[tuple[Array, Array | float]]], eta: float, per_unit: int, choices: Any
) -> tuple[float, NDArray[np.int8]]:
    """Return the value at 0, and the best choice in each round at each D, for noise on the grid alone.

    For each round and D: how likely the second is followed, and what they pay who name different experts.
    """
    rounds = len(laws(np.zeros(1)))
    reach = (math.ceil(6 * eta * math.sqrt(2 * rounds)) + rounds) * per_unit
    difference = np.arange(-reach, reach + 1) / per_unit
    deviation = math.sqrt(2) * eta * per_unit
    half = math.ceil(7 * deviation)
    kernel = np.exp(-0.5 * (np.arange(-half, half + 1) / deviation) ** 2) if eta else np.ones(1)
    value, play = np.zeros(difference.size), np.zeros((rounds, difference.size), dtype=np.int8)
    for t, (second, cost) in reversed([*enumerate(laws(difference))]):
        blurred = np.convolve(np.pad(value, half, mode="edge"), kernel / kernel.sum(), mode="valid")
        options = np.empty((len(choices), difference.size))
        for row, (gain, apart) in zip(options, choices, strict=True):
            ahead = np.clip(np.arange(difference.size) + round(gain * per_unit), 0, difference.size - 1)
            row[:] = gain * second + (blurred[ahead] - cost if apart else value[ahead])
        play[t], value = options.argmax(axis=0), options.max(axis=0)
    return float(value[reach]), play


def program(
    scales: Array, eta: float, per_unit: int, choices: Any = CHOICES
) -> tuple[float, NDArray[np.int8]]:
    def laws(difference: Array) -> list[tuple[Array, float]]:
        return [(ndtr(-difference / (math.sqrt(2) * scale)), 0.0) for scale in scales]

    return backwards(laws, eta, per_unit, choices)


class Played:
    """The two learners of `program` on the gains (1, 0), for its own choices."""

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
    value, play = program(scales, 1.0, 8)
    low, high = proved(scales.tolist(), 1.0, 8)
    assert low < value < high
    rng, gains = rng_for(0, "worst pair"), np.tile([1.0, 0.0], (60, 1))
    played = play_totals(
        Played(play, 8, repetitions),
        lambda learners: FreshMeta([learners], GaussianDP(1.0, "local"), scale=scales, rng=rng),
        gains,
        private_reports(gains, GaussianDP(1.0, "local"), noise, SimulatedNoise(rng), repetitions),
    )
    fair = played.learners[0] - played.own + (played.noise[0] - played.noise[1]) / 2
    error = fair.std(ddof=1) / math.sqrt(repetitions)
    assert low - 4.9 * error < fair.mean() < high + 4.9 * error  # a false alarm has probability 1e-6
    assert error < 0.02 * value


def test_without_noise_it_is_the_best_of_all_sequences_and_smaller_differences_add_little() -> None:
    scales, best = np.array([1.5, 1.2, 1.0, 0.8]), -np.inf
    for gains in itertools.product((-1, 0, 1), repeat=4):
        before = np.concatenate([[0], np.cumsum(gains)[:-1]])
        best = max(best, float((gains * ndtr(-before / (math.sqrt(2) * scales))).sum()))
    low, high = proved(scales.tolist(), 0.0, 16)
    assert low == pytest.approx(best, abs=1e-9)
    assert best <= high < best + 1e-3


@each("choice", ["horizon", "any-horizon"])
@each("eta", [0.25, 0.5, 2.0])
def test_it_is_that_of_a_finer_grid_also_with_smaller_differences(eta: float, choice: str) -> None:
    noise = [eta] * 20
    scales = scales_for_horizon(noise) if choice == "horizon" else np.array([*scales_for_any_horizon(noise)])
    low, high = proved(scales.tolist(), eta, 8)
    value, more = (program(scales, eta, 16, choices)[0] for choices in (CHOICES, SMALLER))
    assert low < value <= more < high < 1.01 * low


def test_lines_above_allow_to_name_the_same_expert_and_beyond_the_grid_all_that_is_left() -> None:
    nothing = np.zeros(5)
    found = worst.above_next(np.array([0, 0, 3.0, 0, 0]), np.zeros(3), nothing, 1, 0)
    np.testing.assert_array_equal(found, [0, 3, 0])
    np.testing.assert_array_equal(worst.above_next(nothing, np.zeros(3), nothing, 1, 7), [7, 0, 7])
