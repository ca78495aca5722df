"""RW-FTPL: follow the leader of the noisy totals, whose noise is a random walk."""

import numpy as np

from private_experts.algorithms.base import BaseAlgorithm
from private_experts.arrays import Actions, Indices, Scale
from private_experts.errors import InputError
from private_experts.privacy.guarantees import GaussianDP, check_guarantee, guarantee_for_reports
from private_experts.privacy.noise import Noise, attained, checked_noise, checked_scale, scale_or_sensitivity
from private_experts.privacy.reports import Reports, ReportsOfGains, check_report
from private_experts.tabular import Bounds
from private_experts.validation import whole


class RWFTPL(BaseAlgorithm):
    """Prediction by random-walk perturbation, seen as post-processing of noisy reports. [000, Section 3]

    Plays ``argmax(z_0 + g~_1 + ... + g~_{t-1})``, where the reports g~ already carry their noise. It sees
    nothing else, so it inherits the local privacy of the reports. With noise scale eta and n experts, its
    expected regret over T rounds is at most ``(eta + 2/eta) sqrt(2 T log n)`` against gains in [0, 1] that
    are fixed in advance. [mathematics/000.md#regret-rw-ftpl] With a scale for each expert it is at most
    ``(eta + 1/(2 eta')) sqrt(2 T log n)``, where eta is the largest and eta' the smallest.
    [mathematics/000.md#own-counts-regret] So too little noise is as bad as too much. On own counts a reach of
    at least mu/2 each keeps what no protocol can beat by more than a constant.
    [mathematics/000.md#own-counts-optimal] Memory is 8 n bytes for each repetition, however many rounds are
    played.

    Parameters
    ----------
    n : int
        Number of experts.
    guarantee : GaussianDP
        The local guarantee that it states. Reports with a weaker one are refused.
    sensitivity : float, optional
        How far one person can move the gains of a round, in L2 distance, in the unit of `bounds`. The noise
        follows from it and the guarantee.
    noise_scale : float or ndarray, shape (n,), optional
        In place of the sensitivity, the standard deviation of z_0, the perturbation before the first round:
        one for all experts, or one for each. Use that of the first report.
    noise : Noise
        Where z_0 comes from. If it is simulated, the guarantee says so, as it does once it hears such
        reports.
    repetitions : int
        Number of independent copies.
    bounds : (float, float), optional
        The least and the largest gain that is possible, in the unit of the sensitivity, [0, 1] unless given.
        They must be public. `play` makes reports of gains in this unit.

    Raises
    ------
    InputError
        When the guarantee is not local Gaussian privacy, or no two rounds are as far apart as the sensitivity
        says.

    Examples
    --------
    Two hospitals report for 50 weeks, and each report is 1-GDP before it leaves the house:

    >>> import numpy as np
    >>> from private_experts.algorithms import RWFTPL
    >>> from private_experts.games import play, static_regret
    >>> from private_experts.privacy import GaussianDP, SimulatedNoise
    >>> from private_experts.randomness import rng_for
    >>> gains, guarantee = np.tile([0.3, 0.8], (50, 1)), GaussianDP(1.0, "local")
    >>> noise = SimulatedNoise(rng_for(0, "reports"))
    >>> leader = RWFTPL(2, guarantee, sensitivity=0.5, noise=noise, repetitions=1000)
    >>> actions = play(leader, gains, noise=noise)
    >>> round(float(static_regret(gains, actions).mean()), 1)  # mean of 1000 copies
    0.7
    """

    STATE = ("total",)

    def __init__(
        self,
        n: int,
        guarantee: GaussianDP,
        *,
        sensitivity: float | None = None,
        noise_scale: Scale | None = None,
        noise: Noise,
        repetitions: int = 1,
        bounds: Bounds | None = None,
    ) -> None:
        n = whole(n, "RW-FTPL", "n")
        repetitions = whole(repetitions, "RW-FTPL", "repetitions")
        self.guarantee = attained(check_guarantee(guarantee, "RW-FTPL", GaussianDP, "local"), noise)
        given, self.bounds = scale_or_sensitivity(
            "RW-FTPL", n, self.guarantee, noise_scale, sensitivity, bounds
        )
        self.noise_scale = scale = checked_scale("RW-FTPL", given, n)
        self.shape = repetitions, n
        # z_0 comes from the learner's own noise: no report exists yet, and the first choice has to be
        # perturbed as well.
        self.total = checked_noise(noise, "RW-FTPL").perturb(np.zeros(n), scale, repetitions)

    def predict(self) -> Indices:
        """Return the leader of each repetition, shape (repetitions,). See `Algorithm.predict`."""
        result: Indices = self.total.argmax(axis=-1)
        return result

    def update(self, report: Reports) -> None:
        """Add the noisy reports of a round. See `Algorithm.update`."""
        values = check_report(report, self.guarantee, *self.shape).values
        self.check_sensitivity(report)
        self.check_names(report.names)
        self.total += values
        self.guarantee = guarantee_for_reports(self.guarantee, report.guarantee)
        self.rounds_played += 1

    def play_added(self, reports: ReportsOfGains) -> Actions:
        """Play as `predict` and `update` in turn, and have reports added that need not be made."""
        actions: list[Indices] = []
        for report in reports:
            actions.append(self.predict())
            self.update(report)
            leader = self.predict()
            try:
                for leaders in reports.add_all(self.total, report):
                    for following in leaders:
                        actions.append(leader)
                        leader = np.array([following])
                    self.rounds_played += len(leaders)
            except InputError:  # of gains that were looked at, and are in no total
                raise
            except BaseException:
                self.rounds_played += reports.begun  # in the totals, in part: they must not be told again
                raise
        return np.array(actions)
