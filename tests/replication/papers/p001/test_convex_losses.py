"""Drawn losses are convex, their differences are Lipschitz, with one value in floats and fractions."""

from itertools import pairwise

import numpy as np
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.balls.piecewise_linear import exact
from private_experts.replication.papers.p001.convex_losses import Maxima, convex, linear, pairs

ENDS = (-2.0, 6.0)
PAIRS = [*pairs(1, 6.0, 2.0, 12, rng_for(1, "pairs"))]


def test_losses_on_an_interval_are_convex_with_a_lipschitz_difference_and_some_are_far_steeper() -> None:
    steepest = 0.0
    for pair in PAIRS:
        for loss in pair:
            slopes = loss.on(*ENDS).slopes
            assert all(one < two for one, two in pairwise(slopes))
            steepest = max(steepest, *(abs(float(slope.p) / float(slope.q)) for slope in slopes))
        one, two = (loss.on(*ENDS) for loss in pair)
        assert all(-2 <= slope <= 2 for slope in (two - one).slopes)
    assert 6 < steepest <= 12


def test_the_first_pair_is_linear_and_every_third_one_is_moved_by_a_linear_function() -> None:
    moved = [{abs(int(slope.p)) for slope in (two - one).on(*ENDS).slopes} == {2} for one, two in PAIRS]
    assert moved == [True, *([True, False, False] * 4)]
    assert PAIRS[0][0].terms == ()


def test_values_in_floats_are_those_of_the_function() -> None:
    x = np.linspace(*ENDS, 9)
    for one, two in PAIRS:
        for function in (one, two, two - one, one - two, one + two):
            true = [function.on(*ENDS)(exact(point)) for point in x.tolist()]
            found = function.at(x[:, None])
            assert found == pytest.approx([float(value.p) / float(value.q) for value in true], abs=1e-12)


def test_a_difference_leaves_out_what_both_have_in_common() -> None:
    common, other, last = (convex(2, 2.0, 1.0, 3, rng_for(1, "common", k)) for k in range(3))
    assert ((common + other) - common).terms == other.terms
    assert (common - common).terms == ()
    points = rng_for(1, "points").normal(size=(5, 2))
    assert (other - common).at(points) == pytest.approx(other.at(points) - common.at(points))
    assert ((common + last) - (other + last)).at(points) == pytest.approx((common - other).at(points))
    assert linear(3.0, 2, 1).at(points) == pytest.approx(3 * points[:, 1])
    assert Maxima().at(points).tolist() == [0.0] * 5
