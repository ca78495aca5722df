"""Every algorithm of the library, ready to play: by hand where it needs settings, otherwise by itself."""

import inspect
import itertools
import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Literal

import numpy as np

from private_experts import algorithms
from private_experts.algorithms import (
    RWFTPL,
    Algorithm,
    BernoulliResampled,
    CreditedLeader,
    DartboardParameters,
    Decorrelation,
    Delayed,
    DyadicLeader,
    FixedShare,
    FollowTheLeader,
    FreshMeta,
    Hedge,
    HedgeMeta,
    NoisyFixedShare,
    PooledDraws,
    PoolParameters,
    PrefixFTPL,
    RandomizedPrefix,
    RestartingLeader,
    RWAdaBatch,
    RWMeta,
    ShrinkingDartboard,
    SleepingHedge,
    SleepingSoftmax,
    SmoothedLeader,
    SwitchingDartboard,
    SwitchingSoftmax,
    TreeFTPL,
    Uniform,
)
from private_experts.algorithms.dartboard_privacy import dartboard_epsilon
from private_experts.algorithms.fresh_scales import scales_for_any_horizon
from private_experts.algorithms.pool_parameters import pool_epsilon
from private_experts.games import play, private_reports
from private_experts.learners import (
    Autoregressions,
    LinearFilters,
    PooledAutoregressions,
    gaussian_process_weights,
    trend_weights,
)
from private_experts.privacy import (
    ApproximateDP,
    BandedSums,
    GaussianDP,
    MatrixSums,
    Noise,
    PureDP,
    Reports,
    SimulatedNoise,
    TightTreeSums,
)
from private_experts.privacy.banded import root_band
from private_experts.privacy.factorization import square_root
from private_experts.randomness import rng_for

MU = 2.0
LOCAL = GaussianDP(MU, "local")
CENTRAL = GaussianDP(MU, "central")
SCALE = LOCAL.noise_scale(1.0)
PURE = PureDP(2.0, "central")
OPEN, LEAKY = PureDP(math.inf, "central"), ApproximateDP(math.inf, 1e-6, "central")
POOL = PoolParameters(0.4, 4, (0.5, 0.6, 0.7), 20.0)  # so high a shift fills nearly all slots in every epoch


NEVER = 60.0  # scales by which an expert is behind who is never drawn, even if half of it is left out


class Placed:
    """The noise of another source for experts who stand at `places`; the others are never drawn."""

    STATE = ()

    def __init__(self, noise: Noise, places: np.ndarray) -> None:
        self.noise, self.places = noise, places

    def perturb(self, values: np.ndarray, scale: float, repetitions: int) -> np.ndarray:
        drawn = np.full((repetitions, values.shape[-1]), -NEVER * scale)
        nothing = np.zeros((*values.shape[:-1], self.places.size))
        drawn[:, self.places] = self.noise.perturb(nothing, scale, repetitions)
        return values + drawn


class PlacedDraws(np.random.Generator):
    """Another generator whose draws for each of `n` experts, the last axis, go to those at `places`.

    The others are never drawn. Draws without an axis of experts, such as one for each copy, stay.
    """

    def __init__(self, rng: np.random.Generator, places: np.ndarray, n: int) -> None:
        super().__init__(rng.bit_generator)
        self.places, self.n = places, n

    def _placed(self, draw: Callable[..., np.ndarray], lost: float, size: tuple[int, ...]) -> np.ndarray:
        if size[-1] != self.n:
            return draw(size=size)
        drawn = np.full(size, lost)
        drawn[..., self.places] = draw(size=(*size[:-1], self.places.size))
        return drawn

    def gumbel(self, size: Any) -> np.ndarray:
        return self._placed(super().gumbel, -NEVER, np.atleast_1d(size))

    def laplace(self, size: Any, scale: float = 1.0) -> np.ndarray:
        return self._placed(partial(super().laplace, scale=scale), -NEVER * scale, np.atleast_1d(size))

    def normal(self, size: Any) -> np.ndarray:
        return self._placed(super().normal, -NEVER, np.atleast_1d(size))

    def random(self, size: Any) -> np.ndarray:
        return self._placed(super().random, 1.0, np.atleast_1d(size))

    def standard_exponential(self, size: Any) -> np.ndarray:  # whose logarithm is taken from a score
        return self._placed(super().standard_exponential, math.exp(NEVER), np.atleast_1d(size))

    def spawn(self, count: int) -> list[np.random.Generator]:
        return np.random.Generator(self.bit_generator).spawn(count)  # for what is of no expert


