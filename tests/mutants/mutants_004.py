"""Mutants of what draws in paper 004's algorithms: their generators, and what is made of their draws."""

from collections.abc import Callable, Mapping
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms import (
    dyadic_leader,
    fixed_share,
    pooled_draws,
    secure_draws,
    shrinking_dartboard,
    sleeping_experts,
    switching_dartboard,
    switching_softmax,
)
from private_experts.algorithms.all_windows import AllWindows
from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.noisy_fixed_share import NoisyFixedShare
from private_experts.algorithms.pooled_draws import PooledDraws
from private_experts.algorithms.restarting_leader import RestartingLeader
from private_experts.algorithms.sequence_weights import SequenceWeights
from private_experts.algorithms.shrinking_dartboard import ShrinkingDartboard
from private_experts.algorithms.sleeping_experts import SleepingExperts
from private_experts.algorithms.sleeping_softmax import SleepingSoftmax
from private_experts.algorithms.switching_dartboard import SwitchingDartboard
from private_experts.algorithms.switching_softmax import SwitchingSoftmax
from private_experts.privacy import above_threshold
from private_experts.privacy.above_threshold import AboveThreshold
from private_experts.privacy.guarantees import ApproximateDP
from tests.mutants.mutant import Mutant, Patch, edited, replaced, together

CLAIM = "004/drawn-noise"
TEST = "tests/replication/papers/p004/test_noise_004.py::test_what_is_drawn_has_its_law"

Draw = np.ndarray
Change = Callable[[Draw, int], Draw]  # what was drawn, and how often before


class Changed(np.random.Generator):
    """A generator whose draws by one method are changed."""

    def __init__(self, rng: np.random.Generator, method: str, change: Change) -> None:
        super().__init__(rng.bit_generator)
        draw, calls = getattr(super(), method), iter(range(10**9))
        setattr(self, method, lambda *given, **more: change(draw(*given, **more), next(calls)))


def none(drawn: Draw, call: int) -> Draw:
    """Nothing is drawn."""
    return np.zeros_like(drawn)


def half(drawn: Draw, call: int) -> Draw:
    """Half of it."""
    return drawn / 2


def shared(drawn: Draw, call: int) -> Draw:
    """The first copy's for all copies."""
    return np.broadcast_to(drawn[:1], drawn.shape).copy()


def halves(drawn: Draw, call: int) -> Draw:
    """The first half of the copies' for the second."""
    half = len(drawn) // 2
    return np.concatenate([drawn[: len(drawn) - half], drawn[:half]])


def reused() -> Change:
    """What was drawn first, again and again."""
    kept: dict[tuple[int, ...], Draw] = {}
    return lambda drawn, call: kept.setdefault(drawn.shape, drawn)


def drawing(module: ModuleType, method: str, change: Callable[[], Change]) -> Patch:
    """A class of a module draws otherwise by a method of its generator; a change lasts for one object."""
    honest: Any = module.generator

    def patch(put: pytest.MonkeyPatch) -> None:
        put.setattr(module, "generator", lambda *given: Changed(honest(*given), method, change()))

    return patch


CHANGES: dict[str, Callable[[], Change]] = {
    "none": lambda: none,
    "half": lambda: half,
    "first only": lambda: lambda drawn, call: drawn if call == 0 else np.zeros_like(drawn),
    "reused": reused,
    "shared by copies": lambda: shared,
}
# The exponential mechanism draws exponential variables, whose logarithms are the noise.
LOGARITHMS: dict[str, Callable[[], Change]] = {
    "none": lambda: lambda drawn, call: np.ones_like(drawn),
    "half": lambda: lambda drawn, call: np.sqrt(drawn),
    "first only": lambda: lambda drawn, call: drawn if call == 0 else np.ones_like(drawn),
}
# Where something is drawn: the class, its module, and the generator's method.
PLACES = {
    "selections of the dyadic leader, Laplace": ("DyadicLeader", dyadic_leader, "laplace"),
    "selections of the dyadic leader, Gumbel": ("DyadicLeader", dyadic_leader, "standard_exponential"),
    "selections of the restarting leader": ("RestartingLeader", dyadic_leader, "laplace"),
    "draws of the shrinking dartboard": ("ShrinkingDartboard", shrinking_dartboard, "gumbel"),
    "draws of the switching dartboard": ("SwitchingDartboard", switching_dartboard, "gumbel"),
    "draws of the switching softmax": ("SwitchingSoftmax", switching_softmax, "standard_exponential"),
    "draws of the sleeping softmax": ("SleepingSoftmax", sleeping_experts, "standard_exponential"),
    "lottery of the shrinking dartboard": ("ShrinkingDartboard", shrinking_dartboard, "uniform"),
    "lottery of the switching dartboard": ("SwitchingDartboard", switching_dartboard, "uniform"),
}


