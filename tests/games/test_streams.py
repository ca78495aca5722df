"""Streams are what their words say, with the means, gaps and dependence they promise."""

import numpy as np
import pytest
from scipy import stats

from private_experts.games.streams import (
    KINDS,
    STREAMS,
    CoinFlips,
    Mixture,
    alike,
    alternating,
    chunks,
    coin_flips,
    deterministic,
    doubling_gaps,
    easy,
    equal_gaps,
    gaps,
    independent,
    opposed,
    pseudo_regret,
    shifting,
    turncoat,
    zero,
)
from private_experts.randomness import rng_for
from tests.each import each
from tests.laws import two_samples

FALSE_ALARM = 1e-6
SHORT = np.array([0.0, 0.3, 0.3, 0.6])


def rng_of(*key):
    return rng_for(0, "test stochastic", *key)


@each("kind", KINDS)
@each("shortfalls", [SHORT, equal_gaps(2, 1.0), np.roll(SHORT, 2)])
def test_a_stream_has_the_gaps_asked_for_and_means_in_the_unit_interval(kind, shortfalls):
    stream = KINDS[kind](shortfalls)
    np.testing.assert_allclose(gaps(stream), shortfalls, atol=1e-15)
    assert stream.means.min() >= 0
    assert stream.means.max() <= 1
    assert stream.means.max() + stream.means.min() == pytest.approx(1)


@each("kind", KINDS)
def test_rounds_have_their_shape_and_means_and_are_independent_in_time_and_over_repetitions(kind):
    stream = KINDS[kind](SHORT)
    rounds = stream.rounds(60, 50, rng_of(kind))
    assert rounds.shape == (60, 50, 4)
    assert rounds.dtype == np.float64
    assert rounds.min() >= 0
    assert rounds.max() <= 1
    # 5 standard errors of 3000 coin flips: a false alarm for less than 1 in 100 000 seeds
    np.testing.assert_allclose(rounds.mean(axis=(0, 1)), stream.means, atol=5 * 0.5 / np.sqrt(3000))
    if kind != "deterministic":
        for first, second in ((rounds[:-1], rounds[1:]), (rounds[:, :-1], rounds[:, 1:])):
            correlation = np.corrcoef(first[..., 1].ravel(), second[..., 1].ravel())[0, 1]
            assert abs(correlation) < 5 / np.sqrt(first[..., 1].size)


def test_coordinates_depend_as_the_kind_says():
    def pairs(stream):
        rounds = stream.rounds(4000, 1, rng_of("pairs"))[:, 0, :2]
        return np.bincount((2 * rounds[:, 0] + rounds[:, 1]).astype(int), minlength=4) / 4000

    short = equal_gaps(2, 0.4)  # means 0.7 and 0.3
    tolerance = 5 * 0.5 / np.sqrt(4000)
    np.testing.assert_allclose(pairs(independent(short)), [0.21, 0.09, 0.49, 0.21], atol=tolerance)
    np.testing.assert_allclose(pairs(alike(short)), [0.3, 0, 0.4, 0.3], atol=tolerance)
    np.testing.assert_allclose(pairs(opposed(short)), [0, 0.3, 0.7, 0], atol=tolerance)
    assert pairs(alike(short))[1] == 0
    assert pairs(opposed(short))[[0, 3]].tolist() == [0, 0]
    np.testing.assert_allclose(deterministic(short).rounds(2, 1, rng_of()), [[[0.7, 0.3]]] * 2)


def test_a_mixture_draws_its_vectors_with_their_probabilities():
    stream = Mixture(np.array([[0.0, 0.5], [1.0, 0.25], [0.5, 1.0]]), np.array([0.2, 0.5, 0.3]))
    np.testing.assert_allclose(stream.means, [0.65, 0.525])
    drawn = stream.rounds(3000, 2, rng_of("mixture"))[..., 0].ravel()
    counts = [(drawn == value).sum() for value in (0.0, 1.0, 0.5)]
    assert stats.chisquare(counts, [1200, 3000, 1800]).pvalue > FALSE_ALARM


@each("kind", KINDS)
def test_totals_have_the_law_of_the_sum_of_rounds(kind):
    stream, count, repetitions = KINDS[kind](SHORT), 5, 20_000
    weights = np.array([1.0, 7.0, 50.0, 400.0])  # different vectors of totals have different sums
    added = stream.rounds(count, repetitions, rng_of("rounds", kind)).sum(axis=0) @ weights
    drawn = stream.totals(np.full(repetitions, count), rng_of("totals", kind)) @ weights
    if kind == "deterministic":
        np.testing.assert_allclose(drawn, added)
        return
    assert two_samples(added, drawn) > FALSE_ALARM


