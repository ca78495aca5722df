"""The law of a round's batch for two experts, on many streams at once, with a proved error.

The lead at a decision has a density, a mixture of normal ones around the leads at earlier decisions, which
Gauss's rule integrates between the gaps at which sizes change. So a law is a sum over paths through nodes,
the same for all streams. If true leads between decisions at y and x add up to d, and noise has variance v,
the density is that without them times the **tilts** ``e^(x d / v)`` and ``e^(-(y + d / 2) d / v)``.
[mathematics/000.md#sure-batches]
"""

import math
from dataclasses import dataclass

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.balls.balls import ball, exp, near, normal_cdf, pi, precision, sqrt, upper
from private_experts.replication.balls.elementary import EXP_STEPS, exps
from private_experts.replication.balls.sums import compound, gamma
from private_experts.replication.papers.p000.certified_laws import least_gaps
from private_experts.replication.papers.p000.gauss_panels import OFF, RULE_STEPS, misplaced, panels

_REACH = 6.6  # standard deviations of the lead
# half the square of the distance, in standard deviations, from which on a density is taken for 0
_FAR = 690.0
_TILT = 300.0  # the largest exponent of what true leads do to a density
_MASS = 1.001  # more than the probability of a decision, as computed
_LOST = 1e-30  # far more than all densities that are taken for 0, which a tilt leaves below e^(300 - 690)


@dataclass(frozen=True)
class Net:
    """Where batches begin: the nodes for all streams whose true leads stay in a range."""

    horizon: int
    t: int  # the round whose batch is asked for
    away: Array  # the largest size of a true lead after s < t rounds
    variance: float  # of the noise which a round adds to the lead
    nodes: list[Array]  # those after s rounds
    weights: list[Array]
    parts: list[dict[int, slice]]  # which of them open a batch of b rounds; elsewhere it has horizon - s
    kernels: list[dict[int, Array]]  # by s, the densities at the nodes after r rounds around those s before
    off: float  # of a probability, at most, apart from rounding


def net(horizon: int, eta: float, alpha: float, t: int, away: Array) -> Net:
    """Return the nodes for the batch of round t < horizon, if true leads after s rounds are up to away[s].

    Another batch than the rule's is taken beyond the reach, with a normal tail's probability, and between
    least gaps and the floats for them, with at most that distance times the largest density, on either side.
    """
    if not 1 <= t < horizon:
        raise ValueError(f"the batch of round {t} of {horizon} has only one size, or none")
    unit = math.sqrt(2) * eta
    nodes, weights, parts = [], [], []
    with precision():
        off, step = ball(0), sqrt(ball(2)) * eta
        for s, least in enumerate(least_gaps(horizon, eta, alpha)[:t]):
            reach = float(away[s]) + _REACH * unit * math.sqrt(s + 1)
            edges = np.array([near(gap) for gap in least])
            apart = sum((abs(gap - near(gap)).upper() for gap in least), ball(0))
            # Outside the reach the rule is not followed, which costs no more than the tail's probability.
            off += 2 * normal_cdf(ball(-0.999 * _REACH)) + 4 * apart / (sqrt(2 * pi() * (s + 1)) * step)
            inside, width, part, count = _cut(np.minimum(edges, reach), unit)
            off += _MASS * (
                count * OFF + misplaced(2.001 * min(edges[-1], reach) / unit, 1.001 * reach / unit)
            )
            nodes.append(inside)
            weights.append(width)
            parts.append(part)
    variance = 2 * eta * eta
    kernels = [{0: _density(nodes[0] - np.zeros((1, 1)), variance)}]
    for r in range(1, t):
        arriving = {s: parts[s][r - s] for s in range(r) if r - s in parts[s]}
        kernels.append(
            {s: _density(nodes[r] - nodes[s][here, None], (r - s) * variance) for s, here in arriving.items()}
        )
    return Net(horizon, t, away[:t], variance, nodes, weights, parts, kernels, upper(off))


def _cut(edges: Array, unit: float) -> tuple[Array, Array, dict[int, slice], int]:
    """Return nodes and weights between least gaps, which are for each size, and the number of panels."""
    nodes, weights, part, count, offset = [], [], {}, 0, 0
    for size, (low, high) in enumerate(zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True), start=1):
        if low < high:
            inside, width, panel_count = panels(low if size > 1 else -high, high, unit)
            both = [inside] if size == 1 else [-inside, inside]
            nodes += both
            weights += [width] * len(both)
            part[size] = slice(offset, offset + len(both) * inside.size)
            count += len(both) * panel_count
            offset += len(both) * inside.size
    return np.concatenate(nodes), np.concatenate(weights), part, count