def noise_of_shares(change: Callable[[Draw, NoisyFixedShare, int], Draw]) -> Patch:
    """Noisy fixed share draws other noise, given as (rounds, copies, experts) with the first round."""

    def made(honest: Any) -> Any:
        def drawn(self: NoisyFixedShare, shape: tuple[int, ...]) -> Draw:
            before = self._coming
            return change(honest(self, shape), self, before)

        return drawn

    return replaced(NoisyFixedShare, "_drawn_exponents", made)


def _same(noise: Draw, share: NoisyFixedShare, before: int) -> Draw:
    share.kept = getattr(share, "kept", noise[:1].copy())  # type: ignore[attr-defined]
    return np.broadcast_to(share.kept, noise.shape).copy()  # type: ignore[attr-defined]


SHARES: dict[str, Callable[[Draw, NoisyFixedShare, int], Draw]] = {
    "none": lambda noise, share, before: 0 * noise,
    "half": lambda noise, share, before: noise / 2,
    "first only": lambda noise, share, before: noise * (before + np.arange(len(noise)) == 0)[:, None, None],
    "reused": _same,
    "shared by copies": lambda noise, share, before: np.broadcast_to(noise[:, :1], noise.shape).copy(),
    "none beyond the horizon": lambda noise, share, before: (
        noise * (before + np.arange(len(noise)) < share._scales.size)[:, None, None]
    ),
    "shared by halves": lambda noise, share, before: halves(noise.swapaxes(0, 1), 0).swapaxes(0, 1),
    "shared by experts": lambda noise, share, before: np.broadcast_to(noise[..., :1], noise.shape).copy(),
    "shared by pairs of experts": lambda noise, share, before: noise[..., np.arange(noise.shape[-1]) % 2],
}


_QUERIES = "self._rng.laplace(scale=2 * self._scale"  # their noise
_THRESHOLD = "self._threshold = self._rng.laplace(scale=self._scale, size=repetitions)"
_LATER = "self._threshold[which] = self._rng.laplace("


def scaled(query: float, threshold: float) -> Patch:
    """AboveThreshold's noise on queries and on the threshold is so many times as large."""
    return together(
        edited(AboveThreshold.__init__, _THRESHOLD, f"{{0}} * {threshold}"),
        edited(AboveThreshold.restart, _LATER, f"self._threshold[which] = {threshold} * self._rng.laplace("),
        edited(AboveThreshold.test, _QUERIES, f"{query} * {_QUERIES}"),
        replaced(
            AboveThreshold,
            "hazard",
            lambda honest: staticmethod(lambda margins: honest(margins / max(query, 1e-9))),
        ),
        # its bounds for the rounds to come are for the stated noise
        edited(AllWindows.quiet, "if most > 0", "if False"),
        edited(AllWindows._look, "start =", "self._bounded, start = False,"),
    )


def settled(module: ModuleType, change: Callable[[Any, Any, Any], Mapping[str, float]]) -> Patch:
    """A dartboard plays with other parameters than those that its guarantee is about.

    They are made of its own, of the guarantee, and of the parameters that were given.
    """

    def made(honest: Any) -> Any:
        def settle(who: Any, guarantee: Any, n: Any, horizon: Any, batched: Any, given: Any) -> Any:
            found, stated = honest(who, guarantee, n, horizon, batched, given)
            return found._replace(**change(found, guarantee, given)), stated

        return settle

    return replaced(module, "settle", made)


