"""RW-Meta: choose among learners by the noisy gains of their actions, decorrelated by extra noise.

If the actions are fixed in advance, the noisy total of learner i after t rounds is its true total plus
Gaussian noise of covariance

    Sigma_t = sum_{s<=t} eta_s^2 A_s,    A_s[i, j] = 1 if learners i and j took the same action in round s,

because learners that agree share the noise of one report. Where each expert has noise of its own, eta_s is
that of the action's report. [mathematics/000.md#own-counts-sigma] The leader is an argmax, which a common
shift of all totals does not change. So extra noise y with covariance ``c I - S`` will do, where S differs
from Sigma_t by a common shift. Totals plus y are then, up to a shift, true totals plus N(0, c I). [000,
Section 3.2 and Theorem 3] [mathematics/000.md#rw-meta]

For learners that react to past reports the noise has another law, and the regret bound of Theorem 3 may fail.
Privacy does not depend on it. [mathematics/000.md#theorem-3-limits]
"""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from private_experts.algorithms.central import at_once
from private_experts.algorithms.credited_leader import CreditedLeader, Learner
from private_experts.algorithms.decorrelation import Decorrelation, shared_variance
from private_experts.algorithms.known_advice import KnownAdvice, credits_before, leaders
from private_experts.arrays import Array, Indices
from private_experts.ownership import bind
from private_experts.privacy.guarantees import GaussianDP, check_guarantee, guarantee_for_reports
from private_experts.privacy.reports import Reports
from private_experts.validation import generator

# The paper's extra noise: an immutable value, so that all calls may share it.
_PAPER = Decorrelation()


