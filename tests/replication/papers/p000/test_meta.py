"""Each check of RW-Meta gives the expected verdict on a small grid, and another one for a mutant."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.decorrelation import Decorrelation
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import meta
from tests.each import each
from tests.replication.papers.p000.mutants import floored, louder
from tests.replication.papers.small_checks import found, times, verdict

INSTANCES = {"structure": ["random", "cliques", "one-apart", "orthogonal"], "m": [2, 5], "instances": 3}
NOISE = INSTANCES | {"tolerance": 1e-7}
LAW = INSTANCES | {"tolerance": 1e-12}
EXTREMES = {"m": [2, 4, 6]}
CASES = {"m": [2, 4, 8], "tolerance": 1e-9}


class Unshifted(Decorrelation):
    """Subtracts no common shift."""

    def covariance(self, sigma: Any) -> Any:
        return np.array(sigma)


class Scaled(Decorrelation):
    """Believes the noise of the reports to be 0.8 times what it is."""

    def covariance(self, sigma: Any) -> Any:
        return super().covariance(0.64 * sigma)


@dataclass(frozen=True)
class Exchanged(Decorrelation):
    """Exchanges centring and Sigma*."""

    def covariance(self, sigma: Any) -> Any:
        other = "centred" if self.projection == "sigma-star" else "sigma-star"
        return Decorrelation(projection=other).covariance(sigma)  # type: ignore[arg-type]


cliques, agreement = meta.cliques, meta.agreement


def no_diagonal(actions: Any) -> Any:
    return agreement(actions) - len(actions) * np.eye(actions.shape[1])


@each(
    ("check", "grid", "mutants"),
    [
        (
            meta.rw_meta_noise,
            NOISE,
            [{"Decorrelation": rule} for rule in (louder(0.8), floored(1.0), Exchanged)],
        ),
        (meta.rw_meta_law, LAW, [{"Decorrelation": Scaled}]),
        (meta.lambda_extremes, EXTREMES, [{"Decorrelation": Unshifted}, {"cliques": times(1.25, cliques)}]),
        (meta.lambda_best_case, CASES, [{"Decorrelation": Scaled}, {"agreement": no_diagonal}]),
        (meta.centring_is_tighter, INSTANCES, [{"Decorrelation": Exchanged}]),
    ],
)
def test_it_holds_and_another_rule_or_agreement_is_caught(check: Any, grid: Any, mutants: Any) -> None:
    assert verdict(check, grid) == "holds"
    for mutant in mutants:
        assert verdict(check, grid, **mutant) == "fails", mutant


def test_the_worst_cliques_are_two_halves() -> None:
    points = meta.lambda_extremes(EXTREMES)
    assert [point.notes["cliques"] for point in points] == ["1+1", "2+2", "3+3"]


def test_eigenvalues_that_are_known_badly_leave_it_undecided() -> None:
    leadings = meta.leadings
    points = found(
        meta.centring_is_tighter,
        INSTANCES,
        leadings=lambda stack: (leadings(stack)[0] - 1e3, leadings(stack)[1] + 1e3),
    )
    assert {decide([point]) for point in points} == {"undecided"}


def test_agreement_counts_the_rounds_in_which_two_learners_did_the_same() -> None:
    actions = np.array([[0, 0, 1], [2, 1, 1]])
    np.testing.assert_array_equal(meta.agreement(actions), [[2, 1, 0], [1, 2, 1], [0, 1, 2]])
    np.testing.assert_array_equal(meta.cliques([2, 1]), [[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    assert meta.leading(np.ones((5, 5))) == pytest.approx(5)


def test_the_partitions_of_a_number_are_all_there_once() -> None:
    found = [tuple(sizes) for sizes in meta.partitions(6)]
    assert len(found) == len(set(found)) == 11
    assert all(sum(sizes) == 6 and list(sizes) == sorted(sizes, reverse=True) for sizes in found)
