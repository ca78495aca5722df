"""RW-Meta's choices where the learners' advice is known for many rounds.

What a learner is credited with does not depend on which learner is followed. So credits, and the covariance
of their noise, are summed for many rounds at once, and serve every `Decorrelation` of the same game. The
choices are those of `RWMeta` round by round, with the same draws.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from private_experts.algorithms.decorrelation import Decorrelation, extra_noise
from private_experts.arrays import Array, Indices
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.reports import Reports

_AT_ONCE = 2**17  # numbers of covariances that are looked at together


@dataclass(frozen=True)
class KnownAdvice:
    """What learners advised in a game, and the reports that they read: what `RWMeta.play_many` chooses from.

    Parameters
    ----------
    actions : ndarray of int, shape (T, m, repetitions or 1)
        The expert that each of m learners named in each round. One copy stands for all repetitions.
    reports : list of Reports
        The reports that the learners read, one a round.
    guarantee : GaussianDP
        The local guarantee of the reports.

    Examples
    --------
    Two learners that always name the first and the second of two experts, and reports with almost no noise:

    >>> import numpy as np
    >>> from private_experts.algorithms import Decorrelation, KnownAdvice, RWMeta
    >>> from private_experts.privacy import GaussianDP, Reports
    >>> level = GaussianDP(1.0, "local")
    >>> reports = [Reports(np.array([[0.0, 1.0]]), level, scale=1e-6)] * 3
    >>> advice = KnownAdvice(np.tile([[[0], [1]]], (3, 1, 1)), reports, level)
    >>> choices = {"no floor": (Decorrelation(floor=0), np.random.default_rng(0))}
    >>> RWMeta.play_many(advice, choices, repetitions=1)["no floor"][1:].tolist()
    [[1], [1]]
    """

    actions: Indices
    reports: list[Reports]
    guarantee: GaussianDP

    @property
    def scales(self) -> Array:
        """The largest noise of the reports of each round, shape (T,)."""
        return np.array([report.largest_scale for report in self.reports])

    def everyone(self, repetitions: int) -> Indices:
        """Return the actions of all repetitions, shape (T, m, repetitions)."""
        return np.broadcast_to(self.actions, (*self.actions.shape[:2], repetitions))

    @cached_property
    def credits(self) -> Array:
        """The credit of each learner before each round, shape (T, repetitions, m)."""
        return credits_before(self.actions, self.reports)[:-1]


def credits_before(advice: Indices, reports: Sequence[Reports], totals: Array | float = 0.0) -> Array:
    """Return the credit of each learner before each round and after the last, shape (T + 1, rows, m).

    Advice has the shape (T, m, rows), and `totals` are those before the first round.
    """
    rounds, m, rows = advice.shape
    credits = np.empty((rounds + 1, rows, m))
    # Row t has what is credited after t rounds, so the choice of a round reads the row before it.
    credits[0] = totals
    for credit, report, actions in zip(credits[1:], reports, advice.swapaxes(1, 2), strict=True):
        credit[...] = np.take_along_axis(
            np.broadcast_to(report.values, (rows, report.values.shape[1])), actions, axis=1
        )
    return np.add.accumulate(credits, axis=0, out=credits)


def leaders(
    advice: Indices,
    reports: Sequence[Reports],
    credits: Array,
    sigma: Array,
    choices: Mapping[str, tuple[Decorrelation, np.random.Generator]],
    *,
    first_round: int = 1,
    repetitions: int,
) -> tuple[dict[str, Indices], Array]:
    """Return which learner each choice follows in each round, (T, repetitions), and the last covariance.

    `credits` are those before each round, and `sigma`, shape (rows, m, m), is the covariance before the first
    one.
    """
    found: dict[str, list[Indices]] = {name: [] for name in choices}
    start = 0
    # Eigenvalues are the dearest. Choices that differ in their floor alone share those above the least floor.
    lowest = {
        decorrelation.projection: decorrelation
        for decorrelation, _ in sorted(choices.values(), key=lambda pair: -pair[0].floor)
    }
    for part in _covariances(advice, reports, sigma):
        before, rounds = part[:-1], first_round + start + np.arange(len(part) - 1)[:, None]
        seen = {}
        for projection, least in lowest.items():
            covariance = least.covariance(before)
            seen[projection] = covariance, least.level(covariance, rounds)
        for name, (decorrelation, rng) in choices.items():
            covariance, level = seen[decorrelation.projection]
            # The shared eigenvalues are exact above the least floor, and a higher floor hides what they miss
            # below it.
            level = np.maximum(level, decorrelation.floor * rounds)
            # Drawn choice by choice from its own generator, so that a choice does not change when another is
            # left out.
            extra = extra_noise(decorrelation.factors_at(before, covariance, level), rng, repetitions)
            found[name].append((credits[start : start + len(before)] + extra).argmax(axis=-1))
        start += len(before)
        sigma = part[-1].copy()  # a view would keep the rounds before in memory
    return {name: np.concatenate(parts) for name, parts in found.items()}, sigma


def _covariances(advice: Indices, reports: Sequence[Reports], sigma: Array) -> Iterator[Array]:
    """Yield the covariance of the noise in credits before some rounds, and after the last of them.

    They are so few that they stay in the processor's cache.
    """
    actions = advice.swapaxes(1, 2).astype(np.float64)  # which are compared in half the time
    rounds, rows, m = actions.shape
    together = max(1, _AT_ONCE // (rows * m * m))
    for start in range(0, rounds, together):
        part = np.empty((min(together, rounds - start) + 1, rows, m, m))
        part[0] = sigma
        for t, after in enumerate(part[1:], start):
            same, scale = actions[t, :, :, None] == actions[t, :, None], reports[t].scale
            variance = scale * scale
            if isinstance(variance, np.ndarray):  # of each expert
                variance = variance[advice[t].T][:, :, None]
            np.multiply(same, variance, out=after)
            after += part[t - start]
        sigma = part[-1]
        yield part