COPIES = 67  # of a play of equal copies; nothing else in it has this size


class EqualNoise:
    """The noise of another source, drawn once for all copies."""

    STATE = ()

    def __init__(self, noise: Noise) -> None:
        self.noise = noise

    def perturb(self, values: np.ndarray, scale: float, repetitions: int) -> np.ndarray:
        return self.noise.perturb(values, scale, 1).repeat(repetitions, axis=0)


class EqualDraws(np.random.Generator):
    """A generator that draws once for all copies; each method and shape of a round has its own stream.

    So the numbers of a round do not depend on how many copies there are, or how many rounds are drawn ahead.
    """

    def __init__(self, seed: int, *key: str | int) -> None:
        super().__init__(rng_for(seed, *key).bit_generator)
        self._source, self._streams, self._children = (seed, *key), {}, 0

    def _drawn(self, method: str, arguments: tuple, named: dict) -> np.ndarray:
        named = dict(zip(SIZED[method], arguments, strict=False)) | named
        size = named.pop("size", None)
        size = (size,) if isinstance(size, int | np.integer) else tuple(size or ())
        one = tuple(1 if length == COPIES else length for length in size)
        key = (method, *one[1:], len(one))
        stream = self._streams.setdefault(key, rng_for(*self._source, *key))
        drawn = getattr(stream, method)(size=one, **named)
        for axis in np.flatnonzero(np.equal(size, COPIES)):
            drawn = drawn.repeat(COPIES, axis=axis)
        return drawn

    def spawn(self, count: int) -> list["EqualDraws"]:
        self._children += count
        return [EqualDraws(*self._source, "child", self._children - i) for i in range(count)]


SIZED = {
    "random": ("size",),
    "standard_exponential": ("size",),
    "normal": ("loc", "scale", "size"),
    "gumbel": ("loc", "scale", "size"),
    "laplace": ("loc", "scale", "size"),
    "standard_normal": ("size",),
    "exponential": ("scale", "size"),
    "uniform": ("low", "high", "size"),
    "integers": ("low", "high", "size"),
    "multinomial": ("n", "pvals", "size"),
    "binomial": ("n", "p", "size"),
    "geometric": ("p", "size"),
}
for _method in SIZED:
    setattr(
        EqualDraws,
        _method,
        lambda self, *arguments, _method=_method, **named: self._drawn(_method, arguments, named),
    )


Make = Callable[[int, int, int, Noise, np.random.Generator], Algorithm]  # n, horizon, repetitions, noise, rng


@dataclass(frozen=True)
class Case:
    make: Make
    guarantee: GaussianDP | PureDP | ApproximateDP
    noisy: bool = True  # whether repetitions differ
    draws_of_experts: bool = False  # whether its own randomness has an axis of experts
    least: int = 1  # how many experts it needs
    remembers: bool = False  # whether it keeps a record that grows with the rounds
    symmetric: bool = True  # whether permuted experts permute its play, or its law, and it follows who gains
    by_number: bool = False  # whether it draws an expert's number from a law; its own tests permute the law
    of_all: bool = False  # whether experts who are never drawn count in its play, as by a share of weights

    @property
    def local(self) -> bool:
        """Whether it hears noisy reports."""
        return self.guarantee.model == "local"


SETTINGS = {  # for an algorithm that nobody put into the table
    "guarantee": LOCAL,
    "noise_scale": SCALE,
    "epsilon": 2.0,
    "mu": MU,
    "scale": 2.0,
    "switches": 1,
    "eta": 0.4,
    "p": 0.4,
    "budget": 40,
    "rate": 0.5,
}


