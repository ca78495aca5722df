"""Trade-off curves lie between their bounds: closed forms, the library, and bounds that would be wrong."""

import numpy as np

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
