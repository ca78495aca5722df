"""Algorithm 2's reports, centred before they are learnt from: one logarithm less in the risk."""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import hyp1f1

from private_experts.arrays import Array, Bools, Ints
from private_experts.distribution_learning.label_reports import LabelReports
from private_experts.distribution_learning.mixture import ClippedMixture
from private_experts.distribution_learning.pure import NoisyCoordinate
from private_experts.distribution_learning.scaling import Scaling
from private_experts.errors import InputError
from private_experts.privacy.guarantees import checked_pure_local
from private_experts.validation import plain_numbers

_LARGEST = 1e300  # a level at which the noise is still a number above 0


@plain_numbers
def excess(rate: float, span: float, noise: float) -> float:
    """Return ``e^x / (1 - y) - 1 - x`` with ``x = rate span / 2`` and ``y = (rate noise)^2 < 1``.

    It is the largest ``E e^(rate (u + noise)) - 1 - rate u`` over centred log-likelihoods u from -span/2 to
    span/2. For small rates it is about ``rate^2 (span^2 / 8 + noise^2)``.
    [mathematics/003.md#centred-reports]

    Refused are a rate below 0, and noise for which the mean of its exponential is infinite.
    """
    if not (rate >= 0 and rate * noise < 1):
        raise InputError(f"rate {rate}, noise {noise}: write a rate of at least 0 and below 1 / noise")
    x, y = rate * span / 2, (rate * noise) ** 2
    # e^x - 1 - x = (x^2 / 2) 1F1(1; 3; x), which does not cancel.
    return x**2 / 2 * float(hyp1f1(1, 3, x)) + math.exp(x) * y / (1 - y)


@dataclass(frozen=True)
class CentredCoordinate(NoisyCoordinate):
    """Report exactly what `NoisyCoordinate` reports. The learner takes the shift off again before it learns.

    Algorithm 2 shifts log-likelihoods so far that noise never makes a loss negative, and pays for the shift.
    Here the log-likelihood of the coordinate that is reported is centred: it lies in ``[-L/2, L/2]`` but for
    the noise, with ``L = log((K + 1) T)``. Centring happens after the report, so the guarantee is that of
    `NoisyCoordinate`. [mathematics/003.md#centred-reports]

    Parameters
    ----------
    experts : int
        Number of distributions K, at least 1.
    guarantee : PureDP
        Local, with a finite epsilon above 0. It holds for every class of distributions.
    horizon : int
        Number of rounds T, at least 2.
    gamma : float, optional
        As for `NoisyCoordinate`.

    Raises
    ------
    InputError
        When the guarantee is of another kind, central or without privacy, or a number is out of its range.
        Without noise a report of 0 cannot be told from no report.

    Examples
    --------
    >>> from private_experts.distribution_learning import CentredCoordinate, NoisyCoordinate
    >>> from private_experts.privacy import PureDP
    >>> kinds = CentredCoordinate, NoisyCoordinate
    >>> centred, plain = (kind(4, PureDP(1.0, "local"), horizon=10**9) for kind in kinds)
    >>> round(plain.risk_bound / centred.risk_bound)
    58
    """

    def __post_init__(self) -> None:
        checked_pure_local(type(self).__name__, self.guarantee, _LARGEST)
        super().__post_init__()

    @property
    def learning_rate(self) -> float:
        """Rate ``sqrt(K log K / (T (L^2 / 8 + b^2)))`` of the centred reports, at most ``1 / (2b)``."""
        width, noise = self.scaling.width, self.scaling.noise
        # Balances K log K / rate with the excess at small rates; at most 1 / (2b), where (rate b)^2 is 1/4.
        best = math.sqrt(self.experts * math.log(self.experts) / (self.horizon * (width**2 / 8 + noise**2)))
        return min(best, 1 / (2 * noise))

    @property
    def risk_bound(self) -> float:
        """Bound on the expected total KL risk. [mathematics/003.md#centred-reports]"""
        width, noise, rate = self.scaling.width, self.scaling.noise, self.learning_rate
        if self.experts == 1:
            return 3 * width
        start = self.experts * math.log(self.experts) / rate
        return start + self.horizon * excess(rate, width, noise) / rate + 3 * width

    def total_losses(self, rounds: Ints, truth: int, classes: Array, rng: np.random.Generator) -> Array:
        """Draw sums of centred losses over many rounds with one feature. See `Mechanism.total_losses`."""
        shown, reported = self.totals(rounds, truth, classes, rng)
        return centred(self.scaling, reported, shown)

    def learner(self, repetitions: int = 1) -> "CentredMixture":
        """Make a fresh learner for these reports. See `Mechanism.learner`."""
        return CentredMixture(self, repetitions=repetitions)


def centred(scaling: Scaling, reported: Array, shown: NDArray[np.integer] | Bools) -> Array:
    """Return minus the centred log-likelihoods behind sums of `shown` losses, both (repetitions, K)."""
    # The affine map taken back, and the middle of the span as the new zero.
    return reported / scaling.factor - shown * (scaling.shift + scaling.width / 2)


class CentredMixture(ClippedMixture):
    """Predicts like `ClippedMixture`, and centres each report before it learns from it."""

    STATE = ()

    def __init__(self, mechanism: CentredCoordinate, *, repetitions: int = 1) -> None:
        super().__init__(mechanism, repetitions=repetitions)
        self._scaling = mechanism.scaling

    def update(self, reports: LabelReports) -> None:
        """Learn from losses (repetitions, K), one in a row different from 0. See `LabelLearner.update`."""
        losses = self._received(reports)
        # A loss of exactly 0 marks a coordinate that was not reported: noise makes none.
        self.majority.update(centred(self._scaling, losses, losses != 0))
