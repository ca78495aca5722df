"""RW-FTPL: follow the leader of the noisy totals, whose noise is a random walk."""

import numpy as np
from numpy.typing import NDArray

from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import Noise


class RWFTPL:
    """Prediction by random-walk perturbation, seen as post-processing of noisy reports. [000, Section 3]

    Plays ``argmax(z_0 + g~_1 + ... + g~_{t-1})``, where the reports g~ already carry their noise. It sees nothing
    else, so it inherits the local privacy of the reports. With noise scale eta and n experts, its expected regret
    over T rounds is at most ``(eta + 2/eta) sqrt(2 T log n)`` against gains in [0, 1] that are fixed in advance.
    [mathematics/000.md#regret-rw-ftpl]

    Parameters
    ----------
    n : int
        Number of experts.
    guarantee : GaussianDP
        The local guarantee of the reports.
    noise_scale : float
        Standard deviation of z_0, the perturbation before the first round. Use that of the first report.
    noise : Noise
        Where z_0 comes from.
    repetitions : int
        Number of independent copies.
    """

    def __init__(self, n: int, guarantee: GaussianDP, noise_scale: float, noise: Noise, repetitions: int = 1) -> None:
        self.guarantee = guarantee
        self.total = noise.privatize(np.zeros(n), noise_scale, repetitions)

    def predict(self) -> NDArray[np.intp]:
        """Return the leader of each repetition, shape (repetitions,)."""
        return self.total.argmax(axis=-1)

    def update(self, gains: NDArray[np.float64]) -> None:
        """Add the noisy reports of a round, shape (repetitions, n)."""
        self.total += gains
