"""The worst two learners for exponential weights: a grid's program is between the bounds, and is played."""

import itertools
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import expit

from private_experts.algorithms.hedge_meta import HedgeMeta
from private_experts.games.play import private_reports
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import lower, precision, upper
from private_experts.replication.papers.p000 import worst_against_weights as worst
from private_experts.replication.papers.p000.shortfall import play_totals
from tests.algorithms.independence import steepness
from tests.each import each
from tests.replication.papers.p000.test_worst_pair import CHOICES, SMALLER, Played


def proved(rate: float, eta: float, rounds: int, per_unit: int, charged: float = 1.0) -> tuple[float, float]:
    """Return the two ends of the ball."""
    with precision():
        found = worst.worst_against_weights(rate, eta, rounds, per_unit, charged)
        return lower(found), upper(found)


def program(
    rate: float, eta: float, rounds: int, per_unit: int, choices: Any = CHOICES, charged: float = 1.0
) -> tuple[float, NDArray[np.int8]]:
    """Return the value at 0, and the best choice in each round at each D, for noise on the grid alone."""
    reach = (math.ceil(6 * eta * math.sqrt(2 * rounds)) + rounds) * per_unit
    difference = np.arange(-reach, reach + 1) / per_unit
    deviation = math.sqrt(2) * eta * per_unit
    half = math.ceil(7 * deviation)
    kernel = np.exp(-0.5 * (np.arange(-half, half + 1) / deviation) ** 2) if eta else np.ones(1)
    second = expit(-rate * difference)
    cost = charged * rate * steepness(rate, eta) * 2 * second * (1 - second)
    value, play = np.zeros(difference.size), np.zeros((rounds, difference.size), dtype=np.int8)
    for t in range(rounds - 1, -1, -1):
        blurred = np.convolve(np.pad(value, half, mode="edge"), kernel / kernel.sum(), mode="valid")
        options = np.empty((len(choices), difference.size))
        for row, (gain, apart) in zip(options, choices, strict=True):
            ahead = np.clip(np.arange(difference.size) + round(gain * per_unit), 0, difference.size - 1)
            row[:] = gain * second + (blurred[ahead] - cost if apart else value[ahead])
        play[t], value = options.argmax(axis=0), options.max(axis=0)
    return float(value[reach]), play


@each(("rate", "eta"), [(0.1, 0.5), (0.3, 0.0), (0.3, 1.0), (0.5, 0.25)])
def test_it_is_that_of_a_finer_grid_also_with_smaller_differences(rate: float, eta: float) -> None:
    low, high = proved(rate, eta, 30, 16)
    value, more = (program(rate, eta, 30, 32, choices)[0] for choices in (CHOICES, SMALLER))
    assert low < value + 1e-9
    assert value <= more < high < 1.01 * more
    coarse = proved(rate, eta, 30, 4)
    assert coarse[0] <= value + 1e-9
    assert high < coarse[1]


def test_without_noise_it_is_the_best_of_all_sequences() -> None:
    rate, best = 0.5, -np.inf
    for gains in itertools.product((-1, 0, 1), repeat=5):
        second = expit(-rate * np.concatenate([[0], np.cumsum(gains)[:-1]]))
        cost = rate * steepness(rate, 0.0) * 2 * second * (1 - second)
        best = max(best, float((np.array(gains) * second - np.abs(gains) * cost).sum()))
    low, high = proved(rate, 0.0, 5, 16)
    assert low == pytest.approx(best, abs=1e-9)
    assert best <= high < best + 1e-3


def test_the_algorithm_loses_to_the_worst_pair_what_was_computed() -> None:
    rate, repetitions, rounds = 0.25, 20_000, 60
    value, play = program(rate, 1.0, rounds, 8)
    low, high = proved(rate, 1.0, rounds, 8)
    assert low < value < high
    rng, gains = rng_for(0, "worst against weights"), np.tile([1.0, 0.0], (rounds, 1))
    made: list[HedgeMeta] = []

    def make(learners: Any) -> HedgeMeta:
        made.append(HedgeMeta([learners], GaussianDP(1.0, "local"), rate=rate, rng=rng))
        return made[0]

    reports = private_reports(
        gains, GaussianDP(1.0, "local"), [1.0] * rounds, SimulatedNoise(rng), repetitions
    )
    played = play_totals(Played(play, 8, repetitions), make, gains, reports)
    fair = played.learners[0] - played.own + (played.noise[0] - played.noise[1]) / 2
    fair = fair - rate * steepness(rate, 1.0) * made[0].disagreement
    error = fair.std(ddof=1) / math.sqrt(repetitions)
    assert low - 4.9 * error < fair.mean() < high + 4.9 * error  # a false alarm has probability 1e-6
    assert error < 0.03 * value


def test_the_bends_are_what_cells_of_both_tables_need() -> None:
    h = 1 / 64
    x = np.arange(-6, 6, h)

    def bend(function: Any) -> float:
        return float(np.abs(function(x + h / 2) - (function(x) + function(x + h)) / 2).max() / h**2)

    assert bend(lambda y: expit(-y)) < worst._BEND < 1.01 * bend(lambda y: expit(-y))
    tails = bend(lambda y: 2 * expit(y) * expit(-y))
    assert tails < 1.01 / 32 < 1.02 * tails


def test_where_the_bends_are_left_out_smaller_differences_are_missed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing is charged and the rate is large, they pay."""
    more = program(2.5, 0.0, 12, 16, SMALLER, 0.0)[0]
    assert more > 1.02 * program(2.5, 0.0, 12, 16, CHOICES, 0.0)[0]
    assert proved(2.5, 0.0, 12, 1, 0.0)[1] > more
    monkeypatch.setattr(worst, "_BEND", 0.0)
    assert proved(2.5, 0.0, 12, 1, 0.0)[1] < more
