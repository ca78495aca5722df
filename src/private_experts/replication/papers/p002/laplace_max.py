"""The law of report-noisy-max among a few scores, as balls. [mathematics/002.md#report-noisy-max]"""

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise, product

import numpy as np

from private_experts.arrays import Array, Indices
from private_experts.replication.balls.balls import Ball, ball, exp, precision

Sum = Mapping[int, Ball]  # of exponentials: the coefficient of e^(k y) for each k

_BITS = 250  # because integrals are differences of far larger numbers


def _times(one: Sum, other: Sum) -> Sum:
    product_terms: dict[int, Ball] = {}
    for k, a in one.items():
        for m, b in other.items():
            product_terms[k + m] = product_terms[k + m] + a * b if k + m in product_terms else a * b
    return product_terms


def laplace_law(scores: Sequence[Ball]) -> list[Ball]:
    """Return the chance of each of ascending scores, in noise scales, to be the largest under Laplace noise.

    It is the ``integral of f(y - s_j) prod_{i != j} F(y - s_i) dy``, of sums of exponentials between two
    scores.
    """
    n, integrals = len(scores), [ball(0)] * len(scores)
    # Below its score F is e^(y - s)/2 and above it 1 - e^(s - y)/2: between two scores all are exponential
    # sums.
    rising, falling = [exp(-score) / 2 for score in scores], [-exp(score) / 2 for score in scores]
    ends = [{k: exp(k * score) for k in range(-n, n + 1)} for score in scores]
    nothing = dict.fromkeys(range(-n, n + 1), ball(0))
    # Without an end on one side, no term of a product lacks a limit there, and its limit is 0.
    borders = [(None, nothing), *zip(scores, ends, strict=True), (None, nothing)]
    # so many scores lie below the piece
    for above, ((low, at_low), (high, at_high)) in enumerate(pairwise(borders)):
        tails: list[Sum] = [{0: ball(1), -1: falling[i]} if i < above else {1: rising[i]} for i in range(n)]
        for j in range(n):
            integrand: Sum = {-1: -falling[j]} if j < above else {1: rising[j]}
            for i in range(n):
                if i != j:
                    integrand = _times(integrand, tails[i])
            for k, factor in integrand.items():
                # A constant integrates to the length of the piece; it occurs only between two scores.
                integrals[j] += factor * ((at_high[k] - at_low[k]) / k if k else high - low)
    return integrals


def differences(totals: Array) -> tuple[Array, Indices]:
    """Return distinct rows of losses beyond the least one, and which of them each vector of totals has."""
    # A common shift changes no selection, so far fewer laws have to be computed.
    rows = (totals - totals.min(axis=-1, keepdims=True)).reshape(-1, totals.shape[-1])
    different, places = np.unique(rows, axis=0, return_inverse=True)
    return different, places.ravel()


def laws_of(losses: Array, scale: Ball) -> list[list[Ball]]:
    """Return the law of each row of losses. Those that are the same but for their order share one."""
    laws: dict[tuple[float, ...], list[Ball]] = {}
    by_row = []
    for row in losses.tolist():
        order = sorted(range(len(row)), key=lambda place: -row[place])
        sorted_row = tuple(row[place] for place in order)
        if sorted_row not in laws:
            with precision(_BITS):
                laws[sorted_row] = laplace_law([-loss / scale for loss in sorted_row])
        law = dict(zip(order, laws[sorted_row], strict=True))
        by_row.append([law[place] for place in range(len(row))])
    return by_row


def worst_move(low: Array, high: Array, parts: int) -> Ball:
    """Return the largest log-ratio between totals in steps of 1/parts that differ by at most 1."""
    least, most = 0.0, 0.0
    for move in product(range(-parts, parts + 1), repeat=low.shape[-1]):
        here = tuple(slice(max(0, -step), -step if step > 0 else None) for step in move)
        there = tuple(slice(max(0, step), step if step < 0 else None) for step in move)
        # The ends of the balls are floats: the lower end of a ratio takes the lower one's low and the other's
        # high.
        least = max(least, float((low[there] - high[here]).max()))
        most = max(most, float((high[there] - low[here]).max()))
    # The subtraction of two floats was rounded once.
    return ball(math.nextafter(least, -math.inf), math.nextafter(most, math.inf))
