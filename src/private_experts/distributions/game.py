"""The game between nature, users and learner, round by round. [mathematics/003.md#setting]"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from private_experts.distributions.interface import Mechanism
from private_experts.distributions.risk import kl, total_variation

Array = NDArray[np.float64]


class Risk(NamedTuple):
    """The risks of independent repetitions of a game, shape (repetitions,) each."""

    kl: Array
    """KL divergence between truth and prediction, added up over all rounds."""
    variation: Array
    """Total variation between truth and prediction, averaged over all rounds."""


def play(mechanism: Mechanism, classes: Array, truth: int, repetitions: int, rng: np.random.Generator) -> Risk:
    """Play all rounds: the learner predicts, a user draws a label from the truth and reports it privately.

    Parameters
    ----------
    mechanism : Mechanism
        What the users run.
    classes : ndarray, shape (T, K, M)
        The distributions for the feature of each round; T is the mechanism's horizon.
    truth : int
        Index of the distribution that the labels come from.
    repetitions : int
        Number of independent games.
    rng : numpy.random.Generator
        Source of labels and noise.
    """
    learner = mechanism.learner(repetitions)
    divergence, variation = np.zeros(repetitions), np.zeros(repetitions)
    for given in classes:
        predicted = learner.predict(given)
        divergence += kl(given[truth], predicted)
        variation += total_variation(given[truth], predicted)
        labels = np.searchsorted(given[truth].cumsum()[:-1], rng.random(repetitions), side="right")
        learner.update(mechanism.privatize(labels, given, rng))
    return Risk(divergence, variation / len(classes))
