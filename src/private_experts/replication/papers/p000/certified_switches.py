"""Changes of leader of a walk with equal means, between proved bounds. [mathematics/000.md#switch-law]

After t steps a coordinate is X, and one step later its turn Y by the angle a = arctan(1 / sqrt t). With the
half-angle, ``X = c U + s V`` and ``Y = c U - s V`` for two independent normals. Another coordinate stays
below both if its own U is below ``u - |V - v| tan(a / 2)``. With J(u, v) for that, an integral over ``r = |V
- v|``, the leader stays with probability ``n E J(U, V)^(n-1)``.
"""

import functools
import math
from collections.abc import Sequence

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.balls.balls import Ball, ball, exp, pi, precision, sqrt, upper
from private_experts.replication.balls.normal_tables import WIDTH, cdf, density, stride, trapezoidal
from private_experts.replication.balls.sums import NORMAL, compound, floats, gamma
from private_experts.replication.papers.p000.certified_leads import power
from private_experts.replication.papers.p000.gauss_panels import legendre

_REACH = 9.0  # of both normals, in standard deviations
_PANELS = 18  # of length 1, for r: twice the reach
_NODES = 12  # of Gauss's rule in a panel
_RHO = 6  # of the ellipse around a panel in which its error is bounded
_WINDOW = 4  # knots of an interpolation
_OCTAVE = 2  # knots between t and 2t
_BLOCKS = 10_000  # rounds t that are alone; later ones are taken together, t / _BLOCKS at a time


def change(t: Ball, n: int) -> Ball:
    """Return the probability that the leader of n equal coordinates changes with the step after t steps."""
    root = sqrt(ball(t))
    if n == 2:
        return (1 / root).atan() / pi()
    # tan(a / 2) in this form, since (1 - cos) / sin cancels at small angles.
    [tangent], rounded_off = floats([1 / (root + sqrt(ball(t) + 1))])
    stays, off = _stays(float(tangent), n)
    return 1 - ball(stays) + ball(-1, 1) * (off + n * n * upper(rounded_off))


def _stays(tangent: float, n: int) -> tuple[float, float]:
    """Return n E J^(n-1), and how far it is off. The tangent of the half-angle is at most 1."""
    cells, low = stride(n), _lowest(n)
    step = cells * WIDTH
    count = math.ceil((_REACH - low) / step) + 1
    r, _ = _rule()
    below = cdf().rows(low - tangent * r, count, cells)
    near_v, of_v = _densities(cells)
    # Rounding may leave J a little above 1, where its power would grow.
    others = power(np.minimum(near_v @ below, 1.0), n - 1)
    of_u = density().rows(np.array([low]), count, cells)[0]
    value = n * step**2 * float(of_v @ (others @ of_u))
    return value, _error(n, count, of_v.size) * (1 + 1e-9)


@functools.cache
def _densities(cells: int) -> tuple[Array, Array]:
    """Return the weight of each r at each v from 0 on, and the weight of each v; J is even in v."""
    r, weights = _rule()
    count = math.ceil(_REACH / (cells * WIDTH)) + 1
    near_v = sum(density().rows(side * r, count, cells) for side in (-1, 1)) * weights[:, None]
    of_v = 2 * density().rows(np.zeros(1), count, cells)[0]
    # v = 0 is on the axis of symmetry, and counts once where all others count twice.
    of_v[0] /= 2
    return np.ascontiguousarray(near_v.T), of_v


@functools.cache
def _error(n: int, u_count: int, v_count: int) -> float:
    """Return how far `_stays` is off, at most."""
    step, low = stride(n) * WIDTH, _lowest(n)
    # Arguments have at most three roundings, of numbers up to 27 if the entry is neither 0 nor 1.
    of_j = (1 + gamma(_PANELS * _NODES + 4)) * (1 + density().error(6)) * (1 + cdf().error(6)) - 1
    inputs = (1 + compound(of_j, n - 1)) * (1 + density().error()) ** 2 - 1
    rounding = (1 + gamma(n + u_count + v_count + 6)) * (1 + inputs) - 1
    # J^(n-1) changes by n - 1 times as much as J, and its mean is multiplied by n.
    absolute = n * (n - 1) * _error_of_rule()
    # Left out is what has U or V 9 off, and U so low that all others are above.
    outside = n * (
        6 * _below(2 * step - _REACH) + 2 * _below(low) ** n + 4 * density().lost + v_count * u_count * NORMAL
    )
    # The rule is applied twice: to the mean over U for each v, whose sizes sum to at most 1.3, and over V.
    apart = ball("2.3") * trapezoidal(n, stride(n))
    return upper((rounding + absolute + outside + apart) * (1 + 2 * rounding))


@functools.cache
def _lowest(n: int) -> float:
    """Return a multiple of a cell below which J, which is at most Phi(u), makes no difference."""
    u = 4.0
    while u > -_REACH and n * float(cdf()(u)) ** n > 1e-16:
        u -= WIDTH
    return u


def _below(x: float) -> Ball:
    return cdf()(x).item() * (1 + cdf().error())


@functools.cache
def _rule() -> tuple[Array, Array]:
    """Return nodes and weights of Gauss's rule on each of the panels; its own numbers come from balls."""
    nodes, weights = (numbers[::-1] / 2 for numbers in legendre(_NODES))
    return (np.arange(_PANELS)[:, None] + 0.5 + nodes).ravel(), np.tile(weights, _PANELS)


