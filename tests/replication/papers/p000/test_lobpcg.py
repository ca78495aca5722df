"""LOBPCG finds the leading eigenvalue, at the claimed rate, and stays where claimed; mutants of all three."""

from typing import Any

import numpy as np
import pytest
import scipy.sparse.linalg

from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import lobpcg

CHECKED = lobpcg
PLAYS = {"n": [10], "mu": [0.25], "windows": [[8, 64]], "T": 30, "copies": 1, "tolerance": 1e-6}
RATE = {"m": [5, 13], "rounds": [10, 60], "instances": 2, "attained": 0.99, "halves": [4, 12], "kept": [8]}
RATE["tolerance"] = 1e-6

solve = scipy.sparse.linalg.lobpcg


def power_method(
    matrix: Any, start: Any, maxiter: int = 5, retLambdaHistory: bool = False, **options: Any
) -> Any:
    """Multiplies by the matrix, shifted so that the leading eigenvalue is the largest in size."""
    shifted, vector, history = matrix + (1 + np.linalg.norm(matrix)) * np.eye(len(matrix)), start, []
    for _ in range(maxiter):
        vector = vector / np.linalg.norm(vector)
        history.append((vector.T @ matrix @ vector).item())
        vector = shifted @ vector
    found = history[-1:], vector
    return (*found, history) if retLambdaHistory else found


def test_lobpcg_finds_the_eigenvalue() -> None:
    assert decide(lobpcg.lobpcg_agrees(PLAYS, 1)) == "holds"


def test_a_worse_eigenvalue_is_caught(put: Any) -> None:
    put(scipy.sparse.linalg, lobpcg=power_method)
    assert decide(lobpcg.lobpcg_agrees(PLAYS, 1)) == "fails"


def verdict_of(what: str) -> str:
    return decide([point for point in lobpcg.linear_convergence(RATE, 1) if point.where["what"] == what])


@pytest.mark.parametrize("what", ["falls", "attained", "kept"])
def test_linear_convergence_holds(what: str) -> None:
    assert verdict_of(what) == "holds"


def test_a_slower_method_is_caught(put: Any) -> None:
    put(scipy.sparse.linalg, lobpcg=power_method)
    assert verdict_of("falls") == "fails"


def test_a_start_that_is_not_the_worst_does_not_attain_the_rate(put: Any) -> None:
    put(_worst_start=lambda matrix: np.linalg.eigh(matrix)[1] @ np.append(np.full(len(matrix) - 1, 0.1), 1.0))
    assert verdict_of("attained") == "fails"


def test_a_random_start_leaves_the_old_eigenvector(put: Any) -> None:
    rng = np.random.default_rng(1)
    put(
        scipy.sparse.linalg,
        lobpcg=lambda matrix, start, **options: solve(matrix, rng.standard_normal(start.shape), **options),
    )
    assert verdict_of("kept") == "fails"


def test_bounds_on_the_spectrum_hold_it_in(put: Any) -> None:
    matrix = np.diag([3.0, 2.0, -1.0, 0.5])
    first, second, last = (float(end.mid()) for end in lobpcg._spectrum(matrix))
    assert first == pytest.approx(3, abs=1e-12)
    assert 2 <= second < 2 + 1e-12
    assert -1 - 1e-12 < last <= -1