def _twice(when: Callable[[Any, Any], bool]) -> Callable[[Any, Any, Any], Mapping[str, float]]:
    """Twice the step for some parameters and guarantees, where it is derived from these."""
    return lambda found, level, given: {"eta": found.eta * (1 + (given is None and when(found, level)))}


SETTLED: dict[str, Callable[[Any, Any, Any], Mapping[str, float]]] = {
    "twice a small step": lambda found, level, given: {"eta": found.eta * (1 + (found.eta < 0.2))},
    "twice the step of an approximate guarantee": _twice(
        lambda found, level: isinstance(level, ApproximateDP)
    ),
    "twice the step of a guarantee in batches": _twice(lambda found, level: found.batch > 1),
    "twice the step": lambda found, level, given: {"eta": 2 * found.eta},
    "half of the lotteries' draws": lambda found, level, given: {"p": found.p / 2},
    "no limit on draws": lambda found, level, given: {"budget": np.inf},
}


def counts(change: Change) -> Patch:
    """The noise in counts of a pool of draws is changed."""
    return replaced(
        PooledDraws, "_count_noise", lambda honest: lambda self, copies: change(honest(self, copies), 0)
    )


def _kept_counts(honest: Any) -> Any:
    """Return noise of counts that is drawn once for each number of copies and of rounds."""
    kept: dict[tuple[int, int], Draw] = {}
    return lambda self, copies: kept.setdefault((copies, self.parameters.epoch), honest(self, copies))


def _forgets(honest: Any) -> Any:
    return lambda self, log_factors: honest(self, 0 * log_factors)


def _spaced(honest: Any) -> Any:
    return lambda weights, uniforms: honest(weights, np.broadcast_to(uniforms[:, :1], uniforms.shape))


def _stay(weights: Draw, tilts: Draw, floor: float) -> None:
    weights[1:] = weights[0]


DARTBOARDS = {"ShrinkingDartboard": shrinking_dartboard, "SwitchingDartboard": switching_dartboard}
# By name: the mechanism of the claim, and the patch.
PATCHES: dict[str, tuple[str, Patch]] = {
    "counts of the pool: no noise": ("PooledDraws", counts(none)),
    "counts of the pool: half the noise": ("PooledDraws", counts(half)),
    "counts of the pool: noise shared by copies": (
        "PooledDraws",
        counts(lambda noise, call: noise[:, :1] + 0 * noise),
    ),
    "counts of the pool: noise reused": ("PooledDraws", replaced(PooledDraws, "_count_noise", _kept_counts)),
    "pool of draws: no update": ("PooledDraws", replaced(SequenceWeights, "add", _forgets)),
    "switching dartboard: no update": ("SwitchingDartboard", replaced(SequenceWeights, "add", _forgets)),
    "switching softmax: no update": ("SwitchingSoftmax", replaced(SequenceWeights, "add", _forgets)),
    "fixed share: no update": ("FixedShare", replaced(fixed_share, "follow", lambda honest: _stay)),
    "fixed share: one draw shared by copies": ("FixedShare", replaced(fixed_share, "experts_at", _spaced)),
    **{
        f"noise of fixed share: {name}": ("NoisyFixedShare", noise_of_shares(changed))
        for name, changed in SHARES.items()
    },
    **{
        f"{kind}: {name}": (kind, settled(module, change))
        for kind, module in DARTBOARDS.items()
        for name, change in SETTLED.items()
    },
    **{
        f"noise of queries in {kind}: {name}": (kind, scaled(factor, 1.0))
        for kind in ("AboveThreshold", "RestartingLeader")
        for name, factor in (("none", 0.0), ("half", 0.5))
    },
    "noise of the threshold: none": ("AboveThreshold", scaled(1.0, 0.0)),
    "noise of the threshold: half": ("AboveThreshold", scaled(1.0, 0.5)),
    "restarting leader: no noise of queries after the second restart": (
        "RestartingLeader",
        together(
            edited(
                AboveThreshold.restart,
                "self.halted",
                "self.starts = vars(self).get('starts', 0) + which; self.halted",
            ),
            edited(
                AboveThreshold.exceeds,
                "< hazard)",
                "< np.where((vars(self).get('starts', 0) + 0 * self.halted)[rows] < 2, hazard, "
                "np.where(hazard > math.log(2), np.inf, 0)))",
            ),
        ),
    ),
}
_RACE = "self._rng.gumbel(size=self._shape)"
_LEADER = "self.select(self._scores[which])"
_AGAIN = "(weights + self._rng.gumbel(size=weights.shape)).argmax(axis=1)"
_LOTTERY = "self._rng.uniform(size=self._actions.size)"
_MADE = "self._printed = printed"  # when a restarting leader has its leader
_LOUDER = _MADE + "; self._leader.guarantee = PureDP(epsilon / 2 * (1 + ({})), 'central')"


