"""Functions of version 0.2 that go in version 0.4; `private_experts.lazy` says what to write instead."""

import math

from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.tree import least_scale


def min_noise(sensitivity: float, horizon: int, mu: float) -> float:
    """Return the least prefix noise that is mu-GDP."""
    return least_scale(GaussianDP(mu, "central"), sensitivity, horizon)


def min_regret(sensitivity: float, horizon: int, mu: float) -> float:
    """Return the private prefix noise with the least worst-case regret."""
    return max(min_noise(sensitivity, horizon, mu), math.sqrt(horizon))
