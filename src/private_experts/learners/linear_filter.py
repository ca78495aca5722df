"""Learners whose forecast is a fixed linear filter of each expert's latest reports.

A rolling Gaussian regression with known prior and noise is linear in its data. The forecast for the coming
round is ``sum_k c_k y_{t-k}``. The weights depend only on the number of reports in the window, and are the
same for every expert. So a family of learners is a matrix of weights, and one matrix product gives all
forecasts. [mathematics/000.md#learners]
"""

import functools
from collections.abc import Callable, Sequence

import numpy as np

from private_experts.arrays import Array, Indices
from private_experts.descriptions import Described
from private_experts.learners.filter_rows import shared_weights
from private_experts.privacy.reports import Reports, check_report
from private_experts.ties import leaders
from private_experts.validation import learner_settings

_KNOWN = 192  # reports of which running sums are weighed together
_WORTH = 2**17  # numbers in all reports from which on rounds are faster together than one by one


def trend_weights(window: int, count: int, strength: float, *, free_intercept: bool = True) -> Array:
    """Return the filter of a local linear trend. [mathematics/000.md#trend]

    The last `count` reports are regressed on time ``x = -k / window`` (k rounds ago), with a free intercept
    and a slope b whose penalty is ``strength * b^2``. The forecast is the fit at x = 0. With slope 0 it is
    the window's mean. ASSUMED: the paper does not tell its features.

    Parameters
    ----------
    window : int
        Number of rounds the learner remembers; the unit of time.
    count : int
        Number of reports there are, 1 to `window`.
    strength : float
        Weight of the prior on the slope, positive.
    free_intercept : bool
        Whether the intercept has no prior. Otherwise it pays ``strength * intercept^2``.

    Returns
    -------
    ndarray, shape (count,)
        Entry k is the weight of the report k + 1 rounds ago. The weights sum to 1 where the intercept is
        free.

    Examples
    --------
    A weak prior goes on with the trend of the last three reports, a strong one takes their mean:

    >>> from private_experts.learners import trend_weights
    >>> trend_weights(window=8, count=3, strength=0.01).round(2).tolist()
    [1.09, 0.33, -0.42]
    >>> trend_weights(window=8, count=3, strength=100.0).round(2).tolist()
    [0.33, 0.33, 0.33]
    """
    x = -np.arange(1, count + 1) / window
    if not free_intercept:
        # The penalty is on both coefficients here, so the normal equations are solved as they stand.
        squares, total = float(x @ x) + strength, float(x.sum())
        return np.asarray(
            (squares - total * x) / ((count + strength) * squares - total * total), dtype=np.float64
        )
    centred = x - x.mean()
    # Centred, the free intercept is the mean, and the slope's penalty does not touch it.
    result: Array = 1 / count - x.mean() * centred / (centred @ centred + strength)
    return result


def gaussian_process_weights(
    window: int, count: int, strength: float, *, length: float = 0.25, centred: bool = True
) -> Array:
    """Return the filter of a Gaussian process around the window's mean. [mathematics/000.md#gaussian-process]

    The kernel is squared-exponential, of unit variance. ASSUMED: an alternative to the trend.

    Parameters
    ----------
    window : int
        Number of rounds the learner remembers; it is the unit of the kernel's length.
    count : int
        Number of reports there are, 1 to `window`.
    strength : float
        Variance of the noise in units of the kernel's, positive.
    length : float
        Length of the kernel in windows.
    centred : bool
        Whether the process is around the window's mean, and not around zero.

    Returns
    -------
    ndarray, shape (count,)
        Entry k is the weight of the report k + 1 rounds ago. The weights sum to 1 where it is centred.

    Examples
    --------
    The latest reports count most, unless noise hides what they say:

    >>> from private_experts.learners import gaussian_process_weights
    >>> gaussian_process_weights(window=8, count=3, strength=0.1).round(2).tolist()
    [1.06, 0.0, -0.07]
    >>> gaussian_process_weights(window=8, count=3, strength=100.0).round(2).tolist()
    [0.34, 0.33, 0.33]
    """
    lags = np.arange(1, count + 1)
    rounds = length * window
    kernel = np.exp(-0.5 * ((lags[:, None] - lags) / rounds) ** 2)
    towards_now = np.exp(-0.5 * (lags / rounds) ** 2)
    # The strength is the noise on the diagonal: it also keeps the kernel of close lags from being singular.
    weights = np.linalg.solve(kernel + strength * np.eye(count), towards_now)
    # What the weights lack to 1 goes to the window's mean, so that a constant is forecast as itself.
    level = (1 - weights.sum()) / count if centred else 0.0
    return np.asarray(weights + level, dtype=np.float64)


@functools.lru_cache(maxsize=1024)
def _turned(
    weights: Callable[[int, int, float], Array],
    settings: tuple[tuple[int, float], ...],
    depth: int,
    count: int,
) -> Array:
    """Return a bank's filters after `count` reports, (m, depth), rotated to fit its ring buffer."""
    filters = np.zeros((len(settings), depth))
    for row, (window, strength) in enumerate(settings):
        held = min(window, count)
        filters[row, :held] = shared_weights(weights, window, held, strength)
    lag_zero = (count - 1) % depth
    turned: Array = filters[:, (lag_zero - np.arange(depth)) % depth]
    turned.flags.writeable = False  # as it is shared
    return turned


