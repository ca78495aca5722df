"""Each check of RW-Meta gives the expected verdict on a small grid, and another one for a mutant."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.decorrelation import Decorrelation
from private_experts.replication.ledger.checking import points_of
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import meta
from tests.each import each
from tests.replication.papers.p000.mutants import floored, louder

CHECKED = meta
SEED = 1
INSTANCES = {"structure": ["random", "cliques", "one-apart", "orthogonal"], "m": [2, 5], "instances": 3}
NOISE = INSTANCES | {"tolerance": 1e-7}
LAW = INSTANCES | {"tolerance": 1e-12}
EXTREMES = {"m": [2, 4, 6]}
CASES = {"m": [2, 4, 8], "tolerance": 1e-9}


class Unshifted(Decorrelation):
    """Subtracts no common shift."""

    def covariance(self, sigma: Any) -> Any:
        return np.array(sigma)


class Added(Decorrelation):
    """Adds the common shift in the place of subtracting it."""

    def covariance(self, sigma: Any) -> Any:
        return sigma + sigma.mean(axis=(-2, -1), keepdims=True)


class DiagonalLeft(Decorrelation):
    """Subtracts a mean from the entries off the diagonal alone, which is no common shift."""

    def covariance(self, sigma: Any) -> Any:
        return sigma - sigma.mean(axis=(-2, -1), keepdims=True) * (1 - np.eye(sigma.shape[-1]))


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


class WrongSign(Decorrelation):
    """Centres rows alone, with the wrong sign."""

    def covariance(self, sigma: Any) -> Any:
        if self.projection == "sigma-star":
            return super().covariance(sigma)
        rows = sigma.mean(axis=-1, keepdims=True)
        return sigma + rows + rows.swapaxes(-2, -1)


@each(
    ("check", "grid"),
    [
        (meta.rw_meta_noise, NOISE),
        (meta.rw_meta_law, LAW),
        (meta.lambda_extremes, EXTREMES),
        (meta.lambda_best_case, CASES),
        (meta.centring_is_tighter, INSTANCES),
    ],
)
def test_it_holds(check: Any, grid: dict[str, Any]) -> None:
    assert decide(points_of(check, grid, 2, SEED)) == "holds"


@pytest.mark.parametrize(
    ("check", "grid", "mutant"),
    [
        *(
            (meta.rw_meta_noise, NOISE, mutant)
            for mutant in (louder(0.8), floored(0.0), floored(1.0), Scaled, Exchanged)
        ),
        *((meta.rw_meta_law, LAW, mutant) for mutant in (DiagonalLeft, Scaled)),
        *((meta.lambda_extremes, EXTREMES, mutant) for mutant in (Unshifted, Added)),
        *((meta.lambda_best_case, CASES, mutant) for mutant in (Added, Scaled, DiagonalLeft)),
        *((meta.centring_is_tighter, INSTANCES, mutant) for mutant in (Exchanged, WrongSign)),
    ],
)
def test_it_catches_another_decorrelation(check: Any, grid: dict[str, Any], mutant: Any, put: Any) -> None:
    put(Decorrelation=mutant)
    assert decide(points_of(check, grid, 2, SEED)) == "fails"


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
