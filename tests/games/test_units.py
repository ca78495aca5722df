"""Unit and sensitivity are stated once: others are refused, and plays keep their level in any unit."""

import math
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
import pytest

from private_experts.algorithms import (
    RWFTPL,
    BernoulliResampled,
    Delayed,
    DyadicLeader,
    FollowTheLeader,
    Hedge,
    NoisyFixedShare,
    PooledDraws,
    PrefixFTPL,
    RandomizedPrefix,
    RestartingLeader,
    RWAdaBatch,
    RWMeta,
    ShrinkingDartboard,
    SleepingSoftmax,
    SwitchingDartboard,
    SwitchingSoftmax,
    TreeFTPL,
)
from private_experts.errors import InputError
from private_experts.games import (
    FavouriteAdversary,
    NamedExperts,
    TrendMeta,
    experiment,
    play,
    play_adaptively,
    private_reports,
)
from private_experts.games.late_reports import late
from private_experts.learners import TotalsLeader
from private_experts.privacy import (
    ApproximateDP,
    BandedSums,
    CorrelatedReports,
    GaussianDP,
    MatrixSums,
    PureDP,
    SideBySideReports,
    SideBySideSums,
    SimulatedNoise,
    TightTreeSums,
    TreeSums,
    own_share,
    privacy_report,
    privatize,
)
from private_experts.privacy.banded import root_band
from private_experts.privacy.factorization import square_root
from private_experts.randomness import rng_for
from tests.each import each

LOCAL, CENTRAL, PURE = GaussianDP(1.0, "local"), GaussianDP(1.0, "central"), PureDP(1.0, "central")
BOUNDS, REACH = (0.0, 0.01), 0.001  # of gains in a unit of the user's
WIDE = (-20.0, 30.0)
ROUNDS, COPIES = 8, 4000
FALSE_ALARMS, DOUBT = 0.05, 5 * math.sqrt(0.25 / COPIES)  # five standard deviations of a share of copies


def noise(*key: str | int) -> SimulatedNoise:
    return SimulatedNoise(rng_for(0, "units", *key))


def tree(n: int = 2, **more: Any) -> TreeFTPL:
    return TreeFTPL(n, CENTRAL, horizon=ROUNDS, **{"sensitivity": REACH, "noise": noise(), **more})


def sums(reach: float = REACH, copies: int = 1, *key: str | int) -> dict[str, Callable[[], Any]]:
    """All sums of two experts that the library releases with noise."""
    every, given = np.full(ROUNDS, reach), {"noise": noise(*key), "repetitions": copies}
    band, roots = root_band(4), square_root(ROUNDS)
    return {
        "tree": lambda: TreeSums(2, CENTRAL, horizon=ROUNDS, sensitivity=reach, **given),
        "tight tree": lambda: TightTreeSums(2, CENTRAL, sensitivity=every, **given),
        "refined tree": lambda: TightTreeSums(2, CENTRAL, sensitivity=every, refined=True, **given),
        "matrix": lambda: MatrixSums(2, CENTRAL, strategy=roots, sensitivity=every, **given),
        "band": lambda: BandedSums(2, CENTRAL, coefficients=band, sensitivity=reach, **given),
        "side by side": lambda: SideBySideSums(
            [TightTreeSums(1, CENTRAL, sensitivity=every, **given) for _ in range(2)], moved=1
        ),
    }


class Curator:
    """An algorithm of somebody else's, which says what sensitivity it is for."""

    guarantee = CENTRAL

    def __init__(self) -> None:
        self.sensitivity = REACH

    def predict(self) -> np.ndarray:
        return np.zeros(1, dtype=np.intp)

    def update(self, gains: np.ndarray) -> None:
        pass


CENTRAL_ONES = {
    "tree leader": tree,
    **{name: lambda make=make: PrefixFTPL(make()) for name, make in sums().items()},
    "late": lambda: Delayed(lambda copy: tree(noise=noise(copy)), 1),
    "somebody's": Curator,
}
MOVES = {
    "dyadic": lambda: DyadicLeader(2, PURE, rng=0, moves_at_most_1=True),
    "prefix": lambda: RandomizedPrefix(2, PURE, rng=0, moves_at_most_1=True),
    "restarting": lambda: RestartingLeader(2, PURE, horizon=ROUNDS, rng=0, moves_at_most_1=True),
}


@each("name", [*CENTRAL_ONES, *MOVES])
def test_bounds_beside_a_sensitivity_of_other_bounds_are_refused(name: str) -> None:
    make = (CENTRAL_ONES | MOVES)[name]
    gains, message = np.full((ROUNDS, 2), 0.005), "leave out bounds|leave them out here, and write sensitiv"
    with pytest.raises(InputError, match=message):
        play(make(), gains, bounds=BOUNDS, delays=0 if name == "late" else None)
    with pytest.raises(InputError, match=message):
        NamedExperts(make(), ["north", "south"], bounds=BOUNDS)


