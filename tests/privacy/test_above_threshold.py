"""AboveThreshold halts with the law that quadrature gives, and its noise is just enough."""

import itertools
import math

import numpy as np
import pytest
from scipy import integrate, stats

from private_experts.errors import InputError
from private_experts.privacy import GaussianDP, PureDP
from private_experts.privacy.above_threshold import AboveThreshold, accuracy, halting_law
from private_experts.randomness import rng_for
from private_experts.saving import load_state_dict, state_dict
from tests.each import each
from tests.privacy.test_sums import NUMBERS


def alarm(epsilon, rng, repetitions=1):
    return AboveThreshold(PureDP(epsilon, "central"), rng=rng, repetitions=repetitions)


def test_the_law_is_that_of_a_general_quadrature():
    queries, epsilon, scale = np.array([-1.0, 4.0, 0.5]), 0.3, 10.0

    def halts_at(k, r):
        below = np.prod(stats.laplace.cdf(r - queries[:k], scale=2 * scale))
        return stats.laplace.pdf(r, scale=scale) * below * stats.laplace.sf(r - queries[k], scale=2 * scale)

    law = halting_law(queries, epsilon, 1.5)
    assert law.sum() == pytest.approx(1.0, abs=1e-12)
    for k in range(3):
        pieces = itertools.pairwise([-40 * scale, -1.0, 0.0, 0.5, 4.0, 40 * scale])
        whole = sum(
            integrate.quad(lambda r, k=k: halts_at(k, r), *piece, epsabs=1e-12)[0] for piece in pieces
        )
        assert law[k] == pytest.approx(whole, abs=1e-9)


@each(("epsilon", "sensitivity"), [(0.05, 0.5), (50.0, 70.0)])
def test_thresholds_are_drawn_anew_at_every_restart_to_the_digit(epsilon, sensitivity):
    rng, scale = rng_for(0, "thresholds"), 2 * sensitivity / epsilon
    mechanism = AboveThreshold(
        PureDP(epsilon, "central"), rng=rng_for(0, "thresholds"), sensitivity=sensitivity, repetitions=90
    )
    expected = rng.laplace(scale=scale, size=90)
    ended = rng_for(1, "thresholds").random((100, 90)) < 0.5
    for which in ([0], [1, 4], np.arange(90), [0], *map(np.flatnonzero, ended)):
        np.testing.assert_allclose(mechanism._threshold, expected, rtol=1e-12)
        mechanism.restart(np.isin(np.arange(90), which))
        expected[which] = rng.laplace(scale=scale, size=len(which))
    np.testing.assert_allclose(mechanism._threshold, expected, rtol=1e-12)


def test_it_halts_with_this_law():
    queries, repetitions = np.array([-1.0, 0.5, 0.2, -2.0]), 40_000
    mechanism, first = alarm(1.0, rng_for(1, "halting", False), repetitions), np.full(repetitions, 4)
    for k, query in enumerate(queries):
        above = mechanism.test(np.full(repetitions, query))
        assert not above[first < 4].any()  # silent once it has halted
        first[above] = k
    expected = repetitions * halting_law(queries, 1.0)
    assert stats.chisquare(np.bincount(first, minlength=5), expected).pvalue > 1e-6  # false alarm 1e-6


def test_every_draw_has_the_scale_of_the_law_and_answers_its_own_query():
    # 5 % less noise would pass the tests of frequencies.
    class Told(np.random.Generator):
        scales, draws = (), ()

        def laplace(self, *, scale, size):
            self.scales, self.draws = (
                (*self.scales, scale),
                (*self.draws, super().laplace(scale=scale, size=size)),
            )
            return self.draws[-1]

    rng, queries = Told(np.random.PCG64(1)), rng_for(1, "queries").uniform(-90, -70, (3000, 20))
    mechanism = AboveThreshold(PureDP(0.5, "central"), rng=rng, sensitivity=3.0, repetitions=3000)
    above = mechanism.test(queries)
    threshold, noise = rng.draws
    np.testing.assert_array_equal(above, (queries + noise >= threshold[:, None]).any(axis=1))
    assert 0.1 < above.mean() < 0.9
    mechanism.restart(np.ones(3000, dtype=bool))
    assert rng.scales == (12.0, 24.0, 12.0)
    apart = mechanism.margins(np.array([0.0, 24.0]), np.arange(2))
    np.testing.assert_allclose(apart[:, 0] - apart[:, 1], 1.0)


