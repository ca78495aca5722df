"""Exact laws of short games' plays, enumerated by other routes than the library's. [verdicts.md#drawn-noise]

A law is a mapping from a path, one outcome a round, to its probability.
"""

import itertools
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache

import numpy as np
from scipy.optimize import brentq

from private_experts.arrays import Array, Indices

Path = tuple[int, ...]
PathLaw = dict[Path, float]
Distribution = Callable[[Array], Array]

_NODES = 500  # of a Laplace threshold: equally likely pieces, each by its middle
_CELLS = 801  # of log-odds
_RARE = 1e-7  # histories that are rarer are left out


def product_law(laws: Sequence[Array]) -> PathLaw:
    """Return the law of independent draws, one from each law."""
    return {
        path: float(np.prod([law[expert] for law, expert in zip(laws, path, strict=True)]))
        for path in itertools.product(*(range(law.size) for law in laws))
    }


def argmax_law(scores: Array, noise: Distribution, reach: float) -> Array:
    """Return which of the scores leads once each has noise of its own, of a distribution function."""
    # The leader's noisy score is near the largest score, or above.
    ends = np.linspace(-reach, reach, 6001) + scores.max()
    middles = (ends[1:] + ends[:-1]) / 2
    chances = [
        np.diff(noise(ends - score))
        * np.prod([noise(middles - other) for other in np.delete(scores, j)], axis=0)
        for j, score in enumerate(scores.tolist())
    ]
    return np.array(chances).sum(axis=1)


def floored(weights: Array, floor: float) -> Array:
    """Return ``max(floor, c weights)`` with the c for which they add up to 1."""

    def excess(factor: float) -> float:
        return float(np.maximum(floor, factor * weights).sum()) - 1

    return np.asarray(np.maximum(floor, brentq(excess, 0.0, 1 / weights.max(), xtol=1e-14) * weights))


def shares(gains: Array, eta: float, floor: float) -> list[Array]:
    """Return the weights of fixed share in each round."""
    weights = [np.full(gains.shape[1], 1 / gains.shape[1])]
    for of_round in gains[:-1]:
        weights.append(floored(weights[-1] * np.exp(eta * of_round), floor))
    return weights


