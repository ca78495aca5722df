"""Exponential weights keep their bounds if learners react; other rates, and smaller costs, do not."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms import hedge_meta
from private_experts.algorithms.credited_leader import CreditedLeader
from private_experts.algorithms.hedge_bounds import round_cost
from private_experts.algorithms.hedge_meta import HedgeMeta
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import hedge_meta_regret as checks
from private_experts.replication.papers.p000.hedge_counts import Counted
from private_experts.replication.papers.p000.worst_against_weights import worst_against_weights

CHECKED = checks
SEED = 1
# Parts of the claims' own grids.
PLAYED: dict[str, Any] = {
    "rate": ["textbook"],
    "learners": ["steady"],
    "m": [2],
    "eta": [[1.0, 1.0]],
    "T": [50],
    "every": 25,
    "share": {"adaptive": 0.61, "textbook": 0.52},
}
ROUND: dict[str, Any] = {
    "rate": [0.25, 1.0],
    "eta": [[0.0, 0.0], [1.0, 1.0], [1.0, 0.5]],
    "exponent": [1, 2, 40],
    "sharp": 0.9999,
}
WORST: dict[str, Any] = {
    "r, eta, T, attained": [[0.125, 0.0, 400, 0.99], [0.25, 0.5, 100, 0.94]],
    "r, eta, T": [[0.125, 0.0, 400]],
    "less": 0.95,
}
BOUNDS: dict[str, Any] = {"m, T, eta, smaller": [[13, 3200, 0.5, "textbook"], [13, 147, 1.0, "fresh"]]}


def times(factor: float) -> type[HedgeMeta]:
    """A rate that is played, and another one that is counted."""

    class Other(HedgeMeta):
        def _extra(self) -> Any:
            return super()._extra() / factor

    return Other


class Common(HedgeMeta):
    """Adds the same noise to all learners: it follows the leader of the credits."""

    def _extra(self) -> Any:
        return super()._extra()[:, :1]


def test_the_bounds_hold() -> None:
    points = checks.theorem_3_independence(PLAYED | {"rate": ["adaptive", "textbook"]}, 4800, SEED)
    assert decide(points) == "holds"
    assert all(not point.vacuous for point in points)


AGREEING = PLAYED | {"learners": ["agreeing"], "eta": [[1.0, 1.0], [1.0, 0.25], [0.25, 1.0]], "m": [2, 3]}


def failed(points: list[Any]) -> set[str]:
    return {point.where["what"] for point in points if decide([point]) == "fails"}


@pytest.mark.parametrize("rate", ["adaptive", "textbook"])
def test_agreeing_learners_make_the_bound_small(rate: str) -> None:
    points = checks.theorem_3_independence(AGREEING | {"rate": [rate]}, 600, SEED)
    assert decide(points) == "holds"
    assert sum(point.where["what"] == "share of textbook" for point in points) == 6


class OfExperts(HedgeMeta):
    """Counts as if all experts were played with equal probability."""

    def update(self, report: Any) -> None:
        rates = self.rates
        CreditedLeader.update(self, report)
        law = np.full(report.values.shape, 0.5)
        self.cost = self.cost + round_cost(rates, law, report.scale)
        self.disagreement = self.disagreement + 0.5


@pytest.mark.parametrize("rate", ["adaptive", "textbook"])
@pytest.mark.parametrize("learners", ["steady", "agreeing"])
def test_counts_that_are_too_large_are_caught(
    rate: str, learners: str, put: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = PLAYED | {"rate": [rate], "learners": [learners]}
    put(HedgeMeta=OfExperts)
    found = failed(checks.theorem_3_independence(game, 300, SEED))
    assert ("share of textbook" in found) == (learners == "agreeing")
    assert {"counted disagreement"} <= found
    put(HedgeMeta=HedgeMeta)
    monkeypatch.setattr(hedge_meta, "round_cost", lambda *given: (1 + 1e-6) * round_cost(*given))
    assert "counted bound" in failed(checks.theorem_3_independence(game, 300, SEED))


@pytest.mark.parametrize("rate", ["adaptive", "textbook"])
def test_costs_beyond_the_formula_are_caught_though_both_count_them(
    rate: str, put: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted = Counted._cost
    monkeypatch.setattr(Counted, "_cost", lambda *given: 3 * counted(*given))
    monkeypatch.setattr(hedge_meta, "round_cost", lambda *given: 3 * round_cost(*given))
    assert failed(checks.theorem_3_independence(PLAYED | {"rate": [rate]}, 300, SEED)) == {"formula"}


def test_the_bounds_catch_rates_that_are_smaller_than_what_is_counted(put: Any) -> None:
    put(HedgeMeta=times(0.85))
    assert decide(checks.theorem_3_independence(PLAYED, 2400, SEED)) == "fails"


def test_the_bounds_catch_choices_that_learners_foresee(put: Any) -> None:
    put(HedgeMeta=Common)
    game = PLAYED | {"learners": ["contrary"], "T": [100]}
    assert decide(checks.theorem_3_independence(game, 600, SEED)) == "fails"


def test_one_round_holds_and_is_sharp() -> None:
    points = checks.independence_round(ROUND)
    assert decide(points) == "holds"
    assert all(point.certified for point in points)
    assert sum(point.where["what"] == "sharp" for point in points) == 4


@pytest.mark.parametrize("factor", [0.9995, 1.0002])
def test_one_round_catches_a_cost_that_is_off_by_little(factor: float, put: Any) -> None:
    formula: Callable[..., Any] = checks._cost
    put(_cost=lambda *given: factor * formula(*given))
    points = checks.independence_round(ROUND)
    assert decide([point for point in points if point.where["what"] != "library"]) == "fails"


def test_one_round_catches_a_library_that_is_off_by_a_millionth(put: Any) -> None:
    put(round_cost=lambda *given: (1 + 1e-6) * round_cost(*given))
    assert decide(checks.independence_round(ROUND)) == "fails"


def test_the_worst_pair_keeps_the_bound_and_comes_close() -> None:
    points = checks.independence_worst(WORST)
    assert decide(points) == "holds"
    assert all(point.certified for point in points)


@pytest.mark.parametrize("factor", [0.95, 1.1])
def test_the_worst_pair_catches_other_costs(factor: float, put: Any) -> None:
    def other(rate: float, eta: float, rounds: int, per_unit: int, charged: float = 1.0) -> Any:
        return worst_against_weights(rate, eta, rounds, per_unit, factor * charged)

    put(worst_against_weights=other)
    assert decide(checks.independence_worst(WORST)) == "fails"


def test_the_textbook_bound_is_that_of_the_library_and_smaller_where_it_says() -> None:
    assert decide(checks.textbook_or_fresh(BOUNDS)) == "holds"
    swapped = {"m, T, eta, smaller": [[13, 3200, 0.5, "fresh"]]}
    assert decide(checks.textbook_or_fresh(swapped)) == "fails"


@pytest.mark.parametrize("name", ["textbook_bound", "textbook_rate"])
def test_another_textbook_is_caught(name: str, put: Any) -> None:
    right = getattr(checks, name)
    put(**{name: lambda noise, m: 1.001 * right(noise, m)})
    assert decide(checks.textbook_or_fresh(BOUNDS)) == "fails"
