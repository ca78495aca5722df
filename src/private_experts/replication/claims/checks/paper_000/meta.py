"""RW-Meta: the covariance of its extra noise, and the eigenvalue in the bound of its regret. [000, Theorem 3]"""

from collections.abc import Iterator, Mapping
from itertools import product
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from private_experts.algorithms.rw_meta import Decorrelation
from private_experts.randomness import rng_for
from private_experts.replication.claims.certified.balls import Ball, ball, largest, precision, square
from private_experts.replication.claims.certified.boxes import at_point
from private_experts.replication.claims.evidence import Point, decide

Array = NDArray[np.float64]
_PROJECTIONS: tuple[Literal["sigma-star", "centred"], ...] = ("sigma-star", "centred")


def agreement(actions: NDArray[np.intp]) -> Array:
    """Return sum_s A_s of learners' actions (T, m): in how many rounds each pair of learners agreed."""
    return (actions[:, :, None] == actions[:, None, :]).sum(axis=0).astype(np.float64)


def actions_of(structure: str, horizon: int, m: int, rng: np.random.Generator) -> NDArray[np.intp]:
    """Return learners' actions (T, m) of a given structure."""
    if structure == "orthogonal":
        return np.tile(np.arange(m), (horizon, 1))
    if structure == "cliques":
        return np.tile(np.arange(m) % 2, (horizon, 1))
    if structure == "one-apart":
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


def _instances(grid: Mapping[str, Any], seed: int) -> Iterator[tuple[dict[str, Any], Array]]:
    for structure in grid["structure"]:
        for m in grid["m"]:
            for number in range(grid["instances"] if structure == "random" else 1):
                rng = rng_for(seed, "agreement", structure, m, number)
                yield {"structure": structure, "m": m, "instance": number}, agreement(actions_of(structure, 20, m, rng))


class _UnitVectors:
    """Takes the place of a generator. Repetition r gets the r-th unit vector, so draws show the factor used."""

    def standard_normal(self, shape: tuple[int, ...]) -> Array:
        return np.eye(shape[1])[: shape[0], :, None]


def rw_meta_noise(grid: Mapping[str, Any], repetitions: int, seed: int) -> list[Point]:
    """The extra noise y_t has covariance c I - S, which is positive semidefinite, with c >= 2t.

    The code multiplies standard normals by a factor. The covariance is computed from this factor.
    [mathematics/000.md#rw-meta-noise]
    """
    points = []
    for where, sigma in _instances(grid, seed):
        m = where["m"]
        for projection, t in product(_PROJECTIONS, (3, 1000)):  # floors below the eigenvalue, and above it
            rule = Decorrelation(floor=True, projection=projection)
            drawn = rule.draw(np.broadcast_to(sigma, (m, m, m)), t, _UnitVectors())  # type: ignore[arg-type]
            shifted = rule.covariance(sigma)
            level = max(2.0 * t, leading(shifted))
            error = np.abs(drawn.T @ drawn - (level * np.eye(m) - shifted)).max() / level
            points.append(Point({**where, "projection": projection, "t": t}, float(error), grid["tolerance"]))
    return points


def rw_meta_law(grid: Mapping[str, Any], repetitions: int, seed: int) -> list[Point]:
    """Up to a common shift, the noise of the totals plus y_t has covariance c I, for either projection."""
    points = []
    for where, sigma in _instances(grid, seed):
        m = where["m"]
        centring = np.eye(m) - 1 / m
        for projection in _PROJECTIONS:
            shifted = Decorrelation(projection=projection).covariance(sigma)
            level = leading(shifted)
            together = centring @ (sigma + level * np.eye(m) - shifted) @ centring
            error = np.abs(together - level * centring).max() / max(level, 1.0)
            points.append(Point({**where, "projection": projection}, float(error), grid["tolerance"]))
    return points


