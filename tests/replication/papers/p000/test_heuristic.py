"""Appendix A.11 beyond two experts, and its limits; and mutants."""

from typing import Any

import numpy as np

from private_experts.algorithms import rw_adabatch
from private_experts.replication.papers.p000 import heuristic
from private_experts.walks.gap import distribution
from tests.each import each
from tests.replication.papers.remembered import remembered
from tests.replication.papers.small_checks import times, verdict

CHECKED = heuristic
MANY = {"n": [3], "t": [500], "q": [0.4, 0.7]}
SMALL = {"n": [2], "eta": [1.0], "T": 60, "t": 300, "longer": 0.01, "alone": 0.05}
GAPS = {"n": [2], "t": [300], "b": [1, 4], "tolerance": 0.05}
REGIMES = {"t": [300], "moderate": 1.3333}
drawn, ratio, estimate = (
    remembered(heuristic.simulate_batches),
    heuristic.amplification_ratio,
    heuristic.predicted,
)
COMPUTED = {"simulate_batches": drawn}


@each(
    ("check", "grid", "repetitions", "what", "mutants"),
    [
        # without the number of pairs
        (heuristic.many_experts, MANY, 600, {}, {"amplification_ratio": times(3, ratio)}),
        # the gap of a round half as late
        (
            heuristic.assumption_3,
            GAPS,
            6000,
            {},
            {"distribution": lambda e, n, scale: distribution(e, n, scale / np.sqrt(2))},
        ),
        (
            heuristic.small_batches,
            SMALL,
            2000,
            {"what": "alone"},
            {"simulate_batches": lambda *given, **options: 2 + 0 * drawn(*given, **options)},
        ),
        # as if rounds were four times as many, and with three tenths of the data alone
        (
            heuristic.regimes,
            REGIMES,
            10_000,
            {"what": "moderate"},
            {"predicted": lambda b, t: estimate(b, 4 * t)},
        ),
        (
            heuristic.regimes,
            REGIMES,
            10_000,
            {"what": "low"},
            {"predicted": lambda b, t: np.minimum(0.3 + 0.7 * estimate(b, t), 1.0)},
        ),
    ],
)
def test_it_holds_and_what_is_wrong_is_caught(
    check: Any, grid: Any, repetitions: int, what: Any, mutants: Any
) -> None:
    assert verdict(check, grid, repetitions, of=what) == "holds"
    assert verdict(check, grid, repetitions, of=what, **mutants) == "fails"


def test_batches_that_ask_for_too_small_a_lead_are_caught(put: Any) -> None:
    assert verdict(heuristic.small_batches, SMALL, 2000, of={"what": "longer"}) == "holds"
    put(rw_adabatch, sizes_now=lambda gap, eta, *rest, **options: 1 + (gap > eta).astype(np.int64))
    assert verdict(heuristic.small_batches, SMALL, 2000, of={"what": "longer"}) == "fails"


def test_vacuous_points_are_left_out() -> None:
    assert heuristic.many_experts(MANY | {"n": [10]}, 50, 1) == []
