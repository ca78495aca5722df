"""The law of AboveThreshold's first answer "above", for equal queries. [mathematics/004.md#above-threshold]

With the threshold's noise r of scale 1 and ``u = e^((q - r) / 2)`` a query q is below with probability ``1 -
u / 2`` where u is at most 1, and ``1 / (2u)`` elsewhere. In ``v = e^(-r / 2)``, or ``e^(r / 2)`` below 0, the
law of r is ``v dv``.
"""

from collections.abc import Sequence
from itertools import pairwise

from private_experts.replication.balls.balls import Ball, ball, exp, flint, log, near, precision

Runs = Sequence[tuple[Ball, int]]  # queries in units of the threshold's scale, and how many of each
# u is the first times v to the power of the last; and how many queries
Factors = Sequence[tuple[Ball, int, int]]

_BITS = 80


def in_units(query: Ball, epsilon: float, sensitivity: float = 1.0) -> Ball:
    """Return a query in units of the scale of the threshold's noise, ``2 sensitivity / epsilon``."""
    return ball(query) * epsilon / (2 * sensitivity)


def none_above(runs: Runs) -> Ball:
    """Return the probability that none of the queries is above."""
    queries = [(query, count) for query, count in runs if count]
    with precision(
        _BITS + sum(count for _, count in queries)
    ):  # of k factors 1 - u / 2, terms are up to 1.5^k
        # Both signs of r have the density e^-|r| / 2; in v it becomes v dv for each.
        sizes = [(exp(query / 2), count) for query, count in queries]
        return sum((_half([(size, count, power) for size, count in sizes]) for power in (1, -1)), ball(0))


def _half(factors: Factors) -> Ball:
    """Return the integral over one sign of r."""
    places = [size if power < 0 else 1 / size for size, _, power in factors]  # where u is 1
    # Undecided balls would put a kink inside a piece.
    assert all(place < 1 or place >= 1 for place in places)
    cuts = [ball(0), *sorted((place for place in places if place < 1), key=near), ball(1)]
    return sum((_piece(factors, low, high) for low, high in pairwise(cuts)), ball(0))


def _piece(factors: Factors, low: Ball, high: Ball) -> Ball:
    """Return the integral where no u is 1 inside."""
    polynomial = flint().arb_poly
    middle, product, shift = (low + high) / 2, polynomial([0, 1]), 0
    for size, count, power in factors:
        # The sign at the middle holds in all of the piece, as no u is 1 inside.
        if size * middle**power < 1:
            product *= polynomial([1, -size / 2] if power > 0 else [-size / 2, 1]) ** count
            shift -= count if power < 0 else 0
        else:
            product *= 1 / (2 * size) ** count
            shift -= power * count
    terms = ((coefficient, place + shift + 1) for place, coefficient in enumerate(product.coeffs()))
    powers = (
        # 1 / v integrates to a logarithm.
        coefficient * ((high**exponent - low**exponent) / exponent if exponent else log(high / low))
        for coefficient, exponent in terms
        if not coefficient.is_zero()
    )
    return sum(powers, ball(0))
