"""Lines lie above and below the mean of a function after noise: closed forms, and drawn functions."""

from dataclasses import replace
from fractions import Fraction

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
def test_where_bends_are_left_out_lines_cross_the_mean(side: int) -> None:
    values, noise = rng_for(1, "lines").random(40), made(0.7)
    flat, x = replace(noise, bends=0 * noise.bends), np.linspace(0, 39, 39 * 16 + 1)
    assert (side * (between(flat(values, side), x) - mean(values, 0.7, x))).min() < -1e-3


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


def test_weights_are_a_law_with_the_variance_of_the_noise_and_of_a_tent() -> None:
    noise = made(3.0)
    steps = np.arange(noise.weights.size) - noise.weights.size // 2
    assert float(noise.weights.sum()) == pytest.approx(1, abs=1e-13)
    assert float(noise.weights @ steps**2) == pytest.approx(3.0**2 + 1 / 6, rel=1e-12)
    np.testing.assert_array_equal(noise.weights, noise.weights[::-1])


def test_rounded_weights_and_those_left_out_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("private_experts.replication.papers.p000.lines._REACH", 2)
    noise = made(3.0)
    off = 1 - float(noise.weights.sum())
    assert off > 0.01
    assert 2 * off < noise.off < noise.error < 0.2  # bends that are left out may add as much once more


def test_rounded_weights_are_counted_where_none_are_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("private_experts.replication.papers.p000.lines._REACH", 40)
    noise = made(0.3)
    assert 1e-18 < abs(1 - sum(map(Fraction, noise.weights.tolist()))) <= noise.off < 1e-15


def test_roundings_of_heights_are_counted() -> None:
    """By the same sums in fractions, where bends make numbers large."""
    noise, values = (
        Blur(np.array([0.3, 0.6, 0.1]), np.array([7.0, 13.0]), 0.0),
        rng_for(1, "heights").random(40),
    )
    values[::2] -= 1
    weights, bends, exact = (
        np.array([*map(Fraction, numbers.tolist())]) for numbers in (noise.weights, noise.bends, values)
    )
    true, found = replace(noise, weights=weights, bends=bends)(exact, 1), noise(values, 1)
    off = max(abs(Fraction(one) - other) for one, other in zip(found.tolist(), true, strict=True))
    assert 1e-15 < off <= noise.error < 1e-12
    assert 10 < np.abs(found).max() <= noise.growth


def test_points_move_by_the_larger_of_what_their_two_chords_need() -> None:
    """Of the chords at a peak, one needs four times as much as the other; chords further off nothing."""
    values, uneven = np.array([0.0, 0, 1, 0, 0]), Blur(np.array([0.0, 1.0, 0.0]), np.array([0.1, 0.4]), 0.0)
    moved = uneven(values, 1) - values
    assert moved[2] == pytest.approx(0.8)
    assert sorted(moved[[1, 3]]) == pytest.approx([0.2, 0.8])
    np.testing.assert_array_equal(moved[[0, 4]], 0)
    assert (values - uneven(values, -1))[2] == pytest.approx(0.4)


def test_without_noise_nothing_moves_and_less_than_none_is_refused() -> None:
    values = np.array([1.0, 3.0, 2.0])
    for side in (1, -1):
        np.testing.assert_array_equal(made(0.0)(values, side), values)
    with pytest.raises(ValueError, match="deviation"):
        made(-1.0)
