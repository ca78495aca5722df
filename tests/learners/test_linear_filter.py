import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from private_experts.learners import (
    LinearFilters,
    forecast_rows,
    gaussian_process_weights,
    linear_filter,
    trend_weights,
)
from private_experts.randomness import rng_for
from tests.each import each
from tests.noisy import report_of

FAMILIES = {"trend": trend_weights, "gaussian process": gaussian_process_weights}
every_family = pytest.mark.parametrize("weights", FAMILIES.values(), ids=FAMILIES.keys())
WINDOWS = st.integers(1, 12)
STRENGTHS = st.floats(0.01, 100)


def rng(*key):
    return rng_for(0, "test linear filter", *key)


def ridge_forecast(latest_first, window, strength, free):
    """Regress reports (count,) on time, with a penalty on the slope and on an intercept that is not free."""
    count = len(latest_first)
    rows = np.column_stack([np.ones(count), -np.arange(1, count + 1) / window])
    penalties = np.sqrt(strength) * np.eye(2)[1 if free else 0 :]
    targets = np.append(latest_first, np.zeros(len(penalties)))
    fit, *_ = np.linalg.lstsq(np.vstack([rows, penalties]), targets, rcond=None)
    return fit[0]


def posterior_mean(latest_first, window, strength):
    """Textbook Gaussian-process regression on what is left of the reports (count,) without their mean."""
    count = len(latest_first)

    def kernel(first, second):
        return np.array([[np.exp(-((a - b) ** 2) / (2 * (window / 4) ** 2)) for b in second] for a in first])

    past = [-k for k in range(1, count + 1)]
    mean = np.mean(latest_first)
    inverse = np.linalg.inv(kernel(past, past) + strength * np.eye(count))
    return mean + (kernel([0], past) @ inverse @ (latest_first - mean)).item()


@settings(deadline=None, max_examples=80, derandomize=True)
@given(WINDOWS.flatmap(lambda w: st.tuples(st.just(w), st.integers(1, w))), STRENGTHS, st.integers(0, 9))
def test_weights_forecast_as_ridge_regression_and_as_the_posterior_mean_do(window_and_count, strength, key):
    window, count = window_and_count
    reports = rng(key).normal(size=count) + 3
    for free in (True, False):
        weights = trend_weights(window, count, strength, free_intercept=free)
        assert weights.shape == (count,)
        expected = ridge_forecast(reports, window, strength, free)
        assert weights @ reports == pytest.approx(expected, rel=1e-8, abs=1e-9)
    np.testing.assert_array_equal(
        trend_weights(window, count, strength), trend_weights(window, count, strength, free_intercept=True)
    )
    weights = gaussian_process_weights(window, count, strength)
    assert weights.shape == (count,)
    assert weights @ reports == pytest.approx(posterior_mean(reports, window, strength), rel=1e-8)


@each("length", [0.125, 0.5])
def test_a_process_around_zero_has_the_posterior_mean_of_its_kernel(length):
    lags, reports = np.arange(1, 7), rng("zero").normal(size=6)
    kernel = np.exp(-0.5 * ((lags[:, None] - lags) / (length * 8)) ** 2)
    expected = np.exp(-0.5 * (lags / (length * 8)) ** 2) @ np.linalg.inv(kernel + 0.3 * np.eye(6)) @ reports
    weights = gaussian_process_weights(8, 6, 0.3, length=length, centred=False)
    assert weights @ reports == pytest.approx(expected, rel=1e-10)
    around_mean = gaussian_process_weights(8, 6, 0.3, length=length)
    np.testing.assert_allclose(around_mean - weights, (1 - weights.sum()) / 6)


@each(("window", "count"), [(8, 8), (8, 2), (32, 32)])
def test_a_strong_prior_forecasts_the_mean_and_a_weak_one_extrapolates_a_straight_line(window, count):
    for weights in FAMILIES.values():
        np.testing.assert_allclose(weights(window, count, 1e12), np.full(count, 1 / count), atol=1e-10)
    line = 2.0 - 0.3 * np.arange(1, count + 1)  # k rounds ago it stood 0.3 k lower; now at 2
    assert trend_weights(window, count, 1e-12) @ line == pytest.approx(2.0, abs=1e-8)


@every_family
@settings(deadline=None, max_examples=60, derandomize=True)
@given(
    learners=st.lists(st.tuples(st.integers(1, 7), STRENGTHS), min_size=1, max_size=4),
    predicted=st.lists(st.booleans(), min_size=24, max_size=24),
    shape=st.tuples(st.integers(1, 3), st.integers(1, 4)),
)
def test_streaming_is_a_dense_recomputation_from_the_full_history(weights, learners, predicted, shape):
    # 24 rounds turn the ring of at most 7 rounds more than twice; some rounds are not asked about.
    reports = rng("history").normal(size=(24, *shape))
    bank = LinearFilters(weights, learners, report_of(np.zeros(shape)))
    for t in range(1, 25):
        bank.update(report_of(reports[t - 1]))
        if not (predicted[t - 1] or t > 20):
            continue
        forecast = bank.forecast()
        assert forecast.shape == (len(learners), *shape)
        for row, (window, strength) in enumerate(learners):
            held = min(window, t)
            latest_first = reports[t - held : t][::-1]
            expected = np.tensordot(weights(window, held, strength), latest_first, axes=1)
            np.testing.assert_allclose(forecast[row], expected, rtol=0, atol=1e-10)
        np.testing.assert_array_equal(bank.predict(), forecast.argmax(axis=-1))


def test_forecast_rows_times_the_reports_are_the_forecasts():
    learners = [(2, 0.01), (5, 1.0)]
    reports = rng_for(0, "test forecast rows").random((8, 3))
    rows = forecast_rows(trend_weights, learners, 8)
    assert rows.shape == (2, 8, 8)
    bank = LinearFilters(trend_weights, learners, report_of(np.zeros((1, 3))))
    for t, report in enumerate(reports):
        bank.update(report_of(report))
        np.testing.assert_allclose(rows[:, t] @ reports, bank.forecast()[:, 0], atol=1e-12)


def test_settings_may_be_lists_and_nobody_writes_into_filters_that_banks_share():
    one, other = (
        LinearFilters(trend_weights, pairs, report_of(np.ones((1, 3)))) for pairs in ([[2, 1.0]], [(2, 1.0)])
    )
    for bank in (one, other):
        bank.update(report_of(np.ones((1, 3))))
    np.testing.assert_array_equal(one.forecast(), other.forecast())
    with pytest.raises(ValueError, match="read-only"):
        linear_filter._turned(trend_weights, ((2, 1.0),), 2, 1)[0, 0] = 7.0
