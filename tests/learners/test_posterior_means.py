"""Posterior means against the dense matrices of the same prior, and against what they are meant for."""

import numpy as np
import pytest

from private_experts.errors import InputError
from private_experts.learners import Deviations, PosteriorMeans
from private_experts.learners.posterior_means import _sum_of_logs
from private_experts.privacy import GaussianDP, Reports
from private_experts.randomness import rng_for
from tests.each import each

LOCAL = GaussianDP(1.0, "local")
PRIOR = Deviations(0.02, 1.5, 0.85)
PRIORS = [PRIOR, Deviations(0.2, 0.0, 0.5)]
ROUNDS, COPIES, N = 7, 3, 4


def rng(*key):
    return rng_for(0, "test posterior means", *key)


def game(rounds=ROUNDS, copies=COPIES, n=N, *key):
    """Reaches, noise scales and reports of a game: the noise differs by expert and round."""
    random = rng("game", *key)
    reach = random.uniform(0.01, 0.3, (rounds, n))
    scales = reach * random.uniform(1, 3, (rounds, n))
    values = (
        0.3
        + 0.1 * random.normal(size=(rounds, copies, n))
        + scales[:, None] * random.normal(size=(rounds, copies, n))
    )
    return reach, scales, [Reports(value, LOCAL, scale) for value, scale in zip(values, scales, strict=True)]


def learner(reach, priors=PRIORS, copies=COPIES):
    n = reach.shape[-1]
    return PosteriorMeans(priors, Reports(rng("first").normal(size=(copies, n)), LOCAL, np.ones(n)), reach)


def dense(levels, reach, scales, values, prior, part=0.0):
    """The posterior means of the deviations of the round after the last, and the log-density of all reports.

    Of one copy: levels (t,), reaches, scales and values (t, n). One matrix for each expert. The noise of
    round t is its scale times ``w_t - part w_{t-1}``.
    """
    t, n = values.shape
    means, density = np.zeros(n), 0.0
    for i in range(n):
        spread = np.sqrt(np.maximum(levels, 0.01) * (prior.base + prior.of_reach * reach[:, i]))
        covariance = np.outer(spread, spread) * prior.memory ** np.abs(
            np.subtract.outer(np.arange(t), np.arange(t))
        )
        mixing = np.diag(scales[:, i]) @ (np.eye(t) - part * np.eye(t, k=-1))
        of_reports = covariance + mixing @ mixing.T
        rest = values[:, i] - levels
        towards = spread[-1] * spread * prior.memory ** np.arange(t, 0, -1)
        means[i] = towards @ np.linalg.solve(of_reports, rest)
        density -= 0.5 * (rest @ np.linalg.solve(of_reports, rest) + np.linalg.slogdet(of_reports)[1])
    return means, density


def decay(prior, reach, t):
    """What a deviation of the round before becomes in round t, in the mean."""
    variance = prior.base + prior.of_reach * reach
    return prior.memory * np.sqrt(variance[t] / variance[t - 1])


def expected(variance, prior, reach, t):
    """The variance of deviations in round t where the level is 1, from that after the round before."""
    fresh = prior.base + prior.of_reach * reach[t]
    return decay(prior, reach, t) ** 2 * variance + (1 - prior.memory**2) * fresh if t else fresh


@each("part", [0.0, 0.9])
@each("prior", PRIORS)
def test_forecasts_and_evidence_are_those_of_the_dense_posterior(prior, part):
    """Also where a part of the noise of the round before is taken back."""
    reach, scales, reports = game()
    own = np.concatenate([scales[:1], scales[1:] / np.sqrt(1 + part**2)])
    bank = PosteriorMeans([prior], Reports(np.zeros((COPIES, N)), LOCAL, np.ones(N)), reach, part)
    levels, flat = [], 0.0
    for t, report in enumerate(reports):
        variance = expected(bank._variance[:, 0].T, prior, reach, t)
        drawn, shared = 0.0, 0.0
        if t and part:
            drawn = 1 - own[t - 1] ** 2 * bank._precision[:, 0].T
            shared = -own[t - 1] * bank._of_deviation[:, 0].T * decay(prior, reach, t)
        bank.update(report)
        levels.append(bank._level[0].copy())
        root = np.sqrt(np.maximum(bank._level[0][:, None], 0.01))
        total = root**2 * variance - 2 * root * part * own[t] * shared + own[t] ** 2 * (1 + part**2 * drawn)
        flat = flat + 0.5 * np.log((1 / total).sum(axis=-1))
        for copy in range(COPIES):
            of_copy = np.array(levels)[:, copy]
            values = np.array([earlier.values[copy] for earlier in reports[: t + 1]])
            means, density = dense(of_copy, reach[: t + 1], own[: t + 1], values, prior, part)
            np.testing.assert_allclose(bank.forecasts()[0, copy], of_copy[-1] + means, rtol=0, atol=1e-11)
            assert bank._evidence[0, copy] == pytest.approx(density - flat[copy], abs=1e-9)


