"""Privacy guarantees of algorithms: the definition, its level, and who has to be trusted.

[mathematics/000.md#privacy]
"""

import math
from dataclasses import dataclass
from typing import Literal

from private_experts.errors import InputError

Model = Literal["local", "central"]


@dataclass(frozen=True)
class GaussianDP:
    """Gaussian differential privacy: telling two neighbours apart is no easier than N(0, 1) from N(mu, 1).

    Parameters
    ----------
    mu : float
        Privacy level, at least 0; smaller is more private, ``inf`` is no privacy at all.
    model : {"local", "central"}
        ``local``: each report is private before it leaves its source, so nobody has to be trusted.
        ``central``: a trusted curator sees the true gains, and only the actions are private.

    Raises
    ------
    InputError
        When `mu` is negative or not a number.

    Notes
    -----
    The guarantee holds for exact Gaussian noise. Seeded noise is a simulation of it and protects nobody; see
    `private_experts.privacy.noise`. [000, Section 2.2]
    """

    mu: float
    model: Model

    def __post_init__(self) -> None:
        if not self.mu >= 0:
            raise InputError(f"privacy level mu = {self.mu}: write a positive number, or inf for no privacy")

    def noise_scale(self, sensitivity: float) -> float:
        """Return the standard deviation that gives this level to a value of L2 sensitivity `sensitivity`.

        Raises
        ------
        InputError
            When ``mu`` is 0, which no finite noise attains, or the sensitivity is negative or not a number.
        """
        if not sensitivity >= 0:
            raise InputError(f"sensitivity {sensitivity}: write a number of at least 0")
        if self.mu == 0:
            raise InputError("privacy level mu = 0: no finite noise attains it, write a positive number")
        return 0.0 if math.isinf(self.mu) else sensitivity / self.mu

    def __str__(self) -> str:
        return "no privacy" if math.isinf(self.mu) else f"{self.mu:g}-GDP ({self.model})"


@dataclass(frozen=True)
class PureDP:
    """Pure differential privacy: between neighbours, no output is more than e^epsilon times as likely.

    Parameters
    ----------
    epsilon : float
        Privacy level, at least 0; smaller is more private, ``inf`` is no privacy at all.
    model : {"local", "central"}
        Who has to be trusted; see `GaussianDP`.

    Raises
    ------
    InputError
        When `epsilon` is negative or not a number.
    """

    epsilon: float
    model: Model

    def __post_init__(self) -> None:
        if not self.epsilon >= 0:
            raise InputError(f"privacy level epsilon = {self.epsilon}: write a positive number, or inf for no privacy")

    def __str__(self) -> str:
        return "no privacy" if math.isinf(self.epsilon) else f"{self.epsilon:g}-DP ({self.model})"


@dataclass(frozen=True)
class ApproximateDP:
    """Approximate differential privacy: as `PureDP`, except for a probability of at most `delta`.

    Parameters
    ----------
    epsilon : float
        Privacy level, at least 0; ``inf`` is no privacy at all.
    delta : float
        In [0, 1]; 0 is pure differential privacy, 1 is no privacy at all.
    model : {"local", "central"}
        Who has to be trusted; see `GaussianDP`.

    Raises
    ------
    InputError
        When `epsilon` is negative or `delta` is outside [0, 1], or either is not a number.
    """

    epsilon: float
    delta: float
    model: Model

    def __post_init__(self) -> None:
        if not self.epsilon >= 0:
            raise InputError(f"privacy level epsilon = {self.epsilon}: write a positive number, or inf for no privacy")
        if not 0 <= self.delta <= 1:
            raise InputError(f"privacy level delta = {self.delta}: write a number from 0 to 1")

    def __str__(self) -> str:
        if math.isinf(self.epsilon) or self.delta == 1:
            return "no privacy"
        return f"({self.epsilon:g}, {self.delta:g})-DP ({self.model})"
