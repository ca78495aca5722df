"""The exact law of RW-AdaBatch's batches for two experts, on any stream fixed in advance.

With two experts the algorithm follows one number: the lead of expert 1 over expert 2 in the noisy totals. A
batch that begins after s rounds at lead x has a size that depends on s and |x| alone. When it ends, after b
rounds, the lead is x plus the true leads of those rounds plus N(0, 2 eta^2 b). So the law of the lead *at
decisions* is carried from one decision to the next. The paper calls the law of batches intractable; for two
experts each step is an integral in one dimension. [000, Section 3.1.2] [mathematics/000.md#exact-batches]

Between the least gaps of neighbouring sizes the density is analytic, so Gauss-Legendre nodes are set there.
The noise of the last batch keeps it smooth at the scale sqrt2 eta. Probabilities are exact to about 1e-9 at
the default spacing.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from private_experts.arrays import Array, Bools, Ints
from private_experts.walks.batch_rules import Rule
from private_experts.walks.batch_size import legendre

_REACH = 7.5  # standard deviations of the lead; what lies beyond has probability below 1e-13
_RARE = 1e-15
_NEAR = 8.5  # standard deviations, beyond which a normal density is below 1e-16 of its peak
_AT_ONCE = 32  # neighbouring nodes whose densities are summed together: what reaches one reaches all

Nodes = tuple[Array, Ints, Array]  # ascending leads, the sizes of the batches that they open, and weights


@dataclass(frozen=True)
class Decision:
    """The law of one decision, as `decisions` yields them: arrays of equal length, one entry a node."""

    start: int  # rounds completed before the decision
    lead: Array  # of expert 1 over expert 2 in the noisy totals
    size: Ints  # of the batch that begins
    mass: Array  # probability of the node; all together, that a batch begins here


def decisions(
    leads: Array,
    eta: float,
    rule: Rule,
    spacing: float = 0.5,
    plays: Bools | None = None,
    nodes: Sequence[Nodes] | None = None,
) -> Iterator[Decision]:
    """Yield the laws of the decisions, in order of time, one for each round before which a batch can begin.

    Each lead (T,) is a round's true gain of expert 1 minus that of expert 2, in [-1, 1]. `eta` is the
    standard deviation of the noise of a report, and of the noise that the totals start with. The rule is for
    the same horizon, and nodes lie `spacing` apart, in units of sqrt2 eta. With `plays` only those paths are
    kept on which expert 1 is played in the rounds that are true, and expert 2 in the others. Nodes are found
    unless they are given, for each round. [mathematics/000.md#exact-batches]
    """
    horizon, unit = len(leads), math.sqrt(2) * eta
    true = np.concatenate([[0.0], np.cumsum(leads)])
    symmetric = plays is None and not np.any(leads)
    # By round: centres, weights and standard deviations of the normals that make up the law of the lead.
    arriving: list[list[Array]] = [[] for _ in range(horizon + 1)]
    # Before the first round the lead is that of z_0 alone, the difference of two such draws.
    arriving[0].append(np.array([[0.0], [1.0], [unit]]))
    for start in range(horizon):
        if not arriving[start]:
            continue
        lead, size, width = nodes[start] if nodes else _nodes_before(start, true, unit, rule, spacing)
        if symmetric:
            # Without true leads the law is symmetric, as the nodes are.
            upper = _density(lead[lead.size // 2 :], arriving[start])
            density = np.concatenate([upper[::-1], upper])
        else:
            density = _density(lead, arriving[start])
        arriving[start] = []
        # Nodes that hardly any path reaches would only cost time in all later rounds.
        kept = width * density > _RARE
        if plays is not None:
            # For one sequence of plays: a batch must name its expert, and end no later than the sequence
            # changes.
            changes = np.flatnonzero(plays[start:] != plays[start])
            kept &= ((lead > 0) == plays[start]) & (size <= (changes[0] if changes.size else horizon - start))
        lead, size, mass = lead[kept], size[kept], (width * density)[kept]
        yield Decision(start, lead, size, mass)
        order = size.argsort(kind="stable")
        lead, size, mass = lead[order], size[order], mass[order]
        # True leads move the centre, the noise of b reports the spread; both are exact for a batch taken as
        # one sum.
        left = np.stack([lead + true[start + size] - true[start], mass, unit * np.sqrt(size)])
        firsts = np.flatnonzero(np.diff(size, prepend=0)).tolist()
        for first, end in pairwise([*firsts, size.size]):
            arriving[start + size[first]].append(left[:, first:end])


def size_laws(leads: Array, eta: float, rounds: Sequence[int], rule: Rule, spacing: float = 0.5) -> Array:
    """Return the law of the size of the batch that contains each of some rounds, from 1 to T.

    Entry ``[j, b]`` is the probability that the batch of round ``rounds[j]`` has b rounds, b = 0..T. For the
    other arguments see `decisions`. [mathematics/000.md#exact-batches]
    """
    laws = np.zeros((len(rounds), len(leads) + 1))
    for decision in decisions(leads, eta, rule, spacing):
        if decision.start >= max(rounds):
            break
        for row, t in enumerate(rounds):
            # Batches do not overlap, so each path counts in one decision for each round.
            holds = (decision.start < t) & (decision.start + decision.size >= t)
            laws[row] += np.bincount(decision.size[holds], decision.mass[holds], laws.shape[1])
    return laws


def expected_lead(leads: Array, eta: float, rule: Rule) -> float:
    """Return how much more than expert 2 RW-AdaBatch earns on average. [mathematics/000.md#exact-batches]"""
    true = np.concatenate([[0.0], np.cumsum(leads)])
    return sum(
        float(
            decision.mass
            @ np.where(decision.lead > 0, true[decision.start + decision.size] - true[decision.start], 0.0)
        )
        for decision in decisions(leads, eta, rule)
    )


def law_of_plays(leads: Array, eta: float, rule: Rule) -> Array:
    """Return the probability of every sequence of plays, shape (2^T,), for a short horizon T.

    The sequence has the number with binary digits 1 for expert 1 and 0 for expert 2, the first round first.
    Time and memory double with every round. [mathematics/000.md#exact-batches]
    """
    horizon = len(leads)
    law, true, unit = np.zeros(2**horizon), np.concatenate([[0.0], np.cumsum(leads)]), math.sqrt(2) * eta
    nodes = [_nodes_before(start, true, unit, rule) for start in range(horizon)]  # of all sequences
    for number in range(law.size):
        plays = np.array([digit == "1" for digit in f"{number:0{horizon}b}"])
        law[number] = sum(
            float(decision.mass[decision.start + decision.size == horizon].sum())
            for decision in decisions(leads, eta, rule, plays=plays, nodes=nodes)
        )
    return law


def _density(lead: Array, arriving: Sequence[Array]) -> Array:
    """Return at ascending leads the density of mixed normals: rows of centres, weights and deviations."""
    centre, weight, scale = np.concatenate(arriving, axis=1)
    weight = weight / (scale * math.sqrt(2 * math.pi))
    density = np.empty_like(lead)
    for first in range(0, lead.size, _AT_ONCE):
        some = lead[first : first + _AT_ONCE]
        # Most normals are far away, and their exponentials would be nearly all the work.
        near = (centre > some[0] - _NEAR * scale) & (centre < some[-1] + _NEAR * scale)
        away = (some[:, None] - centre[near]) / scale[near]
        np.square(away, out=away)
        away *= -0.5
        density[first : first + _AT_ONCE] = np.exp(away, out=away) @ weight[near]
    return density


def _nodes_before(start: int, true: Array, unit: float, rule: Rule, spacing: float = 0.5) -> Nodes:
    """Return the nodes of the decision after `start` rounds, from the true leads in the totals."""
    far = _REACH * unit * math.sqrt(start + 1)
    # Chosen anew at each decision, between the thresholds of the rule: there the integrand is smooth.
    return _nodes(rule[start], true[start] - far, true[start] + far, unit * spacing)


def _nodes(least: Array, low: float, high: float, spacing: float) -> Nodes:
    """Return ascending nodes on [low, high], the size of the batch that each opens, and their weights."""
    edges = np.concatenate([least, [np.inf]])
    parts = []
    for sign in (-1.0, 1.0):
        start, end = (low, high) if sign > 0 else (-high, -low)
        left, right = np.clip(edges[:-1], start, end), np.clip(edges[1:], start, end)
        half = (right - left) / 2
        # So many more nodes as the stretch is long: short stretches between thresholds need few.
        counts = np.where(half > 0, 3 + np.ceil(2 * half / spacing).astype(int), 0)
        for count in np.unique(counts[half > 0]).tolist():
            here = (counts == count).nonzero()[0]
            nodes, weights = legendre(count)
            lead = sign * (left[here, None] + half[here, None] * (1 + nodes))
            parts.append((lead.ravel(), np.repeat(here + 1, count), np.outer(half[here], weights).ravel()))
    lead, size, width = (np.concatenate(part) for part in zip(*parts, strict=True))
    order = lead.argsort()
    return lead[order], size[order], width[order]