def test_the_level_is_the_weighted_mean_of_what_deviations_leave():
    reach, scales, reports = game()
    bank = learner(reach, [PRIOR])
    for t, report in enumerate(reports):
        before = bank._level[0][:, None] if t else report.values.mean(axis=1, keepdims=True)
        root = np.sqrt(np.maximum(before, 0.01))
        weights = 1 / (root**2 * expected(bank._variance[:, 0].T, PRIOR, reach, t) + scales[t] ** 2)
        rest = report.values - root * decay(PRIOR, reach, t) * bank._state[:, 0].T
        bank.update(report)
        np.testing.assert_allclose(bank._level[0], np.average(rest, weights=weights, axis=1), rtol=1e-12)


@each("part", [0.0, 0.5])
def test_priors_beside_each_other_forecast_as_each_alone(part):
    reach, _, reports = game()
    first = Reports(np.zeros((COPIES, N)), LOCAL, np.ones(N))
    both, *alone = [
        PosteriorMeans(some, first, reach, part) for some in (PRIORS, *([each] for each in PRIORS))
    ]
    for report in reports:
        for bank in (both, *alone):
            bank.update(report)
    np.testing.assert_allclose(both.forecasts(), [bank.forecasts()[0] for bank in alone], rtol=1e-12)


def test_priors_are_weighed_by_their_likelihood():
    reach, _, reports = game()
    both, alone = learner(reach), [learner(reach, [prior]) for prior in PRIORS]
    for report in reports:
        for bank in (both, *alone):
            bank.update(report)
    evidence = np.array([bank._evidence[0] for bank in alone])
    weights = np.exp(evidence) / np.exp(evidence).sum(axis=0)
    np.testing.assert_allclose(both.weights, weights, rtol=1e-9)
    mixed = sum(w[:, None] * bank.forecast() for w, bank in zip(weights, alone, strict=True))
    np.testing.assert_allclose(both.forecast(), mixed, rtol=1e-9)
    np.testing.assert_array_equal(both.predict(), mixed.argmax(axis=1))
    far = learner(np.full(N, 0.1))
    far.update(Reports(np.outer(100.0 ** np.arange(COPIES), np.arange(N)), LOCAL, np.ones(N)))
    assert np.ptp(far._evidence, axis=1).min() > 1000  # one copy is that much less likely than another
    np.testing.assert_allclose(far.weights.sum(axis=0), 1.0)


@each("least", [0.5, 1e-150, 1e-300])
def test_logarithms_of_many_experts_are_summed_in_products_that_are_numbers(least):
    values = rng("logs").uniform(least, 2 * least, (700, 2, 3))
    np.testing.assert_allclose(_sum_of_logs(values), np.log(values).sum(axis=0), rtol=1e-12)


def test_without_noise_the_latest_report_is_a_sum_of_what_is_forecast():
    prior = Deviations(0.01, 0.0, 0.9)
    open_game = GaussianDP(np.inf, "local")
    bank = PosteriorMeans([prior], Reports(np.zeros((COPIES, N)), open_game, np.ones(N)), np.full(N, 0.1))
    value = rng("silent").random((COPIES, N))
    bank.update(Reports(value, open_game, 0.0))
    level = value.mean(axis=1, keepdims=True)  # all weigh the same
    np.testing.assert_allclose(bank.forecast(), level + 0.9 * (value - level), rtol=1e-12)


@each(
    ("message", "changed"),
    [
        ("write at least one Deviations", {"settings": []}),
        ("base = 0.0: write a positive number", {"settings": [Deviations(0.0, 1.0, 0.5)]}),
        ("of_reach = -1.0", {"settings": [Deviations(1.0, -1.0, 0.5)]}),
        ("memory = 1.0: write a number between 0 and 1", {"settings": [Deviations(1.0, 1.0, 1.0)]}),
        (r"reach of shape \(5,\); write one for each of 4 experts", {"reach": np.ones(N + 1)}),
        ("reach = 0.0: write a positive number", {"reach": np.zeros(N)}),
        ("takes_back = -0.1", {"takes_back": -0.1}),
        ("takes_back = 1.0", {"takes_back": 1.0}),
    ],
)
def test_what_is_no_prior_is_refused(message, changed):
    given = {"settings": [PRIOR], "reach": np.ones(N), **changed}
    with pytest.raises(InputError, match=message):
        PosteriorMeans(first_report=Reports(np.zeros((1, N)), LOCAL, np.ones(N)), **given)


def test_a_round_without_a_reach_is_refused():
    reach, _, reports = game()
    bank = learner(reach[:2])
    bank.update(reports[0])
    bank.update(reports[1])
    with pytest.raises(InputError, match="reaches for 2 rounds"):
        bank.update(reports[2])
