"""A learner that knows the noise of its reports: posterior means of all experts' gains, by Kalman filters.

A report of little noise is believed, and one of much noise is drawn towards what is known of all experts. So
the play does not fall for the expert whose noise is largest. All is post-processing of the reports.
[mathematics/000.md#posterior]
"""

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from private_experts.arrays import Array, Indices, Scale
from private_experts.descriptions import Described
from private_experts.errors import InputError
from private_experts.privacy.own_counts import checked_reach
from private_experts.privacy.reports import Reports, check_report
from private_experts.ties import leaders
from private_experts.validation import checked_number

_LEAST_LEVEL = 0.01  # of the level, in the variances alone: noise may make its estimate 0 or less
_DIGITS = 290  # before or after the point, that a product has without overflow or underflow


class Deviations(NamedTuple):
    """A prior for how experts deviate from their common level: ``variance = level (base + of_reach reach)``.

    Parameters
    ----------
    base : float
        What all experts have, positive.
    of_reach : float
        What small experts have besides, at least 0. Counts out of b have about the variance ``level / b``.
    memory : float
        Correlation of an expert's deviations in two rounds that follow each other, between 0 and 1.

    Examples
    --------
    >>> from private_experts.learners import Deviations
    >>> Deviations(base=0.01, of_reach=3.0, memory=0.9).memory
    0.9
    """

    base: float
    of_reach: float
    memory: float


