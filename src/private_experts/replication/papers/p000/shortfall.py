"""How much less a choice between learners earns than the best of them, in expectation and in hindsight."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from private_experts.algorithms.credited_leader import CreditedLeader, Learner
from private_experts.arrays import Array, Indices
from private_experts.games.play import play
from private_experts.games.regret import earned
from private_experts.privacy.reports import Reports
from private_experts.replication.ledger.evidence import Point
from private_experts.replication.study.intervals import mean_interval


class ActionRecorder:
    """Learners whose actions are recorded."""

    def __init__(self, learners: Learner) -> None:
        self._learners = learners
        self.actions: list[Indices] = []

    def predict(self) -> Indices:
        """Return the learners' actions, shape (m, repetitions)."""
        self.actions.append(self._learners.predict())
        return self.actions[-1]

    def update(self, report: Reports) -> None:
        """Pass the reports on."""
        self._learners.update(report)


@dataclass(frozen=True)
class Totals:
    """Totals of a play: true gains of the learners (m, repetitions) and of the choice (repetitions,).

    `noise` is what the learners were credited with beyond their true gains. Its mean is zero, because a
    learner names its expert before the noise of the round is drawn.
    """

    learners: Array
    noise: Array
    own: Array


def play_totals(
    learners: Learner, make: Callable[[Learner], CreditedLeader], gains: Array, reports: Iterable[Reports]
) -> Totals:
    """Play a choice between learners on gains (T, n) and their reports, and return what was earned."""
    recorder = ActionRecorder(learners)
    choice = make(recorder)
    own = earned(gains, play(choice, reports)).sum(axis=0)
    gained = earned(gains, np.array(recorder.actions)).sum(axis=0)
    return Totals(gained, choice.totals.T - gained, own)


def regrets(played: Totals, intervals: int) -> dict[str, tuple[float, float, float]]:
    """Return the mean regret with its interval, against the best learner in expectation and in hindsight.

    In expectation, each learner's noise less the mean noise is added: it changes no mean, and cancels most of
    the spread where learners act by their credited totals.
    """
    fair = played.learners - played.own + played.noise - played.noise.mean(axis=0)
    # Jointly over the learners, since which of them is the best is not known but estimated.
    in_expectation = mean_interval(fair, intervals=2 * intervals * len(fair))
    hindsight = mean_interval(played.learners.max(axis=0) - played.own, intervals=2 * intervals)
    # The largest of true means lies between the largest ends.
    mean, low, high = (float(ends.max()) for ends in in_expectation)
    value, least, most = map(float, hindsight)
    return {"expectation": (mean, low, high), "hindsight": (value, least, most)}


def best_totals(learners: Array) -> dict[str, float]:
    """Return the mean total of each kind of best learner, from totals (m, repetitions)."""
    return {
        "expectation": float(learners.mean(axis=1).max()),
        "hindsight": float(learners.max(axis=0).mean()),
    }


def regret_points(
    where: Mapping[str, Any], played: Totals, bounds: Mapping[str, float], intervals: int
) -> list[Point]:
    """Return a point for each kind of best learner; the trivial bound is the best learner's whole total."""
    trivial = best_totals(played.learners)
    return [
        Point(
            {**where, "best": best},
            mean,
            bounds[best],
            low,
            high,
            notes={"share": mean / bounds[best]},
            trivial=trivial[best],
        )
        for best, (mean, low, high) in regrets(played, intervals).items()
    ]
