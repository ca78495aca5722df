"""Streams are what their words say, and gains in [0, 1]."""

import numpy as np

from private_experts.games.streams import STREAMS, alternating, coin_flips, easy, turncoat, zero
from tests.each import each


@each("name", STREAMS)
@each(("horizon", "n"), [(1, 2), (7, 2), (40, 9)])
def test_gains_have_the_shape_asked_for_and_lie_in_the_unit_interval(name: str, horizon: int, n: int) -> None:
    gains = STREAMS[name](horizon, n)
    assert gains.shape == (horizon, n)
    assert gains.dtype == np.float64
    assert gains.min() >= 0
    assert gains.max() <= 1


@each("name", STREAMS)
def test_a_stream_is_fixed_in_advance(name: str) -> None:
    first = STREAMS[name](30, 4)
    first_as_it_was = first.copy()
    first[:] = 7.0  # nobody's buffer
    np.testing.assert_array_equal(STREAMS[name](30, 4), first_as_it_was)


def test_nobody_gains_in_the_zero_stream() -> None:
    assert not zero(5, 3).any()


def test_the_alternating_streams_leader_never_gains_next() -> None:
    np.testing.assert_array_equal(alternating(4, 3), [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0]])


def test_the_turncoats_gap_grows_and_shrinks_by_one_a_round() -> None:
    totals = turncoat(10, 3).cumsum(axis=0)
    np.testing.assert_array_equal(totals[:, 0] - totals[:, 1], [1, 2, 3, 4, 5, 4, 3, 2, 1, 0])
    assert not totals[:, 2].any()
    np.testing.assert_array_equal(turncoat(3, 2), [[1, 0], [0, 1], [0, 1]])


def test_coin_flips_are_fair_and_depend_on_the_size() -> None:
    gains = coin_flips(500, 8)
    assert set(np.unique(gains)) == {0.0, 1.0}
    assert abs(gains.mean() - 0.5) < 4.5 * 0.5 / np.sqrt(gains.size)  # a fair coin is out of this with 7e-6
    assert (coin_flips(500, 9)[:, :8] != gains).any()


def test_the_easy_streams_leader_gains_the_gap_more_than_all_others() -> None:
    np.testing.assert_allclose(easy(2, 3), [[0.75, 0.25, 0.25]] * 2)
    np.testing.assert_allclose(easy(1, 2, gap=1.0), [[1.0, 0.0]])
