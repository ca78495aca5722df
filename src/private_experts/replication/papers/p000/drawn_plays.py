"""What is drawn for the choice of an expert, as published actions tell it. [verdicts.md#drawn-noise]

Laws of actions are computed here a second time, from the descriptions: Gaussian leaders of two experts by the
covariance of their gap's noise, exponential weights by their formula on reports without noise.
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any, Literal

import numpy as np
from scipy.special import expit, ndtr, softmax

from private_experts.algorithms.baselines import Uniform
from private_experts.algorithms.credited_leader import CreditedLeader
from private_experts.algorithms.decorrelation import Decorrelation
from private_experts.algorithms.delayed import Delayed
from private_experts.algorithms.fresh_meta import FreshMeta
from private_experts.algorithms.hedge import Hedge
from private_experts.algorithms.hedge_meta import HedgeMeta
from private_experts.algorithms.known_advice import KnownAdvice
from private_experts.algorithms.prefix_ftpl import PrefixFTPL
from private_experts.algorithms.rw_adabatch import RWAdaBatch
from private_experts.algorithms.rw_ftpl import RWFTPL
from private_experts.algorithms.rw_meta import RWMeta
from private_experts.algorithms.sleeping_hedge import SleepingHedge
from private_experts.algorithms.sleeping_softmax import SleepingSoftmax
from private_experts.algorithms.smoothed_leader import SmoothedLeader
from private_experts.algorithms.tree_ftpl import TreeFTPL
from private_experts.arrays import Array, Bools, Indices
from private_experts.errors import InputError
from private_experts.games.play import play, private_reports
from private_experts.learners.recorded import Recorded
from private_experts.privacy.guarantees import GaussianDP, PureDP
from private_experts.privacy.noise import Noise
from private_experts.privacy.reports import Reports
from private_experts.privacy.tight_tree import TightTreeSums
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.drawn_game import CENTRAL, EXACT, FAINT, LOCAL, MOVE, DrawnGame
from private_experts.replication.papers.p000.sum_covariances import tight_tree, tree

_FAST = 30.0  # a rate at which exponential weights follow the leader
_UNITS = [(-0.125, 0.125), (-1.0, 3.0)]  # other than [0, 1]
_SMALL = 0.25  # noise of reports, where that of the choice is looked at


def rw_ftpl(grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """RW-FTPL's leader has z_0 and a report's noise for each round so far."""
    game = DrawnGame("RWFTPL", grid, repetitions, seed)
    gains, totals = _stream(game.rounds, 0.6), []

    def played(noise: Any, note: Callable[[Any], object] | None = None) -> Indices:
        leader = RWFTPL(2, LOCAL, sensitivity=1.0, noise=noise, repetitions=repetitions)
        return play(leader, gains, sensitivity=1.0, noise=noise, note=note)

    actions = played(game.noise(), lambda leader: totals.append(leader.total.copy()))
    drawn = (
        np.diff([0 * totals[0], *totals], axis=0) - np.concatenate([np.zeros((1, 2)), gains[:-1]])[:, None]
    )
    yield from game.normal("z_0 and reports", drawn.swapaxes(0, 1))
    yield from game.pairs("actions", actions, *_walk(gains, before=1.0))
    scales, kept, noise = np.array([0.5, 2.0]), [], game.noise("own counts")
    own = RWFTPL(2, FAINT, noise_scale=scales, noise=noise, repetitions=repetitions)
    reports = private_reports(gains[:4], FAINT, FAINT.mu * scales / MOVE, noise, repetitions, moved=2)
    play(own, reports, note=lambda leader: kept.append(leader.total.copy()))
    drawn = np.diff([0 * kept[0], *kept], axis=0) - np.concatenate([np.zeros((1, 2)), gains[:3]])[:, None]
    yield from game.normal("own counts: z_0 and reports", drawn.swapaxes(0, 1) / scales)
    yield from _other_units(game, RWFTPL)


def rw_adabatch(grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """RW-AdaBatch's totals have z_0 and the noise of all reports of a batch, and only they are played on."""
    game = DrawnGame("RWAdaBatch", grid, repetitions, seed)
    gains = _stream(game.rounds, 0.9)
    for rule in ("paper", "sharper", "exact"):
        yield from _batches(game, gains, rule, np.full(len(gains), _SMALL))
    growing = np.linspace(1.0, 2.0, len(gains)) * _SMALL
    yield from _batches(game, gains, "paper", growing, "scales of rounds: ")
    # A datum in a batch of its own shows most: what the batch adds to the totals is its report.
    sides = []
    for side, datum in enumerate(([0.0, 1.0], [1.0, 0.0])):
        noise = game.noise("attack", side)
        leader = RWAdaBatch(2, LOCAL, sensitivity=MOVE, noise=noise, repetitions=repetitions, horizon=1)
        before = leader.total.copy()
        if not side:
            yield from game.normal("scale from a sensitivity: z_0", before[:, None] / MOVE)
        play(leader, np.array([datum]), sensitivity=MOVE, noise=noise)
        sides.append(leader.total - before)
    yield from game.attack("a batch of one", (sides[0], sides[1]), np.array([1.0, -1.0]), MOVE**2 * np.eye(2))
    yield from _other_units(game, RWAdaBatch)


