"""The last round's eigenvector as a start for this round's. [000, Appendix A.1]

[mathematics/000.md#warm-start]
"""

import math
from collections.abc import Iterator
from typing import Literal

import numpy as np

from private_experts.algorithms.decorrelation import Decorrelation
from private_experts.arrays import Array
from private_experts.replication.balls.balls import ball, upper
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.balls.matrices import leadings
from private_experts.replication.balls.sums import gamma
from private_experts.replication.ledger.evidence import Grid, Point

# How much of the eigenvalue a start can miss at most, in units of eta^2 m, by projection.
_MISSED: dict[Literal["sigma-star", "centred"], float] = {"sigma-star": 1 / math.sqrt(2), "centred": 0.5}
_EQUAL = 1e-9  # eigenvalues that differ by a smaller share of the largest are equal but for rounding errors


def set_partitions(m: int) -> Iterator[list[int]]:
    """Yield all ways in which m learners can agree: the label of each learner's group."""

    def longer(labels: list[int], groups: int) -> Iterator[list[int]]:
        if len(labels) == m:
            yield labels
            return
        for label in range(groups + 1):
            yield from longer([*labels, label], max(groups, label + 1))

    return longer([], 0)


def warm_start(cells: Grid) -> list[Point]:
    """The last eigenvector's Rayleigh quotient is within so many eta^2 m of the new leading eigenvalue.

    All pairs of a past agreement and a new one are tried, and several weights of the past. The value is the
    largest distance over m and the noise variance of the round, from an eigenvalue with proved bounds.
    """
    points = []
    for m in cells["m"]:
        agree = np.array(
            [[[a == b for b in labels] for a in labels] for labels in set_partitions(m)], dtype=np.float64
        )
        for projection, most in _MISSED.items():
            # One round's term; eta^2 is a common factor and left out.
            change = Decorrelation(projection=projection).covariance(agree)
            for weight in cells["weight"]:
                after = weight * change[:, None] + change
                # Where several eigenvectors lead, the claim must hold for whichever the code has kept: hence
                # the worst.
                start = worst_leading(weight * change, after)
                quotient = np.einsum("abi,abij,abj->ab", start, after, start) / np.square(start).sum(axis=-1)
                # A matrix has two roundings, of numbers up to `size`. A sum of m^2 products has m^2 + 2, the
                # norm below it m, and three more follow. Twice the bound is for both of what are subtracted.
                size = np.sqrt(
                    np.square(np.abs(weight * change[:, None]) + np.abs(change)).sum(axis=(-2, -1))
                )
                off = 1.01 * upper(gamma(m**2 + m + 10)) * size
                least, greatest = leadings(after)
                missed = ball(*((end - quotient + 2 * off).max() / m for end in (least - 4 * off, greatest)))
                where = {"projection": projection, "m": m, "weight": weight}
                points.append(at_point(where, missed, ball(most + 1e-9)))
    return points


def worst_leading(before: Array, after: Array) -> Array:
    """Return each matrix's (a, m, m) leading eigenvector that fits each matrix after it (a, b, m, m) least.

    Where the leading eigenvalue is a multiple one, rounding errors would choose among its eigenvectors.
    """
    values, vectors = np.linalg.eigh(before)
    leading = values >= values[:, -1:] - _EQUAL * values.max()
    basis = vectors * leading[:, None]
    within = np.einsum("aik,abij,ajl->abkl", basis, after, basis)
    # The other eigenvectors are lifted above, so that the least eigenvalue is of the leading space.
    # above all within
    outside = np.where(leading[:, None], 0.0, 1.0 + np.linalg.norm(after, axis=(-2, -1))[..., None])
    least = np.linalg.eigh(within + outside[..., None] * np.eye(before.shape[-1]))[1][..., 0]
    worst: Array = np.einsum("aik,abk->abi", basis, least)
    return worst