def _density(distance: Array, variance: float) -> Array:
    # The kernel without gains is the same for all streams, and true leads only tilt it: hence many streams at
    # once.
    exponent = -(distance**2) / (2 * variance)
    return np.where(exponent < -_FAR, 0.0, exps(np.maximum(exponent, -_FAR))) / math.sqrt(
        2 * math.pi * variance
    )


def laws(on: Net, leads: Array) -> tuple[Array, float]:
    """Return the laws (streams, horizon + 1) of the batch's size, and how far any set of sizes is off."""
    true = np.concatenate([np.zeros((len(leads), 1)), np.cumsum(leads, axis=1)], axis=1)
    # Nodes were placed for leads within this range, and their error is proved for it alone.
    if not (np.abs(true[:, : on.t]) <= on.away).all():
        raise ValueError("true leads leave the range of the nodes")
    probabilities = np.zeros((len(leads), on.horizon + 1))
    masses: list[Array] = []
    most = 0.0
    for r in range(on.t):
        density, arrived = _arriving(on, r, true, masses)
        mass = density * on.weights[r]
        masses.append(mass)
        for size, here in on.parts[r].items():
            if r + size >= on.t:
                probabilities[:, size] += mass[:, here].sum(axis=1)
        # By the difference, so that probabilities sum to those that arrived, whatever the nodes left out.
        probabilities[:, on.horizon - r] += arrived - mass.sum(axis=1)  # the largest size takes the rest
        most = max(most, float(arrived.max()))
    if not most <= _MASS - 1e-6:
        raise ArithmeticError(f"a decision of probability {most}")
    return probabilities, _off(on)


def _arriving(on: Net, r: int, true: Array, masses: list[Array]) -> tuple[Array, Array]:
    """Return the lead's density at the nodes of a decision after r rounds, and the decision's probability."""
    if r == 0:
        return np.repeat(on.kernels[0][0], len(true), axis=0), np.ones(len(true))
    density, arrived = np.zeros((len(true), on.nodes[r].size)), np.zeros(len(true))
    for s, (before, after) in _tilts(on, r, true).items():
        leaving = masses[s][:, on.parts[s][r - s]]
        arrived += leaving.sum(axis=1)
        density += after * ((leaving * before) @ on.kernels[r][s])
    return density, arrived


def _tilts(on: Net, r: int, true: Array) -> dict[int, tuple[Array, Array]]:
    """Return what true leads do to densities: factors at the nodes they come from, and where they arrive."""
    exponents = []
    for s in on.kernels[r]:
        moved = (true[:, r] - true[:, s])[:, None]
        rate = moved / ((r - s) * on.variance)
        start = on.nodes[s][on.parts[s][r - s]]
        if ((np.abs(on.nodes[r]).max() + np.abs(start).max() + np.abs(moved)) * np.abs(rate)).max() > _TILT:
            raise ValueError("true leads are too large for so little noise")
        exponents += [-(start + moved / 2) * rate, on.nodes[r] * rate]
    stacked = np.concatenate(exponents, axis=1)
    size = exps(-np.abs(stacked))
    # Large exponents as reciprocals: the table of exponentials ends at 1.
    tilts = np.where(stacked > 0, 1 / size, size)
    cut = np.cumsum([part.shape[1] for part in exponents])[:-1]
    split = np.split(tilts, cut, axis=1)
    return {s: (split[2 * k], split[2 * k + 1]) for k, s in enumerate(on.kernels[r])}


def _off(on: Net) -> float:
    """Return how far the probability of any set of sizes is off, at most.

    From masses after s rounds to those after r there are three exponentials, a reciprocal of one or two,
    seven steps for a density's constant, four products, a weight's and sums over nodes and s, at most t
    times; exponents up to `_TILT` have eight roundings. Probabilities are sums of masses but for the rest,
    ``arrived - inside``: three numbers of `_MASS` for s.
    """
    with precision():
        terms = max(places.size for places in on.nodes) + on.t
        exponent = exp(1.001 * (_FAR + _TILT) * gamma(8)) - 1
        stage = (1 + exponent) * (1 + gamma(3 * EXP_STEPS + 2 + 7 + 4 + RULE_STEPS + terms)) - 1
        rounding = (
            3 * on.t * _MASS * ((1 + compound(stage, on.t)) * (1 + gamma(terms + on.t + on.horizon + 1)) - 1)
        )
        return upper(on.off + rounding + _LOST)
