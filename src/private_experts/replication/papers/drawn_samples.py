"""Whether what a program really drew has the law that is stated. [verdicts.md#drawn-noise]

A formula says how much noise protects; only samples of a program say how much it draws. They come from the
object that `play` runs, and where numbers are compared one by one from a part of it alone as well: reports
less true gains, published sums less true ones, published actions. Five comparisons turn them into points of a
claim:

- `noise_points`: continuous noise against its law in every round, its scale, and its independence over
  rounds, experts and copies;
- `law_points`: published outcomes against their exact law, outcome by outcome;
- `event_points`: the event that speaks most against their law, which half of the copies teach;
- `attack_points`: the level that a test between two neighbouring streams reaches on published outcomes;
- `digit_points`: numbers that are drawn against those of a second generator, one by one.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import ndtr, ndtri

from private_experts.arrays import Array, Bools, Ints
from private_experts.privacy.guarantees import ApproximateDP, GaussianDP, PureDP
from private_experts.privacy.noise import SecureNoise
from private_experts.randomness import rng_for
from private_experts.replication.ledger.evidence import Grid, Point, labelled
from private_experts.replication.study.intervals import clopper_pearson, dkw, mean_interval
from private_experts.replication.study.tied import all_equal

Comparison = Callable[..., Iterator[Point]]  # one of the four, but for the number of all of them, `cells`
Mechanism = Callable[[Grid, int, int], Iterator[Point]]  # from grid, copies and seed to the points of one
# By mechanism, from a seed: what is drawn, and what should be.
Digits = Mapping[str, Callable[[int], Iterable[tuple[ArrayLike, ArrayLike]]]]
_ROUNDING = 1e-9


def mechanisms(comparisons: Mapping[str, Callable[[int, int], Iterable[Comparison]]]) -> dict[str, Mechanism]:
    """Return the points of each mechanism, given the comparisons of its plays by copies and seed.

    Intervals hold jointly over the mechanisms that the grid names.
    """
    return {name: partial(_of_one, name, plays) for name, plays in comparisons.items()}


def _of_one(
    name: str,
    plays: Callable[[int, int], Iterable[Comparison]],
    grid: Grid,
    copies: int,
    seed: int,
) -> Iterator[Point]:
    several = [*plays(copies, seed)]
    cells = len(several) * len(grid["mechanism"])
    yield from labelled("mechanism", {name: [point for one in several for point in one(cells=cells)]})


class Law(NamedTuple):
    """A continuous law with median 0. Jobs are short, and scipy.stats takes a second to load."""

    cdf: Callable[[Array], Array]
    mean_size: float


def of_tail(upper_tail: Callable[[Array], Array], mean_size: float) -> Law:
    """Return a symmetric law by its upper tail, which is asked for from 0 on."""

    def cdf(x: Array) -> Array:
        tail = upper_tail(np.abs(x))
        return np.where(x < 0, tail, 1 - tail)

    return Law(cdf, mean_size)


NORMAL = Law(ndtr, math.sqrt(2 / math.pi))
LAPLACE = of_tail(lambda x: np.exp(-x) / 2, 1.0)
UNIFORM = Law(lambda x: np.clip(x + 0.5, 0.0, 1.0), 0.25)  # from -1/2 to 1/2


def noise_points(
    where: Mapping[str, Any], noise: Array, law: Law, *, slack: float, cells: int = 1
) -> Iterator[Point]:
    """Compare standardised noise (copies, rounds, coordinates) with its law.

    In every round the Kolmogorov-Smirnov distance and the mean size relative to the law's are within `slack`
    of 0 and 1. The signs of two rounds, of two coordinates, of neighbouring copies and of both halves of the
    copies agree in half of the cases, up to half of `slack`. So does whether sizes of two rounds are above
    their median, for noise that is reused with fresh signs. Intervals hold jointly over this call and
    `cells - 1` others of its size.

    Yields
    ------
    Point
        With the aspect ("law", "size", "rounds", "sizes", "coordinates", "copies", "halves") and its place.
    """
    copies, rounds, coordinates = noise.shape
    pairs_of_rounds = list(combinations(range(rounds), 2))
    pairs_of_coordinates = list(combinations(range(coordinates), 2))
    intervals = cells * (4 * rounds + 2 * len(pairs_of_rounds) + len(pairs_of_coordinates))
    band, mean_size = dkw(copies * coordinates, intervals), law.mean_size

    def agreement(aspect: str, place: str, first: Bools, second: Bools) -> Point:
        agrees = int(np.count_nonzero(first == second))
        low, high = (float(end) for end in clopper_pearson(agrees, first.size, intervals))
        where_seen = {**where, "aspect": aspect, "place": place}
        return _around(where_seen, agrees / first.size, 0.5, low, high, slack / 2)

    # Compared many times, so each round's are next to each other in memory.
    signs = np.ascontiguousarray((noise > 0).swapaxes(0, 1))
    for t, positive in enumerate(signs):
        of_round, place = noise[:, t].ravel(), f"round {t + 1}"
        distance = _distance(law.cdf(np.sort(of_round)))
        least = max(distance - band, 0.0)
        yield Point({**where, "aspect": "law", "place": place}, distance, slack, least, distance + band)
        size, low, high = (size / mean_size for size in _mean_size(of_round, intervals))
        yield _around({**where, "aspect": "size", "place": place}, size, 1.0, low, high, slack)
        yield agreement("copies", place, positive[0 : copies - 1 : 2], positive[1:copies:2])
        yield agreement("halves", place, positive[: copies // 2], positive[(copies + 1) // 2 :])
    sizes = abs(noise)
    large = np.ascontiguousarray((sizes > np.median(sizes, axis=(0, 2), keepdims=True)).swapaxes(0, 1))
    for s, t in pairs_of_rounds:
        place = f"rounds {s + 1} and {t + 1}"
        yield agreement("rounds", place, signs[s], signs[t])
        yield agreement("sizes", place, large[s], large[t])
    of_coordinates = np.ascontiguousarray(np.moveaxis(signs, 2, 0))
    for i, j in pairs_of_coordinates:
        place = f"coordinates {i + 1} and {j + 1}"
        yield agreement("coordinates", place, of_coordinates[i], of_coordinates[j])


def _mean_size(noise: Array, intervals: int) -> tuple[float, float, float]:
    """Return the mean size of noise and its interval: one number where sizes are equal, as without noise."""
    sizes = abs(noise)
    once = float(sizes[0])
    mean, low, high = (once, once, once) if all_equal(sizes) else mean_interval(sizes, 0, intervals)
    return float(mean), float(low), float(high)


def _distance(levels: Array) -> float:
    """Return the Kolmogorov-Smirnov distance of a sample, given its law's levels at its sorted values."""
    steps = np.arange(levels.size + 1) / levels.size
    return float(max((steps[1:] - levels).max(), (levels - steps[:-1]).max()))


