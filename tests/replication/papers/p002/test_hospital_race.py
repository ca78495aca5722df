"""The race on the hospitals: gains are those of games that are played, averaged over the first week."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.bernoulli_resampled import BernoulliResampled
from private_experts.algorithms.interface import Algorithm
from private_experts.algorithms.prefix_ftpl import PrefixFTPL
from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.arrays import Array
from private_experts.games.play import play
from private_experts.games.regret import earned
from private_experts.privacy.conversions import to_gaussian
from private_experts.privacy.guarantees import GaussianDP, PureDP
from private_experts.privacy.noise import SimulatedNoise
from private_experts.privacy.tight_tree import TightTreeSums
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.papers.p002 import hospital_race
from private_experts.replication.papers.p002.error_potential import algorithm_of
from private_experts.replication.papers.p002.hospital_race import TunedPrefix, expected_gain
from private_experts.replication.study.data.panel import Panel
from tests.each import each
from tests.replication.papers.small_checks import SEED

GAINS = rng_for(SEED, "race").random((11, 4)) ** 3
EPSILON, COPIES = 6.0, 8_000


def near(one: Array, other: Array | float) -> bool:
    """Say whether two means of games agree; false alarm once in 10^6."""
    spread = one.var() / one.size + (other.var() / other.size if isinstance(other, np.ndarray) else 0.0)
    return bool(abs(one.mean() - np.mean(other)) < 5 * np.sqrt(spread))


@each("name", ["randomised prefix", "whole block", "noisy max", "tuned"])
def test_expected_gains_are_the_means_of_games_that_are_played(name: str) -> None:
    rng = rng_for(SEED, "race", name)
    tuned = TunedPrefix(4, PureDP(EPSILON, "central"), rng=rng, repetitions=COPIES)
    algorithm = tuned if name == "tuned" else algorithm_of(name, 4, EPSILON, rng, COPIES)
    gained = earned(GAINS, play(algorithm, GAINS)).sum(axis=0)
    assert near(gained, float(expected_gain(algorithm, GAINS)))


def test_each_week_is_the_first_of_one_start() -> None:
    starts = hospital_race.rotations(GAINS)
    for s in range(len(GAINS)):
        assert (starts[:, s] == np.roll(GAINS, -s, axis=0)).all()


def resampled(copies: int, rng: np.random.Generator) -> Algorithm:
    leader = algorithm_of("noisy max", 4, EPSILON, rng, copies)
    return BernoulliResampled(4, leader, rng=rng, repetitions=copies)


def at_level(model: Any, copies: int, rng: np.random.Generator) -> dict[str, Any]:
    level = GaussianDP(to_gaussian(PureDP(EPSILON, "central")).mu, model)
    return {"guarantee": level, "noise": SimulatedNoise(rng), "repetitions": copies}


def tree(*given: Any) -> Algorithm:
    bounds = np.full(11, 2.0)
    return PrefixFTPL(TightTreeSums(4, sensitivity=bounds, refined=True, **at_level("central", *given)))


def walk(*given: Any) -> Algorithm:
    return RWFTPL(4, sensitivity=2.0, **at_level("local", *given))


@each(
    "name, make",
    [
        ("noisy max", lambda copies, rng: algorithm_of("noisy max", 4, EPSILON, rng, copies)),
        ("resampled", resampled),
        ("tree leader", tree),
        ("RW-FTPL", walk),
    ],
)
def test_games_are_those_of_the_library_at_the_same_level(
    name: str, make: Callable[[int, np.random.Generator], Algorithm]
) -> None:
    """A week moves four gains by at most 2 in L2. Each copy has gains of its own, here all the same."""
    rng = rng_for(SEED, "race", "games", name)
    of_copies = np.repeat(GAINS[:, None], COPIES, axis=1)
    ours = hospital_race.games(name, of_copies, EPSILON, rng)
    settings: dict[str, Any] = {"sensitivity": 2.0, "noise": SimulatedNoise(rng)} if name == "RW-FTPL" else {}
    theirs = earned(GAINS, play(make(COPIES, rng), GAINS, **settings)).sum(axis=0)
    assert near(ours, theirs)
    # Less noise would be seen, and so a datum that is less than the week; behind flips only much more noise.
    other = EPSILON / 8 if name == "resampled" else 2 * EPSILON
    assert not near(hospital_race.games(name, of_copies, other, rng), theirs)


def panel(gains: Any) -> Panel:
    weeks, hospitals = (tuple(f"{i:02}" for i in range(count)) for count in gains.shape)
    return Panel(weeks, hospitals, gains, np.ones(len(gains)))


def race(gains: Array, epsilon: float = EPSILON, games: int = 40) -> dict[str, Point]:
    points = hospital_race.hospital_race({"epsilon": [epsilon], "games": games}, SEED, {"XX": panel(gains)})
    return {point.where["other"]: point for point in points}


def test_gains_are_means_over_starts() -> None:
    def by_start(name: str) -> Array:
        algorithm = algorithm_of(name, 4, EPSILON, rng_for(0))
        starts = [np.roll(GAINS, -s, axis=0) for s in range(len(GAINS))]
        return np.array([float(expected_gain(algorithm, start)) for start in starts])

    points, prefix, whole = race(GAINS), by_start("randomised prefix"), by_start("whole block")
    blocks, leader = points["whole block"], points["noisy max"]
    assert (blocks.value, blocks.bound) == pytest.approx((prefix.mean(), whole.mean()), rel=1e-12)
    assert blocks.notes["first_start"] == pytest.approx(prefix[0] - whole[0])
    low, high = leader.interval
    assert low < leader.value - leader.bound + by_start("noisy max").mean() < high
    assert high - low < 0.6


@each("good, expected", [(0.9, "holds"), (0.1, "fails")])
def test_who_gains_more_decides(good: float, expected: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Rivals that always gain so much in each of 11 weeks decide either way."""
    gains = np.tile([0.7, 0.2], (11, 1))

    def flat(name: str, told: Array, epsilon: float, rng: np.random.Generator) -> Array:
        return np.full(told.shape[1], 11 * (1 - good)) + rng.normal(0, 0.01, told.shape[1])

    monkeypatch.setattr(hospital_race, "games", flat)
    assert decide([race(gains, epsilon=50.0)["RW-FTPL"]]) == expected


def test_whole_blocks_race_against_prefixes_alone() -> None:
    grid = {"epsilon": [EPSILON], "games": 2}
    points = hospital_race.hospital_race_blocks(grid, SEED, {"XX": panel(GAINS)})
    assert [point.where["other"] for point in points] == ["randomised prefix", "tuned prefix"]
    assert points[0].value == pytest.approx(race(GAINS)["whole block"].bound)


def test_the_tuned_prefix_has_more_than_eleven_sixteenths_of_a_block() -> None:
    tuned = TunedPrefix(2, PureDP(1.0, "central"), rng=rng_for(0))
    assert tuned.shortest_prefix(np.array([1, 2, 4, 16, 64])).tolist() == [1, 2, 3, 12, 45]
