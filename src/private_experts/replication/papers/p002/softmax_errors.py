"""Errors of softmax selections, and regrets by blocks, as balls. [mathematics/002.md#softmax-errors]

For two actions whose gains are 0 or 1 the library computes the law of their difference in floats. What goes
in is rounded from balls here, so what comes out is off by a bounded share.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from private_experts.arrays import Array, Indices
from private_experts.games.streams import Mixture
from private_experts.replication.balls.balls import BITS, Ball, ball, exp, near, precision, square
from private_experts.replication.balls.sums import NORMAL, compound, floats, rounded
from private_experts.replication.papers.blocks import prefix_errors

CUT = 1e-30  # likelier ends of the law of a difference are kept, others are left out
_NOTHING = 750.0  # e to minus this is below the least normal float


def steps(kind: str, gap: Ball) -> list[Ball]:
    """Return the chances the first of two actions gains 1 more, as much, or 1 less, for some coins."""
    if kind == "independent":
        return [square(1 + gap) / 4, (1 - square(gap)) / 2, square(1 - gap) / 4]
    if kind == "opposed":
        return [(1 + gap) / 2, ball(0), (1 - gap) / 2]
    return {"alike": [gap, 1 - gap, ball(0)]}[kind]


@dataclass(frozen=True)
class Walk:
    """Chances of a draw of the worse of two actions after so many rounds, computed in floats."""

    chances: Array
    steps: int  # the most roundings on the way to one of them
    inputs: Ball  # the relative error of what went in
    lost: Ball  # how much each may be too small, because of what was left out

    def balls(self, gap: Ball) -> list[Ball]:
        """Return the errors: the chances times the gap."""
        factor, more = rounded(1.0, self.steps, self.inputs), ball(0, self.lost.upper())
        return [gap * factor * (chance + more) for chance in self.chances.tolist()]


@lru_cache(maxsize=16)
def _worse(beta: float, most: int) -> tuple[Array, Ball]:
    """Return the chances to draw the worse action when the better is ahead by -most to most; errors."""
    with precision(BITS):
        decay, weight = exp(-ball(beta)), ball(1)
        ahead, behind = [], []
        for _ in range(min(most, int(_NOTHING / beta)) + 1):
            # Both tails by themselves: as 1 - behind, the small one would lose its digits.
            behind.append(1 / (1 + weight))
            ahead.append(weight * behind[-1])
            weight *= decay
        chances, error = floats([*reversed(behind[1:]), *ahead])
        # What is beyond is 1, up to e^-750, or at most that.
        beyond = most + 1 - len(ahead)
        return np.concatenate([np.ones(beyond), chances, np.zeros(beyond)]), error + NORMAL


def walk(kind: str, gap: Ball, beta: float, lengths: Indices) -> Walk:
    """Return the chances of the worse of two actions under a softmax of rate beta, after so many rounds each.

    A step takes one product and two sums on any way to a probability, an expectation over at most ``2 r + 1``
    differences one product and ``2 r`` sums; two more products and a sum turn chances into costs and back. Of
    each step two numbers more at most are left out at the ends, each at most `CUT`.
    """
    most = int(lengths[-1])
    table, of_table = _worse(beta, most)
    chances, of_step = floats(steps(kind, gap))
    vectors, apart = np.array([[1.0, 0.0], [0.0, 0.0], [0.0, 1.0]]), float(near(gap))
    stream = Mixture(vectors, chances)
    shortfall = float(stream.means[0] - stream.means[1])
    # The stream's floats have a gap of their own, by which the library's cost is divided again.
    assert abs(shortfall - apart) < 1e-9

    def law(scores: Array, counts: Indices) -> Array:
        # The table replaces the library's law, and fits only scores in this order.
        assert scores[0, 0] == -most
        return np.stack([np.zeros_like(table), table], axis=1)

    worse = prefix_errors(law, stream, lengths) / shortfall
    # What the library cuts off the ends in each round, and what is too small for a float.
    lost = ball(2 * most + 2) * (CUT * 1.001) + 6 * ball(most + 1) * NORMAL / shortfall
    # The inputs' errors enter once for each step, as a probability is a product of `most` of them.
    return Walk(
        worse, 3 * most + 2 * most + 1 + 3 + 3, (1 + compound(of_step, most)) * (1 + of_table) - 1, lost
    )


def certain(n: int, gap: Ball, beta: Ball, most: int) -> list[Ball]:
    """Return the errors after 1, ..., `most` rounds without chance: n - 1 actions lose `gap` more."""
    decay, weight, errors = exp(-beta * gap), ball(n - 1), []
    for _ in range(most):
        weight *= decay
        # Weights relative to the best action's, which is 1: nothing overflows, however long the stream.
        errors.append(gap * weight / (1 + weight))
    return errors


def softmax_errors(kind: str, n: int, gap: float, beta: float, most: int) -> list[Ball]:
    """Return the errors after 1, ..., `most` rounds on a stream of `games.streams.KINDS` with equal gaps."""
    if kind == "deterministic":
        return certain(n, ball(gap), ball(beta), most)
    return walk(kind, ball(gap), beta, np.arange(1, most + 1)).balls(ball(gap))


def whole(length: int) -> int:
    """Return the shortest prefix of a block that whole blocks use."""
    return length


def prefix(length: int) -> int:
    """Return the shortest prefix of a block that the randomised prefix uses."""
    return length // 2 + 1


def by_block(
    first: Ball, errors: Sequence[Ball], blocks: int, shortest: Callable[[int], int] = prefix
) -> list[Ball]:
    """Return the expected errors of blocks: the first one's, means over prefixes of the one before."""
    means = [first]
    for m in range(blocks - 1):
        least, most = shortest(2**m), 2**m
        means.append(sum(errors[least - 1 : most], ball(0)) / (most - least + 1))
    return means


def regret(of_blocks: Sequence[Ball], horizon: int) -> Ball:
    """Return the regret over so many rounds: block m has 2^m of them. [mathematics/002.md#block-regret]"""
    rounds = (min(max(horizon - 2**m + 1, 0), 2**m) for m in range(len(of_blocks)))
    return sum((many * error for many, error in zip(rounds, of_blocks, strict=True)), ball(0))
