"""Appendix A.11 beyond two experts, and mutants."""

import pytest

from private_experts.replication.claims.checks.paper_000 import heuristic
from private_experts.replication.claims.evidence import decide
from tests.replication.claims.checks.remembered import remembered

MANY = {"n": [3], "t": [500], "q": [0.4, 0.7]}

ratio = heuristic.amplification_ratio
SIMULATED = remembered(heuristic.simulate_batches)


@pytest.fixture(autouse=True)
def simulated_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Simulate once for both tests, which ask for the same games."""
    monkeypatch.setattr(heuristic, "simulate_batches", SIMULATED)


def test_vacuous_points_are_left_out() -> None:
    assert heuristic.many_experts(MANY | {"n": [10]}, 50, 1) == []


def test_many_experts_hold() -> None:
    assert decide(heuristic.many_experts(MANY, 600, 1)) == "holds"


def test_many_experts_catch_an_estimate_without_the_number_of_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heuristic, "amplification_ratio", lambda q, t, n: 3 * ratio(q, t, n))
    assert decide(heuristic.many_experts(MANY, 600, 1)) == "fails"
