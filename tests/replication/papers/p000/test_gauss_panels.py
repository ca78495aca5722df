"""Gauss's rule on panels is as close as it says, and would not be with fewer nodes."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from private_experts.replication.balls.balls import (
    Ball,
    ball,
    integral,
    near,
    normal_cdf,
    normal_density,
    precision,
    upper,
)
from private_experts.replication.balls.sums import gamma
from private_experts.replication.papers.p000 import gauss_panels
from private_experts.replication.papers.p000.gauss_panels import OFF, legendre, misplaced, remainder
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


def test_a_longer_deviation_is_another_unit() -> None:
    nodes, weights, count = gauss_panels.panels(-1.0, 2.0)
    longer = gauss_panels.panels(-4.0, 8.0, 4.0)
    np.testing.assert_allclose(longer[0], 4 * nodes, rtol=1e-14)
    np.testing.assert_allclose(longer[1], 4 * weights, rtol=1e-14)
    assert longer[2] == count


@each("half", [0.5, 1.0, 3.0])
def test_the_remainder_bounds_the_error_and_not_by_far(half: float) -> None:
    """With six nodes more the bound would be below the error."""
    nodes, weights = legendre(2 * math.ceil(half) + 2)
    found = max(
        error((half * nodes, half * weights), -half, half, centre) for centre in (0.0, 0.4 * half, half / 2)
    )
    with precision():
        assert found <= upper(remainder(nodes.size, half))
        assert found > upper(remainder(nodes.size + 6, half))


@each(("half", "count"), [(2.0, 14), (3.0, 18), (7.0, 36)])
def test_the_remainder_bounds_the_error_of_many_nodes(half: float, count: int) -> None:
    """Here the size of the integrand far from the line counts: half the exponent would be too little."""
    nodes, weights = legendre(count)
    shares = (0.0, 0.2, 0.3, 0.5, 0.7)
    found = max(error((half * nodes, half * weights), -half, half, share * half) for share in shares)
    with precision():
        assert upper(remainder(count, half)) / 5000 < found <= upper(remainder(count, half))


def test_nodes_that_are_moved_change_an_integral_by_no_more_than_is_said() -> None:
    nodes, weights, _ = gauss_panels.panels(-3.0, 3.0)
    true = sum_of(nodes, weights)
    for move in (1e-4, -1e-4):
        moved = sum_of(nodes + move * np.sign(nodes), weights)
        with precision():
            rounding = near(gamma(6))
            assert 0 < abs(moved - true) <= upper(misplaced(6.0, 0.5)) / rounding * 1e-4


def test_a_node_has_five_roundings_of_twice_its_size() -> None:
    slope = 1 / math.sqrt(2 * math.pi * math.e) + 1 / math.pi
    with precision():
        assert 1 < near(misplaced(3.0, 5.0)) / (3.0 * slope * 2 * 5.0 * 5 * 2.0**-53) < 1.25


def sum_of(nodes: np.ndarray, weights: np.ndarray) -> float:
    with precision():
        return float(weights @ np.array([near(bent(0.5)(ball(x))) for x in nodes.tolist()]))


def test_a_panel_that_is_too_long_for_its_nodes_is_found(put: Any) -> None:
    right: Callable[[int, float], Ball] = gauss_panels.remainder
    put(remainder=lambda count, half: 1.01 * right(count, half))
    with pytest.raises(AssertionError, match="too long"):
        gauss_panels._longest.__wrapped__()  # without what it remembers
