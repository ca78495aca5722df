"""Solutions of linear systems lie between their bounds, as matrices of balls confirm, rough solutions too."""

from typing import Any

import numpy as np
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import ball, lower, precision, sqrt, upper
from private_experts.replication.balls.matrices import matrix, squared_levels
from private_experts.replication.papers.p000 import solves
from private_experts.replication.papers.p000.solves import (
    inverse_at_most,
    lengths_after,
    nuclear_at_least,
    squared_levels_between,
    squares_after,
)
from tests.each import each

CHECKED = solves
RNG = rng_for(1, "systems")
LOADINGS = np.tril(RNG.uniform(0.5, 1.5, (12, 12)))
SHIFTS = np.tril(np.ones((12, 12)))


@pytest.fixture(params=["as it is", "roughly"])
def solved(request: pytest.FixtureRequest, put: Any) -> float:
    """Return how far solutions and inverses are off, relative, beside rounding."""
    if request.param == "as it is":
        return 0.0
    solve, inv, svd = np.linalg.solve, np.linalg.inv, np.linalg.svd
    noise = 1 + 1e-7 * rng_for(1, "rough").standard_normal((12, 12))
    put(np.linalg, solve=lambda a, b: solve(a, b) * noise[:, : b.shape[1]])
    put(np.linalg, inv=lambda a: inv(a) * noise)

    def rough(m: Any, **given: Any) -> Any:
        u, s, v = svd(m, **given)
        return u, s, v * noise[: v.shape[0], : v.shape[1]]

    put(np.linalg, svd=rough)
    return 1e-7


def test_levels_are_between_their_bounds(solved: float) -> None:
    least, most = squared_levels_between(SHIFTS, LOADINGS)
    with precision():
        loadings = matrix(LOADINGS)
        exact = squared_levels(matrix(SHIFTS), loadings * loadings.transpose())
        for true, low, high in zip(exact, least.tolist(), most.tolist(), strict=True):
            assert low <= true
            assert true <= high
            assert high - low < (1e-9 if solved == 0 else 1e-2) * high


def test_an_inverse_is_no_larger_than_its_bound(solved: float) -> None:
    found = inverse_at_most(LOADINGS)
    true = float(np.linalg.norm(np.linalg.inv(LOADINGS), 2))
    assert true * (1 - 1e-5) <= found <= 12 * true
    assert inverse_at_most(LOADINGS, 1e-4) > found
    assert inverse_at_most(LOADINGS, 10.0) == np.inf


def test_a_singular_matrix_has_no_inverse() -> None:
    assert inverse_at_most(np.zeros((3, 3))) == np.inf


def test_squares_and_lengths_after_a_strategy_are_those_of_balls(solved: float) -> None:
    with precision():
        exact = (matrix(SHIFTS) * matrix(LOADINGS).inv()).tolist()
        squares = [sum((entry * entry for entry in row), ball(0)) for row in exact]
        true = [sum(squares, ball(0)), *map(sqrt, squares)]
        found = [squares_after(SHIFTS, LOADINGS), *lengths_after(SHIFTS, LOADINGS)]
        for one, other in zip(found, true, strict=True):
            assert one.contains(other)
            assert upper(one) - lower(one) < (1e-9 if solved == 0 else 1e-2) * upper(one)


@each("shape", [(5, 5), (12, 12), (20, 12), (3, 12)])
def test_the_sum_of_singular_values_is_at_least_what_is_said(shape: tuple[int, int], solved: float) -> None:
    values = np.arange(1.0, min(shape) + 1)
    m = np.zeros(shape)
    m[np.arange(values.size), np.arange(values.size)] = values
    found = nuclear_at_least(m)
    assert lower(found) <= values.sum()
    assert lower(found) >= values.sum() * (1 - 1e-12 - 10 * solved)


def test_what_a_rough_solution_leaves_is_counted(put: Any) -> None:
    """Without it, a solution that is a thousandth too small would give a level below the true one."""
    solve = np.linalg.solve
    put(np.linalg, solve=lambda a, b: 0.999 * solve(a, b))
    low, high = squared_levels_between(SHIFTS, LOADINGS)
    put(inverse_at_most=lambda *given: 0.0)
    without = squared_levels_between(SHIFTS, LOADINGS)[1]
    with precision():
        loadings = matrix(LOADINGS)
        exact = squared_levels(matrix(SHIFTS), loadings * loadings.transpose())
    assert all(
        bool(true <= most) and bool(least <= true) for true, least, most in zip(exact, low, high, strict=True)
    )
    assert not any(bool(true <= most) for true, most in zip(exact, without, strict=True))


def test_roundings_in_what_is_left_are_counted(put: Any) -> None:
    """If a rounding were a tenth, 1 would be off by up to 0.2, whose square the inverse multiplies."""
    put(_rounding=lambda steps: 0.1)
    put(inverse_at_most=lambda *given: 10.0)
    [low], [high] = squared_levels_between(np.ones((1, 1)), np.ones((1, 1)))
    along = 0.2 + 0.1
    assert 1 - low == pytest.approx(solves._MORE * along)
    assert high - 1 == pytest.approx(solves._MORE * (along + 10 * 0.2**2))
    with precision():
        [length] = lengths_after(np.ones((1, 1)), np.ones((1, 1)))
        assert upper(length) - 1 == pytest.approx(solves._MORE * 0.2 * 10)
