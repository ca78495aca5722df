"""DP-FTRL: the regularised leader of noisy sums of gradients. [Kairouz et al. 2021]"""

import math
from typing import Any, Protocol

import numpy as np

from private_experts.arrays import Array
from private_experts.descriptions import Described
from private_experts.errors import InputError
from private_experts.ownership import bind
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.participation import Participation, times_in
from private_experts.private_oco.domains import Domain
from private_experts.validation import check_steepness, checked_loss, checked_number


class Sums(Protocol):
    """Running sums of vectors with noise, such as `BandedSums`, `MatrixSums`, `TreeSums`, `TightTreeSums`."""

    n: int
    guarantee: GaussianDP

    def add(self, vector: Array) -> None:
        """Append a vector, shape (n,)."""
        ...

    def release(self) -> Array:
        """Return the noisy sum of all vectors so far, shape (repetitions, n)."""
        ...


class DPFTRL(Described):
    """Plays the point x that minimises ``<s, x> + lam/2 |x|^2``, where s is a noisy sum of the slopes so far.

    It is `PCOMW`'s rival at small levels and few rounds: noise is added to the sums, once for each, and not
    to the points. [mathematics/001.md#private-leader] A loss that is not linear is replaced by its slope at
    the played point, which needs a learner of a single repetition.

    Parameters
    ----------
    domain : Box or Ball
        The decision set.
    sums : Sums
        Noisy sums of vectors of the set's dimension. When one loss is replaced by another its slope moves by
        up to ``2 lipschitz``, and so the sums need at least this sensitivity. Sums that state none are taken
        at the caller's word.
    lam : float
        Strength of the regulariser, positive; `dp_ftrl_regulariser` gives one.
    lipschitz : float
        The losses' Lipschitz constant G, positive. A slope that is longer is refused.

    Attributes
    ----------
    guarantee : GaussianDP
        That of the sums: of all points together, when one loss is replaced by another.

    Raises
    ------
    InputError
        When the sums are of another dimension or too small a sensitivity, or a parameter is out of its range.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.privacy import BandedSums, GaussianDP, SimulatedNoise
    >>> from private_experts.privacy.banded import root_band
    >>> from private_experts.private_oco import DPFTRL, Box
    >>> from private_experts.randomness import rng_for
    >>> noise, mu = SimulatedNoise(rng_for(0, "sums")), GaussianDP(1.0, "central")
    >>> sums = BandedSums(1, mu, coefficients=root_band(16), sensitivity=2.0, noise=noise, repetitions=50)
    >>> learner = DPFTRL(Box([-0.5], [0.5]), sums, lam=60.0)
    >>> for _ in range(199):  # the same loss again and again, which is least at -0.5
    ...     learner.update(np.array([1.0]))
    >>> round(float(learner.predict().mean()), 1), str(learner.guarantee)
    (-0.5, '1-GDP (central, simulated noise)')
    """

    STATE = ()

    def __init__(self, domain: Domain, sums: Sums, *, lam: float, lipschitz: float = 1.0) -> None:
        lam = checked_number("DP-FTRL: lam", lam, 0, ends=False)
        lipschitz = checked_number("DP-FTRL: lipschitz", lipschitz, 0, ends=False)
        if sums.n != domain.dimension:
            raise InputError(f"DP-FTRL: sums of {sums.n} numbers on a set of {domain.dimension} dimensions")
        stated: Any = getattr(sums, "_made_with", {}).get("sensitivity", getattr(sums, "sensitivity", None))
        least = math.inf if stated is None else float(np.min(stated))
        if least < 2 * lipschitz * (1 - 1e-9):  # rounded otherwise by who computed it
            raise InputError(
                f"DP-FTRL: sums of sensitivity {least:g}: a slope of length up to {lipschitz:g} that becomes "
                f"another moves them by {2 * lipschitz:g}; write this sensitivity"
            )
        self.guarantee = sums.guarantee
        self._domain, self._sums, self._lam, self._lipschitz = domain, sums, lam, lipschitz

    def times_in(self, participation: Participation) -> float | None:
        """Return what a person in several rounds has of the sums. See `privacy_report`."""
        return times_in(self._sums, participation)

    def predict(self) -> Array:
        """Return the points of the coming round, shape (repetitions, d)."""
        bind(self._sums, self)
        # The minimiser of a quadratic with equal curvature in all directions: its projection is the
        # constrained one.
        return self._domain.project(-self._sums.release() / self._lam)

    def update(self, slope: Array) -> None:
        """Take in the slope of a round's loss, shape (d,)."""
        slope = checked_loss(slope, self._domain.dimension, "the slope")
        # A steeper slope would move the sums by more than their sensitivity, and the guarantee would be
        # false.
        check_steepness(math.sqrt(slope.dot(slope)), self._lipschitz)
        bind(self._sums, self)
        self._sums.add(slope)


def dp_ftrl_regulariser(
    noise: Array, dimension: int, level: float, lipschitz: float = 1.0, diameter: float = 1.0
) -> float:
    """Return the regulariser with the least bound on the regret. [mathematics/001.md#private-leader]

    ``lam D^2 / 2 + G^2 / lam * sum_t (1 + 2 sqrt(d) noise_t / level)``

    Parameters
    ----------
    noise : ndarray, shape (T,)
        Standard deviation of each round's sum at level 1 and sensitivity 1.
    dimension : int
        Dimension d of the set, at least 1.
    level : float
        Gaussian level, positive.
    lipschitz, diameter : float
        The losses' Lipschitz constant G and the set's diameter D, positive.

    Returns
    -------
    float

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.private_oco.dp_ftrl import dp_ftrl_regulariser
    >>> dp_ftrl_regulariser(np.ones(50), 1, level=2.0)
    14.142135623730951
    """
    # 2 G is the sensitivity: one slope is replaced by another, each of length up to G.
    spread = float((1 + 2 * math.sqrt(dimension) * noise / level).sum())
    return lipschitz / diameter * math.sqrt(2 * spread)


def root_noise(rounds: int) -> Array:
    """Return the noise of sums of 1 to T vectors by square-root factorisation, at level and sensitivity 1.

    Entry t - 1 is ``sqrt(sum_{k < t} c_k^2 sum_{k < T} c_k^2)``, with ``c_k = binom(2k, k) / 4^k``. It is
    `band_noise` of all T coefficients, without their product. [mathematics/001.md#private-leader]
    """
    k = np.arange(1, rounds)
    # The noise of a sum is the length of a row times the longest column, and both have these squares.
    squares = np.cumsum(np.concatenate([[1.0], np.cumprod((2 * k - 1) / (2 * k))]) ** 2)
    return np.asarray(np.sqrt(squares * squares[-1]))