class RWMeta(CreditedLeader):
    """Private choice between learners that all post-process the same noisy reports. [000, Section 3.2]

    The paper's bound on its expected regret against the best learner is ``(max(sqrt 2, eta
    sqrt(lambda_max(Sigma*_T / (eta^2 T)))) + sqrt 2) sqrt(2 T log m)``, with the floor. [000, Theorem 3] For
    actions that are fixed in advance it is proved where c never falls. With the centred projection, which may
    replace ``Sigma*`` in the bound, c never does. With the paper's it can; there the bound is measured only,
    or c has to be its running maximum. [mathematics/000.md#theorem-3-monotone] For learners that react to the
    reports the bound is false; `FreshMeta` has a bound for them. [mathematics/000.md#theorem-3-limits]

    Besides what m learners keep, memory is 8 m^2 bytes for each repetition, or in all where all have the same
    advice.

    Parameters
    ----------
    learners : iterable of Learner, or mapping of str to Learner
        As for `CreditedLeader`: by name where `chosen` is to tell it. They are played and updated by this
        object.
    guarantee : GaussianDP
        The local guarantee that it states. Reports with a weaker one are refused. Their noise must be
        independent over rounds and experts, as that of `privatize` is; each report tells its scale.
    rng : numpy.random.Generator or int
        For the extra noise. It protects no data, so a plain generator is enough.
    decorrelation : Decorrelation
        Which extra noise to draw.

    Attributes
    ----------
    sigma : ndarray, shape (repetitions, m, m)
        Covariance of the noise in the learners' totals so far. It is empty before the first round.

    Raises
    ------
    InputError
        When the guarantee is not local Gaussian privacy.

    Examples
    --------
    The best expert changes after half of 100 rounds. Among the learners is one that looks back eight rounds,
    so that the regret against the best single expert is negative:

    >>> import numpy as np
    >>> from private_experts.algorithms import Decorrelation, RWMeta
    >>> from private_experts.games import play, private_reports, static_regret, streams
    >>> from private_experts.learners import LinearFilters, TotalsLeader, trend_weights
    >>> from private_experts.privacy import GaussianDP, Reports, SimulatedNoise
    >>> from private_experts.randomness import rng_for
    >>> gains, guarantee = streams.turncoat(100, 2), GaussianDP(1.0, "local")
    >>> start = Reports(np.zeros((1, 2)), guarantee, scale=0.5)
    >>> learners = [TotalsLeader(start), LinearFilters(trend_weights, [(8, 10.0)], start)]
    >>> meta = RWMeta(learners, guarantee, rng=rng_for(0, "choice"), decorrelation=Decorrelation(floor=0))
    >>> actions = play(meta, private_reports(gains, guarantee, 0.5, SimulatedNoise(rng_for(0, "reports"))))
    >>> static_regret(gains, actions).tolist()
    [-44.0]
    """

    STATE = ("_sigma",)

    def __init__(
        self,
        learners: Iterable[Learner] | Mapping[str, Any],
        guarantee: GaussianDP,
        *,
        rng: np.random.Generator | int,
        decorrelation: Decorrelation = _PAPER,
    ) -> None:
        super().__init__(learners, check_guarantee(guarantee, "RW-Meta", GaussianDP, "local"))
        self._rng = generator(rng, "RW-Meta")
        self.decorrelation = decorrelation
        # (repetitions, m, m), or (1, m, m) as long as all copies had the same advice; empty before the first
        # round.
        self._sigma: Array = np.zeros(0)

    @property
    def sigma(self) -> Array:
        """See `RWMeta`."""
        rows = len(self.totals) if self._sigma.size else 0
        return np.broadcast_to(self._sigma, (rows, *self._sigma.shape[1:]))

    def _advice(self) -> Indices:
        """Return the learners' actions in the coming round, (repetitions, m), each predicted once a round."""
        advice = super()._advice()
        if not self._sigma.size:
            # One matrix for all copies, as long as they have the same advice: m^2 numbers instead of m^2 for
            # each copy.
            self._sigma = np.zeros((1, advice.shape[1], advice.shape[1]))
        return advice

    def _extra(self) -> Array:
        """Draw the extra noise of the coming round, shape (repetitions, m)."""
        return self.decorrelation.draw(self._sigma, self._round, self._rng, len(self.totals))

    def play_known(self, reports: Sequence[Reports]) -> Indices | None:
        """Play many rounds at once, if all learners can. See `private_experts.algorithms.central.at_once`."""
        methods = [at_once(learner, "play_known") for learner in self._learners]
        as_a_rule = all(
            type(report) is Reports
            and report.guarantee == self.guarantee
            and report.values.shape == self.shape
            and report.largest_scale > 0
            and report.names is None
            and (self.bounds is None or report.scale == getattr(self, "noise_scale", None))
            for report in reports
        )
        # A round that was begun, or a report of an unusual kind, is played step by step, where refusals know
        # their round.
        if self._actions is not None or None in methods or not as_a_rule:
            return None
        for learner in self._learners:
            bind(learner, self)
        repetitions = len(reports[0].values)
        named = [np.reshape(method(reports), (len(reports), -1, repetitions)) for method in methods if method]
        self._rows = {self._refused_as(number): actions.shape[1] for number, actions in enumerate(named)}
        advice = np.concatenate(named, axis=1)
        m = advice.shape[1]
        # Once copies differed, their matrices stay apart for good, though the advice may agree again.
        alike = len(self._sigma) < 2 and (advice == advice[..., :1]).all()
        rows = advice[..., :1] if alike else advice
        credits = credits_before(advice, reports, self.totals if self.totals.size else 0.0)
        followed, self._sigma = leaders(
            rows,
            reports,
            credits,
            np.broadcast_to(self._sigma if self._sigma.size else 0.0, (rows.shape[-1], m, m)),
            {"": (self.decorrelation, self._rng)},
            first_round=self._round,
            repetitions=repetitions,
        )
        self.totals, self._round = credits[-1].copy(), self._round + len(reports)
        for report in reports:
            self.guarantee = guarantee_for_reports(self.guarantee, report.guarantee)
        return np.take_along_axis(advice, followed[""][:, None], axis=1)[:, 0]

    @staticmethod
    def play_many(
        advice: KnownAdvice,
        choices: Mapping[str, tuple[Decorrelation, np.random.Generator]],
        repetitions: int,
    ) -> dict[str, Indices]:
        """Return what several choices between the same learners play, each of shape (T, repetitions).

        Credits and covariances are summed once for all of them. Each plays what an `RWMeta` with its
        `Decorrelation` and its generator plays round by round on this advice.
        """
        _, m, rows = advice.actions.shape
        nothing = np.zeros((rows, m, m))
        found, _ = leaders(
            advice.actions, advice.reports, advice.credits, nothing, choices, repetitions=repetitions
        )
        actions = advice.everyone(repetitions)
        return {
            name: np.take_along_axis(actions, named[:, None], axis=1)[:, 0] for name, named in found.items()
        }

    def update(self, report: Reports) -> None:
        """Credit learners with their actions' noisy gains; pass the reports on. See `Algorithm.update`."""
        advice = self._advice()
        super().update(report)
        # Exact reports add no noise, so the covariance stays; the totals have grown all the same.
        if report.largest_scale > 0:
            # Copies with the same advice share one covariance: it is a function of actions and public scales
            # alone.
            if len(self._sigma) == 1 and (advice == advice[0]).all():
                advice = advice[:1]
            shared = shared_variance(advice, report.scale)
            shared += self._sigma
            self._sigma = shared
