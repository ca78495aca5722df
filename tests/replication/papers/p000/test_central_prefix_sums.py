"""Each check of the central sums gives the expected verdict on a small grid, and another one for a mutant."""

from typing import Any

import numpy as np
import pytest

from private_experts.privacy import tight_tree
from private_experts.privacy.factorization import (
    Optimum,
    lower_factor,
    noise_deviation,
    optimal,
    prefix_sums,
    square_root,
)
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import central_prefix_sums as checks
from private_experts.replication.papers.p000.central_prefix_sums import central_noise
from private_experts.replication.study.data.panel import Panel
from tests.each import each
from tests.replication.papers.small_checks import found, times, verdict

ALL = ["tree-tight", "tree-honaker", "square-root", "optimised-sums", "central-learners"]
PRIVATE = [*ALL, "taken-back"]
PRIVACY = {"mechanism": ALL, "pattern": ["constant", "spikes"], "T": [2, 9, 20], "mu": [0.5]}
ESTIMATES = PRIVACY | {"every": 3, "tolerance": 1e-9}
OPTIMAL = {"workload": ["prefix sums", "forecasts"], "pattern": ["constant", "spikes"], "T": [2, 20]}


def panels(smallest_beds: Any) -> dict[str, Panel]:
    weeks = len(smallest_beds)
    return {
        "NM": Panel(
            tuple(map(str, range(weeks))), ("a",), np.zeros((weeks, 1)), np.asarray(smallest_beds, float)
        )
    }


LIKE_THOSE_AT_HAND = panels(np.where(np.arange(40) % 9 == 4, 8.0, 10.0))


def scaled(factor: float) -> Any:
    class Scaled(checks.Sources):
        def perturb(self, values: Any, scale: float, repetitions: int) -> Any:
            return super().perturb(values, factor * scale, repetitions)

    return Scaled


def half(first: Any, second: Any) -> Any:
    """Children are mixed half and half."""
    if np.isinf(second[1]):
        return first
    return (first[0] + second[0]) / 2, (first[1] + second[1]) / 4


class Late(checks.MatrixSums):
    """Takes a sensitivity from the week before."""

    def __init__(self, n: int, guarantee: Any, *, sensitivity: Any, **rest: Any) -> None:
        late = np.concatenate([sensitivity[:1], sensitivity[:-1]])
        super().__init__(n, guarantee, sensitivity=late, **rest)


def nearly(workload: Any, bounds: Any, **rest: Any) -> Optimum:
    gram = optimal(workload, bounds, **rest).strategy
    gram = 0.99 * gram.T @ gram + 0.01 * np.eye(len(bounds))
    return Optimum(lower_factor(gram), 0.0)


@each(
    ("check", "grid", "mutants", "expected"),
    [
        (checks.central_privacy, PRIVACY | {"mechanism": PRIVATE}, {}, "holds"),
        # a twentieth less noise or more, in every mechanism
        *(
            (checks.central_privacy, PRIVACY | {"mechanism": [name]}, {"Sources": scaled(factor)}, "fails")
            for name in PRIVATE
            for factor in (0.95, 1.05)
        ),
        (checks.central_privacy, PRIVACY | {"mechanism": ["optimised-sums"]}, {"MatrixSums": Late}, "fails"),
        (checks.central_estimates, ESTIMATES, {}, "holds"),
        (checks.optimal_strategy, OPTIMAL, {}, "holds"),
        (checks.optimal_strategy, OPTIMAL, {"optimal": nearly}, "fails"),
        # noise of the library that is not what the strategy has
        (checks.optimal_strategy, OPTIMAL, {"noise_deviation": times(0.99999, noise_deviation)}, "fails"),
        (checks.optimal_strategy, OPTIMAL, {"noise_deviation": times(1.00001, noise_deviation)}, "fails"),
    ],
)
def test_it_holds_and_what_is_wrong_is_caught(check: Any, grid: Any, mutants: Any, expected: str) -> None:
    assert verdict(check, grid, **mutants) == expected


def test_other_estimates_are_caught(put: Any) -> None:
    put(tight_tree, _mixed=half)
    assert verdict(checks.central_estimates, ESTIMATES | {"mechanism": ["tree-honaker"]}) == "fails"


def test_the_lower_bound_is_below_every_strategy_and_touches_the_best() -> None:
    bounds, workload = checks.PATTERNS["spikes"](12), prefix_sums(12)
    least = (noise_deviation(workload, optimal(workload, bounds, tolerance=1e-9).strategy, bounds) ** 2).sum()
    for strategy in (np.eye(12), square_root(12)):
        assert checks.least_noise(workload, strategy, bounds) <= least * (1 + 1e-9)


def test_the_order_of_the_noises_holds_on_panels_like_those_at_hand_and_is_caught_when_it_does_not() -> None:
    points = central_noise({}, LIKE_THOSE_AT_HAND)
    assert decide(points) == "holds"
    assert all(point.certified for point in points)
    order = ["rw-ftpl", "tree-tight", "tree-honaker", "square-root", "optimised-sums"]
    assert [point.where["less"] for point in points if "less" in point.where] == order
    # Rare weeks that show twice as much lie in nodes of every level, and the tight tree is worse than local
    # reports.
    spiked = panels(np.where(np.arange(40) % 9 == 4, 4.0, 10.0))
    assert decide(central_noise({}, spiked)) == "fails"


def test_mean_noises_are_those_of_the_formulas() -> None:
    bounds = np.full(8, 2.0)
    means = checks.mean_noises(bounds, {"local": np.eye(8)})
    assert means["min-noise"] == pytest.approx(2.0 * 3)
    assert means["rw-ftpl"] == pytest.approx(2.0 * np.sqrt(np.arange(1, 8)).mean())
    assert means["local"] == pytest.approx(means["rw-ftpl"])
    # With one bound for all, a prefix has sqrt(3 * ones in the binary form of its length) times the bound.
    assert means["tree-tight"] == pytest.approx(2.0 * np.sqrt(3 * np.array([1, 1, 2, 1, 2, 2, 3])).mean())


@each(
    ("mutants", "caught"),
    [
        ({"Sources": scaled(1 - 1e-8)}, {"tree-tight", "tree-honaker"}),
        ({"least_scale": times(0.5, checks.least_scale)}, {"min-noise"}),
        ({"noise_deviation": times(1 - 1e-8, noise_deviation)}, {"rw-ftpl", "square-root", "optimised-sums"}),
    ],
)
def test_noise_of_the_library_that_is_off_is_caught(mutants: Any, caught: set[str]) -> None:
    points = found(central_noise, {}, panels=LIKE_THOSE_AT_HAND, **mutants)
    wrong = [point for point in points if decide([point]) != "holds"]
    assert {point.where.get("library", "no library") for point in wrong} == caught
