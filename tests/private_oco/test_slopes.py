"""Slopes between points of a grid, against all difference quotients."""

import math

import numpy as np
import pytest

from private_experts.private_oco.domains import Ball, Box
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.losses import LOSSES
from private_experts.private_oco.slopes import Slopes
from private_experts.randomness import rng_for
from tests.each import each

LINE, SQUARE = Box((-1.0,), (0.5,)).grid(40), Box((-0.5, -1.0), (0.5, 1.0)).grid(9)


def all_quotients(points, values):
    apart = np.linalg.norm(points[:, None] - points, axis=-1) + np.eye(len(points))
    return (np.abs(values[:, None] - values) / apart).max()


@each("kind", LOSSES)
def test_on_a_line_in_any_order_the_steepest_place_is_found(kind):
    order = rng_for(0, "test slopes order").permutation(40)
    values = LOSSES[kind](GridGibbs(LINE, beta=1.0, lam=1.0), 1, 2.0, rng_for(0, "test slopes", kind))[0]
    values = values + 0.1 * rng_for(0, "test slopes rough").standard_normal(40)  # steepest between neighbours
    expected = pytest.approx(all_quotients(LINE, values))
    assert Slopes(LINE).steepest(values) == expected
    assert Slopes(LINE[order]).steepest(values[order]) == expected


@each("points", [SQUARE, Ball(3, 0.5).grid(6)])
def test_in_more_dimensions_the_slope_of_a_linear_function_is_nearly_found_and_none_is_made_up(points):
    slopes, rng = Slopes(points), rng_for(0, "test slopes linear")
    for _ in range(50):
        direction = rng.standard_normal(points.shape[1])
        found = slopes.steepest(points @ direction)
        assert 0.85 * np.linalg.norm(direction) < found <= np.linalg.norm(direction) * (1 + 1e-12)


@each("kind", LOSSES)
def test_in_more_dimensions_no_slope_is_above_the_true_one(kind):
    values = LOSSES[kind](GridGibbs(SQUARE, beta=1.0, lam=1.0), 1, 2.0, rng_for(0, "test slopes", kind))[0]
    assert 0.5 < Slopes(SQUARE).steepest(values) <= all_quotients(SQUARE, values) * (1 + 1e-12)


@each("points", [SQUARE, Ball(3, 0.5).grid(6)])
def test_what_goes_up_and_down_along_an_axis_is_found(points):
    order = rng_for(0, "test slopes shuffled").permutation(len(points))
    for column in points.T:
        _, steps = np.unique(column.round(9), return_inverse=True)
        values = steps % 2 * 1.0  # steepest between neighbours along this axis, and level along the others
        expected = pytest.approx(all_quotients(points, values))
        assert Slopes(points).steepest(values) == expected
        assert Slopes(points[order]).steepest(values[order]) == expected


@each("points", [SQUARE, Ball(2, 0.5).grid(7), Ball(3, 0.5).grid(6)])
def test_no_slope_is_more_than_the_root_of_the_dimension_above_the_one_found(points):
    rng = rng_for(0, "test slopes rough in more dimensions")
    for _ in range(20):
        values = rng.standard_normal(len(points))
        most = math.sqrt(points.shape[1]) * Slopes(points).steepest(values)
        assert all_quotients(points, values) <= most * (1 + 1e-12)


def test_few_points_are_all_compared():
    points = np.array([[0.0, 0.0], [1.0, 0.0], [0.0, 2.0]])
    assert Slopes(points).steepest(np.array([0.0, 1.0, 3.0])) == 1.5
    assert Slopes(points[:1]).steepest(np.array([7.0])) == 0.0
    assert Slopes(LINE[:1]).steepest(np.array([7.0])) == 0.0


@each("points", [LINE, SQUARE])
def test_a_large_constant_blurs_a_slope_by_no_more_than_it_says(points):
    slopes = Slopes(points)
    values = points[:, 0] + 1e9
    assert 0 < abs(slopes.steepest(values) - 1.0) <= slopes.blur(values) < 1e-4
