"""What the private shrinking dartboard costs in privacy, by accountings that hold for every step and budget.

[mathematics/001.md#dartboard-accounting]
"""

import math

from private_experts.algorithms.dartboard_parameters import most_draws
from private_experts.privacy.composition import composed
from private_experts.privacy.conversions import to_gaussian
from private_experts.privacy.guarantees import PureDP


def dartboard_epsilon(eta: float, p: float, budget: float, delta: float = 0.0, batch: float = 1) -> float:
    """Return the epsilon of the actions under replacement of one loss vector. [mathematics/001.md#dartboard-accounting]

    A replaced loss vector moves each log-weight by at most ``s = -log(1 - eta) / batch``. It changes a single lottery,
    the one right after its batch. That costs at most ``log(1 + (1 - p)(1 - e^-s) / p)`` or s, whichever is larger. It
    also changes later draws, at most ``budget - 1``. Each costs at most 2s. Theorem 2's constants are larger.

    Parameters
    ----------
    eta : float
        Step size, in (0, p].
    p : float
        Probability of a draw whatever the loss, above 0 and below 1/2.
    budget : float
        The largest number of draws, at least 1, counted up to a whole number; ``inf`` for no limit.
    delta : float
        In [0, 1). For ``delta > 0`` the costs of the draws are added by advanced composition.
    batch : float
        Number of rounds between lotteries, at least 1. Where one loss moves by at most r < 1, the accounting is that of
        ``batch / r``.

    Returns
    -------
    float
        At least 0; 0 when there is no draw but the first.

    Examples
    --------
    It grows with the budget, and is about half of what `theorem_2_epsilon` says:

    >>> from private_experts.algorithms.dartboard_parameters import theorem_2_epsilon
    >>> from private_experts.algorithms.dartboard_privacy import dartboard_epsilon
    >>> [round(dartboard_epsilon(eta=0.0005, p=0.01, budget=budget), 3) for budget in (1, 100, 400)]
    [0.0, 0.147, 0.447]
    >>> round(theorem_2_epsilon(eta=0.0005, p=0.01, horizon=10_000), 3)  # its budget is 4 T p = 400
    0.85
    """
    budget = most_draws(budget)
    if budget < 2:  # the first draw is uniform, and there is no other
        return 0.0
    s, drawing = _changes(eta, p, batch)
    return max(drawing, s) + composed(2 * s, budget - 1, delta)


def dartboard_mu(eta: float, p: float, budget: float, batch: float = 1) -> float:
    """Return a mu for which the actions are mu-GDP under replacement of one loss vector.

    As in `dartboard_epsilon`, but each step counts with its range, and levels add in squares. The two outcomes of the
    lottery move in opposite directions. [mathematics/000.md#dartboard-gdp]

    Parameters
    ----------
    eta : float
        Step size, in (0, p].
    p : float
        Probability of a draw whatever the loss, above 0 and below 1/2.
    budget : float
        The largest number of draws, at least 1, counted up to a whole number; ``inf`` for no limit.
    batch : float
        Number of rounds between lotteries; see `dartboard_epsilon`.

    Returns
    -------
    float
        At least 0; 0 when there is no draw but the first.

    Examples
    --------
    >>> from private_experts.algorithms.dartboard_privacy import dartboard_mu
    >>> [round(dartboard_mu(eta=0.0005, p=0.01, budget=budget), 4) for budget in (1, 100, 400)]
    [0.0, 0.0312, 0.0331]
    """
    budget = most_draws(budget)
    if budget < 2:
        return 0.0
    s, drawing = _changes(eta, p, batch)
    lottery, draw = (to_gaussian(PureDP(width / 2, "central")).mu for width in (s + drawing, 2 * s))
    return math.hypot(lottery, math.sqrt(budget - 1) * draw)


def _changes(eta: float, p: float, batch: float) -> tuple[float, float]:
    """Return by how much one loss vector moves log-weights, and the log-probability of a draw in the lottery."""
    s = -math.log1p(-eta) / batch
    return s, math.log1p((1 - p) * -math.expm1(-s) / p)