@each("kind", [RWFTPL, RWAdaBatch])
def test_bounds_beside_the_sensitivity_of_a_local_algorithm_are_refused(kind: Any) -> None:
    gains, source = np.full((ROUNDS, 2), 0.005), noise()
    for bounds, other in ((None, BOUNDS), (BOUNDS, (0, 0.02))):
        made = kind(2, LOCAL, sensitivity=REACH, noise=source, bounds=bounds)
        with pytest.raises(InputError, match="leave them out here, and write sensitivity and bounds where"):
            play(made, gains, noise=source, bounds=other)
    with pytest.raises(InputError, match="bounds beside noise_scale, which is of gains in"):
        kind(2, LOCAL, noise_scale=1.0, noise=source, bounds=BOUNDS)
    with pytest.raises(InputError, match="leave out sensitivity here, or make it with this one"):
        play(made, gains, noise=source, sensitivity=2 * REACH)


def test_the_same_bounds_may_be_repeated() -> None:
    gains = rng_for(0, "gains").random((ROUNDS, 2)) / 100
    once, twice = tree(bounds=BOUNDS), tree(bounds=BOUNDS)
    np.testing.assert_array_equal(play(once, gains), play(twice, gains, bounds=BOUNDS))


def test_what_has_no_sensitivity_takes_any_bounds() -> None:
    gains = rng_for(0, "gains").random((ROUNDS, 2))
    np.testing.assert_array_equal(
        play(Hedge(2, rng=0), 50 * gains - 20, bounds=WIDE), play(Hedge(2, rng=0), gains)
    )


def test_an_adaptive_game_is_about_gains_from_0_to_1() -> None:
    adversary = FavouriteAdversary(2, starts=[4], memory=10.0)
    with pytest.raises(InputError, match=r"adaptive play: TreeFTPL is for gains from 0 to 0\.01"):
        play_adaptively(tree(bounds=BOUNDS), adversary, ROUNDS)


def test_flips_are_for_those_who_hide_whole_flips() -> None:
    for inner in (tree(sensitivity=1.4), tree(sensitivity=2.0, bounds=(0, 9)), PrefixFTPL(sums()["tree"]())):
        with pytest.raises(InputError, match=r"resampling: \w+ is for a sensitivity of .*, and flips have"):
            BernoulliResampled(2, inner, rng=0)
    BernoulliResampled(2, tree(sensitivity=math.sqrt(2)), rng=0)


# ------------------------------------------------------------------------------------ what an algorithm hears


class Open:
    """Sums without noise, which keep the vectors that they are told."""

    n, guarantee = 2, GaussianDP(math.inf, "central")

    def __init__(self) -> None:
        self.vectors: list[list[float]] = []

    def add(self, vector: np.ndarray) -> None:
        self.vectors.append(vector.tolist())

    def release(self) -> np.ndarray:
        return np.sum(self.vectors, axis=0, keepdims=True) if self.vectors else np.zeros((1, 2))


def by_update(leader: Any, gains: np.ndarray) -> None:
    for row in gains:
        leader.update(row)


def by_name(leader: Any, gains: np.ndarray) -> None:
    model = NamedExperts(leader, ["north", "south"])
    for north, south in gains.tolist():
        model.learn_one({"south": south, "north": north})


def by_turns(leader: Any, gains: np.ndarray) -> None:
    play(Delayed(lambda copy: leader, 0), gains, delays=0)


DOORS: dict[str, Callable[[Any, np.ndarray], Any]] = {
    "play": play,
    "play with a note": lambda leader, gains: play(leader, gains, note=lambda _: None),
    "play of rows": lambda leader, gains: play(leader, iter(gains)),
    "play of losses": lambda leader, gains: play(leader, 10.0 - gains, losses=True),
    "update": by_update,
    "named": by_name,
    "delayed": by_turns,
    "late": lambda leader, gains: play(Delayed(lambda copy: leader, 0), late(gains, 0)),
}


@each("door", DOORS)
def test_sums_hear_gains_in_the_unit_of_their_sensitivity_through_every_door(door: str) -> None:
    gains, heard = np.array([[-20.0, 30.0], [0.0, 1.0], [0.5, 0.25]]), Open()
    DOORS[door](PrefixFTPL(heard, bounds=WIDE), gains)
    np.testing.assert_allclose(np.array(heard.vectors), gains + 20.0, rtol=1e-12)
    with pytest.raises(InputError, match="from -20 to 30"):
        DOORS[door](PrefixFTPL(Open(), bounds=WIDE), np.array([[0.0, 31.0]]))


def test_a_tree_of_another_unit_plays_as_that_of_gains_from_0_to_1() -> None:
    gains = rng_for(0, "gains").random((ROUNDS, 2))
    for scale in ("min_noise", "min_regret"):
        plain = tree(sensitivity=0.1, scale=scale, repetitions=200)
        other = tree(sensitivity=5, scale=scale, repetitions=200, bounds=WIDE)
        np.testing.assert_array_equal(play(plain, gains), play(other, 50 * gains - 20))


