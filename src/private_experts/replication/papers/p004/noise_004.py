"""What the mechanisms of this paper really draw, from their plays. [verdicts.md#drawn-noise]

Each play is compared with the exact law of short games (`play_laws`), in every round and every two rounds,
and two neighbouring streams are told apart by what is published.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from itertools import combinations, pairwise
from typing import Any, Literal

import numpy as np
from scipy.special import ndtr, ndtri

from private_experts.algorithms.all_windows import AllWindows
from private_experts.algorithms.dartboard_parameters import DartboardParameters
from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.fixed_share import FixedShare
from private_experts.algorithms.noisy_fixed_share import NoisyFixedShare
from private_experts.algorithms.pool_parameters import PoolParameters, filter_of
from private_experts.algorithms.pooled_draws import PooledDraws
from private_experts.algorithms.restarting_leader import RestartingLeader
from private_experts.algorithms.shrinking_dartboard import ShrinkingDartboard
from private_experts.algorithms.sleeping_softmax import SleepingSoftmax
from private_experts.algorithms.switching_dartboard import SwitchingDartboard
from private_experts.algorithms.switching_softmax import SwitchingSoftmax
from private_experts.arrays import Array, Indices, Ints
from private_experts.games.play import play
from private_experts.privacy.above_threshold import AboveThreshold
from private_experts.privacy.guarantees import ApproximateDP, GaussianDP, PureDP
from private_experts.privacy.noise import SecureNoise
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.drawn_samples import (
    LAPLACE,
    NORMAL,
    Law,
    attack_points,
    copy_points,
    digit_points,
    law_points,
    noise_points,
    of_tail,
)
from private_experts.replication.papers.p004 import play_laws
from private_experts.replication.papers.p004.digits_004 import DIGITS
from private_experts.replication.papers.p004.play_laws import PathLaw
from private_experts.replication.study.intervals import clopper_pearson

_GROUPS = 850  # of points whose intervals are made together: at most so many calls
Setting = tuple[Literal["all", "dyadic"], Literal["laplace", "gumbel"], Literal["mended", "printed"]]

_SELECTIONS: tuple[Literal["laplace"], Literal["gumbel"]] = ("laplace", "gumbel")
_TRACKERS: tuple[Setting, ...] = (
    ("all", "laplace", "mended"),
    ("all", "gumbel", "printed"),
    ("dyadic", "laplace", "mended"),
    ("dyadic", "gumbel", "mended"),
    ("dyadic", "laplace", "printed"),
)
_AHEAD = 3.0  # of expert 1 where it is attacked, in gains


def drawn_noise(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Plays have their exact laws, noise its scale in every round, and attacks reach the stated levels."""
    plays = [point for name in grid["mechanism"] for point in MECHANISMS[name](grid, repetitions, seed)]
    return [*plays, *digit_points(DIGITS, grid, seed)]


def plays_points(where: Grid, outcomes: Ints, law: PathLaw, slack: float) -> Iterator[Point]:
    """Compare outcomes (rounds, copies) with the law of paths: of each round, and of every two.

    In every round neighbouring copies, and both halves of the copies, agree as often as independent ones do,
    within twice the slack.
    """
    rounds = range(len(outcomes))
    for t in rounds:
        same = sum(chance**2 for chance in play_laws.of_rounds(law, [t]).values())
        place, alike = {**where, "rounds": t + 1}, np.array([same])
        yield from copy_points(place, outcomes[[t]], alike, slack=2 * slack, cells=_GROUPS)
    for some in [*((t,) for t in rounds), *combinations(rounds, 2)]:
        codes = np.zeros(outcomes.shape[1], dtype=np.int64)
        for t in some:
            codes = 100 * codes + outcomes[t]
        place = {**where, "rounds": " and ".join(str(t + 1) for t in some)}
        yield from law_points(place, codes, play_laws.of_rounds(law, some), slack=slack, cells=_GROUPS)


def paths(outcomes: Indices) -> Ints:
    """Return one number for each copy's outcomes (rounds, copies), for an attack."""
    codes = np.zeros(outcomes.shape[1], dtype=np.int64)
    for of_round in outcomes:
        codes = 100 * codes + of_round
    return codes


def attacked(
    where: Grid,
    grid: Grid,
    publish: Callable[[Array, int], Ints],
    streams: tuple[Array, Array],
    guarantee: PureDP | GaussianDP | ApproximateDP,
    copies: int,
) -> Iterator[Point]:
    """Tell two neighbouring streams apart by what is published of them, one number for each copy.

    The grid's `attacks` is how many copies there are for each one of a game whose law is compared, and
    `attacked` names the mechanisms for which there are any.
    """
    if where["mechanism"] not in grid["attacked"]:
        return
    first, second = (publish(stream, grid["attacks"] * copies) for stream in streams)
    yield from attack_points(
        {**where, "rounds": "all"},
        first,
        second,
        guarantee,
        least=grid["least"],
        most=grid["most"],
        cells=_GROUPS,
    )


def _neighbours(
    n: int, before: Sequence[Array] = (), after: int = 0, gain: float = 0.0
) -> tuple[Array, Array]:
    """Return streams that differ in one round, where all others gain, or expert 0 alone."""
    alone = np.eye(n)[0]
    rest = [np.full(n, gain)] * after
    return np.array([*before, 1 - alone, *rest]), np.array([*before, alone, *rest])


# ---------------------------------------------------------------- fixed share


# Of two independent variables.
DIFFERENCES: Mapping[str, Law] = {
    "laplace": of_tail(lambda x: (2 + x) * np.exp(-x) / 4, 1.5),
    "gaussian": of_tail(lambda x: ndtr(-x / math.sqrt(2)), 2 / math.sqrt(math.pi)),
}
_GUARANTEES: Mapping[str, PureDP | GaussianDP] = {
    "laplace": PureDP(2.0, "central"),
    "gaussian": GaussianDP(2.0, "central"),
}
_STEP = 0.5
_UNEQUAL = 200  # rounds of each of two scales
_FINENESS = {"laplace": 1, "gaussian": 2}  # outcomes in a unit of gains


