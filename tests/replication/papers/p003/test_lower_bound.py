"""The checks of the lower bound reach the expected verdict on a small grid, and another one on a mutant."""

import math

import numpy as np
import pytest

from private_experts.distribution_learning.risk import kl
from private_experts.replication.balls.balls import ball, log, near, precision
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p003 import channels, lower_bound
from private_experts.replication.papers.p003.classes import lower_bound_class
from tests.each import each
from tests.replication.papers.small_checks import SEED, failing, verdict, wrong

CLASS = {"N": [2, 8], "a": [-0.01, 0.1, 1.0, 2.0, 2.01]}
SQUARES = {"N": [64], "eps": [0.1, 0.7, 1.7, 3.466, 8.0]}
CHAIN = {"N": [8], "eps": [0.5, 4.0], "T_over_least": [1, 10], "a": 1.0}


def test_the_class_the_mended_step_and_the_chain_hold_and_the_printed_step_fails() -> None:
    assert verdict(lower_bound.hadamard_class, CLASS) == "holds"
    assert verdict(lower_bound.step_23, SQUARES) == "holds"
    points = lower_bound.step_23_printed(SQUARES)
    assert decide(points) == "fails"
    assert failing(points, "eps") == {3.466, 8.0}
    points = lower_bound.lower_bound_chain(CHAIN, SEED)
    assert decide(points) == "holds"
    # four channels, and the inequality of logarithms
    assert len({point.where["channel"] for point in points}) == 5


def one_sign_wrong(right, size):
    signs = right(size).copy()
    signs[-1, -1] *= -1
    return signs


@each(
    ("name", "mutant", "check", "grid"),
    [
        ("hadamard", one_sign_wrong, lower_bound.hadamard_class, CLASS),
        # the other pair
        ("lower_bound_class", lambda right, n, gap: right(n, 2 - gap), lower_bound.hadamard_class, CLASS),
        ("kl", 0.8, lower_bound.hadamard_class, CLASS),
        # a smaller constant
        ("allowed", lambda right, x: min((1 / x - 1) ** 2, 0.98), lower_bound.step_23, SQUARES),
        ("allowed", lambda right, x: 0.2 * log(x) * log(x), lower_bound.step_23, SQUARES),
    ],
)
def test_another_class_divergence_or_constant_is_caught(name, mutant, check, grid) -> None:
    with wrong(lower_bound, name, mutant):
        assert verdict(check, grid) == "fails"


def test_the_least_risk_of_a_pair_is_that_of_a_search() -> None:
    pair = lower_bound_class(3, 0.6)[:2]
    q = np.random.default_rng(0).dirichlet(np.ones(4), size=200_000)
    searched = np.maximum(kl(pair[0], q), kl(pair[1], q)).min()
    with precision():
        least = near(lower_bound.least_risk((2 - ball(0.6)) / 2))
    assert least <= searched < least + 0.02


def test_the_largest_ratio_is_below_its_limit_and_near_it() -> None:
    for point in lower_bound.step_23_printed(SQUARES | {"N": [128]}):
        limit, epsilon = point.notes["limit"], point.where["eps"]
        assert point.value <= limit * (1 + 1e-12)
        if epsilon < 5:
            assert point.value == pytest.approx(limit, rel=0.02)
        inside = np.random.default_rng(1).uniform(1.0, math.exp(epsilon), (200, 128))
        assert (inside.var(axis=1) / (inside**2).mean(axis=1)).max() < point.value  # corners are the largest


def test_a_mean_square_a_fiftieth_too_small_is_caught_between_the_points() -> None:
    with wrong(lower_bound, "_squares", lambda right, p, x: (right(p, x)[0], right(p, x)[1] * 0.98)):
        points = lower_bound.step_23(SQUARES)
    assert decide([point for point in points if "box" in point.where]) == "fails"


@each("size", [4, 8])
def test_channels_are_private_and_balls_are_around_the_laws_of_their_reports(size) -> None:
    built, gap = lower_bound_class(size - 1, 0.3), ball(0.3)
    for _, pattern in channels.channels(size, 0.7, SEED):
        law = channels.law(pattern, 0.7)
        np.testing.assert_allclose(law.sum(axis=1), 1.0, rtol=1e-12)
        assert np.log(law.max(axis=0) / law.min(axis=0)).max() == pytest.approx(0.7)
        outputs = built @ law
        b = (outputs[1::2] - outputs[::2]) / 0.3
        floats = kl(outputs[::2], outputs[1::2]), 0.09 * (b**2 / law.min(axis=0)).sum(axis=1)
        with precision():
            found = channels.reports(pattern, gap, ball(0.7))
        for balls, expected in zip(found, floats, strict=True):
            assert [near(number) for number in balls] == pytest.approx(expected.tolist(), abs=1e-14)


def test_labels_with_different_numbers_of_likely_outputs_tell_more_than_epsilon_or_are_refused() -> None:
    uneven = np.array([[True, False, False], [False, True, True]])
    with precision():
        level = near(channels.level(channels.law(uneven, 1.0)))
    assert level == pytest.approx(math.log(math.e * (2 * math.e + 1) / (math.e + 2)))
    with pytest.raises(ValueError, match="different numbers"):
        channels.reports(np.array([[True, False], [False, False]]), ball(0.3), ball(1.0))


def test_a_channel_that_is_less_private_is_caught() -> None:
    with wrong(lower_bound, "law", lambda right, pattern, level: right(pattern, level * (1 + 1e-11))):
        points = lower_bound.lower_bound_chain(CHAIN, SEED)
    caught = failing([point for point in points if point.where["step"] == "LDP"], "channel")
    assert caught == {"signs", "subsets", "random pattern"}  # randomised response is the library's


def times(divergence: float, integral: float):
    def scaled(right, *given):
        divergences, squares = right(*given)
        return [value * divergence for value in divergences], [value * integral for value in squares]

    return scaled


@each(
    ("name", "mutant", "step"),
    [
        ("exact_gap", lambda right, *given: min(5 * near(right(*given)), 2.0), "(24)"),
        ("reports", times(1.0, 0.3), "(22)"),
        ("reports", times(10.0, 10.0), "(23)"),
        ("kl", 1 + 1e-9, "library"),
    ],
)
def test_each_step_catches_something(name, mutant, step) -> None:
    with wrong(lower_bound, name, mutant):
        assert step in failing(lower_bound.lower_bound_chain(CHAIN, SEED), "step")


@each(("a", "expected"), [(1.36, "holds"), (1.38, "fails")])
def test_the_inequality_of_logarithms_ends_where_it_should(a, expected) -> None:
    assert verdict(lower_bound.lower_bound_chain, CHAIN | {"a": a}) == expected
