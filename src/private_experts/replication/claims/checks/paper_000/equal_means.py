"""A stream on which a datum's batch is more likely to be small than on equal means, in ball arithmetic.

Two experts and the datum of round 4. Expert 1 gains 1 in round 1 and expert 2 in round 2, so the true leads after 0, 1,
2 and 3 rounds are 0, 1, 0 and 0. [mathematics/000.md#e000-8]
"""

from functools import partial

from private_experts.replication.claims.certified.balls import Ball, ball, exp, integral, normal_cdf, pi, sqrt, upper
from private_experts.replication.claims.checks.paper_000.walks import batch_fits
from private_experts.walks.batch_rules import paper_rule

STREAM, DATUM = "gains 2 1", 4

_PANELS = 12  # of the midpoint rule on an interval of length 1
_NEAR = 1e-9  # how close, relative, the program's least gaps are to the true ones
_REACH = 14  # standard deviations


def certain_excess(eta: float, alpha: float) -> Ball:
    """Return how much more likely the datum's batch has one round than on equal means.

    Only the lead X_1 after one round is moved, by 1. It matters where the first batch has one round. Let a_s and b_s be
    the least gaps of batches of two and of three rounds after s rounds, q the density of X_1 without gains where
    ``|X_0| < a_0``, ``f(w) = q(w) P(|X_3| < a_3 | X_1 = w)``, and D(w) the same where ``|X_2| >= a_2`` besides. Both
    are even. The datum is alone in its batch with the integral of f over ``|X_1| < b_1`` less that of D over
    ``|X_1| < a_1``. So the excess is a difference of integrals around a_1 and b_1. [mathematics/000.md#e000-8]
    """
    a0, a1, a2, a3 = (_least_gap(eta, alpha, start, 2) for start in range(4))
    b1 = _least_gap(eta, alpha, 1, 3)
    unit = sqrt(ball(2)) * eta
    landing = partial(_landing, unit=unit, a0=a0, a3=a3)
    leaving = partial(_leaving, unit=unit, a0=a0, a2=a2, a3=a3)
    below, above = (_integral_of_leaving(leaving, unit, a1.mid() + side, a1.mid() + side + 1) for side in (-1, 0))
    inside, outside = (integral(landing, b1.mid() + side, b1.mid() + side + 1) for side in (-1, 0))
    # Both functions are at most q, which is at most 1 / (2 sqrt(pi) unit); each of six ends may be off.
    off = 6 * max(upper(each.rad()) for each in (a1, b1)) / (2 * sqrt(pi()) * unit)
    return below - above - (inside - outside) + ball(-off.upper(), off.upper())


def _least_gap(eta: float, alpha: float, start: int, size: int) -> Ball:
    """Return a ball around the least gap at which a batch that begins after `start` rounds has so many rounds.

    It is the program's number with room on both sides, if the condition of Corollary 1 fails and holds there.
    """
    found = float(paper_rule(DATUM + 1, eta, 2, alpha)[start][size - 1])
    low, high = found * (1 - _NEAR), found * (1 + _NEAR)
    fit = [batch_fits(each, eta, 2, alpha, start, 1.0, size) for each in (low, high)]
    return ball(low, high) if fit == [False, True] else ball("nan")


def _density(w: Ball, unit: Ball) -> Ball:
    return exp(-w * w / (2 * unit * unit)) / (unit * sqrt(2 * pi()))


def _within(w: Ball, bound: Ball, unit: Ball) -> Ball:
    """Return the probability that w and noise of this scale is between minus a bound and the bound."""
    return normal_cdf((bound - w) / unit) - normal_cdf((-bound - w) / unit)


def _first(w: Ball, unit: Ball, a0: Ball) -> Ball:
    """Return q, the density of X_1 without gains where ``|X_0| < a_0``; given X_1 = w, X_0 is normal around w / 2."""
    return _density(w, sqrt(ball(2)) * unit) * _within(w / 2, a0, unit / sqrt(ball(2)))


def _landing(w: Ball, unit: Ball, a0: Ball, a3: Ball) -> Ball:
    """Return f."""
    return _first(w, unit, a0) * _within(w, a3, sqrt(ball(2)) * unit)


def _leaving(w: Ball, unit: Ball, a0: Ball, a2: Ball, a3: Ball) -> Ball:
    """Return D, at an exact w."""

    def far(x: Ball) -> Ball:
        return (_density(x - w, unit) + _density(x + w, unit)) * _within(x, a3, unit)

    start, end = a2.mid(), a2.mid() + w + _REACH * unit.mid()
    # Densities and probabilities are at most 1 / unit and 1; what lies beyond the end has little probability.
    beyond = 2 * normal_cdf(ball(-_REACH)) + 2 * a2.rad() / unit
    return _first(w, unit, a0) * (integral(far, start, end, digits=12) + ball(-beyond.upper(), beyond.upper()))


def _integral_of_leaving(leaving: partial[Ball], unit: Ball, low: Ball, high: Ball) -> Ball:
    """Return the integral of D by the midpoint rule. Its error is ``h^2 / 24`` times the length and the largest |D''|.

    Twice differentiated under the integral, D is at most q without its condition, times the mean of
    ``(s_1 + s_2)^2 + 2 / unit^2`` with the slopes of two steps. Given w they have mean squares
    ``(w^2 / 4 + unit^2 / 2) / unit^4`` and ``1 / unit^2``, and their product has mean 0.
    """
    length = high - low
    panel = length / _PANELS
    middles = [(low + panel * (2 * k + 1) / 2).mid() for k in range(_PANELS)]
    curvature = ball(low, high) ** 2 / (4 * unit**4) + ball(7) / (2 * unit**2)
    most = (_density(ball(low, high), sqrt(ball(2)) * unit) * curvature).upper()
    error = (panel**2 / 24 * length * most).upper() + 1e-15  # and middles are rounded
    return sum((leaving(w) * panel for w in middles), ball(0)) + ball(-error, error)