class PosteriorMeans(Described):
    """Names the expert with the largest posterior mean, from reports whose noise is known.

    The gain of expert i in round t is ``c_t + d_t[i]``. The level c_t is any number. The deviations d of an
    expert are an autoregression around 0, whose variances are those of `Deviations`. For each of several such
    priors a Kalman filter gives the posterior mean of all deviations. The likelihood of all reports so far
    weighs the priors (empirical Bayes over the experts), so that nobody has to choose one.
    [mathematics/000.md#posterior]

    The level of a round is estimated from its reports, and then taken as known. Memory is 16 n bytes for each
    prior and each repetition.

    A curator may take back a part of the noise of each report in the next one: it is ``q_t (w_t - takes_back
    w_{t-1})`` with independent normal w, and w_0 = 0. Then the filters carry w as well as the deviations, and
    8 n bytes more. `geometric` is the strategy that makes such noise.

    Parameters
    ----------
    settings : sequence of Deviations
        The priors; all are equally likely at first.
    first_report : Reports
        Reports on nothing, from `privatize` of zeros (with `bounds`, of the gains that become 0): what to
        forecast before there is any report. They make the first action random. Later reports must be as
        private as they are.
    reach : ndarray, shape (n,) or (T, n)
        How far one person moves the gain of each expert, such as one over the beds of each hospital; in all
        rounds, or in each round. It is public.
    takes_back : float
        What a report takes back of the noise of the one before, at least 0 and below 1. It is 0 for
        independent noise, such as that of local reports.

    Raises
    ------
    InputError
        When there is no prior, a number of one is not allowed, a reach is not positive, or more rounds are
        played than there are reaches.

    Examples
    --------
    Expert 0 is small. Its report is the largest, and it has so much noise that expert 2 is named:

    >>> import numpy as np
    >>> from private_experts.learners import Deviations, PosteriorMeans
    >>> from private_experts.privacy import GaussianDP, Reports, own_scales
    >>> reach, guarantee = 1 / np.array([5, 400, 400]), GaussianDP(0.5, "local")
    >>> scales = own_scales(reach, guarantee)
    >>> first = Reports(np.zeros((1, 3)), guarantee, scales)
    >>> learner = PosteriorMeans([Deviations(0.01, 3.0, 0.9)], first, reach)
    >>> learner.update(Reports(np.array([[0.45, 0.2, 0.4]]), guarantee, scales))
    >>> learner.forecast().round(2).tolist(), learner.predict().tolist()
    ([[0.35, 0.21, 0.39]], [2])
    """

    STATE = (
        "_first",
        "_round",
        "_level",
        "_state",
        "_variance",
        "_evidence",
        "_own",
        "_precision",
        "_of_surprise",
        "_of_deviation",
    )

    def __init__(
        self, settings: Sequence[Deviations], first_report: Reports, reach: Array, takes_back: float = 0.0
    ) -> None:
        if not settings:
            raise InputError("posterior means: there is no prior; write at least one Deviations(...)")
        for base, of_reach, memory in settings:
            checked_number("posterior means: base", base, 0, ends=False)
            checked_number("posterior means: of_reach", of_reach, 0)
            checked_number("posterior means: memory", memory, 0, 1, ends=False)
        takes_back = checked_number("posterior means: takes_back", takes_back, 0, 1 - 1e-9)
        self._takes_back = takes_back
        self.guarantee = check_report(first_report, None, None).guarantee
        self.noise_scale = first_report.scale  # which `play` compares with that of its reports
        self.shape = repetitions, n = first_report.values.shape
        moves = checked_reach(reach)
        if moves.ndim > 2 or moves.shape[-1] != n:
            raise InputError(
                f"posterior means: reach of shape {moves.shape}; write one for each of {n} experts"
            )
        # (priors, 1) each, and reaches (n, 1, 1) or (T, n, 1, 1). Experts come first: sums over them add
        # whole rows, which are long as they have all repetitions under several priors.
        self._base, self._of_reach, self._memory = np.array(settings, dtype=np.float64).T[:, :, None]
        self._reach = moves[..., None, None]
        self._first = first_report.values.copy()
        self._smooth = first_report.smooth
        self._round = 0
        m = len(settings)
        self._level = np.zeros((m, repetitions))
        # Posterior mean and variance of the deviations after the last report, where the level is 1.
        self._state, self._variance = np.zeros((2, n, m, repetitions))
        self._evidence = np.zeros((m, repetitions))  # log-likelihoods of all reports so far
        # Of the last report: the deviation `own` of its draw w, its precision, and this times its surprise
        # and times its covariance with the deviations. So w has the mean own * of_surprise, the variance
        # 1 - own^2 * precision, and the covariance -own * of_deviation with the deviations. Unused where
        # the noise is independent.
        used = n if takes_back else 0
        self._own = np.zeros((used, 1, 1))
        self._precision, self._of_surprise, self._of_deviation = np.zeros((3, used, m, repetitions))

    @property
    def weights(self) -> Array:
        """How likely each prior is after the reports so far, shape (priors, repetitions)."""
        # Log-likelihoods fall without end: the largest is taken out before they are exponentiated.
        weights = np.exp(self._evidence - self._evidence.max(axis=0))
        result: Array = weights / weights.sum(axis=0)
        return result

    def forecasts(self) -> Array:
        """Return the posterior means of the coming gains under each prior, shape (priors, repetitions, n)."""
        if self._round == 0:
            return np.broadcast_to(self._first, (len(self._level), *self.shape))
        result: Array = self._level + self._memory * _root(self._level) * self._state
        return np.moveaxis(result, 0, -1)

    def forecast(self) -> Array:
        """Return the posterior means of the coming gains, shape (repetitions, n).

        Before the first report it is `first_report`.
        """
        if self._round == 0:
            return self._first.copy()
        weights = self.weights
        of_state = weights * self._memory * _root(self._level)
        found = np.einsum("mr,nmr->nr", of_state, self._state)
        found += (weights * self._level).sum(axis=0)
        return np.ascontiguousarray(found.T)

    def predict(self) -> Indices:
        """Return the expert with the highest forecast, shape (repetitions,). See `Learner.predict`."""
        return leaders(self.forecast(), self._smooth)

    def update(self, report: Reports) -> None:
        """Take in the noisy reports of a round. See `Learner.update`."""
        values = check_report(report, self.guarantee, *self.shape).values
        # Reaches change by round, so deviations are carried over in proportion to the roots of their prior
        # variances.
        prior = self._prior(self._round)
        # what deviations keep of the last round, and what is new of them
        change, fresh = np.zeros_like(prior), prior
        if self._round:
            change = self._memory * np.sqrt(prior / self._prior(self._round - 1))
            # So that an autoregression keeps the variance of its prior, whatever its memory is.
            fresh = (1 - self._memory**2) * prior
        # All priors at once: rows of some of them would not lie side by side, which costs more than the cache
        # saves.
        scale = np.asarray(report.scale).reshape(-1, 1, 1)
        self._take_in(np.ascontiguousarray(values.T)[:, None], scale, change, fresh)
        self._round += 1

    def _take_in(self, values: Array, scale: Array, change: Array, fresh: Array) -> None:
        """Take in a report (n, 1, repetitions) under every prior."""
        state, variance = self._state, self._variance
        state *= change
        variance *= np.square(change)
        variance += fresh
        noise = np.square(scale)
        if self._takes_back:
            # The scale of a report is that of w_t and of what it takes back together. The first report takes
            # nothing back, so all its noise is its own.
            own = scale / math.sqrt(1 + self._takes_back**2) if self._round else scale
            back = self._takes_back * own * self._own
            self._own[:] = own
            # What this report takes back of the last draw is estimated, and added before the report is
            # believed. From here on the arrays are of what is taken back, until the next draw is in them.
            self._of_surprise *= back
            values = np.add(self._of_surprise, values, out=self._of_surprise)
            self._precision *= -np.square(back)
            noise = np.add(self._precision, noise, out=self._precision)
            self._of_deviation *= back * change
        level = self._level
        if self._round == 0:
            # The variances depend on the level, which is not known yet: the mean of the first report stands
            # for it.
            level = np.broadcast_to(values.mean(axis=0), level.shape)
        root, total, _ = self._total(level, noise)
        precision = np.divide(1, total, out=total)
        # The level has a flat prior, so its estimate is a mean weighted by precision.
        level = _products(values, precision) - root * _products(state, precision)
        level /= precision.sum(axis=0)
        self._level = level
        # Variances again, now at the estimated level: the first ones were at that of the round before.
        root, total, towards = self._total(level, noise)
        surprise = root * state
        np.subtract(values, surprise, out=surprise)
        surprise -= level
        evidence = _sum_of_logs(total)
        precision = np.divide(1, total, out=self._precision if self._takes_back else total)
        # The level was integrated out under its flat prior, which costs the logarithm of its precision.
        evidence += np.log(precision.sum(axis=0))
        evidence += np.einsum("nmr,nmr,nmr->mr", precision, surprise, surprise)
        self._evidence -= 0.5 * evidence
        if not self._takes_back:
            # variance (1 - root^2 variance / total) = variance noise / total: a product, which stays
            # positive.
            variance *= precision
            surprise *= variance
            surprise *= root
            state += surprise
            variance *= noise
            return
        np.multiply(precision, surprise, out=self._of_surprise)
        state += np.multiply(self._of_surprise, towards, out=surprise)
        np.multiply(precision, towards, out=self._of_deviation)
        variance -= np.multiply(self._of_deviation, towards, out=towards)

    def _prior(self, round_: int) -> Array:
        """Return the variances (n, priors, 1) of deviations at level 1, by the reaches of a round from 0."""
        reach = self._reach if self._reach.ndim == 3 else self._reach[self._checked(round_)]
        result: Array = self._base + self._of_reach * reach
        return result

    def _checked(self, round_: int) -> int:
        if round_ >= len(self._reach):
            raise InputError(
                f"posterior means: reaches for {len(self._reach)} rounds; write those of all rounds"
            )
        return round_

    def _total(self, level: Array, noise: Scale) -> tuple[Array, Array, Array]:
        """Return a level's factor for deviations, and the variance of each report given those before.

        The last is the covariance of deviations and report where noise is taken back, and otherwise unused.
        """
        root = _root(level)
        if not self._takes_back:
            total: Array = np.square(root) * self._variance
            total += noise
            return root, total, total
        towards: Array = root * self._variance
        towards += self._of_deviation
        total = towards + self._of_deviation  # again, as in the square of a sum
        total *= root
        total += noise
        return root, total, towards


def _root(level: Array) -> Array:
    # A level that noise makes negative would make a variance negative, and all that follows nan.
    return np.sqrt(np.maximum(level, _LEAST_LEVEL))


def _products(some: Array, others: Array) -> Array:
    """Return the sums over experts of products, (priors, repetitions)."""
    found: Array = np.einsum("nmr,nmr->mr", some, others)
    return found


def _sum_of_logs(values: Array) -> Array:
    """Return the sums over experts of the logarithms of positive numbers; products take less time."""
    digits = max(1.0, *(abs(np.log10(end)) for end in (values.min(), values.max())))
    together = int(_DIGITS / digits)  # so many factors that no product underflows or overflows
    if together < 2:
        return np.asarray(np.log(values).sum(axis=0))
    # One after another, as `reduceat` would walk through each column by itself.
    found = np.log(values[:together].prod(axis=0))
    for start in range(together, len(values), together):
        found += np.log(values[start : start + together].prod(axis=0))
    return np.asarray(found)