def test_one_random_number_for_many_queries_gives_the_same_law():
    queries, repetitions = np.array([-1.0, 0.5, 0.2, -2.0, -np.inf]), 40_000
    mechanism, rows = alarm(1.0, rng_for(1, "hazard"), repetitions), np.arange(repetitions)
    hazard = mechanism.hazard(mechanism.margins(queries, rows))
    above = mechanism.exceeds(hazard, mechanism.patience(), rows)
    np.testing.assert_array_equal(above, mechanism.halted)
    expected = halting_law(queries[:4], 1.0)
    assert stats.binomtest(int(above.sum()), repetitions, 1 - expected[-1]).pvalue > 1e-6  # false alarm 1e-6
    # silent once it has halted
    assert not mechanism.exceeds(hazard + 1e9, mechanism.patience(), rows)[above].any()


def test_the_hazard_adds_up_what_each_query_has_by_the_law_of_its_noise():
    margins = np.append(np.linspace(-60.0, 60.0, 41), np.inf)
    below = np.where(
        margins < 0, stats.laplace.logcdf(margins), np.log1p(-stats.laplace.sf(np.maximum(margins, 0.0)))
    )  # of both, the one that keeps its digits
    alone = AboveThreshold.hazard(margins[:, None])
    np.testing.assert_allclose(alone, -below, rtol=1e-13)
    of_all = AboveThreshold.hazard(np.tile(margins, (3, 2, 1)))
    np.testing.assert_allclose(of_all, np.full((3, 2), alone.sum()), rtol=1e-13, strict=True)


@each("copies", [1, 40])
def test_patience_is_an_exponential_variable_of_each_copy_and_round_to_the_digit(copies):
    above, again = alarm(1.0, rng_for(2, "patience"), copies), rng_for(2, "patience")
    again.laplace(size=copies)  # of thresholds
    for _ in range(3):
        np.testing.assert_array_equal(above.patience(), again.standard_exponential(copies))


def test_rounds_that_need_no_look_are_as_many_as_one_by_one():
    quick, slow = (alarm(1.0, rng_for(1, "patience"), 40) for _ in range(2))
    bounds = rng_for(1, "bounds").random((100, 40)) * 4e-3
    passed = []
    for bound in bounds:
        quiet = quick.patient(20, bound)
        expected = next((t for t in range(20) if (slow.patience() < bound).any()), 20)
        passed.append(quiet)
        assert quiet == expected
        if quiet < 20:  # that round is looked at by itself
            quick.patience()
    assert 5 < np.mean(passed) < 15
    np.testing.assert_array_equal(quick.patience(), slow.patience())


def test_queries_at_minus_infinity_ask_nothing():
    mechanism = alarm(1.0, rng_for(1, "nothing"), 2)
    assert not mechanism.test(np.full((2, 1000), -np.inf)).any()
    np.testing.assert_array_equal(mechanism.test(np.array([[-np.inf, 1e6], [-1e6, -np.inf]])), [True, False])
    np.testing.assert_array_equal(mechanism.halted, [True, False])


def test_after_a_restart_a_copy_halts_again_and_the_others_stay_silent():
    mechanism = alarm(1.0, rng_for(1, "restart"), 3)
    mechanism.test(np.full(3, 1e6))
    mechanism.restart(np.array([True, False, True]))
    np.testing.assert_array_equal(mechanism.halted, [False, True, False])
    np.testing.assert_array_equal(mechanism.test(np.full(3, 1e6)), [True, False, True])


