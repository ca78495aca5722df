"""What the private shrinking dartboard costs in privacy, by accountings that hold for every step and budget.

[mathematics/001.md#dartboard-accounting]
"""

import math

from private_experts.algorithms.dartboard_parameters import (
    DartboardParameters,
    checked_parameters,
    most_draws,
)
from private_experts.errors import InputError
from private_experts.privacy.composition import advanced_epsilon
from private_experts.privacy.conversions import to_gaussian
from private_experts.privacy.guarantees import (
    ApproximateDP,
    PureDP,
    central_delta,
    no_weaker,
    pure_or_approximate,
)
from private_experts.validation import checked_number, plain_numbers


@plain_numbers
def dartboard_epsilon(eta: float, p: float, budget: float, delta: float = 0.0, batch: float = 1) -> float:
    """Return the actions' epsilon when one loss vector is replaced. [mathematics/001.md#dartboard-accounting]

    A replaced loss vector moves each log-weight by at most ``s = -log(1 - eta) / batch``. It changes a single
    lottery, the one right after its batch. That costs at most ``log(1 + (1 - p)(1 - e^-s) / p)`` or s,
    whichever is larger. It also changes later draws, at most ``budget - 1``. Each costs at most 2s. Theorem
    2's constants are larger.

    For ``delta > 0`` the costs of the draws are added by advanced composition. Where one loss moves by at
    most r < 1, the accounting is that of ``batch / r``.
    """
    budget = most_draws(budget)
    if budget < 2:  # the first draw is uniform, and there is no other
        return 0.0
    s, drawing = _changes(eta, p, batch)
    # The lottery happens once, in the round after the batch, so it is added and does not enter composition.
    return max(drawing, s) + advanced_epsilon(epsilon=2 * s, count=budget - 1, delta=delta)


def calibrated_parameters(
    guarantee: PureDP | ApproximateDP, parameters: DartboardParameters
) -> DartboardParameters:
    """Return parameters with the largest step that keeps a guarantee, so that it spends all of epsilon.

    The steps of `DartboardParameters.for_guarantee` are the literature's, whose accounting is cruder than
    `dartboard_epsilon`: they spend 0.45 of a pure epsilon, and about a sixth of an approximate one.
    [mathematics/001.md#dartboard-calibrated]

    Parameters
    ----------
    guarantee : PureDP or ApproximateDP
        A central guarantee, with epsilon positive and finite.
    parameters : DartboardParameters
        Their p, budget and batch are kept. The step is p at most, as the regret bound asks for.

    Returns
    -------
    DartboardParameters

    Raises
    ------
    InputError
        When the guarantee is not central or its level is none of these, or the budget is not finite.

    Examples
    --------
    >>> from private_experts.algorithms import DartboardParameters, calibrated_parameters
    >>> from private_experts.privacy import PureDP
    >>> guarantee = PureDP(1.0, "central")
    >>> theirs = DartboardParameters.for_guarantee(guarantee, n=5, horizon=10_000)
    >>> ours = calibrated_parameters(guarantee, theirs)
    >>> round(ours.eta / theirs.eta, 3)
    2.241
    """
    from scipy.optimize import brentq  # who does not calibrate needs no SciPy

    who = "calibrated parameters"
    delta = central_delta(who, guarantee)
    epsilon = checked_number(f"{who}: epsilon", guarantee.epsilon, 0, ends=False)
    _, p, budget, batch = checked_parameters(*parameters)
    if math.isinf(budget):
        raise InputError(f"{who}: budget = inf: write the largest number of draws, such as 4 T p / batch")

    def spent(step: float) -> float:
        return dartboard_epsilon(step, p, budget, delta, batch)

    eta = p
    if spent(p) > epsilon:
        # The level grows with the step. The root is exact up to the last bits, of which none may be too many.
        eta = brentq(lambda step: spent(step) - epsilon, 0.0, p, xtol=1e-300)
        while spent(eta) > epsilon:
            eta *= 1 - 1e-15
    return DartboardParameters(eta, p, budget, batch)


def settle(
    who: str,
    guarantee: PureDP | ApproximateDP,
    n: int,
    horizon: int | None,
    batched: bool,
    parameters: DartboardParameters | None,
) -> tuple[DartboardParameters, PureDP | ApproximateDP]:
    """Return the given parameters, or those for a guarantee, and what the actions promise with them.

    Parameters that promise less than the guarantee are refused.
    """
    delta = central_delta(who, guarantee)
    if parameters is None:
        if horizon is None:
            raise InputError(f"{who}: write horizon=..., or parameters=DartboardParameters(eta, p, budget)")
        parameters = DartboardParameters.for_guarantee(guarantee, n, horizon, batched=batched)
    parameters = checked_parameters(*parameters)
    eta, p, budget, batch = parameters
    stated = pure_or_approximate(dartboard_epsilon(eta, p, budget, delta, batch), delta)
    return parameters, no_weaker(who, stated, guarantee)


@plain_numbers
def dartboard_mu(eta: float, p: float, budget: float, batch: float = 1) -> float:
    """Return a mu for which the actions are mu-GDP under replacement of one loss vector.

    As in `dartboard_epsilon`, but each step counts with its range, and levels add in squares. The two
    outcomes of the lottery move in opposite directions. [mathematics/000.md#dartboard-gdp]
    """
    budget = most_draws(budget)
    if budget < 2:
        return 0.0
    s, drawing = _changes(eta, p, batch)
    # Half the range: a shift of the log-ratio is fixed by normalisation, and tells nothing.
    # [000.md#dartboard-gdp]
    lottery, draw = (to_gaussian(PureDP(width / 2, "central")).mu for width in (s + drawing, 2 * s))
    # Gaussian levels add in squares, and this beats adding epsilons as soon as there are several draws.
    return math.hypot(lottery, math.sqrt(budget - 1) * draw)


def _changes(eta: float, p: float, batch: float) -> tuple[float, float]:
    """Return how far one loss vector moves log-weights, and the log-probability of a draw in the lottery."""
    # log1p and expm1: for steps near 1e-9 the direct forms would have no digit left.
    s = -math.log1p(-eta) / batch
    return s, math.log1p((1 - p) * -math.expm1(-s) / p)
