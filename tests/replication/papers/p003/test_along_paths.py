"""Lemmas 5 and 8 with fixed noise, and mutants."""

import numpy as np

from private_experts.distribution_learning import mixture
from private_experts.distribution_learning.pure import NoisyCoordinate
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import along_paths
from private_experts.replication.papers.p003.classes import tilted
from tests.replication.papers.caught import caught
from tests.replication.papers.p003.wrong_learners import nothing_learnt
from tests.replication.papers.small_checks import SEED, failing

SMALL = {"T": 500, "eps": {"algorithm 1": 100_000.0, "algorithm 2": 10_000.0}, "features": ["permuted"]}
SMALL |= {"K": [2], "noise": [1]}


def test_risks_and_regrets_are_under_their_bounds() -> None:
    points = along_paths.along_paths(SMALL, 20, SEED)
    assert decide(points) == "holds"
    assert {point.where["what"] for point in points} == {"mean over labels", "every game"}
    assert 0.5 < max(point.value for point in points if point.where["what"] == "every game") <= 1


def test_learning_nothing_and_losses_that_count_against_what_is_likely_are_caught(monkeypatch) -> None:
    longer = SMALL | {"T": 1500}
    with nothing_learnt():
        assert caught(lambda: along_paths.along_paths(longer, 8, SEED))
    right = mixture.ClippedMixture._received
    monkeypatch.setattr(mixture.ClippedMixture, "_received", lambda self, reports: 1 - right(self, reports))
    assert "every game" in failing(along_paths.along_paths(longer, 8, SEED), "what")


def test_each_game_reveals_a_coordinate_of_its_own() -> None:
    """With equal weights the regret of a round is below 0 where the truth's loss is revealed, and above."""
    mechanism, rounds = NoisyCoordinate(2, PureDP(1e4, "local"), horizon=9), tilted(2, 0.9)[None]
    regret = along_paths.play_paths(mechanism, rounds, np.zeros((1, 2)), 200, rng_for(0, "revealed")).regret
    # 100 +- 7 of each: a false alarm below 1e-6
    assert 60 < (regret > 0).sum() < 140
    assert 60 < (regret < 0).sum() < 140


def test_noise_is_drawn_until_it_is_within_the_shift() -> None:
    mechanism = NoisyCoordinate(4, PureDP(1.0, "local"), horizon=20, gamma=0.1)  # it mostly is not
    noise = along_paths.noise_within(mechanism, rng_for(0, "noise"))
    assert noise.shape == (20, 4)
    assert np.abs(noise).max() <= mechanism.scaling.shift
