"""Algorithm 1 with softmax selections: each check gives its verdict, and another when something is wrong."""

import itertools
import math

import numpy as np
import pytest

from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import phases, softmax
from tests.replication.papers.small_checks import verdict, wrong

POTENTIAL = {"N": [2, 10], "gaps": ["equal", "evenly spread", "halving"], "epsilon": [0.1], "T": [16384]}
INTERVALS = {"kind": ["opposed"], "N": [2], "T": [16384], "epsilon": [5.0], "gap": [0.8], "beta": 0.1}
INTERVALS |= {"lengths": 12, "fraction": [1.0]}


def verdicts() -> tuple[str, str]:
    """Return the verdicts on the formulas, and on the library's numbers."""
    points = softmax.softmax_potential(POTENTIAL)
    library = [point for point in points if "library" in point.where["what"]]
    return decide([point for point in points if point not in library]), decide(library)


def test_the_moment_is_within_its_bound_and_near_it() -> None:
    assert verdicts() == ("holds", "holds")
    points = [point for point in softmax.softmax_potential(POTENTIAL) if point.lazy is not None]
    assert all(point.lazy_fails and not point.vacuous for point in points)
    assert max(point.value / point.bound for point in points) > 0.98


def test_selections_with_a_smaller_rate_are_caught() -> None:
    share, turns = 0.95, itertools.cycle((True, False))

    def smaller(right, gaps, rate):
        # of the two potentials of a block the first one is at (c - 1/2) and the second at c times it
        return right(gaps, rate * (2 * share - 1 if next(turns) else share))

    with wrong(softmax, "potential", smaller):
        assert verdicts()[0] == "fails"
    # a program with another rate
    with wrong(softmax, "leader", lambda right, n, epsilon, *rest: right(n, (1 - 1e-8) * epsilon, *rest)):
        assert verdicts() == ("holds", "fails")


def test_the_moment_is_that_of_all_selections() -> None:
    """By enumeration of what is selected in the blocks 2 and 4."""
    epsilon, gaps, sizes = 0.7, np.array([0.0, 0.3, 1.0]), np.array([2.0, 4.0])
    laws = softmax.leader(3, epsilon, np.random.default_rng(0), 1).law(-np.multiply.outer(sizes / 2, gaps))
    moment = mean = 0.0
    for first, second in itertools.product(range(3), repeat=2):
        chance, lost = laws[0, first] * laws[1, second], sizes @ gaps[[first, second]]
        moment += chance * math.exp(epsilon / 8 * lost)
        mean += chance * lost
    assert softmax.program(gaps, sizes, epsilon) == (pytest.approx(math.log(moment)), pytest.approx(mean))


class Stubborn(DyadicLeader):
    """Keeps its first expert."""

    def update(self, gains) -> None:
        pass


def test_intervals_and_the_tracker_keep_their_bounds_and_a_leader_that_never_changes_is_caught() -> None:
    grid = {"N": 2, "gap": 0.8, "cells": [[65536, 1, 10.0, "all"]]}
    assert verdict(softmax.softmax_tracking, grid, 3) == "holds"
    assert verdict(softmax.softmax_intervals, INTERVALS, 80) == "holds"
    with wrong(softmax, "DyadicLeader", Stubborn):
        assert verdict(softmax.softmax_intervals, INTERVALS, 80) == "fails"


def test_the_proved_bound_in_numbers() -> None:
    level = math.log(2 * 100 / 0.01)
    alpha = 32 * (2 * math.log(100) + math.log(200)) / 0.5
    expected = 18.8284271 * math.sqrt(7 * 100 * level) + 7 * (64 * level + 2 * alpha + 1) + 3 + 8
    assert softmax.proved_bound(2, 100, 3, 0.5, 0.01) == pytest.approx(expected)
    assert phases.explicit_bound(2, 100, 3, 0.5, 0.01) < expected
