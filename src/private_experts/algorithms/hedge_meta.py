"""Exponential weights over learners that see private reports; the rate adapts to how much they differ.

No noise is added to that of the reports: its mean effect on exponential weights is known. A round costs
little if the played action is nearly certain, as when learners agree or one of them is far ahead. So the
regret bound shrinks with the learners' disagreement, and holds for learners that react to the reports. The
paper promises such a bound for RW-Meta, where it fails. [mathematics/000.md#theorem-3-independence]
"""

import math
from collections.abc import Iterable, Mapping
from typing import Any, Literal

import numpy as np

from private_experts.algorithms.credited_leader import CreditedLeader, Learner
from private_experts.algorithms.hedge_bounds import round_cost
from private_experts.arrays import Array, Indices
from private_experts.errors import InputError
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.reports import Reports
from private_experts.validation import checked_number, generator


class HedgeMeta(CreditedLeader):
    """Private choice between learners that may react to reports: exponential weights on credited totals.

    Learner i is followed with probability proportional to ``exp(r_t X_i)``, where X are the credited totals.
    Let q_t be the law of the played action, given the past. With noise of scale eta and a fixed rate r the
    expected regret against the best of m learners is at most ``log(m)/r + (e^(r + r^2 eta^2) - 1 - r)/(2 r)
    D``, where D is the expected sum of ``1 - |q_t|^2``, and at most ``log(m)/r + r (T/8 + T eta^2 / 2)``. The
    adaptive rate knows neither D nor T: ``r_t = log(m) / (log(m)/largest_rate + cost)``, with the cost of all
    rounds so far. At the same D it loses a factor of sqrt(2) and a constant.
    [mathematics/000.md#adaptive-rate] The paper has no such algorithm.

    It post-processes the reports, so its guarantee is theirs. Memory is 8 m bytes for each repetition, and
    what the learners keep.

    Parameters
    ----------
    learners : iterable of Learner, or mapping of str to Learner
        As for `CreditedLeader`: by name where `chosen` is to tell it. They are played and updated by this
        object.
    guarantee : GaussianDP
        The guarantee that it states, local or central. Reports of another model, or with a weaker one, are
        refused. Their noise must be normal and independent over rounds and experts; each report tells its
        scale.
    rng : numpy.random.Generator or int
        For the choice. It protects no data, so a plain generator is enough.
    rate : float or "adaptive"
        The rate r, positive, such as `textbook_rate`; it must not depend on the data.
    largest_rate : float
        The adaptive rate of the first round, positive. Later ones are smaller.

    Attributes
    ----------
    rates : ndarray, shape (repetitions,)
        The rate of the coming round.
    cost : ndarray, shape (repetitions,)
        The costs of all rounds so far, by `round_cost`.
    disagreement : ndarray, shape (repetitions,)
        The sum of ``1 - |q_t|^2`` so far.
    bound : ndarray, shape (repetitions,)
        What bounds the regret so far: its mean over the noise is at least the expected regret.

    Raises
    ------
    InputError
        When the guarantee is not Gaussian privacy, or a rate is not positive.

    Examples
    --------
    Nine learners that always agree, and one that differs in a tenth of the rounds:

    >>> import numpy as np
    >>> from private_experts.algorithms import HedgeMeta, textbook_bound
    >>> from private_experts.games import play, private_reports
    >>> from private_experts.learners import Recorded
    >>> from private_experts.privacy import GaussianDP, SimulatedNoise
    >>> from private_experts.randomness import rng_for
    >>> actions = np.zeros((400, 10, 50), dtype=int)
    >>> actions[::10, 9] = 1
    >>> guarantee, noise = GaussianDP(1.0, "local"), SimulatedNoise(rng_for(0, "reports"))
    >>> meta = HedgeMeta([Recorded(actions)], guarantee, rng=rng_for(0, "choice"))
    >>> played = play(meta, private_reports(np.tile([0.8, 0.2], (400, 1)), guarantee, 1.0, noise, 50))
    >>> round(float(meta.bound.mean()), 1), round(textbook_bound([1.0] * 400, 10), 1)
    (5.9, 48.0)
    """

    STATE = ("cost", "disagreement")

    def __init__(
        self,
        learners: Iterable[Learner] | Mapping[str, Any],
        guarantee: GaussianDP,
        *,
        rng: np.random.Generator | int,
        rate: float | Literal["adaptive"] = "adaptive",
        largest_rate: float = 1.0,
    ) -> None:
        super().__init__(learners, guarantee)
        self._rng = generator(rng, "HedgeMeta")
        if isinstance(rate, str):
            if rate != "adaptive":
                raise InputError(f"HedgeMeta: rate = {rate!r}: write a positive number or 'adaptive'")
            largest_rate = checked_number("HedgeMeta: largest_rate", largest_rate, 0, ends=False)
        else:
            rate = checked_number("HedgeMeta: rate", rate, 0, ends=False)
        self.rate = rate
        self.largest_rate = largest_rate
        self.cost: Array = np.zeros(1)  # (repetitions,) after the first round
        self.disagreement: Array = np.zeros(1)

    @property
    def rates(self) -> Array:
        """See `HedgeMeta`."""
        if not isinstance(self.rate, str):
            return np.full(self.cost.shape, self.rate)
        start = self._start()
        return self._entropy() / (start + self.cost)

    @property
    def bound(self) -> Array:
        """See `HedgeMeta`."""
        if not isinstance(self.rate, str):
            return self._entropy() / self.rate + self.cost
        # log(m) over the coming rate is start + cost, and the costs themselves come once more.
        # the last rate is known before the last cost; so this is a little more
        return self._start() + 2 * self.cost

    def _entropy(self) -> float:
        """Return log m; of a single learner log 2, since no rate matters to it."""
        return math.log(max(self.totals.shape[-1], 2))

    def _start(self) -> float:
        """Return what the adaptive rate takes as the cost before the first round."""
        return self._entropy() / self.largest_rate

    def _extra(self) -> Array:
        """Draw Gumbel noise of scale 1 / rate, with which the leader follows exponential weights."""
        # Gumbel noise turns the inherited argmax into a draw from exponential weights.
        return self._rng.gumbel(size=self.totals.shape) / self.rates[:, None]

    def probabilities(self) -> Array:
        """Return the law of the coming round's expert given the reports, shape (repetitions, n).

        It is as private as they are. The number of experts is known once learners or a report tell it.
        """
        advice = self._advice()
        if self.shape[1] is None:
            raise InputError(
                "HedgeMeta: nobody has told the number of experts yet: ask after the first round"
            )
        return self._law(advice, self._weights(), self.shape[1])

    def _weights(self) -> Array:
        """Return the probability of each learner in the coming round, shape (repetitions, m)."""
        # The largest total is subtracted, as totals grow with T and e^(r X) would overflow.
        weights: Array = np.exp(self.rates[:, None] * (self.totals - self.totals.max(axis=-1, keepdims=True)))
        weights /= weights.sum(axis=-1, keepdims=True)
        return weights

    def _law(self, advice: Indices, weights: Array, n: int) -> Array:
        """Return the law of the action, where learners have these weights."""
        repetitions = len(advice)
        # Learners that name one expert act as one: what a round costs depends on actions, not on learners.
        cells = n * np.arange(repetitions)[:, None] + advice
        law = np.bincount(cells.ravel(), weights.ravel(), repetitions * n).reshape(repetitions, n)
        return np.minimum(law.astype(np.float64), 1.0)  # a sum of weights may be above by a rounding

    def update(self, report: Reports) -> None:
        """Credit the learners, pass the reports on, count the round's cost. See `Algorithm.update`."""
        # Before the report is heard: the cost of a round is at the rate and the weights with which it was
        # played.
        advice, rates = self._advice(), self.rates
        weights = self._weights()
        super().update(report)
        actions = self._law(advice, weights, report.values.shape[1])
        self.cost = self.cost + round_cost(rates, actions, report.scale)
        self.disagreement = self.disagreement + (actions * (1 - actions)).sum(axis=-1)
