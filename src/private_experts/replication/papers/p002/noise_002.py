"""What the leaders of dyadic blocks really select. [verdicts.md#drawn-noise]

All samples are actions that are published in a play. Laws are computed here, and not by the library's own
functions: softmax by its definition, noisy maxima by numerical integration, prefixes and coin flips by
enumeration.
"""

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from itertools import combinations, pairwise, product
from typing import Literal

import numpy as np

from private_experts.algorithms.bernoulli_resampled import BernoulliResampled
from private_experts.algorithms.dyadic_leader import DyadicLeader
from private_experts.algorithms.interface import Algorithm
from private_experts.algorithms.randomized_prefix import RandomizedPrefix
from private_experts.arrays import Array, Ints
from private_experts.games.play import play
from private_experts.privacy.guarantees import PureDP
from private_experts.privacy.selection import exponential_mechanism, laplace_report_noisy_max
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.drawn_samples import (
    Comparison,
    attack_points,
    digit_points,
    law_points,
    mechanisms,
)
from private_experts.replication.papers.p002.digits_002 import DIGITS

EPSILON = 4.0
GUARANTEE = PureDP(EPSILON, "central")
SLACK = 0.02  # of the probability of an outcome
RARE = 0.001  # of the probability that an action changes within a block
LEAST = 0.65  # of epsilon, which an attack reaches at least
BLOCKS = (1, 2, 4, 8)  # their first rounds, and their lengths
_STEP = 0.01  # of integrals; kinks at scores in tenths lie on it
UNIT = 100.0  # of the scores for the functions alone
ALONE, SLACK_ALONE = 6000, 0.05  # draws one by one, which need not be more to show half the noise
PART = 2000  # copies that play at once; larger arrays would leave the processor's cache
MANY = 10  # experts under attack: with few of them no selection gives away much of epsilon

Law = Mapping[int, float]
Selection = Literal["laplace", "gumbel"]
SELECTIONS: tuple[Selection, ...] = ("laplace", "gumbel")
Make = Callable[[int, int, np.random.Generator], Algorithm]  # of experts and copies

# Of three experts, in tenths. The last round of a block of 4 turns the lead, so that prefixes differ.
_FOUR = [[9, 7, 3], [6, 8, 2], [8, 3, 4], [0, 10, 5]]
COINS = np.tile([0.6, 0.4, 0.1], (15, 1))  # flips that experts share would show
# For the blocks of 16 rounds and more: the lead turns in a block's second half, so that prefixes differ
# there.
LATER_BLOCKS = (16, 32)
LONG = (
    np.concatenate(
        [
            [[6, 5, 5]],
            *[np.repeat([[6, 5, 5], [5, 7, 5]], half, axis=0) for half in (1, 2, 4, 8)],
            [[5, 5, 5]],
        ]
    )
    / 10
)
STREAM = np.array([[5, 4, 1], [6, 1, 3], [2, 7, 5], *_FOUR * 3]) / 10


# --- laws ---------------------------------------------------------------------------------------------------


def softmax_law(scores: Sequence[float]) -> Array:
    """Return the exponential mechanism's law at the rate EPSILON / 2."""
    weights = np.exp(EPSILON / 2 * np.asarray(scores))
    return np.asarray(weights / weights.sum())


@cache
def noisy_max_law(scores: tuple[float, ...]) -> Array:
    """Return the law of the largest score under Laplace noise of scale 2 / EPSILON: the trapezoidal rule."""
    scale = 2 / EPSILON
    x = np.arange(min(scores) - 20 * scale, max(scores) + 20 * scale, _STEP)[:, None]
    away = (x - np.asarray(scores)) / scale
    tail = np.exp(-np.abs(away)) / 2
    below = np.where(away < 0, tail, 1 - tail)
    # At every step another score is the largest: its density, times that all others lie below.
    return np.array(
        [(tail[:, i] * np.delete(below, i, axis=1).prod(axis=1)).sum() for i in range(len(scores))]
    ) * (_STEP / scale)


LAWS: dict[str, Callable[[tuple[float, ...]], Array]] = {"laplace": noisy_max_law, "gumbel": softmax_law}


def _block_laws(stream: Array, select: Callable[[Array], Array]) -> list[Array]:
    """Return the law of each block's action, by a function of the gains of the block before."""
    starts = [0, *(2 * start - 1 for start in BLOCKS)]
    first = np.full(stream.shape[1], 1 / stream.shape[1])
    return [first, *(select(stream[a:b]) for a, b in pairwise(starts[: len(BLOCKS)]))]


def _whole(law: Callable[[tuple[float, ...]], Array], gains: Array) -> Array:
    return law(tuple(gains.sum(axis=0).round(9).tolist()))


