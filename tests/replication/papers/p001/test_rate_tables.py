"""The checks of rates give their verdicts, and others on something wrong."""

from typing import Any

from private_experts.private_oco.gaussian_accounting import every_round_parameters
from private_experts.private_oco.parameters import lazy_regret
from private_experts.replication.balls.balls import exp
from private_experts.replication.ledger.checking import points_of
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import rate_tables
from private_experts.replication.papers.p001.predecessors import (
    cover_regret,
    private_leader_regret,
    smooth_regret,
)
from private_experts.replication.papers.p001.rate_tables import _closed, _crossing
from tests.each import each
from tests.replication.papers.p001.mutants import put

PLAYED = {
    "tolerance": 0.25,
    "cases": [
        {
            "algorithm": "every round",
            "at": {"T": 300, "d": 1, "knob": 8.0},
            "vary": {"knob": [-1.0, 4.0, 8.0, 16.0], "d": [0.5, 1, 4]},
        }
    ],
}
COLUMNS = {"cases": [[0.25, 0.1], [0.1, 0.2]], "log10_T": [100, 140], "delta": 1e-6, "tolerance": 0.01}
RATES = COLUMNS | {"cases": [["1", 0.25, 0.1], ["2", 0.5, 0.2], ["2, smooth predecessor", 0.5, 0.2]]}
TABLE_1 = rate_tables.COLUMNS
CROSSING = {"d": [1, 10**6], "log10_T": [100, 140], "decades": [0.1, 8], "delta": 1e-6, "tolerance": 0.01}


def at_power(power: float) -> Any:
    return lambda horizon, dimension, level: every_round_parameters(horizon, dimension, level**power)


def elsewhere(horizon: float, dimension: float, level: float) -> float:
    return private_leader_regret(horizon, dimension**1.2, level)


@each(
    ("check", "grid", "mutants", "found"),
    [
        ("played", PLAYED, {}, "holds"),
        ("played", PLAYED, {"every_round_parameters": at_power(0.6)}, "fails"),
        ("columns", COLUMNS, {}, "holds"),
        ("rates", RATES, {}, "holds"),
        ("crossing", CROSSING, {}, "holds"),
        ("crossing", CROSSING, {"private_leader_regret": elsewhere}, "fails"),
        ("crossing", CROSSING, {"_crossing": lambda *given: 0.999 * _crossing(*given)}, "undecided"),
        ("crossing", CROSSING, {"_crossing": lambda *given: 1.001 * _crossing(*given)}, "undecided"),
    ],
)
def test_they_hold_and_what_is_wrong_is_caught(check: str, grid: Any, mutants: Any, found: str) -> None:
    with put(rate_tables, **mutants):
        assert decide(points_of(getattr(rate_tables, check), grid, 40, 1)) == found


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
    with put(rate_tables, COLUMNS={column: TABLE_1[column]._replace(bound=bound)}):
        assert decide(rate_tables.columns(COLUMNS)) == "fails"


@each("column", rate_tables.COLUMNS)
def test_an_exact_bound_that_grows_at_another_rate_is_caught(column: str) -> None:
    faster = TABLE_1[column]._replace(exact=lambda t, *rest: exp(t / 50) * TABLE_1[column].exact(t, *rest))
    with put(rate_tables, COLUMNS={column: faster}):
        slopes = [point for point in rate_tables.columns(COLUMNS) if "formula" not in point.where["side"]]
    assert decide(slopes) == "fails"


@each(
    ("table", "changed"),
    [
        ("1", {"bound": lambda t, d, epsilon, delta: _closed(t, d, epsilon**2, delta)}),
        ("2", {"bound": lambda t, d, s, _: lazy_regret(t, d, s**1.1)}),
        ("2", {"exact": rate_tables.TABLES["2, smooth predecessor"].exact}),
        ("2, smooth predecessor", {"exact": rate_tables.TABLES["2"].exact}),
    ],
)
def test_another_rate_of_a_table_is_caught(table: str, changed: Any) -> None:
    with put(rate_tables, TABLES=rate_tables.TABLES | {table: rate_tables.TABLES[table]._replace(**changed)}):
        assert decide(rate_tables.rates(RATES)) == "fails"