def _around(
    where: dict[str, Any], value: float, centre: float, low: float, high: float, slack: float
) -> Point:
    """Return the point that a value in an interval is at most `slack` from a centre."""
    ends = sorted((abs(low - centre), abs(high - centre)))
    least = 0.0 if low <= centre <= high else ends[0]
    return Point(where, abs(value - centre), slack, least, ends[1], notes={"measured": value})


def law_points(
    where: Mapping[str, Any], outcomes: Ints, law: Mapping[int, float], *, slack: float, cells: int = 1
) -> Iterator[Point]:
    """Compare published outcomes (copies,) with their exact law: each probability is within `slack`.

    An outcome that the law lacks has probability 0.
    """
    values, counts = np.unique(outcomes, return_counts=True)
    seen = dict(zip(values.tolist(), counts.tolist(), strict=True))
    every = sorted({*seen, *law})
    for outcome in every:
        count = seen.get(outcome, 0)
        low, high = (float(end) for end in clopper_pearson(count, outcomes.size, cells * len(every)))
        place = {**where, "aspect": "outcome", "place": str(outcome)}
        yield _around(place, count / outcomes.size, law.get(outcome, 0.0), low, high, slack)


def copy_points(
    where: Mapping[str, Any], plays: Ints, alike: Array, *, slack: float, cells: int = 1
) -> Iterator[Point]:
    """Compare plays (T, copies): two copies agree in round t with probability ``alike[t]``, up to `slack`.

    Compared are neighbouring copies, and both halves of the copies; each pair in one round, which may be the
    only one. Each of the two comparisons is one of `cells`.
    """
    half = plays.shape[1] // 2
    turns = np.arange(half) % len(plays)
    expected = float(alike[turns].mean())
    evens, lower = 2 * np.arange(half), np.arange(half)
    for which, first, second in (
        ("neighbouring copies", evens, evens + 1),
        ("both halves of the copies", lower, lower + half),
    ):
        agree = (plays[turns, first] == plays[turns, second]).astype(np.int64)
        law = {0: 1 - expected, 1: expected}
        place = {**where, "rounds": f"{where.get('rounds', '')} of {which}".lstrip()}
        yield from law_points(place, agree, law, slack=slack, cells=cells)


def event_points(
    where: Mapping[str, Any], outcomes: Ints, law: Mapping[int, float], *, slack: float, cells: int = 1
) -> Iterator[Point]:
    """Compare outcomes (copies,) or (copies, rounds of one law) with their law by an event of many of them.

    Where outcomes are many and seldom, each is near its probability under another law too. Half of the copies
    teach the event, which is all outcomes that they have more often than the law says. On the other half
    its probability is within `slack` of the law's. So a law that is further away in total variation is found,
    but for what half of the copies do not yet show.
    """
    taught, measured = outcomes[::2], outcomes[1::2]
    values, counts = np.unique(taught, return_counts=True)
    stated = np.array([law.get(value, 0.0) for value in values.tolist()])
    more = counts > stated * taught.size
    expected = float(stated[more].sum())
    hits = np.isin(measured, values[more])
    low, high = (float(end) for end in clopper_pearson(hits.sum(), hits.size, cells))
    place = {**where, "aspect": "event", "place": "learnt from half of the copies"}
    yield _around(place, float(hits.mean()), expected, low, high, slack)


