"""Trade-off curves lie between their bounds: closed forms, the library, and bounds that would be wrong."""

from typing import Any

import numpy as np
import pytest

from private_experts.privacy.gaussian_mixtures import mixture_tradeoff
from private_experts.replication.balls.balls import ball, normal_cdf, normal_quantile, precision
from private_experts.replication.papers.p000 import certified_curves
from private_experts.replication.papers.p000.certified_curves import curve_between
from tests.each import each

CHECKED = certified_curves
ALPHAS = np.linspace(0.001, 0.999, 99)


@each("mu", [0.05, 1.0, 4.0])
def test_one_mechanism_has_a_closed_form(mu: float) -> None:
    low, high = curve_between(ALPHAS, np.ones(1), np.array([mu]))
    with precision():
        for alpha, least, most in zip(ALPHAS.tolist(), low.tolist(), high.tolist(), strict=True):
            true = normal_cdf(-normal_quantile(ball(alpha)) - mu)
            assert least <= true
            assert true <= most
    assert (high - low).max() < 1e-9


def test_mixtures_have_the_curve_of_the_library() -> None:
    weights, mus = np.array([0.1, 0.2, 0.7]), np.array([3.0, 0.5, 0.05])
    low, high = curve_between(ALPHAS, weights, mus)
    computed = mixture_tradeoff(ALPHAS, weights, mus)
    assert (low - 1e-12 <= computed).all()
    assert (computed <= high + 1e-12).all()
    assert (high - low).max() < 1e-9


@pytest.mark.parametrize("wrong", [-0.01, 0.01])
def test_thresholds_that_are_off_widen_the_bounds_and_do_not_spoil_them(wrong: float, put: Any) -> None:
    right = certified_curves._thresholds
    narrow = curve_between(ALPHAS, np.ones(1), np.ones(1))
    put(_thresholds=lambda *given: right(*given) + wrong)
    low, high = curve_between(ALPHAS, np.ones(1), np.ones(1))
    assert (low <= narrow[1]).all()
    assert (high >= narrow[0]).all()
    assert (high - low).max() > 1e-5
    if wrong < 0:  # no threshold is high enough, so nothing is known above
        assert (high == 1).all()


def test_an_error_of_the_table_lowers_the_lower_bound_and_lifts_the_upper_one(put: Any) -> None:
    off, errors = 1e-3, certified_curves._errors
    put(_SHIFTS=(0.01,))  # so much that the first error stays below most levels
    low, high = curve_between(ALPHAS, np.ones(1), np.ones(1))
    put(_errors=lambda *given: (*errors(*given)[:2], off))
    lower, upper = curve_between(ALPHAS, np.ones(1), np.ones(1))
    assert (lower <= low - off * high * 0.98).all()
    known = upper < 1
    assert known.sum() > 50
    assert (upper >= high * (1 + off))[known].all()