def made(kind: Callable[..., Algorithm], **settings: Any) -> Make:
    """Return how to make an algorithm from settings, and what else it must be given, by its names."""
    parameters = inspect.signature(kind).parameters
    asked = {name for name, parameter in parameters.items() if parameter.default is parameter.empty}
    asked |= {"repetitions"} & {*parameters}

    def make(n: int, horizon: int, repetitions: int, noise: Noise, rng: np.random.Generator) -> Any:
        game = {"n": n, "horizon": horizon, "repetitions": repetitions, "noise": noise, "rng": rng}
        return kind(**{name: (SETTINGS | game)[name] for name in asked - {*settings}}, **settings)

    return make


rw_ftpl = made(RWFTPL, guarantee=LOCAL, noise_scale=SCALE)
adabatch = partial(made, RWAdaBatch, guarantee=LOCAL, noise_scale=SCALE)
dyadic_leader = partial(made, DyadicLeader, guarantee=PURE)
fixed_share = {"switches": 1, "eta": 0.5}


SETTINGS_OF_LEARNERS = [(2, 0.01), (4, 1.0), (5, 100.0)]
FAMILIES: dict[str, Callable[[Reports], Any]] = {
    "trend": partial(LinearFilters, trend_weights, SETTINGS_OF_LEARNERS),
    "gaussian process": partial(LinearFilters, gaussian_process_weights, SETTINGS_OF_LEARNERS),
    "pooled": partial(PooledAutoregressions, SETTINGS_OF_LEARNERS),
    "autoregression": partial(Autoregressions, SETTINGS_OF_LEARNERS, order=2),
}


def choice(choose: Callable[..., Algorithm], family: str = "trend", *, draws: bool = True) -> Make:
    """A choice between a family's bank and the leader's follower, `choose(learners, guarantee, rng=)`."""

    def make(n, horizon, repetitions, noise, rng):
        follower = rw_ftpl(n, horizon, repetitions, noise, rng)
        learners = [FAMILIES[family](Reports(follower.total, LOCAL, SCALE)), follower]
        return choose(learners, LOCAL, **({"rng": rng} if draws else {}))

    return make


def rw_meta(decorrelation: Decorrelation, family: str = "trend") -> Make:
    return choice(partial(RWMeta, decorrelation=decorrelation), family)


def fresh_meta(learners, guarantee, *, rng, gumbel):
    scale = scales_for_any_horizon(itertools.repeat(SCALE))
    return FreshMeta(learners, guarantee, scale=scale, rng=rng, gumbel=gumbel)


def prefix_ftpl(kind: Literal["plain tree", "refined tree", "square root", "band"]) -> Make:
    def make(n, horizon, repetitions, noise, rng):
        given = {"noise": noise, "repetitions": repetitions}
        if kind == "band":
            band = root_band(5)
            return PrefixFTPL(BandedSums(n, CENTRAL, coefficients=band, sensitivity=1.0, **given))
        bounds = np.ones(horizon)
        if kind == "square root":
            return PrefixFTPL(
                MatrixSums(n, CENTRAL, strategy=square_root(horizon), sensitivity=bounds, **given)
            )
        return PrefixFTPL(
            TightTreeSums(n, CENTRAL, sensitivity=bounds, refined=kind == "refined tree", **given)
        )

    return make


def resampled(n, horizon, repetitions, noise, rng):
    inner = DyadicLeader(n, PURE, rng=rng, repetitions=repetitions)
    return BernoulliResampled(n, inner, rng=rng, repetitions=repetitions)


def restarting_leader(printed: bool) -> Make:
    def make(n, horizon, repetitions, noise, rng):
        given = {"horizon": max(horizon, 2), "rng": rng, "repetitions": repetitions}
        return RestartingLeader(n, PureDP(200.0, "central"), slack=0.05, printed=printed, **given)

    return make


def delayed(make: Make) -> Make:
    """Copies of an algorithm that take turns; in the battery no report is late, so the first plays alone."""

    def made(n, horizon, repetitions, noise, rng):
        return Delayed(lambda copy: make(n, horizon, repetitions, noise, rng), delay=2)

    return made