def test_experts_by_name_make_the_reports_of_their_algorithm() -> None:
    gains, source = rng_for(0, "gains").random((ROUNDS, 2)), noise()
    model = NamedExperts(RWFTPL(2, LOCAL, sensitivity=5, bounds=WIDE, noise=source), ["a", "b"], noise=source)
    source = noise()
    leader = RWFTPL(2, LOCAL, sensitivity=0.1, noise=source)
    for row in gains:
        model.learn_one(dict(zip("ab", (50 * row - 20).tolist(), strict=True)))
        leader.update(privatize(row, LOCAL, 0.1, source))
    np.testing.assert_allclose(model.algorithm.total, leader.total, rtol=1e-9)
    with pytest.raises(InputError, match="bounds beside privatize or noise"):
        NamedExperts(leader, ["a", "b"], noise=source, bounds=(0, 1))
    with pytest.raises(InputError, match="noise is for a local algorithm"):
        NamedExperts(tree(), ["a", "b"], noise=source)


# ------------------------------------------------------------------------------------------------- the attack


def with_sums(name: str) -> Callable[[int, tuple], Any]:
    return lambda copies, key: PrefixFTPL(sums(REACH, copies, *key)[name](), bounds=BOUNDS)


def rng(key: tuple) -> np.random.Generator:
    return rng_for(0, "units", *key)


def flips(inside: Callable[[int, tuple], Any]) -> Callable[[int, tuple], Any]:
    return lambda copies, key: BernoulliResampled(
        2, inside(copies, key), rng=rng((*key, "flips")), repetitions=copies
    )


def by_rng(kind: Any, asked: str = "PURE", **more: Any) -> Callable[[int, tuple], Any]:
    def make(copies: int, key: tuple) -> Any:
        guarantee = globals()[asked]  # by its name, for which a test puts a weaker one
        chosen = {"parameters": pool(guarantee)} if kind is PooledDraws else {}
        return kind(2, guarantee, rng=rng(key), repetitions=copies, **more, **chosen)

    return make


@cache
def pool(guarantee: Any) -> Any:
    """What a pool chooses for a guarantee, which takes it a second."""
    return PooledDraws(2, guarantee, rng=0, **HORIZON).parameters


class OfReports:
    """The leader of a curator's reports, in the unit of the curator's sensitivity."""

    bounds = BOUNDS

    def __init__(self, curator: Any, copies: int) -> None:
        self.curator, self.guarantee = curator, curator.guarantee
        self.total = np.zeros((copies, 2))

    def predict(self) -> np.ndarray:
        return np.asarray(self.total.argmax(axis=1))

    def update(self, gains: np.ndarray) -> None:
        self.total = self.total + self.curator.report(gains).values


def reports(n: int, copies: int, key: tuple, reach: float, level: GaussianDP) -> CorrelatedReports:
    settings = {"noise": noise(*key), "repetitions": copies, "bounds": BOUNDS}
    every = np.full(ROUNDS, reach)
    return CorrelatedReports(n, level, strategy=square_root(ROUNDS), sensitivity=every, **settings)


def side_by_side(copies: int, key: tuple) -> SideBySideReports:
    share, own = own_share(CENTRAL), REACH / math.sqrt(2)
    return SideBySideReports([reports(1, copies, (*key, part), own, share) for part in range(2)])


HORIZON, TRACKED = {"horizon": ROUNDS}, {"horizon": ROUNDS, "switches": 1}
LEAKY = ApproximateDP(1.0, 1e-3, "central")
ATTACKED: dict[str, Callable[[int, tuple], Any]] = {
    "tree leader": lambda copies, key: tree(bounds=BOUNDS, repetitions=copies, noise=noise(*key)),
    "tree leader, least regret": lambda copies, key: tree(
        bounds=BOUNDS, repetitions=copies, noise=noise(*key), scale="min_regret"
    ),
    **{name: with_sums(name) for name in sums()},
    "a matrix for each expert": lambda copies, key: PrefixFTPL(
        MatrixSums(
            2,
            own_share(CENTRAL),
            strategy=square_root(ROUNDS),
            sensitivity=np.full((ROUNDS, 2), REACH / math.sqrt(2)),
            noise=noise(*key),
            repetitions=copies,
        ),
        bounds=BOUNDS,
    ),
    "leader of reports": lambda copies, key: OfReports(reports(2, copies, key, REACH, CENTRAL), copies),
    "leader of reports side by side": lambda copies, key: OfReports(side_by_side(copies, key), copies),
    "late tree leaders": lambda copies, key: Delayed(
        lambda copy: tree(bounds=BOUNDS, repetitions=copies, noise=noise(*key, copy)), 1
    ),
    "late dyadic leaders": lambda copies, key: Delayed(
        lambda copy: by_rng(DyadicLeader)(copies, (*key, copy)), 1
    ),
    "dyadic leader": by_rng(DyadicLeader),
    "dyadic leader of gumbels": by_rng(DyadicLeader, selection="gumbel"),
    "dyadic leader of counts": by_rng(DyadicLeader, moves_at_most_1=True),
    "dyadic leader resampled": flips(by_rng(DyadicLeader)),
    "random prefix": by_rng(RandomizedPrefix),
    "random prefix of counts": by_rng(RandomizedPrefix, moves_at_most_1=True),
    "restarting leader": by_rng(RestartingLeader, **HORIZON),
    "restarting leader of counts": by_rng(RestartingLeader, moves_at_most_1=True, **HORIZON),
    "noisy share": by_rng(NoisyFixedShare, "CENTRAL", eta=0.5, **TRACKED),
    "noisy share of laplaces": by_rng(NoisyFixedShare, eta=0.5, **TRACKED),
    "pool of draws": by_rng(PooledDraws, **HORIZON),
    "pool of draws, delta": by_rng(PooledDraws, "LEAKY", **HORIZON),
    "shrinking dartboard": by_rng(ShrinkingDartboard, **HORIZON),
    "shrinking dartboard of batches": by_rng(ShrinkingDartboard, "LEAKY", batched=True, **HORIZON),
    "switching dartboard": by_rng(SwitchingDartboard, **TRACKED),
    "switching softmax": by_rng(SwitchingSoftmax, **TRACKED),
    "switching softmax, delta": by_rng(SwitchingSoftmax, "LEAKY", **TRACKED),
    "sleeping softmax": by_rng(SleepingSoftmax, **HORIZON),
    "sleeping softmax, delta": by_rng(SleepingSoftmax, "LEAKY", **HORIZON),
}


