"""Masses of cells and their sums contain the true numbers, also where exponents are too low for a float."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

from private_experts.replication.balls import cells
from private_experts.replication.balls.balls import Ball, ball, lower, precision, upper
from private_experts.replication.balls.cells import (
    Cells,
    beyond,
    gibbs,
    log_ratios,
    log_sum,
    mean,
    normalised,
)
from private_experts.replication.balls.sums import gamma
from tests.each import each

RNG = np.random.default_rng(3)
POINTS = RNG.uniform(-2, 2, (60, 2))
LOSSES = np.stack([POINTS[:, 0] * 3, np.abs(POINTS).sum(axis=1) - POINTS[:, 1]])
LOSSES[:, :3] += 40.0  # at beta 30 these cells have exponents about -1200, and are lost
BETA, LAM = 30.0, 0.7
VALUES = RNG.standard_normal(60)
mpmath.mp.dps = 40


def exact(losses: Any, points: Any = POINTS, beta: float = BETA, lam: float = LAM) -> tuple[list[Any], Any]:
    """Return the masses and the log-partition function by mpmath."""
    weights = [
        mpmath.exp(-beta * (mpmath.mpf(loss) + mpmath.mpf(lam) / 2 * mpmath.fsum(point, squared=True)))
        for loss, point in zip(losses.tolist(), points.tolist(), strict=True)
    ]
    total = mpmath.fsum(weights)
    return [weight / total for weight in weights], mpmath.log(total)


def holds(found: Ball, true: Any, wide: float) -> bool:
    """Tell whether a ball contains a number, and is no wider than it should be."""
    with precision(200):
        return bool(found.contains(ball(mpmath.nstr(true, 38)))) and upper(found) - lower(found) < wide


def furthest(found: Any, true: Any) -> Any:
    return max(abs(type(other)(one) - other) for one, other in zip(found.tolist(), true, strict=True))


def delta_of(one: Any, two: Any, epsilon: float) -> Any:
    level = mpmath.exp(mpmath.mpf(epsilon))
    return mpmath.fsum(max(p - level * q, 0) for p, q in zip(one, two, strict=True))


@pytest.fixture(scope="module")
def measures() -> tuple[Cells, list[Any]]:
    return gibbs(LOSSES, POINTS, BETA, LAM), [exact(loss) for loss in LOSSES]


def test_masses_have_the_error_they_say(measures: Any) -> None:
    law, true = measures
    assert 1e-15 < upper(law.error) < 1e-11
    for found, (masses, _) in zip(law.masses, true, strict=True):
        lost = found == 0
        assert lost.sum() == 3
        assert all(one <= cells.LOST for one in np.array(masses)[lost])
        kept = zip(found[~lost].tolist(), np.array(masses)[~lost], strict=True)
        assert max(abs(mass / one - 1) for mass, one in kept) <= upper(law.error)


def test_means_masses_and_sums_contain_the_true_ones(measures: Any) -> None:
    law, true = measures
    where = VALUES > 0
    with precision():
        means = mean(law, VALUES), mean(law, np.stack([VALUES] * 2))
        found = zip(*means, cells.mass(law, where), log_sum(law), strict=True)
    for numbers, (masses, partition) in zip(found, true, strict=True):
        average, share = (mpmath.fdot(masses, values.tolist()) for values in (VALUES, where))
        for one, exactly in zip(numbers, (average, average, share, partition), strict=True):
            assert holds(one, exactly, 1e-11)


def test_moments_contain_the_true_ones_also_if_the_tilt_raises_lost_cells(measures: Any) -> None:
    (law, true), values = measures, np.where(VALUES > 0, VALUES, LOSSES[0])
    for s in (-2.0, 1.5, 1000.0):
        powers = [mpmath.exp(s * mpmath.mpf(value)) for value in values.tolist()]
        with precision():
            found = cells.log_moment(law, values, s)
        for one, (masses, _) in zip(found, true, strict=True):
            assert holds(one, mpmath.log(mpmath.fdot(masses, powers)), 1e-9)


def test_ratios_and_divergences_contain_the_true_ones(measures: Any) -> None:
    law, ((one, _), (two, _)) = measures
    ratios, off = log_ratios(law[0], law[1])
    true = [mpmath.log(p / q) for p, q in zip(one, two, strict=True)]
    assert furthest(ratios, true) <= off < 1e-11
    with precision():
        assert holds(cells.divergence(law[0], law[1]), mpmath.fdot(one, true), 1e-9)
        for epsilon in (0.0, 1.5, 40.0):
            assert holds(beyond(law[0], law[1], epsilon), delta_of(one, two, epsilon), 1e-10)


def test_what_is_known_less_well_gives_wider_balls() -> None:
    with precision():
        for sign in (-1, 1):  # one cell's loss is off by 1e-5
            moved = LOSSES[0] + sign * 1e-5 * (np.arange(60) == 10)
            masses, partition = exact(moved)
            law = gibbs(LOSSES[0], POINTS, BETA, LAM, off=1.01e-5)
            assert holds(mean(law, VALUES), mpmath.fdot(masses, VALUES.tolist()), 1e-2)
            assert holds(log_sum(law), partition, 1e-2)
            assert holds(mean(law, VALUES + 1e-3, off=1.01e-3), mpmath.fdot(masses, VALUES.tolist()), 1e-2)


def test_errors_are_attained_within_a_factor() -> None:
    """Errors that were ten times smaller would be wrong: energies of cells far from 0 lose so many digits."""
    points = np.linspace(0.1, 6, 60)[:, None]
    losses = RNG.uniform(0, 1e-3, 60) + 1e4 / 3
    law, (masses, _) = gibbs(losses, points, 0.3, 1e-3), exact(losses, points, 0.3, 1e-3)
    off = max(abs(mass / true - 1) for mass, true in zip(law.masses.tolist(), masses, strict=True))
    assert upper(law.error) / 10 < off <= upper(law.error)


def test_exponents_known_less_well_move_ratios_and_all_that_follows() -> None:
    rough, good = LOSSES[0], LOSSES[1]
    one, two = gibbs(rough, POINTS, BETA, LAM, off=1.01e-5), gibbs(good, POINTS, BETA, LAM)
    k = int(np.argmax(np.where(one.masses > 0, log_ratios(one, two)[0], -1e9)))
    moved = rough + 1e-5 * np.where(np.arange(60) == k, -1, 1)  # one cell up, all others down
    (masses, _), (others, _) = exact(moved), exact(good)
    for law, other, p, q in ((one, two, masses, others), (two, one, others, masses)):
        ratios, off = log_ratios(law, other)
        assert furthest(ratios, [mpmath.log(a / b) for a, b in zip(p, q, strict=True)]) <= off < 1e-3
    epsilon = float(log_ratios(one, two)[0][k]) + 1e-4
    delta = delta_of(masses, others, epsilon)
    assert delta > 0
    powers = [mpmath.exp(50 * mpmath.mpf(x)) for x in (VALUES + 1e-5).tolist()]
    with precision():
        assert holds(beyond(one, two, epsilon), delta, 1e-2)
        moment = cells.log_moment(two, VALUES, 50.0, off=1.01e-5)
        assert holds(moment, mpmath.log(mpmath.fdot(others, powers)), 1e-2)


@each("size", [1, 99, 100_007])
def test_sums_of_any_number_of_cells_are_whole_and_count_their_additions(size: int) -> None:
    law = normalised(np.zeros(size))
    assert law.sums == size
    assert upper(law.error) > upper(gamma(2 * int(size**0.5)))
    with precision():
        assert holds(cells.mass(law, np.arange(size) < 1), 1 / mpmath.mpf(size), 1e-12)


def test_sums_of_many_cells_that_lose_much_are_bounded() -> None:
    """Each number but the first is just below half of the last bit of the sum before it, and is dropped."""
    given = np.full(10_000, 0.99 * 2.0**-53)
    given[0] = 1.0
    dropped = float(cells._added(given))
    true = 1 + 9999 * mpmath.mpf(float(given[1]))
    assert abs(dropped / true - 1) <= upper(gamma(cells._additions(10_000)))


def test_what_cannot_be_exponents_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        normalised(np.array([0.0, np.inf]))
    with pytest.raises(ValueError, match="known up to"):
        normalised(np.zeros(3), off=0.02)


def test_exponents_that_are_off_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Exponentials in floats that are off by a millionth, up and down."""
    given, right_exps = np.log(np.arange(1.0, 9)), cells.exps
    right = normalised(given)
    monkeypatch.setattr(
        cells, "exps", lambda x: right_exps(x) * np.where(np.arange(8) == 0, 1 - 1e-6, 1 + 1e-6)
    )
    monkeypatch.setattr(cells, "EXP_STEPS", int(1.001e-6 * 2**53))
    wrong = normalised(given)
    assert np.abs(wrong.masses / right.masses - 1).max() <= upper(wrong.error) < 3e-6