def by_law(kind: str, function: Any, old: str, new: str) -> Mutant:
    """A mechanism of the claim has another law with other words in a function."""
    return Mutant(edited(function, old, new), CLAIM, f"{TEST}[{kind}]")


def by_digits(test: str, kind: str, function: Any, old: str, new: str) -> Mutant:
    """The same, where its test compares numbers one by one."""
    return Mutant(edited(function, old, new), CLAIM, f"tests/{test}", kind)


above = partial(by_law, "AboveThreshold")
restarting = partial(by_law, "RestartingLeader")
switching = partial(by_law, "SwitchingDartboard")
shrinking = partial(by_law, "ShrinkingDartboard")
noisy_share = partial(by_law, "NoisyFixedShare")
EDITS: dict[str, Mutant] = {
    "dyadic leader: no update": by_law(
        "DyadicLeader", DyadicLeader._begin, _LEADER, "self.select(0 * self._scores[which])"
    ),
    "shrinking dartboard: no update": shrinking(ShrinkingDartboard.update_unchecked, "self._step *", "0 *"),
    "sleeping softmax: no update": by_law(
        "SleepingSoftmax", SleepingSoftmax.update, "values - played - cost", "0 * values"
    ),
    "noise of queries: one for all": above(
        AboveThreshold.test,
        f"{_QUERIES}, size=several.shape)",
        f"vars(self).setdefault('kept', {_QUERIES}, size=(len(several), 1)))",
    ),
    "noise of queries: none in quiet rounds": above(
        AboveThreshold.patient, "if not impatient.any():", "if True:"
    ),
    "noise of queries: half of it in a single copy": above(
        AboveThreshold.test, "several = ", "several = (1 + (len(queries) == 1)) * "
    ),
    "noise of the threshold: kept at a restart": above(
        AboveThreshold.restart, f"{_LATER}scale=self._scale, size=np.count_nonzero(which))", "pass"
    ),
    "noise of the threshold: shared by copies": above(
        AboveThreshold.__init__, _THRESHOLD, "{0}; self._threshold[:] = self._threshold[0]"
    ),
    "noise of the threshold in the restarting leader: shared by copies": restarting(
        AboveThreshold.__init__, _THRESHOLD, "{0}; self._threshold[:] = self._threshold[0]"
    ),
    "restarting leader: half the threshold of a later phase": restarting(
        AboveThreshold.restart, _LATER, "self._threshold[which] = 0.5 * self._rng.laplace("
    ),
    "restarting leader: old thresholds of later phases": restarting(
        AboveThreshold.restart, _LATER, "_ = self._rng.laplace("
    ),
    "restarting leader: a restart changes all thresholds": restarting(
        AboveThreshold.restart, "self.halted", "self._threshold[~which] *= -1; self.halted"
    ),
    "restarting leader: no restart": restarting(
        RestartingLeader.update_unchecked, "ends =", "self._leader.restart = lambda which: None; ends ="
    ),
    "restarting leader: twice the leader's level, dyadic and gumbel": restarting(
        RestartingLeader.__init__, _MADE, _LOUDER.format("windows + selection == 'dyadicgumbel'")
    ),
    "restarting leader: twice the leader's level, dyadic and printed": restarting(
        RestartingLeader.__init__, _MADE, _LOUDER.format("printed and windows + selection == 'dyadiclaplace'")
    ),
    "restarting leader: lower thresholds": restarting(
        RestartingLeader.__init__, "self._windows.most_windows)", "self._windows.most_windows) - 0.1"
    ),
    "restarting leader: half the lottery of rounds that are passed over": restarting(
        AllWindows.quiet, "self._bound)", "0.5 * self._bound)"
    ),
    "restarting leader: no lottery of rounds that are passed over": restarting(
        AllWindows.quiet, "self._bound)", "0 * self._bound)"
    ),
    "restarting leader: leader and thresholds draw the same": restarting(
        RestartingLeader.__init__, "rng.spawn(1)[0]", "__import__('copy').deepcopy(rng)"
    ),
    **{
        f"dyadic leader: no noise from block {least} on": by_law(
            "DyadicLeader",
            DyadicLeader._begin,
            _LEADER,
            f"np.where(lengths >= {least}, self._scores[which].argmax(axis=-1), {{0}})",
        )
        for least in (8, 16)
    },
    "switching dartboard: half the noise of draws with two switches": switching(
        SwitchingDartboard._begin, "(wide,", "(wide * (1 + (self._switches > 1)),"
    ),
    "switching dartboard: no move with two switches": switching(
        SwitchingDartboard._go_on, "if left < 0:", "if left < 0 or self._switches > 1:"
    ),
    "races of the switching dartboard: none": switching(SwitchingDartboard._go_on, _RACE, "0 * {0}"),
    "races of the switching dartboard: shared by copies": switching(
        SwitchingDartboard._go_on, _RACE, "np.tile({0}[:1], (self._shape[0], 1))"
    ),
    **{
        f"SwitchingDartboard: no noise from the {name} draw on": switching(
            SwitchingDartboard._begin,
            "(wide,",
            f"(wide * np.where(self.draws[where] >= {least}, 1e9, 1)[:, None, None],",
        )
        for name, least in (("third", 2), ("fourth", 3))
    },
    **{
        f"ShrinkingDartboard: no noise from the {name} draw on": shrinking(
            ShrinkingDartboard._draw, "(weights +", f"(weights + (self.draws[where] < {least})[:, None] *"
        )
        for name, least in (("third", 2), ("fourth", 3))
    },
    "lottery of the shrinking dartboard: shared by copies in batches of 3": shrinking(
        ShrinkingDartboard._draw, _LOTTERY, "{0}[np.arange(self._actions.size) * (self._batch < 3)]"
    ),
    "draws of the shrinking dartboard: the first expert again": shrinking(
        ShrinkingDartboard._draw, _AGAIN, "({0}, vars(self).setdefault('kept', self._before)[where])[1]"
    ),
    "noise of fixed share: half where scales are unequal": noisy_share(
        NoisyFixedShare._drawn_exponents, "scales[:, None, None]", "scales[:, None, None] / 2"
    ),
    "noise of fixed share: none of gains of each copy, round by round": noisy_share(
        NoisyFixedShare.update_unchecked, "next(", "(gains.ndim == 1) * next("
    ),
}
_CLOCK = "self._rng.standard_exponential(where.size)"
_COUNTS = "self._count_noise(where.size)"
_OF_POOL = "algorithms/test_pooled_draws.py::test_each_draw_has_a_clock_and_noise_of_its_own_to_the_digit"
_OF_RELEASE = (
    "algorithms/test_secure_draws.py::"
    "test_each_entry_has_noise_of_its_own_in_the_scale_of_its_slot_to_the_digit"
)
_OF_SHARE = "algorithms/test_fixed_share.py::test_noise_has_its_scale_in_every_round_to_the_digit"
_OF_SLEEPERS = (
    "algorithms/test_sleeping.py::test_with_gains_of_each_copy_every_copy_is_credited_and_drawn_by_its_own"
)
pooled = partial(by_digits, _OF_POOL, "PooledDraws")
released = partial(by_digits, _OF_RELEASE, "PooledDraws", PooledDraws._release)
DIGITS: dict[str, Mutant] = {
    "clocks of the pool: reused between epochs": pooled(
        PooledDraws._draw, _CLOCK, "vars(self).setdefault('kept', {}).setdefault(where.size, {0})"
    ),
    "clocks of the pool: a twentieth longer": pooled(PooledDraws._draw, _CLOCK, "1.05 * {0}"),
    "counts of the pool: slots from the fourth on share noise": pooled(
        PooledDraws._draw,
        _COUNTS,
        "({0} if slots[0] < 3 else vars(self).setdefault('kept', {}).setdefault(where.size, {0}))",
    ),
    "counts of the pool: no noise of nodes of eight rounds": by_digits(
        "algorithms/test_pooled_draws.py::test_a_count_has_the_noise_of_its_nodes_or_of_its_filter_to_the_digit",
        "PooledDraws",
        PooledDraws._count_noise,
        "+= nodes",
        "+= (level < 3) * nodes",
    ),
    "draws of the secure pool: shared by copies": by_digits(
        "algorithms/test_secure_draws.py::test_draws_have_probabilities_exactly_in_the_ratio_of_weights",
        "PooledDraws",
        secure_draws.drawn_exactly,
        "for law in weights:",
        "for law in weights[:1]:",
    ),
    "counts of the secure pool: half the noise": released("UNIT, 1)", "UNIT / 2, 1)"),
    "counts of the secure pool: noise in the first round alone": released(
        "(noisy * scales)", "(sums if first else noisy * scales)"
    ),
    "counts of the secure pool: the noise of the first slot": released(
        "scales)[slots]", "scales)[0 * slots]"
    ),
    "counts of the secure pool: Gaussian noise alone": released("noise.laplace", "noise.perturb"),
    "lottery of the shrinking dartboard: half from draw 30 on": by_digits(
        "algorithms/test_shrinking_dartboard.py::test_each_lottery_and_draw_has_numbers_of_its_own_to_the_digit",
        "ShrinkingDartboard",
        ShrinkingDartboard._draw,
        "(1 - self._p)",
        "(1 - self._p / (1 + (self.draws > 30)))",
    ),
    "races of the switching dartboard: among the first eight experts": by_digits(
        "algorithms/test_switching.py::test_a_switch_goes_to_any_other_expert",
        "SwitchingDartboard",
        SwitchingDartboard._go_on,
        _RACE,
        "{0} - 1e9 * (np.arange(self._shape[1]) > 7)",
    ),
    "draws of the switching softmax: half from round 40 on": by_digits(
        "algorithms/test_switching.py::test_each_round_is_drawn_from_its_law_to_the_digit",
        "SwitchingSoftmax",
        SwitchingSoftmax.predict,
        "self._shape), 1.0,",
        "self._shape), 1.0 if self._weights.round < 40 else 2.0,",
    ),
    "draws of the sleeping softmax: half from round 40 on": by_digits(
        _OF_SLEEPERS,
        "SleepingSoftmax",
        SleepingExperts.predict,
        "self.rate, self._rng",
        "self.rate * (1 if self._round < 40 else 2), self._rng",
    ),
    "sleeping softmax: gains of each copy, played are those of the first": by_digits(
        _OF_SLEEPERS,
        "SleepingSoftmax",
        SleepingSoftmax.update,
        "[self.predict()]",
        "[np.tile(self.predict()[:1], repetitions)]",
    ),
    "noise of fixed share: the first scale where the last is alike": by_digits(
        _OF_SHARE,
        "NoisyFixedShare",
        NoisyFixedShare._drawn_exponents,
        "(scales == scales[0]).all()",
        "scales[-1] == scales[0]",
    ),
    "noise of fixed share: half beyond round 500": by_digits(
        _OF_SHARE,
        "NoisyFixedShare",
        NoisyFixedShare._drawn_exponents,
        "noise *= ",
        "noise /= 1 + (rounds >= 500)[:, None, None]; noise *= ",
    ),
    "noise of queries: shared from the ninth of a call on": by_digits(
        "privacy/test_above_threshold.py::test_every_draw_has_the_scale_of_the_law_and_answers_its_own_query",
        "AboveThreshold",
        AboveThreshold.test,
        "size=several.shape)",
        "size=several.shape)[:, np.arange(several.shape[1]) % 8]",
    ),
}
# Claims about a mechanism notice it as well, since they rest on one that plays it. In epochs of two rounds
# those of the pool are hardly seen, so that longer ones decide.
_PLAYED = "tests/replication/papers/p004/test_played.py::test_"
_WEIGHTS = "tests/replication/papers/p004/test_pool.py::test_the_play_has_the_law_of_multiplicative_weights"
_LIVES = "np.asarray(self._clocks[places] > self.parameters.eta * counts)"
CLAIMS: dict[str, tuple[str, str, Patch]] = {
    "switching dartboard: no update, played": (
        "tracker-played",
        f"{_PLAYED}the_tracker_loses_what_its_law_says",
        replaced(SequenceWeights, "add", _forgets),
    ),
    "noise of queries: none, played": (
        "answers-played",
        f"{_PLAYED}answers_have_their_law",
        scaled(0.0, 1.0),
    ),
    **{
        f"pool of draws: {name}, against multiplicative weights": ("pool-law", _WEIGHTS, edited(*edit))
        for name, edit in {
            "death for good": (
                PooledDraws._alive,
                f"return {_LIVES}",
                f"lives = {_LIVES}; self._clocks[places] -= np.where(lives, 0, np.inf); return lives",
            ),
            "no losses before a draw": (PooledDraws._draw, "self._paid(slots, where).sum(axis=0)", "0"),
            "shift below zero": (PooledDraws.__init__, "= shifts(", "= -shifts("),
        }.items()
    },
}


