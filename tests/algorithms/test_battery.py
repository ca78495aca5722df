"""What every algorithm has to keep to, whatever it does."""

import math
import sys
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import pytest
from scipy import stats

from private_experts.algorithms import (
    RWFTPL,
    Algorithm,
    BernoulliResampled,
    Decorrelation,
    DyadicLeader,
    FixedShare,
    FollowTheLeader,
    Hedge,
    NoisyFixedShare,
    RandomizedPrefix,
    RestartingLeader,
    RWMeta,
    ShrinkingDartboard,
    SwitchingDartboard,
    SwitchingSoftmax,
    TreeFTPL,
    Uniform,
    min_noise,
    min_regret,
)
from private_experts.algorithms.shrinking_dartboard import dartboard_epsilon
from private_experts.games import play, private_reports
from private_experts.learners import LinearFilters, PooledAutoregressions, gaussian_process_weights, trend_weights
from private_experts.privacy import ApproximateDP, GaussianDP, Noise, PureDP, SimulatedNoise
from private_experts.randomness import rng_for

MU = 2.0
LOCAL = GaussianDP(MU, "local")
SCALE = LOCAL.noise_scale(1.0)
FALSE_ALARM = 1e-6


class Permuted:
    """The noise of another source with its coordinates permuted."""

    def __init__(self, noise: Noise, order: np.ndarray) -> None:
        self.noise = noise
        self.order = order

    def privatize(self, values: np.ndarray, scale: float, repetitions: int) -> np.ndarray:
        return values + self.noise.privatize(np.zeros(values.shape), scale, repetitions)[:, self.order]


class PermutedDraws:
    """Another generator whose draws for each expert, the last axis, are permuted."""

    def __init__(self, rng: np.random.Generator, order: np.ndarray) -> None:
        self.rng = rng
        self.order = order

    def gumbel(self, **arguments) -> np.ndarray:
        return self.rng.gumbel(**arguments)[..., self.order]

    def laplace(self, **arguments) -> np.ndarray:
        return self.rng.laplace(**arguments)[..., self.order]

    def random(self, *arguments) -> np.ndarray:
        return self.rng.random(*arguments)[..., self.order]

    def normal(self, **arguments) -> np.ndarray:
        return self.rng.normal(**arguments)[..., self.order]

    def standard_exponential(self, *arguments) -> np.ndarray:
        return self.rng.standard_exponential(*arguments)[..., self.order]

    def integers(self, *arguments) -> np.ndarray:
        return self.rng.integers(*arguments)  # lengths of prefixes, which are of no expert

    def uniform(self, **arguments) -> np.ndarray:
        return self.rng.uniform(**arguments)  # lotteries of repetitions, which are of no expert

    def spawn(self, count: int) -> list[np.random.Generator]:
        return self.rng.spawn(count)  # for what is of no expert


Make = Callable[[int, int, int, Noise, np.random.Generator], Algorithm]  # n, horizon, repetitions, noise, rng


@dataclass(frozen=True)
class Case:
    make: Make
    guarantee: GaussianDP | PureDP | ApproximateDP
    noisy: bool = True  # whether repetitions differ
    draws_of_experts: bool = False  # whether its own randomness has an axis of experts


def rw_ftpl(n, horizon, repetitions, noise, rng):
    return RWFTPL(n, LOCAL, SCALE, noise, repetitions)


def rw_meta(decorrelation: Decorrelation, family: str = "trend") -> Make:
    settings = [(2, 0.01), (4, 1.0), (5, 100.0)]

    def make(n, horizon, repetitions, noise, rng):
        follower = RWFTPL(n, LOCAL, SCALE, noise, repetitions)
        first = follower.total.copy()
        bank = {
            "trend": lambda: LinearFilters(trend_weights, settings, first),
            "gaussian process": lambda: LinearFilters(gaussian_process_weights, settings, first),
            "autoregression": lambda: PooledAutoregressions(settings, first),
        }[family]()
        return RWMeta([bank, follower], LOCAL, SCALE, rng, decorrelation)

    return make


def tree_ftpl(scale: Callable[[float, int, float], float]) -> Make:
    def make(n, horizon, repetitions, noise, rng):
        return TreeFTPL(n, horizon, MU, scale(1.0, horizon, MU), noise, repetitions)

    return make


