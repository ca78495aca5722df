"""Appendix A.11 beyond two experts, and its limits; and mutants."""

from typing import Any

import numpy as np
import pytest

from private_experts.algorithms import rw_adabatch
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import heuristic
from private_experts.walks.gap import distribution
from tests.replication.papers.remembered import remembered

MANY = {"n": [3], "t": [500], "q": [0.4, 0.7]}
GAPS = {"n": [2], "t": [300], "b": [1, 4], "tolerance": 0.05}
SMALL = {"n": [2], "eta": [1.0], "T": 60, "t": 300, "longer": 0.01, "alone": 0.05}
REGIMES = {"t": [300], "moderate": 1.3333}

ratio, estimate = heuristic.amplification_ratio, heuristic.predicted
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


def test_assumption_3_holds() -> None:
    assert decide(heuristic.assumption_3(GAPS, 6000, 1)) == "holds"


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        # The threshold of A.11, and the gap without the noise that the totals begin with or of a round half as late.
        ("threshold", lambda t, b, *rest, **options: heuristic.predicted([b], t)[0] * np.sqrt(np.pi * t)),
        ("distribution", lambda e, n, scale: distribution(e, n, scale / np.sqrt(2))),
    ],
)
def test_assumption_3_catches(name: str, mutant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heuristic, name, mutant)
    assert decide(heuristic.assumption_3(GAPS, 6000, 1)) == "fails"


def small(what: str) -> str:
    points = heuristic.small_batches(SMALL, 2000, 1)
    return decide([point for point in points if point.where["what"] == what])


@pytest.mark.parametrize("what", ["longer", "alone"])
def test_small_batches_stay(what: str) -> None:
    assert small(what) == "holds"


def test_batches_that_ask_for_too_small_a_lead_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rw_adabatch, "compute_delay", lambda gap, eta, *rest: 1 + (gap > eta).astype(np.int64))
    assert small("longer") == "fails"


def test_batches_of_two_rounds_at_least_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heuristic, "simulate_batches", lambda *given, **options: 2 + 0 * SIMULATED(*given, **options))
    assert small("alone") == "fails"


def regimes(what: str, repetitions: int) -> str:
    return decide([point for point in heuristic.regimes(REGIMES, repetitions, 1) if point.where["what"] == what])


def test_regimes_hold() -> None:
    assert regimes("moderate", 10_000) == regimes("low", 10_000) == "holds"


@pytest.mark.parametrize(
    ("what", "mutant"),
    [
        # As if rounds were four times as many, and with three tenths of the data alone.
        ("moderate", lambda b, t: estimate(b, 4 * t)),
        ("low", lambda b, t: np.minimum(0.3 + 0.7 * estimate(b, t), 1.0)),
    ],
)
def test_regimes_catch(what: str, mutant: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(heuristic, "predicted", mutant)
    assert regimes(what, 10_000) == "fails"
