"""Mutants of what draws in paper 004's algorithms: their generators, and what is made of their draws."""

import copy
from collections.abc import Callable
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from private_experts.algorithms import (
    dyadic_leader,
    fixed_share,
    pooled_draws,
    restarting_leader,
    secure_draws,
    shrinking_dartboard,
    sleeping_experts,
    switching_dartboard,
    switching_softmax,
)
from private_experts.algorithms.all_windows import AllWindows
from private_experts.algorithms.dartboard_privacy import settle
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
from private_experts.privacy.guarantees import ApproximateDP, PureDP
from tests.mutants.mutant import Mutant, Patch, edited

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


def first(drawn: Draw, call: int) -> Draw:
    """At the first draw only."""
    return drawn if call == 0 else np.zeros_like(drawn)


def shared(drawn: Draw, call: int) -> Draw:
    """The first copy's for all copies."""
    return np.broadcast_to(drawn[:1], drawn.shape).copy()


def halves(drawn: Draw, call: int) -> Draw:
    """The first half of the copies' for the second."""
    half = len(drawn) // 2
    return np.concatenate([drawn[: len(drawn) - half], drawn[:half]])


def log_half(drawn: Draw, call: int) -> Draw:
    """Half of the logarithm, which is the noise of the exponential mechanism."""
    return np.asarray(np.sqrt(drawn))


def log_none(drawn: Draw, call: int) -> Draw:
    """A logarithm of 0."""
    return np.ones_like(drawn)


def log_first(drawn: Draw, call: int) -> Draw:
    """At the first draw only."""
    return drawn if call == 0 else np.ones_like(drawn)


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


def replaced(owner: Any, name: str, made: Callable[[Any], Any]) -> Patch:
    """Something of a class or module is made from what it was."""

    def patch(put: pytest.MonkeyPatch) -> None:
        put.setattr(owner, name, made(getattr(owner, name)))

    return patch


def together(*patches: Patch) -> Patch:
    """All of them."""

    def patch(put: pytest.MonkeyPatch) -> None:
        for each in patches:
            each(put)

    return patch


CHANGES: dict[str, Callable[[], Change]] = {
    "none": lambda: none,
    "half": lambda: half,
    "first only": lambda: first,
    "reused": reused,
    "shared by copies": lambda: shared,
}
# The exponential mechanism draws exponential variables, whose logarithms are the noise.
LOGARITHMS = {"none": lambda: log_none, "half": lambda: log_half, "first only": lambda: log_first}
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


def scaled(query: float, threshold: float) -> Patch:
    """AboveThreshold's noise on queries and on the threshold is so many times as large."""

    def started(honest: Any) -> Any:
        def init(self: AboveThreshold, *given: Any, **more: Any) -> None:
            honest(self, *given, **more)
            self._threshold *= threshold

        return init

    def restarted(honest: Any) -> Any:
        def restart(self: AboveThreshold, which: Draw) -> None:
            honest(self, which)
            self._threshold[which] *= threshold

        return restart

    def tested(honest: Any) -> Any:
        def test(self: AboveThreshold, queries: Draw) -> Draw:
            several = queries.reshape(len(queries), -1)
            noise = self._rng.laplace(scale=2 * self._scale, size=several.shape)
            above = (several + query * noise >= self._threshold[:, None]).any(axis=1) & ~self.halted
            self.halted |= above
            return np.asarray(above)

        return test

    def weighed(honest: Any) -> Any:
        return staticmethod(lambda margins: honest(margins / max(query, 1e-9)))

    return together(
        replaced(AboveThreshold, "__init__", started),
        replaced(AboveThreshold, "restart", restarted),
        replaced(AboveThreshold, "test", tested),
        replaced(AboveThreshold, "hazard", weighed),
        # its bounds for the rounds to come are for the stated noise
        replaced(AllWindows, "quiet", lambda honest: lambda self, most, above: 0),
        replaced(AllWindows, "_look", _looks_always),
    )


def _looks_always(honest: Any) -> Any:
    def look(self: AllWindows, *given: Any) -> Draw:
        self._bounded = False
        return np.asarray(honest(self, *given))

    return look