def _prefixes(gains: Array) -> Array:
    """Return the law averaged over prefixes that end in the second half."""
    lengths = range(len(gains) // 2 + 1, len(gains) + 1)
    return np.asarray(
        np.mean([softmax_law(gains[:length].sum(axis=0).tolist()) for length in lengths], axis=0)
    )


def _flipped(law: Callable[[tuple[float, ...]], Array], gains: Array) -> Array:
    """Return the law averaged over coin flips whose means are the gains."""
    totals = []
    for means in gains.T:
        masses = np.ones(1)
        for mean in means:
            masses = np.convolve(masses, [1 - mean, mean])
        totals.append(masses)
    average = np.zeros(len(totals))
    for scores in product(*(range(masses.size) for masses in totals)):
        share = math.prod(float(masses[score]) for masses, score in zip(totals, scores, strict=True))
        average += share * law(tuple(float(score - min(scores)) for score in scores))
    return average


def _parts(copies: int) -> list[int]:
    return [min(PART, copies - start) for start in range(0, copies, PART)]


def _played(
    make: Make, n: int, copies: int, rng: np.random.Generator, stream: Array, *, of_each: bool = False
) -> Ints:
    """Return the actions (rounds, copies) of plays in parts; `of_each` tells each copy gains of its own."""

    def gains(part: int) -> Array:
        return np.broadcast_to(stream[:, None], (len(stream), part, n)) if of_each else stream

    return np.concatenate([play(make(n, part, rng), gains(part)) for part in _parts(copies)], axis=1)


def _halves(of_copies: Ints) -> tuple[Ints, Ints]:
    """Return what belongs to the first half of each part's copies, and to the second."""
    parts = np.split(of_copies, np.cumsum(_parts(of_copies.size))[:-1])
    halves = [(part[: part.size // 2], part[(part.size + 1) // 2 :]) for part in parts]
    return np.concatenate([lower for lower, _ in halves]), np.concatenate([upper for _, upper in halves])


# --- comparisons --------------------------------------------------------------------------------------------


def _law_of_plays(where: Mapping[str, str], actions: Ints, laws: Sequence[Array]) -> Iterator[Comparison]:
    """Compare actions (rounds, copies): each block keeps its action, and selections are independent."""
    n = laws[0].size
    for m, start in enumerate(BLOCKS):
        block = actions[start - 1 : 2 * start - 1]
        kept = (block == block[0]).all(axis=0).astype(np.int64)
        yield partial(law_points, {**where, "of": f"block {m + 1}, kept"}, kept, {1: 1.0}, slack=RARE)
        first, second = _halves(block[0])
        for which, two in (
            ("two copies", block[0, 0:-1:2] * n + block[0, 1::2]),
            ("copies of both halves", first * n + second),
        ):
            place = {**where, "of": f"block {m + 1} of {which}"}
            yield partial(law_points, place, two, _joint(laws[m], laws[m]), slack=SLACK)
    for i, j in combinations(range(len(BLOCKS)), 2):
        two = actions[BLOCKS[i] - 1] * n + actions[BLOCKS[j] - 1]
        place = {**where, "of": f"blocks {i + 1} and {j + 1}"}
        yield partial(law_points, place, two, _joint(laws[i], laws[j]), slack=SLACK)


def _joint(first: Array, second: Array) -> Law:
    return {i * second.size + j: float(p * q) for i, p in enumerate(first) for j, q in enumerate(second)}


def _attacks(
    where: Mapping[str, str], make: Make, copies: int, random: Callable[..., np.random.Generator]
) -> Iterator[Comparison]:
    """Attack the selection at the start of each block but the first, by the gains of one round before it."""
    for start in BLOCKS[1:]:
        sides = []
        for side in (0, 1):
            stream = np.zeros((start, MANY))
            # The first round of the block before, which every prefix counts.
            stream[start // 2 - 1] = 1 - side
            stream[start // 2 - 1, 0] = side
            sides.append(_played(make, MANY, copies, random("attack", start, side), stream)[-1])
        place = {**where, "of": f"selection of round {start}"}
        yield partial(attack_points, place, sides[0], sides[1], GUARANTEE, least=LEAST)


def _selections(
    name: str,
    make: Make,
    select: Callable[[Array], Array],
    copies: int,
    seed: int,
    *,
    stream: Array = STREAM,
    of_each: bool = False,
    **where: str,
) -> Iterator[Comparison]:
    def random(*key: str | int) -> np.random.Generator:
        return rng_for(seed, "drawn noise", name, *where.values(), copies, *key)

    actions = _played(make, stream.shape[1], copies, random("law"), stream, of_each=of_each)
    yield from _law_of_plays(where, actions, _block_laws(stream, select))
    yield from _attacks(where, make, copies, random)


def _later_blocks(
    name: str, make: Make, select: Callable[[Array], Array], copies: int, seed: int, **where: str
) -> Iterator[Comparison]:
    """Compare the selections of rounds 16 and 32, each from the gains of the block before."""
    rng = rng_for(seed, "drawn noise", name, *where.values(), copies, "later blocks")
    n = LONG.shape[1]
    actions = _played(make, n, copies, rng, LONG)
    kept = (actions[15:31] == actions[15]).all(axis=0).astype(np.int64)
    yield partial(law_points, {**where, "of": "block 5, kept"}, kept, {1: 1.0}, slack=RARE)
    first, second = (select(LONG[start // 2 - 1 : start - 1]) for start in LATER_BLOCKS)
    for block, law, chosen in ((5, first, actions[15]), (6, second, actions[31])):
        place = {**where, "of": f"block {block} of two copies"}
        two = chosen[0:-1:2] * n + chosen[1::2]
        yield partial(law_points, place, two, _joint(law, law), slack=SLACK)
    two = actions[15] * n + actions[31]
    yield partial(law_points, {**where, "of": "blocks 5 and 6"}, two, _joint(first, second), slack=SLACK)


# --- mechanisms ---------------------------------------------------------------------------------------------


def dyadic_leader(copies: int, seed: int) -> Iterator[Comparison]:
    """Selections by Laplace and by Gumbel noise."""
    for selection in SELECTIONS:

        def make(
            n: int, copies: int, rng: np.random.Generator, selection: Selection = selection
        ) -> DyadicLeader:
            return DyadicLeader(n, GUARANTEE, rng=rng, repetitions=copies, selection=selection)

        law = partial(_whole, LAWS[selection])
        yield from _selections("dyadic leader", make, law, copies, seed, selection=selection)
        yield from _later_blocks("dyadic leader", make, law, copies, seed, selection=selection)


def randomized_prefix(copies: int, seed: int) -> Iterator[Comparison]:
    """Selections from prefixes of random length."""

    def make(n: int, copies: int, rng: np.random.Generator) -> RandomizedPrefix:
        return RandomizedPrefix(n, GUARANTEE, rng=rng, repetitions=copies)

    def moving(n: int, copies: int, rng: np.random.Generator) -> RandomizedPrefix:
        return RandomizedPrefix(n, GUARANTEE, rng=rng, repetitions=copies, moves_at_most_1=True)

    yield from _selections("randomized prefix", make, _prefixes, copies, seed, selection="gumbel")
    actions = _played(moving, 3, copies, rng_for(seed, "drawn noise", "prefix, any gains", copies), STREAM)
    any_gains = {"selection": "gumbel", "gains": "any"}
    yield from _law_of_plays(any_gains, actions, _block_laws(STREAM, _prefixes))
    yield from _later_blocks("randomized prefix", make, _prefixes, copies, seed, selection="gumbel")


def bernoulli_resampled(copies: int, seed: int) -> Iterator[Comparison]:
    """Selections on coin flips; gains that are 0 or 1 stay as they are, and so the attack is the same.

    With Gumbel noise each copy has gains of its own.
    """
    for selection in SELECTIONS:

        def make(
            n: int, copies: int, rng: np.random.Generator, selection: Selection = selection
        ) -> BernoulliResampled:
            inner = DyadicLeader(n, GUARANTEE, rng=rng, repetitions=copies, selection=selection)
            return BernoulliResampled(n, inner, rng=rng, repetitions=copies)

        law = partial(_flipped, LAWS[selection])
        yield from _selections(
            "resampled",
            make,
            law,
            copies,
            seed,
            stream=COINS,
            of_each=selection == "gumbel",
            selection=selection,
        )


def noisy_maximum(copies: int, seed: int) -> Iterator[Comparison]:
    """The function alone, on scores in another unit than 1."""
    draw = partial(laplace_report_noisy_max, scale=2 / EPSILON * UNIT)
    yield from _alone("laplace", draw, copies, seed)


def softmax(copies: int, seed: int) -> Iterator[Comparison]:
    """The function alone, on scores in another unit than 1."""
    yield from _alone("gumbel", partial(exponential_mechanism, rate=EPSILON / 2 / UNIT), copies, seed)


def _alone(selection: str, draw: Callable[..., Ints], copies: int, seed: int) -> Iterator[Comparison]:
    scores = (0.3, 1.1, 0.8)
    rows = np.tile(np.array(scores) * UNIT, (2, copies, 1))
    law = LAWS[selection](scores)
    drawn = draw(rows, rng=rng_for(seed, "drawn noise", "selection", selection, copies))
    for of, two in (
        ("two rows", drawn[:, 0:-1:2] * 3 + drawn[:, 1::2]),
        ("two arrays of one call", drawn[:1] * 3 + drawn[1:]),
    ):
        place = {"selection": selection, "of": of}
        yield partial(law_points, place, two.ravel(), _joint(law, law), slack=SLACK)
    # A user draws from the scores of one row.
    rng = rng_for(seed, "drawn noise", "selection", selection, copies, "alone")
    alone = np.array([draw(rows[0, 0], rng=rng) for _ in range(ALONE)])
    place = {"selection": selection, "of": "one row"}
    yield partial(law_points, place, alone, dict(enumerate(law.tolist())), slack=SLACK_ALONE)


MECHANISMS = mechanisms(
    {
        "DyadicLeader": dyadic_leader,
        "RandomizedPrefix": randomized_prefix,
        "BernoulliResampled": bernoulli_resampled,
        "laplace_report_noisy_max": noisy_maximum,
        "exponential_mechanism": softmax,
    }
)


def drawn_noise(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Compare the actions of each mechanism in plays with their stated law, and attack them."""
    plays = [point for name in grid["mechanism"] for point in MECHANISMS[name](grid, repetitions, seed)]
    return [*plays, *digit_points(DIGITS, grid, seed)]
