"""Losses that consist of lines have the values and the Gibbs measures that they should."""

import math
from collections.abc import Iterator
from itertools import pairwise

import numpy as np
import pytest

from private_experts.private_oco.domains import Box
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.private_oco.losses import LOSSES
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import ball, near, precision
from private_experts.replication.papers.p001.bent import Bent, Measure, drawn, line, upper_envelope
from tests.each import each


@pytest.fixture(autouse=True)
def in_balls() -> Iterator[None]:
    """Let tests compare balls with the precision that checks have."""
    with precision():
        yield


@each("seed", range(12))
def test_the_upper_envelope_is_the_largest_line(seed: int) -> None:
    rng = rng_for(seed, "envelope")
    slopes, heights = rng.uniform(-1, 1, 4), rng.uniform(-0.4, 0.4, 4)
    found = upper_envelope(slopes.tolist(), heights.tolist())
    values = [float((slopes * x + heights).max()) for x in np.linspace(-0.5, 0.5, 41)]
    assert [near(found(ball(x))) for x in np.linspace(-0.5, 0.5, 41).tolist()] == pytest.approx(values, abs=1e-14)
    assert all(-0.5 < near(place) < 0.5 and jump > 0 for place, jump in found.kinks)
    assert near(found.least()) <= min(values) + 1e-14
    assert near(found.least()) == pytest.approx(min(values), abs=0.025)


def test_lines_that_no_order_can_be_found_for_give_no_number() -> None:
    parallel = upper_envelope([0.5, 0.5, 1.0], [0.0, 0.1, 0.0])
    through_one_point = upper_envelope([-1.0, 0.0, 1.0], [0.0, 0.0, 0.0])
    assert [found(ball(0.1)).is_nan() for found in (parallel, through_one_point)] == [True, True]


@each("name", ["linear", "constant", "hinges"])
def test_drawn_losses_are_those_of_the_library(name: str) -> None:
    family = GridGibbs(Box((-0.5,), (0.5,)).grid(9), beta=1.0, lam=1.0)
    expected = LOSSES[name](family, 7, 1.0, rng_for(3, "losses"))
    losses = drawn(name, 7, float(np.abs(family.points).max()), rng_for(3, "losses"))
    assert len(losses) == 7
    for loss, values in zip(losses, expected, strict=True):
        found = [near(loss(ball(x))) for x in family.points[:, 0].tolist()]
        assert found == pytest.approx(values.tolist(), abs=1e-14)


@each(("beta", "lam", "steep"), [(9.35, 9.35, 0.0), (9.35, 9.35, 40.0), (0.05, 136.0, -20.0)])
def test_measures_are_those_of_quadrature(beta: float, lam: float, steep: float) -> None:
    total = sum(drawn("hinges", 6, 0.5, rng_for(5, "measure")), line(steep))
    assert len(total.kinks) > 2
    kinks = [near(place) for place, _ in total.kinks]

    nodes, weights = np.polynomial.legendre.leggauss(60)

    def mass(low: float, high: float) -> float:
        """Integrate between kinks by Gauss and Legendre."""
        borders, whole = [low, *(kink for kink in kinks if low < kink < high), high], 0.0
        for left, right in pairwise(borders):
            x = (left + right) / 2 + (right - left) / 2 * nodes
            bends = sum(near(jump) * np.maximum(x - near(place), 0) for place, jump in total.kinks)
            values = np.exp(-beta * (near(total.level) + near(total.slope) * x + bends + lam * x * x / 2))
            whole += float(weights @ values) * (right - left) / 2
        return whole

    found, whole = Measure(total, ball(beta), ball(lam)), mass(-0.5, 0.5)
    assert near(found.log_whole) == pytest.approx(math.log(whole), abs=1e-12)
    for x in (-0.5, -0.45, 0.1, 0.5):
        left, right = (found.beyond(ball(x), side) for side in (0, 1))
        assert near(left) == pytest.approx(mass(-0.5, x) / whole, rel=1e-11, abs=1e-30)
        assert near(right) == pytest.approx(mass(x, 0.5) / whole, rel=1e-11, abs=1e-30)
        assert abs(left + right - 1) < 1e-25


def test_places_that_balls_do_not_order_give_no_number() -> None:
    total = Bent(ball(0), ball(0), ((ball(0.1), ball(1)),))
    measure = Measure(total, ball(1), ball(1))
    assert measure.beyond(ball(0.09, 0.11), 0).is_nan()
    assert not measure.beyond(ball(0.09), 0).is_nan()
    unsure = Bent(ball(0), ball(0), ((ball(0.1, 0.2), ball(1)), (ball(0.15, 0.25), ball(1))))
    assert Measure(unsure, ball(1), ball(1)).log_whole.is_nan()
