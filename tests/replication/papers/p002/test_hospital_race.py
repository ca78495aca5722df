"""The race on the hospitals: expected gains are those of games that are played."""

from typing import Any

import numpy as np

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.games.play import play
from private_experts.games.regret import earned
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p002 import hospital_race
from private_experts.replication.papers.p002.error_potential import algorithm_of
from private_experts.replication.papers.p002.hospital_race import TunedPrefix
from private_experts.replication.study.data.panel import Panel
from tests.each import each
from tests.replication.papers.small_checks import SEED

GAINS = rng_for(SEED, "race").random((11, 4)) ** 3


@each("name", ["randomised prefix", "whole block", "noisy max"])
def test_expected_gains_are_the_means_of_games_that_are_played(name: str) -> None:
    algorithm = algorithm_of(name, 4, 6.0, rng_for(SEED, "race", name), 20_000)
    gained = earned(GAINS, play(algorithm, GAINS)).sum(axis=0)
    error = gained.std() / np.sqrt(gained.size)
    # false alarm once in 10^6
    assert abs(gained.mean() - hospital_race.expected_gain(algorithm, GAINS)) < 5 * error


def panel(gains: Any) -> Panel:
    weeks, hospitals = (tuple(f"{i:02}" for i in range(count)) for count in gains.shape)
    return Panel(weeks, hospitals, gains, np.ones(len(gains)))


@each("good, expected", [(0, "holds"), (1, "fails")])
def test_who_gains_more_decides(good: int, expected: str) -> None:
    """Round 7 contradicts the three before it, and the rounds after it are as before, or turned."""
    gains = np.full((15, 2), 0.5)
    gains[3:6], gains[6] = [0.6, 0.3], [0.0, 1.0]
    gains[7:, good] = 0.9
    points = hospital_race.hospital_race({"epsilon": [50.0], "games": 50}, 1, SEED, {"XX": panel(gains)})
    assert decide([point for point in points if point.where["other"] == "whole block"]) == expected


def test_the_tuned_law_and_resampled_gains_race_as_they_are_played() -> None:
    points = hospital_race.hospital_race({"epsilon": [6.0], "games": 4000}, 1, SEED, {"XX": panel(GAINS)})
    others = {point.where["other"]: point for point in points}
    tuned = TunedPrefix(4, PureDP(6.0, "central"), rng=rng_for(SEED, "race", "tuned"), repetitions=20_000)
    gained = earned(GAINS, play(tuned, GAINS)).sum(axis=0)
    error = gained.std() / np.sqrt(gained.size)
    assert abs(gained.mean() - others["tuned prefix"].bound) < 5 * error  # false alarm once in 10^6
    flips = rng_for(SEED, "race", "flips").random((4000, *GAINS.shape)) < GAINS
    leader = algorithm_of("noisy max", 4, 6.0, rng_for(0))
    expected = np.mean([_gain_on_flips(leader, row.astype(float)) for row in flips[:400]])
    low, high = others["resampled"].interval
    assert low < others["resampled"].value - others["resampled"].bound + expected < high


def test_the_tuned_prefix_has_more_than_eleven_sixteenths_of_a_block() -> None:
    tuned = TunedPrefix(2, PureDP(1.0, "central"), rng=rng_for(0))
    assert tuned.shortest_prefix(np.array([1, 2, 4, 16, 64])).tolist() == [1, 2, 3, 12, 45]


def _gain_on_flips(leader: DyadicLeader, flips: Any) -> float:
    """Return the expected gain of a leader that is told other gains than it is paid."""
    totals, gained, start = np.r_[np.zeros((1, 4)), flips.cumsum(axis=0)], float(GAINS[0].mean()), 1
    while start < len(GAINS):
        law = leader.law(totals[start] - totals[start // 2])
        gained += float((GAINS[start : 2 * start + 1] @ law).sum())
        start = 2 * start + 1
    return gained