def worst(moves, epsilon, sensitivity):
    """The largest log-ratio over streams of twelve queries on two levels; all but the last move alike."""
    moving = np.array([moves[0]] * 11 + [moves[1]])
    ratios = [
        np.abs(
            np.log(halting_law(q, epsilon, sensitivity) / halting_law(q + moving, epsilon, sensitivity))
        ).max()
        for q in (np.append(np.full(11, low), high) for low in (-20.0, -6.0, 0.0) for high in (-10.0, 0.0))
    ]
    return max(ratios) / epsilon


def test_the_noise_is_just_enough_for_what_was_stated():
    assert 0.99 < worst((1, -1), 1.0, 1.0) <= 1 + 1e-12
    assert 0.99 < worst((2, -2), 1.0, 2.0) <= 1 + 1e-12
    assert worst((2, -2), 1.0, 1.0) > 1.9
    assert 0.74 < worst((1, 0), 1.0, 1.0) <= 0.75 + 1e-9


def test_the_answers_are_as_accurate_as_stated():
    queries, beta = 50, 0.1
    alpha = accuracy(queries, 2.0, beta, 3.0)
    assert alpha == pytest.approx(12 * (math.log(50) + math.log(20)))
    low = halting_law(np.full(queries, -alpha - 1e-9), 2.0, 3.0)
    assert low[:-1].sum() < beta
    assert halting_law(np.array([alpha]), 2.0, 3.0)[-1] < beta


def test_the_guarantee_and_what_is_refused():
    assert alarm(0.7, rng_for(0, "unused")).guarantee == PureDP(0.7, "central")
    for epsilon in (0.0, math.inf):
        with pytest.raises(InputError, match=r"epsilon = .*: write a positive number$"):
            alarm(epsilon, rng_for(0, "unused"))
    for guarantee in (PureDP(1.0, "local"), GaussianDP(1.0, "central"), 1.0):
        with pytest.raises(
            InputError, match=r"^AboveThreshold: .* was asked for; write PureDP\(\.\.\., 'central'\)"
        ):
            AboveThreshold(guarantee, rng=rng_for(0, "unused"))
    with pytest.raises(InputError, match=r"sensitivity = nan: write a positive number$"):
        AboveThreshold(PureDP(1.0, "central"), rng=rng_for(0, "unused"), sensitivity=math.nan)


@each(
    ("queries", "said"),
    [
        (np.zeros(3), "write one or more for each of 2 repetitions$"),
        (np.zeros((2, 1, 1)), "write one or more for each of 2 repetitions$"),
        (np.array([0.0, np.nan]), "not a number; write -inf"),
        ([1.0, 1.0], "queries of type list; write an array of numbers$"),
        (np.array(["1", "1"]), r"queries of type \S+; write an array of numbers$"),
    ],
)
def test_queries_that_do_not_fit_are_refused(queries, said):
    with pytest.raises(InputError, match=f"^AboveThreshold: .*{said}"):
        alarm(1.0, rng_for(1, "refused"), 2).test(queries)


def test_words_are_no_generators_and_a_number_of_copies_is_whole():
    with pytest.raises(InputError, match=r"^AboveThreshold: rng of type str: write rng_for"):
        alarm(1.0, "5")
    for number in NUMBERS:
        with pytest.raises(InputError, match=r"^AboveThreshold: repetitions [^\n]+: write a whole number"):
            alarm(1.0, rng_for(0, "unused"), number)


def test_a_loaded_state_has_the_threshold_that_was_drawn():
    # Another threshold would have to be paid for once more.
    first, second = (alarm(1.0, rng_for(seed, "threshold"), 200) for seed in (1, 2))
    load_state_dict(state_dict(first), second)
    for query in (0.0, 2.0, 4.0):
        queries = np.full(200, query)
        np.testing.assert_array_equal(second.test(queries), first.test(queries))
