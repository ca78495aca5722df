"""Each check of RW-Meta gives the expected verdict on a small grid, and another one for a mutant."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.decorrelation import Decorrelation
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import meta
from tests.replication.papers.p000.mutants import floored, louder
from tests.replication.papers.small_checks import SEED, verdict

CHECKED = meta
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


@pytest.mark.parametrize(
    ("check", "grid", "mutants"),
    [
        (meta.rw_meta_noise, NOISE, (louder(0.8), floored(1.0), Exchanged)),
        (meta.rw_meta_law, LAW, (Scaled,)),
        (meta.lambda_extremes, EXTREMES, (Unshifted,)),
        (meta.lambda_best_case, CASES, (Scaled,)),
        (meta.centring_is_tighter, INSTANCES, (Exchanged,)),
    ],
)
def test_it_holds_and_another_decorrelation_is_caught(
    check: Any, grid: dict[str, Any], mutants: Any, put: Any
) -> None:
    assert verdict(check, grid) == "holds"
    for mutant in mutants:
        put(Decorrelation=mutant)
        assert verdict(check, grid) == "fails"


def test_the_worst_cliques_are_two_halves() -> None:
    points = meta.lambda_extremes(EXTREMES)
    assert [point.notes["cliques"] for point in points] == ["1+1", "2+2", "3+3"]


def test_agreement_that_counts_too_much_or_lacks_its_diagonal_is_caught(put: Any) -> None:
    cliques, agreement = meta.cliques, meta.agreement
    put(cliques=lambda sizes: 1.25 * cliques(sizes))
    assert decide(meta.lambda_extremes(EXTREMES)) == "fails"
    put(agreement=lambda actions: agreement(actions) - len(actions) * np.eye(actions.shape[1]))
    assert decide(meta.lambda_best_case(CASES, SEED)) == "fails"


def test_eigenvalues_that_are_known_badly_leave_it_undecided(put: Any) -> None:
    leadings = meta.leadings

    def badly(stack: Any) -> Any:
        least, most = leadings(stack)
        return least - 1e3, most + 1e3

    put(leadings=badly)
    assert {decide([point]) for point in meta.centring_is_tighter(INSTANCES, SEED)} == {"undecided"}


def test_agreement_counts_the_rounds_in_which_two_learners_did_the_same() -> None:
    actions = np.array([[0, 0, 1], [2, 1, 1]])
    np.testing.assert_array_equal(meta.agreement(actions), [[2, 1, 0], [1, 2, 1], [0, 1, 2]])
    np.testing.assert_array_equal(meta.cliques([2, 1]), [[1, 1, 0], [1, 1, 0], [0, 0, 1]])
    assert meta.leading(np.ones((5, 5))) == pytest.approx(5)


def test_the_partitions_of_a_number_are_all_there_once() -> None:
    found = [tuple(sizes) for sizes in meta.partitions(6)]
    assert len(found) == len(set(found)) == 11
    assert all(sum(sizes) == 6 and list(sizes) == sorted(sizes, reverse=True) for sizes in found)
