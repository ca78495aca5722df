"""Algorithm 2: each user reports one randomly chosen coordinate of the log-likelihoods, with noise."""

from dataclasses import KW_ONLY, dataclass
from functools import cached_property

import numpy as np

from private_experts.arrays import Array, Indices, Ints
from private_experts.distribution_learning.clipping import clip
from private_experts.distribution_learning.label_counts import label_counts
from private_experts.distribution_learning.label_reports import LabelReports
from private_experts.distribution_learning.mixture import ClippedMixture
from private_experts.distribution_learning.scaling import Scaling
from private_experts.distribution_learning.weighted_majority import learning_rate, regret_bound
from private_experts.privacy.guarantees import PureDP, checked_pure_local, of_simulated_noise
from private_experts.validation import check_class_shape, check_many_rounds, checked_indices


@dataclass(frozen=True)
class NoisyCoordinate:
    """Report one random coordinate of a label's clipped log-likelihoods, with Laplace noise; others are 0.

    [003, Algorithm 2] [mathematics/003.md#algorithm-2]

    Parameters
    ----------
    experts : int
        Number of distributions K, at least 1.
    guarantee : PureDP
        Local, with epsilon above 0; ``inf`` is no privacy. It holds for every class of distributions.
    horizon : int
        Number of rounds T, at least 2.
    gamma : float, optional
        ``log T`` by default; see `scaling.Scaling`.

    Raises
    ------
    InputError
        When the guarantee is of another kind or central, or a number is out of its range.

    Notes
    -----
    The noise is for the span of log-likelihoods that is proved. The printed span gives too little noise.
    [mathematics/003.md#e003-1]

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.distribution_learning import NoisyCoordinate
    >>> from private_experts.privacy import PureDP
    >>> mechanism = NoisyCoordinate(3, PureDP(1.0, "local"), horizon=100)
    >>> reports = mechanism.privatize(np.array([0, 1]), np.eye(3), np.random.default_rng(1))
    >>> reports.values.round(2).tolist()  # of each user, the noisy loss of one distribution
    [[0.0, 0.53, 0.0], [0.0, 0.43, 0.0]]
    """

    experts: int
    guarantee: PureDP
    _: KW_ONLY
    horizon: int
    gamma: float | None = None

    def __post_init__(self) -> None:
        stated = checked_pure_local(type(self).__name__, self.guarantee)
        object.__setattr__(self, "guarantee", of_simulated_noise(stated))
        _ = self.scaling  # checks the other parameters

    @cached_property
    def scaling(self) -> Scaling:
        """Noise and scaling of the coordinate that is reported."""
        return Scaling(self.experts, horizon=self.horizon, level=self.guarantee.epsilon, gamma=self.gamma)

    @property
    def learning_rate(self) -> float:
        """Learning rate ``sqrt(2 K log K / T)`` of the weights."""
        return learning_rate(self.experts, self.horizon, 1)

    @property
    def risk_bound(self) -> float:
        """Bound on the expected total KL risk. [003, Theorem 5] [mathematics/003.md#theorem-5]"""
        return self.scaling.risk_bound(self.experts**0.5 * regret_bound(self.experts, self.horizon))

    def privatize(self, labels: Indices, classes: Array, rng: np.random.Generator) -> LabelReports:
        """Report losses (repetitions, K), one in a row different from 0. See `Mechanism.privatize`."""
        check_class_shape(classes, self.experts)
        clipped = clip(classes, self.horizon)
        labels = checked_indices("labels", labels, clipped.sizes.size)
        # Drawn without a look at the label, so which coordinate is reported tells nothing.
        rows, shown = np.arange(labels.size), rng.integers(self.experts, size=labels.size)
        exact = np.log(clipped.values[shown, clipped.draw(labels, rng)])
        reports = np.zeros((labels.size, self.experts))
        reports[rows, shown] = self.scaling.losses(
            exact + self.scaling.laplace(rng, exact.shape), clipped.sizes.size
        )
        return LabelReports(reports, self)

    def total_losses(self, rounds: Ints, truth: int, classes: Array, rng: np.random.Generator) -> Array:
        """Draw sums of private losses over many rounds with one feature. See `Mechanism.total_losses`."""
        return self.totals(rounds, truth, classes, rng)[1]

    def totals(
        self, rounds: Ints, truth: int, classes: Array, rng: np.random.Generator
    ) -> tuple[Ints, Array]:
        """Draw how often coordinates are reported in so many rounds, and sums of losses, (repetitions, K)."""
        check_many_rounds(rounds, truth, self.experts)
        check_class_shape(classes, self.experts)
        clipped = clip(classes, self.horizon)
        # First how often each coordinate came, then its labels: as independent draws have it.
        shown = rng.multinomial(rounds, np.full(self.experts, 1 / self.experts))
        owners = label_counts(rng, shown, classes[truth] @ clipped.owners)  # (repetitions, K, M)
        exact = (owners * np.log(clipped.values)).sum(axis=-1)
        noise = self.scaling.total_laplace(rng, shown)
        return shown, self.scaling.losses(exact + noise, owners.shape[-1], shown)

    def learner(self, repetitions: int = 1) -> ClippedMixture:
        """Make a fresh learner for these reports. See `Mechanism.learner`."""
        return ClippedMixture(self, repetitions=repetitions)
