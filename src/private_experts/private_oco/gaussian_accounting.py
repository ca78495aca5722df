"""Parameters at a Gaussian privacy level, for fresh draws and for P-COMW, and their regret bounds.

The levels are those of `gaussian_levels`. [mathematics/001.md#gaussian-draws]
"""

import math
from collections.abc import Callable

from private_experts.private_oco.closeness import draw_probability, log_closeness
from private_experts.private_oco.convex_regret import GibbsParameters, gibbs_parameters, gibbs_regret
from private_experts.private_oco.gaussian_levels import check_level, every_round_scale, play_level
from private_experts.private_oco.parameters import Parameters
from private_experts.validation import plain_numbers


@plain_numbers
def every_round_parameters(
    horizon: float, dimension: int, level: float, lipschitz: float = 1.0, diameter: float = 1.0
) -> GibbsParameters:
    """Return beta and lam for `GibbsEveryRound` at a Gaussian level, with the least bound on the regret."""
    check_level(horizon, level)
    return gibbs_parameters(horizon, dimension, every_round_scale(horizon, level), lipschitz, diameter)


@plain_numbers
def every_round_regret(
    horizon: float, dimension: int, level: float, lipschitz: float = 1.0, diameter: float = 1.0
) -> float:
    """Return the regret bound of fresh draws: ``G D (sqrt(2T + 8 d (T - 1) log(T) / level^2) + 1)``."""
    beta, lam = every_round_parameters(horizon, dimension, level, lipschitz, diameter)
    return gibbs_regret(horizon, dimension, beta, lam, lipschitz, diameter)


@plain_numbers
def lazy_scale(horizon: float, level: float, p: float | None = None) -> float:
    """Return the largest scale with a Gaussian level for P-COMW with `lazy_private_parameters`' lottery."""
    check_level(horizon, level)
    # The level of a play grows with u, so bisection finds the largest scale.
    low, high = 0.0, every_round_scale(horizon, level) * math.sqrt(horizon)  # a single draw costs 2 u already
    while high - low > 1e-12 * high:
        middle = (low + high) / 2
        low, high = (
            (middle, high)
            if play_level(middle, horizon, *_lottery(middle, horizon, p)) <= level
            else (low, middle)
        )
    # The lower end: at it the level holds for certain.
    return low


@plain_numbers
def lazy_private_parameters(
    horizon: int,
    dimension: int,
    level: float,
    p: float | None = None,
    lipschitz: float = 1.0,
    diameter: float = 1.0,
) -> Parameters:
    """Return parameters of P-COMW at a Gaussian level, with the least bound on the regret.

    [mathematics/001.md#gaussian-draws]

    Parameters
    ----------
    horizon : int
        Number of rounds T, at least 2.
    dimension : int
        Dimension d of the set, at least 1.
    level : float
        The whole play is level-GDP; positive.
    p : float, optional
        Probability of a draw whatever the loss, in (0, 1]; the paper's ``T^(-1/3)`` by default. With 1 every
        round draws anew.
    lipschitz : float
        The losses' Lipschitz constant G, positive.
    diameter : float
        The set's diameter D, positive.

    Returns
    -------
    parameters : Parameters

    Raises
    ------
    InputError
        When the level is not positive, or there are fewer than 2 rounds.

    Examples
    --------
    >>> from private_experts.private_oco.gaussian_accounting import lazy_private_parameters
    >>> play = lazy_private_parameters(10**6, dimension=1, level=1.0)
    >>> round(play.p, 4), play.budget  # at most this many of a million rounds draw anew
    (0.01, 102641)
    """
    u = lazy_scale(horizon, level, p)
    return Parameters(*gibbs_parameters(horizon, dimension, u, lipschitz, diameter), *_lottery(u, horizon, p))


@plain_numbers
def lazy_private_regret(
    horizon: float,
    dimension: int,
    level: float,
    p: float | None = None,
    lipschitz: float = 1.0,
    diameter: float = 1.0,
) -> float:
    """Return P-COMW's regret bound at a Gaussian level: that at its scale, and the drift of the law."""
    u = lazy_scale(horizon, level, p)
    beta, lam = gibbs_parameters(horizon, dimension, u, lipschitz, diameter)
    log_phi, chance, _ = _lottery(u, horizon, p)
    # Losses of the budget running out and of the drift, each at most G D a round.
    spent = 2 * horizon * math.exp(-draw_probability(log_phi, chance) * horizon) + 6 / horizon
    return gibbs_regret(horizon, dimension, beta, lam, lipschitz, diameter) + lipschitz * diameter * spent


def first_useful(bound: Callable[[int], float]) -> int:
    """Return the least T >= 3 at which a bound, which falls as a share of T, is below T, by bisection."""
    high = 4
    # By doubling, as nobody knows beforehand for how many rounds a bound is useless.
    while not bound(high) < high:
        high *= 2
    low = high // 2
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if bound(middle) < middle else (middle, high)
    return high


def _lottery(u: float, horizon: float, p: float | None) -> tuple[float, float, float]:
    """Return log Phi, p and the budget ``3 p~ T``; log Phi is for a drift of ``6 G D / T^2`` a round."""
    # The paper's p. [001, Theorem 4.1]
    chance = horizon ** (-1 / 3) if p is None else p
    log_phi = log_closeness(u, horizon**-3.0)
    return log_phi, chance, max(math.floor(3 * draw_probability(log_phi, chance) * horizon), 1)