CASES = {
    "rw-ftpl": Case(rw_ftpl, LOCAL),
    "rw-adabatch": Case(adabatch(rule="paper"), LOCAL, least=2, remembers=True),  # the sizes of its batches
    "rw-adabatch by the exact rule": Case(adabatch(rule="exact"), LOCAL, least=2, remembers=True),
    "rw-meta": Case(rw_meta(Decorrelation()), LOCAL),
    "rw-meta centred": Case(rw_meta(Decorrelation(floor=0, projection="centred")), LOCAL),
    "rw-meta of gaussian processes": Case(rw_meta(Decorrelation(), "gaussian process"), LOCAL),
    "rw-meta of autoregressions": Case(rw_meta(Decorrelation(), "autoregression"), LOCAL),
    "rw-meta of pooled autoregressions": Case(rw_meta(Decorrelation(), "pooled"), LOCAL, of_all=True),
    "rw-meta with fresh noise": Case(choice(partial(fresh_meta, gumbel=0.0)), LOCAL),
    "rw-meta with fresh gumbel noise": Case(choice(partial(fresh_meta, gumbel=1.5)), LOCAL),
    "hedge of learners": Case(choice(partial(HedgeMeta, rate="adaptive")), LOCAL),
    "hedge of learners at a fixed rate": Case(choice(partial(HedgeMeta, rate=0.7)), LOCAL),
    "leader of credits": Case(choice(CreditedLeader, draws=False), LOCAL),
    "leader of smoothed credits": Case(choice(partial(SmoothedLeader, span=4), draws=False), LOCAL),
    "tree-ftpl": Case(made(TreeFTPL, guarantee=CENTRAL, sensitivity=1.0, scale="min_noise"), CENTRAL),
    "leader of a tight tree": Case(prefix_ftpl("plain tree"), CENTRAL),
    "leader of a refined tree": Case(prefix_ftpl("refined tree"), CENTRAL),
    "leader of correlated sums": Case(prefix_ftpl("square root"), CENTRAL),
    "leader of banded sums": Case(prefix_ftpl("band"), CENTRAL),
    "follow the leader": Case(made(FollowTheLeader), GaussianDP(math.inf, "central"), noisy=False),
    "dyadic leader": Case(dyadic_leader(), PURE, draws_of_experts=True),
    "dyadic leader of gumbels": Case(dyadic_leader(selection="gumbel"), PURE, draws_of_experts=True),
    "dyadic leader resampled": Case(resampled, PURE, draws_of_experts=True),
    "randomised prefix": Case(made(RandomizedPrefix, guarantee=PURE), PURE, draws_of_experts=True),
    "hedge": Case(made(Hedge), PureDP(math.inf, "central"), by_number=True),
    "shrinking dartboard": Case(
        made(ShrinkingDartboard, guarantee=OPEN, parameters=DartboardParameters(0.3, 0.4, 40)),
        PureDP(dartboard_epsilon(0.3, 0.4, 40), "central"),
        draws_of_experts=True,
    ),
    "shrinking dartboard of batches": Case(
        made(ShrinkingDartboard, guarantee=LEAKY, parameters=DartboardParameters(0.4, 0.4, 20, 2)),
        ApproximateDP(dartboard_epsilon(0.4, 0.4, 20, 1e-6, 2), 1e-6, "central"),
        draws_of_experts=True,
    ),
    "fixed share": Case(made(FixedShare, **fixed_share), PureDP(math.inf, "central"), by_number=True),
    "noisy fixed share": Case(made(NoisyFixedShare, guarantee=PURE, **fixed_share), PURE, by_number=True),
    "noisy fixed share of gaussians": Case(
        made(NoisyFixedShare, guarantee=CENTRAL, **fixed_share), CENTRAL, by_number=True
    ),
    "restarting leader": Case(
        restarting_leader(printed=False), PureDP(200.0, "central"), draws_of_experts=True
    ),
    "restarting leader as printed": Case(
        restarting_leader(printed=True), PureDP(500.0, "central"), draws_of_experts=True
    ),
    "switching softmax": Case(
        made(SwitchingSoftmax, guarantee=PureDP(599.0, "central"), horizon=600, switches=2),
        PureDP(599.0, "central"),
        draws_of_experts=True,
        of_all=True,
    ),
    "switching dartboard": Case(
        made(
            SwitchingDartboard,
            guarantee=OPEN,
            horizon=600,
            switches=2,
            parameters=DartboardParameters(0.3, 0.4, 40),
        ),
        PureDP(dartboard_epsilon(0.3, 0.4, 40), "central"),
        draws_of_experts=True,
        of_all=True,
    ),
    "pooled draws": Case(
        made(PooledDraws, guarantee=LEAKY, horizon=600, parameters=POOL),
        ApproximateDP(pool_epsilon(POOL, 600, 1e-6), 1e-6, "central"),
        draws_of_experts=True,
    ),
    "pooled draws of sequences": Case(
        made(PooledDraws, guarantee=OPEN, horizon=600, switches=2, parameters=POOL),
        PureDP(pool_epsilon(POOL, 600), "central"),
        draws_of_experts=True,
        of_all=True,
    ),
    "sleeping hedge": Case(made(SleepingHedge, guarantee=LOCAL, rate=0.7), LOCAL, draws_of_experts=True),
    "sleeping softmax": Case(
        made(SleepingSoftmax, guarantee=PureDP(599.0, "central"), horizon=600),
        PureDP(599.0, "central"),
        draws_of_experts=True,
    ),
    "delayed leader of reports": Case(delayed(rw_ftpl), LOCAL),
    "delayed dyadic leader": Case(delayed(dyadic_leader()), PURE, draws_of_experts=True),
    "uniform": Case(
        made(Uniform),
        GaussianDP(0.0, "local"),
        symmetric=False,  # it draws an expert's number, not an expert; its own tests say more
    ),
}


