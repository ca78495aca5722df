"""Gauss's rule on panels is as close as it says, and would not be with fewer nodes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from private_experts.replication.balls.balls import (
    Ball,
    ball,
    integral,
    normal_cdf,
    normal_density,
    precision,
    upper,
)
from private_experts.replication.papers.p000 import gauss_panels
from private_experts.replication.papers.p000.gauss_panels import OFF, legendre, misplaced
from tests.each import each

CHECKED = gauss_panels


def bent(centre: float) -> Callable[[Any], Any]:
    """Return the hardest case: a density times a mean of values from -1 to 1 under noise of scale 1."""
    return lambda x: normal_density(x - centre) * (2 * normal_cdf(2 * centre - x) - 1)


def error(rule: tuple[np.ndarray, np.ndarray], low: float, high: float, centre: float) -> float:
    """Return how far a rule is off on an integral, which is computed in balls with the rule's own numbers."""
    f = bent(centre)
    with precision():
        found = sum(
            (ball(w) * f(ball(x)) for x, w in zip(*(numbers.tolist() for numbers in rule), strict=True)),
            ball(0),
        )
        return upper(abs(found - integral(f, low, high)))


@each("count", [4, 11, 64])
def test_nodes_and_weights_are_those_of_an_independent_program(count: int) -> None:
    nodes, weights = np.polynomial.legendre.leggauss(count)
    np.testing.assert_allclose(legendre(count)[0], nodes, rtol=0, atol=1e-14)
    np.testing.assert_allclose(legendre(count)[1], weights, rtol=0, atol=1e-14)


@each(("low", "high"), [(-0.3, 0.3), (-7.0, 7.0), (2.0, 4.5), (-3.0, 60.0)])
def test_an_integral_is_off_by_no_more_than_is_said(low: float, high: float) -> None:
    nodes, weights, count = gauss_panels.panels(low, high)
    with precision():
        most = upper(count * ball(OFF) + misplaced(high - low, max(-low, high)))
    assert (np.diff(nodes) > 0).all()
    assert low < nodes[0] < nodes[-1] < high
    for centre in (0.0, low, low + 0.7 * (high - low)):
        assert error((nodes, weights), low, high, centre) <= most


def test_a_panel_that_is_too_long_for_its_nodes_is_found(put: Any) -> None:
    right: Callable[[int, float], Ball] = gauss_panels.remainder
    put(remainder=lambda count, half: 1.01 * right(count, half))
    with pytest.raises(AssertionError, match="too long"):
        gauss_panels._longest.__wrapped__()  # without what it remembers
