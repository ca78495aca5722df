"""Mutants of what draws in paper 000's algorithms."""

import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial, wraps
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms import (
    hedge_meta,
    known_advice,
    rw_adabatch,
    rw_ftpl,
    rw_meta,
    sleeping_experts,
    tree_ftpl,
)
from private_experts.algorithms.baselines import Uniform
from private_experts.algorithms.credited_leader import CreditedLeader
from private_experts.algorithms.decorrelation import Decorrelation, extra_noise, shared_variance
from private_experts.algorithms.delayed import Delayed
from private_experts.algorithms.fresh_meta import FreshMeta
from private_experts.algorithms.hedge import Hedge
from private_experts.algorithms.hedge_bounds import round_cost
from private_experts.algorithms.hedge_meta import HedgeMeta
from private_experts.algorithms.prefix_ftpl import PrefixFTPL
from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.algorithms.rw_meta import RWMeta
from private_experts.algorithms.smoothed_leader import SmoothedLeader
from private_experts.arrays import Array
from private_experts.games import NamedExperts, private_reports
from private_experts.privacy import correlated, privatize, reports, side_by_side, tight_tree
from private_experts.privacy.banded import BandedSums
from private_experts.privacy.noise import SecureNoise, SimulatedNoise, perturbed_by_expert
from private_experts.privacy.selection import exponential_mechanism
from private_experts.privacy.tree import TreeSums
from private_experts.replication.study.own_counts import own_games
from private_experts.replication.study.players import prefix_sums
from private_experts.walks.lead_tolerance import LeadTolerance
from tests.mutants.mutant import Mutant, Patch, edited

CLAIM = "000/drawn-noise"
TEST = "tests/replication/papers/p000/test_noise_000.py::test_what_is_drawn_has_the_stated_law"
PRIVACY = "tests/privacy"
OWN = "test_each_call_and_copy_has_numbers_of_its_own_in_the_stated_scale_to_the_digit"
DIGITS = f"{PRIVACY}/test_sums.py::test_the_noise_of_all_releases_together_is_as_described_to_the_digit"


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


def _of_sleepers(change: Callable, put: pytest.MonkeyPatch) -> None:
    put.setattr(sleeping_experts, "exponential_mechanism", change)


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
    predict, kept = Uniform.predict, {}
    put.setattr(Uniform, "predict", lambda self: kept.setdefault(id(self), predict(self)).copy())


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


def _known_extra(change: Callable, put: pytest.MonkeyPatch) -> None:
    """Change the extra noise of games that are known ahead alone."""
    put.setattr(known_advice, "extra_noise", lambda *given: change(extra_noise(*given)))


def _once_for_all_rounds(noise: Array) -> Array:
    return np.repeat(noise[-1:], len(noise), axis=0)


def _louder_credits(put: pytest.MonkeyPatch) -> None:
    covariances = known_advice._covariances

    def mutated(advice, reports, sigma):
        loud = [
            replace(report, scale=2 * report.scale) if np.ndim(report.scale) else report for report in reports
        ]
        return covariances(advice, loud, sigma)

    put.setattr(known_advice, "_covariances", mutated)


def _louder_round(put: pytest.MonkeyPatch) -> None:
    put.setattr(
        rw_meta,
        "shared_variance",
        lambda advice, scale: shared_variance(advice, 2 * scale if np.ndim(scale) else scale),
    )


def _quiet_wide_nodes(put: pytest.MonkeyPatch) -> None:
    perturbed = tight_tree.TightTreeSums._perturbed

    def mutated(self, totals, scales):
        # Left nodes alone are released unless sums are refined; the widest of 16 rounds comes last.
        if self._count == 16:
            scales = [*scales[:-1], 0 * scales[-1]]
        return perturbed(self, totals, scales)

    put.setattr(tight_tree.TightTreeSums, "_perturbed", mutated)


def _quiet_high_level(put: pytest.MonkeyPatch) -> None:
    scale_of = TreeSums._scale_of
    put.setattr(
        TreeSums,
        "_scale_of",
        lambda self, start, end: scale_of(self, start, end) / (8 if end - start == 16 else 1),
    )


