"""The extra noise of RW-Meta's choice by itself."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats

from private_experts.algorithms import Decorrelation, RWMeta
from private_experts.errors import InputError
from private_experts.games import private_reports
from private_experts.learners import Recorded
from private_experts.privacy import SimulatedNoise
from tests.algorithms.dense_rw_meta import (
    CENTRED,
    CENTRED_FLOOR,
    FALSE_ALARM,
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
from tests.noisy import told


@st.composite
def sigmas(draw):
    """Covariances that can arise: some rounds of actions, each with a scale of its own."""
    shape = draw(hnp.array_shapes(min_dims=2, max_dims=2, max_side=7))
    actions = draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 3)))
    scales = draw(st.lists(st.floats(0.1, 10), min_size=shape[0], max_size=shape[0]))
    return dense_sigma(actions, scales)


NAMED = [cliques(6), cliques(3, 3), cliques(5, 1), cliques(1, 1, 1, 1), cliques(99, 1), cliques(4, 3, 2), cliques(1)]


@settings(deadline=None, max_examples=80, derandomize=True)
@given(sigmas())
def test_both_projections_are_their_matrix_formulas(sigma):
    for decorrelation in (NO_FLOOR, CENTRED):
        expected = dense_less_shift(sigma, decorrelation.projection)
        np.testing.assert_allclose(decorrelation.covariance(sigma), expected, rtol=0, atol=1e-12 * sigma.max())


@every_variant
def test_projection_and_level_work_on_each_repetition_by_itself(decorrelation):
    stack = np.stack([3.0 * cliques(4), cliques(2, 2), 0.1 * cliques(3, 1), 9 * cliques(1, 1, 1, 1), 0 * cliques(4)])
    covariance = decorrelation.covariance(stack)
    level = decorrelation.level(covariance, 2)
    assert level.shape == (5,)
    for k, sigma in enumerate(stack):
        np.testing.assert_allclose(covariance[k], dense_less_shift(sigma, decorrelation.projection), atol=1e-13)
        assert level[k] == pytest.approx(dense_level(sigma, decorrelation, 2), rel=1e-12, abs=1e-12)


def assert_least_level_above(decorrelation, sigma, t):
    covariance = decorrelation.covariance(sigma[None])
    level = float(decorrelation.level(covariance, t)[0])
    lowest = np.linalg.eigvalsh(level * np.eye(len(sigma)) - covariance[0])[0]
    tolerance = 1e-12 * len(sigma) * (1 + np.abs(sigma).max())
    assert lowest >= -tolerance
    if not decorrelation.floor:
        assert lowest <= tolerance  # and no lower level would do
    else:
        assert level >= 2 * t
        assert lowest <= tolerance or level == 2 * t


@settings(deadline=None, max_examples=80, derandomize=True)
@given(sigmas(), st.integers(1, 20))
def test_level_is_the_least_that_leaves_the_extra_covariance_positive_semidefinite(sigma, t):
    for decorrelation in VARIANTS.values():
        assert_least_level_above(decorrelation, sigma, t)


@every_variant
@each("sigma", NAMED)
def test_level_is_the_least_on_cliques(decorrelation, sigma):
    for multiple in (1.0, 7.5):
        assert_least_level_above(decorrelation, multiple * sigma, 1)


def leading(decorrelation, sigma):
    return float(decorrelation.level(decorrelation.covariance(sigma[None]), 1)[0])


@settings(deadline=None, max_examples=80, derandomize=True)
@given(sigmas())
def test_centring_never_has_the_larger_leading_eigenvalue(sigma):
    assert leading(CENTRED, sigma) <= leading(NO_FLOOR, sigma) + 1e-12 * sigma.max() * len(sigma)


def test_cliques_of_99_and_1_need_5_times_less_noise_when_centred():
    sigma = cliques(99, 1)
    assert leading(CENTRED, sigma) == pytest.approx(1.98, rel=1e-12)
    assert leading(NO_FLOOR, sigma) == pytest.approx(10.79, abs=0.005)
    # In closed form: on the span of the cliques' unit vectors, Sigma* is 2 by 2.
    a, b = np.sqrt([0.99, 0.01])
    mean = 0.9802
    corner = 99 - 100 * mean * a**2, -100 * mean * a * b, 1 - 100 * mean * b**2
    top = (corner[0] + corner[2]) / 2 + math.hypot((corner[0] - corner[2]) / 2, corner[1])
    assert leading(NO_FLOOR, sigma) == pytest.approx(top, rel=1e-12)


@each("decorrelation", [NO_FLOOR, CENTRED])
@each("m", [2, 4, 10])
def test_leading_eigenvalue_over_eta_squared_t_of_the_extreme_agreements(decorrelation, m):
    eta_squared_t = 0.3**2 * 17
    assert leading(decorrelation, eta_squared_t * cliques(m // 2, m // 2)) / eta_squared_t == pytest.approx(m / 2)
    assert leading(decorrelation, eta_squared_t * np.eye(m)) / eta_squared_t == pytest.approx(1)
    assert leading(decorrelation, eta_squared_t * np.ones((m, m))) / eta_squared_t == pytest.approx(0, abs=1e-12)


@settings(deadline=None, max_examples=60, derandomize=True)
@given(st.integers(2, 7).flatmap(lambda m: st.lists(st.integers(0, m - 1), min_size=m, max_size=m)))
def test_no_partition_into_cliques_leads_above_half_the_learners(labels):
    m = len(labels)
    sigma = np.equal.outer(labels, labels).astype(float)
    assert leading(NO_FLOOR, sigma) <= m / 2 + 1e-9


@settings(deadline=None, max_examples=80, derandomize=True)
@given(sigmas(), st.integers(1, 300), st.sampled_from([PAPER, CENTRED_FLOOR]))
def test_leaving_out_the_eigenvalue_under_the_floor_does_not_change_the_level(sigma, t, decorrelation):
    # t from 1 to 300 lies on both sides of the Frobenius norm that decides whether eigenvalues are computed.
    small_and_large = np.stack([sigma, 0.01 * sigma, 5 * sigma])
    for stack in (small_and_large, small_and_large[1:2]):
        level = decorrelation.level(decorrelation.covariance(stack), t)
        direct = [dense_level(each, decorrelation, t) for each in stack]
        np.testing.assert_allclose(level, direct, rtol=1e-12)


@each("decorrelation", [PAPER, CENTRED_FLOOR])
def test_a_floor_between_eigenvalue_and_norm_is_the_level_and_one_below_the_eigenvalue_is_not(decorrelation):
    sigma = 10 * np.eye(5)  # less a shift: eigenvalue 10, Frobenius norm 20
    covariance = decorrelation.covariance(sigma[None])
    assert decorrelation.level(covariance, 6)[0] == 12.0
    assert decorrelation.level(covariance, 4)[0] == pytest.approx(10.0, rel=1e-12)


def assert_covariance(sample, covariance):
    """Test that independent rows are N(0, covariance), exactly, by chi-square tests on all whitened pairs.

    Along directions without variance the sample must vanish, up to the fraction 1e-9 of variance that makes the
    extra covariance regular.
    """
    values, vectors = np.linalg.eigh(covariance)
    along = sample @ vectors
    regular = values > 1e-6 * values[-1]
    assert np.abs(along[:, ~regular]).max(initial=0.0) < 1e-3 * math.sqrt(values[-1])
    white = along[:, regular] / np.sqrt(values[regular])
    r = white.shape[1]
    directions = [np.eye(r)[i] for i in range(r)]
    directions += [
        (np.eye(r)[i] + sign * np.eye(r)[j]) / math.sqrt(2) for i in range(r) for j in range(i) for sign in (1, -1)
    ]
    law = stats.chi2(len(sample))
    for direction in directions:
        squares = ((white @ direction) ** 2).sum()
        assert min(law.cdf(squares), law.sf(squares)) > FALSE_ALARM / (2 * len(directions) + 2 * r)
    for mean in white.mean(axis=0):
        assert 2 * stats.norm.sf(abs(mean) * math.sqrt(len(sample))) > FALSE_ALARM / (2 * r)


@every_variant
@each("t", [1, 4])
def test_drawn_noise_has_covariance_level_times_identity_less_the_projected_sigma(decorrelation, t):
    actions = np.array([[0, 0, 0, 1], [0, 1, 1, 2], [2, 2, 0, 0]])
    sigma = dense_sigma(actions, [1.5, 0.5, 1.0])
    drawn = decorrelation.draw(np.broadcast_to(sigma, (50_000, 4, 4)).copy(), t, rng("draw", t))
    assert drawn.shape == (50_000, 4)
    expected = dense_level(sigma, decorrelation, t) * np.eye(4) - dense_less_shift(sigma, decorrelation.projection)
    assert_covariance(drawn, expected)


@every_variant
def test_noise_in_the_totals_and_extra_noise_together_are_white_up_to_a_shift(decorrelation):
    # The noise in the totals comes from the reports themselves, through the game; gains are zero.
    actions = np.array([[0, 0, 1, 2], [1, 1, 1, 0], [2, 0, 2, 0]])
    scales, repetitions, m = [1.0, 2.0, 0.5], 50_000, 4
    recorded = Recorded(np.repeat(actions[:, :, None], repetitions, axis=2))
    meta = RWMeta([recorded], LOCAL, rng=rng("unused"), decorrelation=decorrelation)
    noise = SimulatedNoise(rng("reports"))
    for report in private_reports(np.zeros((3, 3)), LOCAL, scales, noise, repetitions):
        meta.update(report)
    sigma = dense_sigma(actions, scales)
    np.testing.assert_allclose(meta.sigma, np.broadcast_to(sigma, meta.sigma.shape), rtol=1e-14)
    both = meta.totals + decorrelation.draw(meta.sigma, 4, rng("together"))
    centred = both - both.mean(axis=1, keepdims=True)
    assert_covariance(centred, dense_level(sigma, decorrelation, 4) * (np.eye(m) - 1 / m))


@each("decorrelation", [NO_FLOOR, CENTRED])
@each("m", [1, 2, 13])
def test_without_floor_learners_that_always_agreed_draw_exactly_no_noise(decorrelation, m):
    scales = rng("scales").uniform(0.1, 3, 100)  # sums of their squares are rounded
    meta = RWMeta([Recorded(np.zeros((101, m, 3), dtype=int))], LOCAL, rng=rng("agree"), decorrelation=decorrelation)
    assert not decorrelation.draw(np.zeros((3, m, m)), 1, rng("agree")).any()
    for scale in scales:
        meta.update(told(np.zeros((3, 2)), scale))
    assert meta.sigma[0, 0, 0] == pytest.approx((scales**2).sum())
    drawn = decorrelation.draw(meta.sigma, 101, rng("agree"))
    np.testing.assert_array_equal(drawn, np.zeros((3, m)))


@each("decorrelation", [NO_FLOOR, CENTRED])
@each("m", [3, 13, 50])
def test_rounding_in_the_projection_of_full_agreement_is_not_taken_for_disagreement(decorrelation, m):
    sums = rng("rounded").uniform(0.1, 1e4, 300)
    drawn = decorrelation.draw(sums[:, None, None] * np.ones((m, m)), 2, rng("agree"))
    np.testing.assert_array_equal(drawn, np.zeros((300, m)))


@each("decorrelation", [NO_FLOOR, CENTRED])
def test_agreement_in_one_repetition_does_not_silence_the_others(decorrelation):
    sigma = np.stack([4.0 * cliques(3), 4.0 * cliques(2, 1), np.zeros((3, 3))])
    drawn = decorrelation.draw(np.repeat(sigma, 20_000, axis=0), 5, rng("mixed"))
    assert not drawn[:20_000].any()
    assert not drawn[40_000:].any()
    expected = dense_level(sigma[1], decorrelation, 5) * np.eye(3)
    assert_covariance(drawn[20_000:40_000], expected - dense_less_shift(sigma[1], decorrelation.projection))


@each("decorrelation", [NO_FLOOR, CENTRED])
def test_one_disagreement_under_little_noise_after_long_agreement_under_much_is_drawn_with_its_own_size(decorrelation):
    sigma = 1e6 * cliques(4) + cliques(2, 2)  # agreement for long, at a scale a thousand times as large
    drawn = decorrelation.draw(np.repeat(sigma[None], 20_000, axis=0), 1, rng("tiny"))
    level = leading(decorrelation, cliques(2, 2))
    assert_covariance(drawn, level * np.eye(4) - dense_less_shift(cliques(2, 2), decorrelation.projection))


@each("floor", [True, False, np.True_, np.array(True), -1.0, math.nan, math.inf, 1e308, "2t", None, np.ones(2)])
def test_a_floor_that_is_no_rate_is_refused(floor):
    with pytest.raises(InputError, match="floor"):
        Decorrelation(floor=floor)


@each("floor", [0.5, 1.0, 2.0])
def test_the_floor_is_a_variance_for_each_round(floor):
    np.testing.assert_array_equal(
        Decorrelation(floor=floor).level(np.zeros((3, 4, 4)), t=np.array([1, 5, 9])), floor * np.array([1, 5, 9])
    )


def test_a_floor_that_is_a_whole_number_does_not_round_eigenvalues():
    covariance = np.diag([2.7, 0.1, 0.1])
    assert Decorrelation(floor=2).level(covariance, t=1) == pytest.approx(2.7)
    assert Decorrelation(floor=1).level(covariance, t=3) == 3.0
