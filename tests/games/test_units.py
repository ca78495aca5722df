"""Unit and sensitivity are stated once: others are refused, and plays are the same in any unit."""

import math
from collections.abc import Callable
from functools import partial
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
    PrefixFTPL,
    RandomizedPrefix,
    RestartingLeader,
    RWAdaBatch,
    RWMeta,
    ShrinkingDartboard,
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
    BandedSums,
    CorrelatedReports,
    GaussianDP,
    MatrixSums,
    PureDP,
    SideBySideSums,
    SimulatedNoise,
    TightTreeSums,
    TreeSums,
    own_share,
    privatize,
)
from private_experts.privacy.banded import root_band
from private_experts.privacy.factorization import square_root
from private_experts.randomness import rng_for
from tests.each import each

LOCAL, CENTRAL, PURE = GaussianDP(1.0, "local"), GaussianDP(1.0, "central"), PureDP(1.0, "central")
BOUNDS, REACH = (0.0, 0.01), 0.001  # of gains in a unit of the user's
WIDE, WIDTH = (-16.0, 48.0), 64.0  # a power of two, so that no digit changes with the unit
ROUNDS = 8
HALF, SMALL = np.full((ROUNDS, 2), 0.5), np.full((ROUNDS, 2), 0.005)
EIGHTHS = rng_for(0, "gains").integers(0, 9, (ROUNDS, 2)) / 8
PLACES = ["north", "south"]


def noise(*key: str | int) -> SimulatedNoise:
    return SimulatedNoise(rng_for(0, "units", *key))


def tree(n: int = 2, **more: Any) -> TreeFTPL:
    return TreeFTPL(n, CENTRAL, horizon=ROUNDS, **{"sensitivity": REACH, "noise": noise(), **more})


def sums(reach: float = REACH, copies: int = 1) -> dict[str, Callable[[], Any]]:
    """All sums of two experts that the library releases with noise."""
    every, given = np.full(ROUNDS, reach), {"noise": noise(), "repetitions": copies}
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


def leader(reach: float = 0.5, level: float = 1.0, n: int = 2, **more: Any) -> RWFTPL:
    return RWFTPL(n, GaussianDP(level, "local"), **{"sensitivity": reach, "noise": noise(), **more})


class Somebodys:
    """What acts and takes in whatever it is told, which it keeps."""

    guarantee: Any = CENTRAL

    def __init__(self, **stated: Any) -> None:
        self.heard: list[Any] = []
        vars(self).update(stated)

    def predict(self) -> np.ndarray:
        return np.zeros(1, dtype=np.intp)

    def update(self, gains: Any) -> None:
        self.heard.append(gains)


class OfTheClass(Somebodys):
    sensitivity = REACH


class InASlot(Somebodys):
    __slots__ = ("_sensitivity",)


# ------------------------------------------------------------------------------------ the same in any unit


def in_unit(bounds: tuple[float, float] | None, width: float) -> dict[str, Any]:
    """Curators for gains within bounds, with the same noise in their unit."""
    reach = 0.125 * width
    given: Any = {"sensitivity": reach, "bounds": bounds, "repetitions": 300}
    of_each = {"sensitivity": np.full((ROUNDS, 2), reach), "noise": noise(), "repetitions": 300}
    summed = {name: make() for name, make in sums(reach, 300).items()}
    summed["matrix of each"] = MatrixSums(2, own_share(CENTRAL), strategy=square_root(ROUNDS), **of_each)
    return {
        "tree leader": tree(**given),
        "tree leader of least regret": tree(scale="min_regret", **given),
        "late": Delayed(lambda copy: tree(**given, noise=noise(copy)), 1),
        **{name: PrefixFTPL(made, bounds=bounds) for name, made in summed.items()},
        "no sensitivity": Hedge(2, rng=0, repetitions=300),
    }


