"""The Gaussian level of Laplace noise: against its sampled law, and against the trade-off curve on a grid."""

import math

import numpy as np
import pytest
from scipy.special import ndtr, ndtri

from private_experts.errors import InputError
from private_experts.privacy.conversions import pure_within, to_gaussian
from private_experts.privacy.gaussian_mechanism import tradeoff
from private_experts.privacy.guarantees import GaussianDP, PureDP
from private_experts.replication.study.laplace import gaussian_level, laplace_within
from tests.each import each


def curve(epsilon: float, moved: int, cells: int = 2000) -> tuple[np.ndarray, np.ndarray]:
    """Return points (alpha, beta) of the trade-off curve, from exact probabilities of cells of line or plane.

    To see only the cell and not the number loses a little of the loss, so the true curve lies slightly below.
    """
    shift = epsilon / moved
    edges = np.concatenate([[-np.inf], np.linspace(0, shift, cells if moved == 1 else 300), [np.inf]])

    def cdf(x: np.ndarray) -> np.ndarray:
        return np.where(x < 0, np.exp(np.minimum(x, 0)) / 2, 1 - np.exp(-np.maximum(x, 0)) / 2)

    one, other = np.diff(cdf(edges)), np.diff(cdf(edges - shift))
    if moved == 2:
        one, other = np.outer(one, one).ravel(), np.outer(other, other).ravel()
    order = np.argsort(-other / one, kind="stable")
    return one[order].cumsum()[:-1], 1 - other[order].cumsum()[:-1]


@each("moved", [1, 2])
@each("mu", [0.25, 0.5, 1.0, 3.0])
def test_at_the_level_the_curve_lies_above_the_gaussian_one_and_touches_it(mu: float, moved: int) -> None:
    alpha, beta = curve(laplace_within(GaussianDP(mu, "central"), moved), moved)
    assert (beta >= tradeoff(alpha, mu) - 1e-12).all()
    # The smallest error that matters: 1 % more epsilon.
    alpha, beta = curve(1.01 * laplace_within(GaussianDP(mu, "central"), moved), moved)
    assert (beta < tradeoff(alpha, mu)).any()


@each("mu", [0.01, 0.25, 1.0, 3.0, 20.0])
def test_for_one_number_the_level_is_a_closed_form(mu: float) -> None:
    # The worst test is that at threshold 0, whose errors are both e^(-epsilon/2) / 2.
    assert laplace_within(GaussianDP(mu, "local"), 1) == pytest.approx(
        -2 * np.log(2 * ndtr(-mu / 2)), rel=1e-8
    )
    assert gaussian_level(1.0, 1) == pytest.approx(-2 * ndtri(math.exp(-0.5) / 2), rel=1e-12)


@each("mu", [0.01, 0.25, 1.0, 5.0])
def test_the_level_is_below_what_pure_privacy_alone_implies(mu: float) -> None:
    pure = pure_within(GaussianDP(mu, "local")).epsilon
    one, two = (laplace_within(GaussianDP(mu, "local"), moved) for moved in (1, 2))
    assert pure < one < two
    assert gaussian_level(two, 2) == pytest.approx(mu, rel=1e-9)
    assert to_gaussian(PureDP(two, "local")).mu > mu


def test_no_privacy_and_full_privacy_stay_what_they_are() -> None:
    assert [laplace_within(GaussianDP(mu, "local"), 2) for mu in (0.0, math.inf)] == [0.0, math.inf]
    assert [gaussian_level(epsilon, 2) for epsilon in (0.0, math.inf)] == [0.0, math.inf]


def test_three_numbers_are_refused() -> None:
    with pytest.raises(InputError, match="moved is too large: write a whole number of at most 2"):
        gaussian_level(1.0, 3)
