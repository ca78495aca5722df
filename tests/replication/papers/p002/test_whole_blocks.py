"""Noisy leaders of whole blocks: their bounds, the constants of the proof, and played algorithms."""

from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p002 import gap_regret, whole_blocks
from tests.replication.papers.small_checks import SEED, verdict

OWN = {
    "whole block": {"kind": ["opposed"], "constants": {"derived": [36, 16], "measured": [9, 9]}, "times": 1},
    "noisy max": {"kind": ["opposed"], "constants": {"derived": [36, 17.4], "measured": [9, 9]}, "times": 1},
    "resampled": {
        "kind": ["deterministic"],
        "constants": {"derived": [36, 17.4], "measured": [9, 9]},
        "times": 1,
    },
}
GAMES = {
    "shared": {"K": [10], "gap": [0.8], "doubling": [False], "epsilon": [0.01], "T": [2**20]},
    "algorithm": OWN,
    "exact": {"kind": ["opposed"], "gap": [0.8], "epsilon": [1.0], "T": [1023]},
    "played": {
        "kind": ["deterministic"],
        "gap": [0.5],
        "epsilon": [4.0],
        "T": [31],
        "games": 100,
        "tolerance": 0.08,
    },
    "falling errors": {
        "kind, K, gap": [["opposed", 2, 0.2]],
        "epsilon": [0.3],
        "T": [100],
        "rounding": 1e-12,
    },
    "prefix ahead": {"cells": [], "T": 1023},
}


def test_whole_blocks_are_under_their_bound() -> None:
    points = whole_blocks.whole_blocks(GAMES, 80, SEED)
    assert decide(points) == "holds"
    assert {point.where["algorithm"] for point in points} == {*OWN, "beside the prefix"}
    assert {point.where["algorithm"] for point in points if point.lazy_fails} == {*OWN}


def test_the_algorithms_of_the_claim_are_played(put: Any) -> None:
    names, algorithm_of = [], gap_regret.algorithm_of
    put(gap_regret, "algorithm_of", lambda name, *rest: names.append(name) or algorithm_of(name, *rest))
    whole_blocks.whole_blocks(GAMES, 2, SEED)
    assert set(names) == {*OWN}


def test_all_intervals_hold_jointly_and_games_are_repeated_as_often_as_is_said(put: Any) -> None:
    found = []
    put(
        whole_blocks,
        "rate_bound",
        lambda settings, times, seed, name, more, joint: found.append((times, joint)) or [],
    )
    own = OWN | {"noisy max": OWN["noisy max"] | {"times": 4}}
    whole_blocks.whole_blocks(GAMES | {"algorithm": own}, 2, SEED)
    assert found == [(2, 4), (8, 4), (2, 4)]


@pytest.mark.parametrize("name", OWN)
def test_selections_at_half_their_level_are_caught(name: str, put: Any) -> None:
    def dull(name: str, n: int, epsilon: float, rng: Any, repetitions: int = 1) -> DyadicLeader:
        kind: Any = "gumbel" if name == "whole block" else "laplace"
        return DyadicLeader(
            n, PureDP(0.5 * epsilon, "central"), rng=rng, repetitions=repetitions, selection=kind
        )

    put(gap_regret, "algorithm_of", dull)
    settings = {**GAMES["shared"], **OWN[name]}
    assert decide(gap_regret.rate_bound(settings, 400, SEED, name, whole_blocks.MORE, 4)) == "fails"


def test_a_class_that_forgets_to_flip_is_caught(put: Any) -> None:
    put(whole_blocks, "BernoulliResampled", lambda n, leader, **rest: leader)
    assert decide([*whole_blocks._class_played(GAMES["played"], 80, SEED, 4)]) == "fails"


def test_a_law_of_less_private_selections_is_caught(put: Any) -> None:
    right = whole_blocks.algorithm_of
    put(whole_blocks, "algorithm_of", lambda name, n, epsilon, *rest: right(name, n, 0.01 * epsilon, *rest))
    assert decide([*whole_blocks._by_law(GAMES["exact"], (9, 9))]) == "fails"


CONSTANTS = {"log_K": [np.log(2), 60.0], "K": [2, 5], "laplace": 17.4}


def test_the_constants_are_those_of_the_proof() -> None:
    assert verdict(whole_blocks.whole_blocks_constants, CONSTANTS) == "holds"
    (early, of_blocks), (late, of_rounds) = (each(whole_blocks.ball(2).log()) for each in _PER_GAP)
    assert (float(early), float(late)) == (pytest.approx(35.3, abs=0.1), pytest.approx(46.4, abs=0.1))
    assert (of_blocks, of_rounds) == (36, 47)  # as the bounds of the claims have it


_PER_GAP = (whole_blocks.blocks_per_gap, whole_blocks.prefixes_per_gap)


@pytest.mark.parametrize("changed", [{"laplace": 17.3}, {"log_K": [np.log(2) - 0.06, 60.0]}])
def test_constants_a_little_smaller_or_a_box_a_little_larger_are_caught(changed: Any) -> None:
    assert verdict(whole_blocks.whole_blocks_constants, CONSTANTS | changed) == "fails"


@pytest.mark.parametrize(("largest", "draw"), [("laplace", "laplace"), ("exponential", "exponential")])
def test_the_expected_largest_noise(largest: str, draw: str) -> None:
    """Five standard errors: false alarm once in 10^6."""
    rng = rng_for(SEED, "largest", largest)
    for n in (2, 3, 7):
        drawn = getattr(rng, draw)(size=(200_000, n)).max(axis=1) - (draw == "exponential")
        exact = float(getattr(whole_blocks, f"largest_{largest}")(n))
        assert abs(drawn.mean() - exact) < 5 * drawn.std() / np.sqrt(drawn.size)
