"""Each check of the central sums gives the expected verdict on a small grid, and another one for a mutant."""

from typing import Any

import numpy as np
import pytest

from private_experts.privacy import factorization, tight_tree
from private_experts.privacy.factorization import (
    Optimum,
    lower_factor,
    optimal,
    prefix_sums,
    square_root,
)
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import central_prefix_sums
from private_experts.replication.papers.p000.central_prefix_sums import (
    central_noise,
)
from private_experts.replication.study.data.panel import Panel

CHECKED = central_prefix_sums
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


def privacy(*mechanisms: str) -> str:
    return decide(central_prefix_sums.central_privacy(PRIVACY | {"mechanism": mechanisms or PRIVATE}))


def estimates(*mechanisms: str) -> str:
    return decide(central_prefix_sums.central_estimates(ESTIMATES | {"mechanism": mechanisms or ALL}))


def best() -> str:
    return decide(central_prefix_sums.optimal_strategy(OPTIMAL))


def failing_libraries(points: Any) -> set[str]:
    return {point.where.get("library", "no library") for point in points if decide([point]) != "holds"}


def test_they_hold() -> None:
    assert (privacy(), estimates(), best()) == ("holds", "holds", "holds")


def scaled(factor: float) -> Any:
    class Scaled(central_prefix_sums.Sources):
        def perturb(self, values: Any, scale: float, repetitions: int) -> Any:
            return super().perturb(values, factor * scale, repetitions)

    return Scaled


node_scales, workload_of = tight_tree.node_scales, central_prefix_sums.workload_of
noise_deviation = factorization.noise_deviation


def half(first: Any, second: Any) -> Any:
    """Children are mixed half and half."""
    if np.isinf(second[1]):
        return first
    return (first[0] + second[0]) / 2, (first[1] + second[1]) / 4


class Late(central_prefix_sums.MatrixSums):
    """Takes a sensitivity from the week before."""

    def __init__(self, n: int, guarantee: Any, *, sensitivity: Any, **rest: Any) -> None:
        late = np.concatenate([sensitivity[:1], sensitivity[:-1]])
        super().__init__(n, guarantee, sensitivity=late, **rest)


def nearly(workload: Any, bounds: Any, **rest: Any) -> Optimum:
    gram = optimal(workload, bounds, **rest).strategy
    gram = 0.99 * gram.T @ gram + 0.01 * np.eye(len(bounds))
    return Optimum(lower_factor(gram), 0.0)


@pytest.mark.parametrize("factor", [0.95, 1.05])
def test_a_twentieth_less_noise_or_more_is_caught_in_every_mechanism(factor: float, put: Any) -> None:
    put(Sources=scaled(factor))
    assert [privacy(name) for name in PRIVATE] == ["fails"] * 6


def test_a_sensitivity_taken_from_the_week_before_and_other_estimates_are_caught(put: Any) -> None:
    put(MatrixSums=Late)
    assert privacy("optimised-sums") == "fails"
    put(tight_tree, _mixed=half)
    assert estimates("tree-honaker") == "fails"


def test_a_strategy_that_is_nearly_the_best_is_caught(put: Any) -> None:
    put(optimal=nearly)
    assert best() == "fails"


@pytest.mark.parametrize("factor", [0.99999, 1.00001])
def test_noise_of_the_library_that_is_not_what_the_strategy_has_is_caught(factor: float, put: Any) -> None:
    put(noise_deviation=lambda *arguments: factor * noise_deviation(*arguments))
    assert best() == "fails"


def test_the_lower_bound_is_below_every_strategy_and_touches_the_best() -> None:
    bounds, workload = central_prefix_sums.PATTERNS["spikes"](12), prefix_sums(12)
    least = (
        factorization.noise_deviation(workload, optimal(workload, bounds, tolerance=1e-9).strategy, bounds)
        ** 2
    ).sum()
    for strategy in (np.eye(12), square_root(12)):
        assert central_prefix_sums.least_noise(workload, strategy, bounds) <= least * (1 + 1e-9)


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
    means = central_prefix_sums.mean_noises(bounds, {"local": np.eye(8)})
    assert means["min-noise"] == pytest.approx(2.0 * 3)
    assert means["rw-ftpl"] == pytest.approx(2.0 * np.sqrt(np.arange(1, 8)).mean())
    assert means["local"] == pytest.approx(means["rw-ftpl"])
    # With one bound for all, a prefix has sqrt(3 * ones in the binary form of its length) times the bound.
    assert means["tree-tight"] == pytest.approx(2.0 * np.sqrt(3 * np.array([1, 1, 2, 1, 2, 2, 3])).mean())


least_scale = central_prefix_sums.least_scale


@pytest.mark.parametrize(
    ("module", "name", "mutant", "caught"),
    [
        (None, "Sources", scaled(1 - 1e-8), {"tree-tight", "tree-honaker"}),
        (None, "least_scale", lambda *given: least_scale(*given) / 2, {"min-noise"}),
        (
            None,
            "noise_deviation",
            lambda *given: (1 - 1e-8) * noise_deviation(*given),
            {"rw-ftpl", "square-root", "optimised-sums"},
        ),
    ],
)
def test_noise_of_the_library_that_is_off_is_caught(
    module: Any, name: str, mutant: Any, caught: set[str], put: Any
) -> None:
    put(module, **{name: mutant})
    assert failing_libraries(central_noise({}, LIKE_THOSE_AT_HAND)) == caught
