"""Numbers as people read them."""

import numpy as np

from private_experts.replication.plotting.numbers import (
    duration,
    factor,
    interval,
    percent,
    rounds,
    settled,
    short,
    with_interval,
)
from tests.each import each


@each(
    ("ratio", "text"),
    [(0.0321, "0.032"), (0.5, "0.5"), (1.04, "1.0"), (8.16, "8.2"), (9.97, "10"), (131.2, "131")],
)
def test_a_factor_has_two_digits_or_so(ratio, text):
    assert factor(ratio) == text


@each(
    ("count", "text"),
    [
        *((10**11, "100 billion"), (1e12, "1 trillion"), (1e6, "1 million"), (1000, "1000")),
        *((1e5, "100\u202f000"), (20000, "20\u202f000"), (110000, "110\u202f000")),
    ],
)
def test_powers_of_ten_are_told_as_such(count, text):
    assert rounds(count) == text


@each(
    ("value", "kept"),
    [
        (1 / 3, "0.333333333"),
        (0.1 + 0.2, "0.3"),
        (12_345_678_901.0, "12345678901.0"),  # whole numbers have no last bits
        (-0.0, "0.0"),
        (float("nan"), "nan"),
        (float("-inf"), "-inf"),
    ],
)
def test_a_product_has_nine_digits(value, kept):
    assert str(settled(value)) == kept


def test_a_number_halfway_between_two_does_not_fall_by_its_last_bits():
    halfway = 1 + 1 / 512  # 1.001953125
    assert settled(halfway) == settled(np.nextafter(halfway, 2)) == settled(np.nextafter(halfway, 0))
    assert with_interval(0.125, 0.125) == with_interval(np.nextafter(0.125, 1), np.nextafter(0.125, 0))
    assert short(10_000.0) == short(np.nextafter(10_000.0, 0))


@each(
    ("value", "shown"),
    [
        *((0.123456, "0.1235"), ("1e-12", "1e−12"), (-2.5, "−2.5"), (3.0, "3"), (6.02214e23, "6.022e23")),
        *((1234567, "1\u202f234\u202f567"), ("-inf", "−∞"), ("nan", "not a number")),
        *(("coin-flips", "coin-flips"), ("99+1", "99+1")),
    ],
)
def test_a_number_is_short_and_text_stays_as_it_is(value, shown):
    assert short(value) == shown


def test_intervals_shares_and_durations():
    assert [interval(1, 1.0), interval("-inf", 2)] == ["1", "[−∞, 2]"]
    shares = (0.654, 0.0654, 0.00654, 0.0, -0.7, 1e-9)
    assert [*map(percent, shares)] == ["65 %", "6.5 %", "0.65 %", "0 %", "−70 %", "< 0.01 %"]
    assert [*map(duration, (0.04, 9.94, 75.0, 200.0))] == ["0.0 s", "9.9 s", "75 s", "3 min 20 s"]
