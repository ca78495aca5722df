"""The checks of Algorithm 2 of paper 004 give their verdicts, and other verdicts when something is wrong."""

import math
from typing import Any

import pytest

from private_experts.algorithms import restarting_leader
from private_experts.algorithms.all_windows import AllWindows
from private_experts.algorithms.restarting_leader import RestartingLeader
from private_experts.privacy.above_threshold import halting_law
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import phases
from private_experts.replication.papers.p004.halting import in_units
from tests.replication.papers.small_checks import SEED, verdict

QUERIES = {"exhaustive": [[2, 2]], "epsilon": [1.0], "queries": [12], "level": [-20, -6, 0]}


def test_halved_queries_are_private_and_whole_ones_not() -> None:
    assert verdict(phases.tracking_queries, QUERIES) == "holds"
    failing = phases.tracking_queries_printed(QUERIES)
    assert {point.where["what"]: decide([point]) for point in failing} == {
        "sensitivity": "fails",
        "privacy": "fails",
        "Lemma 2.4": "holds",
        "program's law": "holds",
    }


def test_less_noise_than_stated_is_caught(put: Any) -> None:
    put(phases, "in_units", lambda q, epsilon, sensitivity: in_units(q, epsilon, 0.95 * sensitivity))
    points = phases.tracking_queries(QUERIES)
    assert decide([point for point in points if point.where["what"] == "Lemma 2.4"]) == "fails"


def test_a_law_of_the_program_that_is_slightly_off_is_caught(put: Any) -> None:
    put(
        phases,
        "halting_law",
        lambda q, epsilon, sensitivity: halting_law(q, epsilon, (1 + 1e-10) * sensitivity),
    )
    *others, law = phases.tracking_queries(QUERIES)
    assert (decide(others), decide([law])) == ("holds", "fails")


def test_windows_that_leave_out_the_played_expert_are_caught(put: Any) -> None:
    class Forgetful(AllWindows):
        def add(self, gains: Any, own: Any) -> None:
            super().add(gains, 3 * own)

    put(phases, "AllWindows", Forgetful)
    assert verdict(phases.tracking_queries, QUERIES) == "fails"


PHASES = {
    "N": 2,
    "T": [512],
    "beta": 0.25,
    "kind": ["deterministic"],
    "epsilon": [20.0],
    "slack": [0.25],
    "gap": 0.8,
    "time": [0.25, 0.5, 0.75, 1.0],
}


def test_phases_end_after_a_shift_and_not_before() -> None:
    points = phases.phases(PHASES, 60, SEED)
    assert decide(points) == "holds"
    assert {point.where["what"] for point in points} == {"early", "late"}


def tracker(**options: Any) -> Any:
    def make(
        n: int, t: int, epsilon: float, beta: float, slack: float, windows: Any, r: int, *key: Any
    ) -> Any:
        return RestartingLeader(
            n,
            PureDP(epsilon, "central"),
            horizon=t,
            rng=rng_for(*key, r),
            repetitions=r,
            beta=beta,
            windows=windows,
            **{"slack": slack} | options,
        )

    return make


def test_phases_that_end_late_are_caught(put: Any) -> None:
    put(phases, "tracker", tracker(slack=10.0))
    assert verdict(phases.phases, PHASES, 60) == "fails"


def test_phases_that_end_without_cause_are_caught(put: Any) -> None:
    put(phases, "tracker", tracker(slack=1e-9))
    put(restarting_leader, "accuracy", lambda *arguments: 0.0)
    grid = PHASES | {"kind": ["independent"]}
    assert verdict(phases.phases, grid, 60) == "fails"


SHIFTS = {"N": 2, "gap": 0.9, "cells": [[4096, 1, 50.0, "all"]]}


def test_the_dynamic_regret_is_within_its_bound() -> None:
    (point,) = phases.theorem_3_6(SHIFTS, 4, SEED)
    assert decide([point]) == "holds"
    assert not point.vacuous


def test_never_restarting_is_caught_in_games_that_are_long_enough(put: Any) -> None:
    put(phases, "tracker", tracker(slack=1e9))
    shorter, longer = phases.theorem_3_6(
        SHIFTS | {"cells": [[n, 1, 50.0, "dyadic"] for n in (2048, 32768)]}, 4, SEED
    )
    assert (decide([shorter]) == "fails", decide([longer]) == "fails") == (False, True)
    for point in (shorter, longer):
        assert point.lazy == pytest.approx(point.value, rel=0.05)
    assert (shorter.lazy_fails, longer.lazy_fails) == (False, True)


def test_the_explicit_bound_in_numbers() -> None:
    level, alpha = math.log(2 * 100 / 0.01), 16 * (2 * math.log(100) + math.log(200)) / 0.5
    expected = 9 * math.sqrt(2 * 3 * 100 * level) + 6 * (16 * level / 0.5 + 2 * alpha + 1)
    assert phases.explicit_bound(2, 100, 3, 0.5, 0.01) == pytest.approx(expected + 1)
