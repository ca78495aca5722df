"""The checks of Algorithm 2 of paper 004 give their verdicts, and other verdicts when something is wrong."""

import math

import pytest

from private_experts.algorithms import restarting_leader
from private_experts.algorithms.all_windows import AllWindows
from private_experts.algorithms.restarting_leader import RestartingLeader
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import phases
from tests.each import each
from tests.replication.papers.small_checks import SEED, failing, verdict, wrong

QUERIES = {"exhaustive": [[2, 2]], "epsilon": [1.0], "queries": [12], "level": [-20, -6, 0]}
PHASES = {"N": 2, "T": [512], "beta": 0.25, "kind": ["deterministic"], "epsilon": [20.0], "slack": [0.25]}
PHASES |= {"gap": 0.8, "time": [0.25, 0.5, 0.75, 1.0]}
SHIFTS = {"N": 2, "gap": 0.9, "cells": [[4096, 1, 50.0, "all"]]}


def test_halved_queries_are_private_and_whole_ones_not() -> None:
    assert verdict(phases.tracking_queries, QUERIES) == "holds"
    points = phases.tracking_queries_printed(QUERIES)
    assert failing(points, "what") == {"sensitivity", "privacy"}
    others = [point for point in points if point.where["what"] not in ("sensitivity", "privacy")]
    assert {point.where["what"] for point in others} == {"Lemma 2.4", "program's law"}
    assert decide(others) == "holds"


class Forgetful(AllWindows):
    """Counts three times what the played expert gains."""

    def add(self, gains, own) -> None:
        super().add(gains, 3 * own)


@each(
    ("name", "mutant", "caught"),
    [
        (
            "in_units",
            lambda right, q, epsilon, size: right(q, epsilon, 0.95 * size),
            {"Lemma 2.4", "program's law"},
        ),
        (
            "halting_law",
            lambda right, q, epsilon, size: right(q, epsilon, (1 + 1e-10) * size),
            {"program's law"},
        ),
        ("AllWindows", Forgetful, {"sensitivity"}),
    ],
)
def test_another_noise_law_or_window_is_caught(name, mutant, caught) -> None:
    with wrong(phases, name, mutant):
        assert failing(phases.tracking_queries(QUERIES), "what") == caught


def test_phases_end_after_a_shift_and_not_before() -> None:
    points = phases.phases(PHASES, 60, SEED)
    assert decide(points) == "holds"
    assert {point.where["what"] for point in points} == {"early", "late"}


def with_slack(slack: float):
    """Return a maker of trackers that have this slack, whatever they are asked to have."""

    def make(right, n, t, epsilon, beta, _, windows, r, *key):
        given = {"horizon": t, "rng": rng_for(*key, r), "repetitions": r, "beta": beta, "windows": windows}
        return RestartingLeader(n, PureDP(epsilon, "central"), **given, slack=slack)

    return make


def test_phases_that_end_late_or_without_cause_are_caught() -> None:
    with wrong(phases, "tracker", with_slack(10.0)):
        assert verdict(phases.phases, PHASES, 60) == "fails"
    with wrong(phases, "tracker", with_slack(1e-9)), wrong(restarting_leader, "accuracy", 0.0):
        assert verdict(phases.phases, PHASES | {"kind": ["independent"]}, 60) == "fails"


def test_the_dynamic_regret_is_within_its_bound() -> None:
    (point,) = phases.theorem_3_6(SHIFTS, 4, SEED)
    assert decide([point]) == "holds"
    assert not point.vacuous


def test_never_restarting_is_caught_in_games_that_are_long_enough() -> None:
    cells = [[rounds, 1, 50.0, "dyadic"] for rounds in (2048, 32768)]
    with wrong(phases, "tracker", with_slack(1e9)):
        points = phases.theorem_3_6(SHIFTS | {"cells": cells}, 4, SEED)
    assert [decide([point]) == "fails" for point in points] == [False, True]
    assert [point.lazy for point in points] == pytest.approx([point.value for point in points], rel=0.05)
    assert [point.lazy_fails for point in points] == [False, True]


def test_the_explicit_bound_in_numbers() -> None:
    level, alpha = math.log(2 * 100 / 0.01), 16 * (2 * math.log(100) + math.log(200)) / 0.5
    expected = 9 * math.sqrt(2 * 3 * 100 * level) + 6 * (16 * level / 0.5 + 2 * alpha + 1)
    assert phases.explicit_bound(2, 100, 3, 0.5, 0.01) == pytest.approx(expected + 1)