def _one_noise(honest: Any) -> Any:
    """Return a test that draws one noise for all queries of a copy."""

    def test(self: AboveThreshold, queries: Draw) -> Draw:
        several = queries.reshape(len(queries), -1)
        self.kept = getattr(  # type: ignore[attr-defined]
            self, "kept", self._rng.laplace(scale=2 * self._scale, size=(len(several), 1))
        )
        above = (several + self.kept >= self._threshold[:, None]).any(axis=1)  # type: ignore[attr-defined]
        above &= ~self.halted
        self.halted |= above
        return np.asarray(above)

    return test


def _old_threshold(honest: Any) -> Any:
    def restart(self: AboveThreshold, which: Draw) -> None:
        self.halted[which] = False

    return restart


def _threshold_at_a_restart(
    change: Callable[[Draw, Draw, Draw], Draw],
) -> Callable[[Any], Any]:
    """Return a restart after which thresholds are made of the old, the new, and who restarted."""

    def made(honest: Any) -> Any:
        def restart(self: AboveThreshold, which: Draw) -> None:
            old = self._threshold.copy()
            honest(self, which)
            self._threshold = change(old, self._threshold, which)

        return restart

    return made


def _with_two_switches(change: Change) -> Callable[[Any], Any]:
    """Return a beginning of sequences with other noise where they may switch twice."""

    def made(honest: Any) -> Any:
        def begin(self: SwitchingDartboard, where: Draw) -> None:
            rng = self._rng
            if self._switches > 1:
                self._rng = Changed(rng, "gumbel", change)
            honest(self, where)
            self._rng = rng

        return begin

    return made


def _stays_from_two_switches_on(honest: Any) -> Any:
    def go_on(self: SwitchingDartboard) -> None:
        if self._switches < 2:
            honest(self)

    return go_on


def _one_threshold(honest: Any) -> Any:
    def init(self: AboveThreshold, *given: Any, **more: Any) -> None:
        honest(self, *given, **more)
        self._threshold[:] = self._threshold[0]

    return init


def _never_restarts(honest: Any) -> Any:
    """Return an update in which nothing begins anew when a phase ends."""

    def update(self: RestartingLeader, gains: Draw) -> None:
        leader, above = self._leader.restart, self._above.restart
        self._leader.restart = lambda which: None  # type: ignore[method-assign]
        try:
            honest(self, gains)
        finally:
            self._leader.restart, self._above.restart = leader, above  # type: ignore[method-assign]

    return update


def _again(honest: Any) -> Any:
    """Return a lottery after which the first expert is drawn again."""

    def draw(self: ShrinkingDartboard, change: Draw) -> None:
        self.kept = getattr(self, "kept", self._actions)  # type: ignore[attr-defined]
        drawn = self.draws.copy()
        honest(self, change)
        self._actions = np.where(self.draws > drawn, self.kept, self._actions)  # type: ignore[attr-defined]

    return draw


def dartboard(module: ModuleType, **factors: float) -> Patch:
    """A dartboard plays with other parameters than those that its guarantee is about."""

    def made(honest: Any) -> Any:
        def settled(*given: Any) -> Any:
            parameters, guarantee = settle(*given)
            changed = {name: factor * getattr(parameters, name) for name, factor in factors.items()}
            return parameters._replace(**changed), guarantee

        return settled

    return replaced(module, "settle", made)


def _double_small_steps(honest: Any) -> Any:
    """Return parameters for a guarantee, with twice the step where it is small."""

    def settled(*given: Any) -> Any:
        parameters, guarantee = honest(*given)
        return parameters._replace(eta=parameters.eta * (2 if parameters.eta < 0.2 else 1)), guarantee

    return settled


def _double_step(when: Callable[[Any, Any], bool]) -> Callable[[Any], Any]:
    """Return parameters with twice the step for some guarantees and batches that they are derived from."""

    def made(honest: Any) -> Any:
        def settled(who: Any, guarantee: Any, n: Any, horizon: Any, batched: Any, given: Any) -> Any:
            parameters, stated = honest(who, guarantee, n, horizon, batched, given)
            twice = given is None and when(guarantee, parameters)
            return parameters._replace(eta=parameters.eta * (2 if twice else 1)), stated

        return settled

    return made


