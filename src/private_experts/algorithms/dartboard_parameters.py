"""Parameters of the private shrinking dartboard, and what Theorem 2 states about them.

Asi, Feldman, Koren, Talwar: Private online prediction from experts (COLT 2023).
[mathematics/001.md#shrinking-dartboard]
"""

import math
from typing import NamedTuple

from private_experts.errors import InputError
from private_experts.validation import as_float, checked_number, plain_numbers


class DartboardParameters(NamedTuple):
    """Parameters of `ShrinkingDartboard` besides its size and randomness; pass them as ``**parameters._asdict()``.

    [mathematics/001.md#shrinking-dartboard]

    Parameters
    ----------
    eta : float
        Step size, in (0, p].
    p : float
        Probability of a draw whatever the loss, above 0 and below 1/2.
    budget : int
        The largest number of draws, at least 1.
    batch : int
        Number of rounds between lotteries, at least 1.
    delta : float
        The delta of the stated guarantee; 0 for pure differential privacy.

    Examples
    --------
    >>> from private_experts.algorithms import DartboardParameters, ShrinkingDartboard
    >>> from private_experts.randomness import rng_for
    >>> parameters = DartboardParameters(eta=0.0005, p=0.01, budget=400)
    >>> algorithm = ShrinkingDartboard(5, rng=rng_for(0, "darts"), **parameters._asdict())
    >>> round(algorithm.guarantee.epsilon, 3)
    0.447
    """

    eta: float
    p: float
    budget: int
    batch: int = 1
    delta: float = 0.0


@plain_numbers
def pure_parameters(horizon: int, epsilon: float) -> DartboardParameters:
    """Return the parameters of Corollary 4: epsilon-DP with regret O(sqrt(T) log(n) / epsilon).

    [mathematics/001.md#dartboard-corollary-4]

    Parameters
    ----------
    horizon : int
        Number of rounds T, more than 4.
    epsilon : float
        Privacy level, positive, at most 20.

    Returns
    -------
    DartboardParameters

    Examples
    --------
    >>> from private_experts.algorithms import pure_parameters
    >>> pure_parameters(horizon=10_000, epsilon=1.0)
    DartboardParameters(eta=0.0005, p=0.01, budget=400, batch=1, delta=0.0)
    """
    p = horizon**-0.5
    return DartboardParameters(p * epsilon / 20, p, int(4 * horizon * p))


@plain_numbers
def approximate_parameters(horizon: int, n: int, epsilon: float, delta: float) -> DartboardParameters:
    """Return the parameters of Corollary 3, for (epsilon, delta)-DP with epsilon at most 1.

    The regret is ``O(sqrt(T log n) + T^(1/3) log^(1/3)(1/delta) log(n) / epsilon)``.
    [mathematics/001.md#dartboard-corollary-3]

    Parameters
    ----------
    horizon : int
        Number of rounds T.
    n : int
        Number of experts, at least 2.
    epsilon : float
        Privacy level, in (0, 1].
    delta : float
        In (0, 1).

    Returns
    -------
    DartboardParameters

    Examples
    --------
    >>> from private_experts.algorithms import approximate_parameters
    >>> eta, p, budget, batch, delta = approximate_parameters(horizon=10_000, n=5, epsilon=1.0, delta=1e-6)
    >>> round(eta, 5), round(p, 4), budget
    (0.00048, 0.0193, 773)
    """
    spread = math.log(1 / delta)
    p = (horizon * spread) ** (-1 / 3)
    level = min(epsilon / 2, spread ** (1 / 3) * horizon ** (-1 / 6) * math.sqrt(math.log(n)))
    return DartboardParameters(p * level / 20, p, int(4 * horizon * p), delta=delta)


@plain_numbers
def batched_parameters(horizon: int, n: int, epsilon: float, delta: float) -> DartboardParameters:
    """Return the parameters of Corollary 6, the batched form, for (epsilon, delta)-DP with epsilon at most 1.

    The regret is ``O(sqrt(T log n) + T^(2/5) log^(1/5)(1/delta) log^(4/5)(n) / epsilon^(4/5))``.
    [mathematics/001.md#dartboard-corollary-6]

    Parameters
    ----------
    horizon, n, epsilon, delta
        As for `approximate_parameters`.

    Returns
    -------
    DartboardParameters

    Examples
    --------
    The stronger the privacy, the more rounds are taken together:

    >>> from private_experts.algorithms import batched_parameters
    >>> [batched_parameters(10_000, 5, epsilon, delta=1e-6).batch for epsilon in (1.0, 0.1, 0.01)]
    [1, 2, 10]
    """
    spread = math.log(1 / delta)
    size = spread**0.4 * math.log(n) ** 0.6 / (horizon**0.2 * epsilon**0.6)
    batch = max(1, round(size))
    p = (batch / (horizon * spread)) ** (1 / 3)
    return DartboardParameters(batch * p * epsilon / 40, p, int(4 * horizon * p / batch), batch, delta)


@plain_numbers
def theorem_2_epsilon(eta: float, p: float, horizon: int, delta: float = 0.0) -> float:
    """Return the epsilon that Theorem 2 states for ``budget = 4 T p``. [mathematics/001.md#dartboard-theorem]"""
    if delta == 0:
        return eta / p + 16 * horizon * p * eta
    return 5 * eta / p + 100 * horizon * p * eta**2 + 20 * eta * math.sqrt(horizon * p * math.log(1 / delta))


@plain_numbers
def theorem_2_regret(eta: float, p: float, horizon: int, n: int, batch: int = 1) -> float:
    """Return Theorem 2's bound on the expected static regret for ``budget = 4 T p / batch``.

    [mathematics/001.md#dartboard-theorem] [mathematics/001.md#dartboard-batches]

    `batch` is the number of rounds between lotteries. The bound is in units of the gains, which are in [0, 1].
    """
    return eta * horizon + batch * math.log(n) / eta + 2 * horizon * math.exp(-horizon * p / (3 * batch))


def checked_parameters(eta: float, p: float, budget: float) -> tuple[float, float, float]:
    """Return the parameters of a dartboard as floats, once it is certain that each is in its range.

    [mathematics/001.md#dartboard-theorem]
    """
    chance = checked_number("shrinking dartboard: p", p, 0, 0.5, ends=False)
    step, draws = as_float(eta), as_float(budget)
    if not 0 < step <= chance:
        raise InputError(f"shrinking dartboard: eta = {eta}: write a number above 0 and at most p = {p}")
    if not draws >= 1:
        raise InputError(f"shrinking dartboard: budget = {budget}: write a number of draws of at least 1")
    return step, chance, draws


def most_draws(budget: float) -> float:
    """Return how many draws a budget allows. One that is no whole number counts as the next one.

    [mathematics/001.md#shrinking-dartboard]
    """
    return budget if math.isinf(budget) else math.ceil(budget)
