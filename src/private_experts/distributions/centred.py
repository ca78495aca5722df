"""Algorithm 2's reports, centred before they are learnt from: one logarithm less in the risk.

[mathematics/003.md#centred-reports]
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import hyp1f1

from private_experts.distributions.mixture import ClippedMixture
from private_experts.distributions.pure import NoisyCoordinate
from private_experts.distributions.scaling import Scaling
from private_experts.errors import InputError

Array = NDArray[np.float64]


def excess(rate: float, span: float, noise: float) -> float:
    """Return ``e^x / (1 - y) - 1 - x`` with ``x = rate span / 2`` and ``y = (rate noise)^2``, which is below 1.

    It is the largest ``E e^(rate (u + noise)) - 1 - rate u`` over centred log-likelihoods u from -span/2 to span/2.
    For small rates it is about ``rate^2 (span^2 / 8 + noise^2)``. [mathematics/003.md#centred-reports]
    """
    x, y = rate * span / 2, (rate * noise) ** 2
    # e^x - 1 - x = (x^2 / 2) 1F1(1; 3; x), which does not cancel.
    return x**2 / 2 * float(hyp1f1(1, 3, x)) + math.exp(x) * y / (1 - y)


@dataclass(frozen=True)
class CentredCoordinate(NoisyCoordinate):
    """Report exactly what `NoisyCoordinate` reports. The learner takes the shift off again before it learns.

    Algorithm 2 shifts log-likelihoods so far that noise never makes a loss negative, and pays for the shift. Here the
    log-likelihood of the coordinate that is reported is centred: it lies in ``[-L/2, L/2]`` but for the noise, with
    ``L = log((K + 1) T)``. Centring happens after the report, so the guarantee is that of `NoisyCoordinate`.

    Parameters
    ----------
    experts, horizon, epsilon, span, gamma
        As for `NoisyCoordinate`; epsilon must be finite.

    Raises
    ------
    InputError
        When a number is out of its range.
    """

    def __post_init__(self) -> None:
        if not self.epsilon < math.inf:
            raise InputError("privacy level epsilon = inf: without noise a report of 0 cannot be told from no report")
        super().__post_init__()

    @property
    def learning_rate(self) -> float:
        """Learning rate ``sqrt(K log K / (T (L^2 / 8 + b^2)))`` of the centred reports, at most ``1 / (2b)``."""
        width, noise = self.scaling.width, self.scaling.noise
        best = math.sqrt(self.experts * math.log(self.experts) / (self.horizon * (width**2 / 8 + noise**2)))
        return min(best, 1 / (2 * noise))

    @property
    def risk_bound(self) -> float:
        """Bound on the expected total KL risk, for the proved span. [mathematics/003.md#centred-reports]"""
        width, noise, rate = self.scaling.width, self.scaling.noise, self.learning_rate
        if self.experts == 1:
            return 3 * width
        start = self.experts * math.log(self.experts) / rate
        return start + self.horizon * excess(rate, width, noise) / rate + 3 * width

    def total_losses(self, rounds: NDArray[np.int64], truth: int, classes: Array, rng: np.random.Generator) -> Array:
        """Return sums of centred losses over many rounds with the same feature; see `interface.Mechanism`."""
        shown, reported = self.totals(rounds, truth, classes, rng)
        return centred(self.scaling, reported, shown)

    def learner(self, repetitions: int = 1) -> "CentredMixture":
        """Return a fresh learner for these reports."""
        return CentredMixture(self, repetitions)


def centred(scaling: Scaling, reported: Array, shown: NDArray[np.integer] | NDArray[np.bool_]) -> Array:
    """Return minus the centred noisy log-likelihoods behind reported losses, each a sum over `shown` reports."""
    return reported / scaling.factor - shown * (scaling.shift + scaling.width / 2)


class CentredMixture(ClippedMixture):
    """Predicts like `ClippedMixture`, and centres each report before it learns from it.

    Parameters
    ----------
    mechanism : CentredCoordinate
        The mechanism that users run.
    repetitions : int
        Number of independent copies.
    """

    def __init__(self, mechanism: CentredCoordinate, repetitions: int = 1) -> None:
        super().__init__(
            mechanism.experts, mechanism.horizon, mechanism.learning_rate, mechanism.guarantee, repetitions
        )
        self._scaling = mechanism.scaling

    def update(self, reports: Array) -> None:
        """Learn from the private losses of a round, shape (repetitions, K); only one in a row differs from 0."""
        self.majority.update(centred(self._scaling, reports, reports != 0))
