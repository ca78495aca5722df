"""Bed counts that are wrong for a week or two, each beside one that just is not."""

import math

import numpy as np

from private_experts.replication.study.data.cleaning import bed_faults
from tests.each import each

NAN = math.nan
HIGH, LOW = "high", "low"
# A hospital's counts week by week, and which of them are marked as what.
EXAMPLES = {
    "a steady house": ([100, 100, 100, 100], {}),
    "a week too high": ([100, 100, 115, 100], {2: HIGH}),
    "a week almost too high": ([100, 100, 114.9, 100], {}),
    "two weeks too high": ([100, 130, 120, 100], {1: HIGH, 2: HIGH}),
    "a fault that begins in the middle of a week": ([100, 108, 118, 100], {2: HIGH}),
    "a fault that ends in the middle of a week": ([100, 118, 108, 100], {1: HIGH}),
    "three weeks are no fault": ([100, 130, 130, 130, 100], {}),
    "higher than one neighbour, less than 15 % than the other": ([100, 120, 110, 110, 110], {}),
    "a week too low": ([100, 100, 86, 100], {2: LOW}),
    "a week almost too low": ([100, 100, 88, 100], {}),
    "two weeks too low": ([100, 80, 70, 100], {1: LOW, 2: LOW}),
    "three weeks too low are no fault": ([100, 80, 80, 80, 100], {}),
    "the first and the last have one neighbour": ([130, 100, 100, 130], {1: LOW, 2: LOW}),
    "missing counts lie between": ([100, NAN, 130, NAN, NAN, 100], {2: HIGH}),
    "a count that is both": ([200, 50, 100, 200, 50], {1: LOW, 2: HIGH + LOW, 3: HIGH}),
    "one count": ([NAN, 100, NAN], {}),
    "no count": ([NAN, NAN], {}),
}


@each(("counts", "expected"), EXAMPLES.values())
def test_a_count_is_marked_that_leaves_both_neighbours_for_one_report_or_two(counts, expected):
    beside = np.full((len(counts), 2), 100.0)
    beside[:, 0] = counts
    high, low = bed_faults(beside)
    weeks = np.flatnonzero(high[:, 0] | low[:, 0]).tolist()
    assert {week: HIGH * bool(high[week, 0]) + LOW * bool(low[week, 0]) for week in weeks} == expected
    assert not (high | low)[:, 1].any()
