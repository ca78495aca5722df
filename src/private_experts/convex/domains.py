"""Convex decision sets: boxes and balls, with grids of cells of equal volume."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from private_experts.errors import InputError

Array = NDArray[np.float64]


@dataclass(frozen=True)
class Box:
    """A product of intervals that contains the origin; in one dimension an interval.

    Parameters
    ----------
    low, high : sequence of float
        Ends of the intervals, with ``low <= 0 <= high`` and ``low < high``.

    Raises
    ------
    InputError
        When the origin lies outside, or the box has no volume.
    """

    low: Sequence[float]
    high: Sequence[float]

    def __post_init__(self) -> None:
        if len(self.low) != len(self.high) or not self.low:
            raise InputError(f"box: {len(self.low)} lower and {len(self.high)} upper ends: write as many of each")
        for low, high in zip(self.low, self.high, strict=True):
            if not (low <= 0 <= high and low < high):
                raise InputError(f"box: [{low}, {high}]: write an interval that contains 0 and has a length")

    @property
    def dimension(self) -> int:
        """The number of coordinates."""
        return len(self.low)

    @property
    def diameter(self) -> float:
        """The largest distance of two points."""
        return math.dist(self.low, self.high)

    def grid(self, cells: int) -> Array:
        """Return the centres of `cells` equal cells along each side, shape (cells^dimension, dimension)."""
        middles = (np.arange(cells) + 0.5) / cells
        sides = [low + (high - low) * middles for low, high in zip(self.low, self.high, strict=True)]
        return np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, self.dimension)

    def project(self, points: Array) -> Array:
        """Return the nearest points of the set."""
        return np.clip(points, self.low, self.high)


@dataclass(frozen=True)
class Ball:
    """The ball about the origin; a disc in two dimensions.

    Parameters
    ----------
    dimension : int
        At least 1.
    radius : float
        Positive.

    Raises
    ------
    InputError
        When a parameter is outside its range.
    """

    dimension: int
    radius: float

    def __post_init__(self) -> None:
        if self.dimension < 1:
            raise InputError(f"ball: dimension {self.dimension}: write a whole number of at least 1")
        if not self.radius > 0:
            raise InputError(f"ball: radius {self.radius}: write a positive number")

    @property
    def diameter(self) -> float:
        """The largest distance of two points."""
        return 2 * self.radius

    def grid(self, cells: int) -> Array:
        """Return those cell centres that lie inside, of the surrounding cube cut into `cells` along each side."""
        cube = Box((-self.radius,) * self.dimension, (self.radius,) * self.dimension).grid(cells)
        return cube[(cube**2).sum(axis=-1) <= self.radius**2]

    def project(self, points: Array) -> Array:
        """Return the nearest points of the set."""
        lengths = np.linalg.norm(points, axis=-1, keepdims=True)
        return points * np.minimum(1.0, self.radius / np.maximum(lengths, self.radius))


Domain = Box | Ball
