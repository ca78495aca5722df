"""Noise on each expert's own count: its level by a second route, and allocations against a search."""

import itertools
import math

import numpy as np
import pandas as pd
import pytest

from private_experts.errors import InputError
from private_experts.games import private_reports
from private_experts.privacy import (
    GaussianDP,
    SimulatedNoise,
    fixed_rates,
    informed_scales,
    own_level,
    own_scales,
    privatize,
    shared_scale,
)
from private_experts.randomness import rng_for
from tests.each import each

BEDS = np.array([9.0, 12.0, 47.0, 300.0, 9.5])
REACH = 1 / BEDS
LOCAL = GaussianDP(0.5, "local")


def test_the_level_of_any_scales_is_that_of_the_worst_pair():
    rng = rng_for(0, "test own counts", "levels")
    scales = rng.uniform(0.01, 0.5, (20, 5))
    pairs = [
        np.hypot(REACH[i] / scales[:, i], REACH[j] / scales[:, j])
        for i, j in itertools.combinations(range(5), 2)
    ]
    np.testing.assert_allclose(own_level(REACH, scales), np.max(pairs, axis=0), rtol=1e-12)
    np.testing.assert_allclose(own_level(REACH, scales, moved=1), (REACH / scales).max(axis=1), rtol=1e-12)
    for moved in (3, 6):
        groups = itertools.combinations(range(5), min(moved, 5))
        levels = [np.linalg.norm((REACH / scales)[:, group], axis=1) for group in groups]
        np.testing.assert_allclose(own_level(REACH, scales, moved), np.max(levels, axis=0), rtol=1e-12)
    assert own_level(REACH, [1.0, 1.0, 0.0, 1.0, 1.0]) == math.inf
    for moved in (1, 2, 3):
        assert own_level(REACH, own_scales(REACH, LOCAL, moved), moved) == pytest.approx(LOCAL.mu, rel=1e-12)


VALUES = {
    "largest": lambda scales: scales.max(),
    "comparison": lambda scales: np.hypot(*np.sort(scales)[-2:]),
    "total": lambda scales: np.sqrt(np.square(scales).sum()),
}


def test_the_closed_forms_of_the_allocations():
    first, second = 1.0, 0.5
    reach = np.array([second, first, 0.1])
    assert VALUES["largest"](informed_scales(reach, LOCAL, "largest")) == pytest.approx(
        math.hypot(first, second) * 2
    )
    assert shared_scale(reach, LOCAL) == pytest.approx(math.hypot(first, second) * 2)
    assert VALUES["comparison"](informed_scales(reach, LOCAL, "comparison")) == pytest.approx(
        (first + second) * 2
    )
    total = (first + math.hypot(second, 0.1)) * 2
    assert VALUES["total"](informed_scales(reach, LOCAL, "total")) == pytest.approx(total)
    # no one outweighs all
    np.testing.assert_allclose(informed_scales(REACH, LOCAL, "total"), own_scales(REACH, LOCAL))


def test_the_paper_has_the_noise_of_the_smallest_for_all():
    paper = LOCAL.noise_scale(math.sqrt(2) / BEDS.min())
    np.testing.assert_allclose(own_scales(REACH, LOCAL), paper * BEDS.min() / BEDS)
    assert own_level(REACH, np.full(5, paper)) < LOCAL.mu


@each(("moved", "bounds"), [(1, (0.0, 1.0)), (2, (-0.125, 0.125)), (5, (2.0, 10.0))])
def test_noise_is_for_all_whom_a_person_moves_in_any_unit_and_with_gains_of_each_copy(moved, bounds):
    (low, high), copies, rng = bounds, 4, rng_for(0, "test own counts", "gains")
    gains, reach, unit = rng.random((copies, 5)), np.stack([REACH, REACH[::-1]]), high - low
    given = {"moved": moved, "bounds": bounds}

    def drawn():  # with numbers that can be drawn again
        return rng_for(0, "test own counts", "digits")

    for told in (gains[0], gains):
        noise = SimulatedNoise(drawn())
        made = [
            privatize(low + unit * told, LOCAL, unit * r, noise, repetitions=copies, **given) for r in reach
        ]
        if told.ndim == 1:
            noise, same = SimulatedNoise(drawn()), np.array([told, told])
            made += private_reports(low + unit * same, LOCAL, unit * reach, noise, copies, **given)
        normals = drawn().standard_normal((2, copies, 5))
        for report, moves, normal in zip(made, np.resize(reach, (len(made), 5)), itertools.cycle(normals)):
            scales = math.sqrt(moved) * moves / LOCAL.mu
            np.testing.assert_allclose(report.scale, scales, rtol=1e-12)
            np.testing.assert_allclose(report.values, told + scales * normal, rtol=0, atol=1e-12)


