"""Parameters of P-COMW, and what its theorems promise for them: regret, draws, privacy. [001, Theorems 4.1 and 4.2]

Draws and privacy depend on beta and lam only through the scale ``u = G sqrt(beta / lam)``. A loss moves the logarithm
of the Gibbs density by about u. The paper's constants were not seen; those here are derived.
[mathematics/001.md#regret] [mathematics/001.md#privacy]
"""

import math
from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from private_experts.errors import InputError

Accounting = Literal["closed", "mended", "careful"]


class Parameters(NamedTuple):
    """What a Gibbs family and `PCOMW` take."""

    beta: float
    lam: float
    log_phi: float
    p: float
    budget: float


# Closeness, draws, drift


def log_closeness(u: float, delta: float) -> float:
    """Return log Phi for which measures of scale u are (Phi, delta)-close: ``u^2 + u sqrt(2 log(2/delta))``.

    [mathematics/001.md#density-ratio-lemma]
    """
    return u * u + u * math.sqrt(2 * math.log(2 / delta))


def draw_probability(log_phi: float, p: float) -> float:
    """Return ``p~ = p + 1 - Phi^-2``, a bound on the probability of a draw. [mathematics/001.md#switching-bound]"""
    return p - math.expm1(-2 * log_phi)


def drift_bound(rounds: int, delta: float, draws: float | None = None) -> float:
    """Return the bound on the total variation distance of the law in a round from its Gibbs measure.

    [001, Lemma C.1] [mathematics/001.md#lemma-c1]

    Parameters
    ----------
    rounds : int
        Rounds before this one.
    delta : float
        Closeness of neighbouring measures.
    draws : float, optional
        ``p~ T``, when the budget is ``3 p~ T``. Without it there is no budget.
    """
    return 3 * delta * rounds + (0.0 if draws is None else math.exp(-draws))


def tight_drift(rounds: ArrayLike, delta: float, log_phi: float, p: float) -> NDArray[np.float64]:
    """Return the smaller bound on that distance without a budget, ``(1 - p) delta rounds / Phi``.

    [mathematics/001.md#lemma-c1]
    """
    return (1 - p) * delta * math.exp(-log_phi) * np.asarray(rounds, dtype=np.float64)


# Regret


def gibbs_regret(
    horizon: float, dimension: int, beta: float, lam: float, lipschitz: float = 1.0, diameter: float = 1.0
) -> float:
    """Return the bound on the regret of sampling each x_t from mu_t.

    Its terms pay for regulariser, stability, entropy and the shrunk set. [mathematics/001.md#regret-theorem]
    """
    return (
        lam * diameter**2 / 2
        + lipschitz**2 * horizon / lam
        + dimension * math.log(horizon) / beta
        + lipschitz * diameter
    )


def gibbs_parameters(
    horizon: float, dimension: int, u: float, lipschitz: float = 1.0, diameter: float = 1.0
) -> tuple[float, float]:
    """Return beta and lam of scale u for which `gibbs_regret` is least.

    It is then ``G D (sqrt(2 T + 2 d log(T) / u^2) + 1)``. [mathematics/001.md#best-lambda]
    """
    lam = lipschitz / diameter * math.sqrt(2 * horizon + 2 * dimension * math.log(horizon) / u**2)
    return lam * (u / lipschitz) ** 2, lam


# The lazy variant


def lazy_parameters(
    horizon: int, dimension: int, switches: float, lipschitz: float = 1.0, diameter: float = 1.0
) -> Parameters:
    """Return the parameters of Theorem 4.2, for at most `switches` expected draws. [mathematics/001.md#theorem-4-2]

    Raises
    ------
    InputError
        When there are fewer than 3 rounds, or not between 0 and T switches.
    """
    if not (horizon >= 3 and 0 < switches <= horizon):
        raise InputError(f"P-COMW: {switches} switches in {horizon} rounds: write T >= 3, and S above 0 and at most T")
    u = switches / (5 * horizon * math.sqrt(math.log(horizon)))
    beta, lam = gibbs_parameters(horizon, dimension, u, lipschitz, diameter)
    return Parameters(beta, lam, log_closeness(u, 2 / horizon**2), 0.0, math.inf)


def lazy_regret(
    horizon: float, dimension: int, switches: float, lipschitz: float = 1.0, diameter: float = 1.0
) -> float:
    """Return the bound of Theorem 4.2, ``G D (sqrt(2 T) + 5 sqrt(2 d) T log(T) / S + 13)``."""
    switching = 5 * math.sqrt(2 * dimension) * horizon * math.log(horizon) / switches
    return lipschitz * diameter * (math.sqrt(2 * horizon) + switching + 13)


# The private variant


def mended_cost(u: float, horizon: float, delta: float, kappa: float = 3.0) -> float:
    """Return eps' of the privacy theorem with the constants of its companion paper mended.

    It is ``10 log^2(Phi) T^(2/3) + 12 log^3(Phi) T + 2 kappa^2 u^4 T^(5/3)``, for p = T^(-1/3) and the budget 3 p~ T.
    ``log Phi`` is twice that of losses whose difference is 3G-Lipschitz. [mathematics/001.md#mended-accounting]
    """
    log_phi = private_log_phi(u, horizon, delta)
    return 10 * log_phi**2 * horizon ** (2 / 3) + 12 * log_phi**3 * horizon + 2 * kappa**2 * u**4 * horizon ** (5 / 3)


def private_log_phi(u: float, horizon: float, delta: float) -> float:
    """Return the privacy theorem's log Phi, ``2 log Phi'`` at scale 3u and ``delta' = delta / (60 T^2)``."""
    return 2 * log_closeness(3 * u, delta / (60 * horizon**2))


