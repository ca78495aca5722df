"""Experts that come and go: bounds on streams that are made to break them, and play when nobody sleeps."""

import math
from copy import deepcopy

import numpy as np
import pandas as pd
import pytest

from private_experts.algorithms import SleepingHedge, SleepingSoftmax, textbook_rate
from private_experts.errors import InputError
from private_experts.games import play
from private_experts.privacy import (
    GaussianDP,
    PureDP,
    Reports,
    SimulatedNoise,
    exponential_mechanism,
    privatize,
)
from private_experts.privacy.selection import exponential_law
from private_experts.randomness import rng_for
from private_experts.saving import load_state_dict, state_dict
from tests.algorithms.cases import PlacedDraws
from tests.each import each

ROUNDS, N, COPIES, SCALE = 400, 6, 400, 0.5
LOCAL, PURE = GaussianDP(1.0, "local"), PureDP(50.0, "central")
FALSE_ALARM = 4.0  # standard errors of a mean of independent copies: below 1e-4 for each comparison


def hedge():
    rate = textbook_rate([SCALE] * ROUNDS, N)
    return SleepingHedge(N, LOCAL, rate=rate, rng=rng_for(0, "choice"), repetitions=COPIES)


def softmax():
    level = 4 * math.sqrt(math.log(N) / ROUNDS) * (ROUNDS - 1)  # of the rate with the least bound
    guarantee = PureDP(level, "central")
    return SleepingSoftmax(N, guarantee, horizon=ROUNDS, rng=rng_for(0, "choice"), repetitions=COPIES)


