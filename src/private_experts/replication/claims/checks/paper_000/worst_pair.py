"""The worst two learners for the mended RW-Meta, by dynamic programming. [mathematics/000.md#worst-pair]

All that matters is D, the first learner's credited total minus the second's. In each round the pair decides by D: the
first gains 1 more than the second, or 1 less, or both name the same expert. If they name different experts, the noise
of two reports enters D. The regret against the first learner is a sum over rounds: what it gains more, times the
probability that the second is chosen. So its largest mean is found backwards.
"""

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr

Array = NDArray[np.float64]
# What the first learner gains more than the second, and whether they name different experts.
CHOICES: tuple[tuple[float, bool], ...] = ((1.0, True), (-1.0, True), (0.0, False))


def grid(noise_scales: ArrayLike, per_unit: int) -> Array:
    """Return the values of D: a grid with `per_unit` points in each unit, six deviations of all the noise wide."""
    noise = np.asarray(noise_scales, dtype=np.float64)
    reach = math.ceil(6 * math.sqrt(2 * float(noise @ noise)) + 3 * math.sqrt(noise.size) + 6)
    return np.arange(-reach * per_unit, reach * per_unit + 1) / per_unit


def worst_pair(
    scales: ArrayLike, noise_scales: ArrayLike, per_unit: int, choices: Sequence[tuple[float, bool]] = CHOICES
) -> tuple[float, NDArray[np.int8]]:
    """Return the largest mean regret of any two learners against the first of them, and the play that has it.

    Parameters
    ----------
    scales : array_like, shape (T,)
        The normal scales of the choice, above 0.
    noise_scales : array_like, shape (T,)
        The noise of the reports.
    per_unit : int
        Fineness of the grid of D. The choices' gains are multiples of ``1 / per_unit``.
    choices : sequence of (float, bool)
        What the pair may do in a round.

    Returns
    -------
    float, and ndarray of int8, shape (T, values of D)
        The play gives the index of the choice.
    """
    now, noise = np.asarray(scales, dtype=np.float64), np.asarray(noise_scales, dtype=np.float64)
    difference = grid(noise, per_unit)
    size = difference.size
    value, play = np.zeros(size), np.zeros((now.size, size), dtype=np.int8)
    for t in range(now.size - 1, -1, -1):
        blurred = blur(value, math.sqrt(2) * noise[t] * per_unit)
        second = ndtr(-difference / (math.sqrt(2) * now[t]))
        options = np.empty((len(choices), size))
        for row, (gain, apart) in zip(options, choices, strict=True):
            ahead = np.clip(np.arange(size) + round(gain * per_unit), 0, size - 1)
            row[:] = gain * second + (blurred if apart else value)[ahead]
        play[t] = options.argmax(axis=0)
        value = options.max(axis=0)
    return float(value[size // 2]), play


def blur(value: Array, deviation: float) -> Array:
    """Return the mean of a function after normal noise, `deviation` grid points wide; constant beyond the grid."""
    if deviation == 0:
        return value
    half = math.ceil(7 * deviation)
    kernel = np.exp(-0.5 * (np.arange(-half, half + 1) / deviation) ** 2)
    return np.convolve(np.pad(value, half, mode="edge"), kernel / kernel.sum(), mode="valid")
