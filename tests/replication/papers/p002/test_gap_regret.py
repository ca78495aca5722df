"""Each check of regret gives the expected verdict on a small grid, and the other verdict on a mutant."""

from typing import Any

import numpy as np
import pytest

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p002 import gap_regret
from tests.replication.papers.p002.streams import at_rate, instead
from tests.replication.papers.small_checks import SEED, failing, verdict

DULL = at_rate(0.2)  # the privacy term is then 40 log K / eps, where the proof gives 32
BLUNT = at_rate(0.125)
SHARP = at_rate(1.25)

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
ALONE: Any = {"two forms": {"gap": [], "epsilon": []}}


def test_the_regret_is_under_the_theorems_bound() -> None:
    assert verdict(gap_regret.theorem_1, THEOREM, 20) == "holds"
    assert verdict(gap_regret.theorem_1_constants, THEOREM, 20) == "holds"


def test_an_algorithm_that_needs_40_where_32_is_proved_is_caught(put: Any) -> None:
    put(gap_regret, "algorithm_of", instead(DULL))
    grid = THEOREM | {"gap": [1.0], "epsilon": [0.001], "T": [2**24]}
    assert verdict(gap_regret.theorem_1_constants, grid, 100) == "fails"


def test_the_larger_of_gap_and_level_in_the_place_of_the_smaller_is_caught(monkeypatch: Any) -> None:
    monkeypatch.setattr(gap_regret, "min", max, raising=False)
    assert failing(gap_regret.theorem_1_constants(THEOREM, 2, SEED), "constants") >= {"(1) over (2)"}


def test_a_bound_above_the_number_of_rounds_times_the_gap_is_vacuous() -> None:
    points = gap_regret.theorem_1_constants(THEOREM | ALONE, 20, SEED)
    assert {point.where["gap"] for point in points if point.vacuous} == {0}
    assert {point.where["gap"] for point in points if not point.vacuous} == {1.0}


def test_the_bound_in_numbers_also_for_two_actions() -> None:
    grid = THEOREM | ALONE | {"K": [2], "gap": [0.1], "epsilon": [0.5], "T": [1024]}
    point, *_ = gap_regret.theorem_1(grid, 2, SEED)
    assert point.bound == pytest.approx(np.log(2) * 1000 * (1 / 0.1 + 1 / 0.5))


def test_a_learner_that_cannot_read_has_the_regret_that_is_called_lazy() -> None:
    grid = THEOREM | ALONE | {"gap": [1.0], "epsilon": [1e-12], "T": [2**16]}
    for point in gap_regret.theorem_1_constants(grid, 100, SEED):
        assert point.lazy == pytest.approx(point.value, rel=0.02)
    assert any(
        point.lazy_fails for point in gap_regret.theorem_1_constants(THEOREM, 20, SEED) if not point.vacuous
    )


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


def test_the_true_constant_is_a_single_digit() -> None:
    assert decide(units(100)) == "holds"


def test_an_algorithm_that_needs_a_larger_constant_is_caught(put: Any) -> None:
    put(gap_regret, "algorithm_of", instead(BLUNT))
    assert decide(units(100)) == "fails"


def test_gaps_that_double_need_no_larger_constant() -> None:
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
    repeated, jointly = [], set()

    def nothing(part: Any, repetitions: int, seed: int, intervals: int) -> Any:
        repeated.append(repetitions)
        jointly.add(intervals)
        return []

    put(gap_regret, "_units", nothing)
    put(gap_regret, "_flat_in_horizon", nothing)
    flat = FLAT | {"kind": ["alike", "opposed"], "K": [5, 10, 20], "gap": [0.1, 0.2], "times": 5}
    grid = {"units": [CONSTANT | {"times": 2}, CONSTANT], "flat": flat}
    assert gap_regret.measured_regret(grid, 10, SEED) == []
    assert (repeated, jointly) == ([20, 10, 50], {4 + 4 + 2 * 3 * 2 * 4})


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
    simulated = flat(100, **certain, T=[1, 256, 2048])
    for point in simulated:
        known = next(other for other in exact if other.where == point.where)
        assert point.interval[0] <= known.value <= point.interval[1]


def test_a_regret_that_still_grows_is_caught(put: Any) -> None:
    put(gap_regret, "algorithm_of", instead(DULL))
    assert decide(flat(100)) == "fails"


def test_a_regret_that_is_called_flat_too_early_is_caught() -> None:
    assert decide(flat(100, multiple=4)) == "fails"
    assert decide(flat(2, kind=["deterministic"], gap=[1.0], epsilon=[0.1], multiple=1)) == "fails"


PRIVACY = {"K": [2, 64, 4096], "epsilon": [0.2]}


def test_the_privacy_term_is_8_log_k_over_epsilon() -> None:
    assert verdict(gap_regret.privacy_term, PRIVACY) == "holds"


@pytest.mark.parametrize("mutant", [SHARP, BLUNT])
def test_another_privacy_term_is_caught(mutant: Any, put: Any) -> None:
    put(gap_regret, "algorithm_of", instead(mutant))
    assert verdict(gap_regret.privacy_term, PRIVACY) == "fails"


def test_an_exact_regret_of_another_privacy_term_is_caught(put: Any) -> None:
    errors = gap_regret.softmax_errors
    put(
        gap_regret, "softmax_errors", lambda kind, n, gap, beta, most: errors(kind, n, gap, 1.25 * beta, most)
    )
    points = gap_regret.privacy_term(PRIVACY)
    assert decide([point for point in points if point.where["side"] != "library"]) == "fails"


def test_without_gaps_the_bound_grows_like_the_root_of_the_rounds() -> None:
    grid = THEOREM | ALONE | {"gap": [0.3], "T": [2**20, 2**22], "constants": {"without gaps": [22.7, 16]}}
    points = gap_regret.theorem_1_constants(grid, 20, SEED)
    assert decide(points) == "holds"
    assert all(point.lazy_fails and not point.vacuous for point in points)
    bounds = {(point.where["epsilon"], point.where["T"]): point.bound - 16 * np.log(10) for point in points}
    assert bounds[1.0, 2**22] == pytest.approx(2 * bounds[1.0, 2**20])
    assert (
        verdict(gap_regret.theorem_1_constants, grid | {"constants": {"without gaps": [0.0, 1.0]}}, 20)
        == "fails"
    )