def _reach(noise: str, n: int) -> float:
    """Return the scale of the noise for a level of 2: a vector moves by n in L1, by sqrt(n) in L2."""
    return n / 2 if noise == "laplace" else np.sqrt(n) / 2


def _released(
    gains: Array, noise: str, copies: int, rng: np.random.Generator, scales: Array | None = None
) -> Array:
    """Return what each round adds to the weights, (copies, rounds, pairs), in units of a gain.

    It is the noisy gain of the first of two experts less that of the second. Every other round is played by
    `play`, and in every fourth each copy has gains of its own. With one scale for all rounds the last two are
    beyond the horizon.
    """
    share = NoisyFixedShare(
        gains.shape[1],
        _GUARANTEES[noise],
        horizon=len(gains) - (2 if scales is None else 0),
        switches=0,
        eta=_STEP,
        rng=rng,
        repetitions=copies,
        noise_scale=scales,
    )
    logs = [np.zeros((copies, gains.shape[1]))]
    for t, of_round in enumerate(gains):
        if t % 2:
            share.update(np.tile(of_round, (copies, 1)) if t % 4 == 3 else of_round)
        else:
            play(share, of_round[None], resume=True)
        logs.append(np.log(share.probabilities()) / _STEP)
    steps = np.diff(np.array(logs), axis=0)
    return np.asarray((steps[..., ::2] - steps[..., 1::2]).swapaxes(0, 1))


def _noisy_fixed_share(grid: Grid, copies: int, seed: int) -> Iterator[Point]:
    """Noise in every round's weights, the law of plays, and an attack on what a round adds to weights."""
    gains = np.linspace(0, 1, 24).reshape(4, 6).T  # 6 rounds of 4 experts
    for noise, law in DIFFERENCES.items():
        where = {"mechanism": "NoisyFixedShare", "setting": noise}
        released = _released(gains, noise, copies, rng_for(seed, "drawn share", noise, copies))
        drawn = (released - (gains[:, ::2] - gains[:, 1::2])) / _reach(noise, 4)
        yield from noise_points({**where, "rounds": "each"}, drawn, law, slack=grid["slack"], cells=_GROUPS)
        share = NoisyFixedShare(
            2,
            _GUARANTEES[noise],
            horizon=4,
            switches=1,
            eta=0.8,
            rng=rng_for(seed, "drawn share's plays", noise, copies),
            repetitions=copies,
        )
        leads, scale = np.array([0.9, 0.1, 0.6, 0.0]), _reach(noise, 2)
        exact = play_laws.noisy_shares(leads, 0.8, 1 / 8, partial(_scaled, law, scale))
        yield from plays_points(where, play(share, leads[:, None] * [1.0, 0.0]), exact, grid["apart"])
        for t in (0, 3):  # the round in which the streams differ

            def publish(stream: Array, count: int, t: int = t, noise: str = noise) -> Ints:
                rng = rng_for(seed, "share attacked", noise, t, float(stream[t, 0]), count)
                released = _released(stream, noise, count, rng)[:, t, 0]
                # Few outcomes, so that none of them is rare.
                return np.floor(_FINENESS[noise] * released).clip(-3, 3).astype(np.int64)

            streams = _neighbours(2, [np.zeros(2)] * t, 3 - t)
            place = {**where, "setting": f"{noise}, round {t + 1}"}
            yield from attacked(place, grid, publish, streams, _GUARANTEES[noise], copies)
        yield from _unequal_shares(where, noise, law, grid, copies, seed)