def _half_where(condition: Callable, put: pytest.MonkeyPatch) -> None:
    """Halve the noise of a source, where the condition holds of values, scale and repetitions."""
    perturb = SimulatedNoise.perturb
    put.setattr(
        SimulatedNoise,
        "perturb",
        lambda self, values, scale, repetitions: perturb(
            self, values, scale / 2 if condition(values, scale, repetitions) else scale, repetitions
        ),
    )


def _quiet_bands(put: pytest.MonkeyPatch) -> None:
    add = BandedSums.add

    def mutated(self, vector):
        scale = self._scale
        self._scale = 0.0 if self._count >= 8 else scale
        add(self, vector)
        self._scale = scale

    put.setattr(BandedSums, "add", mutated)


def _half_a_given_scale(put: pytest.MonkeyPatch) -> None:
    start = tree_ftpl.TreeSums.__init__

    def mutated(self, *given, scale=None, **settings):
        start(self, *given, scale=None if scale is None else scale / 2 if scale == 4 else scale, **settings)

    put.setattr(tree_ftpl.TreeSums, "__init__", mutated)


def _half_gumbel_of_both(put: pytest.MonkeyPatch) -> None:
    extra = FreshMeta._extra

    def mutated(self):
        gumbel = self.gumbel
        self.gumbel = gumbel / 2 if np.any(self.scale) else gumbel
        noise = extra(self)
        self.gumbel = gumbel
        return noise

    put.setattr(FreshMeta, "_extra", mutated)


def _twice_the_rates(put: pytest.MonkeyPatch) -> None:
    rates = HedgeMeta.rates.fget
    put.setattr(HedgeMeta, "rates", property(lambda self: 2 * rates(self)))


def _costless_noise(put: pytest.MonkeyPatch) -> None:
    put.setattr(hedge_meta, "round_cost", lambda rate, actions, scales: round_cost(rate, actions, 0.0))


def _half_by_expert(put: pytest.MonkeyPatch) -> None:
    put.setattr(
        correlated,
        "perturbed_by_expert",
        lambda noise, values, scale, repetitions: perturbed_by_expert(noise, values, scale / 2, repetitions),
    )


def _half_start_by_expert(put: pytest.MonkeyPatch) -> None:
    start = correlated.MatrixSums.__init__

    def mutated(self, *given, **settings):
        start(self, *given, **settings)
        if self.by_expert:
            self._total = self._total / 2

    put.setattr(correlated.MatrixSums, "__init__", mutated)


def _half_z_0(kind: type, put: pytest.MonkeyPatch) -> None:
    """Halve z_0 where there are several scales."""
    start = kind.__init__

    def mutated(self, *given, noise_scale=None, **settings):
        start(self, *given, noise_scale=noise_scale, **settings)
        if np.ndim(noise_scale) and np.ptp(noise_scale):
            self.total = self.total / 2

    put.setattr(kind, "__init__", mutated)


class _Uniforms:
    """A generator whose uniform numbers (rounds, copies) are changed."""

    def __init__(self, rng: Any, change: Callable) -> None:
        self.rng, self.change = rng, change

    def __getattr__(self, name: str) -> Any:
        return getattr(self.rng, name)

    def random(self, shape: tuple[int, ...]) -> Array:
        return np.broadcast_to(self.change(self.rng.random(shape)), shape)


def _of_hedge(change: Callable, put: pytest.MonkeyPatch) -> None:
    start = Hedge.__init__

    def mutated(self, *given, **settings):
        start(self, *given, **settings)
        self._rng = _Uniforms(self._rng, change)

    put.setattr(Hedge, "__init__", mutated)


def _twice_the_rate_of_hedge(put: pytest.MonkeyPatch) -> None:
    rates = Hedge._rates
    put.setattr(Hedge, "_rates", lambda self, count: 2 * rates(self, count))
    put.setattr(Hedge, "_of_a_round", lambda self: self._drawn(self._totals[None])[0])


def _silent_second_choice(put: pytest.MonkeyPatch) -> None:
    """Let all choices of one game but the first play without their extra noise."""
    many = RWMeta.play_many

    def mutated(advice, choices, repetitions):
        found = many(advice, dict([*choices.items()][:1]), repetitions)
        with pytest.MonkeyPatch.context() as other:
            other.setattr(known_advice, "extra_noise", lambda *given: 0 * extra_noise(*given))
            return many(advice, dict(choices), repetitions) | found

    put.setattr(RWMeta, "play_many", staticmethod(mutated))