def composed_epsilon(cost: float, delta: float) -> float:
    """Return ``1.5 eps' + sqrt(6 eps' log(2/delta))``. [001, Lemma A.1]"""
    return 1.5 * cost + math.sqrt(6 * cost * math.log(2 / delta))


def mended_epsilon(u: float, horizon: float, delta: float) -> float:
    """Return the epsilon of the privacy theorem with mended constants, at scale u."""
    return composed_epsilon(mended_cost(u, horizon, delta), delta)


def careful_epsilon(u: float, horizon: float, delta: float) -> float:
    """Return the epsilon that the same proof gives without waste. [mathematics/001.md#careful-accounting]

    Lottery and draw of a round are composed as two steps, so no cross term arises. The lottery after the loss that
    differs costs at most ``2 log(Phi) / p``, and each later lottery ``2 u^2 / p``. Both hold on every history, as
    clipping is 1-Lipschitz. Each draw costs ``log Phi'`` at scale 2u, and fails with ``delta' = delta / (2 B)``.
    Composition spends the other half of delta. It gives ``s / 2 + sqrt(2 s log(2/delta))`` for the sum s of squared
    costs. The drift of the law does not enter.
    """
    log_phi, p, budget = _careful_lottery(u, horizon)
    log_draw = log_closeness(2 * u, delta / (2 * budget))
    squares = (2 * log_phi / p) ** 2 + budget * log_draw**2 + horizon * (2 * u * u / p) ** 2
    return squares / 2 + math.sqrt(2 * squares * math.log(2 / delta))


def _careful_lottery(u: float, horizon: float) -> tuple[float, float, float]:
    """Return log Phi, p and the budget.

    Phi is chosen for the drift of the law alone, which then costs at most ``6 G D / T^2`` in a round.
    """
    log_phi, p = log_closeness(u, horizon**-3.0), horizon ** (-1 / 3)
    return log_phi, p, max(math.floor(3 * draw_probability(log_phi, p) * horizon), 1)


def closed_scale(horizon: float, epsilon: float, delta: float) -> float:
    """Return a scale in closed form at which `mended_epsilon` is at most epsilon, for epsilon at most 1.

    [mathematics/001.md#closed-scale]
    """
    spread, composed = math.log(120 * horizon**2 / delta), math.log(2 / delta)
    return min(
        epsilon / (202 * math.sqrt(spread * composed) * horizon ** (1 / 3)),
        math.sqrt(epsilon) / (4.61 * composed**0.25 * horizon ** (5 / 12)),
    )


_EPSILONS: dict[str, Callable[[float, float, float], float]] = {"mended": mended_epsilon, "careful": careful_epsilon}


def private_scale(horizon: float, epsilon: float, delta: float, accounting: Accounting = "mended") -> float:
    """Return the scale u of Theorem 4.1: in closed form, or the largest that an accounting allows.

    "closed" is `closed_scale`. "mended" counts by `mended_epsilon`, and "careful" by `careful_epsilon`.

    Raises
    ------
    InputError
        When epsilon is not in (0, 1], delta not in (0, 1/2], or there is no round.
    """
    if not (0 < epsilon <= 1 and 0 < delta <= 0.5 and horizon >= 1):
        raise InputError(f"P-COMW: epsilon = {epsilon}, delta = {delta}: write 0 < epsilon <= 1 and 0 < delta <= 1/2")
    if accounting == "closed":
        return closed_scale(horizon, epsilon, delta)
    low, high = 0.0, 1.0  # at scale 1 each accounting costs more than 1
    while high - low > 1e-12 * high:
        middle = (low + high) / 2 if low else high / 2
        if _EPSILONS[accounting](middle, horizon, delta) <= epsilon:
            low = middle
        else:
            high = middle
    return low


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

    Raises
    ------
    InputError
        When epsilon is not in (0, 1], delta not in (0, 1/2], or there is no round.
    """
    u = private_scale(horizon, epsilon, delta, accounting)
    beta, lam = gibbs_parameters(horizon, dimension, u, lipschitz, diameter)
    if accounting == "careful":
        return Parameters(beta, lam, *_careful_lottery(u, horizon))
    log_phi, p = private_log_phi(u, horizon, delta), horizon ** (-1 / 3)
    return Parameters(beta, lam, log_phi, p, math.floor(3 * draw_probability(log_phi, p) * horizon))


def private_regret(
    horizon: float,
    dimension: int,
    epsilon: float,
    delta: float,
    lipschitz: float = 1.0,
    diameter: float = 1.0,
    accounting: Accounting = "mended",
) -> float:
    """Return the bound of Theorem 4.1 on the expected regret.

    It is ``G D (sqrt(2 T + 2 d log(T) / u^2) + 1 + drift)`` with drift ``2 T exp(-T^(2/3)) + 6 T^2 delta'``.
    Here delta' is the closeness for which Phi was chosen: ``delta / (60 T^2)``, or ``T^-3`` in the careful accounting.
    [mathematics/001.md#theorem-4-1]
    """
    u = private_scale(horizon, epsilon, delta, accounting)
    close = horizon**-3.0 if accounting == "careful" else delta / (60 * horizon**2)
    drift = 2 * horizon * math.exp(-(horizon ** (2 / 3))) + 6 * horizon**2 * close
    root = math.sqrt(2 * horizon + 2 * dimension * math.log(horizon) / u**2)
    return lipschitz * diameter * (root + 1 + drift)
