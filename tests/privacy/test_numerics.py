"""Roots: one by one they are those of many, to the last bit; a sign that does not change is refused."""

import numpy as np
import pytest
from scipy.optimize.elementwise import find_root

from private_experts.privacy.numerics import root
from private_experts.randomness import rng_for
from tests.each import each

FUNCTIONS = {
    "cube": lambda x, c: x * x * x - c,
    "exponential": lambda x, c: np.exp(np.minimum(x, 700.0)) - 1 - c,
    "steep": lambda x, c: np.arctan(1e6 * (x - c)),
    "step": lambda x, c: np.where(x < c, -1.0, 1.0),
}


@each("name", FUNCTIONS)
def test_the_root_of_one_number_is_that_of_many_to_the_last_bit(name):
    function = FUNCTIONS[name]
    with np.errstate(all="ignore"):
        for c, reach in zip(*10.0 ** rng_for(0, "roots", name).uniform(-6, 3, (2, 12)), strict=True):
            low, high, args = np.zeros(1), np.array([(c + reach) * 1.5 + 1]), (np.array([c]),)
            assert root(function, low, high, *args) == find_root(function, (low, high), args=args).x


@each(("name", "c", "high"), [("exponential", 0.01, 15.0), ("step", 1 - 2.0**-51, 4.0)])
def test_a_search_that_nears_its_end_stops_at_the_same_bit(name, c, high):
    # by a step that would go beyond, and at a width that is the tolerance
    given = FUNCTIONS[name], np.zeros(1), np.array([high]), np.array([c])
    assert root(*given) == find_root(given[0], given[1:3], args=given[3:]).x


def test_a_root_at_an_end_is_found():
    assert root(lambda x: x, np.zeros(1), np.ones(1)) == 0
    assert root(lambda x: x - 1, np.zeros(1), np.ones(1)) == 1


def test_a_jump_at_0_is_found_to_the_smallest_number():
    function, low, high = FUNCTIONS["step"], -np.ones(1), np.full(1, 1.5)
    assert abs(root(function, low, high, np.zeros(1))) <= 1e-307


@each("roots", [[-1.0], [-1.0, -1.0], [0.5, -1.0]])
def test_ends_of_one_sign_are_refused(roots):
    with pytest.raises(ArithmeticError, match="no root between"):
        root(lambda x, c: x - c, np.zeros(len(roots)), np.ones(len(roots)), np.array(roots))