def _unequal_shares(where: Grid, noise: str, law: Law, grid: Grid, copies: int, seed: int) -> Iterator[Point]:
    """Noise of two scales, every other round has the larger; rounds of one scale count as copies."""
    rounds = 2 * _UNEQUAL  # with few copies, so that noise of several rounds is drawn at once
    scales = np.tile(_reach(noise, 4) * np.array([1.0, 2.0]), _UNEQUAL)
    rng = rng_for(seed, "drawn share, unequal", noise, copies)
    released = _released(np.zeros((rounds, 4)), noise, max(2, copies // _UNEQUAL), rng, scales)
    drawn = (released / scales[:, None]).reshape(-1, 2, released.shape[2])
    place = {**where, "setting": f"{noise}, unequal scales", "rounds": "each"}
    yield from noise_points(place, drawn, law, slack=grid["slack"], cells=_GROUPS)


def _scaled(law: Law, scale: float, x: Array) -> Array:
    return law.cdf(x / scale)


def _fixed_share(grid: Grid, copies: int, seed: int) -> Iterator[Point]:
    """The law of plays; it promises no privacy."""
    gains = np.array([[1.0, 0.2, 0.0], [0.0, 1.0, 0.1], [0.3, 0.0, 1.0], [0.0, 0.0, 0.0]])
    share = FixedShare(
        3,
        horizon=4,
        switches=1,
        eta=1.5,
        rng=rng_for(seed, "drawn", "fixed share", copies),
        repetitions=copies,
    )
    exact = play_laws.product_law(play_laws.shares(gains, 1.5, 1 / 12))
    yield from plays_points(
        {"mechanism": "FixedShare", "setting": ""}, play(share, gains), exact, grid["apart"]
    )


# ---------------------------------------------------------------- Algorithms 1 and 2


def _gumbel(x: Array) -> Array:
    return np.exp(-np.exp(-x))


def _selection(epsilon: float, selection: str, scores: Array) -> Array:
    """Return the law of a selection, its noise of scale ``2 / epsilon``."""
    scale = 2 / epsilon
    noise = LAPLACE.cdf if selection == "laplace" else _gumbel
    return play_laws.argmax_law(scores / scale, noise, 30.0)


def _dyadic_leader(grid: Grid, copies: int, seed: int) -> Iterator[Point]:
    """The law of the leaders of six blocks, and attacks on those of the second and the fourth."""
    parts = [[1.0, 0.4, 0.0], [0.2, 0.8, 0.4], [0.2, 0.0, 0.6], [0.1, 0.2, 0.0], [0.0, 0.05, 0.1], [0.0] * 3]
    gains = np.repeat(np.array(parts), [1, 2, 4, 8, 16, 1], axis=0)
    starts = [0, 1, 3, 7, 15, 31]
    for selection in _SELECTIONS:
        where = {"mechanism": "DyadicLeader", "setting": selection}

        def leader(n: int, epsilon: float, count: int, *key: Any, selection: Any = selection) -> DyadicLeader:
            return DyadicLeader(
                n,
                PureDP(epsilon, "central"),
                rng=rng_for(seed, "drawn leader", selection, *key, count),
                repetitions=count,
                selection=selection,
                moves_at_most_1=True,
            )

        plays = play(leader(3, 1.0, copies, "law"), gains)
        totals = np.add.reduceat(gains, starts)
        laws = [np.full(3, 1 / 3), *(_selection(1.0, selection, total) for total in totals[:-1])]
        yield from plays_points(where, plays[starts], play_laws.product_law(laws), grid["apart"])
        for first, last in ((1, 3), (3, 7)):  # rounds of a block, and of the next one's beginning
            head = [np.zeros(2)] * first
            # Expert 1 is far ahead, so that expert 0 leads seldom: this tells most.
            head.append(np.array([0.0, _AHEAD]))
            streams = _neighbours(2, head, 2 * last - first - 1)

            def publish(
                stream: Array, count: int, first: int = first, last: int = last, leader: Any = leader
            ) -> Ints:
                return play(leader(2, 2.0, count, first, float(stream[first + 1, 0])), stream)[last]

            place = {**where, "setting": f"{selection}, round {first + 2}"}
            yield from attacked(place, grid, publish, streams, PureDP(2.0, "central"), copies)


def _restarting_leader(grid: Grid, copies: int, seed: int) -> Iterator[Point]:
    """The law of experts and restarts, and an attack on Algorithm 1's half of the level."""
    for setting in _TRACKERS:
        where = {"mechanism": "RestartingLeader", "setting": _name(setting)}
        yield from _restarts(where, setting, _games(setting), grid, copies, seed)
        # Of gains in [0, 1] bounds hold for longer. With so many copies hardly a round is passed over, as one
        # of them is impatient: `_passed_over` is about those.
        bounded = {**where, "setting": f"{where['setting']}, in [0, 1]"}
        yield from _restarts(bounded, setting, _games(setting), grid, copies, seed, moves_at_most_1=False)
    where = {"mechanism": "RestartingLeader", "setting": "phase after phase"}
    yield from _restarts(where, _TRACKERS[0], _phases(), grid, copies, seed)
    first, last = 1, 3
    streams = _neighbours(2, [np.zeros(2), np.array([0.0, _AHEAD])], 4)

    def publish(stream: Array, count: int) -> Ints:
        rng = rng_for(seed, "drawn tracker attacked", float(stream[first + 1, 0]), count)
        return play(tracker(2, 4.0, 7, ("dyadic", "laplace", "mended"), rng, count, slack=1.0), stream)[last]

    where = {"mechanism": "RestartingLeader", "setting": "leader's half"}
    yield from attacked(where, grid, publish, streams, PureDP(2.0, "central"), copies)
    yield from _alone(seed)
    yield from _passed_over(grid, copies, seed)
    yield from _fresh_thresholds(grid, copies, seed)


_Game = tuple[Array, list[int]]  # gains, and the ends of parts
_LEVEL = 80.0  # of Algorithm 2, so that a short game has restarts
_BETA = 0.999
_SHORTEST = {"mended": 4, "printed": 2}  # rounds of a block that is asked about


def _name(setting: Setting) -> str:
    return ", ".join(setting)


def _sensitivity(setting: Setting) -> float:
    return 1.0 if setting[2] == "printed" else 2.0


def _games(setting: Setting) -> _Game:
    """Return a game in which phases end in most copies."""
    # The best expert changes within a block whose leader is known, and again in the next.
    if setting[0] == "all":
        near, gap = [[0.0, 0.025], [0.0375, 0.0], [0.0, 0.0125]], 0.24 + 0.27 * _sensitivity(setting)
        parts, ends = [4, 1, 5], [2, 6, 7, 11, 13]
    else:
        near = [[0.03, 0.0], [0.5, 0.0], [0.5, 0.0]]
        # The first test is as likely above as below.
        gap = 0.5 if setting[2] == "mended" else 0.41
        parts, ends = [4, 0, 8], [1, 3, 7, 11, 15]
    far = np.repeat([[0.0, gap], [gap, gap], [gap, 0.0]], parts, axis=0)
    return np.concatenate([near, far]), ends


def _phases() -> _Game:
    """Return a game of several restarts in most copies: experts lead in turn, by more than is allowed."""
    ends = [2, 4, 6]
    lead = _limit(_TRACKERS[0], ends[-1]) + 0.3
    return np.tile([[0.0, lead], [lead, 0.0]], (3, 1)), ends


def _limit(setting: Setting, horizon: int, level: float = _LEVEL) -> float:
    """Return what a window's regret is compared with: AboveThreshold's accuracy and 1."""
    queries = horizon**2 if setting[0] == "all" else 2 * horizon // _SHORTEST[setting[2]]
    return float(1 + 8 * _sensitivity(setting) * (np.log(queries) + np.log(2 / _BETA)) / (level / 2))


def tracker(
    n: int,
    epsilon: float,
    horizon: int,
    setting: Setting,
    rng: np.random.Generator,
    copies: int,
    *,
    slack: float = 1e-9,
    moves_at_most_1: bool = True,
) -> RestartingLeader:
    """Return Algorithm 2 with next to no allowance, so that short games have restarts."""
    windows, selection, kind = setting
    return RestartingLeader(
        n,
        PureDP(epsilon, "central"),
        horizon=horizon,
        rng=rng,
        repetitions=copies,
        beta=_BETA,
        windows=windows,
        selection=selection,
        slack=slack,
        printed=kind == "printed",
        moves_at_most_1=moves_at_most_1,
    )


def _restarts(
    where: Grid,
    setting: Setting,
    game: _Game,
    grid: Grid,
    copies: int,
    seed: int,
    *,
    moves_at_most_1: bool = True,
) -> Iterator[Point]:
    """Compare (expert, restarts) at the ends of parts of a game, each played at once, with their law."""
    windows, selection, kind = setting
    gains, ends = game
    rng = rng_for(seed, "drawn tracker", where["setting"], copies)
    leader = tracker(2, _LEVEL, len(gains), setting, rng, copies, moves_at_most_1=moves_at_most_1)
    seen = []
    for start, end in zip([0, *ends[:-1]], ends, strict=True):
        play(leader, gains[start:end], resume=True)
        seen.append(leader.predict() + 2 * leader.restarts)
    exact = play_laws.restarting(
        gains,
        ends,
        limits=np.full(len(gains) + 1, _limit(setting, len(gains))),
        windows=play_laws.all_windows
        if windows == "all"
        else partial(play_laws.dyadic_windows, shortest=_SHORTEST[kind]),
        epsilon=_LEVEL / 2,
        sensitivity=_sensitivity(setting),
        select=partial(_selection, _LEVEL / 2, selection),
        printed=kind == "printed",
    )
    yield from plays_points(where, np.array(seen), exact, grid["apart"])


def _fresh_thresholds(grid: Grid, copies: int, seed: int) -> Iterator[Point]:
    """A copy that restarts draws its threshold anew, and no other copy does."""
    setting, gains = _TRACKERS[0], _phases()[0]
    rng = rng_for(seed, "drawn tracker, thresholds", copies)
    leader = tracker(2, _LEVEL, len(gains), setting, rng, copies)
    fresh, agree, others_kept = [], [], []
    for of_round in gains:
        before, restarts = leader._above._threshold.copy(), leader.restarts.copy()
        leader.update(of_round)
        after, ended = leader._above._threshold, leader.restarts > restarts
        fresh.append(after[ended] / (2 * _sensitivity(setting) / (_LEVEL / 2)))
        agree.append((after[ended] > 0) == (before[ended] > 0))
        others_kept.append((after == before)[~ended])
    where = {"mechanism": "RestartingLeader", "setting": "thresholds of later phases", "rounds": "all"}
    drawn = np.concatenate(fresh)[:, None, None]
    yield from noise_points(where, drawn, LAPLACE, slack=grid["slack"], cells=_GROUPS)
    for setting_of, outcomes, law in (
        ("thresholds, before and after a restart", agree, _BY_CHANCE),
        ("thresholds of the other copies", others_kept, {1: 1.0}),
    ):
        shares = np.concatenate(outcomes).astype(np.int64)
        yield from law_points(
            {**where, "setting": setting_of}, shares, law, slack=grid["apart"], cells=_GROUPS
        )


_ALONE, _BY_CHANCE = 900, {0: 0.5, 1: 0.5}  # plays of one copy each, and the law of a coin


def _alone(seed: int) -> Iterator[Point]:
    """The first two leaders of a single copy are independent of its threshold, up to an eighth.

    With equal generators they are made of the same numbers, which many copies take in another order.
    """
    rng, first = rng_for(seed, "drawn tracker alone"), []
    for _ in range(_ALONE):
        leader = tracker(2, _LEVEL, 2, _TRACKERS[2], rng, 1)
        raised, before = leader._above._threshold[0] > 0, leader.predict()[0]
        leader.update(np.zeros(2))
        first.append([expert == (0 if raised else 1) for expert in (before, leader.predict()[0])])
    for number, agree in enumerate(np.array(first, dtype=np.int64).T, start=1):
        where = {"mechanism": "RestartingLeader", "setting": f"{_name(_TRACKERS[2])}, alone"}
        where["rounds"] = str(number)
        yield from law_points(where, agree, _BY_CHANCE, slack=0.125, cells=_GROUPS)


_STEADY = np.repeat([[0.5, 0.0], [0.0, 1.0]], [15, 16], axis=0)  # from round 16 on expert 0 leads and loses
_GENTLE = 20.0  # its level, at which bounds hold for some rounds
_ASKED, _PLAYS, _DOUBTFUL = 500, 20, (0.3, 0.8)  # questions in a play, plays, and the chances asked about
_CALM = 23  # rounds before


def _passed_over(grid: Grid, copies: int, seed: int) -> Iterator[Point]:
    """A round is passed over no more often than none of its queries is above, nor much less often.

    Copies play alone, and the regret grows by 1 a round, the most that gains in [0, 1] allow. Asked is in the
    last round of a bound, where it is close, once a query may well be above.
    """
    setting, horizon = _TRACKERS[0], len(_STEADY)
    limit, scale = _limit(setting, horizon, _GENTLE), 4 * _sensitivity(setting) / (_GENTLE / 2)
    calls, passed, below = max(_ASKED, copies // 100), [], []
    rng = rng_for(seed, "drawn tracker, passed over", copies)
    for _ in range(_PLAYS):
        leader = tracker(2, _GENTLE, horizon, setting, rng, 1, moves_at_most_1=False)
        actions = np.append(play(leader, _STEADY[:_CALM])[:, 0], np.zeros(horizon - _CALM, dtype=np.intp))
        ahead = _STEADY - _STEADY[np.arange(horizon), actions, None]
        for t in range(_CALM, horizon - 1):
            windows: Any = leader._windows
            above = leader._above
            assert isinstance(windows, AllWindows)  # as the setting says
            regrets = ahead[: t + 1][::-1].cumsum(axis=0).max(axis=1)
            chance = float(LAPLACE.cdf((above._threshold[0] + limit - regrets) / scale).prod())
            if chance < _DOUBTFUL[0] or leader.restarts[0]:
                break
            if chance < _DOUBTFUL[1] and windows._until[0] == t + 1:
                below.append(chance)
                for _ in range(calls):
                    passed.append(windows.quiet(1, above))
                    above.patience()  # which a round that is not passed over draws for its look
            play(leader, _STEADY[t : t + 1], resume=True)
    calls_made = max(len(passed), 1)
    share, none_above = sum(passed) / calls_made, max(sum(below) / max(len(below), 1), _DOUBTFUL[0])
    low, high = (float(end) for end in clopper_pearson(sum(passed), calls_made, 2 * _GROUPS))
    where = {"mechanism": "RestartingLeader", "setting": f"{_name(setting)}, in [0, 1], alone"}
    where |= {"rounds": "the next", "aspect": "outcome", "place": "passed over"}
    yield Point(where, share, none_above + grid["apart"], low, high)
    yield Point({**where, "place": "passed over at all"}, share, none_above / 2, low, high, ">=")


# ---------------------------------------------------------------- sequences and dartboards

_LOSSES = np.array([[0.0, 1.0], [1.0, 0.1], [0.2, 0.9], [0.0, 0.7], [0.5, 0.0]])
_DART: dict[str, Any] = {"eta": 0.4, "p": 0.45, "budget": 3}
_SHARP: dict[str, Any] = {
    "eta": 0.4,
    "p": 0.4,
    "budget": 2,
}  # of which nearly all of the level can be reached


def _dartboard(
    name: str, n: int, rng: np.random.Generator, copies: int, horizon: int, switches: int, given: Any
) -> Any:
    parameters = DartboardParameters(**given)
    promised = PureDP(100.0, "central")  # what follows from the parameters is less
    if name == "ShrinkingDartboard":
        return ShrinkingDartboard(n, promised, rng=rng, repetitions=copies, parameters=parameters)
    return SwitchingDartboard(
        n, promised, horizon=horizon, switches=switches, rng=rng, repetitions=copies, parameters=parameters
    )


def _dartboards(name: str, switches: int, grid: Grid, copies: int, seed: int) -> Iterator[Point]:
    yield from _promised_dartboard(name, switches, grid, copies, seed)
    for allowed in sorted({0, switches}):
        yield from _changes(name, allowed, grid, copies, seed)
    for batched in (False, True):
        yield from _approximate_dartboard(name, batched, grid, copies // 4, seed)
    for batch in (1, 2, 3):
        setting = f"batches of {batch}"
        where = {"mechanism": name, "setting": setting}
        # In batches each round of a batch has its own losses, whose mean counts.
        around = np.linspace(0.4, 1.6, batch) if batch > 1 else np.ones(1)
        losses = (_LOSSES[:, None] * around[:, None]).clip(0, 1)
        rng = rng_for(seed, "drawn dartboard", name, batch, copies)
        board = _dartboard(name, 2, rng, copies, 5 * batch, switches, {**_DART, "batch": batch})
        plays = play(board, 1 - losses.reshape(-1, 2))[::batch]
        sequences = play_laws.sequences(5, 2, switches)
        exact = play_laws.dartboard_plays(sequences, losses.mean(axis=1), **_DART)
        yield from plays_points(where, plays, exact, grid["apart"])

        if batch > 2:  # the longer the batch, the less it tells
            continue

        def publish(stream: Array, count: int, batch: int = batch) -> Ints:
            rng = rng_for(seed, "dartboard attacked", name, batch, float(stream[0, 0]), count)
            board = _dartboard(name, 8, rng, count, 2 * batch, 0, {**_SHARP, "batch": batch})
            return paths(play(board, stream)[::batch])

        # Nobody loses in the other rounds, so that the lottery is about the round that differs alone.
        streams = _neighbours(8, after=2 * batch - 1, gain=1.0)
        promised = _dartboard(name, 8, rng, 1, 2 * batch, 0, {**_SHARP, "batch": batch}).guarantee
        # Half of the copies teach, and events that tell most are rare.
        yield from attacked(where, grid, publish, streams, promised, 2 * copies)


def _changes(name: str, switches: int, grid: Grid, copies: int, seed: int) -> Iterator[Point]:
    """Whether the expert changes, of so many that a new draw is nearly always another.

    So one lottery for several copies shows. Without switches all experts lose, and lotteries decide; with
    them nobody does, and sequences stay or go on.
    """
    n, horizon = 8, 3
    losses = np.full((horizon, n), 0.0 if switches else 1.0)
    given: dict[str, Any] = {"eta": 0.1, "p": 0.1 if switches else 0.4, "budget": 3}
    rng = rng_for(seed, "drawn dartboard, changes", name, switches, copies)
    plays = play(_dartboard(name, n, rng, copies, horizon, switches, given), 1 - losses)
    listed = play_laws.sequences(horizon, n, switches)
    law: PathLaw = defaultdict(float)
    for path, chance in play_laws.dartboard_plays(listed, losses, **given).items():
        law[tuple(int(one != other) for one, other in pairwise(path))] += chance
    where = {"mechanism": name, "setting": f"changes, {('lotteries', 'switches', 'two switches')[switches]}"}
    yield from plays_points(where, (plays[1:] != plays[:-1]).astype(np.int64), law, grid["apart"])


def _promised_dartboard(name: str, switches: int, grid: Grid, copies: int, seed: int) -> Iterator[Point]:
    """Plays with the parameters that follow from a pure guarantee, of three experts who may switch."""
    horizon, epsilon = 5, 8.0
    losses = np.array([[0.0, 1.0, 0.5], [0.1, 1.0, 0.9], [0.0, 0.6, 1.0], [0.7, 0.0, 0.2], [0.0, 0.0, 0.0]])
    rng = rng_for(seed, "drawn dartboard, from a guarantee", name, copies)
    guarantee = PureDP(epsilon, "central")
    board = (
        ShrinkingDartboard(3, guarantee, horizon=horizon, rng=rng, repetitions=copies)
        if name == "ShrinkingDartboard"
        else SwitchingDartboard(3, guarantee, horizon=horizon, switches=switches, rng=rng, repetitions=copies)
    )
    plays = play(board, 1 - losses)
    p = 1 / np.sqrt(horizon)
    sequences = play_laws.sequences(horizon, 3, switches)
    exact = play_laws.dartboard_plays(sequences, losses, p * epsilon / 20, p, int(4 * horizon * p))
    yield from plays_points({"mechanism": name, "setting": "from a guarantee"}, plays, exact, grid["apart"])


_LONG, _DELTA = 200, 0.1  # rounds in which the small steps of approximate privacy add up, and its delta


def _approximate_dartboard(name: str, batched: bool, grid: Grid, copies: int, seed: int) -> Iterator[Point]:
    """The last play with the parameters of Corollaries 3 and 6, where half of the experts always lose.

    Sequences have no switch: the last expert of those that have one is nearly as likely to be any.
    """
    n, epsilon = (32, 0.5) if batched else (2, 0.8)  # so that a batch has two rounds
    guarantee = ApproximateDP(epsilon, _DELTA, "central")
    setting = f"from an approximate guarantee{', in batches' * batched}"
    given: dict[str, Any] = {
        "horizon": _LONG,
        "rng": rng_for(seed, "drawn dartboard", setting, name, copies),
        "repetitions": copies,
        "batched": batched,
        **({"switches": 0} if name == "SwitchingDartboard" else {}),
    }
    kind = ShrinkingDartboard if name == "ShrinkingDartboard" else SwitchingDartboard
    worse = np.arange(n) >= n // 2
    last = play(kind(n, guarantee, **given), np.tile(1.0 - worse, (_LONG, 1)))[-1]
    eta, p, batch = _corollaries(epsilon, n, batched)
    batches, budget = _LONG // batch, int(4 * _LONG * p / batch)
    listed = play_laws.sequences(batches, n, 0)
    law = play_laws.dartboard_end(listed, np.tile(worse.astype(float), (batches, 1)), eta, p, budget)
    halves = play_laws.product_law([np.array([law[~worse].sum(), law[worse].sum()])])
    # A fourth of the copies, so twice the distance: twice the step moves the law by .09.
    where = {"mechanism": name, "setting": setting}
    yield from plays_points(where, worse[last].astype(np.int64)[None], halves, 2 * grid["apart"])


def _corollaries(epsilon: float, many: int, batched: bool) -> tuple[float, float, int]:
    """Return step, chance of a draw and batch of Corollaries 3 and 6 for so many experts."""
    spread, logarithm = np.log(1 / _DELTA), np.log(many)
    if batched:
        batch = round(spread**0.4 * logarithm**0.6 / (_LONG**0.2 * epsilon**0.6))
        p = (batch / (_LONG * spread)) ** (1 / 3)
        return float(batch * p * epsilon / 40), float(p), batch
    p = (_LONG * spread) ** (-1 / 3)
    level = min(epsilon / 2, spread ** (1 / 3) * _LONG ** (-1 / 6) * np.sqrt(logarithm))
    return float(p * level / 20), float(p), 1


def _shrinking_dartboard(grid: Grid, copies: int, seed: int) -> Iterator[Point]:
    """The law of plays, and an attack on the first lottery and draw, with and without batches."""
    yield from _dartboards("ShrinkingDartboard", 0, grid, copies, seed)


def _switching_dartboard(grid: Grid, copies: int, seed: int) -> Iterator[Point]:
    """The same over sequences with a switch, and with two; it is attacked on those without."""
    yield from _dartboards("SwitchingDartboard", 1, grid, copies, seed)
    yield from _changes("SwitchingDartboard", 2, grid, copies, seed)
    # Of three experts in batches of two, where one is ahead, so that a draw with less noise shows.
    losses, steep = (
        np.array([[0.0, 1.0, 0.9], [0.0, 1.0, 1.0], [0.1, 0.8, 1.0], [0.0, 1.0, 1.0], [0.5, 0.0, 1.0]]),
        {**_DART, "eta": 0.45},
    )
    rng = rng_for(seed, "two switches", copies)
    board = _dartboard("SwitchingDartboard", 3, rng, copies, 10, 2, {**steep, "batch": 2})
    plays = play(board, 1 - losses.repeat(2, axis=0))
    exact = play_laws.dartboard_plays(play_laws.sequences(5, 3, 2), losses, **steep)
    where = {"mechanism": "SwitchingDartboard", "setting": "two switches, batches of 2"}
    yield from plays_points(where, plays[::2], exact, grid["apart"])


_SLOTS = PoolParameters(0.8, 2, (0.6, 0.9, 1.4), 0.3)  # epochs of two rounds, whose law can be listed
_COUNTED = 6  # rounds of an epoch whose noise is looked at


def _pooled_draws(grid: Grid, copies: int, seed: int, secure: SecureNoise | None = None) -> Iterator[Point]:
    """The law of plays, noise in two epochs' counts, and attacks on the noise of a count and on a draw.

    Secure noise cannot be seeded, so a test plays it, and not the claim.
    """
    losses = np.array([[0.0, 1.0, 0.5], [1.0, 0.1, 0.9], [0.2, 0.9, 1.0], [0.0, 0.7, 0.3]])
    some: tuple[tuple[str, PureDP | ApproximateDP, Law, Callable[[Array], Array], float, int], ...] = (
        ("gaussian", ApproximateDP(1e9, 0.1, "central"), NORMAL, ndtri, 1.0, 0),
        ("laplace", PureDP(1e9, "central"), LAPLACE, play_laws.laplace_quantiles, np.sqrt(2), 1),
    )
    for noise, guarantee, law, quantiles, unit, switches in some:
        where = {"mechanism": "PooledDraws", "setting": noise}

        def pool(
            n: int,
            horizon: int,
            allowed: int,
            count: int,
            parameters: PoolParameters,
            *key: Any,
            guarantee: Any = guarantee,
            noise: str = noise,
        ) -> PooledDraws:
            return PooledDraws(
                n,
                guarantee,
                horizon=horizon,
                switches=allowed,
                rng=rng_for(seed, "drawn pool", noise, *key, count),
                repetitions=count,
                parameters=parameters,
                noise=secure,
            )

        plays = play(pool(3, 4, switches, copies, _SLOTS, "law"), 1 - losses)
        middles = (np.arange(1000) + 0.5) / 1000
        exact = play_laws.pool_plays(
            play_laws.sequences(4, 3, switches),
            losses,
            _SLOTS.eta,
            [unit * _SLOTS.shift * scale for scale in _SLOTS.scales],
            [scale * quantiles(middles) for scale in _SLOTS.scales],
        )
        yield from plays_points(where, plays, exact, grid["apart"])
        counting = pool(2, 3 * _COUNTED, 0, copies, PoolParameters(0.1, _COUNTED, (2.0, 3.0), 0.5), "noise")
        drawn = []
        for _ in range(2):
            # Secure noise is added to losses, which are 0 here; simulated noise is read without them.
            play(counting, np.full((_COUNTED - 1, 2), float(secure is not None)), resume=True)
            raised = counting._raised[0]
            drawn.append((raised[:, :-1] if secure else _of_counts(raised - raised[:, :1], noise)) / 2.0)
            play(counting, np.zeros((1, 2)), resume=True)
        place = {**where, "rounds": "each of two epochs"}
        yield from noise_points(place, np.stack(drawn, axis=2), law, slack=grid["slack"], cells=_GROUPS)

        def counts(stream: Array, count: int, pool: Any = pool) -> Ints:
            # At so large a rate the sign of one round's noisy count is played, and other noise costs nothing.
            sharp = PoolParameters(50.0, 2, (0.5, 1e6), 0.0)
            plays = play(pool(32, 2, 0, count, sharp, "attacked", float(stream[0, 0])), stream)
            return np.asarray(plays[0] != plays[1], dtype=np.int64)

        streams = np.zeros((2, 32)), np.eye(2)[:, :1] * np.ones(32)
        level = GaussianDP(2.0, "central") if noise == "gaussian" else PureDP(2.0, "central")
        yield from attacked({**where, "setting": f"{noise}, a count"}, grid, counts, streams, level, copies)

    def draws(stream: Array, count: int) -> Ints:
        alone = PoolParameters(0.5, 2, (1e6,), 0.0)
        return paths(play(pool(8, 3, 0, count, alone, "draw", float(stream[0, 0])), stream)[2:])

    where = {"mechanism": "PooledDraws", "setting": "a draw"}
    yield from attacked(where, grid, draws, _neighbours(8, after=2), PureDP(1.0, "central"), 2 * copies)


def _of_counts(noise: Array, kind: str) -> Array:
    """Return what was drawn for counts after 1, 2, ... rounds, given their noise (copies, rounds known)."""
    if kind == "gaussian":
        size = noise.shape[1] - 1
        filters = np.array(
            [[filter_of(size)[i - j] if i >= j else 0.0 for j in range(size)] for i in range(size)]
        )
        return np.asarray(np.linalg.solve(filters, noise[:, 1:].T).T)
    known = np.arange(1, noise.shape[1])
    return np.asarray(noise[:, known] - noise[:, known & (known - 1)])  # the node of the last binary digit


def _switching_softmax(grid: Grid, copies: int, seed: int) -> Iterator[Point]:
    """The law of plays over sequences with a switch, and an attack on a draw over those without."""
    where = {"mechanism": "SwitchingSoftmax", "setting": ""}

    def softmax(
        n: int, epsilon: float, horizon: int, switches: int, count: int, *key: Any
    ) -> SwitchingSoftmax:
        return SwitchingSoftmax(
            n,
            PureDP(epsilon, "central"),
            horizon=horizon,
            switches=switches,
            rng=rng_for(seed, "drawn sequences", *key, count),
            repetitions=count,
        )

    # 8-DP in 5 rounds: four draws that know a round, each at rate 1
    plays = play(softmax(2, 8.0, 5, 1, copies, "law"), 1 - _LOSSES)
    exact = play_laws.product_law(play_laws.sequence_draws(play_laws.sequences(5, 2, 1), _LOSSES, 1.0))
    yield from plays_points(where, plays, exact, grid["apart"])

    def publish(stream: Array, count: int) -> Ints:
        return paths(play(softmax(8, 2.0, 2, 0, count, "attacked", float(stream[0, 0])), stream))

    yield from attacked(where, grid, publish, _neighbours(8, after=1), PureDP(2.0, "central"), copies)


def _sleeping_softmax(grid: Grid, copies: int, seed: int) -> Iterator[Point]:
    """The law of plays of experts that come and go, and an attack on a draw."""
    where = {"mechanism": "SleepingSoftmax", "setting": ""}
    awake = np.array([[True, True, False], [True, True, True], [False, True, True], [True, False, True]])
    gains = np.array([[1.0, 0.2, 0.0], [0.0, 1.0, 0.4], [0.0, 0.3, 1.0], [0.0, 0.0, 0.0]])

    def plays(n: int, epsilon: float, stream: Array, present: Any, count: int, *key: Any) -> Indices:
        softmax = SleepingSoftmax(
            n,
            PureDP(epsilon, "central"),
            horizon=len(stream),
            rng=rng_for(seed, "drawn sleepers", *key, count),
            repetitions=count,
        )
        actions = []
        for of_round, who in zip(stream, present, strict=True):
            softmax.wake(who)
            actions.append(softmax.predict())
            softmax.update(of_round[who])
        return np.array(actions)

    # 6-DP in 4 rounds: three draws that know a round, each at rate 1
    exact = play_laws.asleep(gains, awake, 1.0)
    yield from plays_points(where, plays(3, 6.0, gains, awake, copies, "law"), exact, grid["apart"])

    def publish(stream: Array, count: int) -> Ints:
        return paths(
            plays(8, 2.0, stream, np.ones((2, 8), dtype=bool), count, "attacked", float(stream[0, 0]))
        )

    yield from attacked(where, grid, publish, _neighbours(8, after=1), PureDP(2.0, "central"), copies)


# ---------------------------------------------------------------- AboveThreshold


_HURRY = 0.35  # the bound on a hazard, which a round's patience exceeds in most cases


def _above_threshold(grid: Grid, copies: int, seed: int) -> Iterator[Point]:
    """Thresholds, the law of the first "above" before and after a restart, and an attack on answers."""
    where = {"mechanism": "AboveThreshold", "setting": "one by one"}
    queries = np.array([-3.0, 0.0, 2.0, -1.0])

    def comparison(epsilon: float, sensitivity: float, count: int, *key: Any) -> AboveThreshold:
        return AboveThreshold(
            PureDP(epsilon, "central"),
            rng=rng_for(seed, "drawn threshold", *key, count),
            sensitivity=sensitivity,
            repetitions=count,
        )

    def halts(above: AboveThreshold, sequence: Array) -> Ints:
        """Return which query was the first above, or their number."""
        halted = np.full(above.halted.size, sequence.size)
        for number, queries in enumerate(np.broadcast_to(sequence[:, None], (sequence.size, halted.size))):
            halted[above.test(queries)] = number
        return halted

    above = comparison(2.0, 1.5, copies, "law")
    drawn, found = [], []
    for _ in range(2):  # before a restart of all copies and after it
        drawn.append(above._threshold / 1.5)
        found.append(halts(above, queries))
        above.restart(np.ones(copies, dtype=np.bool_))
    noise = np.array(drawn).T[:, :, None]
    yield from noise_points({**where, "rounds": "each"}, noise, LAPLACE, slack=grid["slack"], cells=_GROUPS)
    law = play_laws.first_above(queries, 1.5)
    yield from plays_points(where, np.array(found), play_laws.product_law([law, law]), grid["apart"])
    # Several queries together, by `test` and by their hazard; twice, and silent after the first "above".
    parts = np.split(queries, 2)
    both = np.array([law[:2].sum(), law[2:4].sum(), law[4]])
    for setting in ("together", "hazards"):
        above, halted = comparison(2.0, 1.5, copies, setting), np.full(copies, 2)
        for number, part in enumerate(parts):
            rows, every = np.tile(part, (copies, 1)), np.arange(copies)
            if setting == "together":
                answer = above.test(rows)
            else:
                hazard = above.hazard(above.margins(rows, every))
                answer = above.exceeds(hazard, above.patience(), every)
            halted[answer] = number
        place = {**where, "setting": setting}
        yield from plays_points(place, halted[None], play_laws.product_law([both]), grid["apart"])

    # One copy after another costs a hundred times as much: a fourth of the copies, so twice the distance.
    some, twice = copies // 4, 2 * grid["apart"]
    alone, single, few = comparison(2.0, 1.5, 1, "single copies", copies), [], queries[1:3]
    for _ in range(some):
        single.append(halts(alone, few)[0])
        alone.restart(np.ones(1, dtype=np.bool_))
    exact = play_laws.product_law([play_laws.first_above(few, 1.5)])
    yield from plays_points({**where, "setting": "single copies"}, np.array([single]), exact, twice)

    # Rounds until one is impatient: one copy at a time, as an impatient copy ends the wait of all.
    alone = comparison(2.0, 1.5, 1, "patience", copies)

    def wait() -> int:
        """Return how many of four rounds are quiet, if the next one's patience is as it says."""
        rounds = alone.patient(4, np.full(1, _HURRY))
        return rounds if rounds == 4 or alone.patience()[0] < _HURRY else 5

    waits = np.array([wait() for _ in range(some)])
    quiet = np.exp(-_HURRY * np.arange(5))
    rounds = play_laws.product_law([np.append(quiet[:-1] - quiet[1:], quiet[-1])])
    yield from plays_points({**where, "setting": "quiet rounds"}, waits[None], rounds, twice)

    def publish(stream: Array, count: int) -> Ints:
        return halts(comparison(2.0, 1.0, count, "attacked", float(stream[0])), stream)

    moved = np.array([0.5, 0.5, 0.5, 0.5, -0.5])  # the last query moves the other way
    yield from attacked(where, grid, publish, (moved, -moved), PureDP(2.0, "central"), copies)


MECHANISMS: dict[str, Callable[[Grid, int, int], Iterator[Point]]] = {
    "FixedShare": _fixed_share,
    "NoisyFixedShare": _noisy_fixed_share,
    "DyadicLeader": _dyadic_leader,
    "RestartingLeader": _restarting_leader,
    "ShrinkingDartboard": _shrinking_dartboard,
    "SwitchingDartboard": _switching_dartboard,
    "PooledDraws": _pooled_draws,
    "SwitchingSoftmax": _switching_softmax,
    "SleepingSoftmax": _sleeping_softmax,
    "AboveThreshold": _above_threshold,
}
