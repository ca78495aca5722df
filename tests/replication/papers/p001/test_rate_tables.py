"""The checks of rates give their verdicts, and others on something wrong."""

from typing import Any

import pytest

from private_experts.private_oco.parameters import lazy_regret
from private_experts.private_oco.predecessors import cover_regret, private_leader_regret, smooth_regret
from private_experts.replication.balls.balls import exp
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import rate_tables

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
CROSSING = {"d": [1, 10**6], "log10_T": [100, 140], "decades": [0.1, 8], "delta": 1e-6, "tolerance": 0.01}


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that puts something else in the place of what the checks use."""
    return lambda name, value: monkeypatch.setattr(rate_tables, name, value)


def test_they_hold() -> None:
    assert decide(rate_tables.played(PLAYED, 40, 1)) == "holds"
    assert decide(rate_tables.columns(COLUMNS, 2, 1)) == "holds"
    assert decide(rate_tables.rates(RATES, 2, 1)) == "holds"
    assert decide(rate_tables.crossing(CROSSING, 2, 1)) == "holds"


@pytest.mark.parametrize("power", [0.6, 1.5])
def test_a_play_at_another_level_than_stated_is_caught(power: float, put: Any) -> None:
    exact = rate_tables.every_round_parameters
    put("every_round_parameters", lambda horizon, dimension, level: exact(horizon, dimension, level**power))
    assert decide(rate_tables.played(PLAYED, 40, 1)) == "fails"


def grows_otherwise(table: Any, name: str, monkeypatch: pytest.MonkeyPatch, **changed: Any) -> None:
    monkeypatch.setitem(table, name, table[name]._replace(**changed))


@pytest.mark.parametrize(
    ("column", "bound"),
    [
        ("smooth predecessor", lambda t, d, epsilon, delta: smooth_regret(t, d**0.9, epsilon, delta)),
        ("cover", lambda t, d, epsilon, delta: cover_regret(t, d, epsilon**1.1, delta)),
        ("leader", lambda t, d, epsilon, delta: private_leader_regret(t, d**1.3, epsilon)),
        ("P-COMW", lambda t, d, epsilon, delta: t**0.02 * rate_tables._closed(t, d, epsilon, delta)),
    ],
)
def test_a_bound_that_grows_at_another_rate_is_caught(column: str, bound: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    grows_otherwise(rate_tables.COLUMNS, column, monkeypatch, bound=bound)
    assert decide(rate_tables.columns(COLUMNS, 2, 1)) == "fails"


@pytest.mark.parametrize("column", rate_tables.COLUMNS)
def test_an_exact_bound_that_grows_at_another_rate_is_caught(column: str, monkeypatch: pytest.MonkeyPatch) -> None:
    exact = rate_tables.COLUMNS[column].exact
    grows_otherwise(rate_tables.COLUMNS, column, monkeypatch, exact=lambda t, *rest: exp(t / 50) * exact(t, *rest))
    slopes = [point for point in rate_tables.columns(COLUMNS, 2, 1) if "formula" not in point.where["side"]]
    assert decide(slopes) == "fails"


@pytest.mark.parametrize(
    ("table", "changed"),
    [
        ("1", {"bound": lambda t, d, *rest: rate_tables._closed(t, d**2, *rest)}),
        ("1", {"bound": lambda t, d, epsilon, delta: rate_tables._closed(t, d, epsilon**2, delta)}),
        ("2", {"bound": lambda t, d, s, _: lazy_regret(t, d**2, s)}),
        ("2", {"bound": lambda t, d, s, _: lazy_regret(t, d, s**1.1)}),
        ("2", {"exact": rate_tables.TABLES["2, smooth predecessor"].exact}),
        ("2, smooth predecessor", {"exact": rate_tables.TABLES["2"].exact}),
    ],
    ids=["d for root d", "epsilon squared", "d for root d, lazy", "S^1.1", "d", "no gain over the predecessor"],
)
def test_another_rate_of_a_table_is_caught(table: str, changed: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    grows_otherwise(rate_tables.TABLES, table, monkeypatch, **changed)
    assert decide(rate_tables.rates(RATES, 2, 1)) == "fails"


def test_a_crossing_elsewhere_is_caught(put: Any) -> None:
    put("private_leader_regret", lambda t, d, level: private_leader_regret(t, d**1.2, level))
    assert decide(rate_tables.crossing(CROSSING, 2, 1)) == "fails"


@pytest.mark.parametrize("factor", [0.999, 1.001])
def test_a_crossing_that_balls_do_not_find_there_proves_nothing(factor: float, put: Any) -> None:
    exact = rate_tables._crossing
    put("_crossing", lambda *given: factor * exact(*given))
    assert decide(rate_tables.crossing(CROSSING, 2, 1)) == "undecided"
