"""The game between nature, users and learner, round by round. [mathematics/003.md#setting]"""

from typing import NamedTuple

import numpy as np

from private_experts.arrays import Array
from private_experts.distribution_learning.label_learner import Mechanism, asks
from private_experts.distribution_learning.risk import SummedDivergence, total_variation
from private_experts.errors import InputError
from private_experts.validation import check_truth, generator


class Risk(NamedTuple):
    """The risks of independent repetitions of a game, (repetitions,). [003] [mathematics/003.md#setting]"""

    kl: Array  # divergence of the prediction from the truth, in natural logarithms, added up over all rounds
    variation: Array  # total variation between the two, in [0, 1], averaged over all rounds


def play_labels(
    mechanism: Mechanism, classes: Array, *, truth: int, repetitions: int, rng: np.random.Generator | int
) -> Risk:
    """Play all rounds: the learner predicts, a user draws a label from the truth and reports it privately.

    [003] [mathematics/003.md#setting]

    Parameters
    ----------
    mechanism : Mechanism
        What the users run.
    classes : ndarray, shape (T, K, M)
        The distributions for the feature of each round; T is the mechanism's horizon.
    truth : int
        Index of the distribution that the labels come from, from 0 to K - 1.
    repetitions : int
        Number of independent games, at least 1.
    rng : numpy.random.Generator or int
        Source of labels and noise.

    Returns
    -------
    Risk
        Of each repetition.

    Raises
    ------
    InputError
        When there are not as many rounds as the mechanism's horizon, a round has other distributions than it
        says, or the truth is none of them.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.distribution_learning import RandomizedResponse, play_labels
    >>> from private_experts.privacy import PureDP
    >>> mechanism = RandomizedResponse(2, PureDP(3.0, "local"), labels=2, horizon=50)
    >>> classes = np.broadcast_to([[0.9, 0.1], [0.1, 0.9]], (50, 2, 2))
    >>> risk = play_labels(mechanism, classes, truth=0, repetitions=20, rng=np.random.default_rng(1))
    >>> round(float(risk.kl.mean()), 1), round(mechanism.risk_bound, 1)
    (6.6, 45.4)
    """
    if not isinstance(classes, np.ndarray) or classes.ndim != 3 or len(classes) != mechanism.horizon:
        raise InputError(
            f"classes of shape {np.shape(classes)}: write ({mechanism.horizon}, K, M), one class a round"
        )
    check_truth(truth, mechanism.experts)
    rng = generator(rng, "labels")
    learner = mechanism.learner(repetitions)
    divergence, variation = SummedDivergence(repetitions), np.zeros(repetitions)
    for given in classes:
        predicted = learner.predict(given)
        # Divergence in closed form, not the loss of a drawn label: labels add variance and no information.
        divergence.add(given[truth], predicted)
        variation += total_variation(given[truth], predicted)
        labels = np.searchsorted(given[truth].cumsum()[:-1], rng.random(repetitions), side="right")
        # The prediction was made before: the report of a round must not help to predict it.
        if asks(mechanism):
            learner.update(mechanism.privatize(labels, given, rng, predicted))
        else:
            learner.update(mechanism.privatize(labels, given, rng))
    return Risk(divergence.total(), variation / len(classes))
