"""RW-FTPL as a case of RW-Meta: as many learners as experts, each of which always names its own expert.

[mathematics/000.md#special-case]
"""

import math
from collections.abc import Iterator
from itertools import product
from typing import Any

import numpy as np

from private_experts.algorithms.decorrelation import Decorrelation
from private_experts.replication.balls.balls import Ball, ball, precision
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.balls.matrices import Matrix, centred, largest_entry, matrix
from private_experts.replication.ledger.evidence import Grid, Point
from private_experts.replication.papers.p000.meta import factor_of


def choice_variance(n: int, eta: float, t: int) -> Matrix:
    """Return the covariance, up to a shift, of t - 1 reports' noise and RW-Meta's extra noise together."""
    sigma = eta**2 * (t - 1) * np.eye(n)
    rows = factor_of(Decorrelation(), sigma, t)
    # Centred: the two noises differ by a common shift, which no leader depends on.
    return centred(matrix(sigma) + rows.transpose() * rows)


def apart(n: int, eta: float, t: int, variance: float) -> Ball:
    """Return how far RW-Meta's choice in round t is from a leader's with noise of this variance, relative."""
    expected = centred(matrix(variance * np.eye(n)))
    return largest_entry(choice_variance(n, eta, t) - expected) / variance


def same_choice(grid: Grid) -> list[Point]:
    """For eta = sqrt 2 RW-Meta chooses by the law of RW-FTPL's leader, whose noise has variance eta^2 t.

    For larger noise it ends up choosing by the totals of the reports alone, with variance eta^2 (t - 1): from
    round eta^2 / (eta^2 - 2) on, when the floor 2t is no longer active. Covariances are computed from the
    code's factors.
    """
    tolerance = ball(grid["tolerance"])
    with precision():
        return [
            at_point(where, apart(**where, variance=variance), tolerance) for where, variance in _cases(grid)
        ]


def _cases(grid: Grid) -> Iterator[tuple[dict[str, Any], float]]:
    """Yield numbers of experts, scales and rounds with the variance that is claimed."""
    for n, t in product(grid["n"], grid["t"]):
        # At eta^2 = 2 the noise has just the floor's variance: t - 1 reports and one more make 2t.
        yield {"n": n, "eta": math.sqrt(2), "t": t}, 2.0 * t
        for eta in grid["eta"]:
            if t >= eta**2 / (eta**2 - 2):
                yield {"n": n, "eta": eta, "t": t}, eta**2 * (t - 1)
