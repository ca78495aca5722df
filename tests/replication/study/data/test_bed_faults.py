"""Bed counts that are wrong for a week or two: the rule, an independent reading, and other rules."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from private_experts.replication.study.data.cleaning import BED_FAULT, bed_faults
from tests.each import each

NAN = math.nan
HIGH, LOW = "high", "low"
# A hospital's counts week by week, and which of them are marked as what.
EXAMPLES = {
    "a steady house": ([100, 100, 100, 100], {}),
    "a week too high": ([100, 100, 115, 100], {2: HIGH}),
    "a week almost too high": ([100, 100, 114, 100], {}),
    "two weeks too high": ([100, 130, 120, 100], {1: HIGH, 2: HIGH}),
    "a fault that begins in the middle of a week": ([100, 108, 118, 100], {2: HIGH}),
    "a fault that ends in the middle of a week": ([100, 118, 108, 100], {1: HIGH}),
    "three weeks are no fault": ([100, 130, 130, 130, 100], {}),
    "high after the last week only": ([100, 130, 130, 130, 130], {}),
    "high before the next week only": ([130, 130, 130, 130, 100], {}),
    "higher than one neighbour, less than 15 % than the other": ([100, 120, 110, 110, 110], {}),
    "a week too low": ([100, 100, 86, 100], {2: LOW}),
    "a week almost too low": ([100, 100, 88, 100], {}),
    "one day of seven as 0 beds": ([166, 166, 142.3, 166], {2: LOW}),
    "two weeks too low": ([100, 80, 70, 100], {1: LOW, 2: LOW}),
    "three weeks too low are no fault": ([100, 80, 80, 80, 100], {}),
    "lower than the week before only": ([100, 80, 80, 80, 80], {}),
    "lower than the week after only": ([80, 80, 80, 80, 100], {}),
    "the first and the last have one neighbour": ([130, 100, 100, 130], {1: LOW, 2: LOW}),
    "missing counts lie between": ([100, NAN, 130, NAN, NAN, 100], {2: HIGH}),
    "a count that is both": ([200, 50, 100, 200, 50], {1: LOW, 2: HIGH + LOW, 3: HIGH}),
    "one count": ([NAN, 100, NAN], {}),
    "no count": ([NAN, NAN], {}),
}


def marked(rule, counts):
    """Return what a rule marks in one hospital's counts."""
    high, low = (flags[:, 0] for flags in rule(np.array(counts, dtype=float)[:, None]))
    return {
        week: HIGH * bool(high[week]) + LOW * bool(low[week]) for week in np.flatnonzero(high | low).tolist()
    }


@each(("counts", "expected"), EXAMPLES.values())
def test_a_count_is_marked_that_leaves_both_neighbours_for_one_report_or_two(counts, expected):
    assert marked(bed_faults, counts) == expected


def one_by_one(
    beds, neighbours=((1, 1), (2, 1), (1, 2)), limit=BED_FAULT, before=True, after=True, low_too=True
):
    """Mark counts one after another, in lists; or by a rule that is another one."""
    high, low = np.zeros(beds.shape, bool), np.zeros(beds.shape, bool)
    for column in range(beds.shape[1]):
        row = [(week, count) for week, count in enumerate(beds[:, column].tolist()) if not math.isnan(count)]
        for place, (week, count) in enumerate(row):
            for back, on in neighbours:
                if place - back < 0 or place + on >= len(row):
                    continue
                sides = [row[place - back][1]] * before + [row[place + on][1]] * after
                high[week, column] |= all(count >= limit * side for side in sides)
                low[week, column] |= low_too and all(limit * count <= side for side in sides)
    return high, low


COUNTS = st.one_of(st.just(NAN), st.sampled_from([5.0, 6.0, 10.0, 11.0, 12.0, 13.0, 100.0]))
GRIDS = (
    st.integers(0, 9)
    .flatmap(lambda weeks: st.lists(st.lists(COUNTS, min_size=weeks, max_size=weeks), min_size=1, max_size=3))
    .map(lambda columns: np.array(columns, dtype=float).T)
)


@settings(deadline=None, max_examples=100, derandomize=True)
@given(beds=GRIDS)
def test_the_marks_are_those_of_a_reading_one_by_one(beds):
    for found, expected in zip(bed_faults(beds), one_by_one(beds), strict=True):
        np.testing.assert_array_equal(found, expected)


OTHER_RULES = {
    "the count before alone": {"after": False},
    "the count after alone": {"before": False},
    "single weeks alone": {"neighbours": ((1, 1),)},
    "three weeks as well": {"neighbours": ((1, 1), (2, 1), (1, 2), (3, 1), (2, 2), (1, 3))},
    "two weeks from their first alone": {"neighbours": ((1, 1), (1, 2))},
    "a limit of 16 %": {"limit": 1.16},
    "a limit of 14 %": {"limit": 1.14},
    "high counts alone": {"low_too": False},
}


@pytest.mark.parametrize("change", OTHER_RULES.values(), ids=OTHER_RULES)
def test_another_rule_fails_an_example(change):
    def wrong(beds):
        return one_by_one(beds, **change)

    assert any(marked(wrong, counts) != expected for counts, expected in EXAMPLES.values())
