"""Convex decision sets: boxes and balls, with grids of cells of equal volume."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from private_experts.arrays import Array
from private_experts.errors import InputError
from private_experts.validation import checked_number, whole


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
        When the origin lies outside, or the box has no volume or no end.

    Examples
    --------
    >>> from private_experts.private_oco import Box
    >>> square = Box([-0.5, 0.0], [0.5, 1.0])
    >>> square.dimension, round(square.diameter, 4)
    (2, 1.4142)
    """

    low: Sequence[float]
    high: Sequence[float]

    def __post_init__(self) -> None:
        if len(self.low) != len(self.high) or not len(self.low):
            raise InputError(
                f"box: {len(self.low)} lower and {len(self.high)} upper ends: write as many of each"
            )
        for low, high in zip(self.low, self.high, strict=True):
            # The regulariser pulls to the origin, which has to be a point that may be played.
            if not (-math.inf < low <= 0 <= high < math.inf and low < high):
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
        """Return the centres of equal cells, so many along each side, shape (cells^d, d)."""
        middles = (np.arange(cells) + 0.5) / cells
        sides = [low + (high - low) * middles for low, high in zip(self.low, self.high, strict=True)]
        return np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, self.dimension)

    def project(self, points: Array) -> Array:
        """Return the nearest points of the set, for points of shape (..., d)."""
        return np.clip(points, self.low, self.high)


@dataclass(frozen=True)
class Ball:
    """The ball about the origin; a disc in two dimensions.

    Parameters
    ----------
    dimension : int
        The number of coordinates, at least 1.
    radius : float
        Positive and finite.

    Raises
    ------
    InputError
        When a parameter is outside its range.

    Examples
    --------
    >>> from private_experts.private_oco import Ball
    >>> Ball(dimension=3, radius=0.5).diameter
    1.0
    """

    dimension: int
    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "dimension", whole(self.dimension, "ball", "dimension"))
        object.__setattr__(self, "radius", checked_number("ball: radius", self.radius, 0, ends=False))

    @property
    def diameter(self) -> float:
        """The largest distance of two points."""
        return 2 * self.radius

    def grid(self, cells: int) -> Array:
        """Return those cell centres of the surrounding cube that lie inside, shape (m, d)."""
        cube = Box((-self.radius,) * self.dimension, (self.radius,) * self.dimension).grid(cells)
        return np.asarray(cube[(cube**2).sum(axis=-1) <= self.radius**2])

    def project(self, points: Array) -> Array:
        """Return the nearest points of the set, for points of shape (..., d)."""
        lengths = np.linalg.norm(points, axis=-1, keepdims=True)
        # Divided by the larger of length and radius: 0 / 0 at the origin does not arise.
        return np.asarray(points * np.minimum(1.0, self.radius / np.maximum(lengths, self.radius)))


Domain = Box | Ball
