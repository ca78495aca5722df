"""The (epsilon, delta)-privacy of a play of P-COMW, by accountings of the proof. [001, Theorem 4.1]

The cost depends on beta and lam only through the scale ``u = G sqrt(beta / lam)``. The paper's constants were
not seen; those here are derived. `gaussian_accounting` counts better. [mathematics/001.md#accounting]
"""

import math
from collections.abc import Callable
from typing import Literal

from private_experts.errors import InputError
from private_experts.private_oco.closeness import draw_probability, log_closeness
from private_experts.validation import check_word, plain_numbers

Accounting = Literal["closed", "mended", "careful"]


@plain_numbers
def mended_cost(u: float, horizon: float, delta: float) -> float:
    """Return eps' of the privacy theorem with mended constants, for p = T^(-1/3) and the budget 3 p~ T."""
    log_phi = private_log_phi(u, horizon, delta)
    first = 10 * log_phi**2 * horizon ** (2 / 3)
    return float(first + 12 * log_phi**3 * horizon + 18 * u**4 * horizon ** (5 / 3))


@plain_numbers
def private_log_phi(u: float, horizon: float, delta: float) -> float:
    """Return the privacy theorem's log Phi, ``2 log Phi'`` at scale 3u and ``delta' = delta / (60 T^2)``."""
    return 2 * log_closeness(3 * u, delta / (60 * horizon**2))


@plain_numbers
def advanced_epsilon(cost: float, delta: float) -> float:
    """Return ``1.5 eps' + sqrt(6 eps' log(2/delta))`` for a sum eps' of squared costs. [001, Lemma A.1]"""
    return 1.5 * cost + math.sqrt(6 * cost * math.log(2 / delta))


@plain_numbers
def mended_epsilon(u: float, horizon: float, delta: float) -> float:
    """Return the privacy theorem's epsilon with mended constants. [mathematics/001.md#mended-accounting]"""
    return advanced_epsilon(mended_cost(u, horizon, delta), delta)


@plain_numbers
def careful_epsilon(u: float, horizon: float, delta: float) -> float:
    """Return the epsilon that the same proof gives without waste. [mathematics/001.md#careful-accounting]

    Lottery and draw of a round are composed as two steps, so no cross term arises. The first lottery costs at
    most ``2 log(Phi) / p``, a later one ``2 u^2 / p``, and a draw ``log Phi'`` at scale 2u. The drift does
    not enter.
    """
    log_phi, p, budget = careful_lottery(u, horizon)
    log_draw = log_closeness(2 * u, delta / (2 * budget))
    # Costs enter by their squares, as in advanced composition. [001.md#careful-accounting]
    squares = (2 * log_phi / p) ** 2 + budget * log_draw**2 + horizon * (2 * u * u / p) ** 2
    return squares / 2 + math.sqrt(2 * squares * math.log(2 / delta))


@plain_numbers
def careful_lottery(u: float, horizon: float) -> tuple[float, float, int]:
    """Return log Phi, p and the budget of the careful accounting."""
    log_phi, p = log_closeness(u, horizon**-3.0), horizon ** (-1 / 3)
    return log_phi, p, max(math.floor(3 * draw_probability(log_phi, p) * horizon), 1)


@plain_numbers
def closed_scale(horizon: float, epsilon: float, delta: float) -> float:
    """Return a scale in closed form at which `mended_epsilon` is at most epsilon."""
    spread, composed = math.log(120 * horizon**2 / delta), math.log(2 / delta)
    by_lotteries = epsilon / (202 * math.sqrt(spread * composed) * horizon ** (1 / 3))
    return float(min(by_lotteries, math.sqrt(epsilon) / (4.61 * composed**0.25 * horizon ** (5 / 12))))


_EPSILONS: dict[str, Callable[[float, float, float], float]] = {
    "mended": mended_epsilon,
    "careful": careful_epsilon,
}


@plain_numbers
def private_scale(horizon: float, epsilon: float, delta: float, accounting: Accounting = "mended") -> float:
    """Return Theorem 4.1's scale u, for epsilon in (0, 1], delta in (0, 1/2]. [mathematics/001.md#accounting]

    "closed" is `closed_scale`; "mended" and "careful" are the largest at which `mended_epsilon` or
    `careful_epsilon` is at most epsilon.
    """
    if not (0 < epsilon <= 1 and 0 < delta <= 0.5 and horizon >= 1):
        raise InputError(
            f"P-COMW: epsilon = {epsilon}, delta = {delta}, {horizon} rounds: "
            "write 0 < epsilon <= 1, 0 < delta <= 1/2, and at least 1 round"
        )
    if accounting == "closed":
        return closed_scale(horizon, epsilon, delta)
    check_word("P-COMW: accounting", accounting, "closed", "mended", "careful")
    low, high = 0.0, 1.0  # at scale 1 each accounting costs more than 1
    while high - low > 1e-12 * high:
        # From above by halves at first: the answer may be smaller than 1e-9, far below the interval's middle.
        middle = (low + high) / 2 if low else high / 2
        if _EPSILONS[accounting](middle, horizon, delta) <= epsilon:
            low = middle
        else:
            high = middle
    return low
