"""Gaussian noise from two sources with one interface: seeded simulation, and secure noise for deployment.

Every number that the study reports comes from `SimulatedNoise`, because it can be repeated. It protects nobody.
Whoever knows the seed knows the noise, and floating-point Gaussians leak their operands through the low bits (Mironov,
2012). `SecureNoise` draws a discrete Gaussian on a fixed grid from the operating system's randomness, and adds it on
that grid. So the low bits reveal nothing. It cannot be seeded.
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from private_experts.errors import InputError


class Noise(Protocol):
    """A source of private reports."""

    def privatize(self, values: NDArray[np.float64], scale: float, repetitions: int) -> NDArray[np.float64]:
        """Return `repetitions` independent copies of `values` plus N(0, scale^2) noise on each coordinate.

        Parameters
        ----------
        values : ndarray, shape (n,) or (repetitions, n)
            What is to be protected.
        scale : float
            Standard deviation of the noise, at least 0.
        repetitions : int
            Number of independent copies.

        Returns
        -------
        ndarray, shape (repetitions, n)
        """
        ...


class SimulatedNoise:
    """Seeded Gaussian noise, for experiments only.

    Parameters
    ----------
    rng : numpy.random.Generator
        From `private_experts.randomness.rng_for`.
    """

    def __init__(self, rng: np.random.Generator) -> None:
        self._rng = rng

    def privatize(self, values: NDArray[np.float64], scale: float, repetitions: int) -> NDArray[np.float64]:
        """See `Noise.privatize`."""
        if scale == 0:
            return np.broadcast_to(values, (repetitions, values.shape[-1])).copy()
        report = self._rng.standard_normal((repetitions, values.shape[-1]))
        report *= scale
        report += values
        return report


class SecureNoise:
    """Discrete Gaussian noise from OpenDP (the optional extra ``secure``), for deployment.

    Values are rounded to multiples of 2^-30, and the noise is drawn on the same grid. At noise scales above 0.01 this
    changes the guarantee by less than 1e-6, relative. There is deliberately no seed.

    Raises
    ------
    InputError
        When OpenDP is not installed.
    """

    _GRID = -30

    def __init__(self) -> None:
        try:
            import opendp.prelude as dp
        except ImportError as error:
            raise InputError(
                "secure noise needs OpenDP: install it with pip install 'private-experts[secure]'"
            ) from error
        dp.enable_features("contrib")
        self._dp = dp

    def privatize(self, values: NDArray[np.float64], scale: float, repetitions: int) -> NDArray[np.float64]:
        """See `Noise.privatize`."""
        wide = np.broadcast_to(values, (repetitions, values.shape[-1]))
        if scale == 0:
            return wide.copy()
        dp = self._dp
        domain = dp.vector_domain(dp.atom_domain(T=float, nan=False), size=wide.size)
        mechanism = dp.m.make_gaussian(domain, dp.l2_distance(T=float), scale, k=self._GRID)
        return np.asarray(mechanism(wide.ravel().tolist()), dtype=np.float64).reshape(wide.shape)
