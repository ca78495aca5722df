"""Balls decide how much likelier than on equal means a batch is small; other laws differ from true ones."""

from typing import Any

import numpy as np
import pytest

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import equal_means
from private_experts.replication.papers.p000.certified_batches import laws
from private_experts.replication.papers.p000.exact_batches import size_laws
from private_experts.replication.papers.p000.two_expert_batches import leads_of
from tests.replication.papers.remembered import remembered

CHECKED = equal_means
SEED = 1
GRID = {
    "stream": ["alternating", "drift 0.1"],
    "eta": [2.0],
    "alpha": [1.0],
    "t": [12],
    "after": 4,
    "height": [4],
    "crossing": [0],
    "pursued": [2],
    "steps": 5,
    "tolerance": 1e-6,
    "within": 1e-8,
}
EARLY = GRID | {"eta": [], "pursued": [], "also": [["gains 2 1", 4, 1.0, 1.0]]}
COMPUTED = {"size_laws": remembered(size_laws)}


def test_equal_means_are_worst_on_the_grid() -> None:
    points = equal_means.equal_means_worst(GRID, SEED)
    assert decide(points) == "holds"
    assert all(point.certified for point in points)
    assert [point.where["stream"] for point in points] == [
        "alternating",
        "drift 0.1",
        "cross 4 12",
        "search",
        "the program's",
    ]


def test_balls_prove_a_counterexample_of_four_rounds(put: Any) -> None:
    offs = []

    def noted(*given: Any) -> Any:
        found = laws(*given)
        offs.append(found[1])
        return found

    put(laws=noted)
    excess, agreement = equal_means.equal_means_worst(EARLY, SEED)
    assert decide([excess]) == "fails"
    assert decide([agreement]) == "holds"
    assert excess.value == pytest.approx(1.368e-4, abs=1e-7)
    assert excess.high - excess.low >= 4 * offs[0]  # either law may be off, to either side


def test_without_a_tolerance_for_the_program_the_excess_alone_is_asked(put: Any) -> None:
    put(size_laws=lambda *given: pytest.fail("it is not needed"))
    points = equal_means.equal_means_worst({key: EARLY[key] for key in EARLY if key != "within"}, SEED)
    assert [point.where["stream"] for point in points] == ["gains 2 1"]


def test_a_reference_with_a_drift_is_not_the_worst(put: Any) -> None:
    put(leads_of=lambda name, horizon: leads_of("drift 0.1" if name == "zero" else name, horizon))
    points = equal_means.equal_means_worst(GRID, SEED)
    assert {point.where["stream"] for point in points if decide([point]) == "fails"} == {
        "alternating",
        "search",
    }


def test_a_search_that_finds_more_is_told(put: Any) -> None:
    put(_search=lambda excess, horizon, grid, rng: float(excess(np.zeros(horizon)).max()) + 2e-6)
    points = equal_means.equal_means_worst(GRID, SEED)
    assert {point.where["stream"] for point in points if decide([point]) == "fails"} == {"search"}


def test_a_law_of_the_program_for_a_little_more_noise_is_caught(put: Any) -> None:
    put(size_laws=lambda leads, eta, t, rule: size_laws(leads, 1.0001 * eta, t, rule))
    assert decide(equal_means.equal_means_worst(EARLY, SEED)[1:]) == "fails"
