"""The checks of the lower bound reach the expected verdict on a small grid, and another one on a mutant."""

import math
from typing import Any

import numpy as np
import pytest

from private_experts.distribution_learning.hadamard_response import hadamard
from private_experts.distribution_learning.risk import kl
from private_experts.replication.balls.balls import ball, log, near, precision
from private_experts.replication.ledger.evidence import Point, decide
from private_experts.replication.papers.p003 import channels, lower_bound
from private_experts.replication.papers.p003.classes import lower_bound_class
from tests.replication.papers.small_checks import SEED, failing, verdict

CLASS = {"N": [2, 8], "a": [-0.01, 0.1, 1.0, 2.0, 2.01]}
SQUARES = {"N": [64], "eps": [0.1, 0.7, 1.7, 3.466, 8.0]}
CHAIN = {"N": [8], "eps": [0.5, 4.0], "T_over_least": [1, 10], "a": 1.0}


def test_the_class_is_as_the_paper_says() -> None:
    assert verdict(lower_bound.hadamard_class, CLASS) == "holds"


def one_sign_wrong(size: int) -> Any:
    signs = hadamard(size).copy()
    signs[-1, -1] *= -1
    return signs


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        pytest.param("hadamard", one_sign_wrong, id="one sign wrong"),
        pytest.param(
            "lower_bound_class", lambda pairs, gap: lower_bound_class(pairs, 2 - gap), id="the other pair"
        ),
        pytest.param("kl", lambda p, q: 0.8 * kl(p, q), id="divergence 20 percent less"),
    ],
)
def test_another_class_or_divergence_is_caught(name: str, mutant: Any, put: Any) -> None:
    put(lower_bound, name, mutant)
    assert verdict(lower_bound.hadamard_class, CLASS) == "fails"


def test_the_least_risk_of_a_pair_is_that_of_a_search() -> None:
    pair = lower_bound_class(3, 0.6)[:2]
    q = np.random.default_rng(0).dirichlet(np.ones(4), size=200_000)
    searched = np.maximum(kl(pair[0], q), kl(pair[1], q)).min()
    with precision():
        least = near(lower_bound.least_risk((2 - ball(0.6)) / 2))
    assert least <= searched < least + 0.02


def test_the_mended_step_holds_and_the_printed_one_fails() -> None:
    assert verdict(lower_bound.step_23, SQUARES) == "holds"
    points = lower_bound.step_23_printed(SQUARES)
    assert decide(points) == "fails"
    assert failing(points, "eps") == {3.466, 8.0}


def test_the_largest_ratio_is_below_its_limit_and_near_it() -> None:
    for point in lower_bound.step_23_printed(SQUARES | {"N": [128]}):
        limit, epsilon = point.notes["limit"], point.where["eps"]
        assert point.value <= limit * (1 + 1e-12)
        if epsilon < 5:
            assert point.value == pytest.approx(limit, rel=0.02)
        inside = np.random.default_rng(1).uniform(1.0, math.exp(epsilon), (200, 128))
        assert (inside.var(axis=1) / (inside**2).mean(axis=1)).max() < point.value  # corners are the largest


@pytest.mark.parametrize("allowed", [lambda x: min((1 / x - 1) ** 2, 0.98), lambda x: 0.2 * log(x) * log(x)])
def test_a_smaller_constant_is_caught(allowed: Any, put: Any) -> None:
    put(lower_bound, "allowed", allowed)
    assert verdict(lower_bound.step_23, SQUARES) == "fails"


def test_a_mean_square_a_fiftieth_too_small_is_caught_between_the_points(put: Any) -> None:
    squares = lower_bound._squares
    put(lower_bound, "_squares", lambda p, x: (squares(p, x)[0], squares(p, x)[1] * 0.98))
    boxes = [point for point in lower_bound.step_23(SQUARES) if "box" in point.where]
    assert decide(boxes) == "fails"


def test_the_chain_holds() -> None:
    points = lower_bound.lower_bound_chain(CHAIN, SEED)
    assert decide(points) == "holds"
    # four channels, and the inequality of logarithms
    assert len({point.where["channel"] for point in points}) == 5


@pytest.mark.parametrize("size", [4, 8])
def test_channels_are_private_and_balls_are_around_the_laws_of_their_reports(size: int) -> None:
    built, gap = lower_bound_class(size - 1, 0.3), ball(0.3)
    for _, pattern in channels.channels(size, 0.7, SEED):
        law = channels.law(pattern, 0.7)
        np.testing.assert_allclose(law.sum(axis=1), 1.0, rtol=1e-12)
        assert np.log(law.max(axis=0) / law.min(axis=0)).max() == pytest.approx(0.7)
        outputs = built @ law
        b = (outputs[1::2] - outputs[::2]) / 0.3
        with precision():
            found = channels.reports(pattern, gap, ball(0.7))
        for balls, floats in zip(
            found,
            (kl(outputs[::2], outputs[1::2]), 0.09 * (b**2 / law.min(axis=0)).sum(axis=1)),
            strict=True,
        ):
            assert [near(number) for number in balls] == pytest.approx(floats.tolist(), abs=1e-14)


def test_a_channel_without_a_common_denominator_is_refused() -> None:
    with pytest.raises(ValueError, match="different numbers"):
        channels.reports(np.array([[True, False], [False, False]]), ball(0.3), ball(1.0))


def test_a_channel_that_is_less_private_is_caught(put: Any) -> None:
    put(lower_bound, "law", lambda pattern, epsilon: channels.law(pattern, epsilon * (1 + 1e-11)))
    caught = failing(_steps("LDP"), "channel")
    assert caught == {"signs", "subsets", "random pattern"}  # randomised response is the library's


def test_labels_with_different_numbers_of_likely_outputs_tell_more_than_epsilon() -> None:
    uneven = np.array([[True, False, False], [False, True, True]])
    with precision():
        assert near(channels.level(channels.law(uneven, 1.0))) == pytest.approx(
            math.log(math.e * (2 * math.e + 1) / (math.e + 2))
        )


@pytest.mark.parametrize(
    ("name", "mutant", "step"),
    [
        pytest.param(
            "exact_gap", lambda *given: min(5 * near(channels.exact_gap(*given)), 2.0), "(24)", id="gap"
        ),
        pytest.param("reports", lambda *given: _scaled(1.0, 0.3, *given), "(22)", id="integral"),
        pytest.param("reports", lambda *given: _scaled(10.0, 10.0, *given), "(23)", id="divergence"),
        pytest.param("kl", lambda p, q: kl(p, q) * (1 + 1e-9), "library", id="library"),
    ],
)
def test_each_step_catches_something(name: str, mutant: Any, step: str, put: Any) -> None:
    put(lower_bound, name, mutant)
    assert decide(_steps(step)) == "fails"


def _steps(step: str) -> list[Point]:
    return [point for point in lower_bound.lower_bound_chain(CHAIN, SEED) if point.where["step"] == step]


def _scaled(divergence: float, integral: float, *given: Any) -> Any:
    divergences, squares = channels.reports(*given)
    return [value * divergence for value in divergences], [value * integral for value in squares]


def test_the_inequality_of_logarithms_ends_where_it_should() -> None:
    assert verdict(lower_bound.lower_bound_chain, CHAIN | {"a": 1.36}) == "holds"
    assert verdict(lower_bound.lower_bound_chain, CHAIN | {"a": 1.38}) == "fails"