def resampled(n, horizon, repetitions, noise, rng):
    return BernoulliResampled(DyadicLeader(n, 2.0, rng, repetitions), rng, repetitions)


def fixed_share(n, horizon, repetitions, noise, rng):
    return FixedShare(n, horizon, 1, 0.5, rng, repetitions)


def noisy_fixed_share(law: Literal["laplace", "gaussian"], level: float) -> Make:
    def make(n, horizon, repetitions, noise, rng):
        scale = n / level if law == "laplace" else math.sqrt(n) / level
        return NoisyFixedShare(n, horizon, 1, 0.5, scale, rng, repetitions, law)

    return make


def restarting_leader(printed: bool) -> Make:
    def make(n, horizon, repetitions, noise, rng):
        return RestartingLeader(n, max(horizon, 2), 200.0, rng, repetitions, slack=0.05, printed=printed)

    return make


CASES = {
    "rw-ftpl": Case(rw_ftpl, LOCAL),
    "rw-meta": Case(rw_meta(Decorrelation(floor=False)), LOCAL),
    "rw-meta floor": Case(rw_meta(Decorrelation(floor=True)), LOCAL),
    "rw-meta centred": Case(rw_meta(Decorrelation(floor=False, projection="centred")), LOCAL),
    "rw-meta centred floor": Case(rw_meta(Decorrelation(floor=True, projection="centred")), LOCAL),
    "rw-meta of gaussian processes": Case(rw_meta(Decorrelation(), "gaussian process"), LOCAL),
    "rw-meta of autoregressions": Case(rw_meta(Decorrelation(), "autoregression"), LOCAL),
    "tree-ftpl min noise": Case(tree_ftpl(min_noise), GaussianDP(MU, "central")),
    "tree-ftpl min regret": Case(tree_ftpl(min_regret), GaussianDP(MU, "central")),
    "follow the leader": Case(
        lambda n, horizon, repetitions, noise, rng: FollowTheLeader(n, repetitions),
        GaussianDP(math.inf, "central"),
        noisy=False,
    ),
    "dyadic leader": Case(
        lambda n, horizon, repetitions, noise, rng: DyadicLeader(n, 2.0, rng, repetitions),
        PureDP(2.0, "central"),
        draws_of_experts=True,
    ),
    "dyadic leader of gumbels": Case(
        lambda n, horizon, repetitions, noise, rng: DyadicLeader(n, 2.0, rng, repetitions, "gumbel"),
        PureDP(2.0, "central"),
        draws_of_experts=True,
    ),
    "dyadic leader resampled": Case(resampled, PureDP(2.0, "central"), draws_of_experts=True),
    "randomised prefix": Case(
        lambda n, horizon, repetitions, noise, rng: RandomizedPrefix(n, 2.0, rng, repetitions),
        PureDP(2.0, "central"),
        draws_of_experts=True,
    ),
    "hedge": Case(
        lambda n, horizon, repetitions, noise, rng: Hedge(n, rng, repetitions),
        PureDP(math.inf, "central"),
        draws_of_experts=True,
    ),
    "shrinking dartboard": Case(
        lambda n, horizon, repetitions, noise, rng: ShrinkingDartboard(n, 0.3, 0.4, 40, rng, repetitions),
        PureDP(dartboard_epsilon(0.3, 0.4, 40), "central"),
        draws_of_experts=True,
    ),
    "shrinking dartboard of batches": Case(
        lambda n, horizon, repetitions, noise, rng: ShrinkingDartboard(n, 0.4, 0.4, 20, rng, repetitions, 2, 1e-6),
        ApproximateDP(dartboard_epsilon(0.4, 0.4, 20, 1e-6, 2), 1e-6, "central"),
        draws_of_experts=True,
    ),
    "fixed share": Case(fixed_share, PureDP(math.inf, "central"), draws_of_experts=True),
    "noisy fixed share": Case(noisy_fixed_share("laplace", 2.0), PureDP(2.0, "central"), draws_of_experts=True),
    "noisy fixed share of gaussians": Case(
        noisy_fixed_share("gaussian", MU), GaussianDP(MU, "central"), draws_of_experts=True
    ),
    "restarting leader": Case(restarting_leader(printed=False), PureDP(200.0, "central"), draws_of_experts=True),
    "restarting leader as printed": Case(
        restarting_leader(printed=True), PureDP(500.0, "central"), draws_of_experts=True
    ),
    "switching softmax": Case(
        lambda n, horizon, repetitions, noise, rng: SwitchingSoftmax(n, 600, 2, 0.5, rng, repetitions),
        PureDP(599.0, "central"),
        draws_of_experts=True,
    ),
    "switching dartboard": Case(
        lambda n, horizon, repetitions, noise, rng: SwitchingDartboard(n, 600, 2, 0.3, 0.4, 40, rng, repetitions),
        PureDP(dartboard_epsilon(0.3, 0.4, 40), "central"),
        draws_of_experts=True,
    ),
    "uniform": Case(
        lambda n, horizon, repetitions, noise, rng: Uniform(n, rng, repetitions),
        GaussianDP(0.0, "local"),
    ),
}