def test_reports_of_one_reach_are_those_of_equal_noise():
    def made(*args, **more):
        return privatize(np.full(3, 0.5), *args, SimulatedNoise(rng_for(0, "same")), repetitions=4, **more)

    own, same = made(LOCAL, np.full(3, 0.1), moved=2), made(LOCAL, 0.1 * math.sqrt(2))
    np.testing.assert_allclose(own.values, same.values, rtol=1e-12)
    assert own.largest_scale == pytest.approx(same.largest_scale)
    silent = made(GaussianDP(math.inf, "local"), np.full(3, 0.1), moved=2)
    assert silent.scale == 0.0
    np.testing.assert_array_equal(silent.values, np.full((4, 3), 0.5))


def test_sizes_and_sensitivities_with_labels_in_another_order_are_refused():
    gains = pd.Series([0.3, 0.9], index=["north", "south"])
    with pytest.raises(InputError, match=r"^fixed rates: size.*south"):
        fixed_rates(gains, gains[::-1])
    with pytest.raises(InputError, match=r"^sensitivity.*south"):
        privatize(gains, GaussianDP(1.0, "local"), gains[::-1], SimulatedNoise(0), moved=1)


def test_fixed_rates_have_their_level_whatever_the_sizes_of_the_day_are():
    fixed = np.array([10.0, 50.0, 0.5])
    counts = np.array([[3.0, 49.0, 0.2], [20.0, 0.0, 0.4]])
    rates, reach = fixed_rates(counts, fixed)
    np.testing.assert_array_equal(rates, [[0.3, 0.98, 0.4], [1.0, 0.0, 0.8]])
    # One person more moves no rate further, from any count, and those below capacity exactly so far.
    moved = fixed_rates(counts + 1, fixed)[0] - rates
    assert (moved <= reach * (1 + 1e-12)).all()
    assert moved[0, 0] == pytest.approx(reach[0])
    assert reach[2] == 1.0
    assert own_level(reach, own_scales(reach, LOCAL)) == pytest.approx(LOCAL.mu, rel=1e-12)
    # Noise for a number above the beds that divide is too little.
    today = np.array([8.0, 40.0, 0.5])
    assert own_level(np.minimum(1 / today, 1), own_scales(reach, LOCAL)) > 1.2 * LOCAL.mu


@each(
    ("counts", "sizes", "message"),
    [
        (np.ones((4, 2)), np.ones((4, 2)), r"sizes of shape \(4, 2\) .* which no round changes"),
        (np.ones((4, 2)), np.ones(4), "one size for each expert"),
        (np.ones(2), [1.0, 0.0], "every size must be positive and finite"),
        (np.ones(2), [1.0, math.inf], "every size must be positive and finite"),
        ([1.0, -1.0], np.ones(2), "counts = -1: write a number that is at least 0"),
    ],
)
def test_sizes_that_a_round_could_change_are_refused(counts, sizes, message):
    with pytest.raises(InputError, match=message):
        fixed_rates(counts, sizes)


@each(
    ("reach", "moved", "message"),
    [
        (np.full(3, 0.1), 2, r"shape \(3,\): write how far one person moves each of 2 gains"),
        (0.1, 2, r"shape \(\): write how far"),
        (np.array([0.1, 0.0]), 2, "reach = 0.0: write a positive number"),
        (np.array([0.1, np.inf]), 2, "reach = inf"),
        (np.array([0.1, 0.2]), 0, "moved = 0: write a whole number of at least 1"),
        (np.array([0.1, 0.2]), None, "write moved, how many experts' gains"),
    ],
)
def test_reaches_that_say_nothing_are_refused(reach, moved, message):
    with pytest.raises(InputError, match=message):
        privatize(np.full(2, 0.5), LOCAL, reach, SimulatedNoise(rng_for(0, "x")), moved=moved)


def test_a_round_without_a_reach_for_each_expert_is_refused():
    noise = SimulatedNoise(rng_for(0, "x"))
    for wrong in (np.full(4, 0.1), 0.1, np.full((4, 3), 0.1)):
        with pytest.raises(InputError, match="write how far one person moves each gain"):
            list(private_reports(np.zeros((4, 2)), LOCAL, wrong, noise, moved=2))
    none = GaussianDP(0.0, "local")
    for call, said in (
        (lambda: privatize(np.zeros(2), none, np.ones(2), noise, moved=2), "no finite noise attains it"),
        (lambda: own_scales([], LOCAL), "write how far one person moves the gain of each expert, an array"),
        (lambda: informed_scales([1.0], LOCAL, "total"), "two experts or more"),
        (lambda: informed_scales([1.0, 2.0], LOCAL, "mean"), "aim = 'mean'"),
        (lambda: own_level([1.0, 2.0], [1.0, -1.0]), "every noise scale"),
    ):
        with pytest.raises(InputError, match=said):
            call()