@each("name", in_unit(None, 1.0))
def test_choices_and_their_noise_are_the_same_in_any_unit(name: str) -> None:
    delays = {"delays": 1} if name == "late" else {}
    expected = play(in_unit(None, 1.0)[name], EIGHTHS, **delays)
    assert (expected != expected[:, :1]).any()  # noise counts
    for losses in (False, True):
        told = WIDE[0] + WIDTH * (1 - EIGHTHS if losses else EIGHTHS)
        made = in_unit(WIDE, WIDTH)[name]
        stated = {"bounds": WIDE} if name == "no sensitivity" or not losses else {}  # the same bounds again
        np.testing.assert_array_equal(play(made, told, losses=losses, **delays, **stated), expected)


def test_reports_of_a_curator_have_the_noise_of_their_unit() -> None:
    def values(bounds: tuple[float, float], width: float) -> list[Any]:
        settings: Any = {"sensitivity": np.full(ROUNDS, 0.125 * width), "bounds": bounds, "noise": noise()}
        curator = CorrelatedReports(2, CENTRAL, strategy=square_root(ROUNDS), **settings)
        return [(curator.report(bounds[0] + width * row).values - bounds[0]) / width for row in EIGHTHS]

    np.testing.assert_allclose(values(WIDE, WIDTH), values((0.0, 1.0), 1.0), rtol=1e-12)


COUNTERS: dict[str, Callable[..., Any]] = {
    "dyadic": partial(DyadicLeader, 2, PURE),
    "gumbel": partial(DyadicLeader, 2, PURE, selection="gumbel"),
    "prefix": partial(RandomizedPrefix, 2, PURE),
    "restarting": partial(RestartingLeader, 2, PURE, horizon=ROUNDS),
}


@each("make", COUNTERS.values())
def test_counts_of_any_size_that_move_by_1_have_the_noise_of_gains_from_0_to_1(make: Any) -> None:
    given = {"rng": 0, "repetitions": 300}
    expected = play(make(**given), EIGHTHS)
    np.testing.assert_array_equal(play(make(moves_at_most_1=True, **given), 16 + EIGHTHS), expected)


class Open:
    """Sums without noise, which keep the vectors that they are told."""

    n, guarantee = 2, GaussianDP(math.inf, "central")

    def __init__(self) -> None:
        self.vectors: list[list[float]] = []

    def add(self, vector: np.ndarray) -> None:
        self.vectors.append(vector.tolist())

    def release(self) -> np.ndarray:
        return np.sum(self.vectors, axis=0, keepdims=True) if self.vectors else np.zeros((1, 2))


def by_update(made: Any, gains: np.ndarray) -> None:
    for row in gains:
        made.update(row)


def by_name(made: Any, gains: np.ndarray) -> None:
    model = NamedExperts(made, PLACES)
    for north, south in gains.tolist():
        model.learn_one({"south": south, "north": north})


DOORS: dict[str, Callable[[Any, np.ndarray], Any]] = {
    "play": play,
    "play with a note": lambda made, gains: play(made, gains, note=lambda _: None),
    "play of rows": lambda made, gains: play(made, iter(gains)),
    "play of losses": lambda made, gains: play(made, 32.0 - gains, losses=True),
    "update": by_update,
    "named": by_name,
    "delayed": lambda made, gains: play(Delayed(lambda copy: made, 0), gains, delays=0),
    "late": lambda made, gains: play(Delayed(lambda copy: made, 0), late(gains, 0)),
}


@each("tell", DOORS.values())
def test_sums_hear_gains_in_the_unit_of_their_sensitivity_through_every_door(tell: Any) -> None:
    gains, heard = np.array([[-16.0, 48.0], [0.0, 1.0], [0.5, 0.25]]), Open()
    tell(PrefixFTPL(heard, bounds=WIDE), gains)
    np.testing.assert_allclose(np.array(heard.vectors), gains + 16.0, rtol=1e-12)
    with pytest.raises(InputError, match="from -16 to 48"):
        tell(PrefixFTPL(Open(), bounds=WIDE), np.array([[0.0, 49.0]]))


