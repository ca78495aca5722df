"""Each check of RW-Meta gives the expected verdict on a small grid, and another one for a mutant."""

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms.rw_meta import Decorrelation
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import meta

SEED = 1
INSTANCES = {"structure": ["random", "cliques", "one-apart", "orthogonal"], "m": [2, 5], "instances": 3}
NOISE = INSTANCES | {"tolerance": 1e-7}
LAW = INSTANCES | {"tolerance": 1e-12}
CASES = {"m": [2, 4, 8], "tolerance": 1e-9}
CLIQUES = {"cliques": [[12, 1], [1, 1, 1]]}


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that replaces a name in the module of the checks."""
    return lambda name, value: monkeypatch.setattr(meta, name, value)


class Floorless(Decorrelation):
    """Drops the floor 2t."""

    def level(self, covariance: Any, t: int) -> Any:
        return np.linalg.eigvalsh(covariance)[..., -1]


class HalfFloor(Decorrelation):
    """Has the floor t."""

    def level(self, covariance: Any, t: int) -> Any:
        return np.maximum(np.linalg.eigvalsh(covariance)[..., -1], float(t))


class Quiet(Decorrelation):
    """Draws 0.8 times the noise."""

    def draw(self, *arguments: Any) -> Any:
        return 0.8 * super().draw(*arguments)


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
        m = sigma.shape[-1]
        return sigma - sigma.mean(axis=(-2, -1), keepdims=True) * (1 - np.eye(m))


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


def test_rw_meta_noise_holds() -> None:
    assert decide(meta.rw_meta_noise(NOISE, 2, SEED)) == "holds"


@pytest.mark.parametrize("mutant", [Quiet, Floorless, HalfFloor, Scaled, Exchanged])
def test_rw_meta_noise_catches(mutant: Any, put: Any) -> None:
    put("Decorrelation", mutant)
    assert decide(meta.rw_meta_noise(NOISE, 2, SEED)) == "fails"


def test_rw_meta_law_holds() -> None:
    assert decide(meta.rw_meta_law(LAW, 2, SEED)) == "holds"


@pytest.mark.parametrize("mutant", [DiagonalLeft, Scaled])
def test_rw_meta_law_catches(mutant: Any, put: Any) -> None:
    put("Decorrelation", mutant)
    assert decide(meta.rw_meta_law(LAW, 2, SEED)) == "fails"


def test_lambda_worst_case_holds_and_the_worst_are_two_halves() -> None:
    points = meta.lambda_extremes({"m": [2, 4, 6]}, 2, SEED)
    assert decide(points) == "holds"
    assert [point.notes["cliques"] for point in points] == ["1+1", "2+2", "3+3"]


def without_scale(sizes: list[int]) -> Any:
    """Agreement that counts an agreeing pair twice."""
    return 1.25 * original_cliques(sizes)


original_cliques = meta.cliques


@pytest.mark.parametrize(
    ("name", "mutant"), [("Decorrelation", Unshifted), ("Decorrelation", Added), ("cliques", without_scale)]
)
def test_lambda_worst_case_catches(name: str, mutant: Any, put: Any) -> None:
    put(name, mutant)
    assert decide(meta.lambda_extremes({"m": [2, 4, 6]}, 2, SEED)) == "fails"


def test_lambda_cases_hold() -> None:
    assert decide(meta.lambda_best_case(CASES, 2, SEED)) == "holds"


@pytest.mark.parametrize("mutant", [Added, Scaled, DiagonalLeft])
def test_lambda_cases_catch(mutant: Any, put: Any) -> None:
    put("Decorrelation", mutant)
    assert decide(meta.lambda_best_case(CASES, 2, SEED)) == "fails"


def test_lambda_cases_catch_an_agreement_without_its_diagonal(put: Any) -> None:
    agreement = meta.agreement
    put("agreement", lambda actions: agreement(actions) - len(actions) * np.eye(actions.shape[1]))
    assert decide(meta.lambda_best_case(CASES, 2, SEED)) == "fails"


def test_sigma_star_is_not_optimal() -> None:
    points = meta.sigma_star_is_optimal(CLIQUES, 2, SEED)
    assert decide(points) == "fails"
    assert decide(points[1:]) == "holds"  # where all differ, both are the same matrix


def test_sigma_star_would_be_optimal_if_it_were_the_centred_matrix(put: Any) -> None:
    put("Decorrelation", Exchanged)
    assert decide(meta.sigma_star_is_optimal(CLIQUES, 2, SEED)) == "holds"


def test_centring_is_never_worse() -> None:
    assert decide(meta.centring_is_tighter(INSTANCES, 2, SEED)) == "holds"


@pytest.mark.parametrize("mutant", [Exchanged])
def test_centring_the_wrong_way_round_is_caught(mutant: Any, put: Any) -> None:
    put("Decorrelation", mutant)
    assert decide(meta.centring_is_tighter(INSTANCES, 2, SEED)) == "fails"


def test_centring_of_rows_alone_with_the_wrong_sign_is_caught(put: Any) -> None:
    class WrongSign(Decorrelation):
        def covariance(self, sigma: Any) -> Any:
            if self.projection == "sigma-star":
                return super().covariance(sigma)
            rows = sigma.mean(axis=-1, keepdims=True)
            return sigma + rows + rows.swapaxes(-2, -1)

    put("Decorrelation", WrongSign)
    assert decide(meta.centring_is_tighter(INSTANCES, 2, SEED)) == "fails"


def test_eigenvalues_that_are_known_badly_leave_it_undecided(put: Any) -> None:
    leadings = meta.leadings

    def badly(stack: Any) -> Any:
        least, most = leadings(stack)
        return least - 1e3, most + 1e3

    put("leadings", badly)
    assert {decide([each]) for each in meta.centring_is_tighter(INSTANCES, 2, SEED)} == {"undecided"}


# What the checks are made of


def test_agreement_counts_the_rounds_in_which_two_learners_did_the_same() -> None:
    actions = np.array([[0, 0, 1], [2, 1, 1]])
    np.testing.assert_array_equal(meta.agreement(actions), [[2, 1, 0], [1, 2, 1], [0, 1, 2]])


def test_the_partitions_of_a_number_are_all_there_once() -> None:
    found = [tuple(sizes) for sizes in meta.partitions(6)]
    assert len(found) == len(set(found)) == 11
    assert all(sum(sizes) == 6 and list(sizes) == sorted(sizes, reverse=True) for sizes in found)


def test_cliques_agree_within_and_not_across() -> None:
    np.testing.assert_array_equal(meta.cliques([2, 1]), [[1, 1, 0], [1, 1, 0], [0, 0, 1]])


def test_the_leading_eigenvalue_of_a_matrix_of_ones_is_its_size() -> None:
    assert meta.leading(np.ones((5, 5))) == pytest.approx(5)
