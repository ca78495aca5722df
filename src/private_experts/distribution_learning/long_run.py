"""Very long games with one feature, simulated without playing each round. [mathematics/003.md#long-run]

Reports are then independent draws from one law, whose sum over many rounds can be drawn at once. In each
stratum of rounds one is looked at, and its risk is multiplied by the length of the stratum: an unbiased
estimate.
"""

from itertools import pairwise

import numpy as np

from private_experts.arrays import Array
from private_experts.distribution_learning.game import Risk
from private_experts.distribution_learning.label_learner import Mechanism
from private_experts.distribution_learning.risk import kl, total_variation
from private_experts.validation import check_truth, generator, whole


def play_long(
    mechanism: Mechanism,
    classes: Array,
    *,
    truth: int,
    repetitions: int,
    rng: np.random.Generator | int,
    strata: int = 40,
    power: int = 3,
) -> Risk:
    """Return unbiased estimates of the risk over all rounds of a mechanism with one feature.

    [mathematics/003.md#long-run]

    Parameters
    ----------
    mechanism : Mechanism
        What the users run. It says how many rounds there are.
    classes : ndarray, shape (K, M)
        The distributions for the feature.
    truth : int
        Index of the distribution that the labels come from, from 0 to K - 1.
    repetitions : int
        Number of independent games, at least 1.
    rng : numpy.random.Generator or int
        Source of labels, noise and rounds.
    strata, power : int
        Number of strata, at least 1. Stratum k ends at round ``T (k / strata)^power``, because most is learnt
        early.

    Returns
    -------
    Risk
        Estimates of each repetition.

    Raises
    ------
    InputError
        When the classes are not those of a round, the truth is none of them, or a number is below 1.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.distribution_learning import CentredCoordinate, play_long
    >>> from private_experts.privacy import PureDP
    >>> mechanism = CentredCoordinate(4, PureDP(1.0, "local"), horizon=10**9)
    >>> classes = np.array([[0.95, 0.05]] + 3 * [[0.05, 0.95]])
    >>> risk = play_long(mechanism, classes, truth=0, repetitions=20, rng=np.random.default_rng(1))
    >>> bool(0 < risk.kl.mean() < mechanism.risk_bound)
    True
    """
    strata = whole(strata, "long run", "strata")
    power = whole(power, "long run", "power")
    check_truth(truth, mechanism.experts)
    rng = generator(rng, "long run")
    horizon = mechanism.horizon
    # In whole numbers: with floats the last bit would decide on which side of a round a stratum ends.
    ends = sorted({horizon * k**power // strata**power for k in range(strata + 1)})
    learner = mechanism.learner(repetitions)
    past = np.zeros(repetitions, dtype=np.int64)
    divergence, variation = np.zeros(repetitions), np.zeros(repetitions)
    for start, end in pairwise(ends):
        # One round of each stratum, at random in it: the mean over strata is then unbiased for the sum.
        rounds = rng.integers(start, end, size=repetitions)  # number of rounds before the one looked at
        # Only the rounds since the last look are drawn: totals of independent stretches add up.
        learner.majority.update(mechanism.total_losses(rounds - past, truth, classes, rng))
        predicted, past = learner.predict(classes), rounds
        divergence += (end - start) * kl(classes[truth], predicted)
        variation += (end - start) * total_variation(classes[truth], predicted)
    return Risk(divergence, variation / horizon)
