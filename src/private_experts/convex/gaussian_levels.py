"""Gaussian privacy of Gibbs draws: fresh ones in every round, and those of P-COMW. [mathematics/001.md#gaussian-draws]

On a convex set, neighbouring Gibbs measures of scale u are no easier to tell apart than N(0, 1) from N(2u, 1), and so a
draw is 2u-GDP. On a grid only the range of the losses counts. Squares of levels add up, also over steps that are chosen
in view of earlier ones.
"""

import math
from typing import NamedTuple

from scipy.special import ndtri

from private_experts.errors import InputError
from private_experts.privacy.conversions import to_gaussian
from private_experts.privacy.guarantees import PureDP


class Steps(NamedTuple):
    """What single steps of a play reveal when one loss is replaced by another. [mathematics/001.md#gaussian-draws]

    Parameters
    ----------
    draw : float
        Gaussian level of a draw.
    later : float
        How far the logarithms of the probabilities of keeping lie apart in a lottery after later losses, at most.
    first : float
        The same right after the loss that differs. P-COMW's clipping gives ``2 log Phi`` too.

    Examples
    --------
    >>> from private_experts.convex.gaussian_levels import Steps
    >>> round(Steps(draw=0.1, later=0.005).level(horizon=101, log_phi=0.5, p=1.0, budget=25), 4)
    0.5
    """

    draw: float
    later: float
    first: float = math.inf

    def level(self, horizon: float, log_phi: float, p: float, budget: float) -> float:
        """Return the Gaussian level of a whole play. See `play_level`."""
        if p < 1 and math.isinf(horizon):
            return math.inf
        later = max(horizon - 2, 0) * lottery_level(p, self.later) ** 2 if p < 1 else 0.0
        lotteries = lottery_level(p, min(2 * log_phi, self.first)) ** 2 + later
        draws = min(budget if math.isinf(budget) else math.ceil(budget), horizon - 1)
        return math.sqrt(lotteries + (draws * self.draw**2 if draws and self.draw else 0.0))


def convex_steps(u: float) -> Steps:
    """Return what steps reveal on a convex set, for convex losses. [mathematics/001.md#gaussian-neighbours]

    Parameters
    ----------
    u : float
        Scale ``G sqrt(beta / lam)`` of the measures, positive.

    Returns
    -------
    Steps

    Examples
    --------
    >>> from private_experts.convex.gaussian_levels import convex_steps
    >>> convex_steps(0.5)
    Steps(draw=1.0, later=0.5, first=inf)
    """
    return Steps(2 * u, 2 * u * u)


def grid_steps(reach: float) -> Steps:
    """Return what steps reveal on any grid, for losses of any shape. [mathematics/001.md#finite-sets]

    Parameters
    ----------
    reach : float
        ``beta G D``: the most that one loss may move the difference of two log-weights, at least 0.

    Returns
    -------
    Steps

    Examples
    --------
    >>> from private_experts.convex.gaussian_levels import grid_steps
    >>> [round(each, 4) for each in grid_steps(0.5)]
    [0.6239, 0.1225, 1.0]
    """
    return Steps(to_gaussian(PureDP(reach, "central")).mu, reach * math.tanh(reach / 2), 2 * reach)


def lottery_level(p: float, spread: float) -> float:
    """Return the Gaussian level of a lottery that draws with probability at least p.

    Parameters
    ----------
    p : float
        In [0, 1]. With 0 the level is infinite.
    spread : float
        The logarithms of the probabilities of keeping differ by at most this much between neighbours; at least 0.

    Returns
    -------
    float

    Notes
    -----
    It is ``Phi^-1(1 - (1 - p) exp(-spread)) - Phi^-1(p)``, and nothing smaller will do for the chances of drawing
    ``p`` and ``1 - (1 - p) exp(-spread)``. [mathematics/001.md#lottery-level]

    Examples
    --------
    >>> from private_experts.convex.gaussian_levels import lottery_level
    >>> [round(lottery_level(p, 0.1), 4) for p in (0.01, 0.1, 0.5, 1.0)]  # a coin that falls anyway hides the rest
    [1.0684, 0.3875, 0.1196, 0.0]
    """
    if p == 1 or spread == 0:
        return 0.0
    return float(ndtri(p - (1 - p) * math.expm1(-spread)) - ndtri(p))


def play_level(u: float, horizon: float, log_phi: float, p: float, budget: float) -> float:
    """Return the Gaussian level of a whole play of P-COMW with Gibbs measures of scale u.

    The set and the losses are convex. One lottery follows the loss that differs, at most ``T - 2`` come later, and at
    most `budget` draws are made. [mathematics/001.md#gaussian-draws]

    Parameters
    ----------
    u : float
        Scale ``G sqrt(beta / lam)`` of the measures, positive.
    horizon : float
        Number of rounds T, at least 1; ``inf`` for a game without an end, whose level is infinite unless ``p = 1``.
    log_phi : float
        Logarithm of the scale Phi, at least 0.
    p : float
        Probability of a draw whatever the loss, in [0, 1]. With 0 the level is infinite.
    budget : float
        The largest number of draws, counted up to a whole number; ``inf`` for no limit.

    Returns
    -------
    float

    Examples
    --------
    >>> from private_experts.convex.gaussian_levels import play_level
    >>> round(play_level(0.01, 1000, log_phi=0.05, p=0.1, budget=500), 4)
    0.5926
    >>> play_level(0.01, 1000, log_phi=0.05, p=0.0, budget=500)
    inf
    """
    return convex_steps(u).level(horizon, log_phi, p, budget)


def every_round_level(u: float, horizon: float) -> float:
    """Return the level of fresh draws in all T rounds: ``2 u sqrt(T - 1)``, as the first draw knows no loss.

    The set and the losses are convex. [mathematics/001.md#every-round]

    Parameters
    ----------
    u : float
        Scale ``G sqrt(beta / lam)`` of the measures, positive.
    horizon : float
        Number of rounds T, at least 1.

    Returns
    -------
    float

    Examples
    --------
    >>> from private_experts.convex.gaussian_levels import every_round_level
    >>> every_round_level(0.05, 101)
    1.0
    """
    return 2 * u * math.sqrt(horizon - 1)


def every_round_scale(horizon: float, level: float) -> float:
    """Return the scale u at which fresh draws have a Gaussian level. [mathematics/001.md#every-round]

    Parameters
    ----------
    horizon : float
        Number of rounds T, at least 2.
    level : float
        The Gaussian level of all draws together, positive.

    Returns
    -------
    float

    Examples
    --------
    >>> from private_experts.convex.gaussian_levels import every_round_scale
    >>> every_round_scale(101, 1.0)
    0.05
    """
    return level / (2 * math.sqrt(horizon - 1))


def check_level(horizon: float, level: float) -> None:
    """Refuse a level that is not positive, and fewer than 2 rounds.

    Parameters
    ----------
    horizon : float
        Number of rounds T.
    level : float
        The Gaussian level of the play.

    Raises
    ------
    InputError
        When it is so.

    Examples
    --------
    >>> from private_experts.convex.gaussian_levels import check_level
    >>> check_level(horizon=1, level=0.5)
    Traceback (most recent call last):
        ...
    private_experts.errors.InputError: Gibbs draws: level 0.5 in 1 rounds: write a positive level and at least 2 rounds
    """
    if not (level > 0 and horizon >= 2):
        raise InputError(
            f"Gibbs draws: level {level} in {horizon} rounds: write a positive level and at least 2 rounds"
        )