def _other_units(game: DrawnGame, kind: Callable[..., Any]) -> Iterator[Point]:
    """Compare z_0 where gains are in a narrower unit, and in a wider one, which a datum moves as much."""
    drawn, noise = [], game.noise("other units")
    for low, high in _UNITS:
        given = {"sensitivity": high - low, "bounds": (low, high), "noise": noise}
        drawn.append(kind(2, LOCAL, repetitions=game.copies, **given).total)
    yield from game.normal("other units: z_0", np.stack(drawn, axis=1))


def _batches(
    game: DrawnGame,
    gains: Array,
    rule: Literal["paper", "sharper", "exact"],
    scales: Array,
    part: str = "",
) -> Iterator[Point]:
    noise, totals = game.noise(f"{part}{rule}"), []
    variances = np.concatenate([[0.0], np.cumsum(scales**2)])
    leader = RWAdaBatch(
        2,
        LOCAL,
        noise_scale=scales,
        noise=noise,
        alpha=2.0,
        repetitions=game.copies,
        rule=rule,
        horizon=len(gains),
    )
    actions = play(
        leader,
        private_reports(gains, LOCAL, scales, noise, game.copies),
        note=lambda leader: totals.append(leader.total.copy()),
    )
    totals.append(leader.total)
    seen, earned = np.array(totals), np.concatenate([np.zeros((1, 2)), gains.cumsum(axis=0)])
    copy, start, size = leader.batches.T
    order = np.lexsort((start, copy))
    copy, start, size = copy[order], start[order], size[order]
    number = np.arange(copy.size) - np.searchsorted(copy, copy)
    whole = int(np.bincount(copy).min())
    drawn = seen[start + size, copy] - seen[start, copy] - earned[start + size] + earned[start]
    drawn /= np.sqrt(variances[start + size] - variances[start])[:, None]
    batches = drawn[number < whole].reshape(game.copies, whole, 2)
    noises = np.concatenate([seen[0][:, None] / scales[0], batches], axis=1)
    yield from game.normal(f"{part}{rule} rule: z_0 and batches", noises)
    # Within a batch nothing but its beginning is played on.
    first = np.repeat(start, size), np.repeat(copy, size)
    at = np.arange(first[0].size) - np.repeat(np.cumsum(size) - size, size) + first[0]
    changed = float((seen[first].argmax(axis=-1) != actions[at, first[1]]).mean())
    hidden = float((np.repeat(size, size) > 1).mean())
    where = {**game.where(f"{part}{rule} rule: batches"), "aspect": "batches"}
    yield Point(
        {**where, "place": "actions that are not the leader's at the batch's beginning"}, changed, 0.0
    )
    yield Point({**where, "place": "rounds in batches of two or more"}, hidden, 0.1, sense=">=")


def _meta(
    game: DrawnGame,
    part: str,
    make: Callable[[Any, np.random.Generator], Any],
    extra: Array,
    *,
    turned: bool = False,
) -> Iterator[Point]:
    """Play a choice between two learners that never agree; `extra` are the variances of its own noise."""
    gains, noise = _stream(len(extra), 0.9), game.noise(part)
    advice = _turned(game) if turned else np.broadcast_to([[0], [1]], (len(extra), 2, game.copies))
    learners = Recorded(advice)
    reports = private_reports(gains, LOCAL, _SMALL, noise, game.copies)
    gaps, covariance = _walk(gains, scale=_SMALL)
    actions = play(make([learners], game.rng(part)), reports, note=_ignored)
    yield from game.pairs(part, actions, gaps, covariance + np.diag(extra))


