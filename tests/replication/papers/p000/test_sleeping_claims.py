"""Claims about experts that sleep: each gives its verdict, and another one when something is wrong."""

from typing import Any

import numpy as np

from private_experts.algorithms.sleeping_hedge import SleepingHedge
from private_experts.algorithms.sleeping_softmax import SleepingSoftmax
from private_experts.replication.ledger.evidence import decide
from private_experts.replication.papers.p000 import sleeping
from tests.each import each
from tests.replication.papers.small_checks import SEED, found, verdict

HEDGE = {"pattern": ["alone", "leaving"], "n": [4], "T": [200], "eta": [0.5]}
SOFTMAX = {"pattern": ["alone", "leaving"], "n": [4], "T": [200], "beta": [0.1]}


def test_the_bounds_hold_and_uniform_play_breaks_them() -> None:
    for check, grid in ((sleeping.sleeping_hedge, HEDGE), (sleeping.sleeping_softmax, SOFTMAX)):
        points = check(grid, 200, SEED)
        assert decide(points) == "holds"
        for kind in HEDGE["pattern"]:
            assert any(point.lazy_fails for point in points if point.where["pattern"] == kind)


class Credited(SleepingHedge):
    """Credits reports as they are, so who was awake for long leads."""

    def update(self, report: Any) -> None:
        self._totals[:, self._awake] += report.values
        self._actions = None


class Deaf(SleepingSoftmax):
    """Learns nothing."""

    def update(self, gains: Any) -> None:
        self._round += 1
        self._actions = None


@each(
    ("check", "grid", "mutants"),
    [
        (sleeping.sleeping_hedge, HEDGE | {"pattern": ["alone"]}, {"SleepingHedge": Credited}),
        (sleeping.sleeping_softmax, SOFTMAX, {"SleepingSoftmax": Deaf}),
    ],
)
def test_learners_that_credit_wrongly_are_caught(check: Any, grid: Any, mutants: Any) -> None:
    assert verdict(check, grid, 200, **mutants) == "fails"


def test_the_chance_counts_all_experts_at_once() -> None:
    """Two experts that exceed their bounds in other copies add up."""
    regrets = sleeping.regrets

    def raised(*game: Any) -> Any:
        total = regrets(*game)
        half = len(total) // 10
        total[:half, 0], total[half : 2 * half, 1] = 1e3, 1e3  # each of them in a tenth of the copies
        return total

    points = found(sleeping.sleeping_softmax, SOFTMAX, 400, regrets=raised)
    chances = [point for point in points if point.where["of"] != "mean"]
    assert all(point.value >= 0.2 for point in chances)
    assert decide(chances) == "fails"


def test_uniform_play_has_the_regret_that_is_called_lazy() -> None:
    for kind in ("alone", "turns", "contrary"):
        awake, gains = sleeping.pattern(kind, 4, 60, SEED)
        played = sleeping._uniform(kind, awake, gains, 4000, np.random.default_rng(SEED))
        error = played.std(axis=0) / np.sqrt(4000) + 1e-9
        assert (np.abs(played.mean(axis=0) - sleeping.unlearned(kind, awake, gains)) < 5 * error).all()
