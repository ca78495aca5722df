"""Gaussian privacy of Gibbs draws: fresh ones in every round, and those of P-COMW. [mathematics/001.md#gaussian-draws]

Neighbouring Gibbs measures of scale u are no easier to tell apart than N(0, 1) from N(2u, 1), and so a draw is 2u-GDP.
Squares of levels add up, also over steps that are chosen in view of earlier ones. G = lipschitz, D = diameter.
"""

import math
from collections.abc import Callable

from scipy.special import ndtri

from private_experts.convex.parameters import (
    Parameters,
    draw_probability,
    gibbs_parameters,
    gibbs_regret,
    log_closeness,
)
from private_experts.errors import InputError


def lottery_level(p: float, spread: float) -> float:
    """Return the Gaussian level of a lottery that draws with probability at least p.

    Parameters
    ----------
    p : float
        In (0, 1].
    spread : float
        The logarithms of the probabilities of keeping differ by at most this much between neighbours.

    Notes
    -----
    It is ``Phi^-1(1 - (1 - p) exp(-spread)) - Phi^-1(p)``, and nothing smaller will do for the chances of drawing
    ``p`` and ``1 - (1 - p) exp(-spread)``. [mathematics/001.md#lottery-level]
    """
    if p == 1:
        return 0.0
    return float(ndtri(p - (1 - p) * math.expm1(-spread)) - ndtri(p))


def play_level(u: float, horizon: float, log_phi: float, p: float, budget: float) -> float:
    """Return the Gaussian level of a whole play of P-COMW with Gibbs measures of scale u.

    One lottery follows the loss that differs, at most ``T - 2`` come later, and at most `budget` draws are made.
    [mathematics/001.md#gaussian-draws]
    """
    lotteries = lottery_level(p, 2 * log_phi) ** 2 + max(horizon - 2, 0) * lottery_level(p, 2 * u * u) ** 2
    return math.sqrt(lotteries + min(budget, horizon - 1) * (2 * u) ** 2)


def every_round_level(u: float, horizon: float) -> float:
    """Return the level of fresh draws in all T rounds: ``2 u sqrt(T - 1)``, as the first draw knows no loss."""
    return 2 * u * math.sqrt(horizon - 1)


def every_round_scale(horizon: float, level: float) -> float:
    """Return the scale u at which fresh draws in T rounds, at least 2, have a Gaussian level."""
    return level / (2 * math.sqrt(horizon - 1))


def every_round_parameters(
    horizon: float, dimension: int, level: float, lipschitz: float = 1.0, diameter: float = 1.0
) -> tuple[float, float]:
    """Return beta and lam for `GibbsEveryRound` at a Gaussian level, with the least bound on the regret."""
    check_level(horizon, level)
    return gibbs_parameters(horizon, dimension, every_round_scale(horizon, level), lipschitz, diameter)


def every_round_regret(
    horizon: float, dimension: int, level: float, lipschitz: float = 1.0, diameter: float = 1.0
) -> float:
    """Return the bound on the regret of fresh draws: ``G D (sqrt(2T + 8 d (T - 1) log(T) / level^2) + 1)``.

    [mathematics/001.md#every-round-regret]
    """
    beta, lam = every_round_parameters(horizon, dimension, level, lipschitz, diameter)
    return gibbs_regret(horizon, dimension, beta, lam, lipschitz, diameter)


def lazy_scale(horizon: float, level: float, p: float | None = None) -> float:
    """Return the largest scale at which P-COMW, with the lottery of `lazy_private_parameters`, has a Gaussian level."""
    check_level(horizon, level)
    low, high = 0.0, every_round_scale(horizon, level) * math.sqrt(horizon)  # a single draw costs 2 u already
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (
            (middle, high) if play_level(middle, horizon, *_lottery(middle, horizon, p)) <= level else (low, middle)
        )
    return low


def lazy_private_parameters(
    horizon: int, dimension: int, level: float, p: float | None = None, lipschitz: float = 1.0, diameter: float = 1.0
) -> Parameters:
    """Return parameters of P-COMW at a Gaussian level, with the least bound on the regret.

    Parameters
    ----------
    horizon : int
        Number of rounds T, at least 2.
    dimension : int
    level : float
        The whole play is level-GDP.
    p : float, optional
        Probability of a draw whatever the loss, in (0, 1]; the paper's ``T^(-1/3)`` by default. With 1 every round
        draws anew.
    lipschitz, diameter : float

    Raises
    ------
    InputError
        When the level is not positive, or there are fewer than 2 rounds.
    """
    u = lazy_scale(horizon, level, p)
    return Parameters(*gibbs_parameters(horizon, dimension, u, lipschitz, diameter), *_lottery(u, horizon, p))


def lazy_private_regret(
    horizon: float,
    dimension: int,
    level: float,
    p: float | None = None,
    lipschitz: float = 1.0,
    diameter: float = 1.0,
) -> float:
    """Return the bound on the regret of P-COMW at a Gaussian level.

    To that of fresh draws at its own scale it adds the drift, at most ``G D (2T exp(-p~ T) + 6 / T)``.
    [mathematics/001.md#gaussian-draws]
    """
    u = lazy_scale(horizon, level, p)
    beta, lam = gibbs_parameters(horizon, dimension, u, lipschitz, diameter)
    log_phi, chance, _ = _lottery(u, horizon, p)
    spent = 2 * horizon * math.exp(-draw_probability(log_phi, chance) * horizon) + 6 / horizon
    return gibbs_regret(horizon, dimension, beta, lam, lipschitz, diameter) + lipschitz * diameter * spent


def first_useful(bound: Callable[[int], float]) -> int:
    """Return the least T of at least 3 for which a bound on the regret is below T, by bisection.

    With G = D = 1 no play can lose more than T. [mathematics/001.md#useful-from]
    """
    high = 4
    while not bound(high) < high:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if bound(middle) < middle else (middle, high)
    return high


def check_level(horizon: float, level: float) -> None:
    """Refuse a level that is not positive, and fewer than 2 rounds.

    Raises
    ------
    InputError
        When it is so.
    """
    if not (level > 0 and horizon >= 2):
        raise InputError(
            f"Gibbs draws: level {level} in {horizon} rounds: write a positive level and at least 2 rounds"
        )


def _lottery(u: float, horizon: float, p: float | None) -> tuple[float, float, float]:
    """Return log Phi, p and the budget ``3 p~ T``; log Phi is chosen for the drift, ``6 G D / T^2`` in a round."""
    chance = horizon ** (-1 / 3) if p is None else p
    log_phi = log_closeness(u, horizon**-3.0)
    return log_phi, chance, max(math.floor(3 * draw_probability(log_phi, chance) * horizon), 1)
