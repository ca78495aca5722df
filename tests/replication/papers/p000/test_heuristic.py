"""Appendix A.11 beyond two experts, and its limits; and mutants."""

from typing import Any

import numpy as np
import pytest

from private_experts.algorithms import rw_adabatch
from private_experts.replication.ledger.checking import points_of
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import heuristic
from private_experts.walks.gap import distribution
from tests.each import each
from tests.replication.papers.remembered import remembered

CHECKED = heuristic
MANY = {"n": [3], "t": [500], "q": [0.4, 0.7]}
SMALL = {"n": [2], "eta": [1.0], "T": 60, "t": 300, "longer": 0.01, "alone": 0.05}
CHECKS: dict[str, tuple[Any, dict[str, Any], int]] = {
    "many experts": (heuristic.many_experts, MANY, 600),
    "assumption 3": (heuristic.assumption_3, {"n": [2], "t": [300], "b": [1, 4], "tolerance": 0.05}, 6000),
    "longer": (heuristic.small_batches, SMALL, 2000),
    "alone": (heuristic.small_batches, SMALL, 2000),
    "moderate": (heuristic.regimes, {"t": [300], "moderate": 1.3333}, 10_000),
    "low": (heuristic.regimes, {"t": [300], "moderate": 1.3333}, 10_000),
}
ratio, estimate = heuristic.amplification_ratio, heuristic.predicted
COMPUTED = {"simulate_batches": remembered(heuristic.simulate_batches)}


def verdict(name: str) -> str:
    check, grid, repetitions = CHECKS[name]
    return decide(
        [point for point in points_of(check, grid, repetitions, 1) if point.where.get("what", name) == name]
    )


@each("name", CHECKS)
def test_it_holds(name: str) -> None:
    assert verdict(name) == "holds"


@pytest.mark.parametrize(
    ("name", "replaced", "mutant"),
    [
        # without the number of pairs
        ("many experts", "amplification_ratio", lambda q, t, n: 3 * ratio(q, t, n)),
        # The gap of a round half as late.
        ("assumption 3", "distribution", lambda e, n, scale: distribution(e, n, scale / np.sqrt(2))),
        (
            "alone",
            "simulate_batches",
            lambda *given, **options: 2 + 0 * COMPUTED["simulate_batches"](*given, **options),
        ),
        # As if rounds were four times as many, and with three tenths of the data alone.
        ("moderate", "predicted", lambda b, t: estimate(b, 4 * t)),
        ("low", "predicted", lambda b, t: np.minimum(0.3 + 0.7 * estimate(b, t), 1.0)),
    ],
)
def test_it_is_caught(name: str, replaced: str, mutant: Any, put: Any) -> None:
    put(**{replaced: mutant})
    assert verdict(name) == "fails"


def test_batches_that_ask_for_too_small_a_lead_are_caught(put: Any) -> None:
    put(rw_adabatch, sizes_now=lambda gap, eta, *rest, **options: 1 + (gap > eta).astype(np.int64))
    assert verdict("longer") == "fails"


def test_vacuous_points_are_left_out() -> None:
    assert heuristic.many_experts(MANY | {"n": [10]}, 50, 1) == []
