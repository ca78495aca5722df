"""How far quantiles of two piecewise Gaussian laws on an interval are apart at most: their distance in W_inf.

They are at most r apart to the right if ``H(x) = G(x + r) - F(x)`` is nowhere negative. H' has the sign of
``log g(x + r) - log f(x)``, which is piecewise linear. So H is least at an end, or where that is 0 and grows.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Literal

from private_experts.replication.balls.piecewise_gaussian import PiecewiseGaussian
from private_experts.replication.balls.piecewise_linear import Fraction, exact, line

Laws = tuple[PiecewiseGaussian, PiecewiseGaussian]
Answer = Literal["yes", "no", "unknown"]


def quantiles_within(one: PiecewiseGaussian, two: PiecewiseGaussian, far: Fraction) -> Answer:
    """Tell whether no quantile of the second law lies more than so far, at least 0, to the right."""
    low, high = one.exponent.knots[0], one.exponent.knots[-1]
    if (low, high) != (two.exponent.knots[0], two.exponent.knots[-1]):
        raise ValueError("two laws on different intervals")
    if one.curvature != two.curvature:
        raise ValueError("laws of different curvatures have no piecewise linear log-ratio")
    if far >= high - low:
        return "yes"
    last = high - far
    apart = two.exponent.moved(far).within(low, last) - one.exponent.within(low, last)
    apart += line(-one.curvature * far, low, last)
    constant = one.log_total - two.log_total - one.curvature * far * far / 2
    answer: Answer = "yes"
    for (start, end), slope, height in zip(pairwise(apart.knots), apart.slopes, apart.heights, strict=True):
        place = -(height + constant) / slope if slope > 0 else None
        if place is not None and not (place < start or place > end):
            below = one.below(place)
            in_tail = below < 0.5  # both ways are right; this one is accurate
            gap = two.below(place + far) - below if in_tail else one.above(place) - two.above(place + far)
            if gap < 0:
                return "no"
            answer = answer if gap >= 0 else "unknown"
    return answer


def furthest_quantiles(pairs: Iterable[Laws], unit: float | Fraction, cuts: int = 12) -> tuple[float, float]:
    """Return multiples of ``2^-cuts`` of a unit between which the largest distance of quantiles lies."""
    step, full = exact(unit) / 2**cuts, 2**cuts
    refuted, proved = 0, 0  # how many steps are too few for some pair, and enough for all so far
    for one, two in (order for pair in pairs for order in (pair, pair[::-1])):
        low, high = proved, proved
        while (answer := quantiles_within(one, two, high * step)) != "yes":
            refuted = max(refuted, high) if answer == "no" else refuted
            low, high = high, full if high < full else 2 * high
        while high > low + 1:
            middle = (low + high) // 2
            answer = quantiles_within(one, two, middle * step)
            refuted = max(refuted, middle) if answer == "no" else refuted
            low, high = (low, middle) if answer == "yes" else (middle, high)
        proved = high
    return refuted / full, proved / full
