"""Privacy of Algorithm 3: each check gives its verdict, and another one when something is wrong."""

import math

import numpy as np
import pytest

from private_experts.algorithms.noisy_fixed_share import NoisyFixedShare
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p004 import noisy
from private_experts.replication.study.intervals import mean_interval
from tests.each import each
from tests.replication.papers.small_checks import SEED, failing, verdict, wrong

PRINTED = {"epsilon": 0.5, "simulated": [[200, 25]], "share": 1.0, "certified": [1000]}
MENDED = {"epsilon": 0.5, "simulated": [[4, 20]], "share": 0.5, "N": [2, 20], "levels": [0.5]}
MENDED |= {"delta": [1e-3], "draws": 100_000}


def test_printed_noise_tells_more_than_it_says_by_every_route() -> None:
    points = noisy.outputs_printed(PRINTED, 40, SEED)
    assert [(point.where["route"], decide([point])) for point in points] == [
        ("simulated", "fails"),
        ("certified", "fails"),
    ]

    def loud(n, guarantee, noise_scale, **rest):
        return NoisyFixedShare(n, guarantee, noise_scale=n * noise_scale, **rest)

    # The simulated loss comes from the algorithm.
    with pytest.MonkeyPatch.context() as put:
        put.setattr(noisy, "NoisyFixedShare", loud)
        assert decide(noisy.outputs_printed(PRINTED, 40, SEED)[:-1]) != "fails"


def test_enough_noise_tells_no_more_than_it_says() -> None:
    """Of the seen difference of two Laplace variables, above x > 0 with ``(1/2 + x / (4 b)) e^(-x / b)``."""
    assert verdict(noisy.outputs, MENDED, 100) == "holds"
    (seen,) = (point for point in noisy.outputs(MENDED, 2, SEED) if point.where["route"] == "weights seen")
    b = 2 / 0.5
    tails = [(0.5 + x / (4 * b)) * math.exp(-x / b) for x in (4 * b - 1, 4 * b + 1)]
    assert seen.low < math.log(tails[0] / tails[1]) < seen.high


def half_without_n(right, n, epsilon, delta):
    return math.sqrt(math.log(1.25 / delta)) / epsilon / 2


@each(("name", "mutant"), [("scale_of", 0.8), ("gaussian_scale_of", half_without_n)])
def test_less_noise_than_enough_is_caught(name, mutant) -> None:
    with wrong(noisy, name, mutant):
        assert verdict(noisy.outputs, MENDED, 100) == "fails"


def test_noise_that_is_drawn_smaller_than_the_algorithm_says_is_caught() -> None:
    def weak(right, level, *rest):
        return right(PureDP(level.epsilon / 0.7, "central"), *rest)

    with wrong(noisy, "differences_in_weights", weak):
        assert failing(noisy.outputs(MENDED, 100, SEED), "route") == {"weights seen"}


def test_the_certified_bound_is_below_what_the_plays_really_tell() -> None:
    n, horizon, epsilon, m = 10_000, 50, 1.0, 37
    proved = max(
        noisy.certified(n, horizon, epsilon, m, d, low) for d in (0.03, 0.1) for low in (3.0, 4.0, 6.0)
    )
    eta = noisy.printed_step(n, horizon, 1, epsilon)
    rarer, likelier = noisy.conditional(n, horizon, eta, 1 / epsilon, m, 10, SEED, "certified")
    _, low_end, _ = noisy.log_ratio(likelier, rarer, 1)
    assert 0.4 * low_end < proved < low_end
    # the means stray further: nothing follows
    assert noisy.certified(n, horizon, epsilon, m, 1e-4, 4.0) == -math.inf


def test_a_walk_leaves_no_more_often_than_is_said() -> None:
    walks = rng_for(SEED, "walks").laplace(size=(20_000, 30)).cumsum(axis=1).max(axis=1)
    for level in (5.0, 10.0, 20.0, 30.0):
        share, said = (walks > level).mean(), math.exp(noisy.log_exit(level, 1.0, 30))
        assert 0.02 * said < share <= said
    assert noisy.log_exit(0.0, 1.0, 30) == 0.0


@each("m", [0, 1, 3, 5])
def test_the_chance_of_many_events_is_that_of_trying_all(m) -> None:
    p = np.array([0.1, 0.5, 0.7, 0.2, 0.9])
    outcomes = (np.arange(32)[:, None] >> np.arange(5)) & 1
    chances = np.where(outcomes, p, 1 - p).prod(axis=1)
    assert noisy.exceeding(p[:, None], m)[0] == pytest.approx(chances[outcomes.sum(axis=1) >= m].sum())


def test_the_interval_of_a_ratio_covers_it() -> None:
    rng = rng_for(SEED, "ratio")
    base = rng.lognormal(sigma=0.5, size=(200, 100))
    up = 2.0 * base * np.exp(0.1 * rng.standard_normal(base.shape)) / math.exp(0.005)
    intervals = [noisy.log_ratio(*samples, 1) for samples in zip(up, base, strict=True)]
    assert np.mean([low < math.log(2.0) < high for _, low, high in intervals]) > 0.97  # at 99.9 %
    assert noisy.log_ratio(np.ones(10), np.eye(10)[0], 1)[1:] == (-math.inf, math.inf)
    # Beside a sure denominator it is that of the mean, joint over as many.
    expected = mean_interval(up[0], intervals=7)
    assert noisy.log_ratio(up[0], np.ones(100), 7) == pytest.approx(tuple(map(math.log, expected)))