def _error_of_rule() -> Ball:
    """Return how far J is off, absolute: by Gauss's rule, its rounded nodes, and what is beyond.

    A rule of m + 1 nodes on [-1, 1] is off by at most ``64/15 M rho^(-2m) / (1 - rho^-2)`` [Trefethen,
    Theorem 19.3]; a panel is half as long, and the integrand grows by ``e^(b^2 / 2)`` twice off the line. A
    node off by d changes the sum by at most 3 d. Nodes v reach less than a step beyond 9, so V is not much
    less than 9 where r is beyond all panels.
    """
    height = ball(_RHO - 1 / ball(_RHO)) / 4
    size = 2 * exp(height * height) / sqrt(2 * pi())
    gauss = (
        _PANELS
        * ball(1)
        / 2
        * ball(64)
        / 15
        * size
        / (ball(_RHO) ** (2 * _NODES - 2) * (1 - ball(_RHO) ** -2))
    )
    return (
        gauss
        + 3 * 2 * _PANELS * gamma(2)
        + 2 * _below(stride(2) * WIDTH - _REACH)
        + 2 * cdf().lost
        + 2 * density().lost * _PANELS
    )


@functools.cache
def _knots(most: int) -> list[float]:
    """Return steps t at which `change` is computed, sqrt(2) times apart, some beyond the needed ones."""
    return [2.0 ** (k / _OCTAVE) for k in range(-4, _OCTAVE * math.ceil(math.log2(most)) + 4)]


@functools.cache
def changes_at_knots(n: int, most: int) -> list[Ball]:
    """Return the probability of a change at each knot."""
    with precision():
        return [change(ball(t), n) for t in _knots(most)]


def expected(rounds: Sequence[int], n: int) -> list[Ball]:
    """Return balls around expected changes within so many rounds, increasing: sums of `change` below each.

    The probability to stay is ``sum_k c_k rho^k`` with ``c_k >= 0`` for the cosine rho of the angle. So a
    polynomial through knots is below the chance of a change where the number of knots to the right is odd,
    and above where it is even. It falls with t, so rounds that are taken together are bounded by their ends.
    """
    sums, total, summed_to = [], ball(0), 1
    for horizon in rounds:
        total += _sum_between(summed_to, horizon, n, rounds[-1])
        sums.append(total)
        summed_to = horizon
    return sums


def _sum_between(start: int, end: int, n: int, most: int) -> Ball:
    """Return a ball around the sum of `change` over t from start to end - 1."""
    if start >= end:
        return ball(0)
    # Knots are computed once, and their balls weighed: so a million rounds cost some dozens of integrals.
    values = changes_at_knots(n, most)
    low, high = (
        [
            values[k] * (ball(weight) + ball(-1, 1) * size)
            for k, weight, size in _weights(start, end, most, below)
        ]
        for below in (True, False)
    )
    return sum(low, ball(0)).union(sum(high, ball(0)))


def _blocks(start: int, end: int, below: bool) -> tuple[Array, Array]:
    """Return the round that bounds `change` in each block, its last or its first, and the block's length."""
    firsts = [np.arange(start, min(end, _BLOCKS), dtype=np.float64)]
    t = max(start, _BLOCKS)
    while t < end:
        until = min(end, 2 * t)
        firsts.append(np.arange(t, until, 1 + t // _BLOCKS, dtype=np.float64))
        t = until
    first = np.concatenate(firsts)
    lengths = np.diff(np.append(first, end))
    return first + lengths - 1 if below else first, lengths


@functools.cache
def _weights(start: int, end: int, most: int, below: bool) -> list[tuple[int, float, float]]:
    """Return knots, their weight in the sum over t, and how far it is off, at most, for each window apart.

    Polynomials are in ``z = 1 - rho``, known to six roundings. Between knots ``(z_i + z_j) / |z_i - z_j|`` is
    at most 17, so a divisor is off by 103 roundings, a difference ``z - z_j`` by 7 of ``z + z_j``, and a
    factor by at most 112 of the quotient ``(z + z_j) / |z_i - z_j|``.
    """
    t, counts = _blocks(start, end, below)
    knots = np.array(_knots(most))
    z, z_knots = _beside_one(t), _beside_one(knots)
    half = _WINDOW // 2
    # The sign of the next difference decides on which side of the truth a polynomial lies.
    right = half if (half % 2 == 1) == below else half + 1  # knots to the right of t
    interval = np.searchsorted(knots, t, side="right") - 1  # the last knot that is not above t
    weights = []
    for place in np.unique(interval).tolist():
        here, count = z[interval == place, None], counts[interval == place]
        first = place + 1 + right - _WINDOW
        window = z_knots[first : first + _WINDOW]
        off = 1.01 * upper(gamma(120 * _WINDOW + count.size + 2))
        for i, knot in enumerate(window.tolist()):
            others = np.delete(window, i)
            basis = ((here - others) / (knot - others)).prod(axis=1)
            size = ((here + others) / np.abs(knot - others)).prod(axis=1)
            weights.append((first + i, float(basis @ count), off * float(size @ count)))
    return weights


def _beside_one(t: Array) -> Array:
    """Return 1 minus the angle's cosine after t steps, ``1 - sqrt(t / (t + 1))``, without cancellation."""
    return np.asarray(1 / (np.sqrt(t + 1) * (np.sqrt(t + 1) + np.sqrt(t))))