def _half_where_copies_differ(put: pytest.MonkeyPatch) -> None:
    """Halve RW-Meta's extra noise where the copies' learners advise differently."""

    def mutated(factors, *given):
        noise = extra_noise(factors, *given)
        return noise / 2 if factors.shape[-3] > 1 else noise

    put.setattr(known_advice, "extra_noise", mutated)


def _half_by_rounds_where_copies_differ(put: pytest.MonkeyPatch) -> None:
    extra = RWMeta._extra
    put.setattr(RWMeta, "_extra", lambda self: extra(self) / (2 if len(self._sigma) > 1 else 1))


def _half_where_known_later(put: pytest.MonkeyPatch) -> None:
    followed = rw_meta.leaders

    def mutated(*given, first_round=1, **settings):
        with pytest.MonkeyPatch.context() as other:
            part = 2 if first_round > 1 else 1
            other.setattr(known_advice, "extra_noise", lambda *of: extra_noise(*of) / part)
            return followed(*given, first_round=first_round, **settings)

    put.setattr(rw_meta, "leaders", mutated)


def _last_of_several(put: pytest.MonkeyPatch) -> None:
    """Let `Delayed` pass on only the last of reports that arrive together."""
    update = RWFTPL.update
    late = Delayed.update

    @wraps(late)  # `play` asks more of an update that is not of the library
    def mutated(self, arrived):
        last = max(arrived, default=0)
        heard = []
        for copy in self._copies:
            deaf = [number for number, played in self._waiting.items() if self._copies[played] is copy]
            heard.append(any(number in arrived and number != last for number in deaf))
        with pytest.MonkeyPatch.context() as other:
            skipped = [copy for copy, skip in zip(self._copies, heard, strict=True) if skip]
            other.setattr(
                RWFTPL,
                "update",
                wraps(update)(lambda own, report: None if own in skipped else update(own, report)),
            )
            late(self, arrived)

    put.setattr(Delayed, "update", mutated)


def _half_of_the_third(kind: type, put: pytest.MonkeyPatch) -> None:
    """Halve what is drawn for learners from the third on."""
    extra = kind._extra

    def mutated(self):
        noise = extra(self)
        noise[..., 2:] /= 2
        return noise

    put.setattr(kind, "_extra", mutated)


def _unpadded_where_uneven(put: pytest.MonkeyPatch) -> None:
    start = TreeSums.__init__

    def mutated(self, *given, sensitivity, padded=False, **settings):
        start(self, *given, sensitivity=sensitivity, padded=padded and not np.ndim(sensitivity), **settings)

    put.setattr(TreeSums, "__init__", mutated)


def _half_left_nodes_by_expert(put: pytest.MonkeyPatch) -> None:
    start = tight_tree.TightTreeSums.__init__

    def mutated(self, *given, refined=False, **settings):
        start(self, *given, refined=refined, **settings)
        part = 2 if self.by_expert and not refined else 1
        self._scales = [scale / part for scale in self._scales]

    put.setattr(tight_tree.TightTreeSums, "__init__", mutated)


def _half_z_0_of_a_sensitivity(put: pytest.MonkeyPatch) -> None:
    start = RWAdaBatch.__init__

    def mutated(self, *given, sensitivity=None, **settings):
        start(self, *given, sensitivity=sensitivity, **settings)
        self.total = self.total / (1 if sensitivity is None else 2)

    put.setattr(RWAdaBatch, "__init__", mutated)


def _second_half_again(put: pytest.MonkeyPatch) -> None:
    """Give the second half of the copies the noise of the first."""
    perturb = SimulatedNoise.perturb

    def mutated(self, values, scale, repetitions):
        half = repetitions // 2
        drawn = perturb(self, 0 * values[:half] if values.ndim == 2 else 0 * values, scale, half)
        return (
            values + np.concatenate([drawn, drawn])
            if repetitions % 2 == 0
            else perturb(self, values, scale, repetitions)
        )

    put.setattr(SimulatedNoise, "perturb", mutated)


def _half_in_narrow_units(module: Any, put: pytest.MonkeyPatch) -> None:
    """Halve the noise of gains whose unit is narrower than 1."""
    gains_of = module.gains_of

    def mutated(*given, **settings):
        array, unit = gains_of(*given, **settings)
        return array, 2 * unit if unit < 1 else unit

    put.setattr(module, "gains_of", mutated)


