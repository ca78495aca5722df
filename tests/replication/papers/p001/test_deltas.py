"""Bounds on delta, and so on epsilon, are around those of enumerated paths and of normal laws."""

import math
from typing import Any

import numpy as np
import pytest
from scipy.special import ndtr

from private_experts.privacy import gaussian_mechanism
from private_experts.private_oco.domains import Box
from private_experts.private_oco.gibbs import GridGibbs
from private_experts.replication.balls.balls import Ball, ball, lower, upper
from private_experts.replication.balls.elementary import EXP_STEPS, exps
from private_experts.replication.papers.p001 import delta_curves, smoothed_delta
from private_experts.replication.papers.p001.delta_curves import Delta, Lattice, Needle, epsilon_between
from private_experts.replication.papers.p001.loss_steps import loss_steps
from private_experts.replication.papers.p001.paths import path_laws
from private_experts.replication.papers.p001.smoothed_delta import Moments, Smoothed, moments
from tests.each import each
from tests.replication.papers.replaced import put

pytestmark = pytest.mark.usefixtures("in_balls")

FAMILY = GridGibbs(Box((-0.5,), (0.5,)).grid(4), beta=3.0, lam=4.0)
POINTS = FAMILY.points[:, 0]
SLOPES = np.array([[1.0, 0.0, 1.0, -2.0, 1.0], [-1.0, 0.0, 1.0, -2.0, 1.0]])
LAWS = FAMILY.laws(SLOPES[..., None] * POINTS)
LOG_PHI, P = 0.2, 0.3
LEVELS = [0.1, 0.5, 1.0, 2.0]

PATHS = path_laws(LAWS, LOG_PHI, P)[0]  # probabilities under both streams
FRESH = [np.exp(np.add.outer(law[0], law[1]).ravel()) for law in LAWS]  # of all paths of fresh draws
for t in range(2, 5):
    FRESH = [np.outer(paths, np.exp(law[t])).ravel() for paths, law in zip(FRESH, LAWS, strict=True)]


def delta_of(paths: Any, level: float) -> float:
    return float(np.maximum(paths[0] - math.exp(level) * paths[1], 0).sum())


def around(curve: Any, paths: Any, apart: float) -> None:
    """Assert that both bounds are around what is true, and not far from each other."""
    for level in LEVELS:
        low, high, true = lower(curve.below(level)), upper(curve.above(level)), delta_of(paths, level)
        assert low <= true * (1 + 1e-12)
        assert true * (1 - 1e-12) <= high
        assert high - low <= apart * high


def lattice(**errors: Ball) -> Lattice:
    return Lattice(loss_steps(POINTS, SLOPES, FAMILY.beta, FAMILY.lam, 0.0, 1.0)._replace(**errors))


def smoothed(noise: float, **errors: Ball) -> Smoothed:
    steps = loss_steps(POINTS, SLOPES, FAMILY.beta, FAMILY.lam, LOG_PHI, P)
    return Smoothed(steps._replace(**errors), 1e-2, noise)


def test_bounds_are_around_enumerated_paths() -> None:
    around(lattice(), FRESH, 1e-10)
    around(smoothed(0.05), PATHS, 0.6)
    around(smoothed(0.005), PATHS, 0.06)
    with put(delta_curves, _LEAST=0.05):  # what is left out of the law on a lattice is counted
        around(lattice(), FRESH, 1e3)


def assert_around_noisy(curve: Smoothed, apart: float) -> None:
    """Assert that bounds are around delta, known with noise. At a small shift its tail is large."""
    one, two = PATHS
    losses = np.log(one / two)
    curve.shift = sigma = curve._noise
    tail = ndtr(sigma / 2 - 1)
    for level in (0.1, 1.0, 2.0, 12.0):  # no loss is above 9
        at, beyond = (
            float((one * (ndtr(z / sigma + sigma / 2) - np.exp(-z) * ndtr(z / sigma - sigma / 2))).sum())
            for z in (losses - level, losses - level - sigma)
        )
        least, most = lower(curve.below(level)) + tail, upper(curve.above(level))
        assert at * (1 - 1e-12) <= most <= at + apart
        assert beyond - apart <= least <= beyond + 1e-14


def test_bounds_are_those_of_delta_with_noise_also_with_few_nodes_far_apart_and_rough_moments() -> None:
    curve = smoothed(0.05)
    values, _ = curve._moments
    assert_around_noisy(curve, 3e-3)
    for off in (0.01, -0.01):
        curve._moments = Moments(values * (1 + off), ball(0.01 * float(values[0].real)))
        assert_around_noisy(curve, math.inf)
    for nodes in ({"_FINE": 0.5}, {"_FINE": 0.25}, {"_REACH": 0.5}, {"_REACH": 0.3}):
        with put(smoothed_delta, **nodes):
            assert_around_noisy(smoothed(0.05), math.inf)


@each("level", [0.1, 1.0, 2.0])
def test_what_paths_may_be_off_counts_on_both_sides(level: float) -> None:
    errors = {"moved": ball(0.01), "off": ball(0.1)}
    for curve, paths in ((smoothed(0.005, **errors), PATHS), (lattice(**errors), FRESH)):
        assert lower(curve.below(level)) <= delta_of(paths, level + 0.01) / 1.1 * (1 + 1e-9)
        assert upper(curve.above(level)) >= delta_of(paths, level - 0.01) / 0.9 * (1 - 1e-9)


