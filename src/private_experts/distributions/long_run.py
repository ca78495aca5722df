"""Very long games with one feature, simulated without playing each round.

When the feature stays the same, reports are independent draws from one law, and the learner's state is their sum. The
sum over any number of rounds can be drawn at once: counts are multinomial, and a sum of Laplace variables is a
difference of two Gamma variables. The rounds are split into strata. In each stratum one uniformly drawn round is looked
at, and its risk is multiplied by the length of the stratum. The state in that round has its exact law, so the sum over
strata is an unbiased estimate of the total risk. [mathematics/003.md#long-run]
"""

from itertools import pairwise

import numpy as np

from private_experts.distributions.game import Array, Risk
from private_experts.distributions.interface import Mechanism
from private_experts.distributions.risk import kl, total_variation


def play_long(
    mechanism: Mechanism,
    classes: Array,
    truth: int,
    horizon: int,
    repetitions: int,
    rng: np.random.Generator,
    strata: int = 40,
    power: int = 3,
) -> Risk:
    """Return unbiased estimates of the risk over `horizon` rounds with one feature.

    Parameters
    ----------
    mechanism : Mechanism
        What the users run.
    classes : ndarray, shape (K, M)
        The distributions for the feature.
    truth : int
        Index of the distribution that the labels come from.
    horizon : int
        Number of rounds T of the mechanism.
    repetitions : int
        Number of independent games.
    rng : numpy.random.Generator
        Source of labels, noise and rounds.
    strata, power : int
        Number of strata. Stratum k ends at round ``T (k / strata)^power``, because most is learnt early.
    """
    ends = np.unique((horizon * (np.arange(strata + 1) / strata) ** power).astype(np.int64))
    learner = mechanism.learner(repetitions)
    past = np.zeros(repetitions, dtype=np.int64)
    divergence, variation = np.zeros(repetitions), np.zeros(repetitions)
    for start, end in pairwise(ends.tolist()):
        rounds = rng.integers(start, end, size=repetitions)  # number of rounds before the one looked at
        learner.majority.update(mechanism.total_losses(rounds - past, truth, classes, rng))
        predicted, past = learner.predict(classes), rounds
        divergence += (end - start) * kl(classes[truth], predicted)
        variation += (end - start) * total_variation(classes[truth], predicted)
    return Risk(divergence, variation / horizon)