def test_experts_by_name_make_the_reports_of_their_algorithm() -> None:
    source = noise()
    model = NamedExperts(leader(8.0, bounds=WIDE, noise=source), PLACES, noise=source)
    source = noise()
    other = leader(0.125, noise=source)
    for row in EIGHTHS:
        model.learn_one(dict(zip(PLACES, (WIDTH * row - 16).tolist(), strict=True)))
        other.update(privatize(row, LOCAL, 0.125, source))
    np.testing.assert_allclose(model.algorithm.total, other.total, rtol=1e-9)
    with pytest.raises(InputError, match="bounds beside privatize or noise"):
        NamedExperts(other, PLACES, noise=source, bounds=(0, 1))
    with pytest.raises(InputError, match="noise is for a local algorithm"):
        NamedExperts(tree(), PLACES, noise=source)


# ---------------------------------------------------------- bounds are stated where the sensitivity is

CURATORS: dict[str, Callable[[], Any]] = {
    "tree leader": tree,
    **{name: lambda make=make: PrefixFTPL(make()) for name, make in sums().items()},
    **{name: partial(make, rng=0, moves_at_most_1=True) for name, make in COUNTERS.items()},
    "somebody's": lambda: Somebodys(sensitivity=REACH),
    "of the class": OfTheClass,
    "in a slot": lambda: InASlot(_sensitivity=REACH),
    "in a list": lambda: Somebodys(inner=[{"tree": (tree(),)}]),
    "by its method": lambda: Somebodys(inner=tree().update),
}


@each("name", CURATORS)
def test_bounds_beside_a_sensitivity_of_other_bounds_are_refused_wherever_it_is_kept(name: str) -> None:
    make = CURATORS[name]
    doings: list[Callable[[Any], object]] = [
        lambda made: play(made, SMALL, bounds=BOUNDS),
        lambda made: NamedExperts(made, PLACES, bounds=BOUNDS),
    ]
    if name not in COUNTERS:
        doings += [
            lambda made: play(Delayed(lambda copy: made, 0), SMALL, bounds=BOUNDS, delays=0),
            lambda made: NamedExperts(Delayed(lambda copy: made, 0), PLACES, bounds=BOUNDS),
        ]
    for doing in doings:
        with pytest.raises(InputError, match=r"leave out bounds|leave them out here, and write sensitiv"):
            doing(make())


@each("kind", [RWFTPL, RWAdaBatch])
def test_bounds_beside_the_sensitivity_of_a_local_algorithm_are_refused(kind: Any) -> None:
    source = noise()
    for bounds, other in ((None, BOUNDS), (BOUNDS, (0, 0.02))):
        made = kind(2, LOCAL, sensitivity=REACH, noise=source, bounds=bounds)
        with pytest.raises(InputError, match="leave them out here, and write sensitivity and bounds where"):
            play(made, SMALL, noise=source, bounds=other)
    with pytest.raises(InputError, match="bounds beside noise_scale, which is of gains in"):
        kind(2, LOCAL, noise_scale=1.0, noise=source, bounds=BOUNDS)
    with pytest.raises(InputError, match="leave out sensitivity here, or make it with this one"):
        play(made, SMALL, noise=source, sensitivity=2 * REACH)


def test_units_that_do_not_fit_are_refused() -> None:
    with pytest.raises(InputError, match=r"adaptive play: TreeFTPL is for gains from 0 to 0\.01"):
        play_adaptively(tree(bounds=BOUNDS), FavouriteAdversary(2, starts=[4], memory=10.0), ROUNDS)
    with pytest.raises(InputError, match=r"nothing tells for which gains .* states .* give it an"):
        play(Somebodys(), SMALL, bounds=BOUNDS)
    # Flips are for those who hide whole flips.
    for inner in (tree(sensitivity=1.4), tree(sensitivity=2.0, bounds=(0, 9)), PrefixFTPL(sums()["tree"]())):
        with pytest.raises(InputError, match=r"resampling: \w+ is for a sensitivity of .*, and flips have"):
            BernoulliResampled(2, inner, rng=0)
    BernoulliResampled(2, tree(sensitivity=math.sqrt(2)), rng=0)


# ------------------------------------------------------------------------------------ somebody else's classes


