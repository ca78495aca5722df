"""Strategies: closed forms, brute force, and what is refused."""

import math
from functools import partial

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.learners.filter_rows import forecast_rows
from private_experts.learners.linear_filter import trend_weights
from private_experts.privacy import factorization
from private_experts.privacy.factorization import (
    checked_strategy,
    geometric,
    lower_factor,
    noise_deviation,
    optimal,
    prefix_sums,
    square_root,
)
from private_experts.randomness import rng_for
from tests.each import each


def total(workload, strategy, bounds):
    return float((noise_deviation(workload, strategy, bounds) ** 2).sum())


@each("bounds", [(1.0, 1.0), (2.0, 0.5)])
def test_the_best_strategy_for_two_prefix_sums_in_closed_form(bounds):
    # tr(M X^-1) = (p - 2 q x) / (1 - x^2) with p = 2 a^2 + b^2 and q = a b is least where q x^2 - p x + q =
    # 0.
    a, b = bounds
    p, q = 2 * a**2 + b**2, a * b
    x = (p - math.sqrt(p**2 - 4 * q**2)) / (2 * q)
    best = optimal(prefix_sums(2), np.array(bounds), tolerance=1e-9)
    np.testing.assert_allclose(best.strategy.T @ best.strategy, [[1, x], [x, 1]], atol=1e-4)
    least = (p - 2 * q * x) / (1 - x**2)
    assert total(prefix_sums(2), best.strategy, np.array(bounds)) == pytest.approx(least, rel=1e-8)


def test_the_gap_bounds_what_any_other_strategy_saves():
    bounds = np.linspace(1, 3, 30)
    rough, fine = (optimal(prefix_sums(30), bounds, tolerance=tolerance) for tolerance in (0.03, 1e-9))
    assert fine.gap <= 1e-9 < rough.gap <= 0.03
    least = total(prefix_sums(30), fine.strategy, bounds)
    assert least < total(prefix_sums(30), rough.strategy, bounds) <= least * (1 + rough.gap)


@each("rounds", [1, 9])
def test_the_square_root_squared_is_the_prefix_sums_up_to_the_lengths_of_its_columns(rounds):
    root = square_root(rounds)
    root = root / np.diag(root)  # its columns were scaled
    np.testing.assert_allclose(root @ root, prefix_sums(rounds), atol=1e-12)
    np.testing.assert_allclose((square_root(rounds) ** 2).sum(axis=0), 1, rtol=1e-14)


@pytest.mark.parametrize("make", [square_root, prefix_sums, partial(geometric, takes_back=0.5)])
def test_more_rounds_than_a_matrix_can_have_are_refused_with_what_has_no_matrix(make):
    with pytest.raises(
        InputError, match=r"100000 rounds make a matrix of 74.5 GiB: write BandedSums\("
    ) as told:
        make(10**5)
    assert "\n" not in str(told.value)
    with pytest.raises(InputError, match="rounds = 0"):
        make(0)


def test_the_last_number_of_rounds_that_a_matrix_can_have_is_taken(monkeypatch):
    monkeypatch.setattr(factorization, "_MOST_ROUNDS", 3)
    assert prefix_sums(3).shape == (3, 3)
    with pytest.raises(InputError, match="at most 3 rounds"):
        prefix_sums(4)


def test_noise_is_the_length_of_the_rows_of_the_workload_times_d_over_the_strategy():
    rng = rng_for(0, "test factorization noise")
    workload, bounds = rng.standard_normal((7, 5)), rng.uniform(1, 2, 5)
    strategy = np.tril(rng.uniform(0.1, 1, (5, 5)))
    rows = workload @ np.diag(bounds) @ np.linalg.inv(strategy)
    np.testing.assert_allclose(
        noise_deviation(workload, strategy, bounds), np.linalg.norm(rows, axis=1), rtol=1e-12
    )


def test_the_lower_factor_is_lower_triangular_and_gives_the_matrix_back():
    rows = rng_for(0, "test lower factor").standard_normal((9, 6))
    factor = lower_factor(rows.T @ rows)
    checked_strategy(factor / np.sqrt((factor**2).sum(axis=0)))
    np.testing.assert_allclose(factor.T @ factor, rows.T @ rows, atol=1e-12)


def test_the_best_strategy_for_148_weeks_is_found_for_sums_and_for_forecasts():
    bounds = np.where(np.arange(148) % 7 == 3, 3.0, 1.0)
    rows = forecast_rows(trend_weights, [(8, 0.01), (64, 100.0)], 148).reshape(-1, 148)
    for workload in (prefix_sums(148), np.vstack([rows, prefix_sums(148) / 148])):
        best, usual = optimal(workload, bounds, tolerance=1e-9), optimal(workload, bounds)
        least = total(workload, best.strategy, bounds)
        assert least < total(workload, np.eye(148), bounds)
        assert best.gap <= 1e-9
        assert total(workload, usual.strategy, bounds) <= least * (1 + 1e-4)


@each(
    ("strategy", "words"),
    [
        (np.ones((2, 2)) / 2, "past data only"),
        (np.ones((2, 3)) / 2, "past data only"),
        (np.array([[0.5, 0.0], [0.5, 0.0]]), "diagonal must be positive"),
        (np.array([[1.0, 0.0], [0.1, 1.0]]), "more than mu|cost more"),
        (np.array([[np.nan, 0.0], [0.1, 1.0]]), "diagonal|past data"),
    ],
)
def test_what_is_no_strategy_is_refused(strategy, words):
    with pytest.raises(InputError, match=words):
        checked_strategy(strategy)


@each("bounds", [np.ones(3), np.array([1.0, 0.0]), np.array([1.0, np.inf])])
def test_sensitivities_that_do_not_fit_are_refused(bounds):
    with pytest.raises(InputError, match="sensitivity"):
        optimal(prefix_sums(2), bounds)


def test_a_workload_that_leaves_a_datum_out_is_refused():
    with pytest.raises(InputError, match="in no answer"):
        optimal(np.array([[1.0, 1.0]]), np.ones(2))


@each("part", [0.0, 0.9])
def test_a_part_of_the_noise_is_taken_back_and_the_level_is_kept_for_any_number_of_rounds(part):
    strategy = geometric(60, part)
    taken_back = (np.eye(60) - part * np.eye(60, k=-1)) / math.sqrt(1 - part**2)
    np.testing.assert_allclose(np.linalg.inv(strategy), taken_back, atol=1e-12)
    spent = (strategy**2).sum(axis=0)
    np.testing.assert_allclose(spent, 1 - part ** (2 * np.arange(60, 0, -1.0)), rtol=1e-12)
    checked_strategy(strategy)
    checked_strategy(np.eye(3) * (1 + 0.9e-9))  # by rounding
    with pytest.raises(InputError, match="a datum would cost more than mu"):
        checked_strategy(np.eye(3) * (1 + 1.1e-9))
    for kind in (np.int8, np.float32):
        np.testing.assert_array_equal(checked_strategy(np.eye(3, dtype=kind)), np.eye(3), strict=True)
    with pytest.raises(InputError, match="a datum would cost more than mu"):  # which .99 of the noise would
        checked_strategy(strategy / 0.99)


def test_no_more_than_all_noise_is_taken_back():
    with pytest.raises(InputError, match=r"takes_back = 1\.0"):
        geometric(3, 1.0)