def test_roundings_of_energies_are_counted() -> None:
    """All are just above 1, where a rounding weighs most; three roundings are not covered by one."""
    points = RNG.uniform(1.0, 1.02, (400, 1))
    law = gibbs(np.zeros(400), points, 1.01, 2.02)
    energies = [Fraction(1.01) * Fraction(1.01) * Fraction(x) ** 2 for x in points[:, 0].tolist()]
    wrong = [Fraction(found) + energy for found, energy in zip(law.exponents.tolist(), energies, strict=True)]
    assert 2 * upper(gamma(2)) < max(wrong) - min(wrong) <= 2 * law.off


def test_a_shift_of_all_exponents_is_rounded_and_that_is_counted() -> None:
    given = RNG.uniform(-300, 0, 60) + 1 / 3
    law = normalised(given)
    shifted = [Fraction(value) - Fraction(float(given.max())) for value in given.tolist()]
    assert 1e-14 < furthest(law.exponents, shifted) <= law.off


def test_sums_lack_the_lost_cells_at_most(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cells, "_LEAST", -5.5)
    monkeypatch.setattr(cells, "LOST", 0.0041)  # e^-5.5 is less
    law, true = normalised(np.array([0.0, -6.0, -6.0, -6.0])), 1 + 3 * mpmath.exp(-6)
    assert law.masses.tolist() == [1, 0, 0, 0]
    assert true - 1 <= upper(law.error)
    with precision():
        assert holds(log_sum(law), mpmath.log(true), 0.04)


def test_ratios_count_what_sums_are_off(measures: Any) -> None:
    law, _ = measures
    one, two = law[0], law[1]
    wrong = replace(one, sums=one.sums * (1 + 1e-6), sums_error=ball(1.001e-6))
    for first, second, exactly in ((one, two, (wrong, two)), (two, one, (two, wrong))):
        true, (found, off) = log_ratios(first, second)[0], log_ratios(*exactly)
        assert 0.99e-6 < np.abs(found - true).max() <= off < 1.1e-6


def test_ratios_count_the_roundings_of_large_differences() -> None:
    one, two = (
        replace(normalised(RNG.uniform(-600, 0, 60) + 1 / 3), off=ball(0), sums_error=ball(0)) for _ in "pq"
    )
    found, off = log_ratios(one, two)
    sums = mpmath.log(mpmath.mpf(float(two.sums)) / mpmath.mpf(float(one.sums)))
    pairs = zip(found.tolist(), one.exponents.tolist(), two.exponents.tolist(), strict=True)
    wrong = max(abs(ratio - mpmath.mpf(p) + mpmath.mpf(q) - sums) for ratio, p, q in pairs)
    assert wrong <= off < 1e-12
