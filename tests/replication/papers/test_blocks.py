"""Regret from the law of blocks is that of playing every round; its exact laws are those of enumeration."""

from itertools import product

import numpy as np
import pytest

from private_experts.algorithms import DyadicLeader, RandomizedPrefix
from private_experts.errors import InputError
from private_experts.games.streams import (
    CoinFlips,
    Mixture,
    alike,
    deterministic,
    equal_gaps,
    gaps,
    independent,
    opposed,
)
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.papers.blocks import (
    block_regret,
    exact_errors,
    prefix_errors,
    sampled_errors,
)
from tests.each import each


def rng_of(*key):
    return rng_for(0, "test blocks", *key)


def algorithms():
    guarantee = PureDP(0.7, "central")
    return {
        "randomised prefix": RandomizedPrefix(2, guarantee, rng=rng_of("own")),
        "laplace": DyadicLeader(2, guarantee, rng=rng_of("own")),
        "gumbel": DyadicLeader(2, guarantee, rng=rng_of("own"), repetitions=1, selection="gumbel"),
    }


def test_each_round_costs_the_error_of_its_block():
    errors = np.array([1.0, 10.0, 100.0, 1000.0])
    by_round = np.concatenate([[0], np.repeat(errors, [1, 2, 4, 8]).cumsum()])
    np.testing.assert_allclose(block_regret(errors, range(1, 16)), by_round[1:])
    np.testing.assert_allclose(block_regret([errors, 2 * errors], [5]), [[by_round[5]], [2 * by_round[5]]])
    with pytest.raises(InputError, match="smaller horizon"):
        block_regret(errors, [16])


def enumerated(law, stream, r):
    """The expected error after r rounds, over all sequences of rounds."""
    if isinstance(stream, CoinFlips):
        vectors = np.array(list(product((0.0, 1.0), repeat=2)))
        chances = np.prod(np.where(vectors == 1, stream.means, 1 - stream.means), axis=1)
    else:
        vectors, chances = stream.vectors, stream.probabilities
    total = 0.0
    for sequence in product(range(len(vectors)), repeat=r):
        places = list(sequence)
        total += chances[places].prod() * float(law(vectors[places].sum(axis=0)) @ gaps(stream))
    return total


@each("make", [independent, opposed, alike])
@each("name", ["randomised prefix", "laplace"])
def test_errors_of_two_experts_are_those_of_enumeration(make, name):
    law = algorithms()[name].law
    for short in (equal_gaps(2, 0.3), np.array([0.45, 0.0])):  # the second is the best in the latter
        found = prefix_errors(law, make(short), np.array([1, 2, 4]))
        np.testing.assert_allclose(found, [enumerated(law, make(short), r) for r in (1, 2, 4)], rtol=1e-12)


def test_errors_without_chance_are_those_of_the_law_at_the_means():
    short = np.array([0.0, 0.5, 0.2, 0.5])
    for algorithm in algorithms().values():
        found = prefix_errors(algorithm.law, deterministic(short), np.array([1, 3, 40]))
        np.testing.assert_allclose(found, [algorithm.law(-r * short) @ short for r in (1, 3, 40)], rtol=1e-9)


def test_exact_errors_average_over_the_prefixes_that_a_block_may_have():
    stream = opposed(equal_gaps(2, 0.3))
    algorithm = algorithms()["randomised prefix"]
    q = np.concatenate([[np.nan], prefix_errors(algorithm.law, stream, np.arange(1, 9))])
    expected = [0.15, q[1], q[2], (q[3] + q[4]) / 2, q[5:9].mean()]
    np.testing.assert_allclose(exact_errors(algorithm, stream, 5), expected)
    np.testing.assert_allclose(
        exact_errors(algorithms()["gumbel"], stream, 5), [0.15, q[1], q[2], q[4], q[8]]
    )
    np.testing.assert_allclose(exact_errors(algorithm, stream, 1), [0.15])


@each("name", algorithms())
@each("by_law", [True, False])
def test_sampled_errors_have_the_exact_means(name, by_law):
    for stream in (independent(equal_gaps(2, 0.5)), opposed(equal_gaps(2, 0.5))):
        algorithm = algorithms()[name]
        exact = exact_errors(algorithm, stream, 5)
        repetitions = 200 if name == "laplace" and by_law else 5000
        found = sampled_errors(algorithm, stream, 5, repetitions, rng_of(name), by_law)
        error = np.maximum(found.std(axis=0, ddof=1) / np.sqrt(len(found)), 1e-12)
        assert (np.abs(found.mean(axis=0) - exact) < 5.5 * error).all()  # each is out of this with 4e-8


def test_the_tails_that_are_left_out_are_negligible():
    stream = independent(equal_gaps(2, 0.3))
    law = algorithms()["gumbel"].law
    few = prefix_errors(law, stream, np.array([600]))
    ahead = np.arange(-600, 601)
    # Second route: the difference of two binomials through the characteristic function, on 2048 points.
    points = np.exp(2j * np.pi * np.arange(2048) / 2048)
    first, second = stream.means
    chances = np.fft.ifft(((1 - first + first / points) * (1 - second + second * points)) ** 600).real[ahead]
    cost = law(np.stack([ahead, 0 * ahead], axis=1).astype(float)) @ gaps(stream)
    assert abs(float((chances @ cost - few)[0])) < 1e-13


def test_streams_whose_exact_errors_are_not_known_are_refused():
    for stream in (
        independent(equal_gaps(3, 0.2)),
        Mixture(np.array([[0.5, 0.0], [1.0, 1.0]]), np.array([0.5, 0.5])),
    ):
        with pytest.raises(InputError, match="without chance"):
            prefix_errors(algorithms()["gumbel"].law, stream, np.array([1]))
