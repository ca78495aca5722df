import numpy as np
import pytest
from scipy.optimize.elementwise import find_root

from private_experts.privacy.numerics import root
from tests.each import each

PLACES = np.concatenate([np.linspace(-40, 40, 33), np.geomspace(1e-300, 1e-3, 8), [0.1, -1 / 3, np.pi]])


@each(
    "function",
    [
        lambda x, place: x - place,
        lambda x, place: x**3 - place,
        lambda x, place: (x - place) ** 9,
        lambda x, place: np.exp(x) - np.exp(place),
        lambda x, place: np.arctan(50 * (x - place)),
        lambda x, place: np.where(x > place, np.inf, -1.0),
        lambda x, place: np.where(x > place, 1e-320, -1e-320),
    ],
)
@each("ends", [(-70.0, 300.0), (41.0, -90.0)])
def test_roots_are_scipys_to_the_bit(function, ends):
    low, high = (np.full(PLACES.shape, end) for end in ends)
    np.testing.assert_array_equal(root(function, low, high, PLACES), find_root(function, ends, args=(PLACES,)).x)


@each("function", [lambda x: x**2 + 1, lambda x: np.full(x.shape, np.nan)])
def test_ends_without_a_root_between_them_are_told(function):
    with pytest.raises(ArithmeticError, match="no root"):
        root(function, np.full(3, -1.0), np.full(3, 2.0))


def test_an_end_that_is_infinite_is_told():
    with pytest.raises(ArithmeticError, match="no root"):
        root(lambda x: x, np.array([-1.0]), np.array([np.inf]))


def test_a_point_whose_root_is_found_is_looked_at_no_more():
    seen = []

    def line(x, place):
        seen.append(place.size)
        return np.where(place == 0.0, x, np.exp(x) - 2 - place)

    root(line, np.full(2, -1.0), np.full(2, 1.5), np.array([0.0, 1.0]))
    assert seen[:2] == [2, 2]
    assert seen[-1] == 1
