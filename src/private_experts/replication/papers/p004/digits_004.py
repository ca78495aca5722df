"""What the trackers and their parts draw, number by number. [verdicts.md#drawn-noise]"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from private_experts.algorithms.dartboard_parameters import DartboardParameters
from private_experts.algorithms.noisy_fixed_share import NoisyFixedShare
from private_experts.algorithms.pool_parameters import PoolParameters
from private_experts.algorithms.pooled_draws import PooledDraws
from private_experts.algorithms.secure_draws import drawn_exactly
from private_experts.algorithms.shrinking_dartboard import ShrinkingDartboard
from private_experts.algorithms.sleeping_softmax import SleepingSoftmax
from private_experts.algorithms.switching_dartboard import SwitchingDartboard
from private_experts.algorithms.switching_softmax import SwitchingSoftmax
from private_experts.arrays import Array, Indices
from private_experts.games.play import play
from private_experts.privacy.above_threshold import AboveThreshold
from private_experts.privacy.guarantees import PureDP
from private_experts.replication.papers.drawn_samples import Digits, secure_source, twins
from private_experts.replication.papers.p004.play_laws import laplace_quantiles

_Pairs = Iterator[tuple[Any, Any]]
_OPEN = PureDP(math.inf, "central")  # nothing is promised, so that settings are free
_ROUNDS, _COPIES = 60, 100


def _shares(seed: int) -> _Pairs:
    """Noise of fixed share in 700 rounds, of one scale but for ten of them; the last hundred are later."""
    rng, again = twins(seed, "shares")
    rounds, n, step = 700, 4, 0.05
    scales = np.where(np.arange(600) // 10 == 10, 3.0, 2.0)
    share = NoisyFixedShare(
        n,
        PureDP(2.0, "central"),
        horizon=600,
        switches=0,
        eta=step,
        rng=rng,
        repetitions=5,
        noise_scale=scales,
    )
    logs = [np.zeros((5, n))]
    for _ in range(rounds):
        share.update(np.zeros(n))
        logs.append(np.log(share.probabilities()) / step)
    noise = laplace_quantiles(again.random((rounds, 5, n)))
    noise *= np.append(scales, np.full(100, 2.0))[:, None, None]
    drawn = np.diff(np.array(logs), axis=0)
    # What all experts share does not change the weights.
    yield drawn - drawn[..., :1], noise - noise[..., :1]


def _softmaxes(seed: int) -> _Pairs:
    """Draws of experts who may sleep, where each copy has gains of its own."""
    rng, again = twins(seed, "sleeping")
    softmax = SleepingSoftmax(3, PureDP(60.0, "central"), horizon=_ROUNDS, rng=rng, repetitions=_COPIES)
    rate, totals = 60.0 / (2 * (_ROUNDS - 1)), np.zeros((_COPIES, 3))
    own = np.arange(_COPIES)
    for t in range(_ROUNDS):
        awake = np.arange(3) != t % 4
        softmax.wake(awake)
        played, gains = softmax.predict(), ((own[:, None] + t) % 7 * np.arange(1, 4) % 7) / 7
        yield played, _largest(np.where(awake, rate * totals, -np.inf), again)
        softmax.update(gains[:, awake])
        totals += np.where(awake, gains - gains[own, played][:, None] - rate / 4, 0.0)


def _largest(scores: Array, rng: np.random.Generator) -> Indices:
    """Return where scores with standard Gumbel noise are the largest."""
    return np.asarray((scores - np.log(rng.standard_exponential(scores.shape))).argmax(axis=-1))


def _sequences(seed: int) -> _Pairs:
    """Draws of sequences without a switch, which have exponential weights."""
    rng, again = twins(seed, "sequences")
    softmax = SwitchingSoftmax(5, _OPEN, horizon=_ROUNDS, switches=0, rate=0.3, rng=rng, repetitions=_COPIES)
    gains = np.array([np.roll([0.9, 0.7, 0.5, 0.3, 0.1], t) for t in range(_ROUNDS)])
    for t, played in enumerate(play(softmax, gains)):
        yield played, _largest(0.3 * gains[:t].sum(axis=0) + np.zeros((_COPIES, 1)), again)


def _lotteries(seed: int) -> _Pairs:
    """Lotteries and draws of a dartboard, some forty of them in each copy."""
    rng, again = twins(seed, "lotteries")
    rounds, n, eta, p, copies = 150, 5, 0.2, 0.3, 20
    board = ShrinkingDartboard(
        n, _OPEN, parameters=DartboardParameters(eta, p, math.inf), rng=rng, repetitions=copies
    )
    expected, weights = again.gumbel(size=(copies, n)).argmax(axis=1), np.zeros(n)
    losses = np.array([np.roll([0.9, 0.7, 0.5, 0.3, 0.1], t) for t in range(rounds)])
    for played, lost in zip(play(board, 1 - losses), losses, strict=True):
        yield played, expected
        weights = weights + math.log1p(-eta) * lost
        anew = np.flatnonzero(again.uniform(size=copies) >= (1 - p) * (1 - eta) ** lost[expected])
        expected = expected.copy()
        expected[anew] = (weights + again.gumbel(size=(anew.size, n))).argmax(axis=1)


def _switches(seed: int) -> _Pairs:
    """A sequence that may switch once goes on with any of thirty experts."""
    rng, again = twins(seed, "switches")
    n, copies = 30, 2000
    still = DartboardParameters(1e-9, 1e-9, math.inf)
    board = SwitchingDartboard(n, _OPEN, horizon=2, switches=1, parameters=still, rng=rng, repetitions=copies)
    first, second = play(board, np.ones((2, n)))
    yield first, again.gumbel(size=(copies, 2, n))[:, 0].argmax(axis=1)  # none has switched by then
    stay, race = again.uniform(size=copies) < 1 / n, again.gumbel(size=(copies, n))
    race[np.arange(copies), first] = -np.inf
    yield second, np.where(stay, first, race.argmax(axis=1))


class _Noted(np.random.Generator):
    """A generator that notes what pools draw for clocks, and for the nodes of counts."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.clocks: list[Array] = []
        self.nodes: list[Array] = []

    def standard_exponential(self, size: int) -> Array:  # type: ignore[override]
        """See `numpy.random.Generator.standard_exponential`."""
        self.clocks.append(super().standard_exponential(size))
        return self.clocks[-1]

    def laplace(self, *, size: tuple[int, int]) -> Array:  # type: ignore[override]
        """See `numpy.random.Generator.laplace`."""
        self.nodes.append(super().laplace(size=size))
        return self.nodes[-1]


