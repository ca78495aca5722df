"""The checks of rates give their verdicts, and others on something wrong."""

from typing import Any

import pytest

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
CROSSING = {"d": [1, 10**6], "log10_T": [100, 140], "decades": [0.1, 8], "delta": 1e-6, "tolerance": 0.01}


@pytest.fixture
def put(monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return a function that puts something else in the place of what the checks use."""
    return lambda name, value: monkeypatch.setattr(rate_tables, name, value)


def test_they_hold() -> None:
    assert decide(rate_tables.played(PLAYED, 40, 1)) == "holds"
    assert decide(rate_tables.columns(COLUMNS, 2, 1)) == "holds"
    assert decide(rate_tables.crossing(CROSSING, 2, 1)) == "holds"


@pytest.mark.parametrize("power", [0.6, 1.5])
def test_a_play_at_another_level_than_stated_is_caught(power: float, put: Any) -> None:
    exact = rate_tables.every_round_parameters
    put("every_round_parameters", lambda horizon, dimension, level: exact(horizon, dimension, level**power))
    assert decide(rate_tables.played(PLAYED, 40, 1)) == "fails"


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
    monkeypatch.setitem(rate_tables.COLUMNS, column, (bound, rate_tables.COLUMNS[column][1]))
    assert decide(rate_tables.columns(COLUMNS, 2, 1)) == "fails"


@pytest.mark.parametrize("column", rate_tables.EXACT)
def test_an_exact_bound_that_grows_at_another_rate_is_caught(column: str, monkeypatch: pytest.MonkeyPatch) -> None:
    exact = rate_tables.EXACT[column]
    monkeypatch.setitem(rate_tables.EXACT, column, lambda t, *rest: exp(t / 50) * exact(t, *rest))
    slopes = [point for point in rate_tables.columns(COLUMNS, 2, 1) if "formula" not in point.where["side"]]
    assert decide(slopes) == "fails"


def test_a_crossing_elsewhere_is_caught(put: Any) -> None:
    put("private_leader_regret", lambda t, d, level: private_leader_regret(t, d**1.2, level))
    assert decide(rate_tables.crossing(CROSSING, 2, 1)) == "fails"


@pytest.mark.parametrize("factor", [0.999, 1.001])
def test_a_crossing_that_balls_do_not_find_there_proves_nothing(factor: float, put: Any) -> None:
    exact = rate_tables._crossing
    put("_crossing", lambda *given: factor * exact(*given))
    assert decide(rate_tables.crossing(CROSSING, 2, 1)) == "undecided"
