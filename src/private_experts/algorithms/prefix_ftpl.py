"""Follow the leader of private prefix sums, whatever releases them. [mathematics/000.md#central-sums]"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from private_experts.privacy.guarantees import GaussianDP


class PrefixSums(Protocol):
    """Running sums that are released with noise, such as those of `private_experts.privacy`."""

    def add(self, vector: NDArray[np.float64]) -> None:
        """Append a vector of shape (n,)."""
        ...

    def release(self) -> NDArray[np.float64]:
        """Return the noisy sum of all vectors so far, shape (repetitions, n)."""
        ...


class PrefixFTPL:
    """Plays the leader of released prefix sums; a trusted curator sees the true gains.

    Parameters
    ----------
    sums : PrefixSums
        Where the sums are kept and released.
    guarantee : GaussianDP
        What all releases together promise.
    """

    def __init__(self, sums: PrefixSums, guarantee: GaussianDP) -> None:
        self.guarantee = guarantee
        self._sums = sums

    def predict(self) -> NDArray[np.intp]:
        """Return the leader of the released prefix, shape (repetitions,)."""
        return self._sums.release().argmax(axis=-1)

    def update(self, gains: NDArray[np.float64]) -> None:
        """Add the true gains of a round, shape (n,)."""
        self._sums.add(gains)
