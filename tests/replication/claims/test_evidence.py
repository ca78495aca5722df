"""Intervals cover what they say, and verdicts follow from margins alone."""

import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from private_experts.replication.claims.evidence import Point, decide, gather, worst
from private_experts.replication.intervals import CONFIDENCE, clopper_pearson, dkw, mean_interval, slope_interval

NAN = float("nan")


def at_most(low: float, high: float, bound: float = 1.0, name: str = "") -> Point:
    return Point({"name": name}, (low + high) / 2, bound, low, high)


def at_least(low: float, high: float, bound: float = 1.0) -> Point:
    return Point({}, (low + high) / 2, bound, low, high, ">=")


def test_the_margin_of_an_upper_bound_is_how_far_the_interval_lies_under_it() -> None:
    assert at_most(0.25, 0.5).margin == (0.5, 0.75)
    assert at_most(1.25, 1.5).margin == (-0.5, -0.25)


def test_the_margin_of_a_lower_bound_is_how_far_the_interval_lies_over_it() -> None:
    assert at_least(1.25, 1.5).margin == (0.25, 0.5)
    assert at_least(0.25, 0.5).margin == (-0.75, -0.5)


def test_an_exact_value_is_an_interval_of_no_width() -> None:
    assert Point({}, 0.75, 1.0).interval == (0.75, 0.75)
    assert Point({}, 0.75, 1.0).margin == (0.25, 0.25)
    assert Point({}, 0.0, 1.0, low=0.0, high=0.0).interval == (0.0, 0.0)  # 0 is a number, not "none given"


@pytest.mark.parametrize(
    ("points", "verdict"),
    [
        pytest.param([at_most(0.1, 0.2), at_least(1.1, 1.2)], "holds", id="all on the right side"),
        pytest.param([at_most(0.5, 1.0), at_least(1.0, 2.0)], "holds", id="touching the bound"),
        pytest.param([at_most(0.1, 0.2), at_most(1.1, 1.2)], "fails", id="one counterexample"),
        pytest.param([at_most(0.9, 1.1), at_most(1.1, 1.2)], "fails", id="a counterexample beside an open point"),
        pytest.param([at_most(NAN, NAN), at_most(1.1, 1.2)], "fails", id="a counterexample beside a NaN"),
        pytest.param([at_most(0.1, 0.2), at_most(0.9, 1.1)], "undecided", id="one straddles"),
        pytest.param([at_most(1.0, 1.1)], "undecided", id="touching the bound from the wrong side"),
        pytest.param([at_most(0.1, 0.2), at_most(NAN, NAN)], "undecided", id="one is not a number"),
        pytest.param([Point({}, 0.5, NAN)], "undecided", id="a bound that is not a number"),
        pytest.param([], "undecided", id="no points"),
    ],
)
def test_the_verdict_over(points: list[Point], verdict: str) -> None:
    assert decide(points) == verdict
    assert decide(iter(points)) == verdict


@settings(deadline=None, derandomize=True, max_examples=200)
@given(st.lists(st.tuples(st.floats(-2, 2), st.floats(0, 2), st.sampled_from(["<=", ">="])), min_size=1))
def test_both_senses_are_mirror_images(drawn: list[tuple[float, float, str]]) -> None:
    points = [Point({}, low, 0.0, low, low + width, sense) for low, width, sense in drawn]  # type: ignore[arg-type]
    mirrored = [
        Point({}, -low, 0.0, -low - width, -low, ">=" if sense == "<=" else "<=") for low, width, sense in drawn
    ]
    assert decide(points) == decide(mirrored)


def test_a_row_names_the_parameters_the_numbers_and_the_points_own_verdict() -> None:
    point = Point({"n": 2}, 0.5, 1.0, 0.25, 1.5, "<=", {"repetitions": 7})
    assert point.row() == {
        "n": 2,
        "value": 0.5,
        "low": 0.25,
        "high": 1.5,
        "sense": "<=",
        "bound": 1.0,
        "margin_low": -0.5,
        "margin_high": 0.75,
        "verdict": "undecided",
        "repetitions": 7,
    }


