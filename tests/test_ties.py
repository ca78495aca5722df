"""Choices that do not hang on the last bits of numbers."""

import numpy as np

from private_experts.replication.study.tied import ascending, best, difference, first_least, rounded
from private_experts.ties import TIE, first_largest, leaders

ABOVE = np.nextafter(0.3, 1)


def test_what_ties_goes_to_the_lowest_index():
    table = np.array([[0.1, 0.3, ABOVE], [0.5, 0.3, 0.5 * (1 - TIE / 2)], [-0.0, 0.0, 1e-300]])
    assert first_largest(table).tolist() == [1, 0, 2]
    assert first_least(-table).tolist() == [1, 0, 2]
    assert first_largest(table.T, axis=0).tolist() == [1, 0, 2]
    assert best({"first": 0.3, "second": ABOVE}) == "first"


def test_what_does_not_tie_is_chosen():
    assert first_largest([0.5, 0.5 * (1 + 3 * TIE)]) == 1
    assert first_largest([-1.0, -1.0 + 3 * TIE]) == 1
    assert best({"first": 0.3, "second": 0.4}) == "second"


def test_an_order_keeps_those_that_tie():
    assert ascending([ABOVE, 0.1, 0.3, 0.2, np.nextafter(0.2, 0)]).tolist() == [1, 3, 4, 0, 2]


def test_what_has_fresh_noise_does_not_tie():
    forecasts = np.array([[0.3, ABOVE]])
    assert leaders(forecasts, smooth=True).tolist() == [1]
    assert leaders(forecasts, smooth=False).tolist() == [0]


def test_a_difference_of_what_is_equal_but_for_rounding_is_zero():
    assert str(difference([0.1 + 0.2, 0.3], [0.3, 0.1 + 0.2]).tolist()) == "[0.0, 0.0]"
    assert difference(0.5, 0.5 + 1e-11) == -1e-11


def test_what_is_equal_but_for_rounding_is_rounded_alike_where_a_digit_turns():
    below, above = 0.1005 - 1e-13, 0.1005 + 1e-13
    assert np.round([below, above], 3).tolist() == [0.1, 0.101]
    assert len({*rounded([below, 0.1005, above], 3)}) == 1
    assert rounded([0.1004, 0.1006, 0.9], 3).tolist() == [0.1, 0.101, 0.9]
