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
drawn = remembered(heuristic.simulate_batches)
ratio, estimate = heuristic.amplification_ratio, heuristic.predicted
COMPUTED = {"simulate_batches": drawn}


def half_as_late(e: Any, n: int, scale: float) -> Any:
    return distribution(e, n, scale / np.sqrt(2))


def of_two(*given: Any, **options: Any) -> Any:
    return 2 + 0 * drawn(*given, **options)


def of_longer_games(b: Any, t: int) -> Any:
    return estimate(b, 4 * t)


def often_alone(b: Any, t: int) -> Any:
    return np.minimum(0.3 + 0.7 * estimate(b, t), 1.0)


@each(
    ("check", "grid", "repetitions", "what", "mutants"),
    [
        # without the number of pairs; the gap of a round half as late; as if rounds were four times as many
        (heuristic.many_experts, MANY, 300, {}, {"amplification_ratio": times(3, ratio)}),
        (heuristic.assumption_3, GAPS, 4000, {}, {"distribution": half_as_late}),
        (heuristic.small_batches, SMALL, 1000, {"what": "alone"}, {"simulate_batches": of_two}),
        (
            heuristic.regimes,
            REGIMES,
            2000,
            {"what": "moderate"},
            {"predicted": lambda b, t: estimate(b, 4 * t)},
        ),
        (heuristic.regimes, REGIMES, 2000, {"what": "low"}, {"predicted": often_alone}),
    ],
)
def test_it_holds_and_what_is_wrong_is_caught(
    check: Any, grid: Any, repetitions: int, what: Any, mutants: Any
) -> None:
    assert verdict(check, grid, repetitions, of=what) == "holds"
    assert verdict(check, grid, repetitions, of=what, **mutants) == "fails"


def test_batches_that_ask_for_too_small_a_lead_are_caught(put: Any) -> None:
    assert verdict(heuristic.small_batches, SMALL, 1000, of={"what": "longer"}) == "holds"
    put(rw_adabatch, sizes_now=lambda gap, eta, *rest, **options: 1 + (gap > eta).astype(np.int64))
    assert verdict(heuristic.small_batches, SMALL, 1000, of={"what": "longer"}) == "fails"


def test_vacuous_points_are_left_out() -> None:
    assert heuristic.many_experts(MANY | {"n": [10]}, 50, 1) == []