def neighbours(reach: float) -> list[np.ndarray]:
    """Two streams of which one person's round differs, who moves both gains, by `reach` in L2 distance."""
    streams = []
    for sign in (-1.0, 1.0):
        gains = np.full((ROUNDS, 2), 0.005)
        gains[0] += sign * np.array([1.0, -1.0]) * reach / math.sqrt(8)
        streams.append(gains)
    return streams


def attacked(made: Any) -> tuple[list[np.ndarray], dict[str, Any]]:
    """Two neighbouring streams in the user's unit that differ as far as it is about, and settings."""
    late_ones = {"delays": 1} if isinstance(made, Delayed) else {}
    if getattr(made, "bounds", None) is not None:
        return neighbours(REACH), late_ones
    if getattr(made, "largest", 1.0) > 1:  # counts, of which a person moves each by at most 1
        return [20.0 + stream for stream in neighbours(math.sqrt(2))], late_ones
    # Without a sensitivity of its own it hides every change of a round's gains.
    return neighbours(math.sqrt(2) * (BOUNDS[1] - BOUNDS[0])), {"bounds": BOUNDS, **late_ones}


def noticed(make: Callable[[int, tuple], Any], name: str, unit: float = 1.0, copies: int = COPIES) -> float:
    """How often an attack notices the person, at 5 % false alarms, who sees the choices and nothing else.

    It learns from other plays how likely each choice is after the one before, with and without the person.
    What it takes for a sign is set on other plays than those it is tried on, and ties are broken at random.
    """
    (without, with_person), settings = attacked(make(1, (name,)))

    def choices(stream: np.ndarray, *key: str) -> np.ndarray:
        plays = play(make(copies, (name, *key)), unit * stream, **settings)
        before = np.vstack([np.zeros((1, copies), dtype=np.intp), plays[:-1]])
        return np.asarray(2 * before + plays)  # (rounds, copies), from 0 to 3

    def odds(stream: np.ndarray, *key: str) -> np.ndarray:
        seen = choices(stream, *key)
        counts = 1.0 + np.array([np.bincount(row, minlength=4) for row in seen]).reshape(-1, 2, 2)
        return np.log(counts / counts.sum(axis=2, keepdims=True)).reshape(-1, 4)

    learned = odds(with_person, "with") - odds(without, "without")

    def signs(stream: np.ndarray, *key: str) -> np.ndarray:
        sums_of_odds = np.take_along_axis(learned, choices(stream, *key), axis=1).sum(axis=0)
        return sums_of_odds.round(9) + 1e-9 * rng_for(0, "units: ties", name, *key).random(copies)

    alarm = np.quantile(signs(without, "alarm"), 1 - FALSE_ALARMS)
    return float((signs(with_person, "attack") > alarm).mean())


