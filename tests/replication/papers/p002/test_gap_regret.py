"""Each check of regret gives the expected verdict on a small grid, and the other verdict on a mutant."""

from typing import Any

import numpy as np
import pytest

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p002 import gap_regret
from private_experts.replication.papers.p002.gap_regret import (
    privacy_term,
    softmax_errors,
    theorem_1,
    theorem_1_constants,
)
from tests.each import each
from tests.replication.papers.p002.streams import at_rate, instead
from tests.replication.papers.small_checks import SEED, failing, found, verdict

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


def test_an_exact_regret_of_another_privacy_term_is_caught() -> None:
    def at_another_rate(kind: str, n: int, gap: float, beta: float, most: int) -> Any:
        return softmax_errors(kind, n, gap, 1.25 * beta, most)

    assert failing(found(privacy_term, PRIVACY, softmax_errors=at_another_rate), "side") - {"library"}


def test_the_larger_of_gap_and_level_in_the_place_of_the_smaller_is_caught(monkeypatch: Any) -> None:
    monkeypatch.setattr(gap_regret, "min", max, raising=False)
    assert failing(theorem_1_constants(THEOREM, 2, SEED), "constants") >= {"(1) over (2)"}


def test_a_bound_above_the_number_of_rounds_times_the_gap_is_vacuous() -> None:
    points = theorem_1_constants(ALONE, 20, SEED)
    assert all(point.vacuous == (point.where["gap"] == 0) for point in points)
    assert {point.where["gap"] for point in points} == {0, 1.0}


def test_the_bound_in_numbers_also_for_two_actions() -> None:
    point, *_ = theorem_1(ALONE | {"K": [2], "gap": [0.1], "epsilon": [0.5], "T": [1024]}, 2, SEED)
    assert point.bound == pytest.approx(np.log(2) * 1000 * (1 / 0.1 + 1 / 0.5))


def test_a_learner_that_cannot_read_has_the_regret_that_is_called_lazy() -> None:
    for point in theorem_1_constants(ALONE | {"gap": [1.0], "epsilon": [1e-12], "T": [2**16]}, 100, SEED):
        assert point.lazy == pytest.approx(point.value, rel=0.02)
    assert any(point.lazy_fails for point in theorem_1_constants(THEOREM, 20, SEED) if not point.vacuous)


def test_without_gaps_the_bound_grows_like_the_root_of_the_rounds() -> None:
    points = theorem_1_constants(WITHOUT_GAPS | {"constants": {"without gaps": [22.7, 16]}}, 20, SEED)
    assert decide(points) == "holds"
    assert all(point.lazy_fails and not point.vacuous for point in points)
    bounds = {(point.where["epsilon"], point.where["T"]): point.bound - 16 * np.log(10) for point in points}
    assert bounds[1.0, 2**22] == pytest.approx(2 * bounds[1.0, 2**20])


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


def test_an_algorithm_that_needs_a_larger_constant_is_caught(put: Any) -> None:
    put(gap_regret, "algorithm_of", BLUNT)
    assert decide(units(100)) == "fails"


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


def test_without_chance_the_regret_is_exact_and_near_the_simulated_one(put: Any) -> None:
    certain: Any = {"kind": ["deterministic", "independent", "opposed"], "gap": [1.0], "epsilon": [0.1]}
    exact = flat(100, **certain)
    assert decide(exact) == "holds"
    assert all(point.interval == (point.value, point.value) for point in exact)
    put(gap_regret, "_certain", lambda stream: False)
    for point in flat(100, **certain, T=[1, 256, 2048]):
        known = next(other for other in exact if other.where == point.where)
        assert point.interval[0] <= known.value <= point.interval[1]


def test_a_regret_that_still_grows_or_is_called_flat_too_early_is_caught(put: Any) -> None:
    assert decide(flat(100, multiple=4)) == "fails"
    assert decide(flat(2, kind=["deterministic"], gap=[1.0], epsilon=[0.1], multiple=1)) == "fails"
    put(gap_regret, "algorithm_of", DULL)
    assert decide(flat(100)) == "fails"
