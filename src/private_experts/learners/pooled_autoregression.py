"""Learners that fit one autoregression to all experts together. [mathematics/000.md#autoregression]"""

from collections import deque
from collections.abc import Sequence

import numpy as np

from private_experts.arrays import Array, Indices
from private_experts.descriptions import Described
from private_experts.privacy.reports import Reports, check_report
from private_experts.ties import leaders
from private_experts.validation import learner_settings


class PooledAutoregressions(Described):
    """Rolling ridge regressions of a report on the previous one and on the expert's window mean.

    The data are all experts i and all consecutive rounds s-1, s of the window. ``y_{i,s}`` is regressed on 1,
    ``y_{i,s-1}`` and ``m_i``, the expert's mean over the window. Each of the two slopes has the penalty
    ``strength * slope^2``. The forecast is the fit at the latest report. ASSUMED: an alternative to the
    trend. [mathematics/000.md#autoregression]

    Parameters
    ----------
    settings : sequence of (int, float)
        Window and strength of each learner.
    first_report : Reports
        Reports on nothing, from `privatize` of zeros (with `bounds`, of the gains that become 0): what to
        forecast before there is any report, z_0. They make the first action random. Later reports must be as
        private as they are. [mathematics/000.md#setting]

    Examples
    --------
    Two experts gain in turn. The regression finds that out, and expects expert 0 after expert 1:

    >>> import numpy as np
    >>> from private_experts.learners import PooledAutoregressions
    >>> from private_experts.privacy import GaussianDP, Reports
    >>> def report_of(*values):
    ...     return Reports(np.array([values]), GaussianDP(1.0, "local"), scale=0.1)
    >>> learners = PooledAutoregressions([(8, 0.1)], first_report=report_of(0.0, 0.0))
    >>> for values in [0.9, 0.1], [0.1, 0.9], [0.9, 0.1], [0.1, 0.9]:
    ...     learners.update(report_of(*values))
    >>> learners.predict().tolist()
    [[0]]
    """

    STATE = ("_first", "_reports", "_squares", "_products", "_sums")

    def __init__(self, settings: Sequence[tuple[int, float]], first_report: Reports) -> None:
        self._settings = learner_settings(settings)
        self.guarantee = check_report(first_report, None, None).guarantee
        self.noise_scale = first_report.scale  # which `play` compares with that of its reports
        self.shape = first_report.values.shape
        self._first = first_report.values.copy()
        self._smooth = first_report.smooth
        self._windows = sorted({window for window, _ in self._settings})
        self._reports: deque[Array] = deque(maxlen=max(self._windows))
        # Sums over experts of y_s^2 and y_s y_{s-1}, aligned with the reports; the first report has no
        # predecessor.
        self._squares: deque[Array] = deque(maxlen=max(self._windows))
        self._products: deque[Array] = deque(maxlen=max(self._windows))
        self._sums = {window: np.zeros_like(self._first) for window in self._windows}

    def _moments(self, window: int) -> tuple[Array, Array, Array, Array, Array]:
        """Return a window's centred sums of squares and products, of several reports, (repetitions,) each.

        u is the report before, v the mean of the window, and z the report: uu, vv, uv, uz and vz.
        """
        held = min(window, len(self._reports))
        total, oldest, latest = self._sums[window], self._reports[-held], self._reports[-1]
        n, pairs = total.shape[-1], held - 1
        mean = total / held
        points = n * pairs
        # Each pair joins a round to the one before, so each side lacks one end of the window.
        before, after = total - latest, total - oldest  # sums over the pairs of y_{s-1} and of y_s
        # Summed anew in each round, not updated: differences of running sums would pile up rounding.
        square = np.array(list(self._squares)[-held:-1]).sum(axis=0)
        product = np.array(list(self._products)[1 - held :]).sum(axis=0)
        u, v, z = before.sum(-1), pairs * mean.sum(-1), after.sum(-1)
        uu = square - u * u / points
        vv = pairs * (mean * mean).sum(-1) - v * v / points
        uv = (mean * before).sum(-1) - u * v / points
        uz = product - u * z / points
        vz = (mean * after).sum(-1) - v * z / points
        return uu, vv, uv, uz, vz

    def forecast(self) -> Array:
        """Return forecasts (m, repetitions, n) up to one constant for all experts, in the reports' unit.

        Before the first report it is `first_report`, after one it is that report.
        """
        if not self._reports:
            return np.broadcast_to(self._first, (len(self._settings), *self._first.shape))
        latest = self._reports[-1]
        forecasts = np.empty((len(self._settings), *self._first.shape))
        held = {window: min(window, len(self._reports)) for window in self._windows}
        moments = {window: self._moments(window) for window in self._windows if held[window] > 1}
        means = {window: self._sums[window] / held[window] for window in self._windows}
        for forecast, (window, strength) in zip(forecasts, self._settings, strict=True):
            if held[window] == 1:
                forecast[:] = latest
                continue
            last, level = _slopes(*moments[window], strength)
            # The intercept is left out, since it is the same for all experts and no argmax depends on it.
            np.multiply(last[:, None], latest, out=forecast)
            forecast += level[:, None] * means[window]
        return forecasts

    def predict(self) -> Indices:
        """Return each learner's expert with the highest forecast, (m, repetitions). See `Learner.predict`."""
        return leaders(self.forecast(), self._smooth)

    def update(self, report: Reports) -> None:
        """Take in the noisy reports of a round. See `Learner.update`."""
        values = np.array(
            np.broadcast_to(
                check_report(report, self.guarantee, *self._first.shape).values, self._first.shape
            )
        )
        previous = self._reports[-1] if self._reports else values
        for window in self._windows:
            self._sums[window] += values
            if len(self._reports) >= window:
                self._sums[window] -= self._reports[-window]
        self._reports.append(values)
        self._squares.append((values * values).sum(-1))
        self._products.append((values * previous).sum(-1))


def _slopes(uu: Array, vv: Array, uv: Array, uz: Array, vz: Array, strength: float) -> tuple[Array, Array]:
    """Return both slopes, (repetitions,) each, from a window's centred sums of squares and products."""
    uu, vv = uu + strength, vv + strength
    # Positive by Cauchy and Schwarz with the penalty on both squares.
    determinant = uu * vv - uv * uv
    return (uz * vv - vz * uv) / determinant, (vz * uu - uz * uv) / determinant