def noisy_shares(leads: Array, eta: float, floor: float, noise: Distribution) -> PathLaw:
    """Return the law of two experts' plays by fixed share, given expert 0's leads and their noise's law.

    Log-odds of expert 0 move by eta times the noisy lead, and stay where both weights are above the floor.
    """
    most = np.log((1 - floor) / floor)
    ends = np.linspace(-most, most, _CELLS + 1)
    middles = (ends[1:] + ends[:-1]) / 2
    inner = ends[1:-1]  # what is beyond is at the floor
    chance = 1 / (1 + np.exp(-middles))
    alive: dict[Path, Array] = {(): np.eye(_CELLS)[_CELLS // 2]}
    for t in range(len(leads)):
        alive = {
            (*path, expert): weight * side
            for path, weight in alive.items()
            for expert, side in enumerate((chance, 1 - chance))
        }
        if t < len(leads) - 1:
            below = noise((inner - middles[:, None]) / eta - leads[t])
            below = np.concatenate([np.zeros((_CELLS, 1)), below, np.ones((_CELLS, 1))], axis=1)
            moves = np.diff(below, axis=1)
            alive = {path: weight @ moves for path, weight in alive.items()}
    return {path: float(weight.sum()) for path, weight in alive.items()}


def softmax(scores: Array) -> Array:
    """Return probabilities in proportion to e to the power of the scores."""
    weights = np.exp(scores - scores.max())
    return np.asarray(weights / weights.sum())


def sequences(horizon: int, n: int, switches: int) -> Indices:
    """Return all sequences of experts that switch at most so often."""
    found: list[tuple[Path, int]] = [((expert,), 0) for expert in range(n)]
    for _ in range(horizon - 1):
        found = [
            ((*path, expert), made + (expert != path[-1]))
            for path, made in found
            for expert in range(n)
            if made + (expert != path[-1]) <= switches
        ]
    return np.array([path for path, _ in found])


def sequence_draws(listed: Indices, losses: Array, rate: float) -> list[Array]:
    """Return the law of each round's expert when a sequence is drawn anew by its loss so far."""
    rounds = np.arange(len(losses))
    paid = np.cumsum(losses[rounds, listed], axis=1) - losses[rounds, listed]
    experts = np.arange(losses.shape[1])
    return [(listed[:, t] == experts[:, None]) @ softmax(-rate * paid[:, t]) for t in rounds]


def dartboard_plays(listed: Indices, losses: Array, eta: float, p: float, budget: int) -> PathLaw:
    """Return the law of a shrinking dartboard's plays, one a batch, over a list of sequences.

    `losses` are the mean losses of batches, and sequences have an expert for each batch.
    """
    alive: dict[Path, Array] = {(): _first_sequences(len(listed), budget)}
    for t, (keep, fresh) in enumerate(_lotteries(listed, losses, eta, p)):
        alive = {
            (*path, expert): _moved(law * (listed[:, t] == expert)[:, None], keep, fresh)
            for path, law in alive.items()
            for expert in range(losses.shape[1])
        }
    return {path: float(law.sum()) for path, law in alive.items()}


def dartboard_end(listed: Indices, losses: Array, eta: float, p: float, budget: int) -> Array:
    """Return the law (n,) of the expert of the last batch, in games that are too long to list their plays."""
    law = _first_sequences(len(listed), budget)
    for keep, fresh in _lotteries(listed[:, :-1], losses, eta, p):
        law = _moved(law, keep, fresh)
    experts = np.arange(losses.shape[1])
    return np.asarray((listed[:, -1] == experts[:, None]) @ law.sum(axis=1), dtype=np.float64)


def pool_plays(
    listed: Indices, losses: Array, rate: float, raised: Sequence[float], noises: Sequence[Array]
) -> PathLaw:
    """Return the law of a pool's plays in epochs of two rounds, without a limit on its draws.

    Slots have so much added to their counts, and noise with these equally likely values in the second round.
    """
    found: PathLaw = {(): 1.0}
    rounds = np.arange(len(losses))
    paid = np.cumsum(losses[rounds, listed], axis=1) - losses[rounds, listed]
    for t in range(0, len(losses), 2):
        pair = _two_rounds(
            softmax(-rate * paid[:, t]), losses[t][listed[:, t]], listed[:, t : t + 2].T, rate, raised, noises
        )
        found = {
            (*path, *plays): chance * float(pair[plays])
            for path, chance in found.items()
            for plays in np.ndindex(*pair.shape)
        }
    return found


def _two_rounds(
    fresh: Array, lost: Array, experts: Indices, rate: float, raised: Sequence[float], noises: Sequence[Array]
) -> Array:
    """Return the law of both plays of an epoch, given the law of a draw, and each draw's loss and experts."""
    slots = []
    for above, noise in zip(raised, noises, strict=True):
        first = np.exp(-rate * above) * fresh  # alive in the first round
        counts = np.maximum(lost[:, None] + noise + above, 0.0)
        second = np.exp(-rate * counts).mean(axis=1) * fresh
        both = np.exp(-rate * np.maximum(counts, above)).mean(axis=1) * fresh
        slots.append(
            {(1, 1): both, (1, 0): first - both, (0, 1): second - both, (0, 0): fresh - first - second + both}
        )
    pair = np.zeros((int(experts.max()) + 1,) * 2)
    last = len(slots) - 1

    def add(one: Array, other: Array | None, chance: float) -> None:
        """Add a play of one draw, and then of another one, or of the same."""
        if other is None:
            np.add.at(pair, (experts[0], experts[1]), chance * one)
        else:
            apart = np.outer(
                np.bincount(experts[0], one, len(pair)), np.bincount(experts[1], other, len(pair))
            )
            pair[:] += chance * apart

    for m, slot in enumerate(slots):
        # Slot m is played first: it is alive, or the last one. A part of it is alive in the second round too.
        stays = slot[1, 1] + (slot[0, 1] if m == last else 0)
        goes = slot[1, 0] + (slot[0, 0] if m == last else 0)
        still = 1.0  # no slot before is alive in the second round
        for i in range(m):
            between = np.prod([slots[k][0, 0].sum() + slots[k][0, 1].sum() for k in range(i + 1, m)])
            add(stays + goes, slots[i][0, 1], still * float(between))
            still *= float(slots[i][0, 0].sum())
        add(stays, None, still)
        if m == last:
            add(goes, None, still)
        for i in range(m + 1, len(slots)):
            alive, not_alive = slots[i][0, 1] + slots[i][1, 1], slots[i][0, 0] + slots[i][1, 0]
            add(goes, alive + (not_alive if i == last else 0), still)
            still *= float(not_alive.sum())
    return pair


def _first_sequences(many: int, budget: int) -> Array:
    """Return the law of the first sequence and of the draws made, which is one."""
    law = np.zeros((many, budget))
    law[:, 0] = 1 / many
    return law


def _lotteries(listed: Indices, losses: Array, eta: float, p: float) -> Iterator[tuple[Array, Array]]:
    """Yield after each batch the chance to keep each sequence, and the law of a draw."""
    weights = np.zeros(len(listed))
    for loss, experts in zip(losses, listed.T, strict=False):
        change = np.log(1 - eta) * loss[experts]
        weights = weights + change
        yield (1 - p) * np.exp(change), softmax(weights)


def _moved(law: Array, keep: Array, fresh: Array) -> Array:
    """Return the law after a lottery."""
    moved = law * keep[:, None]
    moved[:, -1] = law[:, -1]  # no draw is left
    moved[:, 1:] += np.outer(fresh, ((1 - keep) @ law)[:-1])
    return moved


def asleep(gains: Array, awake: Array, rate: float) -> PathLaw:
    """Return the law of plays by the weights of regrets over rounds awake, less rate / 4 in each of these."""
    alive: dict[Path, tuple[float, Array]] = {(): (1.0, np.zeros(gains.shape[1]))}
    for of_round, present in zip(gains, awake, strict=True):
        longer = {}
        for path, (chance, totals) in alive.items():
            law = softmax(np.where(present, rate * totals, -np.inf))
            for expert in np.flatnonzero(present).tolist():
                credit = np.where(present, of_round - of_round[expert] - rate / 4, 0.0)
                longer[(*path, expert)] = chance * float(law[expert]), totals + credit
        alive = longer
    return {path: chance for path, (chance, _) in alive.items()}


def _laplace(x: Array) -> Array:
    tail = np.exp(-np.abs(x)) / 2
    return np.where(x < 0, tail, 1 - tail)


def thresholds(scale: float) -> Array:
    """Return values of Laplace noise, all equally likely."""
    return scale * laplace_quantiles((np.arange(_NODES) + 0.5) / _NODES)


def laplace_quantiles(levels: Array) -> Array:
    """Return the quantiles of the Laplace law of scale 1."""
    return np.where(levels < 0.5, np.log(2 * levels), -np.log(2 - 2 * levels))


def first_above(queries: Array, scale: float) -> Array:
    """Return which query is the first above a noisy threshold, its noise of a scale and theirs of twice it.

    The last entry is that none is.
    """
    threshold = thresholds(scale)
    below = _laplace((threshold[:, None] - queries) / (2 * scale))
    alive = np.concatenate([np.ones((_NODES, 1)), below.cumprod(axis=1), np.zeros((_NODES, 1))], axis=1)
    return np.asarray(-np.diff(alive, axis=1).mean(axis=0))


def restarting(
    gains: Array,
    ends: Sequence[int],
    *,
    limits: Array,
    windows: Callable[[int], Sequence[int]],
    epsilon: float,
    sensitivity: float,
    select: Callable[[Array], Array],
    printed: bool,
) -> PathLaw:
    """Return the law of (next expert, restarts) after each of `ends` rounds, as ``expert + n restarts``.

    - `limits`: thresholds by a window's number of rounds.
    - `windows`: the numbers of rounds of the windows that end with a phase's round, counted from 1.
    - `epsilon`, `sensitivity`: those of the comparison with thresholds.
    - `select`: the law of a block's expert given the totals of the block before.
    """
    horizon, n = gains.shape
    scale = 2 * sensitivity / epsilon
    fresh = thresholds(scale)
    found: defaultdict[Path, float] = defaultdict(float)

    @cache
    def silent(queries: tuple[float, ...]) -> Array:
        """Return the chance that none is above, given the threshold."""
        return _laplace((fresh[:, None] - np.array(queries)) / (2 * scale)).prod(axis=1)

    @cache
    def leader(first: int, end: int) -> Array:
        return select(gains[first:end].sum(axis=0))

    def walk(
        t: int, phase: list[int], block: tuple[int, int], restarts: int, seen: Path, mass: Array
    ) -> None:
        """Go on from before round t, given the phase's plays, its block's length and rounds so far."""
        if mass.mean() < _RARE:
            return
        if t == horizon:
            found[seen] += float(mass.mean())
            return
        plays, began = phase, t + 1 - len(phase)
        # the last of `phase` is the play of round t
        regrets = []
        for rounds in windows(len(plays)):
            own = sum(float(gains[s, plays[s - began]]) for s in range(t + 1 - rounds, t + 1))
            regrets.append(
                float(gains[t + 1 - rounds : t + 1].sum(axis=0).max()) - own - float(limits[rounds])
            )
        quiet = mass * silent(tuple(regrets))
        ended = float((mass - quiet).mean())
        length, elapsed = block
        new = np.full(n, 1 / n)
        if elapsed + 1 == length:
            begin(t, plays, (2 * length, 0), restarts, seen, quiet, leader(t + 1 - length, t + 1))
        else:
            begin(t, plays, (length, elapsed + 1), restarts, seen, quiet, np.eye(n)[plays[-1]])
        anew = np.full(_NODES, ended)
        if printed:
            # The round that ends a phase is the first of the next one: its block of one round is over.
            begin(t, [plays[-1]], (2, 0), restarts + 1, seen, anew, leader(t, t + 1))
        else:
            begin(t, [], (1, 0), restarts + 1, seen, anew, new)

    def begin(
        t: int, plays: list[int], block: tuple[int, int], restarts: int, seen: Path, mass: Array, law: Array
    ) -> None:
        for expert in np.flatnonzero(law).tolist():
            then = (*seen, expert + n * restarts) if t + 1 in ends else seen
            walk(t + 1, [*plays, expert], block, restarts, then, mass * law[expert])

    begin(-1, [], (1, 0), 0, (), np.ones(_NODES), np.full(n, 1 / n))
    return dict(found)


def of_rounds(law: Mapping[Path, float], rounds: Sequence[int]) -> dict[int, float]:
    """Return the law of some rounds' outcomes, as one number with two digits for each."""
    marginal: defaultdict[int, float] = defaultdict(float)
    for path, chance in law.items():
        marginal[code([path[t] for t in rounds])] += chance
    return dict(marginal)


def code(outcomes: Sequence[int]) -> int:
    """Return one number that has two digits for each outcome."""
    return sum(outcome * 100**place for place, outcome in enumerate(reversed(outcomes)))


def all_windows(end: int) -> list[int]:
    """Return the numbers of rounds of all windows that end with a phase's round."""
    return [*range(1, end + 1)]


def dyadic_windows(end: int, shortest: int) -> list[int]:
    """Return those of the blocks of 2^k rounds that end there; the first of each size lacks a round.

    Blocks are at least `shortest`, as shorter ones are below their threshold whatever happens.
    """
    sizes = [2**k for k in range(12) if 2**k >= shortest and (end + 1) % 2**k == 0]
    return [size - 1 if size == end + 1 else size for size in sizes]
