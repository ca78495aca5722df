"""Parameters of P-COMW, and the regret that its theorems promise for them. [001, Theorems 4.1 and 4.2]

`closeness` says how often it draws, `private_accounting` what Theorem 4.1 spends, and `gaussian_accounting`
gives better private parameters. The paper's constants were not seen; those here are derived.
[mathematics/001.md#regret]
"""

import math
from typing import NamedTuple

from private_experts.errors import InputError
from private_experts.private_oco.closeness import draw_probability, log_closeness
from private_experts.private_oco.convex_regret import gibbs_parameters
from private_experts.private_oco.private_accounting import (
    Accounting,
    careful_lottery,
    private_log_phi,
    private_scale,
)
from private_experts.validation import plain_numbers


class Parameters(NamedTuple):
    """What a Gibbs family (beta, lam) and `PCOMW` (the others) take."""

    beta: float  # inverse temperature, positive
    lam: float  # strength of the quadratic regulariser, positive
    log_phi: float  # logarithm of the scale Phi, at least 0
    p: float  # probability of a draw whatever the loss
    budget: float  # the largest number of draws; inf for no limit


# The lazy variant


@plain_numbers
def lazy_parameters(
    horizon: int, dimension: int, switches: float, lipschitz: float = 1.0, diameter: float = 1.0
) -> Parameters:
    """Return Theorem 4.2's parameters for at most `switches` expected draws. [mathematics/001.md#theorem-4-2]

    Parameters
    ----------
    horizon : int
        Number of rounds T, at least 3.
    dimension : int
        Dimension d of the set, at least 1.
    switches : float
        Above 0 and at most T.
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
        When there are fewer than 3 rounds, or not between 0 and T switches.

    Examples
    --------
    >>> from private_experts.private_oco.closeness import draw_probability
    >>> from private_experts.private_oco.parameters import lazy_parameters
    >>> play = lazy_parameters(horizon=1000, dimension=2, switches=50)
    >>> play.p, play.budget, round(1000 * draw_probability(play.log_phi, play.p), 1)
    (0.0, inf, 39.2)
    """
    if not (horizon >= 3 and 0 < switches <= horizon):
        raise InputError(
            f"P-COMW: {switches} switches in {horizon} rounds: write T >= 3, and S above 0 and at most T"
        )
    # At this scale the expected draws are at most S, whatever the losses are. [001.md#theorem-4-2]
    u = switches / (5 * horizon * math.sqrt(math.log(horizon)))
    beta, lam = gibbs_parameters(horizon, dimension, u, lipschitz, diameter)
    return Parameters(beta, lam, log_closeness(u, 2 / horizon**2), 0.0, math.inf)


@plain_numbers
def lazy_regret(
    horizon: float, dimension: int, switches: float, lipschitz: float = 1.0, diameter: float = 1.0
) -> float:
    """Return the bound of Theorem 4.2, ``G D (sqrt(2 T) + 5 sqrt(2 d) T log(T) / S + 13)``."""
    switching = 5 * math.sqrt(2 * dimension) * horizon * math.log(horizon) / switches
    return lipschitz * diameter * (math.sqrt(2 * horizon) + switching + 13)


# The private variant


@plain_numbers
def private_parameters(
    horizon: int,
    dimension: int,
    epsilon: float,
    delta: float,
    lipschitz: float = 1.0,
    diameter: float = 1.0,
    accounting: Accounting = "mended",
) -> Parameters:
    """Return the parameters of Theorem 4.1, for which the actions are (epsilon, delta)-DP.

    This holds for exact samples, and for every T. [mathematics/001.md#accounting]

    Parameters
    ----------
    horizon : int
        Number of rounds T, at least 1.
    dimension : int
        Dimension d of the set, at least 1.
    epsilon : float
        In (0, 1].
    delta : float
        In (0, 1/2].
    lipschitz : float
        The losses' Lipschitz constant G, positive.
    diameter : float
        The set's diameter D, positive.
    accounting : {"closed", "mended", "careful"}
        As in `private_scale`.

    Returns
    -------
    parameters : Parameters

    Raises
    ------
    InputError
        When epsilon is not in (0, 1], delta not in (0, 1/2], or there is no round.

    Examples
    --------
    >>> from private_experts.private_oco.parameters import private_parameters
    >>> play = private_parameters(10**6, dimension=1, epsilon=1.0, delta=1e-6, accounting="careful")
    >>> round(play.p, 4), play.budget  # at most this many of a million rounds draw anew
    (0.01, 33152)
    """
    u = private_scale(horizon, epsilon, delta, accounting)
    beta, lam = gibbs_parameters(horizon, dimension, u, lipschitz, diameter)
    if accounting == "careful":
        return Parameters(beta, lam, *careful_lottery(u, horizon))
    log_phi, p = private_log_phi(u, horizon, delta), horizon ** (-1 / 3)
    return Parameters(beta, lam, log_phi, p, math.floor(3 * draw_probability(log_phi, p) * horizon))


@plain_numbers
def private_regret(
    horizon: float,
    dimension: int,
    epsilon: float,
    delta: float,
    lipschitz: float = 1.0,
    diameter: float = 1.0,
    accounting: Accounting = "mended",
) -> float:
    """Return the bound of Theorem 4.1, ``G D (sqrt(2 T + 2 d log(T) / u^2) + 1 + drift)``.

    The drift is ``2 T exp(-T^(2/3)) + 6 T^2 delta'``, with delta' the closeness for which Phi was chosen.
    [mathematics/001.md#theorem-4-1]
    """
    u = private_scale(horizon, epsilon, delta, accounting)
    # The closeness for which Phi was chosen is what the law drifts by in a round.
    close = horizon**-3.0 if accounting == "careful" else delta / (60 * horizon**2)
    drift = 2 * horizon * math.exp(-(horizon ** (2 / 3))) + 6 * horizon**2 * close
    root = math.sqrt(2 * horizon + 2 * dimension * math.log(horizon) / u**2)
    return lipschitz * diameter * (root + 1 + drift)
