"""The law of the gap in ball arithmetic: the checks hold, and small defects of either route are caught."""

import functools
import math
from collections.abc import Callable
from typing import Any

import pytest

from private_experts.replication.balls.balls import Ball, ball, flint, near, precision
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import certified_laws, gap_law
from private_experts.walks.gap import density, distribution
from tests.each import each

CHECKED = gap_law
LEMMA_5 = {"N": [2, 1000], "correlation": [0.0, 0.5], "between": [2, 5, 15]}
DENSITY = {"n": [2, 10], "e": [0.0, 0.5, 1.0], "slope_at": [0.5]}
ONE_GAP = {"n": [10], "e": [0.1]}
ONE_DENSITY = DENSITY | {"n": [3], "e": [0.0, 0.5]}  # enough to show what is wrong
CONVERSION = {"n": [2, 3, 10], "e": [0.001, 0.1]}


def once(law: Callable[[Ball, int], Ball]) -> Callable[[Ball, int], Ball]:
    """Return a law that integrates once for each precision."""
    known = functools.cache(lambda bits, e, n: law(e, n))
    return lambda e, n: known(flint().ctx.prec, e, n)


NAMES = ("gap_survival", "gap_survival_by_second", "gap_density", "gap_density_printed")
LAWS = {name: once(getattr(certified_laws, name)) for name in NAMES}


@pytest.fixture(autouse=True)
def integrated_once(put: Any) -> None:
    """Compute each integral once for all tests."""
    put(certified_laws, **LAWS)


@each(
    ("check", "grid"),
    [
        (gap_law.lemma_5, LEMMA_5),
        (gap_law.gap_distribution, {"n": [2, 10], "e": [0.1, 2.0]}),
        (gap_law.gap_density, DENSITY),
        (gap_law.conversion, CONVERSION),
    ],
)
def test_it_holds(check: Any, grid: dict[str, Any]) -> None:
    assert decide(check(grid)) == "holds"


@pytest.mark.parametrize(
    ("check", "grid", "name", "mutant"),
    [
        (gap_law.gap_distribution, ONE_GAP, "distribution", lambda e, n: distribution(e, n, 1 + 1e-9)),
        # A wrong constant, and digits lost.
        (gap_law.gap_density, ONE_DENSITY, "distribution", lambda e, n: distribution(e, n) + 1e-9),
        (gap_law.gap_density, ONE_DENSITY, "density", lambda e, n: density(e, n) * (1 + 1e-9)),
    ],
)
def test_the_librarys_law_is_compared(
    check: Any, grid: dict[str, Any], name: str, mutant: Any, put: Any
) -> None:
    put(**{name: mutant})
    assert decide(check(grid)) == "fails"


def test_gap_distribution_catches_another_equation_1(put: Any) -> None:
    put(certified_laws, gap_survival=lambda e, n: LAWS["gap_survival"](e, n) * (1 - ball(2) ** -45))
    assert decide(gap_law.gap_distribution(ONE_GAP)) == "fails"


def test_means_of_the_largest_are_the_known_ones() -> None:
    with precision():
        means = [near(gap_law.mean_of_largest(n)) for n in (2, 3)]
    assert means == pytest.approx([1 / math.sqrt(math.pi), 1.5 / math.sqrt(math.pi)], rel=1e-15)


def test_lemma_5_catches_a_mean_that_is_a_little_larger(put: Any) -> None:
    mean = gap_law.mean_of_largest
    put(mean_of_largest=lambda n: 1.02 * mean(n))  # from 2 to 5 the bound has 1.2 % of room
    assert decide(gap_law.lemma_5(LEMMA_5)) == "fails"


@pytest.mark.parametrize(
    ("what", "name", "mutant"),
    [
        ("rise", "gap_density", lambda e, n: LAWS["gap_density"](ball(1) - e, n)),
        ("equation (1)", "gap_density_printed", lambda e, n: LAWS["gap_density_printed"](e, n + 1)),
        ("slope", "gap_survival", lambda e, n: LAWS["gap_survival"](e, n) * 1.001),
    ],
)
def test_another_density_or_slope_is_caught_whatever_the_library_says(
    what: str, name: str, mutant: Any, put: Any
) -> None:
    put(certified_laws, **{name: mutant})
    points = gap_law.gap_density(ONE_DENSITY)
    assert decide([point for point in points if point.where["what"] == what]) == "fails"


def test_the_conversion_catches_a_factor_a_thousandth_too_small(put: Any) -> None:
    put(math, comb=lambda n, k: 0.999 * n * (n - 1) / 2)
    assert decide(gap_law.conversion(CONVERSION)) == "fails"


def test_vacuous_points_are_left_out() -> None:
    points = gap_law.conversion({"n": [100], "e": [0.0001, 1.0]})
    assert {point.where["e"] for point in points} == {0.0001}
