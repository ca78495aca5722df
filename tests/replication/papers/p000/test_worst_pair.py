"""The worst two learners: what a grid's program finds is between the bounds, and the algorithm plays it."""

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import replace
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
from private_experts.replication.balls.balls import ball, lower, precision, sqrt, upper
from private_experts.replication.balls.normal_tables import cdf
from private_experts.replication.papers.p000 import worst_pair as worst
from private_experts.replication.papers.p000.lines import blur
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


def test_two_rounds_with_noise_are_an_integral() -> None:
    scales, eta = [1.0, 0.7], 0.9
    x = np.linspace(-12, 12, 200_001)
    density = np.exp(-(x**2) / (4 * eta**2)) / math.sqrt(4 * math.pi * eta**2)
    last = ndtr(-(1 + x) / (math.sqrt(2) * 0.7))  # to gain 1 more is always the best in the last round
    expected = 0.5 + float(np.trapezoid(density * last, x))
    low, high = proved(scales, eta, 64)
    assert expected - 1e-4 < low <= expected <= high < expected + 1e-4


@each("choice", ["horizon", "any-horizon"])
@each("eta", [0.25, 0.5, 2.0])
def test_it_is_that_of_a_finer_grid_also_with_smaller_differences(eta: float, choice: str) -> None:
    noise = [eta] * 20
    scales = scales_for_horizon(noise) if choice == "horizon" else np.array([*scales_for_any_horizon(noise)])
    low, high = proved(scales.tolist(), eta, 8)
    value, more = (program(scales, eta, 16, choices)[0] for choices in (CHOICES, SMALLER))
    assert low < value <= more < high < 1.01 * low


def test_where_bends_of_noise_are_left_out_the_pair_is_promised_too_much(put: Any) -> None:
    scales = [*scales_for_any_horizon([0.25] * 20)]
    value = program(np.array(scales), 0.25, 32)[0]
    assert proved(scales, 0.25, 1)[0] < value
    put(blur=lambda deviation: replace(blur(deviation), bends=0 * blur(deviation).bends))
    assert proved(scales, 0.25, 1)[0] > value


def test_where_the_bend_of_the_tail_is_left_out_smaller_differences_are_missed(put: Any) -> None:
    scales = np.full(12, 0.7)
    more = program(scales, 0.0, 8, SMALLER)[0]
    assert proved(scales.tolist(), 0.0, 1)[1] > more
    put(_BEND=0.0)
    assert proved(scales.tolist(), 0.0, 1)[1] < more


def test_lines_below_follow_one_choice_between_two_points() -> None:
    """Where the best choice changes, a line through the best of both points would lie above both choices."""
    following, second = np.array([0.0, 0.0, 3.0, 0.0, 0.0]), np.zeros(3)
    blurred = np.array([0.0, 0.0, 2.0, 0.0, 0.0])  # at D - 1 it is 2 where D is 1, and at D + 1 where D is -1
    np.testing.assert_array_equal(worst.below_next(following, second, blurred, 1, between=False), [0, 3, 0])
    found = worst.below_next(following, second, blurred, 1, between=True)
    choices = [blurred[2:], blurred[:3], following[1:4]]
    best = np.max([each_choice[:-1] + each_choice[1:] for each_choice in choices], axis=0)
    assert (found[:-1] + found[1:] <= best).all()
    np.testing.assert_array_equal(found, [0, 3, 0])


@pytest.mark.parametrize("counted", [True, False])
def test_what_is_rounded_is_covered_if_it_is_counted(counted: bool, put: Any) -> None:
    """Tables and weights that are off by a thousandth."""
    low, _ = proved([0.7] * 6, 0.0, 16)
    rough = replace(cdf(), coefficients=cdf().coefficients * 1.001, off=ball(0.0011 * counted))
    put(cdf=lambda: rough)
    assert (proved([0.7] * 6, 0.0, 16)[0] <= low) == counted
    assert (proved([0.7], 0.0, 16)[0] <= 0.5) == counted
    put(cdf=cdf)
    low, _ = proved([1.0] * 30, 1.0, 1)
    made = blur(sqrt(ball(2)))
    put(blur=lambda deviation: replace(made, weights=made.weights * 1.001, off=0.0011 * counted))
    assert (proved([1.0] * 30, 1.0, 1)[0] <= low) == counted


def test_both_sides_are_moved_in_every_round_by_what_a_table_loses_and_by_the_bend(put: Any) -> None:
    low, high = proved([1.0, 0.5], 0.9, 1)
    put(cdf=lambda: replace(cdf(), lost=0.01))
    assert proved([1.0, 0.5], 0.9, 1) == pytest.approx((low - 0.02, high + 0.02))
    put(cdf=cdf)
    put(_BEND=worst._BEND + 0.001)
    bent = proved([1.0, 0.5], 0.9, 1)
    for moved in (low - bent[0], bent[1] - high):  # in the last round not where both name the same expert
        assert 0.001 < moved < 0.001 * (1 + 4) + 1e-9


def test_the_bend_is_what_a_cell_of_the_tail_needs() -> None:
    h = 1 / 64
    x = np.arange(-3, 3, h)
    ends, middles = (ndtr(-(x + shift) / math.sqrt(2)) for shift in (0, h / 2))
    most = np.abs(middles[:-1] - (ends[:-1] + ends[1:]) / 2).max() / h**2
    assert most < worst._BEND < 1.01 * most


def test_lines_above_allow_to_name_the_same_expert_and_beyond_the_grid_all_that_is_left(put: Any) -> None:
    nothing = np.zeros(5)
    found = worst.above_next(np.array([0, 0, 3.0, 0, 0]), np.zeros(3), nothing, 1, 0)
    np.testing.assert_array_equal(found, [0, 3, 0])
    np.testing.assert_array_equal(worst.above_next(nothing, np.zeros(3), nothing, 1, 7), [7, 0, 7])
    put(_REACH=0)  # with much noise D leaves the grid at once, and one round is left
    low, high = proved([1.0, 1.0], 20.0, 1)
    assert low < 0.51
    assert 1.4 < high < 1.6
