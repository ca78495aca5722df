"""Each check of regret gives the expected verdict on a small grid, and the other verdict on a mutant."""

from typing import Any

import numpy as np
import pytest

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p002 import gap_regret
from private_experts.replication.papers.p002.gap_regret import (
    privacy_term,
    theorem_1,
    theorem_1_constants,
)
from tests.each import each
from tests.replication.papers.p002.streams import at_rate, instead
from tests.replication.papers.small_checks import SEED, verdict

# The privacy term is 40 log K / eps for the first, where the proof gives 32.
DULL, BLUNT, SHARP = (instead(at_rate(factor)) for factor in (0.2, 0.125, 1.25))

THEOREM = {
    "kind": ["independent"],
    "K": [10],
    "gap": [0, 1.0],
    "doubling": [False],
    "epsilon": [0.01, 1.0],
    "T": [2**20],
    "constants": {"printed": [1000, 1000], "derived": [674, 32]},
    "two forms": {"gap": [0.1, 1.0], "epsilon": [0.1, 0.5]},
}
ALONE = THEOREM | {"two forms": {"gap": [], "epsilon": []}}
WITHOUT_GAPS = ALONE | {"gap": [0.3], "T": [2**20, 2**22]}
PRIVACY = {"K": [2, 64, 4096], "epsilon": [0.2]}


@each(
    ("check", "grid", "repetitions", "mutants", "expected"),
    [
        (theorem_1, THEOREM, 20, {}, "holds"),
        (theorem_1_constants, THEOREM, 20, {}, "holds"),
        (
            theorem_1_constants,
            THEOREM | {"gap": [1.0], "epsilon": [0.001], "T": [2**24]},
            100,
            {"algorithm_of": DULL},
            "fails",
        ),
        (theorem_1_constants, WITHOUT_GAPS | {"constants": {"without gaps": [0.0, 1.0]}}, 20, {}, "fails"),
        (privacy_term, PRIVACY, 2, {}, "holds"),
        (privacy_term, PRIVACY, 2, {"algorithm_of": SHARP}, "fails"),
        (privacy_term, PRIVACY, 2, {"algorithm_of": BLUNT}, "fails"),
    ],
)
def test_the_checks_hold_and_mutants_are_caught(
    check: Any, grid: Any, repetitions: int, mutants: Any, expected: str
) -> None:
    assert verdict(check, grid, repetitions, **mutants) == expected


def test_the_bound_in_numbers_also_for_two_actions() -> None:
    point, *_ = theorem_1(ALONE | {"K": [2], "gap": [0.1], "epsilon": [0.5], "T": [1024]}, 2, SEED)
    assert point.bound == pytest.approx(np.log(2) * 1000 * (1 / 0.1 + 1 / 0.5))


CONSTANT = {
    "kind": ["independent"],
    "K": [10],
    "gap": [0.05, 1.0],
    "doubling": [False],
    "epsilon": [0.03, 1.0],
    "T": 2**20,
    "constant": 9,
    "times": 1,
}


def units(repetitions: int, **changed: Any) -> Any:
    part = CONSTANT | changed
    return gap_regret._units(part, repetitions, SEED, len(gap_regret._equal_cells(part)))


def test_the_true_constant_is_a_single_digit_also_for_gaps_that_double() -> None:
    assert decide(units(100)) == "holds"
    assert decide(units(50, K=[26], doubling=[True], gap=[0.01, 0.1], epsilon=[0.1], constant=5)) == "holds"


FLAT = {
    "kind": ["independent"],
    "K": [10],
    "gap": [0.2],
    "epsilon": [0.5],
    "T": [1, 256, 2048, 65536],
    "multiple": 32,
    "tolerance": 0.05,
    "hedge": 256,
    "times": 1,
}


def flat(repetitions: int, **changed: Any) -> Any:
    part = FLAT | changed
    return gap_regret._flat_in_horizon(part, repetitions, SEED, gap_regret._flat_intervals(part))


def test_all_parts_hold_jointly_and_repeat_as_often_as_they_say(put: Any) -> None:
    asked: list[tuple[int, int]] = []
    for part in ("_units", "_flat_in_horizon"):
        put(gap_regret, part, lambda part, repetitions, _, joint: asked.append((repetitions, joint)) or [])
    both = FLAT | {"kind": ["alike", "opposed"], "K": [5, 10, 20], "gap": [0.1, 0.2], "times": 5}
    grid = {"units": [CONSTANT | {"times": 2}, CONSTANT], "flat": both}
    assert gap_regret.measured_regret(grid, 10, SEED) == []
    joint = 4 + 4 + 2 * 3 * 2 * 4
    assert asked == [(20, joint), (10, joint), (50, joint)]


def test_the_regret_is_flat_in_the_end() -> None:
    points = flat(100)
    assert decide(points) == "holds"
    regrets = [point.notes["regret"] for point in points]
    assert regrets == sorted(regrets)
    assert points[0].notes["regret"] == pytest.approx(0.18)  # the mean gap, whoever plays
    assert [np.isnan(point.notes["hedge"]) for point in points] == [False, False, True, True]
