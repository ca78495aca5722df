"""Trade-off curves and (epsilon, delta) profiles by their points: each determines the other.

A second route to the closed forms. Dong, Roth, Su: Gaussian Differential Privacy, Propositions 2.4 and 2.12.
"""

from typing import Any

import numpy as np


def tradeoff_from_deltas(alpha: Any, epsilons: Any, deltas: Any) -> Any:
    """The highest curve that guarantees certify."""
    a, e, d = np.asarray(alpha)[..., None], np.asarray(epsilons), np.asarray(deltas)
    with np.errstate(divide="ignore", over="ignore"):
        # In logarithms: e^epsilon overflows where alpha is small enough for the product to count.
        lines = np.maximum(1 - d - np.exp(e + np.log(a)), np.exp(-e) * (1 - d - a))
    return np.max(lines, axis=-1, initial=0.0)


def delta_from_tradeoff(epsilon: Any, alphas: Any, betas: Any) -> Any:
    """``max_i (1 - exp(epsilon) alpha_i - beta_i)``, at most the true delta of a curve."""
    lines = 1 - np.exp(np.asarray(epsilon)[..., None]) * np.asarray(alphas) - np.asarray(betas)
    return np.max(lines, axis=-1, initial=0.0)
