"""When the random prefix helps: regret of whole blocks over that of random prefixes. [mathematics/002.md#whole-block]

The random prefix averages q_r over the second half of a block, and whole blocks use its last value.
"""

import math
from itertools import pairwise, product

import numpy as np

from private_experts.arrays import Array
from private_experts.games.blocks import block_regret, exact_errors
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import Ball, ball, exp, largest, near, precision, smallest
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.p002.error_potential import algorithm_of, instance
from private_experts.replication.papers.p002.every_prefix import NEAR, Errors, error_before, every_softmax_error, growth
from private_experts.replication.papers.p002.softmax_errors import by_block, regret, softmax_errors
from private_experts.replication.papers.p002.softmax_errors import prefix as prefix_of
from private_experts.replication.papers.p002.softmax_errors import whole as whole_of
from private_experts.replication.papers.p002.volatile import Volatile, block_errors, error
from private_experts.replication.papers.p002.volatile_balls import first_error, rival_errors, softmax_error

_ROUNDING = 1e-9  # of the library's regrets, relative
PREFIX, WHOLE, NOISY = "randomised prefix", "whole block", "noisy max"
# How far the regrets of the algorithms may be from balls, relative: they come from errors that are interpolated, or for
# report-noisy-max from sums with a wide bound on what is between nodes.
_SECOND = {PREFIX: 1e-6, WHOLE: 1e-6, NOISY: 0.03}


def _regrets(name: str, stream: Volatile, epsilon: float, horizons: list[int]) -> Array:
    algorithm = algorithm_of(name, stream.means.size, epsilon, rng_for(0))  # only its prefixes and its level are used
    return block_regret(block_errors(name, algorithm, stream, max(horizons).bit_length()), horizons)


def falling_errors(grid: Grid) -> list[Point]:
    """Where q_r falls, whole blocks have at most the regret of the random prefix, and at least half of it.

    That q_r falls is checked on every prefix that the longest horizon can use: no q_(r+1) exceeds q_r. What the library
    computes is compared with balls.
    """
    points, horizons = [], grid["T"]
    blocks = max(horizons).bit_length()
    most = 2 ** (blocks - 2)
    for where, kind, n, gap, epsilon in cells_of(grid, "kind, K, gap", "epsilon"):
        stream = instance(kind, n, gap)
        algorithms = [algorithm_of(name, 2, epsilon, rng_for(0)) for name in (PREFIX, WHOLE)]
        computed = [block_regret(exact_errors(each, stream, blocks), horizons).tolist() for each in algorithms]
        with precision():
            errors = softmax_errors(kind, n, gap, epsilon / 2, most)
            first = ball(gap) * (n - 1) / n
            rise = largest(after - before for before, after in pairwise(errors)) / errors[0]
            points.append(at_point({**where, "T": max(horizons), "what": "rise of q"}, rise, ball(grid["rounding"])))
            ours, whole = (by_block(first, errors, blocks, shortest) for shortest in (prefix_of, whole_of))
            for place, horizon in enumerate(horizons):
                at, exact = {**where, "T": horizon}, [regret(each, horizon) for each in (ours, whole)]
                quotient = exact[1] / exact[0]
                points.append(at_point({**at, "what": "at most"}, quotient, 1 + ball(grid["rounding"])))
                points.append(at_point({**at, "what": "at least"}, quotient, ball(0.5), sense=">="))
                wrong = largest(abs(each[place] / true - 1) for each, true in zip(computed, exact, strict=True))
                points.append(at_point({**at, "what": "library"}, wrong, ball(_ROUNDING)))
    return points


def rising_errors(grid: Grid) -> list[Point]:
    """With volatile actions q_r rises far above q_0, at least to the bound of Cauchy and Schwarz.

    The value is q_r / q_0. A bound of at most 1 would not say that q_r rises. The peaks are notes, in floating point.
    """
    points = []
    for cell in grid["cells"]:
        stream = Volatile(**{name: value for name, value in cell.items() if name != "epsilon"})
        start = float(stream.counts @ stream.shortfalls / stream.counts.sum())
        errors = {r: error(PREFIX, stream, cell["epsilon"], r) / start for r in [*grid["r"], *grid["peaks"]]}
        peak = max(errors, key=lambda r: errors[r])
        for r in grid["r"]:
            where, notes = {"K": int(stream.counts.sum()), **cell, "r": r}, {"peak": errors[peak], "at": peak}
            with precision():
                first = first_error(stream)
                least = ball(stream.gap) * least_share(stream, ball(cell["epsilon"]) / 2, r) / first
                value = softmax_error(stream, cell["epsilon"], r) / first
                points.append(at_point(where, value, least, notes, ">=", 1.0))
    return points


def least_share(stream: Volatile, beta: Ball, r: int) -> Ball:
    """Return a lower bound on the probability that a softmax after r rounds selects a volatile action.

    With the volatile actions' weights W and the others' S, E W / (S + W) is at least (E W)^2 / (S E W + E W^2).
    """
    n, best = stream.volatile, ball(stream.best)
    p = (best + stream.gap - stream.small) / (ball(float(stream.large)) - stream.small)

    def moment(rate: Ball) -> Ball:
        return ((1 - p) * exp(rate * (best - stream.small)) + p * exp(rate * (best - stream.large))) ** r

    mean, square = n * moment(beta), n * moment(2 * beta) + n * (n - 1) * moment(beta) ** 2
    others = 1 + stream.steady * exp(-beta * stream.near * r)
    return mean**2 / (others * mean + square)