def attack_points(
    where: Mapping[str, Any],
    first: Ints,
    second: Ints,
    guarantee: GaussianDP | PureDP | ApproximateDP,
    *,
    least: float,
    most: float = 1.2,
    cells: int = 1,
) -> Iterator[Point]:
    """Attack published outcomes of two neighbouring streams, each (copies,) or (copies, rounds alike).

    Half of the copies teach the attacker which outcomes speak for the second stream; the level that this
    test reaches is measured on the other half. It is at most `most` times the guarantee's, and at least
    `least` times: with ``least`` above ``most / 2`` half the noise would be seen.

    Yields
    ------
    Point
        The level reached against both bounds, as shares of the guarantee's level.
    """
    accused = _likelier(first[::2], second[::2], guarantee)
    hits = [np.isin(side[1::2], accused) for side in (second, first)]
    low, high = clopper_pearson([hit.sum() for hit in hits], [hit.size for hit in hits], 2 * cells)
    level, lowest, highest = (
        _level(float(true), float(false), guarantee) / _stated(guarantee)
        for true, false in (
            (hits[0].mean(), hits[1].mean()),
            (low[0], high[1]),
            (high[0], low[1]),
        )
    )
    if np.isin(np.concatenate([first, second]), accused).all():
        level = lowest = highest = 0.0  # who always accuses proves nothing
    place = {**where, "aspect": "attack"}
    yield Point({**place, "place": "level allowed"}, level, most, lowest, highest)
    yield Point({**place, "place": "level reached"}, level, least, lowest, highest, ">=")


def twins(seed: int, *key: str | int) -> tuple[np.random.Generator, np.random.Generator]:
    """Return two generators that draw the same numbers: one for a program, one for what it should make."""
    return rng_for(seed, "digits", *key), rng_for(seed, "digits", *key)


def secure_source(draw: Callable[[int, str], Array]) -> SecureNoise:
    """Return a secure source whose numbers are given, by how many and by their law: all but OpenDP's part."""
    source = object.__new__(SecureNoise)  # which needs no OpenDP

    def with_noise(values: Array, scale: float, law: str = "gaussian") -> Array:
        return values + scale * draw(values.size, law).reshape(values.shape)

    vars(source).update(_with_noise=with_noise)
    return source


def digit_points(digits: Digits, grid: Grid, seed: int) -> Iterator[Point]:
    """Compare what mechanisms draw, number by number, with what is stated of a second generator's numbers.

    No number differs but by rounding, where samples would not show a twentieth less noise, a later round, a
    few copies or many experts. That the generator's numbers are independent is taken for granted here.
    """
    for name in grid["mechanism"]:
        if name not in digits:
            continue
        apart = [
            np.abs(np.subtract(drawn, stated, dtype=np.float64)).max() for drawn, stated in digits[name](seed)
        ]
        away = float(np.nan_to_num(np.max(apart), nan=np.inf))
        # Last bits differ from processor to processor.
        where = {"mechanism": name, "aspect": "digits", "place": "largest difference"}
        yield Point(where, round(away, 9), _ROUNDING)


def _stated(guarantee: GaussianDP | PureDP | ApproximateDP) -> float:
    return guarantee.mu if isinstance(guarantee, GaussianDP) else guarantee.epsilon


def _level(true: float, false: float, guarantee: GaussianDP | PureDP | ApproximateDP) -> float:
    """Return the level that a test proves by its true and false alarms; at least 0."""
    true = true - guarantee.delta if isinstance(guarantee, ApproximateDP) else true
    if true <= false:
        return 0.0
    if isinstance(guarantee, GaussianDP):
        return float(ndtri(true) - ndtri(false))
    return math.log(true / false) if false > 0 else math.inf


def _likelier(first: Ints, second: Ints, guarantee: GaussianDP | PureDP | ApproximateDP) -> Ints:
    """Return the outcomes that the attacker holds against the second stream.

    Outcomes are sorted by their likelihood ratio. Of the sets that begin there it is the one that proves the
    highest level, by intervals, so that rare outcomes do not win by chance.
    """
    values, places = np.unique(np.concatenate([first.ravel(), second.ravel()]), return_inverse=True)
    sides = np.split(places, [first.size])
    counts = np.array([np.bincount(side, minlength=values.size) for side in sides])
    order = np.argsort((counts[0] + 1.0) / (counts[1] + 1.0), kind="stable")
    sums = counts[:, order].cumsum(axis=1)
    false = clopper_pearson(sums[0], first.size)[1]
    true = clopper_pearson(sums[1], second.size)[0]
    levels = [_level(t, f, guarantee) for t, f in zip(true.tolist(), false.tolist(), strict=True)]
    chosen: Ints = values[order[: int(np.argmax(levels)) + 1]]
    return chosen
