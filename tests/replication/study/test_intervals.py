"""Intervals cover what they say."""

import math

import numpy as np
import pytest
from scipy import stats

from private_experts.errors import InputError
from private_experts.replication.study.intervals import (
    CONFIDENCE,
    bounded_interval,
    clopper_pearson,
    dkw,
    mean_interval,
    rare_interval,
    slope_interval,
)
from tests.each import each


@each("trials", [1, 20])
def test_clopper_pearson_is_scipys_exact_interval(trials: int) -> None:
    counts = np.arange(trials + 1)
    for intervals, confidence in ((1, 0.95), (1, CONFIDENCE), (12, CONFIDENCE)):
        low, high = clopper_pearson(counts, trials, intervals, confidence)
        for k in counts:
            level = 1 - (1 - confidence) / intervals
            wanted = stats.binomtest(int(k), trials).proportion_ci(level, "exact")
            assert low[k] == pytest.approx(wanted.low, rel=1e-7, abs=1e-15)
            assert high[k] == pytest.approx(wanted.high, rel=1e-9)
    # whatever type counts have
    assert clopper_pearson(np.uint8(255), trials + 300) == clopper_pearson(255, trials + 300)


@each("repetitions", [2, 10, 30, 400])
@each("intervals", [1, 24])
def test_the_mean_interval_of_few_normal_repetitions_covers_as_stated(
    repetitions: int, intervals: int
) -> None:
    # A half-width of z s / sqrt(R) covers a normal mean with the probability that |t_{R-1}| <= z.
    sample = np.linspace(-1, 1, repetitions)
    mean, _, high = mean_interval(sample, intervals=intervals)
    z = (high - mean) / (sample.std(ddof=1) / math.sqrt(repetitions))
    assert 2 * stats.t.sf(z, repetitions - 1) <= (1 - CONFIDENCE) / intervals * (1 + 1e-6)
    # and is not wider than that needs
    assert 2 * stats.t.sf(z, repetitions - 1) >= (1 - CONFIDENCE) / intervals * 0.5


def test_the_mean_interval_widens_with_the_intervals_that_are_to_hold_jointly() -> None:
    sample = np.sin(np.arange(5000.0))
    alone = mean_interval(sample, confidence=0.99)
    joint = mean_interval(sample, intervals=5, confidence=0.95)
    assert alone == pytest.approx(joint, rel=1e-12)


def test_the_mean_interval_takes_any_axis() -> None:
    sample = np.sin(np.arange(60.0)).reshape(20, 3)
    along = np.array(mean_interval(sample, axis=0))
    alone = np.array([mean_interval(column) for column in sample.T]).T
    np.testing.assert_allclose(along, alone, rtol=1e-13)


@each("sample", [[0.0, 0.0, 0.0], [0.3] * 16, [[1.0, 2.0, 4.0], [5.0, 5.0, 5.0]], [0.1 + 0.2, 0.3, 0.3]])
def test_a_constant_sample_whose_range_is_not_known_is_refused(sample: list[float]) -> None:
    with pytest.raises(InputError, match=r"give the range of the values \(span\)"):
        mean_interval(sample)
    assert (mean_interval(sample, span=1.0)[2] > mean_interval(sample, span=1.0)[0]).all()


def test_the_empirical_bernstein_interval_is_that_of_maurer_and_pontil() -> None:
    sample = np.sin(np.arange(50.0))
    mean, low, high = mean_interval(sample, intervals=3, confidence=0.97, span=2.0)
    log = math.log(2 / 0.005)  # six tails share 0.03
    width = math.sqrt(2 * sample.var(ddof=1) * log / 50) + 7 * 2.0 * log / (3 * 49)
    assert (high - mean, mean - low) == pytest.approx((width, width), rel=1e-12)


@each("p", [0.001, 0.01, 0.1, 0.5])
def test_intervals_that_know_the_range_cover_the_mean_of_rare_values(p: float) -> None:
    """By the exact law: `trials` coins of value 3, so the mean is 3 p, and a tenth may be missed."""
    trials, bernstein, rare, student = 60, 0.0, 0.0, 0.0
    for k in range(trials + 1):
        sample, chance = np.repeat([3.0, 0.0], [k, trials - k]), stats.binom.pmf(k, trials, p)
        _, low, high = mean_interval(sample, confidence=0.9, span=3.0)
        bernstein += chance * (not low <= 3 * p <= high)
        _, low, high = rare_interval(sample, 3.0, confidence=0.9)
        rare += chance * (not low <= 3 * p <= high)
        if 0 < k < trials:
            _, low, high = mean_interval(sample, confidence=0.9)
            student += chance * (not low <= 3 * p <= high)
        else:
            student += chance  # width 0
    assert max(bernstein, rare) <= 0.1
    assert student > 0.1 or p > 0.01  # where values are rare, Student's t does not cover