def test_somebodys_class_may_take_gains_in_its_own_unit() -> None:
    for made in (OfTheClass(bounds=BOUNDS), Somebodys(inner=tree(bounds=BOUNDS))):
        play(made, SMALL[:1], bounds=BOUNDS)
        np.testing.assert_allclose(made.heard[0], 0.005)


@each("given", [lambda x: x, iter, lambda x: late(x, 0)])
def test_somebodys_curator_is_told_gains_within_its_bounds(given: Any) -> None:
    with pytest.raises(InputError, match="write numbers from 0 to 1, or other bounds"):
        play(OfTheClass(), given(60 * HALF))
    with pytest.raises(InputError, match="write numbers from 0 to 1, or other bounds"):
        Delayed(lambda copy: OfTheClass(), 0).update(60 * HALF[0])


def test_true_gains_reach_no_local_algorithm_of_somebody_else() -> None:
    for doing in (
        lambda made: Delayed(lambda copy: made, 0).update(np.zeros(2)),
        lambda made: play_adaptively(made, FavouriteAdversary(2, starts=[4], memory=10.0), 2),
        lambda made: NamedExperts(made, PLACES, lambda gains: gains).learn_one({"north": 0.2, "south": 0.3}),
    ):
        made = Somebodys(guarantee=LOCAL)
        with pytest.raises(InputError, match="true gains never reach"):
            doing(made)
        assert made.heard == []
    with pytest.raises(
        InputError, match=r"a report of 2-GDP \(local, simulated noise\) for an algorithm that states 1-GDP"
    ):
        play(Somebodys(guarantee=LOCAL), [privatize(np.zeros(2), GaussianDP(2.0, "local"), 0.5, noise())])


LOCAL_ONES: dict[str, Callable[[], Any]] = {
    "leader": leader,
    "batches": lambda: RWAdaBatch(2, LOCAL, sensitivity=0.5, noise=noise(), horizon=ROUNDS),
    "trends": lambda: TrendMeta(2, LOCAL, sensitivity=0.5, noise=noise(), rng=1),
    "chosen": lambda: RWMeta([leader()], LOCAL, rng=1),
    "late": lambda: Delayed(lambda copy: leader(noise=noise(copy)), 0),
    "somebody's": lambda: Somebodys(guarantee=LOCAL, sensitivity=0.5),
}


@each("name", LOCAL_ONES)
def test_reports_are_for_the_sensitivity_that_an_algorithm_was_made_for(name: str) -> None:
    delays = 0 if name == "late" else None
    for other in (0.001, 0.7, [0.5] + [0.001] * (ROUNDS - 1)):
        with pytest.raises(InputError, match=r"is made for a sensitivity of 0\.5, and its reports would be"):
            play(LOCAL_ONES[name](), HALF, noise=noise(), sensitivity=other, delays=delays)
    made = LOCAL_ONES[name]()
    made = made if name != "somebody's" else Delayed(lambda copy: made, 0)
    made.update(privatize(HALF[0], LOCAL, 0.5, noise()))
    made.update(privatize(HALF[0], GaussianDP(0.5, "local"), 0.5, noise())) if name != "batches" else None
    for other in (0.001, 0.7):
        with pytest.raises(
            InputError, match=r"moves by 0\.5, and a report has noise for|and batches are chosen"
        ):
            made.update(privatize(HALF[0], LOCAL, other, noise()))


def test_the_first_noise_is_compared_with_that_of_reports() -> None:
    of_each = RWFTPL(2, LOCAL, noise_scale=np.array([0.5, 0.2]), noise=noise())
    with pytest.raises(InputError, match=r"begins with noise of scale 0\.2 to 0\.5 for gains in"):
        play(of_each, HALF, noise=noise(), sensitivity=0.001)
    first = privatize(np.zeros(2), LOCAL, 0.5, noise())
    with pytest.raises(InputError, match=r"begins with noise of scale 0\.5 .*, and its reports have 0\.25"):
        play(RWMeta([TotalsLeader(first)], LOCAL, rng=1), np.eye(2), sensitivity=0.25, noise=noise("more"))


