"""RW-Meta's choices where the learners' advice is known for many rounds.

What a learner is credited with does not depend on which learner is followed. So credits, and the covariance of their
noise, are summed for many rounds at once, and serve every `Decorrelation` of the same game. The choices are those of
`RWMeta` round by round, with the same draws.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from private_experts.arrays import Array, Indices
from private_experts.privacy.reports import Reports

if TYPE_CHECKING:
    from private_experts.algorithms.rw_meta import Decorrelation

_AT_ONCE = 2**17  # numbers of covariances that are looked at together


def credits_before(advice: Indices, reports: Sequence[Reports], totals: Array | float = 0.0) -> Array:
    """Return the credit of each learner before each round and after the last, shape (T + 1, rows, m).

    Advice has the shape (T, m, rows), and `totals` are those before the first round.
    """
    rounds, m, rows = advice.shape
    credits = np.empty((rounds + 1, rows, m))
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
    choices: "Mapping[str, tuple[Decorrelation, np.random.Generator]]",
    *,
    first_round: int = 1,
    repetitions: int,
) -> tuple[dict[str, Indices], Array]:
    """Return which learner each choice follows in each round, (T, repetitions), and the last covariance.

    `credits` are those before each round, and `sigma`, shape (rows, m, m), is the covariance before the first one.
    """
    found: dict[str, list[Indices]] = {name: [] for name in choices}
    start = 0
    # Eigenvalues are the dearest. Choices that differ in their floor alone share those above the least floor.
    lowest = {each.projection: each for each, _ in sorted(choices.values(), key=lambda pair: -pair[0].floor)}
    for part in _covariances(advice, reports, sigma):
        before, rounds = part[:-1], first_round + start + np.arange(len(part) - 1)[:, None]
        seen = {}
        for projection, least in lowest.items():
            covariance = least.covariance(before)
            seen[projection] = covariance, least.level(covariance, rounds)
        for name, (decorrelation, rng) in choices.items():
            covariance, level = seen[decorrelation.projection]
            level = np.maximum(level, decorrelation.floor * rounds)
            extra = drawn(decorrelation.factors_at(before, covariance, level), rng, repetitions)
            found[name].append((credits[start : start + len(before)] + extra).argmax(axis=-1))
        start += len(before)
        sigma = part[-1]
    return {name: np.concatenate(each) for name, each in found.items()}, sigma


def drawn(factors: Array, rng: np.random.Generator, repetitions: int) -> Array:
    """Draw the extra noise of some rounds, (T, repetitions, m), by its factors (T, repetitions or 1, m, m).

    In a round whose factors are all zero nothing is drawn.
    """
    m = factors.shape[-1]
    noise, noisy = np.zeros((len(factors), repetitions, m)), factors.any(axis=(1, 2, 3))
    if not noisy.all():
        factors = factors[noisy]
    noise[noisy] = (factors @ rng.standard_normal((np.count_nonzero(noisy), repetitions, m, 1)))[..., 0]
    return noise


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