@each(("make", "cost"), [(hedge, 1 / 8 + SCALE**2 / 2), (softmax, 1 / 4)])
def test_the_bound_holds_where_the_first_was_alone_for_long(make, cost):
    """Whoever credits what was earned while others slept follows that expert long after it has fallen."""
    awake, gains = np.ones((ROUNDS, N), dtype=bool), np.tile(np.linspace(0, 0.9, N), (ROUNDS, 1))
    awake[: ROUNDS // 2, 1:], gains[: ROUNDS // 2, 0] = False, 1.0
    algorithm, noise, regret = make(), SimulatedNoise(rng_for(0, "reports")), np.zeros((COPIES, N))
    for present, values in zip(awake, gains, strict=True):
        algorithm.wake(present)
        regret[:, present] += values[present] - values[algorithm.predict()][:, None]
        told = values[present]
        algorithm.update(privatize(told, LOCAL, SCALE, noise, repetitions=COPIES) if make is hedge else told)
    bound = math.log(N) / algorithm.rate + algorithm.rate * cost * awake.sum(axis=0)
    np.testing.assert_allclose(algorithm.bound, bound)
    error = regret.std(axis=0, ddof=1) / math.sqrt(COPIES) + 1e-9
    assert (regret.mean(axis=0) - bound < FALSE_ALARM * error).all()


def some_awake(rng, rounds):
    """Who is awake in each round: in all of them somebody."""
    for _ in range(rounds):
        awake = rng.random(N) < 0.6
        awake[0] |= not awake.any()
        yield awake


@each("copies", [1, 7])
def test_reports_are_credited_less_what_the_mix_of_those_awake_would_have_earned(copies):
    rng, noise = rng_for(0, "sleeping", "reports"), SimulatedNoise(rng_for(0, "sleeping", "noise"))
    draws, again = (rng_for(0, "sleeping", "draws") for _ in range(2))
    algorithm = SleepingHedge(N, LOCAL, rate=0.7, rng=draws, repetitions=copies)
    totals = np.zeros((copies, N))
    for awake in some_awake(rng, 60):
        algorithm.wake(awake)
        expected = exponential_mechanism(np.where(awake, totals, -np.inf), 0.7, again)
        np.testing.assert_array_equal(algorithm.predict(), expected)
        report = privatize(rng.random(awake.sum()), LOCAL, SCALE, noise, repetitions=copies)
        algorithm.update(report)
        law = exponential_law(totals[:, awake], 0.7)
        mix = np.log((law * np.exp(0.7 * report.values)).sum(axis=1, keepdims=True)) / 0.7
        totals[:, awake] += report.values - mix
        algorithm.wake(np.ones(N, dtype=bool))  # the law shows all totals
        np.testing.assert_allclose(algorithm.law, exponential_law(totals, 0.7), rtol=1e-9)


@each("copies", [1, 7])
def test_with_gains_of_each_copy_every_copy_is_credited_and_drawn_by_its_own(copies):
    rng = rng_for(0, "sleeping", "of each")
    draws, again = (rng_for(0, "sleeping", "draws") for _ in range(2))
    softmax = SleepingSoftmax(N, PURE, horizon=100, rng=draws, repetitions=copies)
    totals = np.zeros((copies, N))
    for awake in some_awake(rng, 99):
        softmax.wake(awake)
        played, gains = softmax.predict(), rng.random((copies, N))
        expected = exponential_mechanism(np.where(awake, totals, -np.inf), softmax.rate, again)
        np.testing.assert_array_equal(played, expected)
        softmax.update(gains[:, awake])
        credits = gains - gains[np.arange(copies), played][:, None] - softmax.rate / 4
        totals += np.where(awake, credits, 0)
        softmax.wake(np.ones(N, dtype=bool))  # the law shows all totals
        np.testing.assert_allclose(softmax.law, exponential_law(totals, softmax.rate), rtol=1e-9)


def test_experts_who_sleep_change_nothing_however_many_they_are():
    few, many, places = 4, 40, np.array([9, 17, 25, 39])
    draws = rng_for(0, "few awake"), PlacedDraws(rng_for(0, "few awake"), places, many)
    given = {"horizon": 100, "repetitions": 30}
    alone, among = (
        SleepingSoftmax(n, PURE, rng=rng, **given) for n, rng in zip((few, many), draws, strict=True)
    )
    among.wake(np.isin(np.arange(many), places))
    for gains in rng_for(1, "few awake").random((99, few)):
        np.testing.assert_array_equal(among.predict(), places[alone.predict()])
        alone.update(gains)
        among.update(gains)


def test_the_cost_of_a_round_is_nearly_reached_without_noise():
    """The mix exceeds the expected gain by rate / 8 with two equal experts: a tenth less would not hold."""
    quiet, rate = GaussianDP(math.inf, "local"), 0.1
    algorithm, expected = SleepingHedge(2, quiet, rate=rate, rng=0), 0.0
    for t in range(1000):  # the two earn in turn, so that both are nearly as likely
        gains = np.eye(2)[t % 2]
        expected += float(algorithm.law[0] @ gains)
        algorithm.update(Reports(gains[None], quiet, 0.0))
    cost = algorithm.bound[0] - math.log(2) / rate
    assert 0.9 * cost < 500 - expected <= cost


def test_the_privacy_of_a_draw_by_enumeration():
    """Neighbours differ in one round, with the same public choices: later laws move by up to e^(2 rate)."""
    rng, rate, worst = rng_for(0, "neighbours"), 0.7, 0.0
    for _ in range(300):
        gains = rng.random((4, 3)).round()
        other = gains.copy()
        other[0] = 1 - gains[0]
        awake = rng.random((5, 3)) < 0.7
        awake[~awake.any(axis=1)] = True
        pair = [SleepingSoftmax(3, PURE, horizon=9, rate=rate, rng=0) for _ in range(2)]
        for t in range(4):
            for algorithm in pair:
                algorithm.wake(awake[t])
            published = pair[0].predict()
            for algorithm, stream in zip(pair, (gains, other), strict=True):
                algorithm._actions = published.copy()
                algorithm.update(stream[t][awake[t]])
        for algorithm in pair:
            algorithm.wake(awake[4])
        first, second = (algorithm.law[0][awake[4]] for algorithm in pair)
        worst = max(worst, float(np.abs(np.log(first / second)).max()))
    assert 0.75 * 2 * rate < worst <= 2 * rate + 1e-12


def test_those_who_sleep_are_neither_played_nor_told():
    algorithm = hedge()
    algorithm.wake([False, True, False, True, False, False])
    assert set(algorithm.predict()) == {1, 3}
    np.testing.assert_allclose(algorithm.law[0], [0, 0.5, 0, 0.5, 0, 0])
    with pytest.raises(InputError, match=r"write shape \(400, 2\)"):
        algorithm.update(privatize(np.zeros(6), LOCAL, SCALE, SimulatedNoise(0), repetitions=COPIES))
    algorithm.update(privatize(np.zeros(2), LOCAL, SCALE, SimulatedNoise(0), repetitions=COPIES))
    assert algorithm.awake.tolist() == [False, True, False, True, False, False]  # until it is said again
    curator = softmax()
    curator.wake(algorithm.awake)
    with pytest.raises(InputError, match=r"write shape \(2,\)"):
        curator.update(np.zeros(6))


@each("awake", [[True] * 5, [False] * 6, [0, 1, 2, 3, 4, 5], None])
def test_what_says_nothing_of_who_is_awake_or_too_late_is_refused(awake):
    with pytest.raises(InputError, match=r"SleepingHedge: awake .*: write true or false for each of the 6"):
        hedge().wake(awake)
    algorithm = softmax()
    algorithm.predict()
    with pytest.raises(InputError, match="this round was played"):  # between the draw and the gains
        algorithm.wake([True] * 6)
    algorithm.update(np.zeros(6))
    algorithm.wake([True] * 6)


def test_who_is_awake_is_saved():
    def opened() -> SleepingHedge:
        return SleepingHedge(3, LOCAL, rate=0.5, rng=rng_for(1, "choice"), repetitions=20)

    first, second = opened(), opened()
    first.wake([True, False, True])
    first.update(privatize(np.ones(2), LOCAL, SCALE, SimulatedNoise(0), repetitions=20))
    expected = state_dict(first)
    actions = first.predict()
    load_state_dict(expected, second)
    np.testing.assert_array_equal(second.predict(), actions)
    assert second.awake.tolist() == [True, False, True]


def test_the_noise_of_those_who_sleep_costs_nothing():
    """With a scale for each expert, a round costs what the largest scale among those awake does."""
    reach, noise = np.array([0.1, 0.2, 1.0]), SimulatedNoise(0)
    algorithm = SleepingHedge(3, LOCAL, rate=0.5, rng=0)
    costs = []
    for awake in ([True, True, False], [True, True, True]):
        algorithm.wake(awake)
        before = algorithm.bound[0]
        report = privatize(np.zeros(sum(awake)), LOCAL, reach[awake], noise, moved=1)
        algorithm.update(report)
        costs.append(algorithm.bound[0] - before)
    np.testing.assert_allclose(costs, 0.5 * (1 / 8 + np.array([0.2, 1.0]) ** 2 / 2))


@pytest.mark.parametrize("feedback", ["report", "gains"])
def test_names_of_those_awake_keep_their_places(feedback):
    guarantee, noise = GaussianDP(1.0, "local"), SimulatedNoise(0)
    algorithm = SleepingHedge(3, guarantee, rate=0.1, rng=0)
    if feedback == "gains":
        algorithm = SleepingSoftmax(3, PURE, horizon=9, rng=0)

    def tell(awake, names):
        gains = pd.Series(0.5, index=names)
        algorithm.wake(awake)
        algorithm.update(gains if feedback == "gains" else privatize(gains, guarantee, 0.1, noise))

    tell([False, True, True], ["b", "c"])
    with pytest.raises(InputError, match="a column of c, b stood for another expert before"):
        tell([True, True, False], ["c", "b"])
    tell([True, True, False], ["a", "b"])
    assert algorithm.names == ("a", "b", "c")
    with pytest.raises(InputError, match="column b stands where a stood before"):
        tell([True, True, True], ["b", "a", "c"])


def test_the_weights_of_a_curator_grow_by_no_more_than_the_theorem_says():
    rate, mean = 0.5, 0.0
    algorithm = SleepingSoftmax(3, PURE, horizon=9, rng=0, rate=rate)
    algorithm.wake([True, True, False])
    for played in (0, 1):  # which are as likely as each other
        copy = deepcopy(algorithm)
        copy._actions = np.array([played])
        copy.update(np.array([0.0, 1.0]))  # the worst of two
        mean += 0.5 * float(np.exp(rate * copy._totals).sum())
    assert 3 - rate**4 / 20 < mean <= 3  # of two it is 2 cosh(rate / 2)^2 exp(-rate^2 / 4)


def test_a_curator_refuses_a_draw_after_the_last_round():
    algorithm = SleepingSoftmax(2, PURE, horizon=3, rng=0)
    play(algorithm, np.zeros((3, 2)))
    for act in (algorithm.predict, lambda: algorithm.update(np.zeros(2))):
        with pytest.raises(InputError, match="all 3 rounds were played"):
            act()