def test_the_worst_point_of_a_claim_that_holds_is_the_nearest_to_its_bound_relatively() -> None:
    near, far = Point({}, 0.9, 1.0), Point({}, 0.0009, 0.01)
    assert worst([far, near]) is near


def test_the_worst_point_of_a_claim_that_fails_fails_most_clearly() -> None:
    little, much = at_most(1.1, 1.2), at_most(3.0, 4.0)
    assert worst([at_most(0.0, 0.1), little, much]) is much


def test_the_worst_point_of_a_claim_that_fails_is_a_counterexample_however_wide_the_open_ones_are() -> None:
    counterexample, wide = at_most(0.9, 1.0, bound=0.01), Point({}, 0.0, 0.01, 0.0, 50.0)
    assert decide([wide]) == "undecided"
    assert worst([wide, counterexample]) is counterexample
    assert worst([at_most(NAN, NAN), counterexample]) is counterexample


def test_the_worst_point_of_an_open_claim_is_an_open_one() -> None:
    straddling, good = at_most(0.99, 1.01), at_most(0.98, 0.999)
    assert worst([good, straddling]) is straddling
    broken = at_most(NAN, NAN)
    assert worst([good, straddling, broken]) is broken


def test_a_bound_of_zero_is_compared_with_the_value() -> None:
    assert worst([Point({}, -1.0, 0.0), Point({}, -1e-9, 0.0), Point({}, 0.0, 0.0)]).value == 0.0


class Recorder:
    """A check that remembers how many repetitions it was asked for, and decides from a number on."""

    def __init__(self, decides_from: float, wrong: bool = False) -> None:
        self.asked: list[int] = []
        self.decides_from = decides_from
        self.low = 1.1 if wrong else 0.0

    def __call__(self, repetitions: int) -> Sequence[Point]:
        self.asked.append(repetitions)
        open_still = repetitions < self.decides_from
        return [at_most(0.9, 1.1) if open_still else at_most(self.low, self.low + 0.1, name=str(repetitions))]


@pytest.mark.parametrize("wrong", [False, True])
def test_repetitions_are_bought_only_while_the_claim_is_undecided(wrong: bool) -> None:
    check = Recorder(300, wrong)
    points, verdict, spent = gather(check, 25, 10_000)
    assert check.asked == [25, 100, 400]
    assert (verdict, spent) == ("fails" if wrong else "holds", 400)
    assert points[0].where["name"] == "400"  # of the last experiment alone


def test_the_cap_is_reached_exactly_and_never_passed() -> None:
    check = Recorder(math.inf)
    _, verdict, spent = gather(check, 30, 200)
    assert check.asked == [30, 120, 200]
    assert (verdict, spent) == ("undecided", 200)


def test_a_decided_claim_costs_one_experiment_and_a_cap_below_the_start_as_well() -> None:
    decided, capped = Recorder(0), Recorder(math.inf)
    gather(decided, 30, 200)
    gather(capped, 30, 20)
    assert decided.asked == capped.asked == [30]


@pytest.mark.parametrize("trials", [1, 7, 40])
def test_clopper_pearson_is_scipys_exact_interval(trials: int) -> None:
    counts = np.arange(trials + 1)
    for intervals, confidence in ((1, 0.95), (1, CONFIDENCE), (12, CONFIDENCE)):
        low, high = clopper_pearson(counts, trials, intervals, confidence)
        for k in counts:
            level = 1 - (1 - confidence) / intervals
            wanted = stats.binomtest(int(k), trials).proportion_ci(level, "exact")
            assert low[k] == pytest.approx(wanted.low, rel=1e-7, abs=1e-15)
            assert high[k] == pytest.approx(wanted.high, rel=1e-9)


def test_clopper_pearson_of_nothing_and_of_everything_has_a_closed_form() -> None:
    low, high = clopper_pearson([0, 50], 50, confidence=0.98)
    assert low[0] == 0.0
    assert high[1] == 1.0
    assert high[0] == pytest.approx(1 - 0.01 ** (1 / 50), rel=1e-12)
    assert low[1] == pytest.approx(0.01 ** (1 / 50), rel=1e-12)


