"""Maxima, sums and moves of lines agree with single points, and knots are where lines meet."""

import numpy as np
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import ball
from private_experts.replication.balls.piecewise_linear import exact, line, maximum, on_common_knots

LINES = [([-2.0, 0.5, 3.0, 0.5], [0.25, 1.0, -4.0, 0.0]), ([0.1, -0.3], [0.7, 0.2])]
PLACES = [-1.0, -0.3, 0.0, 0.1, 1.7, 2.0, 3.0]


def values(which: int, x: float) -> float:
    slopes, heights = map(np.array, LINES[which])
    return float((slopes * x + heights).max())


def test_a_maximum_has_a_knot_where_the_largest_line_changes_and_nowhere_else() -> None:
    found = maximum(*LINES[0], -1.0, 3.0)
    assert [*map(str, found.knots)] == ["-1", "-3/10", "2", "3"]
    assert [*map(str, found.slopes)] == ["-2", "1/2", "3"]
    assert len(maximum([1.0, 1.0], [0.0, 2.0], -1.0, 3.0).slopes) == 1


def test_functions_take_the_values_that_floats_give() -> None:
    one, two = (maximum(*lines, -1.0, 3.0) for lines in LINES)
    for x in PLACES:
        first, second = values(0, x), values(1, x)
        both = [
            one(x),
            (one + two)(x),
            (one - two * 3)(x),
            one.moved(exact(0.5))(x - 0.5),
            line(4.0, -1.0, 3.0)(x),
        ]
        expected = [first, first + second, first - 3 * second, first, 4 * x]
        assert [float(number.p) / float(number.q) for number in both] == pytest.approx(expected, abs=1e-14)
    part = one.within(exact(0.0), exact(2.5))
    assert [*map(str, part.knots)] == ["0", "2", "5/2"]
    assert part(2.25) == one(2.25)


def test_knots_are_exact_where_floats_would_lose_them() -> None:
    rng = rng_for(1, "close knots")
    slope = rng.random()
    found = maximum([slope, np.nextafter(slope, 1.0)], [1e-17, 0.0], -1.0, 1.0)
    assert len(found.knots) == 3
    assert found.knots[1] == exact(1e-17) / (exact(np.nextafter(slope, 1.0)) - exact(slope))


def test_what_has_no_interval_in_common_or_none_at_all_is_refused() -> None:
    one = line(1.0, 0.0, 1.0)
    with pytest.raises(ValueError, match="different intervals"):
        on_common_knots(one, line(1.0, 0.0, 2.0))
    with pytest.raises(ValueError, match="lies outside"):
        one(1.5)
    with pytest.raises(ValueError, match="no part"):
        one.within(exact(0.5), exact(0.5))
    with pytest.raises(ValueError, match="the maximum of 0 lines"):
        maximum([], [], 0.0, 1.0)
    with pytest.raises(ValueError, match="the maximum of 1 lines"):
        maximum([1.0], [1.0], 1.0, 1.0)
    with pytest.raises(TypeError, match="a ball is no fraction"):
        exact(ball(0.1, 0.3))
