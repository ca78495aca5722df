"""Parameters of the private shrinking dartboard, and what Theorem 2 states about them.

Asi, Feldman, Koren, Talwar: Private online prediction from experts (COLT 2023).
[mathematics/001.md#shrinking-dartboard]
"""

import math
from typing import NamedTuple

from private_experts.errors import InputError
from private_experts.privacy.guarantees import ApproximateDP, PureDP, central_delta
from private_experts.validation import as_float, checked_number, plain_numbers, whole

_ROUNDING = 1e-12  # a step may exceed p by this share


class DartboardParameters(NamedTuple):
    """Parameters of `ShrinkingDartboard` and `SwitchingDartboard`. [mathematics/001.md#shrinking-dartboard]

    Parameters
    ----------
    eta : float
        Step size, in (0, p].
    p : float
        Probability of a draw whatever the loss, above 0 and below 1/2. With ``eta <= p`` a draw has
        probability at most 2p, which the regret bound needs.
    budget : float
        The largest number of draws, at least 1, counted up to a whole number. Theorem 2 has ``4 T p /
        batch``. ``inf`` means no limit and no privacy.
    batch : int
        Number of rounds between lotteries, at least 1, which then see the mean loss of these rounds.

    Examples
    --------
    >>> from private_experts.algorithms import DartboardParameters
    >>> from private_experts.privacy import ApproximateDP, PureDP
    >>> DartboardParameters.for_guarantee(PureDP(1.0, "central"), n=5, horizon=10_000)
    DartboardParameters(eta=0.0005, p=0.01, budget=400, batch=1)

    In batches, the stronger the privacy, the more rounds are taken together:

    >>> levels = [ApproximateDP(epsilon, 1e-6, "central") for epsilon in (1.0, 0.1, 0.01)]
    >>> game = {"n": 5, "horizon": 10_000, "batched": True}
    >>> [DartboardParameters.for_guarantee(level, **game).batch for level in levels]
    [1, 2, 10]
    """

    eta: float
    p: float
    budget: float
    batch: int = 1

    @classmethod
    def for_guarantee(
        cls, guarantee: PureDP | ApproximateDP, n: int, horizon: int, *, batched: bool = False
    ) -> "DartboardParameters":
        """Return the paper's parameters for a guarantee, n experts and a horizon of more than 4 rounds.

        Pure privacy, with epsilon at most 20, has those of Corollary 4: regret ``O(sqrt(T) log(n) /
        epsilon)``. [mathematics/001.md#dartboard-corollary-4]

        Approximate privacy, with epsilon at most 1, has those of Corollary 3: regret ``O(sqrt(T log n) +
        T^(1/3) log^(1/3)(1/delta) log(n) / epsilon)``. [mathematics/001.md#dartboard-corollary-3]

        In batches it has those of Corollary 6: regret ``O(sqrt(T log n) + T^(2/5) log^(1/5)(1/delta)
        log^(4/5)(n) / epsilon^(4/5))``. [mathematics/001.md#dartboard-corollary-6]
        """
        delta = central_delta("dartboard parameters", guarantee)
        epsilon = checked_number("dartboard parameters: epsilon", guarantee.epsilon, 0, ends=False)
        # With T <= 4, p = T^(-1/2) is no chance below 1/2.
        horizon = whole(horizon, "dartboard parameters", "horizon", least=5)
        # One expert has log 1 = 0, and a step of 0 is none.
        logarithm = math.log(max(whole(n, "dartboard parameters", "n", most=None), 2))
        if delta == 0:
            if batched:
                raise InputError(
                    "dartboard parameters: batches are known for a positive delta: write ApproximateDP"
                )
            # Corollary 4: Theorem 2's terms are then epsilon / 20 and 16 epsilon / 20.
            p = horizon**-0.5
            return cls._possible(guarantee, cls(p * epsilon / 20, p, int(4 * horizon * p)))
        spread = math.log(1 / delta)
        if batched:
            batch = max(1, round(spread**0.4 * logarithm**0.6 / (horizon**0.2 * epsilon**0.6)))
            p = (batch / (horizon * spread)) ** (1 / 3)
            return cls._possible(
                guarantee, cls(batch * p * epsilon / 40, p, int(4 * horizon * p / batch), batch)
            )
        p = (horizon * spread) ** (-1 / 3)
        # The second term makes eta sqrt(log(n) / T) / 20, the order that is best without privacy.
        level = min(epsilon / 2, spread ** (1 / 3) * horizon ** (-1 / 6) * math.sqrt(logarithm))
        return cls._possible(guarantee, cls(p * level / 20, p, int(4 * horizon * p)))

    @classmethod
    def _possible(
        cls, guarantee: PureDP | ApproximateDP, found: "DartboardParameters"
    ) -> "DartboardParameters":
        """Return the paper's parameters, and refuse guarantees for which they are none."""
        if not found.p < 0.5:
            raise InputError(
                f"dartboard parameters: {guarantee}: the horizon is too short for this delta: write a "
                "smaller delta, or parameters=DartboardParameters(eta, p, budget)"
            )
        if found.eta > found.p * (1 + _ROUNDING):
            raise InputError(
                f"dartboard parameters: {guarantee}: the paper's parameters are for an epsilon of at most "
                f"{guarantee.epsilon * found.p / found.eta:.4g}: write that, or "
                "parameters=DartboardParameters(eta, p, budget)"
            )
        # A step equal to p up to rounding is p: the paper's conditions allow equality.
        return found._replace(eta=min(found.eta, found.p))


@plain_numbers
def theorem_2_epsilon(eta: float, p: float, horizon: int) -> float:
    """Return the epsilon of Theorem 2 for ``budget = 4 T p``. [mathematics/001.md#dartboard-theorem]"""
    return eta / p + 16 * horizon * p * eta


@plain_numbers
def theorem_2_regret(eta: float, p: float, horizon: int, n: int, batch: int = 1) -> float:
    """Return Theorem 2's bound on the expected static regret for ``budget = 4 T p / batch``.

    [mathematics/001.md#dartboard-theorem] [mathematics/001.md#dartboard-batches]

    `batch` is the number of rounds between lotteries. The bound is in units of the gains, which are in [0,
    1].
    """
    return eta * horizon + batch * math.log(n) / eta + 2 * horizon * math.exp(-horizon * p / (3 * batch))


def checked_parameters(eta: float, p: float, budget: float, batch: int = 1) -> DartboardParameters:
    """Return the parameters of a dartboard as plain numbers, once it is certain that each is in its range.

    [mathematics/001.md#dartboard-theorem]
    """
    chance = checked_number("shrinking dartboard: p", p, 0, 0.5, ends=False)
    step, draws = as_float(eta), as_float(budget)
    if not 0 < step <= chance:
        raise InputError(f"shrinking dartboard: eta = {eta}: write a number above 0 and at most p = {p}")
    if not draws >= 1:
        raise InputError(f"shrinking dartboard: budget = {budget}: write a number of draws of at least 1")
    return DartboardParameters(step, chance, draws, whole(batch, "shrinking dartboard", "batch"))


def most_draws(budget: float) -> float:
    """Return how many draws a budget allows. One that is no whole number counts as the next one.

    [mathematics/001.md#shrinking-dartboard]
    """
    return budget if math.isinf(budget) else math.ceil(budget)