def test_runs_without_any_difference_leave_room_for_as_rare_a_difference_as_could_be_missed() -> None:
    mean, low, high = rare_interval(np.zeros(1000), 50.0, confidence=0.98)
    assert (mean, -low) == (0.0, high)
    # 0 of 1000, missed with probability 0.01
    assert high == pytest.approx(50 * (1 - 0.01 ** (1 / 1000)), rel=1e-9)


def test_the_rare_interval_is_the_common_part_of_the_shares_and_of_bernsteins() -> None:
    rng = np.random.default_rng(3)
    narrower = set()
    for other in (1, 49, 300):
        sample = np.zeros(400)
        sample[:other] = rng.uniform(-5, 5, other)
        mean, low, high = rare_interval(sample, 5.0)
        share = 5 * clopper_pearson(other, 400)[1]
        _, least, largest = mean_interval(sample, intervals=2, span=10.0)
        assert (low, high) == pytest.approx((max(least, -share), min(largest, share)), rel=1e-12)
        assert low <= mean <= high
        narrower.add("share" if share < largest else "Bernstein")
    assert narrower == {"share", "Bernstein"}


def test_the_dkw_band_covers_by_the_exact_law_of_kolmogorovs_distance_and_is_hardly_wider() -> None:
    for trials, intervals, confidence in ((1, 1, 0.99), (40, 1, 0.99), (300, 5, 0.95), (300, 1, CONFIDENCE)):
        missed = stats.kstwo.sf(dkw(trials, intervals, confidence), trials)
        assert missed <= (1 - confidence) / intervals
        assert missed >= 0.7 * (1 - confidence) / intervals or trials == 1


def test_the_slope_of_exact_lines_is_exact_and_equal_slopes_are_refused() -> None:
    x = np.array([1.0, 2.0, 5.0, 9.0])
    starts = np.array([[3.0], [-1.0], [10.0]])
    assert slope_interval(x, starts - np.array([[0.75], [0.5], [1.0]]) * x)[0] == pytest.approx(
        -0.75, abs=1e-14
    )
    with pytest.raises(InputError, match="equal"):
        slope_interval(x, starts - 0.75 * x)


def test_the_slope_interval_is_that_of_the_mean_of_each_repetitions_least_squares_slope() -> None:
    x = np.array([0.0, 1.0, 4.0, 5.0, 7.0])
    y = np.sin(np.arange(200.0)).reshape(40, 5)
    slopes = np.polyfit(x, y.T, 1)[0]
    wanted = [float(end) for end in mean_interval(slopes, intervals=3, confidence=0.9)]
    assert slope_interval(x, y, intervals=3, confidence=0.9) == pytest.approx(wanted, rel=1e-10)


def test_a_bounded_mean_has_students_interval_where_enough_runs_differ_and_else_bernsteins() -> None:
    for other, span in ((0, 2.0), (1, 2.0), (99, 2.0), (100, None)):
        sample = np.full(300, 0.3)
        sample[:other] += np.sin(np.arange(1.0, other + 1))
        sample[other::2] *= 1 + 1e-15  # values that differ by rounding are the same
        if not other:
            sample[:] = 0.3
        wanted = [float(end) for end in mean_interval(sample, intervals=4, span=span)]
        assert bounded_interval(sample, 2.0, intervals=4) == pytest.approx(wanted)
    mean, low, high = bounded_interval(np.full(30, 0.25), 1.0, confidence=0.9)
    assert (mean, high - mean) == pytest.approx((0.25, 7 * math.log(40) / (3 * 29)))
    assert mean - low == pytest.approx(high - mean)


@each("mean_count", [3, 5, 12, 40])
def test_the_interval_of_a_table_covers_where_few_runs_differ(mean_count: int) -> None:
    misses = 0.0
    for k in range(100):
        _, low, high = bounded_interval(np.repeat([1.0, 0.0], [k, 1000 - k]), 1.0)
        misses += stats.binom.pmf(k, 1000, mean_count / 1000) * (not low <= mean_count / 1000 <= high)
    assert misses <= 1 - CONFIDENCE
