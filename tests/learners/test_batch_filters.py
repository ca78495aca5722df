"""What filters play on reports that are known beforehand is what they play when they hear them one by one."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from private_experts.learners import (
    LinearFilters,
    forecast_rows,
    gaussian_process_weights,
    linear_filter,
    trend_weights,
)
from private_experts.learners.batch_filters import (
    _HARMLESS,
    _forecasts,
    _rounding_error,
    _running_sums,
    _sparsest,
    leaders_after,
)
from private_experts.privacy import GaussianDP, Reports, SimulatedNoise, privatize
from private_experts.randomness import rng_for
from tests.each import each
from tests.noisy import report_of

SETTINGS = [(window, strength) for window in (1, 3, 8, 20) for strength in (0.01, 100.0)]


@pytest.fixture(autouse=True)
def _many_rounds_are_worth_it(monkeypatch):
    monkeypatch.setattr(linear_filter, "_WORTH", 0)


def compare(weights, settings, first, reports, cuts=()):
    """Play reports in parts at once, and one by one; the learners are left the same."""
    quick, slow = (LinearFilters(weights, settings, first) for _ in range(2))
    in_turn = []
    for report in reports:
        in_turn.append(slow.predict())
        slow.update(report)
    parts = [
        quick.play_known(reports[start:end]) for start, end in itertools.pairwise([0, *cuts, len(reports)])
    ]
    np.testing.assert_array_equal(np.concatenate(parts), in_turn)
    np.testing.assert_array_equal(quick.forecast(), slow.forecast())


def means(window, count, strength):
    return np.full(min(window, count), 1 / min(window, count))


@each("weights", [trend_weights, gaussian_process_weights, means])
@each("shape", [(1, 5), (40, 3), (3, 1500)])  # many copies are forecast together, or one
def test_they_are_played_as_by_filters_that_hear_one_report_after_the_other(weights, shape):
    first, *reports = [report_of(values) for values in rng_for(0, "known reports").normal(size=(50, *shape))]
    compare(weights, SETTINGS, first, reports)


@pytest.mark.parametrize(
    ("weights", "summed", "most"), [(trend_weights, 2, 4), (gaussian_process_weights, 0, 20), (means, 1, 2)]
)
def test_a_trend_weighs_both_ends_of_its_window_alone_and_all_weights_are_kept(weights, summed, most):
    filters, sums, _ = _sparsest(weights, tuple(SETTINGS), 50)
    assert sums == summed
    assert np.count_nonzero(filters, axis=-1).max() == most
    ends = np.tril(np.ones((50, 50)))  # summed once for each time that the reports are
    rows = filters @ np.linalg.matrix_power(ends, summed)
    np.testing.assert_allclose(rows, forecast_rows(weights, SETTINGS, 50), atol=1e-12)


def test_one_row_of_reports_may_serve_all_copies():
    first, *reports = rng_for(0, "one row").normal(size=(30, 1, 4))
    rows = [report_of(values) for values in reports]
    one = LinearFilters(trend_weights, SETTINGS, report_of(first)).play_known(rows)
    copies = LinearFilters(trend_weights, SETTINGS, report_of(np.tile(first, (3, 1)))).play_known(rows)
    np.testing.assert_array_equal(copies, np.broadcast_to(one, copies.shape))


WIDE = tuple((window, strength) for window in (8, 16, 32, 64) for strength in (0.01, 1.0, 100.0))
LONGEST = 194  # the most rounds in which the study's learners weigh running sums


def hard(rounds):
    """Reports of experts on whom rounding is hard: steady, far from 0, and noisy; one a column."""
    rng, t = rng_for(0, "hard reports"), np.arange(rounds)
    columns = [np.full(rounds, 0.1), -0.1 - 1e-3 * t, np.where(t < rounds // 2, 1 / 3, -1 / 7), np.cos(t) / 3]
    return np.column_stack([*columns, *rng.normal(size=(3, rounds)), 1 + rng.random(rounds) / 10])


def test_forecasts_from_running_sums_are_within_the_bound_of_exact_fractions():
    filters, times, _ = _sparsest(trend_weights, WIDE, LONGEST)
    rows, reports = forecast_rows(trend_weights, WIDE, LONGEST), hard(LONGEST)
    bound = _rounding_error(filters, np.abs(rows).max(axis=-1), times)
    sums = _running_sums(reports[:, None], times)
    largest = np.maximum.accumulate(np.abs(reports), axis=0)
    exact_reports = [[Fraction(value) for value in row] for row in reports.tolist()]
    worst = 0.0
    for t in (0, 1, 2, 8, 65, 120, LONGEST - 1):
        weighed = np.flatnonzero(filters[:, t].any(axis=0))
        found = _forecasts(filters[:, t, weighed], sums, weighed)[:, 0]
        for learner, forecasts in enumerate(found.tolist()):
            weights = [(j, Fraction(w)) for j, w in enumerate(rows[learner, t].tolist()) if w]
            for expert, forecast in enumerate(forecasts):
                exact = sum(w * exact_reports[j][expert] for j, w in weights)
                off = float(abs(Fraction(forecast) - exact)) / largest[t, expert]
                assert off <= bound[learner, t]
                worst = max(worst, off)
    assert times == 2
    # no sum of the reports themselves is off by so much: sums of sums are the cause
    assert worst > 2.0**-53 * LONGEST
    assert worst < bound.max() <= _HARMLESS


def test_the_bound_of_the_rounding_is_the_derived_one():
    last = np.zeros((1, 4, 4))
    # the sum of sums 1 + 3 + 6 + 10 at most, of which each is rounded, and so are those within
    last[0, 3, 3] = 1.0
    unit, nothing = 2.0**-53 * (1 + 2.0**-10), np.zeros((1, 4))
    assert _rounding_error(last, nothing, 2)[0].tolist() == [0, 0, 0, (2 * 20 + 10) * unit]
    assert _rounding_error(last, nothing, 1)[0].tolist() == [0, 0, 0, (10 + 4) * unit]
    of_filters = _rounding_error(np.zeros((1, 4, 4)), nothing + 1, 2)[0]
    np.testing.assert_allclose(of_filters, np.array([1, 4, 10, 20]) * (32 + 16) * unit, rtol=1e-12)


def test_sums_are_weighed_no_longer_where_their_rounding_may_do_harm():
    assert [_sparsest(trend_weights, WIDE, rounds)[1] for rounds in (LONGEST, LONGEST + 1)] == [2, 0]


def test_a_long_game_is_played_as_by_filters_that_hear_one_report_after_the_other():
    first, *reports = [report_of(values) for values in rng_for(0, "long").normal(size=(LONGEST + 10, 1, 3))]
    compare(trend_weights, WIDE[-3:], first, reports, cuts=(1, 1, 150))


@each("scale", [1, 3, 1000])
def test_where_experts_tie_the_filters_own_way_counts(scale):
    first, *reports = [report_of(values / scale) for values in rng_for(0, "ties").integers(0, 4, (40, 5, 6))]
    compare(trend_weights, SETTINGS, first, reports, cuts=(7,))
    smooth = privatize(np.zeros(6), GaussianDP(1.0, "local"), 0.5, SimulatedNoise(0), repetitions=5)
    compare(trend_weights, SETTINGS, first, [smooth, *reports])  # one with fresh noise among them


def test_forecasts_that_are_as_near_as_rounding_are_told():
    reports = rng_for(0, "near").normal(size=(30, 2, 3))
    reports[17:, 1, 2] = reports[17:, 1].max(axis=-1) + 10
    reports[17:, 1, 0] = reports[17:, 1, 2] * (1 + 1e-13)
    unsure = leaders_after(trend_weights, tuple(SETTINGS), list(reports), 1, 2)[1]
    assert not unsure[:16].any()
    assert unsure[-1]
    assert not leaders_after(trend_weights, tuple(SETTINGS), list(reports), 1, 2, ties=False)[1].any()
    for apart, told in ((5e-6, True), (8e-6, True), (9e-6, False)):  # 2^-27 and 1e-9 of 1000
        far = [np.array([[0.0, 1000.0, 1000.0 - apart]])] * 2
        actions, unsure = leaders_after(trend_weights, ((1, 1.0),), far, 1, 1)
        assert (actions.tolist(), actions.dtype, unsure.tolist()) == ([[[1]]], np.intp, [told])


def test_reports_with_fresh_noise_do_not_tie_and_others_may():
    noise, level = SimulatedNoise(rng_for(0, "smooth")), GaussianDP(1.0, "local")
    assert privatize(np.zeros(3), level, 0.01, noise).smooth
    assert not privatize(np.zeros(3), level, 1e-4, noise).smooth
    assert not Reports(np.zeros((1, 3)), level, 0.5).smooth
