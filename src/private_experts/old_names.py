"""Functions of version 0.2 that go in version 0.4; `private_experts.lazy` says what to write instead."""

import math

import numpy as np
from numpy.typing import ArrayLike

from private_experts.algorithms.dartboard_parameters import DartboardParameters
from private_experts.arrays import Array
from private_experts.privacy.accountant import Guarantee
from private_experts.privacy.accountant import compose as compose_guarantees
from private_experts.privacy.guarantees import ApproximateDP, GaussianDP, PureDP
from private_experts.privacy.tree import least_scale
from private_experts.validation import checked_range


def min_noise(sensitivity: float, horizon: int, mu: float) -> float:
    """Return the least prefix noise that is mu-GDP."""
    return least_scale(GaussianDP(mu, "central"), sensitivity, horizon)


def min_regret(sensitivity: float, horizon: int, mu: float) -> float:
    """Return the private prefix noise with the least worst-case regret."""
    return max(min_noise(sensitivity, horizon, mu), math.sqrt(horizon))


def compose(mus: ArrayLike) -> Array:
    """Return the level of Gaussian mechanisms run one after another on the same data."""
    return np.asarray(np.hypot.reduce(checked_range("privacy level mu", mus), axis=-1))[()]


def to_approximate(guarantee: Guarantee, delta: float = 0.0) -> ApproximateDP:
    """Return the (epsilon, delta)-DP that a guarantee implies, with the least epsilon."""
    return compose_guarantees(guarantee, delta=delta)


def pure_parameters(horizon: int, epsilon: float) -> DartboardParameters:
    """Return the dartboard's parameters of Corollary 4."""
    return DartboardParameters.for_guarantee(PureDP(epsilon, "central"), 2, horizon)


def approximate_parameters(horizon: int, n: int, epsilon: float, delta: float) -> DartboardParameters:
    """Return the dartboard's parameters of Corollary 3."""
    return DartboardParameters.for_guarantee(ApproximateDP(epsilon, delta, "central"), n, horizon)


def batched_parameters(horizon: int, n: int, epsilon: float, delta: float) -> DartboardParameters:
    """Return the dartboard's parameters of Corollary 6."""
    return DartboardParameters.for_guarantee(ApproximateDP(epsilon, delta, "central"), n, horizon, batched=True)