def _turned(game: DrawnGame) -> Indices:
    """Return advice of two learners (T, 2, copies), who name each other's expert in every other copy."""
    number = np.arange(game.copies) % 2
    return np.broadcast_to(np.stack([number, 1 - number]), (game.rounds, 2, game.copies))


class _Foreseen(Recorded):
    """Learners that advise round by round, or for all rounds that are left at once."""

    def __init__(self, actions: Indices) -> None:
        super().__init__(actions)
        self.shape = actions.shape[-1], 1 + int(actions.max())

    def play_known(self, reports: list[Reports]) -> Indices:
        """Return the advice of so many rounds."""
        first, self._round = self._round, self._round + len(reports)
        return self._actions[first : self._round]


_LATER = 2  # rounds that are played one by one before all others are known


def _known(
    game: DrawnGame,
    part: str,
    advice: Indices,
    reports: list[Reports],
    decorrelation: Decorrelation,
    way: Literal["advice", "learners"],
) -> dict[str, Indices]:
    """Play many rounds in one call: of `RWMeta.play_many` as studies do, or of `play_known`, later on."""
    everyone = np.broadcast_to(
        advice if advice.ndim == 3 else advice[:, :, None], (*advice.shape[:2], game.copies)
    )
    if way == "advice":
        choices = {name: (decorrelation, game.rng(part, name)) for name in ("first choice", "second choice")}
        return RWMeta.play_many(KnownAdvice(everyone, reports, LOCAL), choices, repetitions=game.copies)
    choice = RWMeta(
        [_Foreseen(everyone)], reports[0].guarantee, rng=game.rng(part), decorrelation=decorrelation
    )
    one_by_one = play(choice, reports[:_LATER], note=_ignored)
    actions = choice.play_known(reports[_LATER:])
    if actions is None:
        raise InputError("drawn noise: RW-Meta plays a game round by round that is known ahead")
    return {"from round 3 on": np.concatenate([one_by_one, actions])}


def _ignored(algorithm: Any) -> None:
    """Let a game be played round by round."""


def _attacked(game: DrawnGame, make: Callable[[Any, np.random.Generator], Any]) -> Iterator[Point]:
    """Attack a choice whose own noise is small: its plays then tell what the reports tell."""

    def actions(gains: Array, side: str) -> Indices:
        learners = Recorded(np.broadcast_to([[0], [1]], (2, 2, game.copies)))
        reports = private_reports(gains, LOCAL, MOVE, game.noise("attack", side), game.copies)
        return play(make([learners], game.rng("attack", side)), reports)

    yield from game.attack_plays(actions)


