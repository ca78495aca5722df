"""Learners that react: functions of past reports that look at their credited totals. [000, Section 3.2]"""

from collections.abc import Callable, Sequence

import numpy as np

from private_experts.arrays import Array, Indices
from private_experts.privacy.reports import Reports

Actions = Indices

# Each way to name an expert takes the experts' noisy totals and the latest reports, both (repetitions, n),
# and the learners' last actions (m, repetitions). Where these do not matter it names one for all learners.
WAYS: dict[str, Callable[[Array, Array, Actions], Actions]] = {
    "leader": lambda totals, latest, last: totals.argmax(axis=1),
    "laggard": lambda totals, latest, last: totals.argmin(axis=1),
    "latest winner": lambda totals, latest, last: latest.argmax(axis=1),
    "next": lambda totals, latest, last: (last + 1) % totals.shape[1],
    "first": lambda totals, latest, last: np.zeros_like(last),
    "last": lambda totals, latest, last: np.full_like(last, totals.shape[1] - 1),
}


class Reacting:
    """Learners that act in one of `WAYS` while their credited total is above the mean, else in another."""

    def __init__(self, rules: Sequence[tuple[str, str]], n: int, repetitions: int) -> None:
        self._rules = tuple(rules)
        self._totals = np.zeros((repetitions, n))
        self._latest = np.zeros((repetitions, n))
        # Equal learners would never part, so each starts a trifle behind the one before.
        self._credits = np.repeat(-1e-9 * np.arange(len(self._rules))[:, None], repetitions, axis=1)
        self._actions = np.zeros((len(self._rules), repetitions), dtype=np.intp)
        self._named = False  # whether the actions are those of the coming round

    def predict(self) -> Actions:
        """Return the actions, shape (m, repetitions)."""
        if not self._named:
            ahead = self._credits > self._credits.mean(axis=0)
            # Noisy totals only: a learner that saw true gains would not be covered by the claim, nor by
            # privacy. Each way is taken once, though many learners share it.
            named = {
                way: np.broadcast_to(WAYS[way](self._totals, self._latest, self._actions), ahead.shape)
                for way in {way for ways in self._rules for way in ways}
            }
            for learner, (first, other) in enumerate(self._rules):
                self._actions[learner] = np.where(
                    ahead[learner], named[first][learner], named[other][learner]
                )
            self._named = True
        return self._actions.copy()

    def update(self, report: Reports) -> None:
        """Take in the reports of a round."""
        # Credited with the report of the expert that it named, before the totals change: as RW-Meta credits
        # it.
        self._credits += np.take_along_axis(report.values.T, self.predict(), axis=0)
        self._totals += report.values
        self._latest = report.values
        self._named = False


# Each pair of ways is followed by all learners. [mathematics/000.md#e000-6]
RULES = {
    "contrary": ("laggard", "leader"),  # opposes the leader when ahead
    "wandering": ("next", "leader"),  # takes the experts in turn when ahead
    "chasing": ("latest winner", "leader"),  # follows the latest report when ahead
}


def bank(name: str, m: int, n: int, repetitions: int) -> Reacting:
    """Return m learners of one rule, of all rules in turn (``mixed``), or that do not react (``steady``)."""
    if name == "steady":  # the first always names expert 0, and all others the last expert
        return Reacting([("first", "first")] + [("last", "last")] * (m - 1), n, repetitions)
    rules = list(RULES.values()) if name == "mixed" else [RULES[name]]
    return Reacting([rules[learner % len(rules)] for learner in range(m)], n, repetitions)
