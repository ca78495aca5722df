"""Lines lie above and below the mean of a function after noise: closed forms, and drawn functions."""

import numpy as np
import pytest
from numpy.typing import ArrayLike
from scipy.special import ndtr

from private_experts.arrays import Array
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import ball, precision
from private_experts.replication.papers.p000.lines import Blur, blur
from tests.each import each


def made(deviation: float) -> Blur:
    with precision():
        return blur(ball(deviation))


def mean(values: Array, deviation: float, x: ArrayLike) -> Array:
    """Return E g(x + Z), for g as a sum of bends: the mean of (N s + a)_+ is a Phi(a / s) + s phi(a / s)."""
    padded = np.pad(values, 1, mode="edge")
    away = (np.asarray(x)[:, None] - np.arange(values.size)) / deviation
    mean_of_bend = deviation * (away * ndtr(away) + np.exp(-(away**2) / 2) / np.sqrt(2 * np.pi))
    return np.asarray(values[0] + mean_of_bend @ np.diff(padded, 2))


def between(lines: Array, x: Array) -> Array:
    return np.interp(x, np.arange(lines.size), lines)


@each("deviation", [0.3, 1.0, 5.0])
def test_lines_lie_on_both_sides_of_the_mean_and_close_to_it(deviation: float) -> None:
    values, noise = rng_for(1, "lines", deviation).random(40), made(deviation)
    x = np.linspace(0, 39, 39 * 16 + 1)
    true = mean(values, deviation, x)
    above, below = (between(noise(values, side), x) for side in (1, -1))
    assert (above >= true - 1e-13).all()
    assert (below <= true + 1e-13).all()
    assert (above - below).max() < 0.8 / max(deviation, 1)  # bends are as large as they get
    assert noise.error < 1e-13


@each("side", [1, -1])
def test_a_bend_in_the_middle_of_a_cell_is_what_the_bound_allows(side: int) -> None:
    """One bend moves a chord by its size times the mean of u (1 - u), which for much noise is density / 6."""
    deviation, noise = 20.0, made(20.0)
    values = np.full(201, 0.0)
    # it bends at the point 100; the other ends are five deviations away
    values[101:] = -side * np.arange(1, 101)
    heights = noise(values, side)
    moved = side * (heights[100] - mean(values, deviation, [100.0])[0])
    assert moved == pytest.approx(1 / (6 * deviation * np.sqrt(2 * np.pi)), rel=1e-3)
    np.testing.assert_allclose(noise(values, -side)[100], mean(values, deviation, [100.0])[0], atol=1e-6)