def rw_meta(grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """RW-Meta's own noise fills up that of the reports, round by round and at once."""
    game = DrawnGame("RWMeta", grid, repetitions, seed)
    t = np.arange(1, game.rounds + 1)
    # Two learners that differ: of the reports comes 2 eta^2 (t - 1), and in all there is 2 c = 4 t.
    extra = 4.0 * t - 2 * _SMALL**2 * (t - 1)
    choose = partial(_rw_meta, decorrelation=Decorrelation())
    yield from _meta(game, "two learners, round by round", choose, extra)
    yield from _meta(game, "advice of each copy, round by round", choose, extra, turned=True)
    gains, alike = _stream(game.rounds, 0.9), np.tile([0, 1], (game.rounds, 1))
    gaps, covariance = _walk(gains, scale=_SMALL)
    for part, advice in (("two learners", alike), ("advice of each copy", _turned(game))):
        ways: tuple[Literal["advice"], Literal["learners"]] = ("advice", "learners")
        for way in ways:
            named = f"{part}, known {way}"
            reports = [*private_reports(gains, LOCAL, _SMALL, game.noise(named), repetitions)]
            for choice, actions in _known(game, named, advice, reports, Decorrelation(), way).items():
                yield from game.pairs(f"{named}, {choice}", actions, gaps, covariance + np.diag(extra))
    for projection in ("sigma-star", "centred"):
        yield from _three_learners(game, projection)
    for at_once in (False, True):
        yield from _three_learners(game, "sigma-star", np.array([0.3, 0.5, 0.4]), at_once=at_once)
    # Without a floor two learners need no extra noise.
    yield from _attacked(game, partial(_rw_meta, decorrelation=Decorrelation(floor=0)))


def _rw_meta(learners: Any, rng: np.random.Generator, decorrelation: Decorrelation) -> RWMeta:
    return RWMeta(learners, LOCAL, rng=rng, decorrelation=decorrelation)


def _three_learners(
    game: DrawnGame,
    projection: Literal["sigma-star", "centred"],
    scales: Array | None = None,
    *,
    at_once: bool = False,
) -> Iterator[Point]:
    """Three learners, of whom two agree in every other round: all credits have noise c, up to a shift.

    Reports have noise 1, or of each expert's own scale.
    """
    part, gains = f"three learners, {projection}", np.tile([0.7, 0.5, 0.4], (5, 1))
    if scales is not None:
        gains = np.tile([0.9, 0.5, 0.1], (5, 1))
        part += f", own scales, {'at once' if at_once else 'round by round'}"
    advice = np.array([[0, 1, 1 if t % 2 else 2] for t in range(5)])
    decorrelation = Decorrelation(floor=0, projection=projection)
    reach, moved = (1.0, None) if scales is None else (scales / MOVE, 2)
    reports = [*private_reports(gains, LOCAL, reach, game.noise(part), game.copies, moved=moved)]
    if at_once:
        actions = _known(game, part, advice, reports, decorrelation, "advice")["second choice"]
    else:
        learners = Recorded(np.broadcast_to(advice[:, :, None], (5, 3, game.copies)))
        actions = play(_rw_meta([learners], game.rng(part), decorrelation), reports)
    variances = np.ones(3) if scales is None else scales**2
    sigma, totals, centre = np.zeros((3, 3)), np.zeros(3), np.eye(3) - 1 / 3
    for t, named in enumerate(advice):
        if t:
            shifted = sigma - sigma.mean() if projection == "sigma-star" else centre @ sigma @ centre
            chances = _leader(totals / np.sqrt(np.linalg.eigvalsh(shifted)[-1]))
            law: dict[tuple[int, ...], float] = {}
            for expert, chance in zip(named.tolist(), chances.tolist(), strict=True):
                law[expert,] = law.get((expert,), 0.0) + chance
            yield from game.sequences(f"{part}, round {t + 1}", actions[t : t + 1], law)
        sigma = sigma + (named[:, None] == named) * variances[named]
        totals = totals + gains[t, named]


def _leader(means: Array) -> Array:
    """Return the law of the leader of independent normals of variance 1."""
    x = np.linspace(-9, 9, 2001) + means.max()
    below = ndtr(x[:, None] - means)
    density = np.exp(-((x[:, None] - means) ** 2) / 2) / np.sqrt(2 * np.pi)
    others = np.stack([np.delete(below, i, axis=1).prod(axis=1) for i in range(means.size)], axis=1)
    result: Array = (density * others).sum(axis=0) * (x[1] - x[0])
    return result


def fresh_meta(grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """FreshMeta's normal noise is new in every round, and so is its Gumbel noise."""
    game = DrawnGame("FreshMeta", grid, repetitions, seed)
    scales = np.linspace(1.0, 2.5, game.rounds)
    make = partial(_fresh_meta, scale=scales)
    yield from _meta(game, "normal noise", make, 2 * scales**2)
    gumbel = partial(_fresh_meta, scale=0.0, gumbel=1.3)
    yield from _weights(game, "gumbel noise", gumbel, lambda gains: softmax(gains / 1.3, axis=-1))
    yield from _weights(game, "gumbel noise", gumbel, lambda gains: softmax(gains / 1.3, axis=-1), learners=3)
    both = partial(_fresh_meta, scale=0.5, gumbel=1.3)
    yield from _weights(game, "both noises", both, partial(_both_noises, scale=0.5, gumbel=1.3))
    yield from _attacked(game, partial(_fresh_meta, scale=0.05))


def _fresh_meta(learners: Any, rng: np.random.Generator, **settings: Any) -> FreshMeta:
    return FreshMeta(learners, learners_guarantee(settings), rng=rng, **settings)


def _both_noises(earned: Array, scale: float, gumbel: float) -> Array:
    """Return the law of the better of two totals with normal and Gumbel noise: logistic, over the normal."""
    x = np.linspace(-9, 9, 2001)
    density = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi) * (x[1] - x[0])
    gaps = (earned[:, 0] - earned[:, 1])[:, None] + MOVE * scale * x
    first = expit(gaps / gumbel) @ density
    return np.stack([first, 1 - first], axis=-1)


def learners_guarantee(settings: Mapping[str, Any]) -> GaussianDP:
    """Return what the reports have: no privacy where the Gumbel noise is looked at."""
    return EXACT if settings.get("gumbel") else LOCAL


def hedge_meta(grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """HedgeMeta draws by exponential weights anew in every round, at a fixed rate and at its adaptive one."""
    game = DrawnGame("HedgeMeta", grid, repetitions, seed)
    for part, rate in (("fixed rate", 0.8), ("adaptive rate", "adaptive")):
        make = partial(_hedge_meta, guarantee=EXACT, rate=rate)
        yield from _weights(game, part, make, _adaptive if rate == "adaptive" else _at_fixed_rate)
    make = partial(_hedge_meta, guarantee=EXACT, rate=0.8)
    yield from _weights(game, "fixed rate", make, _at_fixed_rate, learners=3)
    yield from _noisy_rate(game)
    yield from _attacked(game, partial(_hedge_meta, guarantee=LOCAL, rate=_FAST))


def _at_fixed_rate(earned: Array) -> Array:
    law: Array = softmax(0.8 * earned, axis=-1)
    return law


def _adaptive(earned: Array) -> Array:
    """Return the laws at the rate log 2 / (log 2 + cost), where exact reports cost what gains alone do."""
    cost, laws = 0.0, []
    for totals in earned:
        rate = np.log(2) / (np.log(2) + cost)
        laws.append(softmax(rate * totals))
        disagreement = 2 * laws[-1].prod()
        cost += min(rate**2 / 8, (np.exp(rate) - 1 - rate) / 2 * disagreement) / rate
    return np.array(laws)


def _noisy_rate(game: DrawnGame) -> Iterator[Point]:
    """The adaptive rate on noisy reports, whose own cost lowers it: three rounds, by integrals over noise."""
    part, gap = "adaptive rate, noisy reports", 0.9
    gains = np.tile([gap, 0.0], (3, 1))
    learners = Recorded(np.broadcast_to(np.arange(2)[:, None], (3, 2, game.copies)))
    reports = private_reports(gains, LOCAL, 1.0, game.noise(part), game.copies)
    actions = play(_hedge_meta([learners], game.rng(part), LOCAL, "adaptive"), reports)
    x = np.linspace(-8, 8, 801)
    density = np.exp(-(x**2) / 2) / np.sqrt(2 * np.pi) * (x[1] - x[0])
    first, second = x[:, None], x[None, :]  # noise of the gaps of two reports, over sqrt(2)
    cost = _noisy_cost(np.ones(1), np.full(1, 0.5))
    rate = np.log(2) / (np.log(2) + cost)
    after_one = expit(rate * (gap + np.sqrt(2) * first))  # that expert 1 is played in the second round
    later = np.log(2) / (np.log(2) + cost + _noisy_cost(rate, after_one))
    after_two = expit(later * (2 * gap + np.sqrt(2) * (first + second)))
    law = {}
    for sequence in product(range(2), repeat=3):
        second_play = after_one if sequence[1] == 0 else 1 - after_one
        third_play = after_two if sequence[2] == 0 else 1 - after_two
        law[sequence] = float(density @ (second_play * third_play) @ density) / 2
    yield from game.sequences(part, actions, law)


def _noisy_cost(rate: Array, chance: Array) -> Array:
    """Return the cost of a round with noise of scale 1, where one of two experts is played with a chance."""
    disagreement = 2 * chance * (1 - chance)
    of_gains = np.minimum(rate**2 / 8, (np.exp(rate) - 1 - rate) / 2 * disagreement)
    growth = np.exp(rate) * (np.exp(rate**2) - 1) / rate**2  # e^r h(r^2), as noise of both has variance 1
    of_noise = rate**2 / 2 * np.minimum(1.0, growth * disagreement)
    return np.asarray((of_gains + of_noise) / rate)


def _hedge_meta(learners: Any, rng: np.random.Generator, guarantee: GaussianDP, rate: Any) -> HedgeMeta:
    return HedgeMeta(learners, guarantee, rng=rng, rate=rate)


def _weights(
    game: DrawnGame,
    part: str,
    make: Callable[[Any, np.random.Generator], Any],
    law: Callable[[Array], Array],
    *,
    learners: int = 2,
) -> Iterator[Point]:
    """Compare plays on reports without noise with their law, given what was earned before each round."""
    rounds = 4
    gains = np.tile(np.array([0.9, 0.3, 0.6])[:learners], (rounds, 1))
    part += f", {learners} learners"
    advice = Recorded(np.broadcast_to(np.arange(learners)[:, None], (rounds, learners, game.copies)))
    reports = private_reports(gains, EXACT, 1.0, game.noise(part), game.copies)
    actions = play(make([advice], game.rng(part)), reports)
    earned = np.array([gains[:t].sum(axis=0) for t in range(rounds)])
    yield from game.sequences(part, actions, _independent([*law(earned)]))


def _independent(laws: list[Array]) -> dict[tuple[int, ...], float]:
    """Return the law of sequences of independent draws."""
    numbers = product(*(range(len(law)) for law in laws))
    return {
        sequence: float(np.prod([law[i] for law, i in zip(laws, sequence, strict=True)]))
        for sequence in numbers
    }


def credited_leader(grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """CreditedLeader draws nothing of its own: it plays on the reports' noise."""
    game = DrawnGame("CreditedLeader", grid, repetitions, seed)
    yield from _credits(game, CreditedLeader, _walk)


def smoothed_leader(grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """SmoothedLeader draws nothing of its own: a credit has the mean of its expert's noise since."""
    game = DrawnGame("SmoothedLeader", grid, repetitions, seed)
    yield from _credits(game, partial(SmoothedLeader, span=3), _smoothed)


def _credits(
    game: DrawnGame, kind: Callable[..., Any], law: Callable[..., tuple[Array, Array]]
) -> Iterator[Point]:
    gains, noise = _stream(game.rounds, 0.6), game.noise()
    learners = Recorded(np.broadcast_to([[0], [1]], (len(gains), 2, game.copies)))
    actions = play(kind([learners], LOCAL), private_reports(gains, LOCAL, 1.0, noise, game.copies))
    gaps, covariance = law(gains)
    # Before the first round there is nothing to choose by.
    yield from game.pairs("actions", actions[1:], gaps[1:], covariance[1:, 1:])
    yield from _attacked(game, lambda learners, rng: kind(learners, LOCAL))


def _smoothed(gains: Array) -> tuple[Array, Array]:
    """Return gaps and their noise, where round s counts with the mean of up to three reports since."""
    rounds = len(gains)
    weights = np.zeros((rounds, rounds))  # of the reports, before each round
    for t, s in product(range(rounds), repeat=2):
        if s < t:
            weights[t, s : min(s + 3, t)] += 1 / (min(s + 3, t) - s)
    return weights @ (gains[:, 0] - gains[:, 1]), 2 * weights @ weights.T


_TreeScale = Literal["min_noise", "min_regret"] | float


def tree_ftpl(grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """The leader of a tree's sums, with the least noise that is private and with that of the least regret."""
    game = DrawnGame("TreeFTPL", grid, repetitions, seed)
    gains = _stream(game.rounds, 0.8)
    height = max(1, (game.rounds - 1).bit_length())
    reaches: list[tuple[_TreeScale, float]] = [
        ("min_noise", 0.3),
        ("min_regret", max(0.3, np.sqrt(game.rounds) / height)),
        (4.0, 4.0 / height),  # which is more than twice what is needed
    ]
    for scale, reach in reaches:
        leader = _tree_ftpl(game, len(gains), 0.3, scale, str(scale))
        covariance = 2 * tree(np.full(game.rounds, reach), padded=True)
        gaps = np.concatenate([[0.0], (gains[:, 0] - gains[:, 1]).cumsum()])[:-1]
        yield from game.pairs(f"{scale}: actions", play(leader, gains), gaps, covariance)
    for low, high in _UNITS:
        part, width = f"in [{low:g}, {high:g}]: actions", high - low
        noise = game.noise(part)
        leader = TreeFTPL(
            2,
            CENTRAL,
            horizon=game.rounds,
            sensitivity=0.3 * width,
            noise=noise,
            scale="min_noise",
            repetitions=repetitions,
            bounds=(low, high),
        )
        covariance = 2 * tree(np.full(game.rounds, 0.3), padded=True)
        yield from game.pairs(part, play(leader, low + width * gains), gaps, covariance)
    yield from game.attack_plays(
        lambda gains, side: play(_tree_ftpl(game, 2, MOVE, "min_noise", "attack", side), gains), CENTRAL
    )


def _tree_ftpl(game: DrawnGame, horizon: int, sensitivity: float, scale: _TreeScale, *key: str) -> TreeFTPL:
    return TreeFTPL(
        2,
        CENTRAL,
        horizon=horizon,
        sensitivity=sensitivity,
        noise=game.noise(*key),
        scale=scale,
        repetitions=game.copies,
    )


def prefix_ftpl(grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """The leader of a tight tree's sums."""
    game = DrawnGame("PrefixFTPL", grid, repetitions, seed)
    gains = _stream(game.rounds, 0.8)

    def leader(reach: Array, *key: str, bounds: tuple[float, float] = (0.0, 1.0)) -> PrefixFTPL:
        noise = game.noise(*key)
        sums = TightTreeSums(2, CENTRAL, sensitivity=reach, noise=noise, repetitions=repetitions)
        return PrefixFTPL(sums, bounds=bounds)

    reach = np.full(game.rounds, 0.8)
    gaps = np.concatenate([[0.0], (gains[:, 0] - gains[:, 1]).cumsum()])[:-1]
    actions = play(leader(reach, "law"), gains)
    covariance = 2 * tight_tree(reach, refined=False)
    yield from game.pairs("actions", actions, gaps, covariance)
    for low, high in _UNITS:
        part, width = f"in [{low:g}, {high:g}]: actions", high - low
        wide = leader(width * reach, part, bounds=(low, high))
        yield from game.pairs(part, play(wide, low + width * gains), gaps, covariance)
    yield from game.attack_plays(
        lambda gains, side: play(leader(np.full(2, MOVE), "attack", side), gains), CENTRAL
    )


def delayed(grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """Copies that take turns have noise of their own, and each hears the reports of its rounds alone."""
    game = DrawnGame("Delayed", grid, repetitions, seed)
    gains = _stream(game.rounds, 0.9)
    gaps, covariance = np.zeros(game.rounds), np.zeros((game.rounds, game.rounds))
    for copy in range(2):
        own = np.arange(copy, game.rounds, 2)
        gaps[own], covariance[np.ix_(own, own)] = _walk(gains[own], before=1.0)
    together = [1 - t % 2 for t in range(game.rounds)]
    for part, delays in (("one report a round", 1), ("two reports in every other round", together)):
        noise = game.noise(part)

        def make(copy: int, noise: Noise = noise) -> RWFTPL:
            return RWFTPL(2, LOCAL, sensitivity=1.0, noise=noise, repetitions=repetitions)

        late = Delayed(make, delay=1)
        actions = play(late, gains, sensitivity=1.0, noise=noise, delays=delays)
        yield from game.pairs(part, actions, gaps, covariance)


def hedge(grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """Hedge draws by exponential weights, round by round and at once."""
    game = DrawnGame("Hedge", grid, repetitions, seed)
    gains = np.tile([0.8, 0.5, 0.2, 0.6, 0.4], (4, 1))
    laws = [softmax(2 * np.sqrt(np.log(5) / (t + 1)) * gains[:t].sum(axis=0)) for t in range(4)]
    for part, note in (("at once", None), ("round by round", _ignored)):
        actions = play(Hedge(5, rng=game.rng(part), repetitions=repetitions), gains, note=note)
        yield from game.sequences(part, actions, _independent(laws))
    # In few copies several rounds are drawn together.
    rng, few = game.rng("few copies"), [min(500, repetitions - first) for first in range(0, repetitions, 500)]
    several = [play(Hedge(5, rng=rng, repetitions=copies), gains) for copies in few]
    yield from game.sequences("few copies, at once", np.concatenate(several, axis=1), _independent(laws))


def uniform(grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """Uniform play draws each expert alike, in every round anew."""
    game = DrawnGame("Uniform", grid, repetitions, seed)
    actions = play(Uniform(5, rng=game.rng(), repetitions=repetitions), np.full((3, 5), 0.5))
    yield from game.sequences("actions", actions, _independent([np.full(5, 1 / 5)] * 3))


_AWAKE = np.array([[True, True, False], [True, True, True], [False, True, True], [True, False, True]])


def sleeping_hedge(grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """SleepingHedge draws one of those awake by exponential weights, whose credits do not know the draws."""
    game = DrawnGame("SleepingHedge", grid, repetitions, seed)
    gains, rate, totals, laws = np.array([0.9, 0.5, 0.1]), 1.5, np.zeros(3), []
    sleeping = SleepingHedge(3, EXACT, rate=rate, rng=game.rng("law"), repetitions=repetitions)

    def report(values: Array, awake: Bools) -> Any:
        return next(private_reports(values[awake][None], EXACT, 1.0, game.noise("law"), repetitions))

    for awake in _AWAKE:
        law = softmax(np.where(awake, rate * totals, -np.inf))
        totals = totals + np.where(awake, gains - np.log(law @ np.exp(rate * gains)) / rate, 0.0)
        laws.append(law)
    actions = _woken(sleeping, lambda awake: report(gains, awake))
    yield from game.sequences("actions", actions, _independent(laws))

    def attacked(gains: Array, side: str) -> Indices:
        fast = SleepingHedge(2, LOCAL, rate=_FAST, rng=game.rng("attack", side), repetitions=repetitions)
        return play(fast, private_reports(gains, LOCAL, MOVE, game.noise("attack", side), repetitions))

    yield from game.attack_plays(attacked)


def sleeping_softmax(grid: Grid, repetitions: int, seed: int) -> Iterator[Point]:
    """SleepingSoftmax draws one of those awake by exponential weights on regrets to what it played."""
    game = DrawnGame("SleepingSoftmax", grid, repetitions, seed)
    gains = np.array([0.9, 0.5, 0.1])
    guarantee = PureDP(9.0, "central")
    rate = 9.0 / (2 * 3)  # three of four draws know a round, and each is (2 rate)-DP

    def softmaxes(n: int, horizon: int, level: PureDP, key: str) -> SleepingSoftmax:
        return SleepingSoftmax(n, level, horizon=horizon, rng=game.rng(key), repetitions=repetitions)

    law: dict[tuple[int, ...], float] = {}

    def extend(played: tuple[int, ...], totals: Array, chance: float) -> None:
        if len(played) == len(_AWAKE):
            law[played] = chance
            return
        awake = _AWAKE[len(played)]
        for expert, own in enumerate(softmax(np.where(awake, rate * totals, -np.inf)).tolist()):
            credited = np.where(awake, gains - gains[expert] - rate / 4, 0.0)
            extend((*played, expert), totals + credited, chance * own)

    extend((), np.zeros(3), 1.0)
    actions = _woken(softmaxes(3, 4, guarantee, "law"), lambda awake: gains[awake])
    yield from game.sequences("actions", actions, law)
    # One draw knows a round. It tells most where a datum lifts one expert among many.
    yield from game.attack_plays(
        lambda gains, side: play(softmaxes(8, 2, PureDP(3.0, "central"), f"attack {side}"), gains),
        PureDP(3.0, "central"),
        8,
    )


def _woken(algorithm: Any, feedback: Callable[[Bools], Any]) -> Indices:
    """Play the rounds of `_AWAKE`."""
    actions = []
    for awake in _AWAKE:
        algorithm.wake(awake)
        actions.append(algorithm.predict())
        algorithm.update(feedback(awake))
    return np.array(actions)


def _stream(rounds: int, better: float) -> Array:
    """Return gains of two experts, of whom expert 0 always earns more."""
    return np.tile([better, 0.3], (rounds, 1))


def _walk(gains: Array, *, scale: float = 1.0, before: float = 0.0) -> tuple[Array, Array]:
    """Return the gap before each round, and the covariance of its noise: a walk after a first noise."""
    t = np.arange(len(gains))
    leads = np.concatenate([[0.0], (gains[:, 0] - gains[:, 1]).cumsum()])[:-1]
    return leads, 2 * (scale**2 * np.minimum(t[:, None], t) + before**2)
