"""RW-Meta on advice that is known for all rounds.

What a learner is credited with does not depend on which learner is followed. So the paper's variants differ in their
extra noise alone: credits, and the covariance of their noise, are computed once for all of them, and the extra noise
of many rounds at once. The choices are those of the library's algorithm with the same generator, which a test holds.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from private_experts.algorithms.rw_meta import Decorrelation, drawn
from private_experts.arrays import Array, Indices
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.reports import Reports

_AT_ONCE = 1000  # covariances of that many rounds and repetitions are looked at together


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
        rounds = zip(self.reports, self.actions.swapaxes(1, 2), strict=True)
        credits = [np.take_along_axis(report.values, actions, axis=-1) for report, actions in rounds]
        result: Array = np.array([np.zeros_like(credits[0]), *credits[:-1]]).cumsum(axis=0)
        return result


def chosen(
    advice: Advice, choices: Mapping[str, tuple[Decorrelation, np.random.Generator]], repetitions: int
) -> dict[str, Indices]:
    """Return what variants of RW-Meta play on some advice, each of shape (T, repetitions)."""
    leaders: dict[str, list[Indices]] = {name: [] for name in choices}
    start = 0
    for part in _covariances(advice):
        credits, rounds = advice.credits[start : start + len(part)], 1 + start + np.arange(len(part))[:, None]
        for name, (decorrelation, rng) in choices.items():
            for credit, factors in zip(credits, decorrelation.factors(part, rounds), strict=True):
                leaders[name].append((credit + drawn(factors, rng, repetitions)).argmax(axis=-1))
        start += len(part)
    everyone = advice.everyone(repetitions)
    return {
        name: np.take_along_axis(everyone, np.array(found)[:, None], axis=1)[:, 0] for name, found in leaders.items()
    }


def _covariances(advice: Advice) -> Iterator[Array]:
    """Yield the covariance of the noise in credits, a few rounds together, which stay in the processor's cache."""
    actions = advice.actions.swapaxes(1, 2).astype(np.float64)  # which are compared in half the time
    rounds, rows, m = actions.shape
    together = max(1, _AT_ONCE // rows)
    before = np.zeros(0)
    for start in range(0, rounds, together):
        part = np.empty((min(together, rounds - start), rows, m, m))
        for t, after in enumerate(part, start):
            if t == 0:
                after[...] = 0.0
            else:
                same, scale = actions[t - 1, :, :, None] == actions[t - 1, :, None], advice.reports[t - 1].scale
                variance = scale * scale
                if isinstance(variance, np.ndarray):  # of each hospital
                    variance = variance[advice.actions[t - 1].T][:, :, None]
                np.multiply(same, variance, out=after)
                after += before
            before = after
        yield part