def test_parts_side_by_side_are_compared_with_an_experiment() -> None:
    def side_by_side(trial: Any, reach: float) -> PrefixFTPL:
        part = {"sensitivity": np.full(ROUNDS, reach), "noise": trial.noise}
        share = GaussianDP(trial.level / math.sqrt(2), "central")
        return PrefixFTPL(SideBySideSums([TightTreeSums(1, share, **part) for _ in range(2)]))

    given: Any = {"levels": [1.0], "sensitivity": 0.5, "repetitions": 1, "seed": 1}
    experiment(HALF, {"a": lambda trial: side_by_side(trial, 0.5 / math.sqrt(2))}, **given)
    with pytest.raises(InputError, match=r"a was made for sensitivity 0\.00707107, and one person moves"):
        experiment(HALF, {"a": lambda trial: side_by_side(trial, 0.005)}, **given)


# ------------------------------------------------------------------------- sensitivities that cannot be


def tried(gains: Any, reach: float, **more: Any) -> Any:
    """An experiment with a curator."""
    makers = {"tree": lambda trial: trial.make(TreeFTPL, trial.central)}
    return experiment(gains, makers, levels=[1.0], sensitivity=reach, repetitions=2, seed=1, **more)


def of_each(kind: Any, reach: float) -> Any:
    return kind(2, CENTRAL, sensitivity=np.full((ROUNDS, 2), reach), noise=noise())


class LaplaceSums:
    """Sums of somebody else's, with Laplace noise: their sensitivity is an L1 distance."""

    n, guarantee = 2, PURE

    def __init__(self, reach: float) -> None:
        self.sensitivity, self.total, self.rng = reach, np.zeros((1, 2)), rng_for(0, "laplace")

    def add(self, vector: np.ndarray) -> None:
        self.total = self.total + vector

    def release(self) -> np.ndarray:
        return self.total + self.rng.laplace(scale=self.sensitivity, size=(1, 2))


ROOT = math.sqrt(2)
FOR_EACH = {
    "matrix of each": partial(MatrixSums, strategy=square_root(ROUNDS)),
    "tree of each": TightTreeSums,
}
POSSIBLE: dict[str, tuple[float, Callable[[float], Any]]] = {  # with the most that two gains from 0 to 1 move
    "tree leader": (ROOT, lambda reach: tree(sensitivity=reach)),
    "leader": (ROOT, leader),
    "batches": (ROOT, lambda reach: RWAdaBatch(2, LOCAL, sensitivity=reach, noise=noise(), horizon=ROUNDS)),
    **{name: (ROOT, lambda reach, name=name: PrefixFTPL(sums(reach)[name]())) for name in sums()},
    **{
        name: (1.0, lambda reach, kind=kind: PrefixFTPL(of_each(kind, reach)))
        for name, kind in FOR_EACH.items()
    },
    "somebody's": (ROOT, lambda reach: play(Somebodys(sensitivity=reach), HALF)),
    "by name": (ROOT, lambda reach: NamedExperts(Somebodys(sensitivity=reach, n=2), PLACES)),
    "pure": (2.0, lambda reach: play(Somebodys(sensitivity=reach, guarantee=PURE), HALF)),
    "pure sums": (2.0, lambda reach: play(PrefixFTPL(LaplaceSums(reach)), HALF)),
    "an experiment": (ROOT, partial(tried, HALF)),
    # Of another unit.
    "wide tree leader": (ROOT * WIDTH, lambda reach: tree(sensitivity=reach, bounds=WIDE)),
    "wide leader": (ROOT * WIDTH, lambda reach: leader(reach, bounds=WIDE)),
    "wide sums": (ROOT * WIDTH, lambda reach: PrefixFTPL(sums(reach)["matrix"](), bounds=WIDE)),
    "wide experiment": (ROOT * WIDTH, lambda reach: tried(WIDTH * HALF - 16, reach, bounds=WIDE)),
    **{
        f"wide {name}": (WIDTH, lambda reach, kind=kind: PrefixFTPL(of_each(kind, reach), bounds=WIDE))
        for name, kind in FOR_EACH.items()
    },
}


