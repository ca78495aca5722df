"""The privacy cost of several private steps together, in closed form, and of a person in several rounds."""

import math
from dataclasses import replace

from private_experts.errors import InputError, names_what_was_meant
from private_experts.privacy.guarantees import ApproximateDP, GaussianDP, PureDP, check_guarantee
from private_experts.validation import as_float, refused_value, whole

Guarantee = GaussianDP | PureDP | ApproximateDP


@names_what_was_meant
def advanced_epsilon(*, epsilon: float, count: float, delta: float = 0.0) -> float:
    """Return the epsilon of `count` adaptive epsilon-DP steps at delta. [mathematics/004.md#composition]

    With e for epsilon and k for the count, it is the sum k e or, for ``delta > 0`` and where that is less,
    ``k e tanh(e / 2) + e sqrt(2 k log(1 / delta))``. The latter is the inequality of Azuma and Hoeffding: the
    privacy loss of one step has a mean of at most ``e tanh(e / 2)`` and a range of 2 e. This is a closed
    form; see `private_experts.privacy.exact_composition` for the exact number.

    Parameters
    ----------
    epsilon : float
        Privacy level of a step, at least 0.
    count : float
        Number of steps, at least 0; ``inf`` is allowed.
    delta : float
        In [0, 1).

    Returns
    -------
    float

    Raises
    ------
    InputError
        When one of them is out of its range, or not a number.

    References
    ----------
    Kairouz, Oh, Viswanath: The composition theorem for differential privacy (2015), Theorem 3.4. Constants of
    [001, Lemma A.1] are larger.

    Examples
    --------
    >>> from private_experts.privacy.composition import advanced_epsilon
    >>> [round(advanced_epsilon(epsilon=0.1, count=100, delta=delta), 3) for delta in (0.0, 1e-6)]
    [10.0, 5.756]
    """
    given = {"epsilon": epsilon, "count": count, "delta": delta}
    epsilon, count, delta = map(as_float, given.values())
    for name, right in (("epsilon", epsilon >= 0), ("count", count >= 0), ("delta", 0 <= delta < 1)):
        if not right:
            wanted = "from 0 to 1, and below 1" if name == "delta" else "that is at least 0"
            raise InputError(f"composition: {name} {refused_value(given[name])}: write a number {wanted}")
    if epsilon == 0:
        return 0.0
    total = count * epsilon
    if delta == 0 or math.isinf(total):
        return total
    # A step of level e is at most randomized response of level e, whose loss has the mean e tanh(e / 2).
    return min(total, total * math.tanh(epsilon / 2) + epsilon * math.sqrt(2 * count * math.log(1 / delta)))


@names_what_was_meant
def step_within(*, epsilon: float, count: int, delta: float) -> float:
    """Return the largest level of `count` equal steps whose `advanced_epsilon` is at most a finite epsilon.

    [mathematics/004.md#composition]
    """
    epsilon, steps, delta = map(as_float, (epsilon, count, delta))
    least = epsilon / max(steps, 1)  # as levels add up
    if delta == 0 or epsilon == 0 or steps == 0:
        return least
    from scipy.optimize import brentq  # few who import this room need it

    def excess(step: float) -> float:
        return advanced_epsilon(epsilon=step, count=count, delta=delta) - epsilon

    # At a large delta even a step above epsilon may do, so that an upper end has to be sought.
    most = epsilon
    while excess(most) <= 0:
        most *= 2
    # A trifle below the root, so that no rounding makes the promise false.
    return max(least, (1 - 1e-12) * float(brentq(excess, least / 2, most, xtol=1e-300, rtol=1e-14)))


def in_rounds(guarantee: Guarantee, rounds: int) -> Guarantee:
    """Return a guarantee's worth to a person whose data are in several rounds. [mathematics/000.md#ledger]

    A guarantee speaks of one round of a game. With a curator a person in k rounds is k neighbours away, and
    the level is k times as large. (epsilon, delta)-DP becomes ``(k epsilon, delta (1 + e^epsilon + ... +
    e^((k - 1) epsilon)))``-DP. `privacy_report` knows what linear mechanisms promise, which is less. Local
    reports have noise of their own, and compose: sqrt(k) times a Gaussian level, k times a pure one.

    Parameters
    ----------
    guarantee : GaussianDP, PureDP or ApproximateDP
        For a person in one round.
    rounds : int
        In how many rounds the person is, at least 1.

    Returns
    -------
    GaussianDP, PureDP or ApproximateDP
        Of the same kind and model.

    Raises
    ------
    InputError
        When it is no guarantee, or `rounds` is below 1 or no whole number.

    References
    ----------
    Dong, Roth, Su: Gaussian Differential Privacy, Theorem 2.14. Vadhan: Complexity of differential privacy
    (2017), Lemma 2.2.

    Examples
    --------
    >>> from private_experts.privacy import GaussianDP, in_rounds
    >>> print(in_rounds(GaussianDP(0.25, "central"), 4))
    1-GDP (central)
    >>> print(in_rounds(GaussianDP(0.25, "local"), 4))
    0.5-GDP (local)
    """
    if hasattr(guarantee, "guarantee"):
        raise InputError(
            f"in_rounds: it takes a guarantee: write privacy_report of this {type(guarantee).__name__}"
        )
    rounds = whole(rounds, "in_rounds", "rounds")
    local = getattr(guarantee, "model", None) == "local"
    if isinstance(guarantee, GaussianDP):
        # Fresh noise for each round adds squares; otherwise it is a path over k neighbours.
        times = math.sqrt(rounds) if local else rounds
        return GaussianDP(times * guarantee.mu, guarantee.model, simulated=guarantee.simulated)
    if isinstance(guarantee, ApproximateDP) and local:
        failing = -math.expm1(rounds * math.log1p(-guarantee.delta)) if guarantee.delta < 1 else 1.0
        return replace(guarantee, epsilon=rounds * guarantee.epsilon, delta=failing)
    if isinstance(guarantee, ApproximateDP):
        return _approximate_in_rounds(guarantee, rounds)
    return PureDP(
        rounds * check_guarantee(guarantee, "in_rounds", PureDP).epsilon,
        guarantee.model,
        simulated=guarantee.simulated,
    )


def _approximate_in_rounds(guarantee: ApproximateDP, rounds: int) -> ApproximateDP:
    epsilon, delta = guarantee.epsilon, guarantee.delta
    if rounds > 1 and delta > 0:
        growth = math.log(rounds)
        # log((e^(k epsilon) - 1) / (e^epsilon - 1)), which may be too large for its exponential
        if epsilon > 0:
            steps = math.log(-math.expm1(-rounds * epsilon)) - math.log(-math.expm1(-epsilon))
            growth = (rounds - 1) * epsilon + steps
        delta = math.exp(min(math.log(delta) + growth, 0.0))
    return ApproximateDP(rounds * epsilon, delta, guarantee.model, simulated=guarantee.simulated)
