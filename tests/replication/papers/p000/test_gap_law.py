"""The law of the gap in ball arithmetic: the checks hold, and small defects of either route are caught."""

import functools
import math
from collections.abc import Callable
from typing import Any

import pytest

from private_experts.replication.balls.balls import Ball, ball, flint, near, precision
from private_experts.replication.papers.p000 import certified_laws, gap_law
from private_experts.walks.gap import density, distribution
from tests.each import each
from tests.replication.papers.small_checks import times, verdict

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
# each integral once for all tests
LAWS = {f"certified_laws.{name}": once(getattr(certified_laws, name)) for name in NAMES}
RIGHT = {name: LAWS[f"certified_laws.{name}"] for name in NAMES}


def digits_lost(e: float, n: int) -> Any:
    return distribution(e, n, 1 + 1e-9)


def constant_off(e: float, n: int) -> Any:
    return distribution(e, n) + 1e-9


def nearly(e: Ball, n: int) -> Ball:
    return RIGHT["gap_survival"](e, n) * (1 - ball(2) ** -45)


@each(
    ("check", "grid", "of", "mutants", "expected"),
    [
        (gap_law.lemma_5, LEMMA_5, {}, {}, "holds"),
        # from 2 to 5 the bound has 1.2 % of room
        (gap_law.lemma_5, LEMMA_5, {}, {"mean_of_largest": times(1.02, gap_law.mean_of_largest)}, "fails"),
        (gap_law.gap_distribution, {"n": [2, 10], "e": [0.1, 2.0]}, {}, {}, "holds"),
        (gap_law.gap_distribution, ONE_GAP, {}, {"distribution": digits_lost}, "fails"),
        (gap_law.gap_distribution, ONE_GAP, {}, {"certified_laws.gap_survival": nearly}, "fails"),
        (gap_law.gap_density, DENSITY, {}, {}, "holds"),
        *(
            (gap_law.gap_density, ONE_DENSITY, {"what": what}, {"distribution": constant_off}, "fails")
            for what in ("distribution", "closed form")
        ),
        (gap_law.gap_density, ONE_DENSITY, {}, {"density": times(1 + 1e-9, density)}, "fails"),
        # another density or slope, whatever the library says
        *(
            (gap_law.gap_density, ONE_DENSITY, {"what": what}, {f"certified_laws.{name}": mutant}, "fails")
            for what, name, mutant in (
                ("rise", "gap_density", lambda e, n: RIGHT["gap_density"](ball(1) - e, n)),
                ("equation (1)", "gap_density_printed", lambda e, n: RIGHT["gap_density_printed"](e, n + 1)),
                ("slope", "gap_survival", times(1.001, RIGHT["gap_survival"])),
            )
        ),
        (gap_law.conversion, CONVERSION, {}, {}, "holds"),
        (gap_law.conversion, CONVERSION, {}, {"math.comb": lambda n, k: 0.999 * n * (n - 1) / 2}, "fails"),
    ],
)
def test_it_holds_and_another_law_is_caught(
    check: Any, grid: Any, of: Any, mutants: Any, expected: str
) -> None:
    assert verdict(check, grid, of=of, **LAWS | mutants) == expected


def test_means_of_the_largest_are_the_known_ones() -> None:
    with precision():
        means = [near(gap_law.mean_of_largest(n)) for n in (2, 3)]
    assert means == pytest.approx([1 / math.sqrt(math.pi), 1.5 / math.sqrt(math.pi)], rel=1e-15)


def test_vacuous_points_are_left_out() -> None:
    points = gap_law.conversion({"n": [100], "e": [0.0001, 1.0]})
    assert {point.where["e"] for point in points} == {0.0001}
