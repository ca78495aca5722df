"""Exponential weights keep their bounds if learners react; other rates, and smaller costs, do not."""

from functools import partial
from typing import Any

import numpy as np

from private_experts.algorithms.credited_leader import CreditedLeader
from private_experts.algorithms.hedge_bounds import round_cost
from private_experts.algorithms.hedge_meta import HedgeMeta
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import hedge_meta_regret as checks
from private_experts.replication.papers.p000.hedge_counts import Counted
from private_experts.replication.papers.p000.worst_against_weights import worst_against_weights
from tests.each import each
from tests.replication.papers.small_checks import failing, found, times, verdict

independence = checks.theorem_3_independence
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
AGREEING = PLAYED | {"learners": ["agreeing"], "eta": [[1.0, 1.0], [1.0, 0.25], [0.25, 1.0]], "m": [2, 3]}
CONTRARY = PLAYED | {"learners": ["contrary"], "T": [100]}
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


def test_the_bounds_hold_and_agreeing_learners_make_them_small() -> None:
    points = found(independence, PLAYED | {"rate": RATES}, 4800)
    assert decide(points) == "holds"
    assert all(not point.vacuous for point in points)
    points = found(independence, AGREEING | {"rate": RATES}, 600)
    assert decide(points) == "holds"
    assert sum(point.where["what"] == "share of textbook" for point in points) == 12


@each("rate", RATES)
@each("learners", ["steady", "agreeing"])
def test_counts_that_are_too_large_are_caught(rate: str, learners: str) -> None:
    play = partial(found, independence, PLAYED | {"rate": [rate], "learners": [learners]}, 300)
    wrong = failing(play(HedgeMeta=OfExperts), "what")
    assert ("share of textbook" in wrong) == (learners == "agreeing")
    assert "counted disagreement" in wrong
    assert "counted bound" in failing(play(HedgeMeta=counting(1 + 1e-6)), "what")
    if learners == "steady":  # where both count too much, the formula of the theorem does not
        both = {"HedgeMeta": counting(3.0), "Counted._cost": times(3, Counted._cost)}
        assert failing(play(**both), "what") == {"formula"}


def charged(factor: float) -> Any:
    return lambda rate, eta, rounds, per_unit, share=1.0: worst_against_weights(
        rate, eta, rounds, per_unit, factor * share
    )


@each(
    ("check", "grid", "repetitions", "of", "mutants", "expected"),
    [
        (independence, PLAYED, 2400, {}, {"HedgeMeta": Slower}, "fails"),
        (independence, CONTRARY, 600, {}, {"HedgeMeta": Common}, "fails"),  # learners foresee its choices
        (
            checks.independence_round,
            ROUND,
            2,
            {"what": "round"},
            {"_cost": times(0.9995, checks._cost)},
            "fails",
        ),
        (
            checks.independence_round,
            ROUND,
            2,
            {"what": "sharp"},
            {"_cost": times(1.0002, checks._cost)},
            "fails",
        ),
        (checks.independence_round, ROUND, 2, {}, {"round_cost": times(1 + 1e-6, round_cost)}, "fails"),
        (checks.independence_worst, WORST, 2, {}, {"worst_against_weights": charged(0.95)}, "fails"),
        (checks.independence_worst, WORST, 2, {}, {"worst_against_weights": charged(1.1)}, "fails"),
        (checks.textbook_or_fresh, BOUNDS, 2, {}, {}, "holds"),
        (checks.textbook_or_fresh, SWAPPED, 2, {}, {}, "fails"),
        *(
            (checks.textbook_or_fresh, BOUNDS, 2, {}, {name: times(1.001, getattr(checks, name))}, "fails")
            for name in ("textbook_bound", "textbook_rate")
        ),
    ],
)
def test_it_holds_and_what_is_wrong_is_caught(
    check: Any, grid: Any, repetitions: int, of: Any, mutants: Any, expected: str
) -> None:
    assert verdict(check, grid, repetitions, of=of, **mutants) == expected


def test_one_round_and_the_worst_pair_keep_their_bounds_and_come_close() -> None:
    points = [*checks.independence_round(ROUND), *checks.independence_worst(WORST)]
    assert decide(points) == "holds"
    assert all(point.certified for point in points)
    assert sum(point.where["what"] == "sharp" for point in points) == 4