def ahead(grid: Grid) -> list[Point]:
    """On these streams the random prefix has less regret than both of its comparators.

    The value is a comparator's regret over that of the random prefix, which balls are around. The regrets of the
    algorithms' own prefixes are compared with them, in floating point.
    """
    points, horizon = [], grid["T"]
    blocks = horizon.bit_length()
    for cell in grid["cells"]:
        stream = Volatile(**{name: value for name, value in cell.items() if name != "epsilon"})
        where, exact = {"K": int(stream.counts.sum()), **cell, "T": horizon}, {}
        for name in (PREFIX, WHOLE, NOISY):
            computed = float(_regrets(name, stream, cell["epsilon"], [horizon])[0])
            with precision():
                exact[name] = regret(rival_errors(name, stream, cell["epsilon"], blocks), horizon)
                apart = abs(computed / exact[name] - 1)
                points.append(at_point({**where, "comparator": f"{name}, second route"}, apart, ball(_SECOND[name])))
        for rival in (WHOLE, NOISY):
            with precision():
                notes = {"prefix": near(exact[PREFIX]), "rival": near(exact[rival])}
                points.append(
                    at_point({**where, "comparator": rival}, exact[rival] / exact[PREFIX], ball(1), notes, ">=")
                )
    return points


def when_it_helps(grid: Grid) -> list[Point]:
    """A map over gap and spread of the volatile actions: who is ahead early and late.

    The growth of a volatile action's weight in a round is phi = E exp(-beta X). Where log phi > 0 whole blocks have
    more regret at the horizon `early`, and less from `late` (spread / gap)^2 rounds on. Where log phi <= -beta near
    they never have more, and at least half. The errors of all prefixes are balls.
    """
    gaps = grid["gap"]

    def column(kind: tuple[int, int, float], width: float) -> list[list[Point]]:
        """Return the points of the two sides at one spread, for each gap."""
        steady, volatile, epsilon = kind
        with precision():
            lasts = {
                gap: max(grid["T"][-1], _late(grid, gap, width) if growth(epsilon / 2, gap, width) > 0 else 0)
                for gap in gaps
            }
            longest = {gap: 2 ** (last.bit_length() - 2) for gap, last in lasts.items()}
            errors = every_softmax_error(epsilon / 2, width, steady, volatile, longest)
            return [_sides(grid, kind, gap, width, lasts[gap], errors[gap]) for gap in gaps]

    kinds, widths = grid["steady, volatile, epsilon"], grid["spread"]
    columns = {(tuple(kind), width): column(kind, width) for kind, width in product(kinds, widths)}
    order = product(kinds, range(len(gaps)), widths)
    return [point for kind, place, width in order for point in columns[tuple(kind), width][place]]


def _late(grid: Grid, gap: float, width: float) -> int:
    """Return the first end of a block from which whole blocks are said to be ahead."""
    return int(2 ** math.ceil(math.log2(grid["late"] * (width / gap) ** 2 + 1)) - 1)


def _sides(
    grid: Grid, kind: tuple[int, int, float], gap: float, width: float, last: int, errors: Errors
) -> list[Point]:
    """Return the points of the two sides at one place of the map."""
    steady, volatile, epsilon = kind
    horizons = [2**m - 1 for m in range(4, last.bit_length() + 1)]  # up to T = 7 the two are the same algorithm
    first, of_blocks = error_before(gap, steady, volatile), {}
    for name in (PREFIX, WHOLE):
        algorithm = algorithm_of(name, 2, epsilon, rng_for(0))  # only its prefixes are used
        lengths = 2 ** np.arange(last.bit_length() - 1)
        pairs = zip(algorithm.shortest_prefix(lengths).tolist(), lengths.tolist(), strict=True)
        of_blocks[name] = [first, *(errors.mean(*pair) for pair in pairs)]
    found = {T: regret(of_blocks[WHOLE], T) / regret(of_blocks[PREFIX], T) for T in horizons}
    most = max(found, key=lambda T: near(found[T]))
    rate, strictly = ball(epsilon) / 2, ball(grid["rounding"])
    log_phi = growth(epsilon / 2, gap, width)
    where = {"steady": steady, "volatile": volatile, "epsilon": epsilon, "gap": gap, "spread": width}
    notes = {"log_phi": near(log_phi), "largest": near(found[most]), "largest_at": most}
    notes |= {f"at_{T}": near(found[T]) for T in grid["T"]}
    if log_phi > 0:
        late = _late(grid, gap, width)
        end = largest(found[T] for T in horizons if late <= T)
        return [
            at_point({**where, "side": "early"}, found[grid["early"]], 1 + strictly, notes, ">="),
            at_point({**where, "side": "late"}, end, 1 - strictly, {**notes, "late": late}),
        ]
    if log_phi <= -rate * gap / NEAR:
        return [
            at_point({**where, "side": "at most"}, largest(found.values()), 1 - strictly, notes),
            at_point({**where, "side": "at least"}, smallest(found.values()), ball(0.5), notes, ">="),
        ]
    # the theory says nothing here, and so does the claim
    raise ValueError(f"gap {gap} and spread {width} lie between the two sides; choose others")
