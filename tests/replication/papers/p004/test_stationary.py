"""The checks of paper 004 on stationary streams give their verdicts, and others when something is wrong."""

import math

import numpy as np
import pytest

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.restarting_leader import printed_allowance
from private_experts.replication.balls.balls import ball, log
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import stationary
from private_experts.replication.study.intervals import clopper_pearson
from tests.each import each
from tests.replication.papers.small_checks import SEED, verdict, wrong

SIGN = {"N": [2], "T": [4096], "epsilon": [10.0], "gap": 0.8, "beta": 0.01}
INTERVALS = {"kind": ["opposed"], "N": [4], "T": [512], "epsilon": [5.0], "gap": [0.3], "beta": 0.1}
INTERVALS |= {"lengths": 12, "fraction": [0.25]}
PAID = {"kind": ["opposed"], "N": [2], "T": [1024], "epsilon": [5.0], "gap": [0.3], "beta": 0.05}
PAID |= {"lengths": 20, "fraction": [1.0, 0.25]}
DEVIATIONS = {"N": [2], "T": [64], "beta": [0.2]}
SUMS = {"w": [1, 10, 100000], "t": [1, 2]}
ALLOWED = {"N": [2], "T": [100, 1000], "epsilon": [1.0], "rounds": [1, 50]}
LAST_LINE = {"N": [2], "T": [100], "epsilon": [0.1, 1.0], "w": [1, 99], "beta": "1/10"}


def whole_games(cells, repetitions=10, intervals=1):
    return stationary.whole_games(cells, repetitions, SEED, stationary.leader, intervals)


def theorem_3_1(cells, repetitions=60):
    return stationary.every_interval(cells, repetitions, SEED, stationary.leader, printed_allowance)


def lemma_3_3(cells, repetitions=100):
    return stationary.losses_paid(cells, repetitions, SEED, len(cells["fraction"]))


def test_the_sign_of_the_selection_decides() -> None:
    assert decide(whole_games(SIGN)) == "holds"
    assert verdict(stationary.leader_sign_printed, SIGN, 10) == "fails"


def test_intervals_stay_within_a_quarter_of_the_bound_and_not_within_a_twentieth() -> None:
    assert decide(theorem_3_1(INTERVALS | {"fraction": [1.0, 0.25]}, 100)) == "holds"
    assert decide(theorem_3_1(INTERVALS | {"fraction": [0.05]})) == "fails"
    assert decide(lemma_3_3(PAID)) == "holds"


@each(("part", "cells"), [(theorem_3_1, INTERVALS), (lemma_3_3, PAID)])
def test_a_leader_as_printed_is_caught(part, cells) -> None:
    with wrong(stationary, "leader", lambda right, *game: stationary.printed_leader(*game)):
        assert decide(part(cells | {"gap": [0.9]})) == "fails"


def test_intervals_are_joint_over_the_parts_of_theorem_3_1() -> None:
    whole, paid = SIGN | {"T": [256], "games": 10}, PAID | {"T": [64], "games": 40}
    grid = INTERVALS | {"T": [64], "fraction": [1.0, 0.25], "whole games": whole, "Lemma 3.3": paid}
    points = stationary.theorem_3_1(grid, 40, SEED)
    parts = [point.where["part"] for point in points]
    assert parts == ["Theorem 3.1"] * 2 + ["whole games"] + ["Lemma 3.3"] * 2
    assert points[0].interval == pytest.approx([float(end) for end in clopper_pearson(0, 40, len(parts))])
    (alone,) = whole_games(whole)
    assert points[2].value == alone.value
    assert points[2].low < alone.low < alone.high < points[2].high


class WorstExpert(DyadicLeader):
    """Names one of the worst experts, the last one, whatever it sees."""

    def predict(self):
        return np.full_like(super().predict(), self.n - 1)


@each("part", [theorem_3_1, lemma_3_3])
def test_naming_the_worst_expert_is_caught_at_full_bounds_in_games_that_are_long_enough(part) -> None:
    cells = INTERVALS | {"N": [2], "T": [4096], "gap": [0.8], "fraction": [1.0]}
    (right,) = part(cells, 100)
    assert (decide([right]), right.lazy_fails) == ("holds", True)
    with wrong(stationary, "DyadicLeader", WorstExpert):
        (lazy,) = part(cells, 100)
    assert (decide([lazy]), lazy.value) == ("fails", right.lazy)


def test_sums_deviate_as_little_as_stated() -> None:
    assert verdict(stationary.lemma_3_2, DEVIATIONS, 60) == "holds"
    too_few = lambda right, w, n, t, beta: np.sqrt(2 * w * math.log(n * t / beta))  # noqa: E731
    with wrong(stationary, "deviation", too_few):  # a term
        assert verdict(stationary.lemma_3_2, DEVIATIONS, 60) == "fails"
    # By more than 1.2 where one of two experts has three equal losses of four in a row.
    with wrong(stationary, "deviation", lambda *_: np.asarray(1.2)):
        (point,) = stationary.lemma_3_2({"N": [2], "T": [4], "beta": [0.5]}, 4000, SEED)
    assert point.low < 1 - (10 / 16) ** 2 < point.high < point.low + 0.1
    assert point.notes["largest_share_of_bound"] == pytest.approx(2 / 1.2)


def test_the_proofs_sums_have_the_constant_8_sqrt_2_and_no_smaller_one() -> None:
    assert verdict(stationary.proof_sums, SUMS) == "holds"
    assert decide(stationary.proof_sums(SUMS, 0.997 * 8 * math.sqrt(2))) == "fails"
    assert verdict(stationary.proof_sums_printed, SUMS) == "fails"


def test_the_printed_allowance_is_for_twice_the_level() -> None:
    assert verdict(stationary.allowance_printed, ALLOWED) == "fails"
    assert verdict(stationary.allowance, ALLOWED) == "holds"


@each(
    ("name", "mutant"),
    [
        ("_theorem_3_1", 1.01),
        ("proved_allowance", lambda right, rounds, n, t, e, beta: right(rounds, n, t, 8 * e, beta)),
    ],
)
def test_another_allowance_or_level_is_caught(name, mutant) -> None:
    with wrong(stationary, name, mutant):
        assert verdict(stationary.allowance, ALLOWED) == "fails"


def test_the_last_line_of_the_proof_is_more_than_the_theorem_says() -> None:
    assert verdict(stationary.last_line, LAST_LINE) == "fails"
    assert verdict(stationary.last_line, LAST_LINE | {"T": [2]}) == "holds"  # log 2 is below 1
    mended = lambda right, size, level, epsilon: right(size, level, epsilon / log(ball(100)))  # noqa: E731
    with wrong(stationary, "_theorem_3_1", mended):
        assert verdict(stationary.last_line, LAST_LINE) == "holds"