def _less_first_noise_in_narrow_units(module: Any, put: pytest.MonkeyPatch) -> None:
    """Leave the first noise in its unit where that is narrower than 1."""
    settled = module.scale_or_sensitivity

    def mutated(*given):
        scale, bounds = settled(*given)
        return scale if bounds is None else scale * min(1.0, bounds[1] - bounds[0]), bounds

    put.setattr(module, "scale_or_sensitivity", mutated)


def _sums_in_no_unit(put: pytest.MonkeyPatch) -> None:
    """Add gains to sums as if their unit were [0, 1]."""
    put.setattr(PrefixFTPL, "update_unchecked", lambda self, gains: self._sums.add(gains))


def _fixed_sizes(put: pytest.MonkeyPatch) -> None:
    """Draw signs anew, and the sizes of all rounds once."""
    perturb, sizes = SimulatedNoise.perturb, {}

    def mutated(self, values, scale, repetitions):
        drawn = perturb(self, 0 * values, 1.0, repetitions)
        size = sizes.setdefault((id(self), drawn.shape), abs(drawn))
        return values + np.copysign(size, drawn) * scale

    put.setattr(SimulatedNoise, "perturb", mutated)


def _three_experts(put: pytest.MonkeyPatch) -> None:
    start = Uniform.__init__

    def mutated(self, n, **settings):
        start(self, n, **settings)
        self._n = min(n, 3)

    put.setattr(Uniform, "__init__", mutated)


def _own_scales(change: Callable, put: pytest.MonkeyPatch) -> None:
    """Change the reach, and how many experts a person moves, that own counts have noise for."""
    own_scales, gains_of, units = reports.own_scales, reports.gains_of, [1.0]

    def noted(*given, **settings):
        array, unit = gains_of(*given, **settings)
        units[0] = unit
        return array, unit

    put.setattr(reports, "gains_of", noted)

    def changed(reach, guarantee, moved):
        other_reach, other_moved = change(reach, moved, units[0])
        return own_scales(other_reach, guarantee, other_moved)

    put.setattr(reports, "own_scales", changed)


def _in_two_at_most(put: pytest.MonkeyPatch) -> None:
    """Let mechanisms side by side state the level of a person in two experts' data at most."""
    together = side_by_side._together
    put.setattr(side_by_side, "_together", lambda parts, moved, who: together(parts, min(moved, 2), who))


def _half_of_single_copies_by_expert(put: pytest.MonkeyPatch) -> None:
    for room in (tight_tree, correlated):
        put.setattr(
            room,
            "perturbed_by_expert",
            lambda noise, values, scale, repetitions: perturbed_by_expert(
                noise, values, scale / (2 if repetitions == 1 else 1), repetitions
            ),
        )


def _half_of_late_bands(put: pytest.MonkeyPatch) -> None:
    add = BandedSums.add

    def mutated(self, vector):
        scale = self._scale
        self._scale = scale / 2 if self._count >= 30 else scale
        add(self, vector)
        self._scale = scale

    put.setattr(BandedSums, "add", mutated)


def _half_of_wide_nodes(put: pytest.MonkeyPatch) -> None:
    scale_of = TreeSums._scale_of
    put.setattr(
        TreeSums,
        "_scale_of",
        lambda self, start, end: scale_of(self, start, end) / (2 if end - start >= 32 else 1),
    )


def _half_of_many(kind: type, put: pytest.MonkeyPatch) -> None:
    """Halve what is drawn where there are more than three learners."""
    extra = kind._extra
    put.setattr(kind, "_extra", lambda self: extra(self) / (2 if self.totals.shape[1] > 3 else 1))


