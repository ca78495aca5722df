"""The clipped simplex: the projection by a second route, and many rounds of it at once."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from private_experts.algorithms import clipped_simplex
from private_experts.algorithms.clipped_simplex import follow, project
from private_experts.randomness import rng_for
from tests.each import each


def by_sorting(u: np.ndarray, floor: float) -> np.ndarray:
    """The projection of one vector, by trying how many of the smallest entries are at the floor."""
    ordered = np.sort(u)
    for k in range(u.size):
        c = (1 - k * floor) / ordered[k:].sum()
        if c * ordered[k] >= floor:
            break
    return np.maximum(floor, c * u)


@settings(deadline=None, max_examples=150, derandomize=True)
@given(
    hnp.arrays(np.float64, st.tuples(st.integers(1, 3), st.integers(1, 8)), elements=st.floats(-20, 20)),
    st.sampled_from([0.0, 1e-9, 0.01, 0.4, 0.9, 1.0]),
)
def test_the_projection_is_what_sorting_gives(logs, share):
    u, floor = np.exp(logs), share / logs.shape[1]
    w = project(u, floor)
    np.testing.assert_allclose(w.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(w, [by_sorting(row, floor) for row in u], rtol=1e-9, atol=1e-15)


def test_what_is_at_the_floor_is_there_exactly_and_a_distribution_above_it_is_left_alone():
    assert (project(np.array([[1e-9, 1e-3, 1.0]]), 0.01)[0, :2] == 0.01).all()
    np.testing.assert_array_equal(project(np.array([[0.25, 0.75]]), 0.1), [[0.25, 0.75]])
    np.testing.assert_array_equal(project(np.array([[0.0, 0.0, 2.0]]), 0.0), [[0.0, 0.0, 1.0]])


def test_an_entry_that_rounding_brings_back_does_not_end_the_projection_of_another_row():
    w = np.full((2, 3), 1 / 3)
    for gains in (
        ([0, 1, 0], [0, 1, 1]),
        ([1, 0, 1], [1, 0, 1]),
        ([0, 1, 1], [0, 0, 0]),
        ([0, 1, 0], [1, 1, 1]),
    ):
        w = project(w * np.exp(0.5 * np.array(gains)), 0.3)
        np.testing.assert_allclose(w.sum(axis=1), 1, rtol=1e-12)  # it was 1.01 in the last round
    np.testing.assert_allclose(w[0], [0.3, 0.4, 0.3], rtol=1e-12)


def weights_and_factors(floor, spread, key):
    """Weights to begin with, and factors of 30 rounds."""
    rng = rng_for(1, "rounds", key)
    weights = np.zeros((31, 4, 20))
    weights[0] = project(rng.random((4, 20)), floor)
    return weights, np.exp(spread * rng.normal(size=(30, 4, 20)))


@each(("share", "spread"), [(0.0, 1.0), (1e-6, 0.1), (0.01, 0.5), (0.6, 1.0), (0.6, 30.0), (1.0, 1.0)])
def test_many_rounds_at_once_are_projections_in_turn_to_the_last_bit(share, spread, monkeypatch):
    weights, factors = weights_and_factors(share / 20, spread, share)
    expected = weights.copy()
    for now, coming, factor in zip(expected, expected[1:], factors, strict=False):
        coming[...] = project(now * factor, share / 20)
    slow = []
    monkeypatch.setattr(clipped_simplex, "project", lambda u, floor: slow.append(1) or project(u, floor))
    follow(weights, factors, share / 20)
    np.testing.assert_array_equal(weights, expected)
    np.testing.assert_allclose(weights.sum(axis=-1), 1.0, rtol=1e-12)
    assert bool(slow) == (share >= 0.01)  # with a high floor a step is not enough in some round


def test_a_sum_that_is_a_little_too_large_is_projected_again(monkeypatch):
    """One entry is just below the floor, so that a step of the fixed point misses by some 1e-11."""
    floor, slow = 0.3, []
    for below in (1e-11, 3e-11, 1e-10):
        weights, factors = np.zeros((2, 1, 3)), np.ones((1, 1, 3))
        weights[0] = [floor - below, 0.35, 0.35 + below]
        one = project(weights[0], floor)
        monkeypatch.setattr(clipped_simplex, "project", lambda u, floor: slow.append(1) or project(u, floor))
        follow(weights, factors, floor)
        monkeypatch.undo()
        np.testing.assert_array_equal(weights[1], one)
    assert slow


@each("broken", [np.nan, np.inf])
def test_a_number_that_is_none_ends_many_rounds_as_it_ends_one(broken):
    weights, factors = weights_and_factors(0.01, 0.1, "broken")
    factors[10, 2, 3] = broken
    with np.errstate(invalid="ignore"):
        follow(weights, factors, 0.01)
        expected = project(weights[10] * factors[10], 0.01)
    np.testing.assert_array_equal(weights[11], expected)
