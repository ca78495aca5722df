"""Noisy leaders of whole blocks: their bounds, the constants of the proof, and played algorithms."""

from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p002 import gap_regret, whole_blocks
from tests.each import each
from tests.replication.papers.small_checks import SEED, verdict


def own(kind: str, of_noise: float) -> dict[str, Any]:
    return {"kind": [kind], "constants": {"derived": [36, of_noise], "measured": [9, 9]}, "times": 1}


OWN = {
    "whole block": own("opposed", 16),
    "noisy max": own("opposed", 17.4),
    "resampled": own("deterministic", 17.4),
}
PLAYED = {"kind": ["deterministic"], "gap": [0.5], "epsilon": [4.0], "T": [31], "games": 100}
FALLING = {"kind, K, gap": [["opposed", 2, 0.2]], "epsilon": [0.3], "T": [100], "rounding": 1e-12}
GAMES = {
    "shared": {"K": [10], "gap": [0.8], "doubling": [False], "epsilon": [0.01], "T": [2**20]},
    "algorithm": OWN,
    "exact": {"kind": ["opposed"], "gap": [0.8], "epsilon": [1.0], "T": [1023]},
    "played": PLAYED | {"tolerance": 0.08},
    "falling errors": FALLING,
    "prefix ahead": {"cells": [], "T": 1023},
}
CONSTANTS = {"log_K": [np.log(2), 60.0], "K": [2, 5], "laplace": 17.4}


def test_whole_blocks_are_under_their_bound_and_the_algorithms_of_the_claim_are_played(put: Any) -> None:
    names, algorithm_of = set(), gap_regret.algorithm_of
    put(gap_regret, "algorithm_of", lambda name, *rest: names.add(name) or algorithm_of(name, *rest))
    points = whole_blocks.whole_blocks(GAMES, 80, SEED)
    assert decide(points) == "holds"
    assert {point.where["algorithm"] for point in points} == {*OWN, "beside the prefix"}
    assert {point.where["algorithm"] for point in points if point.lazy_fails} == names == {*OWN}


def test_all_intervals_hold_jointly_and_games_are_repeated_as_often_as_is_said(put: Any) -> None:
    found: list[tuple[int, int]] = []
    put(
        whole_blocks,
        "rate_bound",
        lambda settings, times, seed, name, more, joint: found.append((times, joint)) or [],
    )
    more = {"algorithm": OWN | {"noisy max": OWN["noisy max"] | {"times": 4}}}
    whole_blocks.whole_blocks(GAMES | more, 2, SEED)
    assert found == [(2, 4), (8, 4), (2, 4)]


@each("name", OWN)
def test_selections_at_half_their_level_are_caught(name: str) -> None:
    def dull(name: str, n: int, epsilon: float, rng: Any, repetitions: int = 1) -> DyadicLeader:
        kind: Any = "gumbel" if name == "whole block" else "laplace"
        level = PureDP(0.5 * epsilon, "central")
        return DyadicLeader(n, level, rng=rng, repetitions=repetitions, selection=kind)

    with pytest.MonkeyPatch.context() as put:
        put.setattr(gap_regret, "algorithm_of", dull)
        settings = {**GAMES["shared"], **OWN[name]}
        points = gap_regret.rate_bound(settings, 400, SEED, name, whole_blocks.MORE, 4)
    assert decide(points) == "fails"


def test_a_class_that_forgets_to_flip_and_a_law_of_less_private_selections_are_caught(put: Any) -> None:
    put(whole_blocks, "BernoulliResampled", lambda n, leader, **rest: leader)
    assert decide([*whole_blocks._class_played(GAMES["played"], 80, SEED, 4)]) == "fails"
    right = whole_blocks.algorithm_of
    put(whole_blocks, "algorithm_of", lambda name, n, epsilon, *rest: right(name, n, 0.01 * epsilon, *rest))
    assert decide([*whole_blocks._by_law(GAMES["exact"], (9, 9))]) == "fails"


@each(
    ("changed", "found"),
    [({}, "holds"), ({"laplace": 17.3}, "fails"), ({"log_K": [np.log(2) - 0.06, 60.0]}, "fails")],
)
def test_the_constants_are_those_of_the_proof_and_smaller_ones_are_caught(changed: Any, found: str) -> None:
    assert verdict(whole_blocks.whole_blocks_constants, CONSTANTS | changed) == found


def test_the_constants_of_a_gap_are_those_that_the_bounds_of_the_claims_have() -> None:
    per_gap = (whole_blocks.blocks_per_gap, whole_blocks.prefixes_per_gap)
    (early, of_blocks), (late, of_rounds) = (of(whole_blocks.ball(2).log()) for of in per_gap)
    assert (float(early), float(late)) == (pytest.approx(35.3, abs=0.1), pytest.approx(46.4, abs=0.1))
    assert (of_blocks, of_rounds) == (36, 47)


@each("noise", ["laplace", "exponential"])
def test_the_expected_largest_noise(noise: str) -> None:
    """Five standard errors: false alarm once in 10^6."""
    rng = rng_for(SEED, "largest", noise)
    for n in (2, 3, 7):
        drawn = getattr(rng, noise)(size=(200_000, n)).max(axis=1) - (noise == "exponential")
        exact = float(getattr(whole_blocks, f"largest_{noise}")(n))
        assert abs(drawn.mean() - exact) < 5 * drawn.std() / np.sqrt(drawn.size)
