"""Appendix A.11 beyond two experts, and mutants."""

import pytest

from private_experts.replication.claims.checks.paper_000 import heuristic
from private_experts.replication.claims.evidence import decide

CONVERSION = {"n": [2, 3, 10], "e": [0.001, 0.1]}
MANY = {"n": [3], "t": [500], "q": [0.4, 0.7]}

ratio = heuristic.amplification_ratio


def test_the_conversion_holds() -> None:
    assert decide(heuristic.conversion(CONVERSION, 2, 1)) == "holds"


def test_the_conversion_catches_a_factor_a_thousandth_too_small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heuristic.math, "comb", lambda n, k: 0.999 * n * (n - 1) / 2)
    assert decide(heuristic.conversion(CONVERSION, 2, 1)) == "fails"


def test_vacuous_points_are_left_out() -> None:
    assert all(point.bound < 1 for point in heuristic.conversion({"n": [100], "e": [0.0001, 1.0]}, 2, 1))
    assert heuristic.many_experts(MANY | {"n": [10]}, 50, 1) == []


def test_many_experts_hold() -> None:
    assert decide(heuristic.many_experts(MANY, 600, 1)) == "holds"


def test_many_experts_catch_an_estimate_without_the_number_of_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heuristic, "amplification_ratio", lambda q, t, n: 3 * ratio(q, t, n))
    assert decide(heuristic.many_experts(MANY, 600, 1)) == "fails"
