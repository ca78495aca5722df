"""Balls decide how much likelier than on equal means a batch is small; other laws differ from true ones."""

from typing import Any

import numpy as np
import pytest

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import equal_means
from private_experts.replication.papers.p000.certified_batches import laws
from private_experts.replication.papers.p000.exact_batches import size_laws
from private_experts.replication.papers.p000.two_expert_batches import leads_of
from tests.each import each
from tests.replication.papers.remembered import remembered
from tests.replication.papers.small_checks import SEED, failing, found

CHECKED, worst = equal_means, equal_means.equal_means_worst
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
    points = worst(GRID, SEED)
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
        law, off = laws(*given)
        offs.append(off)
        return law, off

    put(laws=noted)
    excess, agreement = worst(EARLY, SEED)
    assert decide([excess]) == "fails"
    assert decide([agreement]) == "holds"
    assert excess.value == pytest.approx(1.368e-4, abs=1e-7)
    assert excess.high - excess.low >= 4 * offs[0]  # either law may be off, to either side


def test_without_a_tolerance_for_the_program_the_excess_alone_is_asked() -> None:
    grid = {key: EARLY[key] for key in EARLY if key != "within"}
    points = found(worst, grid, size_laws=lambda *given: pytest.fail("it is not needed"))
    assert [point.where["stream"] for point in points] == ["gains 2 1"]


def drifting(name: str, horizon: int) -> Any:
    return leads_of("drift 0.1" if name == "zero" else name, horizon)


@each(
    ("mutants", "streams"),
    [
        ({"leads_of": drifting}, {"alternating", "search"}),  # a reference with a drift is not the worst
        # a search that finds more
        (
            {"_search": lambda excess, horizon, *rest: float(excess(np.zeros(horizon)).max()) + 2e-6},
            {"search"},
        ),
    ],
)
def test_what_is_wrong_is_caught_on_its_streams(mutants: Any, streams: set[str]) -> None:
    assert failing(found(worst, GRID, **mutants), "stream") == streams


def test_a_law_of_the_program_for_a_little_more_noise_is_caught() -> None:
    points = found(worst, EARLY, size_laws=lambda leads, eta, *rest: size_laws(leads, 1.0001 * eta, *rest))
    assert decide(points[1:]) == "fails"
