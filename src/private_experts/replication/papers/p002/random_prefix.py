"""Regret of whole blocks over random prefixes', in rows of `whole_blocks`. [mathematics/002.md#whole-block]

The randomised prefix averages q_r over the second half of a block, and whole blocks use its last value.
"""

from itertools import pairwise

from private_experts.arrays import Array
from private_experts.randomness import rng_for
from private_experts.replication.balls.balls import ball, largest, near, precision
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.ledger.grid_cells import cells_of
from private_experts.replication.papers.blocks import block_regret, exact_errors
from private_experts.replication.papers.p002.error_potential import algorithm_of, instance
from private_experts.replication.papers.p002.softmax_errors import by_block, regret, softmax_errors
from private_experts.replication.papers.p002.softmax_errors import prefix as prefix_of
from private_experts.replication.papers.p002.softmax_errors import whole as whole_of
from private_experts.replication.papers.p002.volatile import Volatile, block_errors
from private_experts.replication.papers.p002.volatile_balls import rival_errors

_ROUNDING = 1e-9  # of the library's regrets, relative
PREFIX, WHOLE, NOISY = "randomised prefix", "whole block", "noisy max"
# How far the regrets of the algorithms may be from balls, relative: they come from errors that are
# interpolated, or for report-noisy-max from sums with a wide bound on what is between nodes.
_SECOND = {PREFIX: 1e-6, WHOLE: 1e-6, NOISY: 0.03}


def _regrets(name: str, stream: Volatile, epsilon: float, horizons: list[int]) -> Array:
    # only its prefixes and its level are used
    algorithm = algorithm_of(name, stream.means.size, epsilon, rng_for(0))
    return block_regret(block_errors(name, algorithm, stream, max(horizons).bit_length()), horizons)


def falling_errors(cells: Grid) -> list[Point]:
    """Where q_r falls, whole blocks have at most the randomised prefix's regret, and at least half of it.

    That q_r falls is checked on every prefix that the longest horizon can use: no q_(r+1) exceeds q_r. What
    the library computes is compared with balls.
    """
    points, horizons = [], cells["T"]
    blocks = max(horizons).bit_length()
    # No block longer than this is read before the last horizon ends.
    most = 2 ** (blocks - 2)
    for where, kind, n, gap, epsilon in cells_of(cells, "kind, K, gap", "epsilon"):
        stream = instance(kind, n, gap)
        algorithms = [algorithm_of(name, 2, epsilon, rng_for(0)) for name in (PREFIX, WHOLE)]
        computed = [
            block_regret(exact_errors(algorithm, stream, blocks), horizons).tolist()
            for algorithm in algorithms
        ]
        with precision():
            errors = softmax_errors(kind, n, gap, epsilon / 2, most)
            first = ball(gap) * (n - 1) / n
            # Relative to the first error: late errors are far below the rounding of the early ones.
            rise = largest(after - before for before, after in pairwise(errors)) / errors[0]
            longest = {**where, "T": max(horizons), "what": "rise of q"}
            points.append(at_point(longest, rise, ball(cells["rounding"])))
            prefixes = by_block(first, errors, blocks, prefix_of)
            whole_blocks = by_block(first, errors, blocks, whole_of)
            for place, horizon in enumerate(horizons):
                at = {**where, "T": horizon}
                exact = [regret(of_blocks, horizon) for of_blocks in (prefixes, whole_blocks)]
                quotient = exact[1] / exact[0]
                points.append(at_point({**at, "what": "at most"}, quotient, 1 + ball(cells["rounding"])))
                points.append(at_point({**at, "what": "at least"}, quotient, ball(0.5), sense=">="))
                wrong = largest(abs(own[place] / true - 1) for own, true in zip(computed, exact, strict=True))
                points.append(at_point({**at, "what": "library"}, wrong, ball(_ROUNDING)))
    return points


def ahead(cells: Grid) -> list[Point]:
    """On these streams the randomised prefix has less regret than both of its comparators.

    The value is a comparator's regret over the randomised prefix's, which balls are around. The regrets of
    the algorithms' own prefixes are compared with them, in floating point.
    """
    points, horizon = [], cells["T"]
    blocks = horizon.bit_length()
    for cell in cells["cells"]:
        stream = Volatile(**{name: value for name, value in cell.items() if name != "epsilon"})
        where, exact = {"K": int(stream.counts.sum()), **cell, "T": horizon}, {}
        for name in (PREFIX, WHOLE, NOISY):
            computed = float(_regrets(name, stream, cell["epsilon"], [horizon])[0])
            with precision():
                exact[name] = regret(rival_errors(name, stream, cell["epsilon"], blocks), horizon)
                apart = abs(computed / exact[name] - 1)
                second = {**where, "comparator": f"{name}, second route"}
                points.append(at_point(second, apart, ball(_SECOND[name])))
        for rival in (WHOLE, NOISY):
            with precision():
                notes = {"prefix": near(exact[PREFIX]), "rival": near(exact[rival])}
                points.append(
                    at_point(
                        {**where, "comparator": rival}, exact[rival] / exact[PREFIX], ball(1), notes, ">="
                    )
                )
    return points