def _half_of_three_coordinates(put: pytest.MonkeyPatch) -> None:
    start = tight_tree.TightTreeSums.__init__

    def mutated(self, *given, **settings):
        start(self, *given, **settings)
        part = 2 if self.n > 2 and not self.by_expert else 1
        self._scales = [scale / part for scale in self._scales]

    put.setattr(tight_tree.TightTreeSums, "__init__", mutated)


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
        f"000: {name}, {mechanism}": _mutant(partial(_of_sleepers, change), mechanism)
        for name, change in (
            ("no noise", _surest),
            ("half the noise", _twice_the_rate),
            ("one draw shared by copies", _alike),
        )
        for mechanism in ("SleepingHedge", "SleepingSoftmax")
    },
    "000: no noise, Hedge": _mutant(partial(_of_hedge, lambda drawn: drawn * 0 + 0.5), "Hedge"),
    "000: half the noise, Hedge": _mutant(_twice_the_rate_of_hedge, "Hedge"),
    "000: one draw shared by copies, Hedge": _mutant(partial(_of_hedge, lambda drawn: drawn[:, :1]), "Hedge"),
    "000: one draw shared by halves, Hedge": _mutant(
        partial(_of_hedge, lambda drawn: np.tile(drawn[:, ::2], 2)[:, : drawn.shape[1]]), "Hedge"
    ),
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
    **{
        f"000: {name} extra noise, games known ahead": _mutant(partial(_known_extra, change), "RWMeta")
        for name, change in (
            ("no", lambda noise: 0 * noise),
            ("half the", lambda noise: noise / 2),
            ("one draw of", _once_for_all_rounds),
        )
    },
    "000: four times the variance of own scales, known ahead": _mutant(_louder_credits, "RWMeta"),
    "000: four times the variance of own scales, by rounds": _mutant(_louder_round, "RWMeta"),
    "000: no noise of a node of 16 rounds, tight tree": _mutant(_quiet_wide_nodes, "TightTreeSums"),
    "000: an eighth of the noise of a node of 16 rounds, tree": _mutant(_quiet_high_level, "TreeSums"),
    "000: no noise from vector 9 on, bands": _mutant(_quiet_bands, "BandedSums"),
    "000: half of a given scale, tree leader": _mutant(_half_a_given_scale, "TreeFTPL"),
    "000: half the noise of single copies": _mutant(
        partial(_half_where, lambda values, scale, repetitions: repetitions == 1), "Reports"
    ),
    "000: half the noise of gains per copy": _mutant(
        partial(
            _half_where,
            lambda values, scale, repetitions: values.ndim == 2 and not np.array_equal(scale, 1.0),
        ),
        "Reports",
    ),
    "000: half the Gumbel noise beside normal noise": _mutant(_half_gumbel_of_both, "FreshMeta"),
    "000: twice the rates, HedgeMeta": _mutant(_twice_the_rates, "HedgeMeta"),
    "000: noise costs nothing, HedgeMeta": _mutant(_costless_noise, "HedgeMeta"),
    "000: half the noise by expert, correlated reports": _mutant(_half_by_expert, "SideBySideReports"),
    "000: half the first noise by expert, matrices": _mutant(_half_start_by_expert, "SideBySideSums"),
    "000: half z_0 of own scales, RW-FTPL": _mutant(partial(_half_z_0, RWFTPL), "RWFTPL"),
    "000: half z_0 of scales of rounds, RW-AdaBatch": _mutant(partial(_half_z_0, RWAdaBatch), "RWAdaBatch"),
    "000: one draw for a stretch, Hedge": _mutant(partial(_of_hedge, lambda drawn: drawn[:1]), "Hedge"),
    "000: no noise of a second choice, games known ahead": _mutant(_silent_second_choice, "RWMeta"),
    "000: half the noise where copies' advice differs, known ahead": _mutant(
        _half_where_copies_differ, "RWMeta"
    ),
    "000: half the noise where copies' advice differs, by rounds": _mutant(
        _half_by_rounds_where_copies_differ, "RWMeta"
    ),
    "000: half the noise of games that become known later": _mutant(_half_where_known_later, "RWMeta"),
    "000: the last of reports that arrive together, delayed": _mutant(_last_of_several, "Delayed"),
    "000: half the noise of a third learner, FreshMeta": _mutant(
        partial(_half_of_the_third, FreshMeta), "FreshMeta"
    ),
    "000: half the noise of a third learner, HedgeMeta": _mutant(
        partial(_half_of_the_third, HedgeMeta), "HedgeMeta"
    ),
    "000: no padding of uneven rounds, tree": _mutant(_unpadded_where_uneven, "TreeSums"),
    "000: half the noise of left nodes by expert": _mutant(_half_left_nodes_by_expert, "SideBySideSums"),
    "000: half z_0 of a sensitivity, RW-AdaBatch": _mutant(_half_z_0_of_a_sensitivity, "RWAdaBatch"),
    "000: one draw shared by both halves of the copies, reports": _mutant(_second_half_again, "Reports"),
    "000: one draw shared by both halves of the copies, trees": _mutant(_second_half_again, "TightTreeSums"),
    "000: half the noise in a narrow unit, one report": _mutant(
        partial(_half_in_narrow_units, reports), "Reports"
    ),
    "000: half the noise in a narrow unit, all rounds": _mutant(
        partial(_half_in_narrow_units, sys.modules[private_reports.__module__]), "Reports"
    ),
    "000: less z_0 in a narrow unit, RW-FTPL": _mutant(
        partial(_less_first_noise_in_narrow_units, rw_ftpl), "RWFTPL"
    ),
    "000: less z_0 in a narrow unit, RW-AdaBatch": _mutant(
        partial(_less_first_noise_in_narrow_units, rw_adabatch), "RWAdaBatch"
    ),
    "000: sums in no unit": _mutant(_sums_in_no_unit, "PrefixFTPL"),
    "000: sums in no unit, tree": _mutant(_sums_in_no_unit, "TreeFTPL"),
    "000: sizes of noise reused between rounds, signs anew": _mutant(_fixed_sizes, "Reports"),
    "000: drawn among three experts, uniform": _mutant(_three_experts, "Uniform"),
    **{
        f"000: own counts, {name}": _mutant(partial(_own_scales, change), "Reports")
        for name, change in (
            ("a person in two experts at most", lambda reach, moved, unit: (reach, min(moved, 2))),
            (
                "half the noise in another unit",
                lambda reach, moved, unit: (reach / (1 if unit == 1 else 2), moved),
            ),
        )
    },
    "000: own counts, half the noise of gains per copy": _mutant(
        partial(_half_where, lambda values, scale, repetitions: np.ndim(scale) == 1 and values.ndim == 2),
        "Reports",
    ),
    "000: side by side, a person in two experts at most": Mutant(
        _in_two_at_most,
        CLAIM,
        f"{PRIVACY}/test_side_by_side.py::test_the_guarantee_is_that_of_the_worst_experts",
        "SideBySideSums",
    ),
    "000: side by side, half the noise of a single copy": Mutant(
        _half_of_single_copies_by_expert,
        CLAIM,
        f"{PRIVACY}/test_side_by_side.py::test_reports_of_one_mechanism_are_those_of_many",
        "SideBySideReports",
    ),
    **{
        f"000: {what}": Mutant(
            edited(SimulatedNoise.perturb, old, new), CLAIM, f"{PRIVACY}/test_noise.py::{OWN}", "Reports"
        )
        for what, old, new in (
            ("a thirtieth less noise", "report *= scale", "report *= 0.97 * scale"),
            (
                "half the noise of gains of 1",
                "report *= scale",
                "report *= scale * np.where(values < 1, 1, 0.5)",
            ),
            (
                "every thousandth copy draws the same",
                "standard_normal(shape)",
                "standard_normal(shape)[np.arange(repetitions) % 1000]",
            ),
            (
                "every sixteenth round draws the same",
                "self._rng.standard_normal(shape)",
                "(vars(self).setdefault('kept', []).append(self._rng.standard_normal(shape))"
                " or self.kept[(len(self.kept) - 1) % 16]).copy()",
            ),
        )
    },
    "000: the least scale of secure noise for all experts": Mutant(
        edited(SecureNoise.perturb, "self._with_noise(*column)", "self._with_noise(column[0], scale.min())"),
        CLAIM,
        f"{PRIVACY}/test_noise.py::test_secure_noise_has_the_scale_of_each_expert",
        "Reports",
    ),
    "000: half the noise by expert, of five and more": Mutant(
        edited(
            perturbed_by_expert, "noise.perturb(wide, 1.0, n)", "noise.perturb(wide, 1 / (1 + (n > 4)), n)"
        ),
        CLAIM,
        f"{PRIVACY}/test_side_by_side.py::"
        "test_one_mechanism_with_a_sensitivity_for_each_expert_does_as_many_mechanisms",
        "SideBySideReports",
    ),
    "000: one draw shared by copies, a play that makes reports": Mutant(
        edited(
            sys.modules[private_reports.__module__]._made_private, "noise, copies, bounds", "noise, 1, bounds"
        ),
        CLAIM,
        "tests/games/test_play.py::test_true_gains_reach_no_local_algorithm",
        "RWFTPL",
    ),
    **{
        f"000: half the noise of losses, {what}": Mutant(
            edited(function, old, new),
            CLAIM,
            "tests/games/test_play.py::test_every_round_is_privatised_once_with_its_own_scale",
            "Reports",
        )
        for what, function, old, new in (
            ("all rounds", private_reports, "dtype=np.float64) / unit", "dtype=np.float64) / (1 + losses)"),
            (
                "one report",
                privatize,
                "reach = sensitivity if",
                "reach = sensitivity / 2 if losses else sensitivity if",
            ),
        )
    },
    **{
        f"000: the study's {what}": Mutant(
            edited(function, old, new), CLAIM, f"tests/replication/study/{test}", mechanism
        )
        for what, function, old, new, test, mechanism in (
            (
                "sums at twice the level",
                prefix_sums.play,
                'GaussianDP(mu, "central")',
                'GaussianDP(2 * mu, "central")',
                "players/test_prefix_sums.py::"
                "test_the_noise_of_plays_is_scaled_to_their_level_and_each_weeks_own_sensitivity",
                "PrefixFTPL",
            ),
            (
                "sums with one draw for all copies",
                prefix_sums.play,
                "repetitions=game.repetitions",
                "repetitions=1",
                "players/test_prefix_sums.py::"
                "test_the_noise_of_plays_is_scaled_to_their_level_and_each_weeks_own_sensitivity",
                "PrefixFTPL",
            ),
            (
                "noise for all in a public file, for other figures",
                own_games.play_covered,
                "sensitivity=_covering_sensitivity(game)",
                "sensitivity=game.sensitivity",
                "own_counts/test_own_games.py::"
                "test_covering_noise_is_for_what_one_person_moves_in_the_public_file",
                "Reports",
            ),
        )
    },
    "000: noise reused where gains stay, experts by name": Mutant(
        edited(
            NamedExperts._report,
            "self._privatize(values)",
            "vars(self).setdefault('kept', {}).setdefault(values.tobytes(), self._privatize(values))",
        ),
        CLAIM,
        "tests/games/test_named_experts.py::test_a_local_algorithm_hears_reports",
        "RWFTPL",
    ),
    "000: half the noise drawn by threads": Mutant(
        edited(
            SimulatedNoise.perturb, "        part *= scale[", "        part /= 2\n            part *= scale["
        ),
        CLAIM,
        f"{PRIVACY}/test_noise.py::test_any_number_of_threads_draws_the_same_noise[False-shape0]",
        "Reports",
    ),
    **{
        f"000: half the noise from round 40 on, {kind.__name__}": Mutant(
            edited(kind._extra, old, f"{old} / (1 + (self._round > 40))"),
            CLAIM,
            f"tests/algorithms/{test}",
            kind.__name__,
        )
        for kind, old, test in (
            (
                HedgeMeta,
                "self.rates[:, None]",
                "test_hedge_meta.py::test_noise_is_of_the_rate_for_any_number_of_learners_to_the_digit",
            ),
            (
                FreshMeta,
                "self._rng.standard_normal(self.totals.shape)",
                "test_fresh_meta.py::test_noise_has_its_scales_for_any_number_of_learners_to_the_digit",
            ),
        )
    },
    "000: half the noise of five learners, HedgeMeta": Mutant(
        partial(_half_of_many, HedgeMeta),
        CLAIM,
        "tests/algorithms/test_hedge_meta.py::"
        "test_noise_is_of_the_rate_for_any_number_of_learners_to_the_digit",
        "HedgeMeta",
    ),
    "000: half the noise of five learners, FreshMeta": Mutant(
        partial(_half_of_many, FreshMeta),
        CLAIM,
        "tests/algorithms/test_fresh_meta.py::"
        "test_noise_has_its_scales_for_any_number_of_learners_to_the_digit",
        "FreshMeta",
    ),
    **{
        f"000: half the noise, {name}": Mutant(patch, CLAIM, DIGITS, mechanism)
        for name, patch, mechanism in (
            ("bands from vector 31 on", _half_of_late_bands, "BandedSums"),
            ("nodes of 32 rounds", _half_of_wide_nodes, "TreeSums"),
            ("trees of three coordinates", _half_of_three_coordinates, "TightTreeSums"),
        )
    },
}
