"""Statistics against their printed values, on gains that are made up."""

import math

import numpy as np
import pandas as pd
import pytest

from private_experts.replication.study.published import TABLE_2
from private_experts.replication.study.readings import scores
from private_experts.replication.study.readings.reading_games import learner, meta
from private_experts.replication.study.readings.scores import (
    BEST_LINEAR,
    MIN_NOISE,
    MIN_REGRET,
    OF_LEARNERS,
    OF_TREES,
    RW_META,
    Statistic,
    Totals,
)

LEVELS = [math.inf, 1.0, 0.5, 0.25]
STATES = ["NM", "PA", "CA"]
TRIPLE, WINDOWS = [0.1, 1.0, 10.0], [8, 16]


def weekly(totals, weeks=10):
    """Return records where each algorithm earns the same in each week: totals by (state, mu, algorithm)."""
    rows = [
        {"state": state, "mu": mu, "algorithm": name, "week": week, "even": even / weeks, "odd": odd / weeks}
        for (state, mu, name), (even, odd) in totals.items()
        for week in range(weeks)
    ]
    return pd.DataFrame(rows)


def as_printed():
    """Return the printed table as totals: one learner is the best linear model, and the others earn less."""
    totals = {}
    for (state, mu), (rw_meta, noise, regret, linear) in TABLE_2.items():
        totals |= {(state, mu, learner(w, s)): (linear / 2,) * 2 for w in WINDOWS for s in TRIPLE}
        totals[state, mu, learner(8, 10.0)] = linear, linear
        totals[state, mu, meta("narrow", "2t")] = rw_meta, rw_meta
        totals[state, mu, "min-noise/padded, largest"] = noise, noise
        totals[state, mu, "min-regret/padded, largest"] = regret, regret
    return totals


def of_learners(totals, resamples=0):
    listed = scores.statistics(OF_LEARNERS, STATES, LEVELS)
    found = Totals(weekly(totals), 8, resamples, 1)
    ours = scores.of_learners(found, listed, WINDOWS, TRIPLE, "narrow", "2t")
    return scores.to_printed(ours, listed), listed


def of_trees(totals, listed):
    ours = scores.of_trees(Totals(weekly(totals), 8, 0, 1), listed, "padded, largest")
    return scores.to_printed(ours, listed)


def test_there_are_as_many_statistics_as_the_table_has_cells():
    of = [statistic.group for statistic in scores.statistics((*OF_LEARNERS, *OF_TREES), STATES, LEVELS)]
    assert {group: of.count(group) for group in of} == {
        RW_META: 12,
        BEST_LINEAR: 9,
        MIN_NOISE: 9,
        MIN_REGRET: 12,
    }
    assert scores.statistics(OF_LEARNERS, ["NM", "VT"], [1.0]) == [Statistic(RW_META, "NM", 1.0)]


def test_printed_values_by_hand():
    assert Statistic(RW_META, "NM", math.inf).printed == pytest.approx(40.14 / 43.91)
    assert Statistic(BEST_LINEAR, "CA", 0.25).printed == pytest.approx(38.43 / 66.23)
    assert Statistic(MIN_NOISE, "PA", 1.0).printed == pytest.approx(23.55 / 27.42)
    assert Statistic(MIN_REGRET, "CA", 0.5).printed == pytest.approx(16.82 / 22.14)


def test_the_printed_table_scores_nothing_against_itself_and_one_wrong_cell_is_seen():
    logs, listed = of_learners(as_printed(), resamples=5)
    np.testing.assert_allclose(logs, 0, atol=1e-12)  # as all weeks are alike, resampling changes nothing
    changed = as_printed()
    rw_meta = TABLE_2["PA", 0.5][0] * 1.1
    changed["PA", 0.5, meta("narrow", "2t")] = rw_meta, rw_meta
    logs, listed = of_learners(changed)
    assert scores.score(logs, listed, [RW_META], STATES)[0] == pytest.approx(math.log(1.1) / math.sqrt(12))
    assert scores.score(logs, listed, [RW_META], ["PA"])[0] == pytest.approx(math.log(1.1) / 2)
    assert scores.score(logs, listed, [BEST_LINEAR], STATES)[0] == pytest.approx(0, abs=1e-12)
    assert math.isnan(scores.score(logs, listed, OF_LEARNERS, [])[0])


def test_trees_score_against_the_printed_trees():
    listed = scores.statistics(OF_TREES, STATES, LEVELS)
    totals = as_printed()
    logs = of_trees(totals, listed)
    np.testing.assert_allclose(logs, 0, atol=1e-12)
    totals["NM", 1.0, "min-regret/padded, largest"] = (2 * TABLE_2["NM", 1.0][2],) * 2
    logs = of_trees(totals, listed)
    assert scores.score(logs, listed, [MIN_REGRET], ["NM"])[0] == pytest.approx(math.log(2) / 2)


def test_luck_in_one_half_of_the_repetitions_is_not_rewarded():
    totals = {("NM", 1.0, "learner/a"): (9.0, 1.0), ("NM", 1.0, "learner/b"): (4.0, 4.0)}
    found = Totals(weekly(totals), 8, 0, 1)
    # The even half picks a, which earns 1 in the odd half; the odd half picks b, which earns 4 in the even
    # half.
    assert found.best("NM", 1.0, ["learner/a", "learner/b"])[0] == pytest.approx((1 + 4) / 2)
    assert found.leading("NM", 1.0, ["learner/a", "learner/b"]) == "learner/a"


def test_weeks_are_resampled_in_blocks_and_the_first_row_is_the_weeks_themselves():
    counts = scores.resampled(20, 8, 500, 1)
    assert counts.shape == (501, 20)
    np.testing.assert_array_equal(counts[0], 1)
    np.testing.assert_array_equal(counts.sum(axis=1), 20)
    # Two blocks of 8 and one of 4 weeks, of 20 in a circle: adjacent counts have the covariance
    # 2 (7/20 - (8/20)^2) + 3/20 - (4/20)^2 = 0.49; of 20 single weeks it is -1/20.
    apart = counts[1:] - 1
    near, single = (
        (weights[:, 1:] * weights[:, :-1]).mean()
        for weights in (apart, scores.resampled(20, 1, 500, 1)[1:] - 1)
    )
    assert near == pytest.approx(0.49, abs=0.1)
    assert single == pytest.approx(-0.05, abs=0.1)
    np.testing.assert_allclose(counts[1:].mean(axis=0), 1, atol=0.25)  # every week is as likely


def test_an_interval_holds_the_middle_of_the_resampled_scores():
    low, high = scores.interval(np.concatenate([[5.0], np.arange(101.0)]), 0.9)
    assert (low, high) == pytest.approx((5.0, 95.0))
    assert all(map(math.isnan, scores.interval(np.array([5.0]), 0.9)))
