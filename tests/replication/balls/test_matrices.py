"""Matrices of balls contain what they should, whatever basis floating point found."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.balls import matrices
from private_experts.replication.balls.balls import ball, lower, near, precision, upper
from private_experts.replication.balls.matrices import centred, largest_entry, leading, leadings, matrix
from tests.each import each


@each(
    ("rows", "square"),
    [  # of a path of so many points 2 cos(pi / (n + 1))
        *((np.eye(n, k=1) + np.eye(n, k=-1), square) for n, square in ((2, 1), (3, 2), (5, 3))),
        # an eigenvalue that is there many times
        (3 * np.eye(6), 9),
        (np.ones((4, 4)), 16),
    ],
)
def test_the_leading_eigenvalue_is_found_closely(rows: Any, square: int) -> None:
    with precision():
        assert leading(matrix(rows)).contains(ball(square).sqrt())
        assert leading(matrix(rows)).rad() < 5e-14
        assert leading(matrix(-np.eye(2))).contains(ball(-1))


@pytest.mark.parametrize("wrong", [1e-9, 1e-3, 0.3])
def test_vectors_that_are_none_make_the_ball_wider_and_not_wrong(
    wrong: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, rng = np.linalg.eigh, rng_for(1, "wrong vectors")

    def off(m: Any) -> Any:
        values, vectors = right(m)
        return values, vectors + wrong * rng.standard_normal(vectors.shape)

    monkeypatch.setattr(matrices.np.linalg, "eigh", off)
    with precision():
        found = leading(matrix(np.eye(3, k=1) + np.eye(3, k=-1)))
        assert not found.is_finite() or found.contains(ball(2).sqrt())
        assert not found.rad() < wrong**2 / 100


def test_vectors_that_are_no_basis_prove_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(matrices.np.linalg, "eigh", lambda m: (None, np.ones_like(m)))
    with precision():
        assert not leading(matrix(np.diag([1.0, 2.0]))).is_finite()


def test_centring_takes_away_what_is_common_and_nothing_else() -> None:
    with precision():
        shift = np.arange(4.0) + np.arange(4.0)[:, None]
        assert upper(largest_entry(centred(matrix(shift)))) < 1e-30
        apart = matrix(np.diag([1.0, -1.0, 0.0, 0.0]))
        kept = centred(apart)
        assert near(kept[0, 0]) == pytest.approx(0.5)
        assert near(largest_entry(matrix([[1.0, -3.0], [2.0, 0.0]]))) == 3.0


def test_a_vector_of_independent_numbers_tells_a_shift_by_the_sum_of_squares() -> None:
    with precision():
        levels = matrices.squared_levels(matrix([[1.0, 0.0], [2.0, 3.0]]), matrix(np.diag([1.0, 4.0])))
    assert [near(level) for level in levels] == [2.0, 2.25]


def test_many_matrices_have_the_eigenvalues_that_balls_find() -> None:
    drawn = rng_for(1, "symmetric").standard_normal((20, 4, 4))
    stack = drawn + np.swapaxes(drawn, 1, 2)
    stack[:4] = [np.eye(4), -np.eye(4), np.zeros((4, 4)), np.ones((4, 4))]
    least, most = leadings(stack)
    with precision():
        for rows, low, high in zip(stack, least.tolist(), most.tolist(), strict=True):
            found = leading(matrix(rows))
            assert low <= upper(found)
            assert high >= lower(found)
            assert high - low < 1e-12
            if lower(found) > 0:
                assert low <= lower(found) + 1e-15
                assert upper(found) - 1e-15 <= high


@pytest.mark.parametrize("wrong", [1e-9, 1e-3])
def test_many_eigenvalues_are_bounded_whatever_was_found(
    wrong: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    right, noise = np.linalg.eigh, wrong * rng_for(1, "wrong vectors").standard_normal((3, 3))
    stack = np.stack([np.eye(3), np.ones((3, 3)), np.diag([1.0, 2.0, 2.0])])
    true = np.array([1.0, 3.0, 2.0])
    for shift in (-wrong, 0.0, wrong):  # eigenvalues that are too small, right, and too large
        monkeypatch.setattr(
            np.linalg, "eigh", lambda rows, by=shift: (right(rows)[0] + by, right(rows)[1] + noise)
        )
        least, most = leadings(stack)
        assert (least <= true).all()
        assert (most >= true).all()
        assert (true - least < 50 * wrong).all()
        assert (most - true < (2 if shift < 0 else 50 * wrong)).all()


def test_the_rounding_of_many_products_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    stack = np.ones((1, 5, 5)) / 3
    [least], [most] = leadings(stack)
    true = 5 * Fraction(1 / 3)
    assert Fraction(float(least)) <= true <= Fraction(float(most))
    monkeypatch.setattr(matrices, "gamma", lambda steps: ball(0))
    assert leadings(stack)[1][0] - leadings(stack)[0][0] < 0.7 * (most - least)


def test_as_many_roundings_are_counted_below_as_there_are() -> None:
    n = 100  # so many that a few of numpy's own do not matter
    [least], _ = leadings(np.ones((1, n, n)))  # whose Rayleigh quotient and Frobenius norm are n
    assert least <= n * (1 - (3 * n + 2) * 2.0**-53)


@each("size", [1e-170, 1e170, np.inf, np.nan])
def test_matrices_whose_squares_floats_cannot_hold_are_refused(size: float) -> None:
    with pytest.raises(ValueError, match="huge or tiny"):
        leadings(np.stack([np.eye(2), size * np.ones((2, 2))]))
