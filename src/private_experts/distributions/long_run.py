"""Very many rounds with one feature: the game without playing its rounds.

When the feature stays the same, the reports are independent draws from one law, and the learner's state is a sum of
them, which can be drawn at once for any number of rounds: counts are multinomial, and a sum of Laplace variables is a
difference of Gamma variables. The total risk is the sum over strata of rounds of the stratum's length times the risk in
a uniformly drawn round of it, in the mean over the draw. So the estimate has no bias, and its law is no approximation.
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
) -> Risk:
    """Return unbiased estimates of the risk over `horizon` rounds with one feature.

    Parameters
    ----------
    mechanism : Mechanism
        What the users run.
    classes : ndarray, shape (K, M)
        The distributions that the feature gives.
    truth : int
        Which of the K distributions the labels come from.
    horizon : int
        Number of rounds T of the mechanism.
    repetitions : int
        Number of independent games.
    rng : numpy.random.Generator
        Source of labels, noise and rounds.
    strata : int
        Number of strata of rounds; they grow with the cube of their place, because most is learnt early.
    """
    ends = np.unique((horizon * (np.arange(strata + 1) / strata) ** 3).astype(np.int64))
    learner = mechanism.learner(repetitions)
    past = np.zeros(repetitions, dtype=np.int64)
    divergence, variation = np.zeros(repetitions), np.zeros(repetitions)
    for start, end in pairwise(ends.tolist()):
        rounds = rng.integers(start, end, size=repetitions)  # played before the round that is looked at
        learner.majority.update(mechanism.total_losses(rounds - past, truth, classes, rng))
        predicted, past = learner.predict(classes), rounds
        divergence += (end - start) * kl(classes[truth], predicted)
        variation += (end - start) * total_variation(classes[truth], predicted)
    return Risk(divergence, variation / horizon)
