"""The checks of rates give their verdicts, and others on something wrong."""

from typing import Any

from private_experts.private_oco.gaussian_accounting import every_round_parameters
from private_experts.private_oco.parameters import lazy_regret
from private_experts.replication.balls.balls import exp
from private_experts.replication.papers.p001 import rate_tables
from private_experts.replication.papers.p001.predecessors import (
    cover_regret,
    private_leader_regret,
    smooth_regret,
)
from private_experts.replication.papers.p001.rate_tables import _closed, _crossing, columns, crossing, rates
from tests.each import each
from tests.replication.papers.small_checks import failing, found, times, verdict

CASE = {
    "algorithm": "every round",
    "at": {"T": 300, "d": 1, "knob": 8.0},
    "vary": {"knob": [-1.0, 4.0, 8.0, 16.0], "d": [0.5, 1, 4]},
}
PLAYED = {"tolerance": 0.25, "cases": [CASE]}
COLUMNS = {"cases": [[0.25, 0.1], [0.1, 0.2]], "log10_T": [100, 140], "delta": 1e-6, "tolerance": 0.01}
RATES = COLUMNS | {"cases": [["1", 0.25, 0.1], ["2", 0.5, 0.2], ["2, smooth predecessor", 0.5, 0.2]]}
CROSSING = {"d": [1, 10**6], "log10_T": [100, 140], "decades": [0.1, 8], "delta": 1e-6, "tolerance": 0.01}
TABLE_1, TABLES = rate_tables.COLUMNS, rate_tables.TABLES


def at_another_power(horizon: float, dimension: float, level: float) -> Any:
    return every_round_parameters(horizon, dimension, level**0.6)


def elsewhere(horizon: float, dimension: float, level: float) -> float:
    return private_leader_regret(horizon, dimension**1.2, level)


@each(
    ("check", "grid", "mutants", "expected"),
    [
        (rate_tables.played, PLAYED, {}, "holds"),
        (rate_tables.played, PLAYED, {"every_round_parameters": at_another_power}, "fails"),
        (columns, COLUMNS, {}, "holds"),
        (rates, RATES, {}, "holds"),
        (crossing, CROSSING, {}, "holds"),
        (crossing, CROSSING, {"private_leader_regret": elsewhere}, "fails"),
        (crossing, CROSSING, {"_crossing": times(0.999, _crossing)}, "undecided"),
        (crossing, CROSSING, {"_crossing": times(1.001, _crossing)}, "undecided"),
    ],
)
def test_they_hold_and_what_is_wrong_is_caught(check: Any, grid: Any, mutants: Any, expected: str) -> None:
    assert verdict(check, grid, 40, **mutants) == expected


@each(
    ("column", "bound"),
    [
        ("smooth predecessor", lambda t, d, epsilon, delta: smooth_regret(t, d**0.9, epsilon, delta)),
        ("cover", lambda t, d, epsilon, delta: cover_regret(t, d, epsilon**1.1, delta)),
        ("leader", lambda t, d, epsilon, delta: private_leader_regret(t, d**1.3, epsilon)),
        ("P-COMW", lambda t, d, epsilon, delta: t**0.02 * _closed(t, d, epsilon, delta)),
    ],
)
def test_a_bound_that_grows_at_another_rate_is_caught(column: str, bound: Any) -> None:
    assert verdict(columns, COLUMNS, COLUMNS={column: TABLE_1[column]._replace(bound=bound)}) == "fails"


@each("column", TABLE_1)
def test_an_exact_bound_that_grows_at_another_rate_is_caught(column: str) -> None:
    faster = TABLE_1[column]._replace(exact=lambda t, *rest: exp(t / 50) * TABLE_1[column].exact(t, *rest))
    points = found(columns, COLUMNS, COLUMNS={column: faster})
    assert any("formula" not in side for side in failing(points, "side"))


@each(
    ("table", "changed"),
    [
        ("1", {"bound": lambda t, d, epsilon, delta: _closed(t, d, epsilon**2, delta)}),
        ("2", {"bound": lambda t, d, s, _: lazy_regret(t, d, s**1.1)}),
        ("2", {"exact": TABLES["2, smooth predecessor"].exact}),
        ("2, smooth predecessor", {"exact": TABLES["2"].exact}),
    ],
)
def test_another_rate_of_a_table_is_caught(table: str, changed: Any) -> None:
    changed_tables = TABLES | {table: TABLES[table]._replace(**changed)}
    assert verdict(rates, RATES, TABLES=changed_tables) == "fails"