def _drawn() -> dict[str, tuple[str, Patch]]:
    """Return the mutants of what a generator draws: by name, the mechanism of the claim and the patch."""
    found: dict[str, tuple[str, Patch]] = {}
    for place, (kind, module, method) in PLACES.items():
        for name, change in {**CHANGES, **(LOGARITHMS if method == "standard_exponential" else {})}.items():
            # Only some copies draw anew, so that what one of them drew before has another place.
            if (module, method, name) != (shrinking_dartboard, "gumbel", "reused"):
                found[f"{place}: {name}"] = kind, drawing(module, method, change)
    for place, (kind, module, method) in {
        **{place: where for place, where in PLACES.items() if where[2] != "gumbel"},
        "noise of the threshold and of queries": ("AboveThreshold", above_threshold, "laplace"),
        "lottery of queries": ("AboveThreshold", above_threshold, "standard_exponential"),
        "noise of the threshold in the restarting leader": ("RestartingLeader", above_threshold, "laplace"),
    }.items():
        found[f"{place}: shared by halves"] = kind, drawing(module, method, lambda: halves)
    for place, method in (("draws", "gumbel"), ("clocks", "standard_exponential")):
        for name in ("none", "half", "shared by copies"):
            found[f"{place} of the pool: {name}"] = (
                "PooledDraws",
                drawing(pooled_draws, method, CHANGES[name]),
            )
    found["switches of the pool: shared by copies"] = (
        "PooledDraws",
        drawing(pooled_draws, "uniform", lambda: shared),
    )
    return found


_ALL: dict[str, Mutant] = {
    **{name: Mutant(patch, CLAIM, f"{TEST}[{kind}]") for name, (kind, patch) in (_drawn() | PATCHES).items()},
    **EDITS,
    **DIGITS,
    **{name: Mutant(patch, f"004/{claim}", test) for name, (claim, test, patch) in CLAIMS.items()},
}
MUTANTS = {f"004: {name}": mutant for name, mutant in _ALL.items()}
