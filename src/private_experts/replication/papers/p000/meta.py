"""RW-Meta: the covariance of its extra noise, and the eigenvalue in its regret's bound. [000, Theorem 3]"""

from collections.abc import Iterator
from itertools import groupby, product
from typing import Any, Literal

import numpy as np

from private_experts.algorithms.decorrelation import Decorrelation
from private_experts.arrays import Array, Indices
from private_experts.randomness import rng_for
from private_experts.replication.balls import matrices
from private_experts.replication.balls.balls import ball, largest, near, precision
from private_experts.replication.balls.boxes import at_point
from private_experts.replication.balls.matrices import Matrix, centred, largest_entry, leadings, matrix
from private_experts.replication.ledger.evidence import Grid, Point

_PROJECTIONS: tuple[Literal["sigma-star", "centred"], ...] = ("sigma-star", "centred")


def agreement(actions: Indices) -> Array:
    """Return sum_s A_s of learners' actions (T, m): in how many rounds each pair of learners agreed."""
    return (actions[:, :, None] == actions[:, None, :]).sum(axis=0).astype(np.float64)


def actions_of(structure: str, horizon: int, m: int, rng: np.random.Generator) -> Indices:
    """Return learners' actions (T, m) of a given structure."""
    if structure == "orthogonal":
        return np.tile(np.arange(m), (horizon, 1))
    if structure == "cliques":
        return np.tile(np.arange(m) % 2, (horizon, 1))
    if structure == "one-apart":
        # One learner apart: Sigma*'s eigenvalue grows like sqrt(m) here, and the centred one stays below 2.
        return np.tile((np.arange(m) == m - 1).astype(np.intp), (horizon, 1))
    return rng.integers(0, max(m // 2, 2), (horizon, m))


def leading(matrix: Array) -> float:
    """Return the largest eigenvalue."""
    return float(np.linalg.eigvalsh(matrix)[-1])


def partitions(total: int, largest: int | None = None) -> Iterator[list[int]]:
    """Yield the integer partitions of `total`: the sizes of cliques."""
    if total == 0:
        yield []
    for part in range(min(total, largest or total), 0, -1):
        for rest in partitions(total - part, part):
            yield [part, *rest]


def cliques(sizes: list[int]) -> Array:
    """Return the agreement matrix of learners in cliques of these sizes, in one round."""
    labels = np.repeat(np.arange(len(sizes)), sizes)
    return (labels[:, None] == labels).astype(np.float64)


def shifted_exactly(sigma: Array, projection: str) -> Matrix:
    """Return Sigma* or the centred matrix, for a Sigma of whole numbers: m^2 times each is whole."""
    m, rows, total = len(sigma), sigma.sum(axis=1), sigma.sum()
    if projection == "sigma-star":
        # Divided last: until then all numbers are whole and balls have no radius.
        return matrix(m * m * sigma - total) / (m * m)
    return matrix(m * m * sigma - m * (rows + rows[:, None]) + total) / (m * m)


def _instances(grid: Grid, seed: int) -> Iterator[tuple[dict[str, Any], Array]]:
    for structure, m in product(grid["structure"], grid["m"]):
        # The others have nothing random, so a second instance would be the same.
        for number in range(grid["instances"] if structure == "random" else 1):
            rng = rng_for(seed, "agreement", structure, m, number)
            yield (
                {"structure": structure, "m": m, "instance": number},
                agreement(actions_of(structure, 20, m, rng)),
            )


class UnitVectors:
    """In a generator's place: repetition r gets the r-th unit vector, so draws show the factor used."""

    def standard_normal(self, shape: tuple[int, ...]) -> Array:
        """Return unit vectors, shape (..., repetitions, m, 1)."""
        return np.broadcast_to(np.eye(shape[-2])[: shape[-3], :, None], shape)


def factor_of(rule: Decorrelation, sigma: Array, t: int) -> Matrix:
    """Return the matrix by which the code multiplies standard normals for the extra noise of a round."""
    m = len(sigma)
    return matrix(rule.draw(np.broadcast_to(sigma, (m, m, m)), t, UnitVectors()))  # type: ignore[arg-type]


def rw_meta_noise(grid: Grid, seed: int) -> list[Point]:
    """The extra noise y_t has covariance c I - S, which is positive semidefinite, with c >= 2t.

    The covariance is computed in balls from the factor by which the code multiplies standard normals.
    [mathematics/000.md#rw-meta-noise]
    """
    points = []
    for where, sigma in _instances(grid, seed):
        for projection in _PROJECTIONS:
            rule = Decorrelation(projection=projection)
            with precision():
                shifted = shifted_exactly(sigma, projection)
                eigenvalue = matrices.leading(shifted)
                # Below its floor the level is 2t whatever the eigenvalue, so one round alone would test one
                # branch.
                for t in (3, 1000):  # floors below the eigenvalue, and above it
                    factor = factor_of(rule, sigma, t)
                    level = largest([eigenvalue, ball(2 * t)])
                    # Relative, as entries grow with t.
                    error = (
                        largest_entry(
                            factor.transpose() * factor + shifted - level * matrix(np.eye(where["m"]))
                        )
                        / level
                    )
                    points.append(
                        at_point({**where, "projection": projection, "t": t}, error, ball(grid["tolerance"]))
                    )
    return points


def rw_meta_law(grid: Grid, seed: int) -> list[Point]:
    """Up to a common shift, the noise of the totals plus y_t has covariance c I, for either projection.

    That is so if the difference of Sigma and the library's matrix, centred, is 0. The value is its largest
    entry over c.
    """
    points = []
    for where, sigma in _instances(grid, seed):
        for projection in _PROJECTIONS:
            shifted = Decorrelation(projection=projection).covariance(sigma)
            level = max(leading(shifted), 1.0)
            with precision():
                # A common shift of all learners' totals changes no choice: only what is left after centring
                # counts.
                error = largest_entry(centred(matrix(sigma) - matrix(shifted)))
                points.append(
                    at_point({**where, "projection": projection}, error / level, ball(grid["tolerance"]))
                )
    return points


def lambda_extremes(grid: Grid) -> list[Point]:
    """The eigenvalue of Theorem 3 is at most m/2, over all ways to split m learners into cliques.

    It is convex in Sigma, a sum over rounds, so fixed cliques are the worst case.
    [mathematics/000.md#lambda-worst-case]
    """
    rule, points = Decorrelation(), []
    for m in grid["m"]:
        with precision():
            values = {
                tuple(sizes): matrices.leading(matrix(rule.covariance(cliques(sizes))))
                for sizes in partitions(m)
            }
            sizes = max(values, key=lambda sizes: near(values[sizes]))
            notes = {"cliques": "+".join(map(str, sizes))}
            # A margin for the library's matrix, which is rounded; at two equal cliques the bound is attained.
            points.append(at_point({"m": m}, largest(values.values()), ball(m) / 2 + 1e-9, notes))
    return points


def lambda_best_case(grid: Grid, seed: int) -> list[Point]:
    """The eigenvalue is 1 when all learners always differ and m/2 for two equal cliques."""
    rule, points = Decorrelation(), []
    for m in grid["m"]:
        for structure, expected in (("orthogonal", 1.0), ("cliques", m / 2)):
            sigma = agreement(actions_of(structure, 1, m, rng_for(seed)))
            with precision():
                error = abs(matrices.leading(matrix(rule.covariance(sigma))) - expected)
                points.append(at_point({"m": m, "structure": structure}, error, ball(grid["tolerance"])))
    return points


def centring_is_tighter(grid: Grid, seed: int) -> list[Point]:
    """Centring needs no more noise: lambda_max is no larger than Sigma*'s. [mathematics/000.md#centring]"""
    star, centring = Decorrelation(), Decorrelation(projection="centred")
    points = []
    for _, same in groupby(_instances(grid, seed), key=lambda pair: (pair[0]["structure"], pair[0]["m"])):
        places, sigmas = zip(*same, strict=True)
        ends = [leadings(rule.covariance(np.array(sigmas))) for rule in (centring, star)]
        with precision():
            for where, *numbers in zip(places, *(end.tolist() for pair in ends for end in pair), strict=True):
                low, high, star_low, star_high = numbers
                points.append(at_point(where, ball(low, high), ball(star_low, star_high) + 1e-9))
    return points
