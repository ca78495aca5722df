"""What the leaders of dyadic blocks select, number by number. [verdicts.md#drawn-noise]"""

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from private_experts.algorithms.bernoulli_resampled import BernoulliResampled
from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.arrays import Array
from private_experts.games.play import play
from private_experts.privacy.guarantees import PureDP
from private_experts.privacy.selection import exponential_mechanism, laplace_report_noisy_max
from private_experts.replication.papers.drawn_samples import Digits, twins

_Pairs = Iterator[tuple[Any, Any]]
_SMALL = PureDP(0.1, "central")  # levels at which noise of 20 scores is about as large as what they differ by


def _alone(
    draw: Callable[..., Any], noisy: Callable[[Array, np.random.Generator], Array], seed: int
) -> _Pairs:
    """The function alone, on many rows of many scores: the largest with noise of its own."""
    rng, again = twins(seed, "selection")
    scores = np.linspace(0.0, 10.0, 20) + np.zeros((2500, 1))
    yield draw(scores, rng=rng), noisy(scores, again).argmax(axis=1)


def _leaders(seed: int) -> _Pairs:
    """The first rounds of eight blocks: each leader has noise of its level on all the block before."""
    rng, again = twins(seed, "leader")
    copies, rounds, n = 500, 255, 5
    leader = DyadicLeader(n, _SMALL, rng=rng, repetitions=copies)
    gains = np.linspace(1.0, 0.0, n) * np.ones((rounds, 1))
    actions, total = play(leader, gains), np.zeros(n)
    for block in range(8):
        length = 2**block
        leading = (total + again.laplace(scale=20.0, size=(copies, n))).argmax(axis=1)
        again.integers(np.full(copies, length), length + 1)  # a prefix, here the whole block
        yield actions[length - 1], leading
        total = gains[length - 1 : 2 * length - 1].sum(axis=0)


def _flips(seed: int) -> _Pairs:
    """Coin flips of each copy and expert in a block that is not over, from round 32 on."""
    rng, again = twins(seed, "flips")
    copies, n = 100, 4
    inner = DyadicLeader(n, _SMALL, rng=0, repetitions=copies)
    resampled = BernoulliResampled(n, inner, rng=rng, repetitions=copies)
    gains = np.array([0.12, 0.37, 0.5, 0.94])
    for _ in range(60):
        resampled.update(gains)
    yield inner._scores, (again.random((60, copies, n))[31:] < gains).sum(axis=0)


DIGITS: Digits = {
    "DyadicLeader": _leaders,
    "BernoulliResampled": _flips,
    "laplace_report_noisy_max": partial(
        _alone,
        partial(laplace_report_noisy_max, scale=4.0),
        lambda scores, rng: scores + rng.laplace(scale=4.0, size=scores.shape),
    ),
    "exponential_mechanism": partial(
        _alone,
        partial(exponential_mechanism, rate=0.4),
        lambda scores, rng: 0.4 * scores - np.log(rng.standard_exponential(scores.shape)),
    ),
}
