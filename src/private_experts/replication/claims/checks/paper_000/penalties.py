"""The two penalties of Appendix A.10 apart: what the noise costs, and what playing one step behind costs.

[mathematics/000.md#penalties]
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr, ndtr

from private_experts.algorithms.rw_meta import Decorrelation
from private_experts.games.streams import STREAMS
from private_experts.replication.claims.evidence import Point

Array = NDArray[np.float64]
Grid = Mapping[str, Any]

_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(160)


def potential(totals: Array, scales: Array) -> tuple[Array, Array]:
    """Return E max_i (G_i + s N_i) and its gradient, for each row of totals (T, m) with its scale s > 0.

    By Gauss-Legendre quadrature over 9 scales on either side of the largest total; absolute errors are below 1e-10 s.
    """
    top = totals.max(axis=1)
    x = top[:, None] + 9 * scales[:, None] * _NODES
    u = (x[:, :, None] - totals[:, None, :]) / scales[:, None, None]
    logs = log_ndtr(u)
    below = logs.sum(axis=2)
    mean = top - 9 * scales + 9 * scales * (-np.expm1(below) @ _WEIGHTS)
    densities = np.exp(below[:, :, None] - logs - u**2 / 2) / math.sqrt(2 * math.pi)
    return mean, 9 * np.einsum("k,tki->ti", _WEIGHTS, densities)


@dataclass(frozen=True)
class Penalties:
    """The regret of RW-Meta in its parts, for actions fixed in advance.

    Parameters
    ----------
    over, divergence : ndarray, shape (T,)
        The overestimation and the divergence penalty of each round.
    under : float
        The underestimation penalty.
    regret : float
        The expected regret against the best learner.
    scales : ndarray, shape (T,)
        Standard deviation of the noise by which each round chooses.
    """

    over: Array
    divergence: Array
    under: float
    regret: float
    scales: Array


def penalties(gains: Array, sigma: Array) -> Penalties:
    """Return the penalties for the learners' gains (T, m) and covariances of the noise before each round (T, m, m)."""
    horizon = gains.shape[0]
    rule = Decorrelation()
    scales = np.array([math.sqrt(rule.level(rule.covariance(sigma[t]), t + 1)) for t in range(horizon)])
    after = gains.cumsum(axis=0)
    before = after - gains
    here, law = potential(before, scales)
    reached, _ = potential(after, scales)
    earned = (law * gains).sum(axis=1)
    known = np.concatenate([[0.0], reached[:-1]])  # with the noise of the round before
    best = float(after[-1].max())
    return Penalties(here - known, reached - here - earned, best - float(reached[-1]), best - earned.sum(), scales)


def _games(grid: Grid) -> Iterator[tuple[dict[str, Any], Penalties, float]]:
    """Yield games of learners that keep to one action each, with their penalties and eta^2 times the eigenvalue."""
    for structure, m, eta, stream in product(grid["structure"], grid["m"], grid["eta"], grid["stream"]):
        action = np.arange(m) % (2 if structure == "cliques" else m)
        agree = (action[:, None] == action).astype(np.float64)
        gains = STREAMS[stream](grid["T"], m)[:, action]
        sigma = eta**2 * agree * np.arange(grid["T"] + 1)[:, None, None]
        eigenvalue = float(np.linalg.eigvalsh(Decorrelation().covariance(sigma[-1]))[-1]) / grid["T"]
        where = {"structure": structure, "m": m, "eta": eta, "stream": stream}
        yield where, penalties(gains, sigma[:-1]), eigenvalue


def overestimation(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The overestimation penalties add up to at most the larger of sqrt(2T) and the last scale, times sqrt(2 log m)."""
    points = []
    for where, parts, eigenvalue in _games(grid):
        last = math.sqrt(grid["T"]) * max(math.sqrt(2), math.sqrt(eigenvalue))
        points.append(Point(where, float(parts.over.sum()), last * math.sqrt(2 * math.log(where["m"]))))
    return points


def divergence(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """Each divergence penalty is at most sqrt(2 log m) over its scale, and all together at most 2 sqrt(T log m)."""
    points = []
    for where, parts, _ in _games(grid):
        each = math.sqrt(2 * math.log(where["m"])) / parts.scales
        worst = int((parts.divergence / each).argmax())
        points.append(
            Point({**where, "what": f"round {worst + 1}"}, float(parts.divergence[worst]), float(each[worst]))
        )
        total = 2 * math.sqrt(grid["T"] * math.log(where["m"]))
        points.append(Point({**where, "what": "all rounds"}, float(parts.divergence.sum()), total))
    return points


def decomposition(grid: Grid, repetitions: int, seed: int) -> list[Point]:
    """The regret is the sum of the three penalties, and the underestimation penalty is never positive.

    Second route to the regret, for two learners: the closed form of the leader's law.
    """
    points = []
    for where, parts, _ in _games(grid):
        points.append(Point({**where, "what": "underestimation"}, parts.under, 0.0))
        total = float(parts.over.sum() + parts.divergence.sum() + parts.under)
        if where["m"] == 2:
            gains = STREAMS[where["stream"]](grid["T"], 2)
            before = gains.cumsum(axis=0) - gains
            first = ndtr((before[:, 0] - before[:, 1]) / (math.sqrt(2) * parts.scales))
            closed = gains.sum(axis=0).max() - float((first * gains[:, 0] + (1 - first) * gains[:, 1]).sum())
            points.append(Point({**where, "what": "sum"}, abs(total - closed), grid["tolerance"]))
    return points
