"""The law of the gap at any means is within its stated error of integrals and closed forms in balls."""

import numpy as np

from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import ball, integral, lower, normal_cdf, precision, upper
from private_experts.replication.balls.balls import normal_density as phi
from private_experts.replication.papers.p000 import certified_gaps
from private_experts.replication.papers.p000.certified_gaps import slope, survival
from private_experts.replication.papers.p000.certified_laws import gap_survival
from private_experts.walks.gap import shifted_distribution
from tests.each import each

CHECKED = certified_gaps
LEVELS = np.array([0.01, 0.5, 4.0])


@each("n", [2, 3, 50])
def test_equal_means_have_the_law_of_equation_1(n: int) -> None:
    values, off = survival(LEVELS, np.full(n, 0.3))
    with precision():
        assert all(
            abs(gap_survival(ball(e), n) - x) <= off for e, x in zip(LEVELS.tolist(), values, strict=True)
        )
    assert off < 1e-11


@each("n", [3, 20, 200])
def test_the_library_has_the_same_law_at_any_means(n: int) -> None:
    for scale in (0.3, 8.0):
        v = rng_for(1, "means", n).normal(0, scale, n)
        values, off = survival(LEVELS, v)
        assert np.abs(1 - values - shifted_distribution(LEVELS, v)).max() <= off + 1e-12


def test_the_derivative_is_the_integral_of_the_proof() -> None:
    v, e = np.array([1.0, 0.75, -0.5]), 0.5
    with precision():
        for i, (a, b) in enumerate([(1, 2), (0, 2), (0, 1)]):

            def bracket(x: object, i: int = i, a: int = a, b: int = b) -> object:
                def one(j: int, rest: int) -> object:
                    difference = phi(x - v[i]) * phi(x - e - v[j]) - phi(x - v[j]) * phi(x - e - v[i])
                    return difference * normal_cdf(x - e - v[rest])

                return one(a, b) + one(b, a)

            found, true = slope(v, i, e), integral(bracket, -14, 14, digits=18)
            assert found.contains(true)
            assert upper(found) - lower(found) < 1e-12
