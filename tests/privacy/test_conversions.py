import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from private_experts.errors import InputError
from private_experts.privacy import ApproximateDP, GaussianDP, PureDP, compose, gaussian_mechanism
from private_experts.privacy.conversions import (
    bounded_range_within,
    concentrated_epsilon,
    concentrated_within,
    pure_within,
    to_gaussian,
)
from private_experts.privacy.selection import exponential_law
from tests import duality
from tests.each import each

SEVERAL = settings(deadline=None, max_examples=60, derandomize=True)


# Gaussian to approximate and pure


def test_gaussian_to_approximate_at_its_edges():
    assert compose(GaussianDP(0.0, "local"), delta=0.0) == ApproximateDP(0.0, 0.0, "local")
    assert compose(GaussianDP(1.0, "local"), delta=0.0) == ApproximateDP(math.inf, 0.0, "local")
    assert compose(GaussianDP(math.inf, "central"), delta=0.5) == ApproximateDP(math.inf, 0.5, "central")
    assert compose(GaussianDP(1.0, "local"), delta=1.0) == ApproximateDP(0.0, 1.0, "local")


# Pure to Gaussian


@each("epsilon", [1e-12, 0.5, 1.000001, 30.0, 700.0, 2000.0, 1e6])
def test_pure_to_gaussian_agrees_with_many_digits(epsilon):
    measured = to_gaussian(PureDP(epsilon, "local")).mu
    # Phi(-mu/2) must be 1 / (1 + e^epsilon): compare logarithms, and logits where both are near 1/2.
    with mpmath.workdps(60):
        tail = mpmath.erfc(mpmath.mpf(measured) / 2 / mpmath.sqrt(2)) / 2
        assert abs(mpmath.log((1 - tail) / tail) / mpmath.mpf(epsilon) - 1) < (
            1e-14 if epsilon < 1e4 else 2e-12
        )


def test_pure_to_gaussian_keeps_the_model_and_the_ends():
    assert to_gaussian(PureDP(0.0, "central")) == GaussianDP(0.0, "central")
    assert to_gaussian(PureDP(math.inf, "local")) == GaussianDP(math.inf, "local")
    assert to_gaussian(PureDP(1.0, "local")).model == "local"


# Bounded range


def corners(epsilon):
    """Return trade-off corners (alpha, beta) of two-point laws with log-ratios a and a - epsilon.

    Solved from the two laws themselves: p = q e^a and 1 - p = (1 - q) e^(a - epsilon).
    """
    a = np.concatenate([np.geomspace(1e-6, 0.5, 400), 1 - np.geomspace(1e-6, 0.5, 400)]) * epsilon
    q = np.expm1(epsilon - a) / np.expm1(epsilon)
    return 1 - q * np.exp(a), q


@each("mu", [0.05, 1.0, 3.0])
def test_no_law_of_bounded_range_lies_below_the_gaussian_curve_and_one_touches_it(mu):
    epsilon = bounded_range_within(GaussianDP(mu, "central"))
    alpha, beta = corners(epsilon)
    inside = (alpha > 1e-9) & (beta > 1e-9)
    slack = beta[inside] - gaussian_mechanism.tradeoff(alpha[inside], mu)
    assert slack.min() == pytest.approx(0.0, abs=1e-9)
    assert slack.min() > -1e-12
    # The smallest error that matters: with 1 % more range some law is below.
    alpha, beta = corners(1.01 * epsilon)
    assert (beta < gaussian_mechanism.tradeoff(np.clip(alpha, 0, 1), mu) - 1e-4 * mu).any()


@SEVERAL
@given(st.integers(0, 10**6), st.sampled_from([0.25, 0.5, 1.0]))
def test_a_softmax_at_this_range_is_mu_gdp(seed, mu):
    """Random scores and changes: the exact trade-off curve of the two laws, all its corners."""
    epsilon = bounded_range_within(GaussianDP(mu, "central"))
    rng = np.random.default_rng(seed)
    scores = rng.normal(scale=2.0, size=6)
    change = rng.uniform(-1, 1, 6) if seed % 2 else rng.choice([-1.0, 1.0], 6)
    one, other = exponential_law(scores, epsilon / 2), exponential_law(scores + change, epsilon / 2)
    order = np.argsort(other / one)[::-1]
    alpha, power = one[order].cumsum()[:-1], other[order].cumsum()[:-1]
    assert (1 - power >= gaussian_mechanism.tradeoff(alpha, mu) - 1e-12).all()


# Pure to approximate


@SEVERAL
@given(st.floats(0.01, 5), st.floats(0, 0.99))
def test_pure_to_approximate_gives_the_least_epsilon(epsilon, delta):
    less = compose(PureDP(epsilon, "central"), delta=delta)
    corner = 1 / (1 + math.exp(epsilon))
    spent = duality.delta_from_tradeoff(less.epsilon, [0.0, corner, 1.0], [1.0, corner, 0.0])
    if less.epsilon == 0:
        assert spent <= delta + 1e-15
    else:
        assert spent == pytest.approx(delta, abs=1e-14)
    assert (less.delta, less.model) == (delta, "central")


def test_pure_to_approximate_at_its_edges():
    assert compose(PureDP(2.0, "local"), delta=1.0).epsilon == 0
    assert compose(PureDP(0.7, "local"), delta=0.0) == ApproximateDP(0.7, 0.0, "local")
    assert compose(PureDP(math.inf, "local"), delta=0.5).epsilon == math.inf
    assert compose(PureDP(1e-3, "local"), delta=1e-20).epsilon == pytest.approx(1e-3, rel=1e-15)
    with pytest.raises(InputError, match=r"^delta = 1\.1: write a number from 0 to 1$"):
        compose(PureDP(1.0, "local"), delta=1.1)


# Validation and text


@each("mu", [0.0, 1e-6, 0.25, 3.0, 40.0, math.inf])
def test_the_pure_level_within_a_gaussian_one_is_the_inverse_of_the_way_back(mu):
    pure = pure_within(GaussianDP(mu, "central"))
    assert to_gaussian(pure).mu == pytest.approx(mu, rel=1e-9)
    assert pure.model == "central"


APPROXIMATE = ApproximateDP(1.0, 0.1, "central")


def test_conversions_drop_no_delta_and_refuse_other_kinds_in_one_sentence():
    gaussian, pure = GaussianDP(1.0, "local"), PureDP(1.0, "local")
    for convert, other in ((to_gaussian, gaussian), (pure_within, pure), (bounded_range_within, pure)):
        for guarantee in (APPROXIMATE, other):
            said = rf"^{convert.__name__}: .* was asked for; write \w+DP(\(|\.from_epsilon_delta\()[^\n]*$"
            with pytest.raises(InputError, match=said):
                convert(guarantee)


@each("rho", [1e-8, 1e-3, 0.1, 10.0])
def test_concentrated_privacy_is_converted_at_the_best_order(rho):
    delta = 1e-6
    epsilon = concentrated_epsilon(rho, delta)
    orders = 1 + np.geomspace(1e-3, 1e9, 200_000)
    grid = orders * rho + np.log1p(-1 / orders) - np.log(delta * orders) / (orders - 1)
    assert epsilon == pytest.approx(max(0.0, grid.min()), rel=1e-6)
    assert epsilon <= rho + 2 * math.sqrt(-rho * math.log(delta))
    if epsilon:
        assert concentrated_within(epsilon, delta) == pytest.approx(rho, rel=1e-9)
    assert concentrated_epsilon(0.0, delta) == 0
