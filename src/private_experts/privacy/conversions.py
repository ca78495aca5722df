"""From one kind of guarantee to another, where the one implies the other; each with the least level that follows."""

import math

from scipy.special import erfinv, log_ndtr, ndtri_exp

from private_experts.errors import InputError
from private_experts.privacy.gaussian_mechanism import epsilon as least_epsilon
from private_experts.privacy.guarantees import ApproximateDP, GaussianDP, PureDP


def to_approximate(guarantee: GaussianDP | PureDP, delta: float = 0.0) -> ApproximateDP:
    """Return the (epsilon', delta)-DP that a guarantee implies, with the least epsilon' for `delta`.

    From mu-GDP it is the root of delta(epsilon'), ``inf`` where no finite one will do. From epsilon-DP it is
    ``max(0, epsilon + log(1 - delta (1 + e^-epsilon)))``: the line of slope ``-e^epsilon'`` from ``(0, 1 - delta)``
    that passes through the corner described in `to_gaussian`.

    Raises
    ------
    InputError
        When `delta` is not in [0, 1].
    """
    if isinstance(guarantee, GaussianDP):
        return ApproximateDP(float(least_epsilon(delta, guarantee.mu)), delta, guarantee.model)
    spent = delta * (1 + math.exp(-guarantee.epsilon))
    epsilon = max(0.0, guarantee.epsilon + math.log1p(-spent)) if spent < 1 else 0.0
    return ApproximateDP(epsilon, delta, guarantee.model)


def to_pure(guarantee: GaussianDP) -> PureDP:
    """Return the epsilon-DP that mu-GDP implies: 0-DP for ``mu = 0``, and there is no other.

    Raises
    ------
    InputError
        When mu is above 0: the privacy loss of Gaussian noise is unbounded.
    """
    if guarantee.mu > 0:
        raise InputError(
            f"privacy level mu = {guarantee.mu}: Gaussian noise is epsilon-DP for no finite epsilon unless mu = 0; "
            "convert with to_approximate(guarantee, delta)"
        )
    return PureDP(0.0, guarantee.model)


def to_gaussian(guarantee: PureDP) -> GaussianDP:
    """Return the mu-GDP that epsilon-DP implies, with the least mu.

    ``mu = -2 Phi^{-1}(1 / (1 + e^epsilon))``: the trade-off curve of epsilon-DP has straight pieces between its ends
    and the corner (c, c), ``c = 1 / (1 + e^epsilon)``. With this mu the Gaussian curve, which is convex, passes through
    the same three points, hence lies below; with a smaller mu it lies above the corner.
    """
    epsilon = guarantee.epsilon
    if epsilon < 1:
        # 1 - 2c = tanh(epsilon / 2) keeps the digits of a small epsilon, log c those of a large one.
        mu = 2 * math.sqrt(2) * float(erfinv(math.tanh(epsilon / 2)))
    elif math.isinf(epsilon):
        mu = math.inf
    else:
        mu = -2 * float(ndtri_exp(-epsilon - math.log1p(math.exp(-epsilon))))
    return GaussianDP(mu, guarantee.model)


def pure_within(guarantee: GaussianDP) -> PureDP:
    """Return the epsilon-DP with the largest epsilon that implies mu-GDP: the inverse of `to_gaussian`.

    ``epsilon = log((1 - c) / c)`` with ``c = Phi(-mu / 2)``. A pure mechanism at this level is at least as hard to
    attack as the Gaussian one, at every type I error, and exactly as hard at ``c``.
    """
    half = guarantee.mu / 2
    return PureDP(float(log_ndtr(half) - log_ndtr(-half)), guarantee.model)


def bounded_range_within(guarantee: GaussianDP) -> float:
    """Return the largest epsilon for which every mechanism of *range* epsilon is mu-GDP.

    A mechanism has range epsilon if, between neighbours, the log-ratios of its probabilities all lie in one interval of
    length epsilon. The exponential mechanism has, with the epsilon that is stated for it. A range of epsilon implies
    epsilon-DP. It implies more: epsilon may be twice that of `pure_within`. So it is no `PureDP`, of which
    `to_gaussian` would say less than is true. [mathematics/000.md#bounded-range]
    """
    return 2 * pure_within(guarantee).epsilon
