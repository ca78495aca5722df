"""Tables of the normal law are as close as they say, and the trapezoidal rule too."""

import math
from collections.abc import Callable

import numpy as np
import pytest

from private_experts.randomness import rng_for
from private_experts.replication.balls import normal_tables
from private_experts.replication.balls.balls import Ball, ball, normal_cdf, normal_density, precision, upper
from private_experts.replication.balls.normal_tables import WIDTH, cdf, density, stride, trapezoidal
from tests.each import each

Kind = Callable[[], normal_tables.Table]
KINDS: list[tuple[Kind, Callable[[Ball], Ball], float]] = [
    (cdf, normal_cdf, 9.0),
    (density, normal_density, 12.0),
]


def worst(table: normal_tables.Table, true: Callable[[Ball], Ball], x: np.ndarray) -> float:
    with precision():
        pairs = zip(table(x).tolist(), x.tolist(), strict=True)
        return max(upper(abs(value / true(ball(x)) - 1)) for value, x in pairs)


@each(("kind", "true", "high"), KINDS)
def test_a_table_is_as_close_as_it_says_also_at_the_borders_of_cells(
    kind: Kind, true: Callable[[Ball], Ball], high: float
) -> None:
    table, borders = kind(), np.arange(-12.0, high, 17 * WIDTH)
    inside = rng_for(1, "table").uniform(-12, high, 100)
    x = np.concatenate([inside, borders, np.nextafter(borders[1:], -13.0)])
    assert worst(table, true, x) <= upper(table.off) < 1e-14


def test_what_a_shorter_series_leaves_out_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(normal_tables, "_TERMS", 3)
    table = cdf.__wrapped__()  # type: ignore[attr-defined]
    found = worst(table, normal_cdf, np.nextafter(np.arange(-12.0, -10.0, WIDTH), -13.0)[1:])
    assert 0.2 * upper(table.off) < found <= upper(table.off)


def test_the_rounding_of_coefficients_is_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    near = normal_tables.near
    monkeypatch.setattr(normal_tables, "near", lambda x: near(x) * (1 + 1e-9))
    table = normal_tables.table(normal_cdf, -1.0, 1.0)
    assert 1e-10 < worst(table, normal_cdf, np.linspace(-0.9, 0.9, 20)) <= upper(table.off) < 1e-8


def test_beyond_its_range_a_table_says_what_is_lost_and_refuses_what_is_no_number() -> None:
    above, below = [9.5, 40.0, 1e17, 1e18, 1e300, math.inf], [-12.5, -1e300, -math.inf]
    assert cdf()(np.array(above + below)).tolist() == [1.0] * 6 + [0.0] * 3
    assert density()(np.array([12.5, *above[1:], *below])).tolist() == [0.0] * 9
    with pytest.raises(ValueError, match="no number"):
        cdf()(np.array([0.0, math.nan]))
    with pytest.raises(ValueError, match="no number"):
        cdf().rows(np.array([math.nan]), 3)
    with precision():
        assert normal_cdf(ball(-12)) <= cdf().lost
        assert normal_density(ball(12)) <= density().lost
        assert abs(1 - 1 / normal_cdf(ball(9))) <= cdf().off


@each(("kind", "true", "high"), KINDS)
def test_arguments_that_were_rounded_are_allowed_for(
    kind: Kind, true: Callable[[Ball], Ball], high: float
) -> None:
    with precision():
        for x in (-11.9, -3.0, 0.5, high - 0.1):
            apart = abs(kind()(np.array([x]))[0] / true(ball(x) * (1 + ball(2) ** -40)) - 1)
            assert apart <= kind().error(2**13)
        assert kind().error(2**13) > 1e-10 > kind().error(8)


def test_rows_are_the_same_function() -> None:
    starts = rng_for(1, "starts").uniform(-14, 8, 20)
    places = starts[:, None] + 3 * WIDTH * np.arange(200)
    for table in (cdf(), density()):
        assert np.allclose(table.rows(starts, 200, 3), table(places), rtol=1e-13, atol=1e-33)


@each("n", [2, 3, 13, 100])
def test_the_trapezoidal_rule_is_as_close_as_it_says(n: int) -> None:
    cells = stride(n)
    for more in (1, 2):  # with twice the step the error can be seen
        x = np.arange(-10.0, 10.0, more * cells * WIDTH)
        found = more * cells * WIDTH * float((density()(x) * cdf()(x) ** (n - 1)).sum())
        with precision():
            bound = upper(trapezoidal(n, more * cells, ball(1) / n))
        assert abs(found - 1 / n) <= bound + 1e-13
    assert math.isfinite(bound)
    assert bound < 1e-2


def test_the_error_of_the_trapezoidal_rule_is_attained_by_the_normal_density() -> None:
    # by Poisson's formula the error is 2 (q + q^4 + ...), and the bound 2 (q + q^3 + ...)
    for cells in (48, 64):
        found = cells * WIDTH * float(density()(cells * WIDTH * np.arange(-20.0, 21.0)).sum())
        with precision():
            bound = upper(trapezoidal(1, cells))
        assert 0.999 * bound < abs(found - 1) <= bound + 1e-13
