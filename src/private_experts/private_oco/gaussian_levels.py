"""Gaussian privacy of Gibbs draws: fresh in every round, and P-COMW's. [mathematics/001.md#gaussian-draws]

On a convex set a draw at scale u is 2u-GDP. On a grid only the range of the losses counts. Squares of levels
add up, also over steps that are chosen in view of earlier ones.
"""

import math
from typing import NamedTuple

from scipy.special import ndtri

from private_experts.errors import InputError
from private_experts.privacy.conversions import to_gaussian
from private_experts.privacy.guarantees import PureDP
from private_experts.validation import plain_numbers


class Steps(NamedTuple):
    """What single steps of a play reveal when one loss is replaced by another."""

    draw: float  # Gaussian level of a draw
    # how far logarithms of keeping probabilities lie apart in a lottery after later losses, at most
    later: float
    # the same right after the loss that differs, where clipping gives ``2 log Phi`` too
    first: float = math.inf

    def level(self, horizon: float, log_phi: float, p: float, budget: float) -> float:
        """Return the Gaussian level of a whole play. See `play_level`."""
        # Every later lottery knows the loss that differs, and infinitely many of them tell it.
        if p < 1 and math.isinf(horizon):
            return math.inf
        later = max(horizon - 2, 0) * lottery_level(p, self.later) ** 2 if p < 1 else 0.0
        # Right after the loss that differs the clip bounds the spread too, whatever the losses are.
        lotteries = lottery_level(p, min(2 * log_phi, self.first)) ** 2 + later
        # No more draws than lotteries: the first point is drawn before any loss is known.
        draws = min(budget if math.isinf(budget) else math.ceil(budget), horizon - 1)
        return math.sqrt(lotteries + (draws * self.draw**2 if draws and self.draw else 0.0))


@plain_numbers
def convex_steps(u: float) -> Steps:
    """Return what steps reveal on a convex set, for convex losses at scale ``u = G sqrt(beta / lam)``."""
    # Strongly convex potentials: a loss shifts the law by a level of u, its replacement by twice that.
    return Steps(2 * u, 2 * u * u)


@plain_numbers
def grid_steps(reach: float) -> Steps:
    """Return what steps reveal on any grid, for losses of any shape; `reach` is ``beta G D``."""
    # Without convexity only the range counts: log-densities move by at most the reach.
    return Steps(to_gaussian(PureDP(reach, "central")).mu, reach * math.tanh(reach / 2), 2 * reach)


@plain_numbers
def lottery_level(p: float, spread: float) -> float:
    """Return the Gaussian level of a lottery with draw probability at least p; infinite at p = 0.

    `spread` is the most by which the logarithms of the probabilities of keeping differ between neighbours.
    Nothing smaller will do. [mathematics/001.md#lottery-level]
    """
    if p == 1 or spread == 0:
        return 0.0
    # The trade-off curve of two coins with the largest spread at the least chance p of a draw.
    return float(ndtri(p - (1 - p) * math.expm1(-spread)) - ndtri(p))


@plain_numbers
def play_level(u: float, horizon: float, log_phi: float, p: float, budget: float) -> float:
    """Return the Gaussian level of a whole play of P-COMW with Gibbs measures of scale u, on a convex set.

    One lottery follows the loss that differs, at most ``T - 2`` come later, and at most `budget` draws are
    made. For a game without an end (``horizon=inf``) the level is infinite unless ``p = 1``.
    [mathematics/001.md#gaussian-draws]
    """
    return convex_steps(u).level(horizon, log_phi, p, budget)


@plain_numbers
def every_round_scale(horizon: float, level: float) -> float:
    """Return the scale u at which fresh draws have a Gaussian level. [mathematics/001.md#every-round]"""
    return level / (2 * math.sqrt(horizon - 1))


def check_level(horizon: float, level: float) -> None:
    """Refuse a level that is not positive, and fewer than 2 rounds."""
    if not (level > 0 and horizon >= 2):
        raise InputError(
            f"Gibbs draws: level {level} in {horizon} rounds: write a positive level and at least 2 rounds"
        )
