"""The two penalties of Appendix A.10 apart: what the noise costs, and what playing one step behind costs.

[mathematics/000.md#penalties]
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from private_experts.algorithms.decorrelation import Decorrelation
from private_experts.arrays import Array
from private_experts.games.streams import STREAMS
from private_experts.replication.balls.balls import (
    Ball,
    ball,
    largest,
    log,
    normal_density,
    pi,
    precision,
    sqrt,
    upper,
)
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.balls.matrices import leading, matrix
from private_experts.replication.balls.normal_tables import WIDTH, cdf, density, stride, trapezoidal
from private_experts.replication.balls.sums import NORMAL, compound, gamma, rounded, signed
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.certified_gaps import products_of_others

_REACH = 9.0  # of integrals, in scales


def potential(totals: Array, scales: Array) -> tuple[Array, Array, Array]:
    """Return E max_i (G_i + s N_i), its gradient, and both errors, for totals (T, m) with scales s > 0.

    Seen from the largest total and in units of s, the mean is the sum over leaders i of integrals of ``x
    phi(x - a_i) prod_{j != i} Phi(x - a_j)``, and without x the gradient, the law of the leader. Errors are
    of the mean, and of all entries of a law together.
    """
    m, cells = totals.shape[1], stride(totals.shape[1])
    step, count = cells * WIDTH, math.ceil(2 * _REACH / (cells * WIDTH)) + 1
    # Relative to the leader: totals grow with T, and their differences would be lost in the tables' range.
    top = totals.max(axis=1)
    starts = (-_REACH - (totals - top[:, None]) / scales[:, None]).ravel()
    shape = (*totals.shape, count)
    below = cdf().rows(starts, count, cells).reshape(shape)
    leads = density().rows(starts, count, cells).reshape(shape) * products_of_others(below)
    x = -_REACH + step * np.arange(count)  # exact
    # The trapezoidal rule converges exponentially for such integrands; `trapezoidal` bounds what it leaves.
    law, first, size = (step * (leads * weight).sum(axis=2) for weight in (np.ones(count), x, np.abs(x)))
    # A start has two roundings, of numbers up to 40 if any entry of its row is neither 0 nor 1.
    inputs = (1 + compound(cdf().error(8), m - 1)) * (1 + density().error(8)) - 1
    rounding = upper((1 + gamma(2 * m + count + 8)) * (1 + inputs) - 1) * 1.001
    # The factor x is bounded on that height, too, above the real line, where the rule's error is bounded.
    height = 2 * pi() / (m * step)
    lost = ball(m) * m * count * _REACH * (cdf().lost + density().lost + 4 * NORMAL)
    # Outside, the best total or the leader is 9 scales off. The mean size of the largest is at most the sum
    # of all.
    outside = 4 * m * normal_density(ball(2 * step - _REACH)) + lost
    of_mean = upper(outside + trapezoidal(m, cells, m + height))
    of_law = upper(outside + m * trapezoidal(m, cells))
    mean = top + scales * first.sum(axis=1)
    # All roundings that follow are of numbers up to the mean and the top, and are counted with a margin.
    after = 2.0**-50 * (np.abs(top) + np.abs(mean) + m)
    errors = np.stack(
        [scales * (rounding * size.sum(axis=1) + of_mean) + after, rounding + of_law + 0 * top], axis=1
    )
    return mean, law, errors * (1 + 1e-9)


@dataclass(frozen=True)
class Penalties:
    """RW-Meta's regret in its parts, for actions fixed in advance; `off_*` says how far rounds are off."""

    over: Array  # the overestimation penalty of each round
    divergence: Array  # the divergence penalty of each round
    under: float  # the underestimation penalty
    scales: Array  # the deviation of the noise by which each round chooses, taken as it is
    off_over: Array
    off_divergence: Array


