"""From one kind of guarantee to another that it implies, each with the least level that follows."""

import math

from scipy.special import erfinv, log_ndtr, ndtri_exp

from private_experts.privacy.guarantees import GaussianDP, PureDP, check_guarantee
from private_experts.validation import plain_numbers


def to_gaussian(guarantee: PureDP) -> GaussianDP:
    """Return the mu-GDP that epsilon-DP implies, with the least mu. [mathematics/000.md#trade-off-curves]

    ``mu = -2 Phi^{-1}(1 / (1 + e^epsilon))``: the trade-off curve of epsilon-DP has straight pieces between
    its ends and the corner (c, c), ``c = 1 / (1 + e^epsilon)``. With this mu the Gaussian curve, which is
    convex, passes through the same three points, hence lies below; with a smaller mu it lies above the
    corner.

    Parameters
    ----------
    guarantee : PureDP

    Returns
    -------
    GaussianDP
        Of the same model.

    Raises
    ------
    InputError
        When the guarantee is of another kind.

    Examples
    --------
    >>> from private_experts.privacy import PureDP, to_gaussian
    >>> print(to_gaussian(PureDP(1.0, "central")))
    1.23204-GDP (central)
    """
    epsilon = check_guarantee(guarantee, "to_gaussian", PureDP).epsilon
    if epsilon < 1:
        # 1 - 2c = tanh(epsilon / 2) keeps the digits of a small epsilon, log c those of a large one.
        mu = 2 * math.sqrt(2) * float(erfinv(math.tanh(epsilon / 2)))
    elif math.isinf(epsilon):
        mu = math.inf
    else:
        mu = -2 * float(ndtri_exp(-epsilon - math.log1p(math.exp(-epsilon))))
    return GaussianDP(mu, guarantee.model, simulated=guarantee.simulated)


def pure_within(guarantee: GaussianDP) -> PureDP:
    """Return the epsilon-DP with the largest epsilon that implies mu-GDP: the inverse of `to_gaussian`.

    [mathematics/000.md#trade-off-curves]

    ``epsilon = log((1 - c) / c)`` with ``c = Phi(-mu / 2)``. A pure mechanism at this level is at least as
    hard to attack as the Gaussian one, at every type I error, and exactly as hard at ``c``.

    Parameters
    ----------
    guarantee : GaussianDP

    Returns
    -------
    PureDP
        Of the same model.

    Raises
    ------
    InputError
        When the guarantee is of another kind.

    Examples
    --------
    >>> from private_experts.privacy import GaussianDP, pure_within
    >>> print(pure_within(GaussianDP(1.0, "central")))
    0.806965-DP (central)
    """
    # From the logarithms of both tails: 1 - Phi has no digits left for a large mu.
    half = check_guarantee(guarantee, "pure_within", GaussianDP).mu / 2
    return PureDP(float(log_ndtr(half) - log_ndtr(-half)), guarantee.model, simulated=guarantee.simulated)


def bounded_range_within(guarantee: GaussianDP) -> float:
    """Return the largest epsilon for which every mechanism of *range* epsilon is mu-GDP.

    [mathematics/000.md#bounded-range]

    A mechanism has range epsilon if, between neighbours, the log-ratios of its probabilities all lie in one
    interval of length epsilon. The exponential mechanism has, with the epsilon that is stated for it. A range
    of epsilon implies epsilon-DP. It implies more: epsilon may be twice that of `pure_within`. So it is no
    `PureDP`, of which `to_gaussian` would say less than is true.
    """
    # A range of x implies what (x/2)-DP does: a shift of the loss is fixed by normalisation.
    return 2 * pure_within(check_guarantee(guarantee, "bounded_range_within", GaussianDP)).epsilon


@plain_numbers
def concentrated_epsilon(rho: float, delta: float) -> float:
    """Return an epsilon for which rho-zCDP is (epsilon, delta)-DP. [mathematics/004.md#concentrated]

    It is the least over all orders in the conversion of Canonne, Kamath and Steinke (2020).
    """
    from scipy.optimize import minimize_scalar

    if rho == 0:
        return 0.0

    def at(logarithm: float) -> float:
        beyond = math.exp(logarithm)  # the order less 1
        order = 1 + beyond
        return order * rho - math.log1p(1 / beyond) - (math.log(delta) + math.log(order)) / beyond

    # near the order at which the simpler conversion rho + 2 sqrt(rho log(1 / delta)) is least
    centre = math.log(max(-math.log(delta), 1.0) / rho) / 2
    return max(0.0, float(minimize_scalar(at, bounds=(centre - 5, centre + 5), method="bounded").fun))


@plain_numbers
def concentrated_within(epsilon: float, delta: float) -> float:
    """Return the largest rho for which `concentrated_epsilon` is at most epsilon."""
    from scipy.optimize import brentq

    high = 1.0
    while concentrated_epsilon(high, delta) < epsilon:
        high *= 4
    rho = float(
        brentq(lambda x: concentrated_epsilon(x, delta) - epsilon, 0.0, high, xtol=1e-300, rtol=1e-12)
    )
    while concentrated_epsilon(rho, delta) > epsilon:
        rho *= 1 - 1e-12
    return rho