@each("kind", KINDS)
def test_totals_may_be_of_different_lengths_for_each_repetition(kind):
    totals = KINDS[kind](SHORT).totals(np.array([0, 400]), rng_of("lengths"))
    assert totals.shape == (2, 4)
    assert not totals[0].any()
    assert totals[1, 0] > 250  # mean 320, standard deviation 8


def test_doubling_gaps_double_from_group_to_group_and_end_at_1():
    np.testing.assert_allclose(doubling_gaps(3, 0.3), [0, 0.3, 0.3, 0.3, 0.6, 0.6, 0.6, 1, 1, 1])
    assert doubling_gaps(5, 0.01).size == 26


def test_chunks_are_all_rounds_in_pieces_of_bounded_size(monkeypatch):
    stream = independent(SHORT)
    whole = np.concatenate(list(chunks(stream, 23, 5, rng_of("chunks"))))
    assert whole.shape == (23, 5, 4)
    monkeypatch.setattr("private_experts.games.streams._ROOM", 100)
    pieces = list(chunks(stream, 23, 5, rng_of("chunks")))
    assert [len(piece) for piece in pieces] == [5, 5, 5, 5, 3]
    np.testing.assert_array_equal(np.concatenate(pieces), whole)  # the size of the chunks changes nothing


@each(("count", "repetitions"), [(0, 3), (3, 0), (1, 1), (70, 10), (3, 400)])
def test_flips_drawn_in_pieces_are_those_of_one_draw(count, repetitions):
    means = rng_of("means").random(100)
    flips = CoinFlips(means).rounds(count, repetitions, rng_of("pieces"))
    assert flips.dtype == np.float64
    np.testing.assert_array_equal(flips, rng_of("pieces").random((count, repetitions, 100)) < means)


def test_a_shifting_stream_moves_the_best_expert_at_evenly_spaced_shifts():
    stream = shifting("deterministic", [0.0, 0.5, 0.25], 10, 2)
    assert stream.lengths == [3, 4, 3]
    assert stream.gaps.argmin(axis=1).tolist() == [0] * 3 + [1] * 4 + [2] * 3
    np.testing.assert_allclose(stream.gaps[4], [0.25, 0.0, 0.5])
    rounds = np.concatenate(list(stream.chunks(2, rng_of("shifting"))))
    np.testing.assert_allclose(
        rounds.max(axis=2, keepdims=True) - rounds, stream.gaps[:, None] + np.zeros((10, 2, 3))
    )
    assert shifting("independent", SHORT, 7, 0).lengths == [7]


def test_pseudo_regret_is_the_sum_of_the_gaps_of_the_experts_played():
    actions = np.array([[0, 1], [2, 2], [1, 0]])
    short = np.array([0.0, 0.5, 0.25])
    np.testing.assert_allclose(pseudo_regret(short, actions), [0.75, 0.75])
    moving = np.stack([short, np.roll(short, 1), short])
    np.testing.assert_allclose(pseudo_regret(moving, actions), [0 + 0.5 + 0.5, 0.5 + 0.5 + 0])


@each("name", STREAMS)
@each(("horizon", "n"), [(1, 2), (7, 2), (40, 9)])
def test_gains_lie_in_the_unit_interval_and_are_fixed_in_advance(name, horizon, n):
    gains = STREAMS[name](horizon, n)
    assert gains.shape == (horizon, n)
    assert gains.dtype == np.float64
    assert gains.min() >= 0
    assert gains.max() <= 1
    as_it_was = gains.copy()
    gains[:] = 7.0  # nobody's buffer
    np.testing.assert_array_equal(STREAMS[name](horizon, n), as_it_was)


def test_streams_are_what_their_words_say():
    assert not zero(5, 3).any()
    np.testing.assert_array_equal(alternating(4, 3), [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0]])
    totals = turncoat(10, 3).cumsum(axis=0)  # the gap grows and shrinks by one a round
    np.testing.assert_array_equal(totals[:, 0] - totals[:, 1], [1, 2, 3, 4, 5, 4, 3, 2, 1, 0])
    assert not totals[:, 2].any()
    np.testing.assert_array_equal(turncoat(3, 2), [[1, 0], [0, 1], [0, 1]])
    np.testing.assert_allclose(easy(2, 3), [[0.75, 0.25, 0.25]] * 2)
    np.testing.assert_allclose(easy(1, 2, gap=1.0), [[1.0, 0.0]])
    flips = coin_flips(500, 8)
    assert set(np.unique(flips)) == {0.0, 1.0}
    assert abs(flips.mean() - 0.5) < 4.5 * 0.5 / np.sqrt(flips.size)  # a fair coin is out of this with 7e-6
    assert (coin_flips(500, 9)[:, :8] != flips).any()  # they depend on the size