def penalties(gains: Array, sigma: Array) -> Penalties:
    """Return the penalties for learners' gains (T, m) and noise covariances (T, m, m) before each round."""
    horizon = gains.shape[0]
    rule = Decorrelation()
    scales = np.array([math.sqrt(rule.level(rule.covariance(sigma[t]), t + 1)) for t in range(horizon)])
    after = gains.cumsum(axis=0)
    before = after - gains
    here, law, off_here = potential(before, scales)
    reached, _, off_reached = potential(after, scales)
    earned = (law * gains).sum(axis=1)
    # Before the first round all totals are equal and no noise is drawn, so the potential is 0.
    known = np.concatenate([[0.0], reached[:-1]])  # with the noise of the round before
    off_known = np.concatenate([[0.0], off_reached[:-1, 0]])
    after_all = 2.0**-50 * (np.abs(here) + np.abs(reached) + np.abs(known) + gains.shape[1])
    best = float(after[-1].max())
    return Penalties(
        # The three parts telescope: over all rounds they add up to the regret, without any inequality.
        here - known,
        reached - here - earned,
        best - float(reached[-1]),
        scales,
        off_here[:, 0] + off_known + after_all,
        off_here[:, 0] + off_reached[:, 0] + off_here[:, 1] * gains.max(axis=1) + after_all,
    )


def _games(grid: Grid) -> Iterator[tuple[dict[str, Any], Penalties, Ball]]:
    """Yield games of learners with one action each, their penalties and eta^2 times the eigenvalue."""
    for structure, m, eta, stream in product(grid["structure"], grid["m"], grid["eta"], grid["stream"]):
        action = np.arange(m) % (2 if structure == "cliques" else m)
        agree = (action[:, None] == action).astype(np.float64)
        gains = STREAMS[stream](grid["T"], m)[:, action]
        sigma = eta**2 * agree * np.arange(grid["T"] + 1)[:, None, None]
        # Actions are fixed, so the matrix grows linearly with the rounds and one eigenvalue serves for all.
        eigenvalue = leading(matrix(Decorrelation().covariance(sigma[-1]))) / grid["T"]
        where = {"structure": structure, "m": m, "eta": eta, "stream": stream}
        yield where, penalties(gains, sigma[:-1]), eigenvalue


def overestimation(grid: Grid) -> list[Point]:
    """Overestimation penalties sum to at most max(sqrt(2T), the last scale) times sqrt(2 log m)."""
    points = []
    with precision():
        for where, parts, eigenvalue in _games(grid):
            last = sqrt(grid["T"]) * sqrt(largest([2, eigenvalue]))
            points.append(
                at_point(where, _total(parts.over, parts.off_over), last * sqrt(2 * log(where["m"])))
            )
    return points


def divergence(grid: Grid) -> list[Point]:
    """Each divergence penalty is at most sqrt(2 log m) over its scale, and their sum 2 sqrt(T log m).

    The round is shown whose penalty times its scale is the largest, with the largest product that any round
    may have.
    """
    points = []
    with precision():
        for where, parts, _ in _games(grid):
            least, most = (
                (parts.divergence + side * parts.off_divergence) * parts.scales for side in (-1, 1)
            )
            worst, scale = int(least.argmax()), ball(float(parts.scales[least.argmax()]))
            # Which round is the worst is not certain: the ball has to hold the product of whichever it is.
            product = rounded(float(least.max()), 2).union(rounded(float(most.max()), 2))
            value, most_of_round = product / scale, sqrt(2 * log(where["m"])) / scale
            points.append(at_point({**where, "what": f"round {worst + 1}"}, value, most_of_round))
            total = 2 * sqrt(grid["T"] * log(where["m"]))
            value = _total(parts.divergence, parts.off_divergence)
            points.append(at_point({**where, "what": "all rounds"}, value, total))
    return points


def _total(values: Array, off: Array) -> Ball:
    """Return a ball around a sum of numbers that are each known to an absolute error."""
    size = values.size
    apart = rounded(float(off.sum()), size)
    return signed(float(values.sum()), float(np.abs(values).sum()), size) + ball(
        -apart.upper(), apart.upper()
    )
