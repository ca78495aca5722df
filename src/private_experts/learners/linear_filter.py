"""Learners whose forecast is a fixed linear filter of each expert's latest reports.

A rolling Gaussian regression with known prior and noise is linear in its data. The forecast for the coming round is
``sum_k c_k y_{t-k}``. The weights depend only on the number of reports in the window, and are the same for every
expert. So a family of learners is a matrix of weights, and one matrix product gives all forecasts.
[mathematics/000.md#learners]
"""

import functools
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]


def trend_weights(window: int, count: int, strength: float) -> Array:
    """Return the filter of a local linear trend. [mathematics/000.md#trend]

    The last `count` reports are regressed on time ``x = -k / window`` (k rounds ago), with a free intercept and a
    slope b whose penalty is ``strength * b^2``. The forecast is the fit at x = 0. With slope 0 it is the window's mean.
    ASSUMED: the paper does not tell its features.

    Parameters
    ----------
    window : int
        Number of rounds the learner remembers; the unit of time.
    count : int
        Number of reports there are, 1 to `window`.
    strength : float
        Weight of the prior on the slope, positive.

    Returns
    -------
    ndarray, shape (count,)
        Entry k is the weight of the report k + 1 rounds ago. The weights sum to 1.
    """
    x = -np.arange(1, count + 1) / window
    centred = x - x.mean()
    return 1 / count - x.mean() * centred / (centred @ centred + strength)


def gaussian_process_weights(window: int, count: int, strength: float) -> Array:
    """Return the filter of a Gaussian process around the window's mean. [mathematics/000.md#gaussian-process]

    The kernel is squared-exponential, of unit variance and length ``window / 4`` rounds; the noise variance is
    `strength`. Parameters and result are as in `trend_weights`. ASSUMED: an alternative to the trend.
    """
    lags = np.arange(1, count + 1)
    length = window / 4
    kernel = np.exp(-0.5 * ((lags[:, None] - lags) / length) ** 2)
    towards_now = np.exp(-0.5 * (lags / length) ** 2)
    weights = np.linalg.solve(kernel + strength * np.eye(count), towards_now)
    return weights + (1 - weights.sum()) / count


def forecast_rows(
    weights: Callable[[int, int, float], Array], settings: Sequence[tuple[int, float]], rounds: int
) -> Array:
    """Return how the forecasts of a bank of filters weigh all reports, shape (learners, rounds, rounds).

    Entry ``[i, t]`` holds the weights of learner i after t + 1 reports, the oldest report first. Parameters are as for
    `LinearFilters`. A curator who knows these rows can choose the noise for them.
    """
    rows = np.zeros((len(settings), rounds, rounds))
    for learner, (window, strength) in zip(rows, settings, strict=True):
        for t in range(rounds):
            held = min(window, t + 1)
            learner[t, t + 1 - held : t + 1] = weights(window, held, strength)[::-1]
    return rows


class LinearFilters:
    """A bank of linear-filter learners on the same reports.

    Parameters
    ----------
    weights : callable
        ``weights(window, count, strength)``, such as `trend_weights`.
    settings : sequence of (int, float)
        Window and strength of each learner.
    first_report : ndarray, shape (repetitions, n)
        What to forecast before there is any report: z_0, which makes the first action random.
        [mathematics/000.md#setting]
    """

    def __init__(
        self,
        weights: Callable[[int, int, float], Array],
        settings: Sequence[tuple[int, float]],
        first_report: Array,
    ) -> None:
        self._weights = functools.cache(weights)  # once its window is full, a learner's weights stay the same
        self._settings = tuple(settings)
        self._first = first_report.copy()
        self._depth = max(window for window, _ in self._settings)
        # Reports are kept in a ring buffer. The weights are rotated to fit it, so that no data is moved.
        self._ring = np.zeros((self._depth, first_report.size))
        self._count = 0
        self._turned: dict[int, Array] = {}

    def _filters(self) -> Array:
        """Return the weights (m, depth), rotated to fit the ring buffer as it stands."""
        filters = np.zeros((len(self._settings), self._depth))
        for row, (window, strength) in enumerate(self._settings):
            held = min(window, self._count)
            filters[row, :held] = self._weights(window, held, strength)
        lag_zero = (self._count - 1) % self._depth
        return filters[:, (lag_zero - np.arange(self._depth)) % self._depth]

    def forecast(self) -> Array:
        """Return the forecast of every expert's next gain by each learner, shape (m, repetitions, n)."""
        if self._count == 0:
            return np.broadcast_to(self._first, (len(self._settings), *self._first.shape))
        if self._count < self._depth:
            filters = self._filters()
        else:  # the ring is full, so that its rotations recur
            place = self._count % self._depth
            if place not in self._turned:
                self._turned[place] = self._filters()
            filters = self._turned[place]
        held = min(self._count, self._depth)
        forecasts = filters[:, :held] @ self._ring[:held]
        return forecasts.reshape(-1, *self._first.shape)

    def predict(self) -> NDArray[np.intp]:
        """Return the expert with the highest forecast, by learner, shape (m, repetitions)."""
        return self.forecast().argmax(axis=-1)

    def update(self, gains: Array) -> None:
        """Take in the noisy reports of a round, shape (repetitions, n)."""
        self._ring[self._count % self._depth].reshape(self._first.shape)[...] = gains
        self._count += 1
