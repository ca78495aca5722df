"""RW-Meta on advice that is known for all rounds.

What a learner is credited with does not depend on which learner is followed. So the paper's variants differ in their
extra noise alone: credits, and the covariance of their noise, are computed once for all of them, and the extra noise
of many rounds at once. The choices are those of the library's algorithm with the same generator, which a test holds.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from private_experts.algorithms.rw_meta import Decorrelation, drawn
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.reports import Reports

Array = NDArray[np.float64]

_AT_ONCE = 1000  # covariances of that many rounds and repetitions are looked at together


@dataclass(frozen=True)
class Advice:
    """What the learners advised in a game at one privacy level, and what they heard.

    Parameters
    ----------
    actions : ndarray of int, shape (T, m, repetitions)
        The regressions' actions, and as the last of the m learners RW-FTPL's. A single repetition may stand for all, as
        without privacy.
    reports : list of T Reports
    guarantee : GaussianDP
    """

    actions: NDArray[np.intp]
    reports: list[Reports]
    guarantee: GaussianDP

    @property
    def scales(self) -> Array:
        """The noise of the reports, shape (T,)."""
        return np.array([report.scale for report in self.reports])

    def everyone(self, repetitions: int) -> NDArray[np.intp]:
        """Return the actions of all repetitions, shape (T, m, repetitions)."""
        return np.broadcast_to(self.actions, (*self.actions.shape[:2], repetitions))

    @cached_property
    def credits(self) -> Array:
        """The credit of each learner before each round, shape (T, repetitions, m)."""
        rounds = zip(self.reports, self.actions.swapaxes(1, 2), strict=True)
        credits = [np.take_along_axis(report.values, actions, axis=-1) for report, actions in rounds]
        result: Array = np.array([np.zeros_like(credits[0]), *credits[:-1]]).cumsum(axis=0)
        return result

    @cached_property
    def covariances(self) -> Array:
        """The covariance of the noise in the credits before each round, shape (T, repetitions, m, m)."""
        actions = self.actions.swapaxes(1, 2).astype(np.float64)  # which are compared in half the time
        result = np.zeros((*actions.shape, actions.shape[-1]))
        for advice, scale, before, after in zip(actions, self.scales, result, result[1:], strict=False):
            same = advice[..., None] == advice[:, None]
            np.multiply(same, scale * scale, out=after)
            after += before  # while both are in the processor's cache
        return result


def chosen(
    advice: Advice, decorrelation: Decorrelation, rng: np.random.Generator, repetitions: int
) -> NDArray[np.intp]:
    """Return what RW-Meta plays on some advice, shape (T, repetitions)."""
    noises = _noises(decorrelation, advice.covariances, rng, repetitions)
    leaders = np.array([(credit + noise).argmax(axis=-1) for credit, noise in zip(advice.credits, noises, strict=True)])
    return np.take_along_axis(advice.everyone(repetitions), leaders[:, None], axis=1)[:, 0]


def _noises(
    decorrelation: Decorrelation, covariances: Array, rng: np.random.Generator, repetitions: int
) -> Iterator[Array]:
    """Yield the extra noise of each round, shape (repetitions, m)."""
    rounds, rows = covariances.shape[:2]
    together = max(1, _AT_ONCE // rows)
    for start in range(0, rounds, together):
        part = covariances[start : start + together]
        for factors in decorrelation.factors(part, 1 + start + np.arange(len(part))[:, None]):
            yield drawn(factors, rng, repetitions)