def late_draws(module: ModuleType, least: int) -> Patch:
    """Copies of a dartboard that have drawn so often draw without noise."""

    def quieter(honest: Any) -> Any:
        def late(self: Any, where: Draw) -> None:
            rng = self._rng
            made = self.draws[where]
            self._rng = Changed(
                rng, "gumbel", lambda drawn, call: np.where((made >= least)[:, None, None], 0, drawn)
            )
            honest(self, where)
            self._rng = rng

        return late

    def drawing_late(honest: Any) -> Any:
        def draw(self: Any, change: Draw) -> None:
            before = self.draws.copy()
            honest(self, change)
            best = np.broadcast_to(self._log_weights.argmax(axis=1), before.shape)
            self._actions = np.where((self.draws > before) & (before >= least), best, self._actions)

        return draw

    if module is switching_dartboard:
        return replaced(SwitchingDartboard, "_begin", quieter)
    return replaced(ShrinkingDartboard, "_draw", drawing_late)


def races(change: Change) -> Patch:
    """Sequences that switch go to the winners of other races."""

    def made(honest: Any) -> Any:
        def go_on(self: SwitchingDartboard) -> None:
            rng = self._rng
            self._rng = Changed(rng, "gumbel", change)
            honest(self)
            self._rng = rng

        return go_on

    return replaced(SwitchingDartboard, "_go_on", made)


def _half_where_unequal(noise: Draw, share: NoisyFixedShare, before: int) -> Draw:
    scales = share._scales[np.minimum(before + np.arange(len(noise)), share._scales.size - 1)]
    return noise if (scales == scales[0]).all() else noise / 2


def _half_level_of(windows: str, selection: str, printed: bool | None) -> Patch:
    """In some settings the leader of the restarting leader selects at twice its level."""

    def made(honest: Any) -> Any:
        def init(self: RestartingLeader, *given: Any, **more: Any) -> None:
            honest(self, *given, **more)
            same = more.get("windows", "all") == windows and more.get("selection", "laplace") == selection
            if same and printed in (None, more.get("printed", False)):
                self._leader.guarantee = PureDP(2 * self._leader.guarantee.epsilon, "central")

        return init

    return replaced(RestartingLeader, "__init__", made)


def _low_thresholds(honest: Any) -> Any:
    def init(self: RestartingLeader, *given: Any, **more: Any) -> None:
        honest(self, *given, **more)
        self.thresholds = self.thresholds - 0.1

    return init


def _shared_in_long_batches(honest: Any) -> Any:
    """Return a lottery that is held once for all copies where batches are long."""

    def draw(self: ShrinkingDartboard, change: Draw) -> None:
        rng = self._rng
        if self._batch >= 3:
            self._rng = Changed(rng, "uniform", shared)
        honest(self, change)
        self._rng = rng

    return draw


def _quiet_third_phase(honest: Any) -> Any:
    """Return the hazard of a round, in which queries after a second restart have no noise."""

    def exceeds(self: AboveThreshold, hazard: Draw, patience: Draw, rows: Draw) -> Draw:
        sure = np.where(hazard > np.log(2), np.inf, 0.0)
        starts = getattr(self, "starts", np.zeros(self.halted.size))
        return np.asarray(honest(self, np.where(starts[rows] >= 2, sure, hazard), patience, rows))

    return exceeds


def _counts_starts(honest: Any) -> Any:
    def restart(self: AboveThreshold, which: Draw) -> None:
        self.starts = getattr(self, "starts", np.zeros(which.size)) + which  # type: ignore[attr-defined]
        honest(self, which)

    return restart


