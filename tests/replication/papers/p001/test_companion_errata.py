"""The steps that are wrong fail, the mended ones hold, and what is only nearly mended fails too."""

from typing import Any

import pytest

from private_experts.private_oco.closeness import draw_probability
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p001 import companion_errata
from tests.each import each

CROSS = {"a": [0.1, 1.0], "c": [0.1, 0.5]}
BUDGET = {"T": [10, 1000], "log_phi": [1e-4, 0.3]}
DELTA = {"minus_log_delta": [0.6931471805599453, 14.0, 460.0], "times": [1, 3]}
MENDED = "T^(2/3) >= log(18 T / delta)"


@each(("factor", "verdict"), [(1, "fails"), (1.99, "fails"), (2, "holds")])
def test_two_is_the_least_factor_without_a_cross_term(factor: float, verdict: str) -> None:
    assert decide(companion_errata.cross_term(CROSS | {"factor": factor}, 2, 1)) == verdict


@each(("coefficient", "verdict"), [(2, "fails"), (5.99, "fails"), (6, "holds")])
def test_six_is_the_least_coefficient(coefficient: float, verdict: str) -> None:
    assert decide(companion_errata.budget_term(BUDGET | {"coefficient": coefficient}, 2, 1)) == verdict


def test_more_draws_than_stated_are_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    right = companion_errata.draw_chance
    monkeypatch.setattr(companion_errata, "draw_chance", lambda log_phi, p: 1.001 * right(log_phi, p))
    assert decide(companion_errata.budget_term(BUDGET | {"coefficient": 6}, 2, 1)) == "fails"


def test_a_library_with_other_draws_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        companion_errata, "draw_probability", lambda log_phi, p: (1 + 1e-9) * draw_probability(log_phi, p)
    )
    assert decide(companion_errata.budget_term(BUDGET | {"coefficient": 6}, 2, 1)) == "fails"


def test_the_condition_on_t_is_mended() -> None:
    assert decide(companion_errata.delta_terms(DELTA | {"condition": "T >= 12 log(1/delta)"}, 2, 1)) == "fails"
    assert decide(companion_errata.delta_terms(DELTA | {"condition": MENDED}, 2, 1)) == "holds"


def test_each_of_the_two_counterexamples_is_one() -> None:
    printed = {"condition": "T >= 12 log(1/delta)", "times": [1]}
    for minus_log in (0.6931471805599453, 460.0):
        points = companion_errata.delta_terms(printed | {"minus_log_delta": [minus_log]}, 2, 1)
        assert all(decide([point]) == "fails" for point in points)
    points = companion_errata.delta_terms(printed | {"minus_log_delta": [14.0]}, 2, 1)
    assert decide(points) == "holds"  # in between it is enough


def test_a_round_less_is_caught(monkeypatch: pytest.MonkeyPatch) -> None:
    least: Any = companion_errata._least
    monkeypatch.setattr(companion_errata, "_least", lambda *arguments: least(*arguments) - 1)
    assert decide(companion_errata.delta_terms(DELTA | {"condition": MENDED}, 2, 1)) == "fails"
