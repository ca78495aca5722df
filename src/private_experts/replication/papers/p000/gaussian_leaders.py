"""What leaders of Gaussian sums publish: noise made independent, exact laws of two rounds, the best attack.

Everything follows from one covariance of the noise over the rounds, which the caller derives on paper.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations
from typing import Any

import numpy as np
from scipy.special import ndtr

from private_experts.arrays import Array, Indices
from private_experts.privacy.guarantees import GaussianDP
from private_experts.replication.ledger.evidence import Point
from private_experts.replication.papers.drawn_samples import attack_points, copy_points, law_points

_BINS = 4.0  # cells of the attack's statistic in one standard deviation
_FAR = 9.0  # normals below minus this are too rare for a float
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)


def whitened(noise: Array, covariances: Array) -> Array:
    """Turn noise (copies, rounds, n) into independent standard normals, if it has these covariances.

    They are of shape (rounds, rounds) for all coordinates, or (n, rounds, rounds).
    """
    _, rounds, n = noise.shape
    factors = np.linalg.inv(np.linalg.cholesky(np.broadcast_to(covariances, (n, rounds, rounds))))
    return np.stack([noise[:, :, i] @ factors[i].T for i in range(n)], axis=-1)


def pair_points(
    where: Mapping[str, Any], actions: Indices, gaps: Array, covariance: Array, *, slack: float, cells: int
) -> Iterator[Point]:
    """Compare actions (T, copies) of two experts with their law, in every two rounds.

    Expert 0 is played in round t when ``gaps[t]`` plus noise of this covariance is positive. Neighbouring
    copies, and both halves of the copies, play alike as often as independent ones do.
    """
    scores = gaps / np.sqrt(np.diag(covariance))
    chances, rounds = ndtr(scores), len(actions)
    pairs = [*combinations(range(rounds), 2)]
    share = cells * (len(pairs) + 2)  # pairs of rounds, and two comparisons of copies
    for s, t in pairs:
        correlation = covariance[s, t] / np.sqrt(covariance[s, s] * covariance[t, t])
        both = _both_below(scores[s], scores[t], correlation)
        law = {0: both, 1: chances[s] - both, 2: chances[t] - both, 3: 1 - chances[s] - chances[t] + both}
        place = {**where, "rounds": f"{s + 1} and {t + 1}"}
        yield from law_points(place, 2 * actions[s] + actions[t], law, slack=slack, cells=share)
    alike = chances**2 + (1 - chances) ** 2
    yield from copy_points(where, actions, alike, slack=2 * slack, cells=share)


def _both_below(a: float, b: float, correlation: float) -> float:
    """Return the probability that two standard normals of a correlation are below a and b."""
    half = (a + _FAR) / 2
    x = half * (_NODES + 1) - _FAR
    below = ndtr((b - correlation * x) / np.sqrt(1 - correlation**2))
    return float(half * (_WEIGHTS * below * np.exp(-(x**2) / 2)).sum() / np.sqrt(2 * np.pi))


def best_attack(
    where: Mapping[str, Any],
    sides: tuple[Array, Array],
    shift: Array,
    covariance: Array,
    guarantee: GaussianDP,
    **limits: Any,
) -> Iterator[Point]:
    """Attack vectors (copies, k) whose mean a datum moves by `shift`, by their likelihood ratio."""
    direction = np.linalg.solve(covariance, shift)
    direction /= np.sqrt(shift @ direction)
    values = [side @ direction for side in sides]
    middle = np.mean(values)
    first, second = (np.floor(_BINS * (side - middle)).astype(np.int64) for side in values)
    yield from attack_points(where, first, second, guarantee, **limits)