def _late_lengths(least: int) -> Callable[[Any], Any]:
    """Return a beginning of blocks whose leader has no noise from a block of so many rounds on."""

    def made(honest: Any) -> Any:
        def begin(self: DyadicLeader, which: Draw, lengths: Draw) -> None:
            best = self._scores[which].argmax(axis=-1)
            honest(self, which, lengths)
            self._leader[which] = np.where(lengths >= least, best, self._leader[which])

        return begin

    return made


def _passes_over(factor: float) -> Callable[[Any], Any]:
    """Return a number of rounds that are passed over, by so much of the bound on their hazard."""

    def made(honest: Any) -> Any:
        def quiet(self: AllWindows, most: int, above: AboveThreshold) -> int:
            bound, self._bound = self._bound, factor * self._bound
            try:
                return int(honest(self, most, above))
            finally:
                self._bound = bound

        return quiet

    return made


def _no_noise_of_each(honest: Any) -> Any:
    def update(self: NoisyFixedShare, gains: Draw) -> None:
        if gains.ndim == 1:
            honest(self, gains)
            return
        next(self._exponents)
        self._share.tilt(np.exp(self._eta * gains))

    return update


class Twin(np.random.Generator):
    """A generator whose children draw the same as it does."""

    def spawn(self, count: int) -> list[np.random.Generator]:
        return [np.random.Generator(copy.deepcopy(self.bit_generator)) for _ in range(count)]


def _twins(honest: Any) -> Any:
    return lambda *given: Twin(honest(*given).bit_generator)


def _forgets(honest: Any) -> Any:
    return lambda self, log_factors: honest(self, 0 * log_factors)


def _spaced(honest: Any) -> Any:
    return lambda weights, uniforms: honest(weights, np.broadcast_to(uniforms[:, :1], uniforms.shape))


def _stay(weights: Draw, tilts: Draw, floor: float) -> None:
    weights[1:] = weights[0]


def counts(change: Change) -> Patch:
    """The noise in counts of a pool of draws is changed."""
    return replaced(
        PooledDraws, "_count_noise", lambda honest: lambda self, copies: change(honest(self, copies), 0)
    )


def _kept_counts(honest: Any) -> Any:
    """Return noise of counts that is drawn once for each number of copies and of rounds."""
    kept: dict[tuple[int, int], Draw] = {}
    return lambda self, copies: kept.setdefault((copies, self.parameters.epoch), honest(self, copies))


def _dies_for_good(honest: Any) -> Any:
    def alive(self: PooledDraws, places: Any, t: int) -> Draw:
        lives = honest(self, places, t)
        self._clocks[places] = np.where(lives, self._clocks[places], -np.inf)
        return np.asarray(lives)

    return alive


def _pays_nothing(honest: Any) -> Any:
    """Return draws that pay nothing for the epoch's rounds before them."""

    def draw(self: PooledDraws, where: Draw) -> None:
        slots = self._used[where].copy()
        honest(self, where)
        self._lost[slots, where] = 0

    return draw


POOL = "PooledDraws"
POOLS: dict[str, tuple[str, Patch]] = {
    "counts of the pool: no noise": (POOL, counts(none)),
    "counts of the pool: half the noise": (POOL, counts(half)),
    "counts of the pool: noise shared by copies": (POOL, counts(lambda noise, call: shared(noise.T, 0).T)),
    "counts of the pool: noise reused": (POOL, replaced(PooledDraws, "_count_noise", _kept_counts)),
    "draws of the pool: none": (POOL, drawing(pooled_draws, "gumbel", lambda: none)),
    "draws of the pool: half": (POOL, drawing(pooled_draws, "gumbel", lambda: half)),
    "draws of the pool: shared by copies": (POOL, drawing(pooled_draws, "gumbel", lambda: shared)),
    "clocks of the pool: none": (POOL, drawing(pooled_draws, "standard_exponential", lambda: none)),
    "clocks of the pool: half": (POOL, drawing(pooled_draws, "standard_exponential", lambda: half)),
    "clocks of the pool: shared by copies": (
        POOL,
        drawing(pooled_draws, "standard_exponential", lambda: shared),
    ),
    "switches of the pool: shared by copies": (POOL, drawing(pooled_draws, "uniform", lambda: shared)),
    "pool of draws: no update": (POOL, replaced(SequenceWeights, "add", _forgets)),
}


