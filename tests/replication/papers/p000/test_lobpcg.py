"""LOBPCG finds the leading eigenvalue, at the claimed rate, and stays where claimed; mutants of all three."""

from typing import Any

import numpy as np
import pytest

from private_experts.replication.papers.p000 import lobpcg
from tests.each import each
from tests.replication.papers.small_checks import verdict

PLAYS = {"n": [10], "mu": [0.25], "windows": [[8, 64]], "T": 30, "copies": 1, "tolerance": 1e-6}
RATE = {"m": [5, 13], "rounds": [10, 60], "instances": 2, "attained": 0.99, "halves": [4, 12], "kept": [8]}
RATE["tolerance"] = 1e-6

solve = lobpcg.run_lobpcg


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


def from_anywhere(matrix: Any, start: Any, **options: Any) -> Any:
    return solve(matrix, np.random.default_rng(1).standard_normal(start.shape), **options)


def not_the_worst(matrix: Any) -> Any:
    return np.linalg.eigh(matrix)[1] @ np.append(np.full(len(matrix) - 1, 0.1), 1.0)


@each(
    ("check", "grid", "of", "mutants"),
    [
        (lobpcg.lobpcg_agrees, PLAYS, {}, {"run_lobpcg": power_method}),
        (lobpcg.linear_convergence, RATE, {"what": "falls"}, {"run_lobpcg": power_method}),
        (lobpcg.linear_convergence, RATE, {"what": "attained"}, {"_worst_start": not_the_worst}),
        (lobpcg.linear_convergence, RATE, {"what": "kept"}, {"run_lobpcg": from_anywhere}),
    ],
)
def test_it_holds_and_another_method_or_start_is_caught(check: Any, grid: Any, of: Any, mutants: Any) -> None:
    assert verdict(check, grid, of=of) == "holds"
    assert verdict(check, grid, of=of, **mutants) == "fails"


def test_bounds_on_the_spectrum_hold_it_in() -> None:
    matrix = np.diag([3.0, 2.0, -1.0, 0.5])
    first, second, last = (float(end.mid()) for end in lobpcg._spectrum(matrix))
    assert first == pytest.approx(3, abs=1e-12)
    assert 2 <= second < 2 + 1e-12
    assert -1 - 1e-12 < last <= -1
