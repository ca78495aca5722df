"""Exponential weights keep their bounds if learners react; other rates, and smaller costs, do not."""

from functools import partial
from typing import Any

import numpy as np

from private_experts.algorithms.credited_leader import CreditedLeader
from private_experts.algorithms.hedge_bounds import round_cost, textbook_bound, textbook_rate
from private_experts.algorithms.hedge_meta import HedgeMeta
from private_experts.replication.papers.p000.hedge_counts import Counted
from private_experts.replication.papers.p000.hedge_meta_regret import _cost as cost
from private_experts.replication.papers.p000.hedge_meta_regret import (
    independence_round,
    independence_worst,
    textbook_or_fresh,
)
from private_experts.replication.papers.p000.hedge_meta_regret import theorem_3_independence as independence
from private_experts.replication.papers.p000.worst_against_weights import worst_against_weights
from tests.each import each
from tests.replication.papers.small_checks import failing, found, times, verdict

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
AGREEING = PLAYED | {"learners": ["agreeing"], "eta": [[1.0, 1.0], [1.0, 0.25], [0.25, 1.0]], "m": [3]}
CONTRARY = PLAYED | {"learners": ["contrary"], "T": [100]}
ROUND: dict[str, Any] = {
    "rate": [0.25, 1.0],
    "eta": [[0.0, 0.0], [1.0, 1.0], [1.0, 0.5]],
    "exponent": [1, 2, 40],
    "sharp": 0.9999,
}
RARE = ROUND | {"rate": [0.25], "eta": [[1.0, 1.0]], "exponent": [1, 40]}
WORST: dict[str, Any] = {
    "r, eta, T, attained": [[0.125, 0.0, 400, 0.99], [0.25, 0.5, 100, 0.94]],
    "r, eta, T": [[0.125, 0.0, 400]],
    "less": 0.95,
}
CHARGED, LESS = WORST | {"r, eta, T": []}, WORST | {"r, eta, T, attained": []}
BOUNDS: dict[str, Any] = {"m, T, eta, smaller": [[13, 3200, 0.5, "textbook"], [13, 147, 1.0, "fresh"]]}
FEW: dict[str, Any] = {"m, T, eta, smaller": [[13, 147, 1.0, "fresh"]]}
SWAPPED: dict[str, Any] = {"m, T, eta, smaller": [[13, 3200, 0.5, "fresh"]]}
RATES = ["adaptive", "textbook"]


class Slower(HedgeMeta):
    """Plays a smaller rate than it counts."""

    def _extra(self) -> Any:
        return super()._extra() / 0.85


class Common(HedgeMeta):
    """Adds the same noise to all learners: it follows the leader of the credits."""

    def _extra(self) -> Any:
        return super()._extra()[:, :1]


class OfExperts(HedgeMeta):
    """Counts as if all experts were played with equal probability."""

    def update(self, report: Any) -> None:
        rates = self.rates
        CreditedLeader.update(self, report)
        law = np.full(report.values.shape, 0.5)
        self.cost = self.cost + round_cost(rates, law, report.scale)
        self.disagreement = self.disagreement + 0.5


def counting(factor: float) -> type[HedgeMeta]:
    """Return an algorithm that counts so many times the cost of a round."""

    class Counting(HedgeMeta):
        def update(self, report: Any) -> None:
            before = self.cost
            super().update(report)
            self.cost = before + factor * (self.cost - before)

    return Counting


def charged(factor: float) -> Any:
    return lambda rate, eta, rounds, per_unit, share=1.0: worst_against_weights(
        rate, eta, rounds, per_unit, factor * share
    )


@each(
    ("check", "grid", "repetitions", "of", "mutants", "expected"),
    [
        (independence, PLAYED | {"rate": RATES}, 2400, {}, {}, "holds"),
        (independence, AGREEING | {"rate": RATES}, 50, {}, {}, "holds"),
        (independence, PLAYED, 1200, {}, {"HedgeMeta": Slower}, "fails"),
        (independence, CONTRARY, 300, {}, {"HedgeMeta": Common}, "fails"),  # learners foresee its choices
        (independence_round, ROUND, 2, {}, {}, "holds"),
        (independence_round, RARE, 2, {"what": "round"}, {"_cost": times(0.9995, cost)}, "fails"),
        (independence_round, RARE, 2, {"what": "sharp"}, {"_cost": times(1.0002, cost)}, "fails"),
        (independence_round, RARE, 2, {}, {"round_cost": times(1 + 1e-6, round_cost)}, "fails"),
        (independence_worst, WORST, 2, {}, {}, "holds"),
        (independence_worst, CHARGED, 2, {}, {"worst_against_weights": charged(0.95)}, "fails"),
        (independence_worst, LESS, 2, {}, {"worst_against_weights": charged(1.1)}, "fails"),
        (textbook_or_fresh, BOUNDS, 2, {}, {}, "holds"),
        (textbook_or_fresh, SWAPPED, 2, {}, {}, "fails"),
        (textbook_or_fresh, FEW, 2, {}, {"textbook_bound": times(1.001, textbook_bound)}, "fails"),
        (textbook_or_fresh, FEW, 2, {}, {"textbook_rate": times(1.001, textbook_rate)}, "fails"),
    ],
)
def test_it_holds_and_what_is_wrong_is_caught(
    check: Any, grid: Any, repetitions: int, of: Any, mutants: Any, expected: str
) -> None:
    assert verdict(check, grid, repetitions, of=of, **mutants) == expected


@each("rate", RATES)
@each("learners", ["steady", "agreeing"])
def test_counts_that_are_too_large_are_caught(rate: str, learners: str) -> None:
    play = partial(found, independence, PLAYED | {"rate": [rate], "learners": [learners]}, 40)
    wrong = failing(play(HedgeMeta=OfExperts), "what")
    assert ("share of textbook" in wrong) == (learners == "agreeing")
    assert "counted disagreement" in wrong
    assert "counted bound" in failing(play(HedgeMeta=counting(1 + 1e-6)), "what")
    if learners == "steady":  # where both count too much, the formula of the theorem does not
        both = {"HedgeMeta": counting(3.0), "Counted._cost": times(3, Counted._cost)}
        assert failing(play(**both), "what") == {"formula"}