class LinearFilters(Described):
    """A bank of linear-filter learners on the same reports. [mathematics/000.md#learners]

    The reports of the longest window are kept: 8 n bytes for each of its rounds and each repetition.

    Parameters
    ----------
    weights : callable
        ``weights(window, count, strength)``, such as `trend_weights`.
    settings : sequence of (int, float)
        Window, at least 1 round, and strength of each learner.
    first_report : Reports
        Reports on nothing, from `privatize` of zeros (with `bounds`, of the gains that become 0): what to
        forecast before there is any report, z_0. They make the first action random. Later reports must be as
        private as they are. [mathematics/000.md#setting]

    Examples
    --------
    Expert 1 is rising. The learner with the weak prior sees it in time; the other one takes means:

    >>> import numpy as np
    >>> from private_experts.learners import LinearFilters, trend_weights
    >>> from private_experts.privacy import GaussianDP, Reports
    >>> def report_of(*values):
    ...     return Reports(np.array([values]), GaussianDP(1.0, "local"), scale=0.1)
    >>> learners = LinearFilters(trend_weights, [(3, 0.01), (3, 100.0)], first_report=report_of(0.0, 0.0))
    >>> for values in [0.5, 0.1], [0.5, 0.3], [0.5, 0.5]:
    ...     learners.update(report_of(*values))
    >>> learners.forecast().round(2).tolist()
    [[[0.5, 0.68]], [[0.5, 0.3]]]
    >>> learners.predict().tolist()
    [[1], [0]]
    """

    STATE = ("_first", "_ring", "_count")

    def __init__(
        self,
        weights: Callable[[int, int, float], Array],
        settings: Sequence[tuple[int, float]],
        first_report: Reports,
    ) -> None:
        self._weights = weights
        self._settings = learner_settings(settings)
        self.guarantee = check_report(first_report, None, None).guarantee
        self.noise_scale = first_report.scale  # which `play` compares with that of its reports
        self.shape = first_report.values.shape
        self._smooth = first_report.smooth
        self._first = first_report.values.copy()
        self._depth = max(window for window, _ in self._settings)
        # Reports are kept in a ring buffer. The weights are rotated to fit it, so that no data is moved.
        self._ring = np.zeros((self._depth, self._first.size))
        self._count = 0

    def forecast(self) -> Array:
        """Return learners' forecasts of the experts' next gains, (m, repetitions, n), in the reports' unit.

        It may lie outside [0, 1]. Before the first report it is `first_report`.
        """
        if self._count == 0:
            return np.broadcast_to(self._first, (len(self._settings), *self._first.shape))
        # Once the ring is full, its rotations recur.
        # As a key of the cache: without this every round of a long game would make filters of its own.
        count = self._count if self._count < self._depth else self._depth + self._count % self._depth
        filters = _turned(self._weights, self._settings, self._depth, count)
        held = min(self._count, self._depth)
        forecasts = filters[:, :held] @ self._ring[:held]
        return forecasts.reshape(-1, *self._first.shape)

    def predict(self) -> Indices:
        """Return each learner's expert with the highest forecast, (m, repetitions). See `Learner.predict`."""
        return leaders(self.forecast(), self._smooth)

    def update(self, report: Reports) -> None:
        """Take in the noisy reports of a round. See `Learner.update`."""
        values = check_report(report, self.guarantee, *self._first.shape).values
        self._ring[self._count % self._depth].reshape(self._first.shape)[...] = values
        self._count += 1

    def play_known(self, reports: Sequence[Reports]) -> Indices:
        """Play by `predict` and `update` in turn, many rounds at once, shape (T, m, repetitions)."""
        from private_experts.learners.batch_filters import leaders_after  # which knows the filters from here

        values = [check_report(report, self.guarantee, *self._first.shape).values for report in reports]
        actions = np.empty((len(values), len(self._settings), len(self._first)), dtype=np.intp)
        # One by one: few numbers, and the first round, before which there is no report.
        together = self._first.size * len(values) >= _WORTH
        played = min(len(values), int(self._count == 0)) if together else len(values)
        for named, report in zip(actions, reports[:played], strict=False):
            named[...] = self.predict()
            self.update(report)
        while played < len(values):
            past = min(self._count, self._depth)
            count, latest = self._count, np.arange(self._count - past, self._count) % self._depth
            coming = values[played : played + max(self._depth, _KNOWN - past)]
            # Where they stand: what `_keep` writes over is older than all that it still reads.
            known = [*(self._ring[place].reshape(self._first.shape) for place in latest), *coming]
            ties = not all(report.smooth for report in reports)
            found, unsure = leaders_after(self._weights, self._settings, known, past, len(self._first), ties)
            # Rounds in which rounding could decide are played as `predict` plays them, from the reports
            # themselves.
            for t in np.flatnonzero(unsure).tolist():
                self._keep(known[: past + t], count + t)
                found[t] = self.predict()
            self._keep(known, count + len(coming))
            actions[played : played + len(coming)] = found
            played += len(coming)
        return actions

    def _keep(self, latest: Sequence[Array], count: int) -> None:
        """Keep the latest of so many reports."""
        self._count = count
        for k in range(1, 1 + min(count, self._depth)):
            self._ring[(count - k) % self._depth].reshape(self._first.shape)[...] = latest[-k]