def _played_of_the_first(honest: Any) -> Any:
    """Return an update that credits the gains of each copy against what the first copy played."""

    def update(self: SleepingSoftmax, gains: Draw) -> None:
        predict = self.predict
        self.predict = lambda: np.broadcast_to(predict()[:1], len(self._totals))  # type: ignore[method-assign]
        honest(self, gains)
        del self.predict

    return update


def _played_by(function: Any) -> str:
    """Return the mechanism of the claim that calls a function: its class, or one that uses it."""
    owner = function.__qualname__.partition(".")[0]
    return {"SleepingExperts": "SleepingSoftmax", "drawn_exactly": "PooledDraws"}.get(owner, owner)


def _mutants() -> dict[str, Mutant]:
    """Return the mutants by name."""
    found: dict[str, tuple[str, Patch]] = {}
    for place, (kind, module, method) in PLACES.items():
        for name, change in {**CHANGES, **(LOGARITHMS if method == "standard_exponential" else {})}.items():
            # Only some copies draw anew, so that what one of them drew before has another place.
            if (module, method, name) == (shrinking_dartboard, "gumbel", "reused"):
                continue
            found[f"{place}: {name}"] = kind, drawing(module, method, change)
    for place, (kind, module, method) in {
        **{place: where for place, where in PLACES.items() if where[2] != "gumbel"},
        "noise of the threshold and of queries": ("AboveThreshold", above_threshold, "laplace"),
        "lottery of queries": ("AboveThreshold", above_threshold, "standard_exponential"),
        "noise of the threshold in the restarting leader": ("RestartingLeader", above_threshold, "laplace"),
    }.items():
        found[f"{place}: shared by halves"] = kind, drawing(module, method, lambda: halves)
    for name, changed in SHARES.items():
        found[f"noise of fixed share: {name}"] = "NoisyFixedShare", noise_of_shares(changed)
    for name, factor in {"none": 0.0, "half": 0.5}.items():
        for kind in ("AboveThreshold", "RestartingLeader"):
            found[f"noise of queries in {kind}: {name}"] = kind, scaled(factor, 1.0)
        found[f"noise of the threshold: {name}"] = "AboveThreshold", scaled(1.0, factor)
    above, restarting = "AboveThreshold", "RestartingLeader"
    sequences, weights = (SequenceWeights, "add"), (ShrinkingDartboard, "_draw")
    more: dict[str, tuple[str, Patch]] = {
        "noise of queries: one for all": (above, replaced(AboveThreshold, "test", _one_noise)),
        "noise of the threshold: kept at a restart": (
            above,
            replaced(AboveThreshold, "restart", _old_threshold),
        ),
        "noise of the threshold: shared by copies": (
            above,
            replaced(AboveThreshold, "__init__", _one_threshold),
        ),
        "noise of the threshold in the restarting leader: shared by copies": (
            restarting,
            replaced(AboveThreshold, "__init__", _one_threshold),
        ),
        "restarting leader: half the threshold of a later phase": (
            restarting,
            replaced(
                AboveThreshold,
                "restart",
                _threshold_at_a_restart(lambda old, new, which: np.where(which, new / 2, new)),
            ),
        ),
        "restarting leader: old thresholds of later phases": (
            restarting,
            replaced(AboveThreshold, "restart", _threshold_at_a_restart(lambda old, new, which: old)),
        ),
        "restarting leader: a restart changes all thresholds": (
            restarting,
            replaced(
                AboveThreshold,
                "restart",
                _threshold_at_a_restart(lambda old, new, which: np.where(which, new, -old)),
            ),
        ),
        "switching dartboard: half the noise of draws with two switches": (
            "SwitchingDartboard",
            replaced(SwitchingDartboard, "_begin", _with_two_switches(half)),
        ),
        "switching dartboard: no move with two switches": (
            "SwitchingDartboard",
            replaced(SwitchingDartboard, "_go_on", _stays_from_two_switches_on),
        ),
        "dyadic leader: no noise from block 8 on": (
            "DyadicLeader",
            replaced(DyadicLeader, "_begin", _late_lengths(8)),
        ),
        "dyadic leader: no noise from block 16 on": (
            "DyadicLeader",
            replaced(DyadicLeader, "_begin", _late_lengths(16)),
        ),
        "races of the switching dartboard: none": ("SwitchingDartboard", races(none)),
        "races of the switching dartboard: shared by copies": ("SwitchingDartboard", races(shared)),
        "noise of fixed share: half where scales are unequal": (
            "NoisyFixedShare",
            noise_of_shares(_half_where_unequal),
        ),
        "restarting leader: twice the leader's level, dyadic and gumbel": (
            restarting,
            _half_level_of("dyadic", "gumbel", None),
        ),
        "restarting leader: twice the leader's level, dyadic and printed": (
            restarting,
            _half_level_of("dyadic", "laplace", True),
        ),
        "restarting leader: lower thresholds": (
            restarting,
            replaced(RestartingLeader, "__init__", _low_thresholds),
        ),
        "restarting leader: no noise of queries after the second restart": (
            restarting,
            together(
                replaced(AboveThreshold, "exceeds", _quiet_third_phase),
                replaced(AboveThreshold, "restart", _counts_starts),
            ),
        ),
        "lottery of the shrinking dartboard: shared by copies in batches of 3": (
            "ShrinkingDartboard",
            replaced(ShrinkingDartboard, "_draw", _shared_in_long_batches),
        ),
        "noise of queries: none in quiet rounds": (
            above,
            replaced(AboveThreshold, "patient", lambda honest: lambda self, rounds, bound: rounds),
        ),
        "noise of queries: half of it in a single copy": (
            above,
            replaced(
                AboveThreshold,
                "test",
                lambda honest: lambda self, queries: honest(self, queries * (1 + (len(queries) == 1))),
            ),
        ),
        "restarting leader: half the lottery of rounds that are passed over": (
            restarting,
            replaced(AllWindows, "quiet", _passes_over(0.5)),
        ),
        "restarting leader: no lottery of rounds that are passed over": (
            restarting,
            replaced(AllWindows, "quiet", _passes_over(0.0)),
        ),
        "restarting leader: leader and thresholds draw the same": (
            restarting,
            replaced(restarting_leader, "generator", _twins),
        ),
        "noise of fixed share: none of gains of each copy, round by round": (
            "NoisyFixedShare",
            replaced(NoisyFixedShare, "update_unchecked", _no_noise_of_each),
        ),
        "dyadic leader: no update": (
            "DyadicLeader",
            replaced(DyadicLeader, "select", lambda honest: lambda self, scores: honest(self, 0 * scores)),
        ),
        "restarting leader: no restart": (
            restarting,
            replaced(RestartingLeader, "update_unchecked", _never_restarts),
        ),
        "draws of the shrinking dartboard: the first expert again": (
            "ShrinkingDartboard",
            replaced(*weights, _again),
        ),
        "switching dartboard: no update": ("SwitchingDartboard", replaced(*sequences, _forgets)),
        "switching softmax: no update": ("SwitchingSoftmax", replaced(*sequences, _forgets)),
        "shrinking dartboard: no update": (
            "ShrinkingDartboard",
            replaced(*weights, lambda honest: lambda self, change: honest(self, 0 * change)),
        ),
        "sleeping softmax: no update": (
            "SleepingSoftmax",
            replaced(
                SleepingSoftmax,
                "_credit",
                lambda honest: lambda self, credits, cost: honest(self, 0 * credits, cost),
            ),
        ),
        "fixed share: no update": ("FixedShare", replaced(fixed_share, "follow", lambda honest: _stay)),
        "fixed share: one draw shared by copies": (
            "FixedShare",
            replaced(fixed_share, "experts_at", _spaced),
        ),
    }
    for module, kind in (
        (shrinking_dartboard, "ShrinkingDartboard"),
        (switching_dartboard, "SwitchingDartboard"),
    ):
        more[f"{kind}: twice a small step"] = kind, replaced(module, "settle", _double_small_steps)
        more[f"{kind}: twice the step of an approximate guarantee"] = (
            kind,
            replaced(module, "settle", _double_step(lambda level, _: isinstance(level, ApproximateDP))),
        )
        more[f"{kind}: twice the step of a guarantee in batches"] = (
            kind,
            replaced(module, "settle", _double_step(lambda _, found: found.batch > 1)),
        )
        more[f"{kind}: no noise from the third draw on"] = kind, late_draws(module, 2)
        more[f"{kind}: no noise from the fourth draw on"] = kind, late_draws(module, 3)
        more[f"{kind}: twice the step"] = kind, dartboard(module, eta=2.0)
        more[f"{kind}: half of the lotteries' draws"] = kind, dartboard(module, p=0.5)
        more[f"{kind}: no limit on draws"] = kind, dartboard(module, budget=np.inf)
    named = {
        f"004: {name}": Mutant(patch, CLAIM, f"{TEST}[{kind}]")
        for name, (kind, patch) in {**found, **more, **POOLS}.items()
    }
    # Claims about a mechanism notice it as well, since they rest on one that plays it.
    played = "tests/replication/papers/p004/test_played.py::test_"
    return {
        **named,
        "004: switching dartboard: no update, played": Mutant(
            replaced(*sequences, _forgets),
            "004/tracker-played",
            f"{played}the_tracker_loses_what_its_law_says",
        ),
        # In epochs of two rounds these are hardly seen, so that longer ones decide.
        **{
            f"004: pool of draws: {name}, against multiplicative weights": Mutant(
                patch,
                "004/pool-law",
                "tests/replication/papers/p004/test_pool.py::test_the_play_has_the_law_of_multiplicative_weights",
            )
            for name, patch in {
                "death for good": replaced(PooledDraws, "_alive", _dies_for_good),
                "no losses before a draw": replaced(PooledDraws, "_draw", _pays_nothing),
                "shift below zero": replaced(
                    pooled_draws, "shifts", lambda honest: lambda *given: -honest(*given)
                ),
            }.items()
        },
        "004: noise of fixed share: half beyond round 500": Mutant(
            noise_of_shares(
                lambda noise, share, before: (
                    noise / np.where(before + np.arange(len(noise)) < 500, 1, 2)[:, None, None]
                )
            ),
            CLAIM,
            "tests/algorithms/test_fixed_share.py::test_noise_has_its_scale_in_every_round_to_the_digit",
            "NoisyFixedShare",
        ),
        "004: sleeping softmax: gains of each copy, played are those of the first": Mutant(
            replaced(SleepingSoftmax, "update", _played_of_the_first),
            CLAIM,
            "tests/algorithms/test_sleeping.py::"
            "test_with_gains_of_each_copy_every_copy_is_credited_and_drawn_by_its_own",
            "SleepingSoftmax",
        ),
        **{
            f"004: {name}": Mutant(edited(*edit), CLAIM, f"tests/{test}", _played_by(edit[0]))
            for name, edit, test in (
                (
                    "clocks of the pool: reused between epochs",
                    (
                        PooledDraws._draw,
                        "self._rng.standard_exponential(where.size)",
                        "vars(self).setdefault('kept', {}).setdefault("
                        "where.size, self._rng.standard_exponential(where.size))",
                    ),
                    "algorithms/test_pooled_draws.py::test_each_draw_has_a_clock_and_noise_of_its_own_to_the_digit",
                ),
                (
                    "lottery of the shrinking dartboard: half from draw 30 on",
                    (ShrinkingDartboard._draw, "(1 - self._p)", "(1 - self._p / (1 + (self.draws > 30)))"),
                    "algorithms/test_shrinking_dartboard.py::"
                    "test_each_lottery_and_draw_has_numbers_of_its_own_to_the_digit",
                ),
                (
                    "races of the switching dartboard: among the first eight experts",
                    (
                        SwitchingDartboard._go_on,
                        "self._rng.gumbel(size=self._shape)",
                        "self._rng.gumbel(size=self._shape) - 1e9 * (np.arange(self._shape[1]) > 7)",
                    ),
                    "algorithms/test_switching.py::test_a_switch_goes_to_any_other_expert",
                ),
                (
                    "draws of the secure pool: shared by copies",
                    (secure_draws.drawn_exactly, "for law in weights:", "for law in weights[:1]:"),
                    "algorithms/test_secure_draws.py::"
                    "test_draws_have_probabilities_exactly_in_the_ratio_of_weights",
                ),
                *(
                    (
                        f"counts of the secure pool: {what}",
                        (PooledDraws._release, old, new),
                        "algorithms/test_secure_draws.py::"
                        "test_each_entry_has_noise_of_its_own_in_the_scale_of_its_slot_to_the_digit",
                    )
                    for what, old, new in (
                        ("half the noise", "UNIT, 1)", "UNIT / 2, 1)"),
                        (
                            "noise in the first round alone",
                            "(noisy * scales)",
                            "(sums if first else noisy * scales)",
                        ),
                        ("the noise of the first slot", "scales)[slots]", "scales)[0 * slots]"),
                        ("Gaussian noise alone", "noise.laplace", "noise.perturb"),
                    )
                ),
                (
                    "clocks of the pool: a twentieth longer",
                    (PooledDraws._draw, "self._rng.standard_ex", "1.05 * self._rng.standard_ex"),
                    "algorithms/test_pooled_draws.py::test_each_draw_has_a_clock_and_noise_of_its_own_to_the_digit",
                ),
                (
                    "counts of the pool: slots from the fourth on share noise",
                    (
                        PooledDraws._draw,
                        "self._count_noise(where.size) *",
                        "(self._count_noise(where.size) if slots[0] < 3 else vars(self).setdefault("
                        "'kept', {}).setdefault(where.size, self._count_noise(where.size))) *",
                    ),
                    "algorithms/test_pooled_draws.py::test_each_draw_has_a_clock_and_noise_of_its_own_to_the_digit",
                ),
                (
                    "noise of queries: shared from the ninth of a call on",
                    (
                        AboveThreshold.test,
                        "size=several.shape)",
                        "size=several.shape)[:, np.arange(several.shape[1]) % 8]",
                    ),
                    "privacy/test_above_threshold.py::"
                    "test_every_draw_has_the_scale_of_the_law_and_answers_its_own_query",
                ),
                (
                    "counts of the pool: no noise of nodes of eight rounds",
                    (PooledDraws._count_noise, "noise[has] += nodes", "noise[has] += (level < 3) * nodes"),
                    "algorithms/test_pooled_draws.py::"
                    "test_a_count_has_the_noise_of_its_nodes_or_of_its_filter_to_the_digit",
                ),
                (
                    "noise of fixed share: the first scale where the last is alike",
                    (
                        NoisyFixedShare._drawn_exponents,
                        "(scales == scales[0]).all()",
                        "scales[-1] == scales[0]",
                    ),
                    "algorithms/test_fixed_share.py::test_noise_has_its_scale_in_every_round_to_the_digit",
                ),
                (
                    "draws of the switching softmax: half from round 40 on",
                    (
                        SwitchingSoftmax.predict,
                        "self._shape), 1.0,",
                        "self._shape), 1.0 if self._weights.round < 40 else 2.0,",
                    ),
                    "algorithms/test_switching.py::test_each_round_is_drawn_from_its_law_to_the_digit",
                ),
                (
                    "draws of the sleeping softmax: half from round 40 on",
                    (
                        SleepingExperts.predict,
                        "self.rate, self._rng",
                        "self.rate * (1 if self._round < 40 else 2), self._rng",
                    ),
                    "algorithms/test_sleeping.py::"
                    "test_with_gains_of_each_copy_every_copy_is_credited_and_drawn_by_its_own",
                ),
            )
        },
        "004: noise of queries: none, played": Mutant(
            scaled(0.0, 1.0), "004/answers-played", f"{played}answers_have_their_law"
        ),
    }


MUTANTS: dict[str, Mutant] = _mutants()