@each("name", POSSIBLE)
def test_a_sensitivity_above_what_gains_can_move_is_of_another_unit(name: str) -> None:
    most, make = POSSIBLE[name]
    make(most)
    moved = "a gain" if name.endswith("each") else "2 gains"
    unit = "from -16 to 48" if name.startswith("wide") else "from 0 to 1"
    norm = "L1" if name.startswith("pure") else "L2"
    for above in (1.01 * most, 500.0):
        with pytest.raises(
            InputError, match=rf"a sensitivity of {above:g}, and nobody moves {moved} {unit} by .* \({norm}\)"
        ):
            make(above)


def test_what_draws_no_noise_is_for_any_sensitivity() -> None:
    open_level = GaussianDP(math.inf, "central")
    privatize(HALF[0], GaussianDP(math.inf, "local"), 500.0, noise())
    play(leader(500.0, math.inf), HALF, noise=noise())
    play(TreeFTPL(2, open_level, horizon=ROUNDS, sensitivity=500.0, noise=noise()), HALF)
    every = {"sensitivity": np.full((ROUNDS, 2), 1.2), "noise": noise()}
    PrefixFTPL(TightTreeSums(2, open_level, **every))


REACHES: dict[str, tuple[float, Callable[..., Any], Any]] = {  # of two gains, with what makes reports of them
    "report": (ROOT, partial(privatize, HALF[0], LOCAL), float),
    "report of own counts": (1.0, partial(privatize, HALF[0], LOCAL, moved=1), partial(np.full, 2)),
    "reports": (ROOT, lambda *a, **k: next(private_reports(HALF, LOCAL, *a, **k)), partial(np.full, ROUNDS)),
    "reports of own counts": (
        1.0,
        lambda *a, **k: next(private_reports(HALF, LOCAL, *a, **k, moved=1)),
        lambda reach: np.array([0.1, reach]),
    ),
    "a curator's reports": (
        ROOT,
        lambda reach, source, **k: CorrelatedReports(
            2, CENTRAL, strategy=np.eye(1), sensitivity=reach, noise=source, **k
        ).report(HALF[0]),
        partial(np.full, 1),
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


@each(
    "make",
    [
        lambda: tree(sensitivity=0),
        lambda: leader(0),
        lambda: RWAdaBatch(2, LOCAL, sensitivity=0, noise=noise(), horizon=ROUNDS),
        sums(0)["band"],
    ],
)
def test_a_sensitivity_of_0_is_no_promise(make: Any) -> None:
    with pytest.raises(InputError, match="sensitivity = 0: write a positive number"):
        make()


# --------------------------------------------------------------- counts and gains that are in another unit

GUESTS = np.tile([9, 41], (ROUNDS, 1))
SHARES: dict[str, Callable[..., Any]] = {  # of a sensitivity of shares, 1/50, beside counts up to 50
    "a report": lambda gains, reach, **more: privatize(gains[0], LOCAL, reach, noise(), **more),
    "reports": lambda gains, reach, **more: private_reports(gains, LOCAL, reach, noise(), **more),
    "a leader": lambda gains, reach, **more: play(leader(reach, **more), gains, noise=noise()),
    "a curator": lambda gains, reach, **more: play(tree(sensitivity=reach, **more), gains),
    "sums": lambda gains, reach, **more: play(PrefixFTPL(sums(reach)["matrix"](), **more), gains),
    "an experiment": tried,
}


def test_counts_are_of_no_sensitivity_below_1() -> None:
    message = "a sensitivity of 0.02 for whole numbers from 0 to 50, which move by 1 at l"
    for name, made in SHARES.items():
        frames = [pd.DataFrame(GUESTS, columns=PLACES)] if name != "a report" else []
        for gains in (GUESTS, GUESTS.astype(np.uint8), GUESTS > 10, *frames):
            with pytest.raises(InputError, match=message):
                made(gains, 0.02, bounds=(0, 50))
        made(GUESTS, 1.0, bounds=(0, 50))
        made(GUESTS + 0.5, 0.02, bounds=(0, 50))  # of hours, say
        made(np.tile([0, 1], (ROUNDS, 1)), 0.02)  # shares may be all or nothing


def told_once(doubt: str, doing: Callable[[], object]) -> None:
    """A warning comes, of the user's line and of no inner one."""
    with pytest.warns(UserWarning, match=doubt) as told:
        doing()
    assert {warning.filename for warning in told} == {__file__}


@each("name", SHARES)
def test_counts_that_became_floats_are_told(name: str) -> None:
    """As where a number was missing, and was filled in. Warnings are errors here where nothing is told."""
    made = partial(SHARES[name], reach=0.02, bounds=(0, 50))
    counts: list[Any] = [1.0 * GUESTS, pd.DataFrame(GUESTS, columns=PLACES, dtype=object)]
    if name == "a report":  # of which a round of two tells nothing
        made(1.0 * GUESTS)
        made = partial(privatize, guarantee=LOCAL, sensitivity=0.02, noise=noise(), bounds=(0, 50))
        counts = [np.arange(1.0, 13.0), list(range(1, 13))]
    for gains in counts:
        told_once(r"of 0\.02 for whole numbers from 0 to 50, .* in one unit", partial(made, gains))
        hours = np.array(gains, dtype=float)
        hours.flat[-1] += 0.5
        made(hours)
    made(50.0 * (np.array(counts[0]) > 10))  # each is a bound


TINY = 0.0009 * rng_for(1, "small gains").random((ROUNDS, 20))
SLIPS: dict[str, Callable[[], Any]] = {
    "reports": lambda: private_reports(TINY, LOCAL, 1.0, noise()),
    "bounds": lambda: private_reports(TINY, LOCAL, 0.001, noise(), bounds=(0, 1.0)),
    "a local game": lambda: play(leader(1.0, n=20), TINY, noise=noise("more")),
    "a curator": lambda: play(tree(n=20, sensitivity=1.0), TINY),
    "no sensitivity": lambda: play(
        ShrinkingDartboard(20, PURE, horizon=ROUNDS, rng=0), 50 * TINY, bounds=(0, 50)
    ),
    "an experiment": lambda: tried(TINY, 1.0),
}


@each("slip", SLIPS.values())
def test_gains_far_smaller_than_what_is_stated_of_them_are_told(slip: Any) -> None:
    told_once("by less than a thousandth of what bounds or a sensitivity", slip)


def test_gains_that_may_be_what_is_stated_are_told_nothing() -> None:
    """Warnings are errors here."""
    privatize(TINY[0], LOCAL, 0.0009, noise())  # it fits
    [*private_reports(np.zeros((ROUNDS, 20)), LOCAL, 1.0, noise())]  # they are alike
    privatize(TINY[0, :9], LOCAL, 1.0, noise())  # a few numbers
    # The first hundred are alike, or whole, and those after them are not.
    privatize(np.append(TINY[:6], 0.9), LOCAL, 1.0, noise())
    privatize(np.append(np.arange(1.0, 121.0) % 50, 20.5), LOCAL, 0.02, noise(), bounds=(0, 50))
    # Or they differ by rounding.
    for dust in (0.5 + 1e-16 * np.arange(20), np.append(np.zeros(19), 5e-17)):
        assert 0 < np.ptp(dust) < 1e-14
        privatize(dust, LOCAL, 1.0, noise())
        [*private_reports(np.tile(50 * dust, (ROUNDS, 1)), LOCAL, 1.0, noise(), bounds=(0, 50))]
        play(tree(n=20, sensitivity=1.0), np.tile(dust, (ROUNDS, 1)))
    # Or nothing is drawn.
    none: Any = {"sensitivity": 1.0, "noise": noise(), "bounds": (0, 50)}
    privatize(TINY[0], GaussianDP(math.inf, "local"), **none)
    [*private_reports(TINY, GaussianDP(math.inf, "local"), **none)]
    play(RWFTPL(20, GaussianDP(math.inf, "local"), **none), TINY, noise=noise())
    curator = TreeFTPL(20, GaussianDP(math.inf, "central"), horizon=2 * ROUNDS, **none)
    play(curator, TINY)
    curator.update(TINY[0])
    play(FollowTheLeader(20), TINY)
    play(FollowTheLeader(20), TINY, bounds=(0, 50))
