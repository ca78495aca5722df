"""A bound on a change of leader that is sharper than Theorem 1 of paper 000, from Levy's inequality.

[mathematics/000.md#theorem-1-sharper]
"""

import math

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import log_ndtr

from private_experts.arrays import Array
from private_experts.walks.leader_change import argument, log_bound


def sharper_log_bound(k: ArrayLike, eta: ArrayLike, steps: ArrayLike, n: int, rho: float = 0.0) -> Array:
    """Return the log of a smaller bound on it. DERIVED here. [mathematics/000.md#theorem-1-sharper]

    The difference between a challenger and the leader is a walk with steps of variance 2 eta^2. By Levy's
    inequality (Lemma 3 for this walk) it reaches a height m in B steps with probability at most ``2 P(N(0, 2
    eta^2 B) >= m) = erfc(m / (2 eta sqrt(B)))``. There are n - 1 challengers, so

        P(leader changes) <= (n - 1) erfc((k - rho B) / (2 eta sqrt(B))).

    At tolerances of 1e-3 and below it allows batches about twice as large as Theorem 1 does. The smaller of
    the two bounds is returned. The bound is not the paper's, so no check of the paper may use it.
    """
    beta = argument(k, eta, steps, n, rho)
    ahead = beta + math.sqrt(math.log(2 * n - 2))  # (k - rho B) / (eta sqrt(2 B))
    # Levy's factor of 2, and n - 1 challengers, each ahead of the leader by a walk of variance 2 eta^2.
    union = math.log(n - 1) + math.log(2) + log_ndtr(-ahead)
    result: Array = np.minimum(np.minimum(log_bound(beta), union), 0.0)
    return result