@pytest.mark.parametrize("confidence", [0.9, CONFIDENCE])
@pytest.mark.parametrize("trials", [3, 25, 200])
def test_clopper_pearson_covers_every_probability_as_the_binomial_says(trials: int, confidence: float) -> None:
    counts = np.arange(trials + 1)
    low, high = clopper_pearson(counts, trials, confidence=confidence)
    for p in np.linspace(0.001, 0.999, 67):
        covered = (low <= p) & (p <= high)
        misses = stats.binom.pmf(counts[~covered], trials, p).sum()
        assert misses <= (1 - confidence) * (1 + 1e-9)


def test_the_mean_interval_is_the_mean_with_its_standard_error_on_both_sides() -> None:
    sample = np.concatenate([np.zeros(10_000), np.full(10_000, 2.0)])
    mean, low, high = mean_interval(sample, confidence=0.95)
    error = math.sqrt(20_000 / 19_999) / math.sqrt(20_000)  # of 20000 values at distance 1 from their mean
    assert mean == 1.0
    assert (mean - low) == pytest.approx(1.959964 * error, rel=1e-3)
    assert (high - mean) == pytest.approx(1.959964 * error, rel=1e-3)


@pytest.mark.parametrize("repetitions", [2, 10, 30, 400])
@pytest.mark.parametrize("intervals", [1, 24])
def test_the_mean_interval_of_few_normal_repetitions_covers_as_stated(repetitions: int, intervals: int) -> None:
    # A half-width of z s / sqrt(R) covers a normal mean with the probability that |t_{R-1}| <= z.
    sample = np.linspace(-1, 1, repetitions)
    mean, _, high = mean_interval(sample, intervals=intervals)
    z = (high - mean) / (sample.std(ddof=1) / math.sqrt(repetitions))
    assert 2 * stats.t.sf(z, repetitions - 1) <= (1 - CONFIDENCE) / intervals * (1 + 1e-6)
    assert 2 * stats.t.sf(z, repetitions - 1) >= (1 - CONFIDENCE) / intervals * 0.5  # and is not wider than that needs


def test_the_mean_interval_widens_with_the_intervals_that_are_to_hold_jointly() -> None:
    sample = np.sin(np.arange(5000.0))
    alone = mean_interval(sample, confidence=0.99)
    joint = mean_interval(sample, intervals=5, confidence=0.95)
    assert alone == pytest.approx(joint, rel=1e-12)


def test_the_mean_interval_takes_any_axis() -> None:
    sample = np.sin(np.arange(60.0)).reshape(20, 3)
    along = np.array(mean_interval(sample, axis=0))
    each = np.array([mean_interval(column) for column in sample.T]).T
    np.testing.assert_allclose(along, each, rtol=1e-13)


def test_the_dkw_band_is_where_massarts_bound_equals_what_is_left() -> None:
    for trials, intervals, confidence in ((100, 1, 0.95), (20_000, 5, CONFIDENCE)):
        width = dkw(trials, intervals, confidence)
        assert intervals * 2 * math.exp(-2 * trials * width**2) == pytest.approx(1 - confidence, rel=1e-9)


def test_the_dkw_band_covers_the_exact_law_of_kolmogorovs_distance() -> None:
    for trials in (1, 5, 40, 300):
        assert stats.kstwo.sf(dkw(trials, confidence=0.99), trials) <= 0.01


def test_the_slope_of_exact_lines_is_exact() -> None:
    x = np.array([1.0, 2.0, 5.0, 9.0])
    lines = np.array([[3.0], [-1.0], [10.0]]) - 0.75 * x
    assert slope_interval(x, lines) == pytest.approx((-0.75, -0.75, -0.75), abs=1e-14)


def test_the_slope_interval_is_that_of_the_mean_of_each_repetitions_least_squares_slope() -> None:
    x = np.array([0.0, 1.0, 4.0, 5.0, 7.0])
    y = np.sin(np.arange(200.0)).reshape(40, 5)
    slopes = np.polyfit(x, y.T, 1)[0]
    wanted = [float(each) for each in mean_interval(slopes, intervals=3)]
    assert slope_interval(x, y, intervals=3) == pytest.approx(wanted, rel=1e-10)