def _pools(seed: int) -> _Pairs:
    """Clocks of two epochs, and noise in their counts, by the binary digits of the rounds that are known."""
    epoch, scales = 12, np.array([0.5, 1.0, 2.0, 3.0, 1.5, 2.5])
    rng = _Noted(twins(seed, "pool")[0].bit_generator)
    parameters = PoolParameters(2.0, epoch, tuple(scales.tolist()), 0.3)
    pool = PooledDraws(3, _OPEN, horizon=3 * epoch, rng=rng, repetitions=_COPIES, parameters=parameters)
    for _ in range(2):
        play(pool, np.full((epoch - 1, 3), 0.5), resume=True)
        used = np.isfinite(pool._clocks)
        yield np.sort(pool._clocks[used]), np.sort(np.concatenate(rng.clocks))
        raised = (pool._raised - pool._raised[..., :1]) / scales[: len(used), None, None]
        stated = []
        for nodes in zip(*(iter(rng.nodes),) * 4, strict=True):  # of 1, 2, 4 and 8 rounds, of one draw
            counts = np.zeros((epoch, nodes[0].shape[1]))
            for known in range(epoch):
                for level in range(4):
                    if known >> level & 1:
                        counts[known] += nodes[level][(known >> level) - 1]
            stated.append(counts)
        yield np.sort(raised[used], axis=0), np.sort(np.concatenate(stated, axis=1).T, axis=0)
        rng.clocks.clear()
        rng.nodes.clear()
        play(pool, np.full((1, 3), 0.5), resume=True)
    yield from _secure_pools(seed)


def _secure_pools(seed: int) -> _Pairs:
    """Secure noise in the counts of a pool where nobody loses; each copy is drawn by weights of its own."""
    rng, again = twins(seed, "secure pool")
    epoch, scales = 12, np.array([0.5, 1.0, 2.0, 3.0])
    pool = PooledDraws(
        3,
        _OPEN,
        horizon=epoch,
        switches=1,
        rng=seed,
        repetitions=5,
        parameters=PoolParameters(0.5, epoch, tuple(scales.tolist()), 0.3),
        noise=secure_source(
            lambda size, law: rng.laplace(size=size) if law == "laplace" else rng.standard_normal(size)
        ),
    )
    play(pool, np.ones((epoch - 1, 3)))
    raised = pool._raised[..., : epoch - 1] / scales[: len(pool._clocks), None, None]
    noise = raised[np.isfinite(pool._clocks)].ravel()
    yield np.sort(noise), np.sort(again.laplace(size=noise.size))
    yield drawn_exactly(np.eye(5)[:, None])[1], np.arange(5)


def _queries(seed: int) -> _Pairs:
    """Each of twenty queries of a call has noise of its own, of twice the threshold's scale."""
    rng, again = twins(seed, "queries")
    queries = np.linspace(-90.0, -70.0, 20) + np.zeros((2000, 1))
    above = AboveThreshold(PureDP(0.5, "central"), rng=rng, sensitivity=3.0, repetitions=2000)
    threshold = again.laplace(scale=12.0, size=2000)
    noisy = queries + again.laplace(scale=24.0, size=queries.shape)
    yield above.test(queries), (noisy >= threshold[:, None]).any(axis=1)


DIGITS: Digits = {
    "NoisyFixedShare": _shares,
    "ShrinkingDartboard": _lotteries,
    "SwitchingDartboard": _switches,
    "PooledDraws": _pools,
    "SwitchingSoftmax": _sequences,
    "SleepingSoftmax": _softmaxes,
    "AboveThreshold": _queries,
}
