"""Softmax errors after every number of rounds, where volatile actions lose 1/2 plus or minus a spread by fair coins.

In units of the noise a volatile action's score moves by a step b = rate spread, up or down. So its mean distribution
function keeps ``F_(r+1)(y) = (F_r(y - b) + F_r(y + b)) / 2``, and so does its density f. All streams that differ in
their gap alone share them. The rest is as in `volatile_balls`. [mathematics/002.md#every-prefix]
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from private_experts.arrays import Array
from private_experts.replication.balls.balls import BITS, Ball, ball, exp, log, pi, precision
from private_experts.replication.balls.elementary import EXP_STEPS, exps
from private_experts.replication.balls.sums import compound, gamma, rounded
from private_experts.replication.papers.p002.volatile_balls import decayed, grown, raised

NEAR = 100  # a steady action loses so small a part of the gap more than the best
_STEP = 0.25  # of the rule, at most, in noise scales
_STRIP = 1.4  # the rule is looked at so far from the real line
_DEVIATIONS, _BELOW, _ABOVE = 9.0, 4.0, 40.0
_CUT = 50.0  # e to minus more than this counts as 0
_ROUNDS = 128  # that are computed together


def error_before(gap: float, steady: int, volatile: int) -> Ball:
    """Return the expected gap of an action that is drawn without data."""
    return ball(gap) * (ball(steady) / NEAR + volatile) / (1 + steady + volatile)


def growth(rate: float, gap: float, spread: float) -> Ball:
    """Return ``log E exp(-rate X)``, where X is a volatile action's loss minus the best action's in one round."""
    step = ball(rate) * spread
    return log((exp(step) + exp(-step)) / 2) - ball(rate) * gap


@dataclass(frozen=True)
class Errors:
    """Softmax errors after 1, 2, ... rounds, computed in floats."""

    values: Array
    steps: int  # the most roundings on the way to a value
    inputs: Ball  # the relative error of what went in
    lost: Ball  # by how much a value may be off besides, because of what was left out

    def mean(self, shortest: int, longest: int) -> Ball:
        """Return the mean error over prefixes from a shortest to a longest, as a ball."""
        found = self.values[shortest - 1 : longest]
        if len(found) != longest - shortest + 1:
            raise ValueError(f"prefixes from {shortest} to {longest} of {len(self.values)}")
        return rounded(float(found.sum()) / len(found), self.steps + len(found) + 1, self.inputs, self.lost)


@dataclass(frozen=True)
class _Nodes:
    """All places in noise scales, how many of them a step b is, every which is a node of the rule, and its step."""

    places: Array
    moved: int
    stride: int
    width: float


def _nodes(step: float, most: int) -> _Nodes:
    moved = math.ceil(step / _STEP)
    unit, reach = step / moved, _DEVIATIONS * step * math.sqrt(most)
    ends = math.floor(-(reach + _BELOW) / unit), math.ceil((reach + _ABOVE) / unit)
    places: Array = np.arange(ends[0], ends[1] + 1, dtype=np.float64)
    stride = max(1, int(_STEP / unit))
    return _Nodes(places * unit, moved, stride, stride * unit)


def _walk(nodes: _Nodes, most: int) -> Iterator[tuple[int, Array, Array]]:
    """Yield the rounds before, and the mean distribution functions and densities of the next ones at the nodes."""
    e, edge = grown(-nodes.places), nodes.moved
    table = np.zeros((2, nodes.places.size + 2 * edge))
    table[0, -edge:] = 1.0
    inside = table[:, edge:-edge]
    inside[0] = decayed(e, _CUT)
    inside[1] = e * inside[0]
    for before in range(0, most, _ROUNDS):
        rows = np.empty((min(_ROUNDS, most - before), *inside.shape))
        for row in rows:
            np.add(table[:, : -2 * edge], table[:, 2 * edge :], out=row)
            row *= 0.5
            inside[...] = row
        yield before, rows[:, 0, :: nodes.stride], rows[:, 1, :: nodes.stride]


def every_softmax_error(
    rate: float, spread: float, steady: int, volatile: int, prefixes: Mapping[float, int]
) -> dict[float, Errors]:
    """Return the errors of a softmax for streams that differ in their gap, after every number of rounds."""
    step, most = rate * spread, max(prefixes.values())
    nodes = _nodes(step, most)
    e = grown(-nodes.places[:: nodes.stride])
    found: dict[float, list[Array]] = {gap: [] for gap in prefixes}
    for before, below, density in _walk(nodes, most):
        won = density * raised(below, volatile - 1)
        for gap, longest in prefixes.items():
            r = np.arange(before + 1, min(before + len(below), longest) + 1, dtype=np.float64)
            if r.size:
                others = steady * exps(-r * (rate * (gap / NEAR)))
                selected = _selected(won[: r.size], e, r * (rate * gap), others) * (nodes.width * volatile)
                share = gap / NEAR * (others / (1 + others))
                found[gap].append(share + (gap - share) * selected)
    steps = nodes.places.size + 2 * volatile + 32
    inputs, lost = _off(nodes, rate * max(prefixes), most, volatile)
    return {gap: Errors(np.concatenate(each), steps, inputs, gap * lost) for gap, each in found.items()}


def _selected(won: Array, e: Array, ahead: Array, others: Array) -> Array:
    """Return sums of ``won G`` over nodes, for each row; e is e^-y, and `ahead` the best action's score.

    G is only computed where it is neither 0 nor 1 in all rows, up to what is left out.
    """
    result = np.zeros(len(ahead))
    apart = np.flatnonzero(ahead <= -math.log(float(e[-1])) + _ABOVE)  # for others G is 0 at all nodes, as scores rise
    if apart.size:
        weights = (1 + others[apart]) / exps(-ahead[apart])
        first = int(np.searchsorted(-e, -_CUT / weights.min()))
        last = int(np.searchsorted(-e, -math.exp(-_ABOVE) / weights.max()))
        part = won[apart]
        result[apart] = (part[:, first:last] * decayed(weights[:, None] * e[first:last], _CUT)).sum(axis=1)
        result[apart] += part[:, last:].sum(axis=1)
    return result


def _off(nodes: _Nodes, steepest: float, most: int, n: int) -> tuple[Ball, Ball]:
    """Return the relative error of what goes into errors, and what is left out of V. [mathematics/002.md#every-prefix]

    A place y has three roundings, and C's exponents three each; they are at most `far`. In ``e^-E``, which is not 0 for
    up to the cut alone, the exponent's error counts as often.
    """
    with precision(BITS):
        far = ball(float(np.abs(nodes.places).max()) + 2 * _ABOVE + most * steepest / NEAR)
        of_e = (1 + gamma(EXP_STEPS + 1)) * exp(gamma(4) * far) - 1
        of_weights = (1 + of_e) * (1 + of_e) * (1 + gamma(4)) - 1
        of_below = (1 + gamma(EXP_STEPS)) * exp(_CUT * of_e * 1.001) - 1
        of_others = (1 + gamma(EXP_STEPS)) * exp(
            _CUT * ((1 + of_e) * (1 + of_weights) * (1 + gamma(1)) - 1) * 1.001
        ) - 1
        mixed = (1 + of_below) * (1 + of_e) * (1 + gamma(most + 2)) - 1
        h = ball(nodes.width)
        rule = 2 / (ball(_STRIP).cos() * (exp(2 * pi() * _STRIP / h) - 1))
        inputs = (1 + compound(mixed, n)) * (1 + of_others) * (1 + of_weights) / (1 - rule) - 1

        rare, right = exp(-(ball(_DEVIATIONS) ** 2) / 2), exp(h - _ABOVE)
        left = exp(h + _BELOW) * exp(-exp(_BELOW - h))
        cut = 2 * _CUT * exp(-ball(_CUT) * 0.999)
        of_each = 2 * rare + right + left + cut + 1e-250  # F or f, by what stands for them at the ends and past the cut
        whole = 1 + 3 * h / 8  # what the rule makes of the integral of f, at most
        beyond = whole * (2 * rare + cut + right) + right + left + 1e-250
        lost = n * (of_each * (2 * far + h + whole * (n - 1)) + beyond)
        return inputs.upper(), lost.upper()
