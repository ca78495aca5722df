"""The extra noise of RW-Meta: with it, noise in the learners' credits is independent, up to a shift.

The covariance that learners share, and the noise of covariance ``c I - S`` that is added to it. [000, Section
3.2] [mathematics/000.md#rw-meta]
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np

from private_experts.algorithms.leading_eigenvalues import leading_eigenvalues
from private_experts.arrays import Array, Indices, Scale
from private_experts.validation import checked_number

# The extra covariance c I - S is singular by design. c is raised by this fraction, so that the Cholesky
# factor exists in floating point. The variance of the choice changes by the same fraction.
_LIFT = 1e-9


@dataclass(frozen=True)
class Decorrelation:
    """How the extra noise of the choice between learners is built.

    Parameters
    ----------
    floor : float
        c is at least ``floor * t`` in round t, a variance. The paper's algorithm has 2 [000, Section 3.2],
        for which Theorem 3 holds; 0 is no floor, a variant of ours. [mathematics/000.md#floor]
    projection : {"sigma-star", "centred"}
        ``sigma-star``: the paper's ``Sigma - (1' Sigma 1 / m^2) 1 1'``. ``centred``: ``P Sigma P`` with
        ``P = I - 1 1'/m``. It gives the same law of the choice, and never has a larger leading eigenvalue.
        [mathematics/000.md#e000-2]

    Raises
    ------
    InputError
        When the floor is negative, not finite, or a truth value.

    Examples
    --------
    Learners 0 and 1 agreed in both rounds, learner 2 with nobody. The centred projection needs the smaller c:

    >>> import numpy as np
    >>> from private_experts.algorithms import Decorrelation
    >>> sigma = np.array([[2.0, 2.0, 0.0], [2.0, 2.0, 0.0], [0.0, 0.0, 2.0]])
    >>> star, centred = Decorrelation(floor=0), Decorrelation(floor=0, projection="centred")
    >>> projections = star, centred
    >>> [round(float(projection.level(projection.covariance(sigma), t=3)), 4) for projection in projections]
    [2.9663, 2.6667]
    >>> float(Decorrelation().level(Decorrelation().covariance(sigma), t=3))
    6.0
    """

    floor: float = 2.0
    projection: Literal["sigma-star", "centred"] = "sigma-star"

    def __post_init__(self) -> None:
        object.__setattr__(self, "floor", checked_number("floor", self.floor, 0, 1e9))

    def covariance(self, sigma: Array) -> Array:
        """Return S: covariances of the noise in the learners' totals, (..., m, m), minus a common shift."""
        # One number is taken from all entries, which is a common shift; the result is usually indefinite.
        if self.projection == "sigma-star":
            result: Array = sigma - sigma.mean(axis=(-2, -1), keepdims=True)
            return result
        # P Sigma P: centred rows and columns. Its leading eigenvalue is never above that of Sigma*.
        # [000.md#e000-2]
        rows = sigma.mean(axis=-1, keepdims=True)
        result = sigma - rows - rows.swapaxes(-2, -1) + rows.mean(axis=-2, keepdims=True)
        return result

    def level(self, covariance: Array, t: int | Indices) -> Array:
        """Return the variance c for round t, from 1: the leading eigenvalue of S, and at least the floor."""
        # Without a floor an eigenvalue below 0 can only be rounding: S has the vector of ones with x' S x =
        # 0.
        if not self.floor:
            return np.maximum(leading_eigenvalues(covariance), 0.0)
        return leading_eigenvalues(covariance, self.floor * np.asarray(t))

    def factors(self, sigma: Array, t: int | Indices) -> Array:
        """Return what makes standard normals the extra noise y_t: a factor of its covariance ``c I - S``.

        It is zero where there is nothing to draw. `t` is one round for all, or one for each matrix.
        """
        covariance = self.covariance(sigma)
        return self.factors_at(sigma, covariance, self.level(covariance, t))

    def factors_at(self, sigma: Array, covariance: Array, level: Array) -> Array:
        """Return `factors` where S and c are known already."""
        # In place on one array: m^2 numbers for each copy and round, the largest array of the algorithm.
        extra = np.negative(covariance)
        np.einsum("...ii->...i", extra)[...] += level[..., None] * (1 + _LIFT)
        # Where all learners always agreed, S = 0 up to rounding. Without a floor there is then nothing to
        # draw.
        idle = level <= 1e-12 * sigma[..., 0, 0]
        # Any positive definite matrix will do here: it keeps one Cholesky call for the stack, and its factor
        # is cleared.
        extra[idle] = np.eye(sigma.shape[-1])
        found: Array = np.linalg.cholesky(extra)
        found[idle] = 0.0
        return found

    def draw(self, sigma: Array, t: int, rng: np.random.Generator, repetitions: int | None = None) -> Array:
        """Draw the extra noise y_t of round t.

        Of `sigma`, shape (repetitions or 1, m, m), one matrix may stand for all copies. The extra noise
        protects no data, so a plain generator is enough.
        """
        noise: Array = extra_noise(self.factors(sigma, t)[None], rng, repetitions or len(sigma))[0]
        return noise


def extra_noise(factors: Array, rng: np.random.Generator, repetitions: int) -> Array:
    """Draw the extra noise of some rounds, (T, repetitions, m), by its factors (T, repetitions or 1, m, m).

    In a round whose factors are all zero nothing is drawn.
    """
    m = factors.shape[-1]
    # A Cholesky factor begins with a positive number, and one that was cleared with 0.
    noise, noisy = np.zeros((len(factors), repetitions, m)), factors[..., 0, 0].any(axis=1)
    # Draws are skipped and not multiplied by 0, so the stream of random numbers is that of playing round by
    # round.
    if not noisy.all():
        factors = factors[noisy]
    noise[noisy] = (factors @ rng.standard_normal((np.count_nonzero(noisy), repetitions, m, 1)))[..., 0]
    return noise


def shared_variance(advice: Indices, scale: Scale) -> Array:
    """Return the covariance (rows, m, m) of the noise with which one round credits actions (rows, m)."""
    # Learners that name one expert share one report's noise; reports of different experts are independent.
    agree = advice[:, :, None] == advice[:, None, :]
    variance: Scale = scale**2
    of_action = variance[advice][:, :, None] if isinstance(variance, np.ndarray) else variance
    shared: Array = of_action * agree
    return shared
