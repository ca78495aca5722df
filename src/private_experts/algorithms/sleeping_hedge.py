"""Exponential weights on reports of experts that come and go. [mathematics/extensions.md#sleeping-hedge]"""

import numpy as np

from private_experts.algorithms.sleeping_experts import SleepingExperts
from private_experts.privacy.guarantees import GaussianDP, check_guarantee, guarantee_for_reports
from private_experts.privacy.reports import Reports, check_report


class SleepingHedge(SleepingExperts):
    """Plays an expert that is awake, by exponential weights. Who sleeps sends no report.

    An expert that is awake is credited with its report, less the mix ``log(sum_j p_j exp(rate * report_j)) /
    rate`` of all that are awake, where p is the law of the play. One that sleeps is credited with nothing, as
    if it had earned what the algorithm earns. (Freund, Schapire, Singer and Warmuth, 1997, without noise.)

    Over the T_i rounds in which expert i is awake, the expected regret against it is at most ``log(n) / rate
    + rate * (T_i / 8 + V_i / 2)``, where V_i is the sum of the noise's variances in these rounds; for all
    experts at once, and whatever the pattern. [mathematics/extensions.md#sleeping-hedge] If nobody ever
    sleeps, it plays as `HedgeMeta` does at the same rate with one steady learner for each expert. It
    post-processes the reports, so its guarantee is theirs. Memory is 8 n bytes for each repetition.

    Parameters
    ----------
    n : int
        Number of all experts.
    guarantee : GaussianDP
        The guarantee that it states, local or central. Reports of another model, or with a weaker one, are
        refused. Their noise must be normal and independent over rounds.
    rate : float
        Positive, such as `textbook_rate` of as many rounds as an expert of interest is awake; it must not
        depend on the data.
    rng : numpy.random.Generator or int
        For the choice. It protects no data, so a plain generator is enough.
    repetitions : int
        Number of independent copies. The same experts are awake in all.

    Attributes
    ----------
    bound : ndarray, shape (n,)
        What bounds the expected regret so far against each expert, over its rounds.
    law : ndarray, shape (repetitions, n)
        The probability with which each expert is played in the coming round.

    Raises
    ------
    InputError
        When the guarantee is not Gaussian privacy, or the rate is not positive.

    Examples
    --------
    The best of three experts arrives after 100 of 300 rounds:

    >>> import numpy as np
    >>> from private_experts.algorithms import SleepingHedge
    >>> from private_experts.privacy import GaussianDP, SimulatedNoise, privatize
    >>> guarantee, noise, gains = GaussianDP(1.0, "local"), SimulatedNoise(0), np.array([0.2, 0.5, 0.9])
    >>> hedge = SleepingHedge(3, guarantee, rate=0.2, rng=0, repetitions=100)
    >>> for t in range(300):
    ...     awake = np.array([True, True, t >= 100])
    ...     hedge.wake(awake)
    ...     actions = hedge.predict()
    ...     hedge.update(privatize(gains[awake], guarantee, 0.5, noise, repetitions=100))
    ...     if t in (0, 99, 299):
    ...         print(np.bincount(actions, minlength=3).tolist(), hedge.bound.round(1).tolist())
    [56, 44, 0] [5.5, 5.5, 5.5]
    [2, 98, 0] [10.5, 10.5, 5.5]
    [0, 0, 100] [20.5, 20.5, 15.5]
    """

    STATE = ()

    def __init__(
        self,
        n: int,
        guarantee: GaussianDP,
        *,
        rate: float,
        rng: np.random.Generator | int,
        repetitions: int = 1,
    ) -> None:
        super().__init__(n, rate, rng, repetitions)
        self.guarantee = check_guarantee(guarantee, "SleepingHedge", GaussianDP)

    def update(self, report: Reports) -> None:
        """Take in the reports of those awake, in the order of their numbers. See `Algorithm.update`."""
        present = self._totals[:, self._awake]
        values = check_report(report, self.guarantee, *present.shape).values
        self.check_names(report.names)
        # The mix by which credits are reduced is that of the law before the report; it makes a sleeper's
        # credit of 0 fair.
        with_it, without = np.logaddexp.reduce([self.rate * (present + values), self.rate * present], axis=-1)
        self._credit(
            values - ((with_it - without) / self.rate)[:, None],
            self.rate * (0.125 + report.largest_scale**2 / 2),
        )
        self.guarantee = guarantee_for_reports(self.guarantee, report.guarantee)