def lambda_extremes(grid: Mapping[str, Any], repetitions: int, seed: int) -> list[Point]:
    """The eigenvalue of Theorem 3 is at most m/2, over all ways to split m learners into cliques.

    It is convex in Sigma, and Sigma is a sum over rounds. So fixed cliques are the worst case for any sequence.
    [mathematics/000.md#lambda-worst-case]
    """
    rule, points = Decorrelation(), []
    for m in grid["m"]:
        values = {tuple(sizes): leading(rule.covariance(cliques(sizes))) for sizes in partitions(m)}
        sizes = max(values, key=lambda each: values[each])
        points.append(Point({"m": m}, values[sizes], m / 2 + 1e-9, notes={"cliques": "+".join(map(str, sizes))}))
    return points


def lambda_best_case(grid: Mapping[str, Any], repetitions: int, seed: int) -> list[Point]:
    """The eigenvalue is 1 when all learners always differ and m/2 for two equal cliques."""
    rule, points = Decorrelation(), []
    for m in grid["m"]:
        for structure, expected in (("orthogonal", 1.0), ("cliques", m / 2)):
            sigma = agreement(actions_of(structure, 1, m, rng_for(seed)))
            error = abs(leading(rule.covariance(sigma)) - expected)
            points.append(Point({"m": m, "structure": structure}, error, grid["tolerance"]))
    return points


def centring_is_tighter(grid: Mapping[str, Any], repetitions: int, seed: int) -> list[Point]:
    """lambda_max(P Sigma P) <= lambda_max(Sigma*): centring never needs more noise. [mathematics/000.md#centring]"""
    star, centred = Decorrelation(), Decorrelation(projection="centred")
    points = []
    for where, sigma in _instances(grid, seed):
        values = leading(centred.covariance(sigma)), leading(star.covariance(sigma))
        points.append(Point(where, values[0], values[1] + 1e-9))
    return points


def sigma_star_is_optimal(grid: Mapping[str, Any], repetitions: int, seed: int) -> list[Point]:
    """No common shift of Sigma allows a smaller level than Sigma* does, which is false. [mathematics/000.md#e000-2]

    Counterexamples are certified. The matrices are taken for the binary numbers that they are. In ball arithmetic the
    level of Sigma* is at least the Rayleigh quotient of its computed eigenvector. That of the centred matrix is at most
    its largest row sum of sizes, after a change of scales that leaves eigenvalues as they are.
    """
    star, centred = Decorrelation(), Decorrelation(projection="centred")
    points = []
    for sizes in grid["cliques"]:
        sigma = cliques(sizes)
        where = {"cliques": "+".join(map(str, sizes))}
        value, least = leading(star.covariance(sigma)), leading(centred.covariance(sigma))
        point = Point(where, value, least * (1 + 1e-9))
        with precision():
            certain = at_point(where, at_least(star.covariance(sigma)), at_most(centred.covariance(sigma)) * (1 + 1e-9))
        points.append(certain if decide([certain]) == "fails" else point)
    return points


def at_least(matrix: Array) -> Ball:
    """Return a number that the leading eigenvalue of a symmetric matrix is not below: a Rayleigh quotient."""
    vector = np.linalg.eigh(matrix)[1][:, -1].tolist()
    rows = [sum((ball(a) * b for a, b in zip(row, vector, strict=True)), ball(0)) for row in matrix.tolist()]
    along = sum((a * b for a, b in zip(rows, vector, strict=True)), ball(0))
    return along / sum((square(ball(b)) for b in vector), ball(0))


def at_most(matrix: Array) -> Ball:
    """Return a number that no eigenvalue of a matrix is above: a row sum of sizes (Gershgorin), in better scales.

    Scales are the sizes of the computed eigenvector and a little more, so that none is 0.
    """
    vector = np.abs(np.linalg.eigh(matrix)[1][:, -1])
    scales = (vector + 1e-9 * vector.max()).tolist()
    sums = [
        sum((abs(ball(a)) * b for a, b in zip(row, scales, strict=True)), ball(0)) / scale
        for row, scale in zip(matrix.tolist(), scales, strict=True)
    ]
    return largest(sums)