# Uniform choice ignores the gains and draws an expert's number, not an expert: what the gains or the experts' order
# do to the play is no question for it. Its own tests say so (test_yardsticks).
LISTENING = [name for name in CASES if name != "uniform"]
NOISY = [name for name, case in CASES.items() if case.noisy]
HEARS_REPORTS = [name for name, case in CASES.items() if case.guarantee.model == "local"]
everyone = pytest.mark.parametrize("name", CASES)
listening = pytest.mark.parametrize("name", LISTENING)


def gains_of(rounds: int, n: int, *key: str | int) -> np.ndarray:
    return rng_for(0, "test battery", "gains", *key).random((rounds, n))


def opened(
    name: str, gains: np.ndarray, repetitions: int = 3, seed: int = 0, order: np.ndarray | None = None
) -> tuple[Algorithm, list[np.ndarray]]:
    """A fresh algorithm, and what it is told in each round."""
    rounds, n = gains.shape
    noise = Permuted(SimulatedNoise(rng_for(seed, "noise")), np.arange(n) if order is None else order)
    own = rng_for(seed, "own")
    if order is not None and CASES[name].draws_of_experts:
        own = PermutedDraws(own, order)
    algorithm = CASES[name].make(n, rounds, repetitions, noise, own)
    if name in HEARS_REPORTS:
        return algorithm, list(private_reports(gains, [SCALE] * rounds, noise, repetitions))
    return algorithm, list(gains)


def played(name: str, gains: np.ndarray, repetitions: int = 3, seed: int = 0, order: np.ndarray | None = None):
    return play(*opened(name, gains, repetitions, seed, order))


@everyone
def test_the_guarantee_names_level_and_model(name):
    algorithm, _ = opened(name, np.zeros((4, 3)))
    assert algorithm.guarantee == CASES[name].guarantee


@everyone
def test_the_same_seed_gives_the_same_play(name):
    gains = gains_of(12, 4)
    first = played(name, gains)
    np.testing.assert_array_equal(played(name, gains), first)
    assert (played(name, gains, seed=1) != first).any() == CASES[name].noisy


@everyone
def test_changing_a_round_changes_no_action_up_to_it(name):
    gains = gains_of(9, 4)
    actions = played(name, gains, repetitions=20)
    later = 0
    for t in range(9):
        changed = gains.copy()
        changed[t] = 1 - changed[t]
        other = played(name, changed, repetitions=20)
        np.testing.assert_array_equal(other[: t + 1], actions[: t + 1])
        later += (other != actions).sum()
    assert (later > 0) == (name in LISTENING)


@listening
def test_permuting_the_experts_permutes_the_play(name):
    gains = gains_of(14, 5)
    order = np.array([3, 0, 4, 1, 2])
    actions = played(name, gains, repetitions=6)
    permuted = played(name, gains[:, order], repetitions=6, order=order)
    # Before the first round all totals are 0 when there is no noise, and that tie goes to the lowest number.
    start = 0 if CASES[name].noisy else 1
    np.testing.assert_array_equal(order[permuted][start:], actions[start:])


@everyone
@pytest.mark.parametrize(
    "gains",
    [np.zeros((1, 2)), np.ones((1, 1)), np.zeros((9, 2)), np.ones((9, 3)), np.full((20, 4), 0.5), np.eye(7)],
    ids=["one round", "one expert", "zero", "one", "constant", "unit vectors"],
)
def test_actions_are_numbers_of_experts_one_for_each_round_and_repetition(name, gains):
    for repetitions in (1, 3):
        actions = played(name, gains, repetitions)
        assert actions.shape == (len(gains), repetitions)
        assert np.issubdtype(actions.dtype, np.integer)
        assert ((actions >= 0) & (actions < gains.shape[1])).all()


