"""Mutants of what draws in paper 000's algorithms."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms import hedge, known_advice, rw_adabatch, sleeping_experts
from private_experts.algorithms.baselines import Uniform
from private_experts.algorithms.credited_leader import CreditedLeader
from private_experts.algorithms.decorrelation import Decorrelation, extra_noise
from private_experts.algorithms.delayed import Delayed
from private_experts.algorithms.fresh_meta import FreshMeta
from private_experts.algorithms.hedge import Hedge
from private_experts.algorithms.hedge_meta import HedgeMeta
from private_experts.algorithms.prefix_ftpl import PrefixFTPL
from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.algorithms.smoothed_leader import SmoothedLeader
from private_experts.arrays import Array
from private_experts.privacy import correlated, tight_tree
from private_experts.privacy.noise import SimulatedNoise, perturbed_by_expert
from private_experts.privacy.selection import exponential_mechanism
from private_experts.privacy.tree import TreeSums
from private_experts.walks.lead_tolerance import LeadTolerance
from tests.mutants.mutant import Mutant, Patch

CLAIM = "000/drawn-noise"
TEST = "tests/replication/papers/p000/test_noise_000.py::test_what_is_drawn_has_the_stated_law"


def _mutant(patch: Patch, mechanism: str) -> Mutant:
    return Mutant(patch, CLAIM, f"{TEST}[{mechanism}]")


class _Change:
    """What is drawn instead; `source` is whatever draws, and `noise` has a row for each copy."""

    def __init__(self) -> None:
        self.first: dict[Any, Array] = {}

    def none(self, source: Any, noise: Array) -> Array:
        return 0 * noise

    def half(self, source: Any, noise: Array) -> Array:
        return noise / 2

    def first_alone(self, source: Any, noise: Array) -> Array:
        key = id(source)
        if key in self.first:
            return 0 * noise
        self.first[key] = noise
        return noise

    def reused(self, source: Any, noise: Array) -> Array:
        return self.first.setdefault((id(source), noise.shape), noise)

    def shared(self, source: Any, noise: Array) -> Array:
        return np.broadcast_to(noise[:1], noise.shape).copy()


CHANGES = {
    "no noise": _Change.none,
    "half the noise": _Change.half,
    "noise in the first round alone": _Change.first_alone,
    "noise reused between rounds": _Change.reused,
    "one draw shared by copies": _Change.shared,
}


def _of_reports(change: Callable, put: pytest.MonkeyPatch) -> None:
    perturb, state = SimulatedNoise.perturb, _Change()

    def mutated(self, values, scale, repetitions):
        # A source draws for several rounds and sides; scale 0 draws nothing.
        noisy = perturb(self, values, scale, repetitions)
        if not np.any(scale):
            return noisy
        return values + scale * change(state, self, (noisy - values) / scale)

    put.setattr(SimulatedNoise, "perturb", mutated)


def _of_choice(kind: type, change: Callable, put: pytest.MonkeyPatch) -> None:
    extra, state = kind._extra, _Change()
    put.setattr(kind, "_extra", lambda self: change(state, self, extra(self)))


def _of_decorrelation(change: Callable, put: pytest.MonkeyPatch) -> None:
    draw, state = Decorrelation.draw, _Change()
    put.setattr(Decorrelation, "draw", lambda self, *given: change(state, given[2], draw(self, *given)))

    def many(factors, rng, repetitions):
        noise = extra_noise(factors, rng, repetitions)
        return np.array([change(state, rng, of_round) for of_round in noise])

    put.setattr(known_advice, "extra_noise", many)


def _by_expert(change: Callable, put: pytest.MonkeyPatch) -> None:
    def mutated(noise, values, scale, repetitions):
        true = values[:, None]
        drawn = perturbed_by_expert(noise, values, scale, repetitions) - true
        return (
            true
            + change(drawn / np.broadcast_to(scale, values.shape)[:, None])
            * np.broadcast_to(scale, values.shape)[:, None]
        )

    for room in (tight_tree, correlated):
        put.setattr(room, "perturbed_by_expert", mutated)


def _of_weights(change: Callable, put: pytest.MonkeyPatch) -> None:
    for room in (hedge, sleeping_experts):
        put.setattr(room, "exponential_mechanism", change)


def _surest(scores, rate, rng):
    return np.asarray(scores).argmax(axis=-1)


def _twice_the_rate(scores, rate, rng):
    return exponential_mechanism(scores, 2 * rate, rng)


def _alike(scores, rate, rng):
    return np.broadcast_to(exponential_mechanism(scores, rate, rng)[:1], len(scores)).copy()


def _without_z_0(kind: type, put: pytest.MonkeyPatch) -> None:
    start = kind.__init__

    def quiet(self, *given, **settings):
        start(self, *given, **settings)
        self.total = 0 * self.total

    put.setattr(kind, "__init__", quiet)


def _without_padding(put: pytest.MonkeyPatch) -> None:
    release = TreeSums.release

    def unpadded(self):
        self._padded = False
        return release(self)

    put.setattr(TreeSums, "release", unpadded)


def _quiet_from_block_8(put: pytest.MonkeyPatch) -> None:
    perturbed = tight_tree.TightTreeSums._perturbed

    def mutated(self, totals, scales):
        return perturbed(self, totals, scales if self._count < 8 else [0 * scale for scale in scales])

    put.setattr(tight_tree.TightTreeSums, "_perturbed", mutated)


def _single_rounds(put: pytest.MonkeyPatch) -> None:
    put.setattr(rw_adabatch, "sizes_now", lambda gaps, *given: np.ones(len(gaps), dtype=np.int64))
    put.setattr(LeadTolerance, "sizes", lambda self, gaps, now: np.ones(len(gaps), dtype=np.int64))


def _looks_into_batches(put: pytest.MonkeyPatch) -> None:
    def predict(self):
        self._begin()
        return (self.total + self._buffer).argmax(axis=-1)

    put.setattr(RWAdaBatch, "predict", predict)


def _never_credits(kind: type, put: pytest.MonkeyPatch) -> None:
    put.setattr(kind, "_credit", lambda self, advice, reports: None)


def _deaf_leader(put: pytest.MonkeyPatch) -> None:
    put.setattr(RWFTPL, "update", lambda self, report: None)


def _deaf_sums(put: pytest.MonkeyPatch) -> None:
    put.setattr(PrefixFTPL, "update_unchecked", lambda self, gains: self._sums.add(gains))


def _deaf_hedge(put: pytest.MonkeyPatch) -> None:
    def update(self, gains):
        self._round, self._actions = self._round + 1, None

    put.setattr(Hedge, "update_unchecked", update)


def _deaf_sleepers(put: pytest.MonkeyPatch) -> None:
    put.setattr(
        sleeping_experts.SleepingExperts,
        "_credit",
        lambda self, credits, cost: setattr(self, "_actions", None),
    )


def _uniform_once(put: pytest.MonkeyPatch) -> None:
    put.setattr(Uniform, "update", lambda self, gains: None)


def _uniform_alike(put: pytest.MonkeyPatch) -> None:
    predict = Uniform.predict
    put.setattr(
        Uniform, "predict", lambda self: np.broadcast_to(predict(self)[:1], len(predict(self))).copy()
    )


def _same_copy(put: pytest.MonkeyPatch) -> None:
    put.setattr(Delayed, "_turn", lambda self: 0)


def _same_noise(put: pytest.MonkeyPatch) -> None:
    start = Delayed.__init__

    def alike(self, make, delay):
        start(self, make, delay)
        for copy in self._copies[1:]:
            copy.total = self._copies[0].total.copy()

    put.setattr(Delayed, "__init__", alike)


MUTANTS: dict[str, Mutant] = {
    **{
        f"000: {name}, {where}": _mutant(partial(_of_reports, change), mechanism)
        for name, change in CHANGES.items()
        for where, mechanism in (("reports", "Reports"), ("trees", "TightTreeSums"))
    },
    **{
        f"000: {name}, correlated sums": _mutant(partial(_of_reports, CHANGES[name]), mechanism)
        for name, mechanism in (
            ("half the noise", "MatrixSums"),
            ("noise reused between rounds", "BandedSums"),
            ("noise in the first round alone", "CorrelatedReports"),
            ("one draw shared by copies", "SideBySideReports"),
            ("no noise", "SideBySideSums"),
        )
    },
    **{
        f"000: {name}, {kind.__name__}": _mutant(partial(_of_choice, kind, change), kind.__name__)
        for name, change in CHANGES.items()
        for kind in (FreshMeta, HedgeMeta)
    },
    **{
        f"000: {name}, RW-Meta's lottery": _mutant(partial(_of_decorrelation, change), "RWMeta")
        for name, change in CHANGES.items()
    },
    **{
        f"000: {name}, {mechanism}": _mutant(partial(_of_weights, change), mechanism)
        for name, change in (
            ("no noise", _surest),
            ("half the noise", _twice_the_rate),
            ("one draw shared by copies", _alike),
        )
        for mechanism in ("Hedge", "SleepingHedge", "SleepingSoftmax")
    },
    "000: half the noise, each expert's tree": _mutant(
        partial(_by_expert, lambda drawn: drawn / 2), "SideBySideSums"
    ),
    "000: one draw for all experts, each expert's tree": _mutant(
        partial(_by_expert, lambda drawn: np.repeat(drawn[..., :1], drawn.shape[-1], axis=-1)),
        "SideBySideSums",
    ),
    "000: no noise from block 8 on, tight tree": _mutant(_quiet_from_block_8, "TightTreeSums"),
    "000: no padding, tree": _mutant(_without_padding, "TreeSums"),
    "000: no z_0, RW-FTPL": _mutant(partial(_without_z_0, RWFTPL), "RWFTPL"),
    "000: no z_0, RW-AdaBatch": _mutant(partial(_without_z_0, RWAdaBatch), "RWAdaBatch"),
    "000: batches of one round, RW-AdaBatch": _mutant(_single_rounds, "RWAdaBatch"),
    "000: looks into batches, RW-AdaBatch": _mutant(_looks_into_batches, "RWAdaBatch"),
    "000: no update, RW-FTPL": _mutant(_deaf_leader, "RWFTPL"),
    "000: no update, leader of sums": _mutant(_deaf_sums, "TreeFTPL"),
    "000: no update, leader of credits": _mutant(partial(_never_credits, CreditedLeader), "CreditedLeader"),
    "000: no update, smoothed leader": _mutant(partial(_never_credits, SmoothedLeader), "SmoothedLeader"),
    "000: no update, Hedge": _mutant(_deaf_hedge, "Hedge"),
    "000: no update, sleeping experts": _mutant(_deaf_sleepers, "SleepingHedge"),
    "000: drawn in the first round alone, uniform": _mutant(_uniform_once, "Uniform"),
    "000: one draw shared by copies, uniform": _mutant(_uniform_alike, "Uniform"),
    "000: no turns, delayed": _mutant(_same_copy, "Delayed"),
    "000: one z_0 for all copies, delayed": _mutant(_same_noise, "Delayed"),
}
