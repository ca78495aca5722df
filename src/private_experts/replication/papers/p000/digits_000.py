"""What is drawn for reports, sums and choices, number by number. [verdicts.md#drawn-noise]"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np

from private_experts.algorithms.fresh_meta import FreshMeta
from private_experts.algorithms.hedge_meta import HedgeMeta
from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.arrays import Array, Scale
from private_experts.games.named_experts import NamedExperts
from private_experts.games.play import play, private_reports
from private_experts.learners.recorded import Recorded
from private_experts.privacy.banded import BandedSums, root_band
from private_experts.privacy.correlated import CorrelatedReports
from private_experts.privacy.factorization import square_root
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import Noise, SimulatedNoise
from private_experts.privacy.reports import privatize
from private_experts.privacy.side_by_side import SideBySideReports, SideBySideSums, own_share
from private_experts.privacy.tight_tree import TightTreeSums
from private_experts.privacy.tree import TreeSums
from private_experts.replication.papers.drawn_samples import Digits, secure_source, twins
from private_experts.replication.papers.p000.drawn_game import CENTRAL, EXACT, LOCAL
from private_experts.replication.papers.p000.study_digits import players_of_sums, suppressed_figures
from private_experts.replication.papers.p000.sum_covariances import matrix_sums, tight_tree, tree

_Pairs = Iterator[tuple[Any, Any]]
_LONG = 40  # rounds, so that a node of 32 vectors is released
_COPIES = 1100


def _reports(seed: int) -> _Pairs:
    """Noise of one scale and of own ones; of losses; by threads; of the secure source but for its numbers."""
    rng, again = twins(seed, "reports")
    source, values = SimulatedNoise(rng), np.resize([0.0, 1.0, -2.0, 0.5], 20)
    scales: list[Scale] = [0.3, np.linspace(0.1, 4.0, 20)]
    for scale in scales * 9:
        made = source.perturb(values, scale, _COPIES)
        yield made, values + scale * again.standard_normal(made.shape)
    losses, (rng, again) = np.array([0.2, 0.9]), twins(seed, "losses")
    lost = privatize(losses, LOCAL, 0.5, SimulatedNoise(rng), repetitions=_COPIES, losses=True).values
    yield lost, 1 - losses + 0.5 * again.standard_normal(lost.shape)
    rng, again = twins(seed, "losses of rounds")
    for report in private_reports(np.tile(losses, (3, 1)), LOCAL, 0.5, SimulatedNoise(rng), 9, losses=True):
        yield report.values, 1 - losses + 0.5 * again.standard_normal((9, 2))
    rng, again = twins(seed, "threads")
    drawn = SimulatedNoise(rng, workers=2).perturb(np.zeros(20), 3.0, 500)  # which is one block
    words = again.integers(2**64, size=(1, 1, 3), dtype=np.uint64)[0, 0]
    block: Any = np.random.SFC64(0)
    state = {"state": np.append(words, np.uint64(1))}  # the last word counts the draws
    block.state = {"bit_generator": "SFC64", "state": state, "has_uint32": 0, "uinteger": 0}
    yield drawn, 3.0 * np.random.Generator(block).standard_normal(drawn.shape)
    rng, again = twins(seed, "secure")
    of_each = np.array([0.5, 3.0, 20.0])
    secure = secure_source(lambda size, _: rng.standard_normal(size)).perturb(np.zeros(3), of_each, 50)
    yield secure, of_each * again.standard_normal((3, 50)).T
    yield from suppressed_figures(seed)


def _by_expert(seed: int) -> _Pairs:
    """A mechanism for six experts, each with a scale of its own, draws what one mechanism for each would."""
    reach = np.outer(np.linspace(0.5, 1.0, 4), [0.1, 0.5, 0.2, 1.0, 0.3, 0.4])
    rng, again = (SimulatedNoise(twin) for twin in twins(seed, "by expert"))

    def curator(sensitivity: Array, noise: Noise) -> CorrelatedReports:
        n = 1 if sensitivity.ndim == 1 else sensitivity.shape[1]
        share, strategy = own_share(CENTRAL), square_root(len(reach))
        return CorrelatedReports(n, share, sensitivity=sensitivity, strategy=strategy, noise=noise)

    together = SideBySideReports([curator(reach, rng)])
    apart = SideBySideReports([curator(of_expert, again) for of_expert in reach.T])
    for _ in reach:
        yield together.report(np.zeros(6)).values, apart.report(np.zeros(6)).values


def _worst_experts(seed: int) -> _Pairs:
    """The level of a person in three experts' data is that of the three whose sums have the least noise."""
    noise, levels = SimulatedNoise(seed), (0.1, 0.4, 0.3, 0.05)
    sums = [
        TightTreeSums(1, GaussianDP(level, "central"), sensitivity=np.ones(4), noise=noise)
        for level in levels
    ]
    yield SideBySideSums(sums, moved=3).guarantee.mu, math.hypot(0.1, 0.4, 0.3)


