"""How close neighbouring Gibbs measures are, how often P-COMW draws, and how its law drifts. [001, Lemma C.1]

All depends on beta and lam only through the scale ``u = G sqrt(beta / lam)``, by which a loss moves
log-densities.
"""

import math

from private_experts.validation import plain_numbers


@plain_numbers
def log_closeness(u: float, delta: float) -> float:
    """Return log Phi for (Phi, delta)-close measures of scale u: ``u^2 + u sqrt(2 log(2/delta))``."""
    # The first term is a mean, the second a Gaussian tail of scale u, beyond which at most delta lies. [001,
    # Lemma C.1]
    return u * u + u * math.sqrt(2 * math.log(2 / delta))


@plain_numbers
def draw_probability(log_phi: float, p: float) -> float:
    """Return ``p~ = p + 1 - Phi^-2``, a bound on the probability of a draw; above 1 it says nothing."""
    # expm1, as Phi is near 1 where play is lazy, and 1 - Phi^-2 would lose its digits.
    return p - math.expm1(-2 * log_phi)


@plain_numbers
def drift_bound(rounds: int, delta: float, draws: float | None = None) -> float:
    """Return the bound on the law's distance from its Gibbs measure, after so many rounds. [001, Lemma C.1]

    `delta` is the closeness of neighbouring measures. `draws` is ``p~ T`` when the budget is ``3 p~ T``;
    without it there is no budget. [mathematics/001.md#lemma-c1]
    """
    # A spent budget ends the chain early, with a chance that falls in the expected number of draws.
    return 3 * delta * rounds + (0.0 if draws is None else math.exp(-draws))