def exported_cases() -> dict[str, Case]:
    """Return a case for every algorithm that the package exports and the table lacks."""
    rng = rng_for(0, "found")
    known = {type(case.make(3, 8, 2, SimulatedNoise(rng), rng)) for case in CASES.values()}
    cases = {}
    for name in algorithms.__all__:
        kind = getattr(algorithms, name)
        if hasattr(kind, "predict") and not getattr(kind, "_is_protocol", False) and kind not in known:
            names = inspect.signature(kind).parameters
            cases[name] = Case(
                made(kind),
                made(kind)(3, 8, 2, SimulatedNoise(rng), rng).guarantee,
                noisy="rng" in names or "noise" in names,
                draws_of_experts="rng" in names,
                symmetric=getattr(kind, "symmetric", True),
            )
    return cases


CASES |= exported_cases()


def gains_of(rounds: int, n: int, *key: str | int) -> np.ndarray:
    return rng_for(0, "test battery", "gains", *key).random((rounds, n))


def opened(
    case: Case, gains: np.ndarray, repetitions: int = 3, seed: int = 0, places: np.ndarray | None = None
) -> tuple[Algorithm, list[Any]]:
    """A fresh algorithm, and what it is told in each round: reports, or true gains.

    Draws go to the experts at `places`.
    """
    rounds, n = gains.shape
    noise = Placed(SimulatedNoise(rng_for(seed, "noise")), np.arange(n) if places is None else places)
    own = rng_for(seed, "own")
    if places is not None and case.draws_of_experts:
        own = PlacedDraws(own, places, n)
    algorithm = case.make(n, rounds, repetitions, noise, own)
    if case.local:
        return algorithm, list(private_reports(gains, LOCAL, 1.0, noise, repetitions))
    return algorithm, list(gains)


def played(
    case: Case, gains: np.ndarray, repetitions: int = 3, seed: int = 0, places: np.ndarray | None = None
):
    return play(*opened(case, gains, repetitions, seed, places))


def played_alike(
    case: Case, gains: np.ndarray, copies: int, *, of_each: bool = False, one_by_one: bool = False
) -> np.ndarray:
    """Actions of copies that draw the same, on gains for all or, with `of_each`, an array for each."""
    rounds, n = gains.shape
    noise = EqualNoise(SimulatedNoise(rng_for(0, "noise")))
    algorithm = case.make(n, rounds, copies, noise, EqualDraws(0, "own"))
    if case.local:
        return play(algorithm, private_reports(gains, LOCAL, 1.0, noise, copies))
    told = np.broadcast_to(gains[:, None], (rounds, copies, n)) if of_each else gains
    return in_single_rounds(algorithm, told) if one_by_one else play(algorithm, told)


def in_single_rounds(algorithm: Any, told: np.ndarray) -> np.ndarray:
    """Actions of an algorithm that is told one round after another."""
    actions = []
    for of_round in told:
        actions.append(algorithm.predict())
        algorithm.update(of_round)
    return np.array(actions)