class _Impulses:
    """Noise that is 0, but for 1 in draw k of copy k: so copies show how releases depend on the draws."""

    def __init__(self) -> None:
        self._drawn = 0

    def perturb(self, values: Array, scale: Scale, repetitions: int) -> Array:
        """See `Noise.perturb`."""
        noisy = np.tile(values, (repetitions, 1))
        noisy[self._drawn] += scale
        self._drawn += 1
        return noisy


def _sums(make: Callable[..., Any], covariance: Array, seed: int) -> _Pairs:
    """All releases of three coordinates together have exactly the covariance that is stated."""
    sums = make(3, CENTRAL, noise=_Impulses(), repetitions=3 * _LONG)
    released = [sums.release()]
    for _ in range(_LONG - 1):
        sums.add(np.zeros(3))
        released.append(sums.release())
    loads = np.moveaxis(np.array(released), 2, 0)
    yield loads @ loads.swapaxes(1, 2), np.broadcast_to(covariance, (3, _LONG, _LONG))


def _choices(make: Callable[..., Any], noise: Callable[..., Array], seed: int) -> _Pairs:
    """Five learners in a game of 60 rounds: the leader of credits with the noise of its round is played."""
    rounds, copies = 60, 50
    rng, again = twins(seed, "choices")
    learners = Recorded(np.broadcast_to(np.arange(5)[:, None], (rounds, 5, copies)))
    gains = np.array([np.roll([0.9, 0.6, 0.5, 0.3, 0.1], t) for t in range(rounds)])
    reports = private_reports(gains, EXACT, 1.0, SimulatedNoise(0), copies)
    actions = play(make([learners], rng=rng), reports, note=lambda algorithm: None)
    for t, played in enumerate(actions):
        yield played, (gains[:t].sum(axis=0) + noise(again, (copies, 5))).argmax(axis=1)


def _fresh_noise(rng: np.random.Generator, shape: tuple[int, int]) -> Array:
    return 2.0 * rng.standard_normal(shape) + 1.5 * rng.gumbel(size=shape)


def _named(seed: int) -> _Pairs:
    """Experts by name are told reports with noise of their own in rounds of equal gains too."""
    rng, again = twins(seed, "names")
    noise = SimulatedNoise(rng)
    report = partial(privatize, guarantee=LOCAL, sensitivity=0.5, noise=noise)
    leader = RWFTPL(2, LOCAL, noise_scale=0.5, noise=noise)
    model = NamedExperts(leader, ["north", "south"], report)
    for _ in range(3):
        model.learn_one({"north": 0.1, "south": 0.4})
    yield leader.total, 3 * np.array([0.1, 0.4]) + 0.5 * again.standard_normal((4, 2)).sum(axis=0)


_EVEN = np.ones(_LONG)
_BAND = root_band(4)
_ROOT = sum(_BAND[lag] * np.eye(_LONG, k=-lag) for lag in range(4))

DIGITS: Digits = {
    "Reports": _reports,
    "SideBySideReports": _by_expert,
    "SideBySideSums": _worst_experts,
    "TreeSums": partial(
        _sums,
        partial(TreeSums, horizon=_LONG, sensitivity=1.0, padded=False),
        tree(_EVEN, padded=False),
    ),
    "TightTreeSums": partial(
        _sums, partial(TightTreeSums, sensitivity=_EVEN), tight_tree(_EVEN, refined=False)
    ),
    "BandedSums": partial(
        _sums, partial(BandedSums, coefficients=_BAND, sensitivity=1.0), matrix_sums(_ROOT, _EVEN)
    ),
    "RWFTPL": _named,
    "PrefixFTPL": players_of_sums,
    "FreshMeta": partial(_choices, partial(FreshMeta, guarantee=EXACT, scale=2.0, gumbel=1.5), _fresh_noise),
    "HedgeMeta": partial(
        _choices,
        partial(HedgeMeta, guarantee=EXACT, rate=0.3),
        lambda rng, shape: rng.gumbel(size=shape) / 0.3,
    ),
}
