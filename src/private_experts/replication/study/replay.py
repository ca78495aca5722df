"""RW-Meta on advice that is known for all rounds: credits and covariances are summed once for all variants."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from private_experts.algorithms.known_advice import credits_before, leaders
from private_experts.algorithms.rw_meta import Decorrelation
from private_experts.arrays import Array, Indices
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.reports import Reports


@dataclass(frozen=True)
class Advice:
    """What the learners advised in a game at one privacy level, and what they heard."""

    actions: Indices  # (T, m, repetitions or 1); the last of the m learners is RW-FTPL
    reports: list[Reports]
    guarantee: GaussianDP

    @property
    def scales(self) -> Array:
        """The largest noise of the reports of each week, shape (T,)."""
        return np.array([report.largest_scale for report in self.reports])

    def everyone(self, repetitions: int) -> Indices:
        """Return the actions of all repetitions, shape (T, m, repetitions)."""
        return np.broadcast_to(self.actions, (*self.actions.shape[:2], repetitions))

    @cached_property
    def credits(self) -> Array:
        """The credit of each learner before each round, shape (T, repetitions, m)."""
        return credits_before(self.actions, self.reports)[:-1]


def chosen(
    advice: Advice, choices: Mapping[str, tuple[Decorrelation, np.random.Generator]], repetitions: int
) -> dict[str, Indices]:
    """Return what variants of RW-Meta play on some advice, each of shape (T, repetitions)."""
    _, m, rows = advice.actions.shape
    nothing = np.zeros((rows, m, m))
    found, _ = leaders(advice.actions, advice.reports, advice.credits, nothing, choices, repetitions=repetitions)
    everyone = advice.everyone(repetitions)
    return {name: np.take_along_axis(everyone, named[:, None], axis=1)[:, 0] for name, named in found.items()}
