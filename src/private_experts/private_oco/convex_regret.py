"""The regret of sampling Gibbs measures, and beta and lam for which its bound is least. [001, Theorem 4.1]

The paper's constants were not seen; those here are derived. [mathematics/001.md#regret]
"""

import math
from typing import NamedTuple

from private_experts.validation import plain_numbers


class GibbsParameters(NamedTuple):
    """What a Gibbs family takes besides its set; pass it as ``**parameters._asdict()``."""

    beta: float  # inverse temperature, positive
    lam: float  # strength of the quadratic regulariser, positive


@plain_numbers
def gibbs_regret(
    horizon: float, dimension: int, beta: float, lam: float, lipschitz: float = 1.0, diameter: float = 1.0
) -> float:
    """Return the bound on the regret of sampling each x_t from mu_t, in units of summed losses."""
    return (
        lam * diameter**2 / 2
        + lipschitz**2 * horizon / lam
        + dimension * math.log(horizon) / beta
        + lipschitz * diameter
    )


@plain_numbers
def gibbs_parameters(
    horizon: float, dimension: int, u: float, lipschitz: float = 1.0, diameter: float = 1.0
) -> GibbsParameters:
    """Return beta and lam of scale u for which `gibbs_regret` is least.

    It is then ``G D (sqrt(2 T + 2 d log(T) / u^2) + 1)``. [mathematics/001.md#best-lambda]

    Parameters
    ----------
    horizon : float
        Number of rounds T, at least 1.
    dimension : int
        Dimension d of the set, at least 1.
    u : float
        Scale ``G sqrt(beta / lam)``, positive.
    lipschitz : float
        The losses' Lipschitz constant G, positive.
    diameter : float
        The set's diameter D, positive.

    Returns
    -------
    GibbsParameters

    Examples
    --------
    >>> from private_experts.private_oco.convex_regret import gibbs_parameters, gibbs_regret
    >>> beta, lam = gibbs_parameters(1000, 1, u=0.1)
    >>> round((beta / lam) ** 0.5, 4), round(gibbs_regret(1000, 1, beta, lam), 2)
    (0.1, 59.15)
    """
    # At fixed u, beta = lam u^2 / G^2, so both terms in 1 / lam add up, and lam D^2 / 2 balances them.
    lam = lipschitz / diameter * math.sqrt(2 * horizon + 2 * dimension * math.log(horizon) / u**2)
    return GibbsParameters(lam * (u / lipschitz) ** 2, lam)
