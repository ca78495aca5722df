"""Adaptive adversaries: each check gives its verdict, and another one when something is wrong."""

import itertools
import math

import numpy as np
import pytest

from private_experts.privacy.guarantees import ApproximateDP, GaussianDP, PureDP
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import adaptive_adversaries, marginals
from tests.each import each
from tests.replication.papers.small_checks import SEED, verdict, wrong

BELOW = {"phase": [16], "S": 3, "pairs_per_round": 4, "times_threshold": [0.3]}
THRESHOLD = {"phase": [64], "S": 1, "pairs_per_round": 4, "times_threshold": [1.0, 100.0]}
THRESHOLD |= {"succeeds_from": 100.0}


def test_who_is_private_earns_and_loses_as_stated() -> None:
    points = adaptive_adversaries.theorem_5_1(BELOW, 40, SEED)
    assert decide(points) == "holds"
    assert not any(point.vacuous for point in points)


def noiseless(n, horizon, shifts, mu, *rest):
    """Claims to be private, and publishes the sums as they are."""
    learner = marginals.ReleasedSums(n, horizon // (shifts + 1), mu, *rest)
    learner._noise = 0.0
    return learner


def revealing(n, horizon, shifts, level, *rest):
    """Reveals more rows than it says."""
    learner = marginals.RevealedRows(n, horizon // (shifts + 1), 0.2, *rest)
    learner.guarantee = ApproximateDP(0.0, 0.002, "central")
    return learner


@each(("learner", "phase", "repetitions"), [(noiseless, 16, 40), (revealing, 32, 60)])
def test_a_learner_that_tells_more_than_it_says_is_caught(learner, phase, repetitions) -> None:
    with wrong(adaptive_adversaries, "PRIVATE", {"telling": learner}):
        assert verdict(adaptive_adversaries.theorem_5_1, BELOW | {"phase": [phase]}, repetitions) == "fails"


@each(("phase", "pairs"), [(1, 2), (2, 3)])
def test_the_least_that_the_best_earns_is_that_of_trying_all(phase, pairs) -> None:
    surplus = np.abs(np.arange(-phase, phase + 1, 2))
    order = [sorted(surpluses, reverse=True)[phase] for surpluses in itertools.product(surplus, repeat=pairs)]
    assert adaptive_adversaries.least_of_best(phase, pairs) == pytest.approx((1 + np.mean(order) / phase) / 2)


def test_the_divergences_of_the_worst_laws() -> None:
    up = math.exp(0.7) / (1 + math.exp(0.7))
    response = np.array([up, 1 - up])
    chi, delta = adaptive_adversaries.divergence(ApproximateDP(0.7, 1e-6, "central"))
    assert (chi, delta) == (pytest.approx((response**2 / response[::-1]).sum() - 1), 1e-6)
    assert adaptive_adversaries.divergence(PureDP(0.7, "central")) == (chi, 0.0)
    x = np.linspace(-12, 12, 100_001)
    normal = [np.exp(-((x - a) ** 2) / 2) / math.sqrt(2 * math.pi) for a in (0.0, 0.7)]
    square = (normal[1] ** 2 / normal[0]).sum() * (x[1] - x[0]) - 1
    chi, delta = adaptive_adversaries.divergence(GaussianDP(0.7, "central"))
    assert (chi, delta) == (pytest.approx(square, rel=1e-6), 0.0)
    with pytest.raises(TypeError, match="divergence"):
        adaptive_adversaries.divergence(1.0)


@each("epsilon", [0.0, 0.1, 1.0])
@each("delta", [0.0, 0.001, 0.02])
def test_the_most_that_is_earned_solves_its_equation(epsilon, delta) -> None:
    phase = 20
    u = 2 * adaptive_adversaries.most_earned(phase, ApproximateDP(epsilon, delta, "central")) - 1
    root = math.sqrt((1 - delta) * phase * (1 - u**2))
    assert u == pytest.approx(math.sinh(epsilon / 2) * root + 2 * phase * delta, abs=1e-12)


def test_without_privacy_everything_may_be_earned() -> None:
    assert adaptive_adversaries.most_earned(10, PureDP(1e4, "central")) == pytest.approx(1.0)
    for delta in (0.05, 0.5):
        assert adaptive_adversaries.most_earned(10, ApproximateDP(0.0, delta, "central")) == 1.0


def test_learning_begins_above_the_threshold_and_not_elsewhere() -> None:
    assert verdict(adaptive_adversaries.adaptive_threshold, THRESHOLD, 60) == "holds"
    for factor in (0.1, 30.0):
        with wrong(adaptive_adversaries, "threshold", factor):
            assert verdict(adaptive_adversaries.adaptive_threshold, THRESHOLD, 60) == "fails"


def test_published_numbers_move_as_little_as_their_noise_is_for() -> None:
    phase, pairs, mu = 8, 16, 2.0
    rows = rng_for(SEED, "rows").integers(0, 2, size=(phase - 1, pairs))
    moved = rows.copy()
    moved[4] = 1 - moved[4]
    published = []
    for game in (rows, moved):
        learner = marginals.ReleasedSums(2 * pairs, phase, mu, rng_for(SEED, "same"))
        seen = []
        for row in game:
            learner.predict()
            learner.update(np.stack([row, 1 - row], axis=1).reshape(1, -1).astype(float))
            seen.append(learner._published.copy())
        published.append(np.diff(np.array(seen), axis=0, prepend=0.0))
    assert np.linalg.norm(published[0] - published[1]) / learner._noise == pytest.approx(mu)