def test_moments_are_those_of_enumerated_paths_within_their_error() -> None:
    found = moments(smoothed(0.05)._steps, 2.0, 0.3, 70)
    one, two = PATHS
    expected = np.array([(one * np.exp((2.0 + 0.3j * k) * np.log(one / two))).sum() for k in range(70)])
    assert np.abs(found.values - expected).max() < upper(found.error) < 1e-9 * expected[0].real
    # An exponential counts in each step of a path.
    with put(smoothed_delta, EXP_STEPS=10**6, exps=lambda x: exps(x) * (1 + 1e6 * 2.0**-53)):
        rough = moments(smoothed(0.05)._steps, 2.0, 0.0, 1)
    assert 0.1 * upper(rough.error) < (rough.values - expected)[0].real < upper(rough.error)


@each("sign", [1, -1])
def test_exponentials_that_are_off_are_counted(sign: int) -> None:
    """All of it as if a rounding were 1e-6, but for what moves epsilon."""
    curve, off = lattice(), sign * EXP_STEPS * 1e-6
    with (
        put(Lattice, _off_at=lambda curve, level: ball(0)),
        put(delta_curves, gamma=lambda steps: ball(steps) * 1e-6, exps=lambda x: exps(x) * (1 + off)),
    ):
        around(curve, FRESH, 1e-2)


def fresh_draws(half: float, cells: int, after: float) -> tuple[Needle, Lattice]:
    """Return fresh draws on a needle and on a grid. Their standard deviation is 0.0845."""
    slopes = np.full((2, 40), after)
    slopes[:, 0] = 1, -1
    places = Box((-half,), (half,)).grid(cells)[:, 0]
    return Needle(slopes, 0.2, 700.0, half), Lattice(loss_steps(places, slopes, 0.2, 700.0, 0.0, 1.0))


@each("pair", [(40.0, 45.0), (45.0, 40.0), (60.0, 66.0)])
def test_a_needle_whose_edge_cuts_off_much_of_both_laws(pair: tuple[float, float]) -> None:
    """One draw, with standard deviation 0.1. The event that decides is a half-line."""
    (low, high), (other_low, other_high) = (ndtr(np.array([-5, 5]) + slope / 10) for slope in pair)
    log_ratio = math.log((other_high - other_low) / (high - low))
    needle = Needle(np.array([[pair[0], 0.0], [pair[1], 0.0]]), 1.0, 100.0, 0.5)
    for level in (0.1, 0.3, 0.6, 1.0, 2.0):
        place = (level - log_ratio - (pair[1] ** 2 - pair[0] ** 2) / 200) / (pair[1] - pair[0])
        side = [place, 0.5] if pair[1] > pair[0] else [-0.5, place]
        one, two = (np.diff(ndtr(10 * np.clip(side, -0.5, 0.5) + slope / 10))[0] for slope in pair)
        true = one / (high - low) - math.exp(level) * two / (other_high - other_low)
        assert lower(needle.below(level)) <= true * (1 + 1e-9)
        assert upper(needle.above(level)) >= true * (1 - 1e-9)


def test_the_needle_gives_away_what_normal_draws_do_and_a_grid_something_else() -> None:
    needle, lattice = fresh_draws(0.5, 40, 0.0)
    normal = float(gaussian_mechanism.epsilon(delta=1e-6, mu=math.sqrt(39 * 4 * 0.2 / 700)))
    on_needle, on_grid = epsilon_between(needle, 1e-6), epsilon_between(lattice, 1e-6)
    assert lower(on_needle) * (1 - 1e-6) <= normal <= upper(on_needle) * (1 + 1e-6)
    assert upper(on_needle) - lower(on_needle) < 3e-6
    assert abs(lower(on_grid) / normal - 1) > 1e-5
    assert upper(on_grid) - lower(on_grid) < 1e-9


@each("after", [1.0, -1.0])
def test_edges_that_are_near_are_counted(after: float) -> None:
    needle, lattice = fresh_draws(0.25, 400, after)
    for level in (0.1, 0.3, 0.6):
        true = upper(lattice.above(level))  # the grid is fine
        assert lower(needle.below(level)) <= true * 1.001
        assert true <= upper(needle.above(level)) * 1.001
        assert upper(needle.above(level)) < 5 * true


class Normal(Delta):
    """Delta of a normal loss, with as much between its bounds as is said."""

    def __init__(self, apart: float) -> None:
        self.apart = apart

    def near(self, level: float) -> float:
        return float(gaussian_mechanism.delta(epsilon=level, mu=0.2))

    def above(self, level: float) -> Ball:
        return ball(self.near(level) * (1 + self.apart))

    def below(self, level: float) -> Ball:
        return ball(self.near(level) * (1 - self.apart))


def test_epsilon_lies_where_both_bounds_say_and_is_unknown_where_they_say_nothing() -> None:
    true = float(gaussian_mechanism.epsilon(delta=1e-6, mu=0.2))
    for apart, wide in ((1e-9, 1e-9), (0.1, 0.03)):
        found = epsilon_between(Normal(apart), 1e-6)
        assert lower(found) < true < upper(found)
        assert upper(found) - lower(found) < wide
    assert not epsilon_between(Normal(1e9), 1e-6).is_finite()
    with pytest.raises(AssertionError, match="epsilon is at least"):  # they contradict each other
        epsilon_between(Normal(-0.5), 1e-6)
