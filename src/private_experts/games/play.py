"""Play an algorithm on a stream of gains."""

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from private_experts.algorithms.interface import Algorithm
from private_experts.privacy.noise import Noise

Array = NDArray[np.float64]


def private_reports(
    gains: Array, noise_scales: Sequence[float] | Array, noise: Noise, repetitions: int
) -> Iterator[Array]:
    """Yield the report that leaves the data's owner each round: gains plus fresh noise, shape (repetitions, n).

    Parameters
    ----------
    gains : ndarray, shape (T, n)
        True gains.
    noise_scales : sequence of T floats
        Standard deviation of each round's noise.
    noise : Noise
        Where the noise comes from.
    repetitions : int
        Number of independent copies.
    """
    for round_gains, scale in zip(gains, noise_scales, strict=True):
        yield noise.privatize(round_gains, float(scale), repetitions)


def play(algorithm: Algorithm, reports: Iterable[Array]) -> NDArray[np.intp]:
    """Play one game. In each round the algorithm acts, and then gets the round's report.

    Parameters
    ----------
    algorithm : Algorithm
        A fresh algorithm.
    reports : iterable of T arrays
        What the algorithm is told after each action: `private_reports` for local algorithms, and the true gains
        (T, n) for central ones.

    Returns
    -------
    ndarray, shape (T, repetitions)
        The actions.
    """
    actions: list[NDArray[np.intp]] = []
    for report in reports:
        actions.append(algorithm.predict())
        algorithm.update(report)
    return np.array(actions, dtype=np.intp)
