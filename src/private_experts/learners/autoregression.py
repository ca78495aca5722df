"""Learners that fit an autoregression to each expert by itself. [mathematics/000.md#autoregression]"""

import functools
from collections.abc import Mapping, Sequence

import numpy as np

from private_experts.arrays import Array, Indices
from private_experts.descriptions import Described
from private_experts.privacy.reports import Reports, check_report
from private_experts.ties import leaders
from private_experts.validation import learner_settings, whole

_AT_ONCE = 2**15  # numbers of each kind that are looked at together


class Autoregressions(Described):
    """Rolling ridge regressions of each expert's report on its p reports before, p being the order.

    The data are the rounds of the window that have p reports of the window before them. ``y_s`` is regressed
    on ``y_{s-1}, ..., y_{s-p}``, and on 1 unless the regression goes through the origin. Each slope has the
    penalty ``strength * slope^2``. The forecast is the fit at the latest reports; with p reports or fewer it
    is their mean. ASSUMED: a reading of the paper's learners. [mathematics/000.md#autoregression]

    Memory is that of the reports of the longest window, and of (p + 1)(p + 2)/2 sums of products for each
    window.

    Parameters
    ----------
    settings : sequence of (int, float)
        Window, at least 1 round, and strength of each learner, positive.
    first_report : Reports
        Reports on nothing, from `privatize` of zeros (with `bounds`, of the gains that become 0): what to
        forecast before there is any report, z_0. They make the first action random. Later reports must be as
        private as they are. [mathematics/000.md#setting]
    order : int
        Number p of reports that a report is regressed on, at least 1.
    intercept : bool
        Whether 1 is a feature as well. It has no penalty.

    Raises
    ------
    InputError
        When the order or a window is less than 1, or a strength is not positive.

    Examples
    --------
    Expert 0 halves in each round and expert 1 doubles. Each has a slope of its own:

    >>> import numpy as np
    >>> from private_experts.learners import Autoregressions
    >>> from private_experts.privacy import GaussianDP, Reports
    >>> learners = Autoregressions(
    ...     [(4, 1e-9)], Reports(np.zeros((1, 2)), GaussianDP(1.0, "local"), scale=0.1), intercept=False
    ... )
    >>> for values in [0.8, 0.05], [0.4, 0.1], [0.2, 0.2]:
    ...     learners.update(Reports(np.array([values]), GaussianDP(1.0, "local"), scale=0.1))
    >>> learners.forecast().round(3).tolist()
    [[[0.1, 0.4]]]
    """

    STATE = ("_first", "_ring", "_count", "_sums", "_products")

    def __init__(
        self,
        settings: Sequence[tuple[int, float]],
        first_report: Reports,
        *,
        order: int = 1,
        intercept: bool = True,
    ) -> None:
        order = whole(order, "autoregression", "order")
        self._settings = learner_settings(settings)
        self._order, self._intercept = order, intercept
        self.guarantee = check_report(first_report, None, None).guarantee
        self.noise_scale = first_report.scale  # which `play` compares with that of its reports
        self.shape = first_report.values.shape
        self._first = first_report.values.copy()
        self._smooth = first_report.smooth
        self._windows = sorted({window for window, _ in self._settings})
        # The report of round s is in row s of the ring, modulo its depth; one more than the window is to be
        # taken off.
        self._ring = np.zeros((self._windows[-1] + 1, *self.shape))
        self._count = 0
        # For each window, over its data: sums of y_{s-i}, and of y_{s-i} y_{s-j} for i, j = 0, ..., p.
        self._sums = np.zeros((len(self._windows), order + 1, *self.shape))
        self._products = np.zeros((len(self._windows), order + 1, order + 1, *self.shape))

    def _lags(self, s: int) -> Array:
        """Return the reports of rounds s, s - 1, ..., s - p, shape (p + 1, repetitions, n)."""
        return self._ring[(s - np.arange(self._order + 1)) % len(self._ring)]

    def forecast(self) -> Array:
        """Return each learner's forecasts of the next gains. See `LinearFilters.forecast`."""
        if self._count == 0:
            return np.broadcast_to(self._first, (len(self._settings), *self.shape))
        forecasts = np.empty((len(self._settings), *self.shape))
        latest = self._lags(self._count - 1)[:-1]  # the coming report's lags 1, ..., p
        for place, window in enumerate(self._windows):
            rows = [row for row, (length, _) in enumerate(self._settings) if length == window]
            held = min(window, self._count)
            pairs = held - self._order
            if pairs < 1:
                forecasts[rows] = self._ring[(self._count - 1 - np.arange(held)) % len(self._ring)].mean(
                    axis=0
                )
                continue
            strengths = np.array([self._settings[row][1] for row in rows])[:, None, None]
            # Some repetitions at a time, so that eliminations stay in the processor's cache.
            together = max(1, _AT_ONCE // (len(rows) * self.shape[1]))
            for start in range(0, self.shape[0], together):
                some = slice(start, start + together)
                forecasts[rows, some] = self._regressed(place, pairs, strengths, latest[:, some], some)
        return forecasts

    def _regressed(self, place: int, pairs: int, strengths: Array, latest: Array, some: slice) -> Array:
        """Return the forecasts of one window's regressions in some repetitions, by strengths."""
        moments, means = self._products[place][:, :, some], self._sums[place][:, some] / pairs
        if not self._intercept:
            slopes = _ridge(moments[1:, 1:], [*moments[1:, 0]], strengths)
            return _weighted(slopes, latest)
        # Centred sums in place of a column of ones: the intercept is free of the penalty then.
        scaled, lags = pairs * means, range(1, self._order + 1)
        centred = {
            (i - 1, j - 1): moments[i, j] - scaled[i] * means[j] for i in lags for j in (0, *lags[i - 1 :])
        }
        slopes = _ridge(centred, [centred[i - 1, -1] for i in lags], strengths)
        result: Array = means[0] + _weighted(slopes, latest - means[1:])
        return result

    def predict(self) -> Indices:
        """Return each learner's expert with the highest forecast, (m, repetitions). See `Learner.predict`."""
        return leaders(self.forecast(), self._smooth)

    def update(self, report: Reports) -> None:
        """Take in the noisy reports of a round. See `Learner.update`."""
        self._ring[self._count % len(self._ring)] = check_report(report, self.guarantee, *self.shape).values
        coming = self._lags(self._count)
        # Running sums: a round costs p^2 products however long the window is.
        new = coming[:, None] * coming
        for place, window in enumerate(self._windows):
            # Too short for a single pair: such a learner plays its window's mean.
            if window <= self._order:
                continue
            if self._count >= self._order:
                self._sums[place] += coming
                self._products[place] += new
            oldest = self._count - window + self._order  # its earliest lag leaves the window
            if self._count >= window:
                going = self._lags(oldest)
                self._sums[place] -= going
                self._products[place] -= going[:, None] * going
        self._count += 1


def _weighted(slopes: list[Array], lags: Array) -> Array:
    """Return the sum of lags times their slopes."""
    return functools.reduce(np.add, map(np.multiply, slopes, lags))


def _ridge(
    squares: Array | Mapping[tuple[int, int], Array], products: Sequence[Array], strengths: Array
) -> list[Array]:
    """Return the p slopes of many ridge regressions, by elimination: p is small and the regressions are many.

    Sums of products of the features with each other, of which the upper triangle is read, and with the report
    have shape (repetitions, n) each. Strengths (k, 1, 1) are positive, so that every pivot is.
    """
    p = len(products)
    # Of the symmetric matrix the upper triangle alone, which elimination keeps symmetric.
    left = {
        (i, j): squares[i, j] + strengths if i == j else squares[i, j] for i in range(p) for j in range(i, p)
    }
    right = [*products]
    for i in range(p):
        for k in range(i + 1, p):
            # No pivoting: a Gram matrix with a positive penalty on the diagonal is positive definite.
            factor = left[i, k] / left[i, i]
            for j in range(k, p):
                left[k, j] = left[k, j] - factor * left[i, j]
            right[k] = right[k] - factor * right[i]
    for i in reversed(range(p)):
        for j in range(i + 1, p):
            right[i] = right[i] - left[i, j] * right[j]
        right[i] = right[i] / left[i, i]
    return right
