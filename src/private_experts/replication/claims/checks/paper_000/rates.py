"""Table 1, the rate of RW-FTPL: what it promises is reached up to a constant. [000, Table 1 and Section 3]

[mathematics/000.md#table-1]
"""

import math
from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import log_ndtr

from private_experts.replication.claims.evidence import Point

Array = NDArray[np.float64]
_NODES, _WEIGHTS = np.polynomial.hermite_e.hermegauss(80)


def regret_of_leader(n: int, horizon: int, eta: float, gaps: Array) -> Array:
    """Return RW-FTPL's expected regret when one expert gains more than all others by each of the gaps, in each round.

    The best expert leads the totals before round t with probability E Phi(N + gap (t - 1) / (eta sqrt t))^(n - 1).
    By Gauss-Hermite quadrature.
    """
    t = np.arange(1, horizon + 1)
    ahead = np.multiply.outer(gaps, (t - 1) / (eta * np.sqrt(t)))
    leads = np.exp((n - 1) * log_ndtr(ahead[..., None] + _NODES)) @ (_WEIGHTS / math.sqrt(2 * math.pi))
    return gaps * (1 - leads).sum(axis=1)


def rate_attained(grid: Mapping[str, Any], repetitions: int, seed: int) -> list[Point]:
    """On some stream the regret is at least a fixed share of eta sqrt(2 T log n), for every n, T and mu.

    The noise is that of gains in [0, 1] at level mu, eta = sqrt(n) / mu. The streams have one better expert; its
    advantage is tried at several multiples of eta sqrt(log n / T), as far as gains in [0, 1] allow it.
    """
    points = []
    for n, horizon, mu in product(grid["n"], grid["T"], grid["mu"]):
        eta = math.sqrt(n) / mu
        gaps = np.minimum(np.array(grid["multiple"]) * eta * math.sqrt(math.log(n) / horizon), 1.0)
        shares = regret_of_leader(n, horizon, eta, gaps) / (eta * math.sqrt(2 * horizon * math.log(n)))
        where = {"n": n, "T": horizon, "mu": mu}
        notes = {"gap": float(gaps[shares.argmax()])}
        points.append(Point(where, float(shares.max()), grid["share"], sense=">=", notes=notes))
    return points
