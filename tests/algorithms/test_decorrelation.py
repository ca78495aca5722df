"""The extra noise of RW-Meta's choice by itself."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from private_experts.algorithms import Decorrelation, RWMeta
from private_experts.algorithms.decorrelation import extra_noise
from private_experts.errors import InputError
from private_experts.learners import Recorded
from tests.algorithms.dense_rw_meta import (
    CENTRED,
    CENTRED_FLOOR,
    LOCAL,
    NO_FLOOR,
    PAPER,
    VARIANTS,
    cliques,
    dense_less_shift,
    dense_level,
    dense_sigma,
    every_variant,
    rng,
)
from tests.each import each
from tests.noisy import report_of


@st.composite
def sigmas(draw):
    """Covariances that can arise: some rounds of actions, each with a scale of its own."""
    shape = draw(hnp.array_shapes(min_dims=2, max_dims=2, max_side=7))
    actions = draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 3)))
    scales = draw(st.lists(st.floats(0.1, 10), min_size=shape[0], max_size=shape[0]))
    return dense_sigma(actions, scales)


@settings(deadline=None, max_examples=30, derandomize=True)
@given(sigmas(), st.integers(1, 300))
def test_projections_and_levels_are_those_of_the_dense_matrices_in_each_repetition(sigma, t):
    """The level is the largest eigenvalue, or the floor, which for most t spares computing it."""
    stack = np.stack([sigma, 0.01 * sigma, 5 * sigma, 0 * sigma])
    for decorrelation in VARIANTS.values():
        for some in (stack, stack[1:2]):
            covariance = decorrelation.covariance(some)
            level = decorrelation.level(covariance, t)
            for k, own in enumerate(some):
                expected = dense_less_shift(own, decorrelation.projection)
                np.testing.assert_allclose(covariance[k], expected, rtol=0, atol=1e-12 * own.max())
                least = 0.0 if decorrelation.floor else 1e-12  # a floor has no rounding of 0
                assert level[k] == pytest.approx(dense_level(own, decorrelation, t), rel=1e-12, abs=least)


@each("decorrelation", [PAPER, CENTRED_FLOOR])
def test_a_floor_between_eigenvalue_and_norm_is_the_level_and_one_below_the_eigenvalue_is_not(decorrelation):
    sigma = 10 * np.eye(5)  # less a shift: eigenvalue 10, Frobenius norm 20
    covariance = decorrelation.covariance(sigma[None])
    assert decorrelation.level(covariance, 6)[0] == 12.0
    assert decorrelation.level(covariance, 4)[0] == pytest.approx(10.0, rel=1e-12)


@each("decorrelation", [NO_FLOOR, CENTRED])
@each("m", [1, 2, 13])
def test_without_floor_learners_that_always_agreed_draw_exactly_no_noise(decorrelation, m):
    scales = rng("scales").uniform(0.1, 3, 100)  # sums of their squares are rounded
    meta = RWMeta(
        [Recorded(np.zeros((101, m, 3), dtype=int))], LOCAL, rng=rng("agree"), decorrelation=decorrelation
    )
    assert not decorrelation.draw(np.zeros((3, m, m)), 1, rng("agree")).any()
    for scale in scales:
        meta.update(report_of(np.zeros((3, 2)), scale))
    assert meta.sigma[0, 0, 0] == pytest.approx((scales**2).sum())
    drawn = decorrelation.draw(meta.sigma, 101, rng("agree"))
    np.testing.assert_array_equal(drawn, np.zeros((3, m)))


@each("decorrelation", [NO_FLOOR, CENTRED])
@each("m", [3, 13, 50])
def test_rounding_in_the_projection_of_full_agreement_is_not_taken_for_disagreement(decorrelation, m):
    sums = rng("rounded").uniform(0.1, 1e4, 300)
    drawn = decorrelation.draw(sums[:, None, None] * np.ones((m, m)), 2, rng("agree"))
    np.testing.assert_array_equal(drawn, np.zeros((300, m)))


def assert_factor(factor, sigma, decorrelation, t):
    """Assert that normals times a factor have the level times the identity, less the projected Sigma."""
    level = dense_level(sigma, decorrelation, t)
    expected = level * np.eye(len(sigma)) - dense_less_shift(sigma, decorrelation.projection)
    np.testing.assert_allclose(factor @ factor.T, expected, rtol=0, atol=1e-6 * level + 1e-15)


@every_variant
@each("t", [1, 4])
def test_agreement_in_one_repetition_does_not_silence_the_others(decorrelation, t):
    sigma = np.stack([4.0 * cliques(3), 4.0 * cliques(2, 1), np.zeros((3, 3))])
    for factor, own in zip(decorrelation.factors(sigma, t), sigma, strict=True):
        assert_factor(factor, own, decorrelation, t)
        assert factor.any() == (dense_level(own, decorrelation, t) > 1e-9)


@each("decorrelation", [NO_FLOOR, CENTRED])
def test_one_disagreement_under_little_noise_after_long_agreement_under_much_is_drawn_with_its_own_size(
    decorrelation,
):
    sigma = 1e6 * cliques(4) + cliques(2, 2)  # agreement for long, at a scale a thousand times as large
    assert_factor(decorrelation.factors(sigma[None], 1)[0], cliques(2, 2), decorrelation, 1)


def test_extra_noise_is_one_normal_number_a_learner_times_its_factor():
    factors = np.array([np.diag([1.0, 2.0]), np.zeros((2, 2)), np.eye(2)])[:, None]  # of three rounds
    drawn = rng("extra").standard_normal((2, 5, 2))
    expected = [drawn[0] * [1.0, 2.0], np.zeros((5, 2)), drawn[1]]
    np.testing.assert_array_equal(extra_noise(factors, rng("extra"), 5), expected)


@each("floor", [True, np.array(True), -1.0, math.nan, 1e308, "2t", np.ones(2)])
def test_a_floor_that_is_no_rate_is_refused(floor):
    with pytest.raises(InputError, match="floor"):
        Decorrelation(floor=floor)


def test_the_floor_is_a_variance_for_each_round_and_does_not_round_eigenvalues():
    for floor in (0.5, 1.0, 2.0):
        level = Decorrelation(floor=floor).level(np.zeros((3, 4, 4)), t=np.array([1, 5, 9]))
        np.testing.assert_array_equal(level, floor * np.array([1, 5, 9]))
    covariance = np.diag([2.7, 0.1, 0.1])
    assert Decorrelation(floor=2).level(covariance, t=1) == pytest.approx(2.7)
    assert Decorrelation(floor=1).level(covariance, t=3) == 3.0