@pytest.mark.parametrize("name", ATTACKED)
def test_choices_keep_their_level_in_the_users_unit(name: str) -> None:
    make, fewer = ATTACKED[name], 16 if "pool" in name else 1  # whose thousands of slots take long
    most = privacy_report(make(1, (name,)), delta=1e-6).noticed + DOUBT * math.sqrt(fewer)
    assert noticed(make, name, copies=COPIES // fewer) <= most


# These have more noise than their level asks for, or composition charges them for more than they show.
LOOSE = {
    "tree leader, least regret",
    "switching softmax",
    "switching softmax, delta",
    "pool of draws",
    "pool of draws, delta",
}


@pytest.mark.parametrize("name", [name for name in ATTACKED if name not in LOOSE and "dartboard" not in name])
def test_the_attack_notices_a_person_beside_noise_for_a_larger_level(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    make = ATTACKED[name]
    most = privacy_report(make(1, (name,)), delta=1e-6).noticed
    for asked, weaker in {
        "CENTRAL": GaussianDP(5.0, "central"),
        "PURE": PureDP(10.0, "central"),
        "LEAKY": ApproximateDP(10.0, 1e-3, "central"),
    }.items():
        monkeypatch.setitem(globals(), asked, weaker)
    assert noticed(make, name) > most + DOUBT


# ----------------------------------------------------------- somebody else's classes, and parts of algorithms


class Somebodys:
    """What acts and takes in whatever it is told; it keeps the types of that, and the largest number."""

    guarantee: Any = CENTRAL

    def __init__(self) -> None:
        self.heard: list[Any] = []

    def predict(self) -> np.ndarray:
        return np.zeros(1, dtype=np.intp)

    def update(self, gains: Any) -> None:
        self.heard.append(gains)


class OfTheClass(Somebodys):
    sensitivity = REACH


class InASlot(Somebodys):
    __slots__ = ("_sensitivity",)

    def __init__(self) -> None:
        super().__init__()
        self._sensitivity = REACH


class Around(Somebodys):
    def __init__(self, inner: Any) -> None:
        super().__init__()
        self.inner = inner


class TellsItsUnit(OfTheClass):
    bounds = BOUNDS


class SomebodysLocal(Somebodys):
    guarantee = LOCAL


OWN: dict[str, Callable[[], Any]] = {
    "class": OfTheClass,
    "slot": InASlot,
    "in a list": lambda: Around([{"tree": (tree(),)}]),
    "by its method": lambda: Around(tree().update),
}


@each("name", OWN)
def test_bounds_are_compared_with_a_sensitivity_wherever_a_class_keeps_it(name: str) -> None:
    gains = np.full((ROUNDS, 2), 0.005)
    for doing in (
        lambda made: play(made, gains, bounds=BOUNDS),
        lambda made: NamedExperts(made, ["north", "south"], bounds=BOUNDS),
        lambda made: play(Delayed(lambda copy: made, 0), gains, bounds=BOUNDS, delays=0),
    ):
        with pytest.raises(InputError, match="leave them out here, and write sensitivity"):
            doing(OWN[name]())


def test_bounds_beside_a_guarantee_of_nobody_knows_which_gains_are_refused() -> None:
    with pytest.raises(InputError, match=r"nothing tells for which gains .* states .* give it an"):
        play(Somebodys(), np.full((ROUNDS, 2), 0.005), bounds=BOUNDS)


def test_somebodys_class_may_take_gains_in_its_own_unit() -> None:
    for made in (TellsItsUnit(), Around(tree(bounds=BOUNDS))):
        play(made, np.full((1, 2), 0.005), bounds=BOUNDS)
        np.testing.assert_allclose(made.heard[0], 0.005)


@each("given", [lambda x: x, iter, lambda x: late(x, 0)])
def test_somebodys_curator_is_told_gains_within_its_bounds(given: Any) -> None:
    gains = np.full((ROUNDS, 2), 30.0)
    with pytest.raises(InputError, match="write numbers from 0 to 1, or other bounds"):
        play(OfTheClass(), given(gains))
    with pytest.raises(InputError, match="write numbers from 0 to 1, or other bounds"):
        Delayed(lambda copy: OfTheClass(), 0).update(gains[0])


def test_true_gains_reach_no_local_algorithm_of_somebody_else() -> None:
    def by_hand(made: Any) -> None:
        Delayed(lambda copy: made, 0).update(np.zeros(2))

    for doing in (
        by_hand,
        lambda made: play_adaptively(made, FavouriteAdversary(2, starts=[4], memory=10.0), 2),
        lambda made: NamedExperts(made, ["a", "b"], lambda gains: gains).learn_one({"a": 0.2, "b": 0.3}),
    ):
        made = SomebodysLocal()
        with pytest.raises(InputError, match="true gains never reach"):
            doing(made)
        assert made.heard == []
    with pytest.raises(
        InputError, match=r"a report of 2-GDP \(local, simulated noise\) for an algorithm that states 1-GDP"
    ):
        play(SomebodysLocal(), [privatize(np.zeros(2), GaussianDP(2.0, "local"), 0.5, noise())])


def somebodys_local() -> Any:
    made = SomebodysLocal()
    made.sensitivity = 0.5  # type: ignore[attr-defined]
    return made


LOCAL_ONES: dict[str, Callable[[], Any]] = {
    "leader": lambda: RWFTPL(2, LOCAL, sensitivity=0.5, noise=noise()),
    "batches": lambda: RWAdaBatch(2, LOCAL, sensitivity=0.5, noise=noise(), horizon=ROUNDS),
    "trends": lambda: TrendMeta(2, LOCAL, sensitivity=0.5, noise=noise(), rng=1),
    "chosen": lambda: RWMeta([RWFTPL(2, LOCAL, sensitivity=0.5, noise=noise())], LOCAL, rng=1),
    "late": lambda: Delayed(lambda copy: RWFTPL(2, LOCAL, sensitivity=0.5, noise=noise(copy)), 0),
    "somebody's": somebodys_local,
}


@each("name", LOCAL_ONES)
def test_reports_are_for_the_sensitivity_that_an_algorithm_was_made_for(name: str) -> None:
    gains, delays = np.full((ROUNDS, 2), 0.5), 0 if name == "late" else None
    for other in (0.001, 0.7, [0.5] + [0.001] * (ROUNDS - 1)):
        with pytest.raises(InputError, match=r"is made for a sensitivity of 0\.5, and its reports would be"):
            play(LOCAL_ONES[name](), gains, noise=noise(), sensitivity=other, delays=delays)
    leader = LOCAL_ONES[name]()
    leader = leader if name != "somebody's" else Delayed(lambda copy: leader, 0)
    leader.update(privatize(gains[0], LOCAL, 0.5, noise()))
    leader.update(privatize(gains[0], GaussianDP(0.5, "local"), 0.5, noise())) if name != "batches" else None
    for other in (0.001, 0.7):
        with pytest.raises(
            InputError, match=r"moves by 0\.5, and a report has noise for|and batches are chosen"
        ):
            leader.update(privatize(gains[0], LOCAL, other, noise()))


def test_a_report_with_noise_of_another_scale_for_each_expert_is_compared_too() -> None:
    leader = RWFTPL(2, LOCAL, noise_scale=np.array([0.5, 0.2]), noise=noise())
    with pytest.raises(InputError, match=r"begins with noise of scale 0\.2 to 0\.5 for gains in"):
        play(leader, np.full((ROUNDS, 2), 0.5), noise=noise(), sensitivity=0.001)


def test_parts_side_by_side_are_compared_with_an_experiment() -> None:
    def leader(trial: Any, reach: float) -> PrefixFTPL:
        part = {"sensitivity": np.full(ROUNDS, reach), "noise": trial.noise}
        share = GaussianDP(trial.level / math.sqrt(2), "central")
        return PrefixFTPL(SideBySideSums([TightTreeSums(1, share, **part) for _ in range(2)]))

    gains, given = (
        np.full((ROUNDS, 2), 0.5),
        {"levels": [1.0], "sensitivity": 0.5, "repetitions": 1, "seed": 1},
    )
    experiment(gains, {"a": lambda trial: leader(trial, 0.5 / math.sqrt(2))}, **given)
    with pytest.raises(InputError, match=r"a was made for sensitivity 0\.00707107, and one person moves"):
        experiment(gains, {"a": lambda trial: leader(trial, 0.005)}, **given)


IMPOSSIBLE: dict[str, Callable[[], Any]] = {
    "tree leader": lambda: tree(sensitivity=500.0),
    "leader of batches": lambda: RWAdaBatch(2, LOCAL, sensitivity=500.0, noise=noise(), horizon=ROUNDS),
    "tree leader of another unit": lambda: tree(sensitivity=500.0, bounds=(0, 50)),
    **{name: lambda make=make: PrefixFTPL(make()) for name, make in sums(500.0).items()},
    "leader": lambda: RWFTPL(2, LOCAL, sensitivity=500.0, noise=noise()),
}


@each("name", IMPOSSIBLE)
def test_a_sensitivity_above_what_gains_can_move_is_of_another_unit(name: str) -> None:
    most = r"(1 by more than 1\.41|50 by more than 70\.7)"
    with pytest.raises(InputError, match=f"a sensitivity of 500, and nobody moves 2 gains from 0 to {most}"):
        IMPOSSIBLE[name]()


def test_so_is_one_of_somebody_elses_class() -> None:
    curator, message = (
        Curator(),
        r"a sensitivity of 500, and nobody moves 2 gains from 0 to 1 by more than 1\.41",
    )
    curator.sensitivity = 500.0
    with pytest.raises(InputError, match=message):
        play(curator, np.full((ROUNDS, 2), 0.5))
    curator.n = 2
    with pytest.raises(InputError, match=message):
        NamedExperts(curator, ["north", "south"])


class LaplaceSums:
    """Sums of somebody else's, with Laplace noise: their sensitivity is an L1 distance."""

    n, guarantee = 2, PURE

    def __init__(self, reach: float) -> None:
        self.sensitivity, self.total, self.rng = reach, np.zeros((1, 2)), rng_for(0, "laplace")

    def add(self, vector: np.ndarray) -> None:
        self.total = self.total + vector

    def release(self) -> np.ndarray:
        return self.total + self.rng.laplace(scale=self.sensitivity, size=(1, 2))


def test_pure_privacy_is_of_distances_that_are_added_up() -> None:
    def pure(reach: float) -> Curator:
        curator: Any = Curator()
        curator.guarantee, curator.sensitivity = PURE, reach
        return curator

    gains, message = np.full((ROUNDS, 2), 0.5), r"nobody moves 2 gains from 0 to 1 by more than 2 \(L1\)"
    for make in (pure, lambda reach: PrefixFTPL(LaplaceSums(reach))):
        play(make(2.0), gains)
        with pytest.raises(InputError, match=message):
            play(make(2.1), gains)


@each("kind", [partial(MatrixSums, strategy=square_root(ROUNDS)), TightTreeSums])
def test_of_each_expert_a_sensitivity_is_limited_by_itself(kind: Any) -> None:
    def made(reach: float, level: float = 1.0) -> Any:
        given: Any = {"sensitivity": np.full((ROUNDS, 2), reach), "noise": noise()}
        return kind(2, GaussianDP(level, "central"), **given)

    PrefixFTPL(made(1.0))
    PrefixFTPL(made(50.0), bounds=(0, 50))
    PrefixFTPL(made(1.2, math.inf))  # of no noise
    with pytest.raises(
        InputError, match=r"a sensitivity of 1\.2, and nobody moves a gain from 0 to 1 by more"
    ):
        PrefixFTPL(made(1.2))


def test_what_draws_no_noise_is_for_any_sensitivity() -> None:
    free, gains = GaussianDP(math.inf, "local"), np.full((ROUNDS, 2), 0.5)
    privatize(gains[0], free, 500.0, noise())
    play(RWFTPL(2, free, sensitivity=500.0, noise=noise()), gains, noise=noise())
    given: Any = {"horizon": ROUNDS, "sensitivity": 500.0, "noise": noise()}
    play(TreeFTPL(2, GaussianDP(math.inf, "central"), **given), gains)


GUESTS = np.tile([9, 41], (ROUNDS, 1))
SHARES: dict[str, Callable[..., Any]] = {  # of a sensitivity of shares, 1/50, beside counts up to 50
    "a report": lambda gains, reach, **more: privatize(gains[0], LOCAL, reach, noise(), **more),
    "reports": lambda gains, reach, **more: private_reports(gains, LOCAL, reach, noise(), **more),
    "a leader": lambda gains, reach, **more: play(
        RWFTPL(2, LOCAL, sensitivity=reach, noise=noise(), **more), gains, noise=noise()
    ),
    "a curator": lambda gains, reach, **more: play(tree(sensitivity=reach, **more), gains),
    "sums": lambda gains, reach, **more: play(PrefixFTPL(sums(reach)["matrix"](), **more), gains),
    "an experiment": lambda gains, reach, **more: experiment(
        gains, {"tree": leader_of}, levels=[1.0], sensitivity=reach, repetitions=2, seed=1, **more
    ),
}


@each("name", SHARES)
def test_counts_are_of_no_sensitivity_below_1(name: str) -> None:
    made, message = SHARES[name], "a sensitivity of 0.02 for whole numbers from 0 to 50, which move by 1 at l"
    counted = [GUESTS, GUESTS.astype(np.uint8), GUESTS > 10]
    frames = [pd.DataFrame(GUESTS, columns=["north", "south"])] if name != "a report" else []
    for gains in counted + frames:
        with pytest.raises(InputError, match=message):
            made(gains, 0.02, bounds=(0, 50))
    made(GUESTS, 1.0, bounds=(0, 50))
    made(GUESTS + 0.5, 0.02, bounds=(0, 50))  # of hours, say
    made(np.tile([0, 1], (ROUNDS, 1)), 0.02)  # shares may be all or nothing


@each("name", SHARES)
def test_counts_that_became_floats_are_told(name: str) -> None:
    """As where a number was missing, and was filled in. Warnings are errors here where nothing is told."""
    made = partial(SHARES[name], reach=0.02, bounds=(0, 50))
    if name == "a report":  # of which a round of two tells nothing
        made(1.0 * GUESTS)
        made = partial(privatize, guarantee=LOCAL, sensitivity=0.02, noise=noise(), bounds=(0, 50))
        counts = [np.arange(1.0, 13.0), list(range(1, 13))]
    else:
        counts = [1.0 * GUESTS, pd.DataFrame(GUESTS, columns=["north", "south"], dtype=object)]
    for gains in counts:
        with pytest.warns(
            UserWarning, match=r"of 0\.02 for whole numbers from 0 to 50, .* in one unit"
        ) as told:
            made(gains)
        assert {warning.filename for warning in told} == {__file__}  # the user's line, and no inner one
        hours = np.array(gains, dtype=float)
        hours.flat[-1] += 0.5
        made(hours)
    made(50.0 * (np.array(counts[0]) > 10))  # each is a bound


REACHES: dict[str, tuple[float, Callable[..., Any], Any]] = {  # of two gains, with what makes reports of them
    "report": (math.sqrt(2), partial(privatize, np.full(2, 0.5), LOCAL), float),
    "report of own counts": (1.0, partial(privatize, np.full(2, 0.5), LOCAL, moved=1), partial(np.full, 2)),
    "reports": (
        math.sqrt(2),
        lambda *a, **k: next(private_reports(np.full((9, 2), 0.5), LOCAL, *a, **k)),
        np.array,
    ),
    "reports of own counts": (
        1.0,
        lambda *a, **k: next(private_reports(np.full((9, 2), 0.5), LOCAL, *a, **k, moved=1)),
        lambda reach: np.array([0.1, reach]),
    ),
    "a curator's reports": (
        math.sqrt(2),
        lambda reach, source, **k: CorrelatedReports(
            2, CENTRAL, strategy=np.eye(1), sensitivity=reach, noise=source, **k
        ).report(np.full(2, 0.5)),
        lambda reach: np.array([reach]),
    ),
}


@each("name", REACHES)
def test_reports_alone_are_of_a_sensitivity_that_is_possible(name: str) -> None:
    most, made, of = REACHES[name]
    source = noise()
    made(of(most), source)
    made(of(50 * most), source, bounds=(0, 50))
    state = source._rng.bit_generator.state
    for reach, more in ((1.01 * most, {}), (15_000.0, {}), (51 * most, {"bounds": (0, 50)})):
        with pytest.raises(InputError, match=rf"a sensitivity of .*{reach:g}.*, and nobody moves"):
            made(of(reach), source, **more)
    assert source._rng.bit_generator.state == state  # what is refused draws nothing


SLIPS: dict[str, Callable[[], Any]] = {
    "reports": lambda: private_reports(SMALL, LOCAL, 1.0, noise()),
    "bounds": lambda: private_reports(SMALL, LOCAL, 0.001, noise(), bounds=(0, 1.0)),
    "a local game": lambda: play(
        RWFTPL(20, LOCAL, sensitivity=1.0, noise=noise()), SMALL, noise=noise("more")
    ),
    "a curator": lambda: play(tree(n=20, sensitivity=1.0), SMALL),
    "no sensitivity": lambda: play(
        ShrinkingDartboard(20, PURE, horizon=ROUNDS, rng=0), 50 * SMALL, bounds=(0, 50)
    ),
    "an experiment": lambda: experiment(
        SMALL, {"tree": leader_of}, levels=[1.0], sensitivity=1.0, repetitions=2, seed=1
    ),
}
SMALL = 0.0009 * rng_for(1, "small gains").random((ROUNDS, 20))


@each("name", SLIPS)
def test_gains_far_smaller_than_what_is_stated_of_them_are_told(name: str) -> None:
    with pytest.warns(UserWarning, match="by less than a thousandth of what bounds or a sensitivity") as told:
        SLIPS[name]()
    assert {warning.filename for warning in told} == {__file__}  # the user's line, and no inner one


def test_gains_that_may_be_what_is_stated_are_told_nothing() -> None:
    """Warnings are errors here: of a sensitivity that fits, of gains that are alike, and of a few numbers."""
    privatize(SMALL[0], LOCAL, 0.0009, noise())
    [*private_reports(np.zeros((ROUNDS, 20)), LOCAL, 1.0, noise())]
    privatize(SMALL[0, :9], LOCAL, 1.0, noise())
    play(FollowTheLeader(20), SMALL)
    # The first hundred are alike, or whole, and those after them are not.
    privatize(np.append(SMALL[:6], 0.9), LOCAL, 1.0, noise())
    privatize(np.append(np.arange(1.0, 121.0) % 50, 20.5), LOCAL, 0.02, noise(), bounds=(0, 50))


def test_gains_that_differ_by_rounding_or_without_noise_are_told_nothing() -> None:
    """Warnings are errors here."""
    for dust in (0.5 + 1e-16 * np.arange(20), np.append(np.zeros(19), 5e-17)):
        assert 0 < np.ptp(dust) < 1e-14
        privatize(dust, LOCAL, 1.0, noise())
        [*private_reports(np.tile(50 * dust, (ROUNDS, 1)), LOCAL, 1.0, noise(), bounds=(0, 50))]
        play(tree(n=20, sensitivity=1.0), np.tile(dust, (ROUNDS, 1)))
    none: Any = {"sensitivity": 1.0, "noise": noise(), "bounds": (0, 50)}
    privatize(SMALL[0], GaussianDP(math.inf, "local"), **none)
    [*private_reports(SMALL, GaussianDP(math.inf, "local"), **none)]
    play(RWFTPL(20, GaussianDP(math.inf, "local"), **none), SMALL, noise=noise())
    leader = TreeFTPL(20, GaussianDP(math.inf, "central"), horizon=2 * ROUNDS, **none)
    play(leader, SMALL)
    leader.update(SMALL[0])
    play(FollowTheLeader(20), SMALL, bounds=(0, 50))


def test_an_experiment_of_a_sensitivity_above_what_gains_can_move_is_refused() -> None:
    gains, message = np.full((ROUNDS, 2), 0.5), "experiment: a sensitivity of 500, and nobody moves 2 gains"
    settings: Any = {"algorithms": {"tree": leader_of}, "levels": [1.0], "repetitions": 2, "seed": 1}
    with pytest.raises(InputError, match=message):
        experiment(gains, sensitivity=500.0, **settings)
    experiment(gains, sensitivity=math.sqrt(2), **settings)
    experiment(900 * gains, sensitivity=500.0, bounds=(0, 900), **settings)


def leader_of(trial: Any) -> TreeFTPL:
    return trial.make(TreeFTPL, trial.central)


@each(
    "make",
    [
        lambda: tree(sensitivity=0),
        lambda: RWFTPL(2, LOCAL, sensitivity=0, noise=noise()),
        lambda: RWAdaBatch(2, LOCAL, sensitivity=0, noise=noise(), horizon=ROUNDS),
        sums(0)["band"],
    ],
)
def test_a_sensitivity_of_0_is_no_promise(make: Any) -> None:
    with pytest.raises(InputError, match="sensitivity = 0: write a positive number"):
        make()


def test_learners_begin_with_noise_like_that_of_the_reports() -> None:
    first = privatize(np.zeros(2), LOCAL, 0.5, noise())
    with pytest.raises(InputError, match=r"begins with noise of scale 0\.5 .*, and its reports have 0\.25"):
        play(RWMeta([TotalsLeader(first)], LOCAL, rng=1), np.eye(2), sensitivity=0.25, noise=noise("more"))