@listening
def test_an_expert_that_always_earns_all_is_followed_more_than_half_of_the_time(name):
    for best in (0, 2):
        gains = np.zeros((64, 3))
        gains[:, best] = 1.0
        late = played(name, gains, repetitions=20)[32:]
        assert (late == best).mean() > 0.5  # chance is 1/3


@pytest.mark.parametrize("name", NOISY)
def test_repetitions_have_noise_of_their_own(name):
    actions = played(name, np.zeros((12, 4)), repetitions=5)
    assert np.unique(actions, axis=1).shape[1] == 5


@pytest.mark.parametrize("name", NOISY)
def test_repetitions_are_independent(name):
    # On equal gains the experts are alike, so two independent repetitions agree with probability 1/n.
    actions = played(name, np.zeros((5, 3)), repetitions=3000)
    for t in (0, 4):
        for first, second in ((slice(0, 1500), slice(1500, None)), (slice(0, None, 2), slice(1, None, 2))):
            agreements = int((actions[t, first] == actions[t, second]).sum())
            assert stats.binomtest(agreements, 1500, 1 / 3).pvalue > FALSE_ALARM / 4


def test_without_noise_all_repetitions_are_the_same_play():
    actions = played("follow the leader", gains_of(12, 4), repetitions=5)
    assert (actions == actions[:, :1]).all()


def held_bytes(thing: object, seen: set[int]) -> int:
    """Bytes of all arrays and containers that an object keeps alive."""
    if id(thing) in seen or isinstance(thing, np.random.Generator):
        return 0
    seen.add(id(thing))
    if isinstance(thing, np.ndarray):
        return thing.nbytes if thing.base is None else held_bytes(thing.base, seen)
    if isinstance(thing, dict):
        return sys.getsizeof(thing) + sum(held_bytes(each, seen) for each in thing.values())
    if isinstance(thing, list | tuple | set | deque):
        return sys.getsizeof(thing) + sum(held_bytes(each, seen) for each in thing)
    return held_bytes(vars(thing), seen) if hasattr(thing, "__dict__") else 0


def calls(act: Callable[[], object]) -> int:
    """Functions called, of Python and of C, while `act` runs: a count of operations that does not depend on time."""
    count = 0

    def note(frame: object, event: str, _: object) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        act()
    finally:
        sys.setprofile(before)
    return count


@everyone
def test_the_cost_of_a_round_does_not_grow_with_the_rounds_played(name):
    gains = gains_of(512, 3)
    algorithm, reports = opened(name, gains, repetitions=2)
    reports = [report.copy() for report in reports]

    def rounds(start: int, stop: int) -> Callable[[], None]:
        def act() -> None:
            for report in reports[start:stop]:
                algorithm.predict()
                algorithm.update(report)

        return act

    rounds(0, 64)()
    early = calls(rounds(64, 127))
    early_bytes = held_bytes(algorithm, set())  # after 127 rounds a tree holds 7 nodes, and 9 after 511
    rounds(127, 448)()
    late = calls(rounds(448, 511))
    assert 0 < late <= 1.1 * early
    assert 0 < held_bytes(algorithm, set()) <= 1.35 * early_bytes


@pytest.mark.parametrize("name", HEARS_REPORTS)  # central algorithms are told gains of shape (n,) only
def test_one_report_for_all_repetitions_is_the_same_as_a_copy_for_each(name):
    gains = gains_of(12, 4)
    one, _ = opened(name, gains)
    copies, _ = opened(name, gains)
    np.testing.assert_array_equal(play(one, gains), play(copies, [np.tile(row, (3, 1)) for row in gains]))


@everyone
def test_arrays_that_the_caller_changes_later_do_not_change_the_play(name):
    gains = gains_of(20, 4)
    expected = played(name, gains)
    algorithm, reports = opened(name, gains)
    buffer = np.empty_like(reports[0])
    for t, report in enumerate(reports):
        actions = algorithm.predict()
        np.testing.assert_array_equal(actions, expected[t])
        actions[...] = 0
        buffer[...] = report
        algorithm.update(buffer)
        np.testing.assert_array_equal(buffer, report)  # nor does the algorithm change the caller's
        buffer[...] = 1000.0 * np.arange(4)
