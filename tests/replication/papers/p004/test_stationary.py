"""The checks of paper 004 on stationary streams give their verdicts, and others when something is wrong."""

import math
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.restarting_leader import printed_allowance
from private_experts.replication.balls.balls import ball, log
from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.papers.p004 import stationary
from private_experts.replication.study.intervals import clopper_pearson
from tests.replication.papers.small_checks import SEED, verdict

SIGN = {"N": [2], "T": [4096], "epsilon": [10.0], "gap": 0.8, "beta": 0.01}


def test_the_sign_of_the_selection_decides() -> None:
    assert decide(stationary.whole_games(SIGN, 10, SEED, stationary.leader, 1)) == "holds"
    assert verdict(stationary.leader_sign_printed, SIGN, 10) == "fails"


def every_interval(cells: dict[str, Any], repetitions: int) -> list[Point]:
    """Return the points of Theorem 3.1 itself."""
    return stationary.every_interval(cells, repetitions, SEED, stationary.leader, printed_allowance)


INTERVALS = {
    "kind": ["opposed"],
    "N": [4],
    "T": [512],
    "epsilon": [5.0],
    "gap": [0.3],
    "beta": 0.1,
    "lengths": 12,
}


def test_intervals_stay_within_a_quarter_of_the_bound_and_not_within_a_twentieth() -> None:
    assert decide(every_interval(INTERVALS | {"fraction": [1.0, 0.25]}, 100)) == "holds"
    assert decide(every_interval(INTERVALS | {"fraction": [0.05]}, 60)) == "fails"


def test_intervals_of_a_leader_as_printed_are_caught(put: Any) -> None:
    put(stationary, "leader", stationary.printed_leader)
    assert decide(every_interval(INTERVALS | {"gap": [0.9], "fraction": [0.25]}, 60)) == "fails"


DEVIATIONS = {"N": [2], "T": [64], "beta": [0.2]}


def test_sums_deviate_as_little_as_stated() -> None:
    assert verdict(stationary.lemma_3_2, DEVIATIONS, 60) == "holds"


def test_sums_deviate_where_those_of_any_expert_over_any_rounds_do(put: Any) -> None:
    """By more than 1.2 where one of two experts has three equal losses of four in a row."""
    put(stationary, "deviation", lambda *_: np.asarray(1.2))
    (point,) = stationary.lemma_3_2({"N": [2], "T": [4], "beta": [0.5]}, 4000, SEED)
    assert point.low < 1 - (10 / 16) ** 2 < point.high < point.low + 0.1
    assert point.notes["largest_share_of_bound"] == pytest.approx(2 / 1.2)


def test_a_deviation_with_a_term_too_few_is_caught(put: Any) -> None:
    put(stationary, "deviation", lambda w, n, t, beta: np.sqrt(2 * w * math.log(n * t / beta)))
    assert verdict(stationary.lemma_3_2, DEVIATIONS, 60) == "fails"


SUMS = {"w": [1, 10, 100000], "t": [1, 2]}


def test_the_proofs_sums_have_the_constant_8_sqrt_2_and_no_smaller_one() -> None:
    assert verdict(stationary.proof_sums, SUMS) == "holds"
    assert decide(stationary.proof_sums(SUMS, 0.997 * 8 * math.sqrt(2))) == "fails"
    assert verdict(stationary.proof_sums_printed, SUMS) == "fails"


PAID = {
    "kind": ["opposed"],
    "N": [2],
    "T": [1024],
    "epsilon": [5.0],
    "gap": [0.3],
    "beta": 0.05,
    "lengths": 20,
    "fraction": [1.0, 0.25],
}


def test_losses_paid_are_near_the_least_ones() -> None:
    assert decide(stationary.losses_paid(PAID, 100, SEED, 2)) == "holds"


def test_intervals_are_joint_over_the_parts_of_theorem_3_1() -> None:
    whole, paid = SIGN | {"T": [256], "games": 10}, PAID | {"T": [64], "games": 40}
    grid = INTERVALS | {"T": [64], "fraction": [1.0, 0.25], "whole games": whole, "Lemma 3.3": paid}
    points = stationary.theorem_3_1(grid, 40, SEED)
    parts = [point.where["part"] for point in points]
    assert parts == ["Theorem 3.1"] * 2 + ["whole games"] + ["Lemma 3.3"] * 2
    assert points[0].interval == pytest.approx([float(end) for end in clopper_pearson(0, 40, len(parts))])
    (alone,) = stationary.whole_games(whole, whole["games"], SEED, stationary.leader, 1)
    assert points[2].value == alone.value
    assert points[2].low < alone.low < alone.high < points[2].high


def test_losses_paid_by_a_leader_as_printed_are_caught(put: Any) -> None:
    put(stationary, "leader", stationary.printed_leader)
    assert decide(stationary.losses_paid(PAID | {"gap": [0.9]}, 100, SEED, 2)) == "fails"


ALLOWED = {"N": [2], "T": [100, 1000], "epsilon": [1.0], "rounds": [1, 50]}


def test_the_printed_allowance_is_for_twice_the_level() -> None:
    assert verdict(stationary.allowance_printed, ALLOWED) == "fails"
    assert verdict(stationary.allowance, ALLOWED) == "holds"


LAST_LINE = {"N": [2], "T": [100], "epsilon": [0.1, 1.0], "w": [1, 99], "beta": "1/10"}


def test_the_last_line_of_the_proof_is_more_than_the_theorem_says(put: Any) -> None:
    assert verdict(stationary.last_line, LAST_LINE) == "fails"
    assert verdict(stationary.last_line, LAST_LINE | {"T": [2]}) == "holds"  # log 2 is below 1
    theorem = stationary._theorem_3_1
    put(
        stationary,
        "_theorem_3_1",
        lambda size, level, epsilon: theorem(size, level, epsilon / log(ball(100))),
    )
    assert verdict(stationary.last_line, LAST_LINE) == "holds"  # as mended


def test_a_formula_that_is_not_the_librarys_is_caught(put: Any) -> None:
    theorem = stationary._theorem_3_1
    put(stationary, "_theorem_3_1", lambda *asked: 1.01 * theorem(*asked))
    assert verdict(stationary.allowance, ALLOWED) == "fails"


def test_a_proved_allowance_at_the_wrong_level_is_caught(put: Any) -> None:
    proved = stationary.proved_allowance
    put(stationary, "proved_allowance", lambda rounds, n, t, e, beta: proved(rounds, n, t, 8 * e, beta))
    assert verdict(stationary.allowance, ALLOWED) == "fails"


class WorstExpert(DyadicLeader):
    """Names one of the worst experts, the last one, whatever it sees."""

    def predict(self) -> Any:
        return np.full_like(super().predict(), self.n - 1)


def lemma_3_3(cells: dict[str, Any], repetitions: int) -> list[Point]:
    """Return the points of Lemma 3.3."""
    return stationary.losses_paid(cells, repetitions, SEED, 1)


@pytest.mark.parametrize("part", [every_interval, lemma_3_3])
def test_naming_the_worst_expert_is_caught_at_full_bounds_in_games_that_are_long_enough(
    part: Any, put: Any
) -> None:
    cells = INTERVALS | {"N": [2], "T": [4096], "gap": [0.8], "fraction": [1.0]}
    (right,) = part(cells, 100)
    assert (decide([right]), right.lazy_fails) == ("holds", True)
    put(stationary, "DyadicLeader", WorstExpert)
    (lazy,) = part(cells, 100)
    assert (decide([lazy]), lazy.value) == ("fails", right.lazy)
