"""The steps that are wrong fail, the mended ones hold, and what is only nearly mended fails too."""

from typing import Any

from private_experts.private_oco.closeness import draw_probability
from private_experts.replication.ledger.checking import points_of
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import companion_errata
from private_experts.replication.papers.p001.companion_errata import _least, draw_chance
from tests.each import each
from tests.replication.papers.p001.mutants import put

CROSS = {"a": [0.1, 1.0], "c": [0.1, 0.5]}
BUDGET = {"T": [10, 1000], "log_phi": [1e-4, 0.3]}
SIX = BUDGET | {"coefficient": 6}
DELTA = {"minus_log_delta": [0.6931471805599453, 14.0, 460.0], "times": [1, 3]}
PRINTED, MENDED = DELTA | {"condition": "T >= 12 log(1/delta)"}, DELTA | {"condition": "T^(2/3) >= log(18 T / delta)"}


@each(
    ("check", "grid", "mutants", "found"),
    [
        ("cross_term", CROSS | {"factor": 1}, {}, "fails"),
        ("cross_term", CROSS | {"factor": 1.99}, {}, "fails"),
        ("cross_term", CROSS | {"factor": 2}, {}, "holds"),
        ("budget_term", BUDGET | {"coefficient": 2}, {}, "fails"),
        ("budget_term", BUDGET | {"coefficient": 5.99}, {}, "fails"),
        ("budget_term", SIX, {}, "holds"),
        ("budget_term", SIX, {"draw_chance": lambda *of: 1.001 * draw_chance(*of)}, "fails"),
        ("budget_term", SIX, {"draw_probability": lambda *of: (1 + 1e-9) * draw_probability(*of)}, "fails"),
        ("delta_terms", PRINTED, {}, "fails"),
        ("delta_terms", PRINTED | {"minus_log_delta": [14.0]}, {}, "holds"),  # in between it is enough
        ("delta_terms", MENDED, {}, "holds"),
        ("delta_terms", MENDED, {"_least": lambda *of: _least(*of) - 1}, "fails"),
    ],
)
def test_nothing_less_than_the_mended_steps_holds(check: str, grid: Any, mutants: Any, found: str) -> None:
    with put(companion_errata, **mutants):
        assert decide(points_of(getattr(companion_errata, check), grid, 2, 1)) == found


@each("minus_log", [0.6931471805599453, 460.0])
def test_each_of_the_two_counterexamples_is_one(minus_log: float) -> None:
    points = companion_errata.delta_terms(PRINTED | {"times": [1], "minus_log_delta": [minus_log]})
    assert all(decide([point]) == "fails" for point in points)
