"""RW-AdaBatch: RW-FTPL that looks for a new leader only when the leader may have changed.

The rounds between two looks form a batch. The algorithm uses only the sum of a batch, so each datum is hidden
among the others of its batch. The further the leader is ahead, the larger are the batches.
[mathematics/000.md#rw-adabatch]
"""

from collections.abc import Iterable, Sequence
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from private_experts.algorithms.base import BaseAlgorithm
from private_experts.arrays import Indices, Ints
from private_experts.errors import InputError
from private_experts.privacy.gaussian_mixtures import mixture_epsilon
from private_experts.privacy.guarantees import (
    ApproximateDP,
    GaussianDP,
    check_guarantee,
    guarantee_for_reports,
)
from private_experts.privacy.noise import Noise, attained, checked_noise, scale_or_sensitivity
from private_experts.privacy.reports import Reports, check_report
from private_experts.tabular import Bounds
from private_experts.validation import (
    COUNTED,
    check_rounds_left,
    check_word,
    checked_number,
    generator,
    whole,
)
from private_experts.walks.batch_size import proxy_survival
from private_experts.walks.delay import compute_delay, sizes_now
from private_experts.walks.gap import leading_gap
from private_experts.walks.lead_tolerance import LeadTolerance

_ROUNDING = 1e-9
_LARGEST = 128  # size of a batch up to which its law is bounded; the rest is put there, to the safe side
_RUN = 24  # rounds simulated at a time while batches are single rounds


class RWAdaBatch(BaseAlgorithm):
    """Follows the leader of the noisy totals, batch by batch. [000, Section 3.1 and Appendix A.6]

    When a batch begins, the algorithm takes the leader i of the totals and its gap. `compute_delay` gives a
    size B for which a change of leader within B rounds is unlikely. The algorithm plays i for B rounds, and
    only then adds the sum of their reports to the totals. Each repetition has batches of its own.

    Privacy: the algorithm post-processes the reports, so it inherits their local guarantee, say mu-GDP. Its
    actions depend on the data of a batch only through their sum (up to the rounding of that sum). So, ex
    post, a datum in a batch of size B enjoys (mu / sqrt(B))-GDP in the central model.
    [mathematics/000.md#ex-post] For the guarantee ex ante see `private_experts.walks.batch_size`.

    Regret: with constant noise scale eta, the expected regret over T rounds is at most
    ``(1 + alpha / 2) (eta + 2 / eta) sqrt(2 T log n)`` against data fixed in advance. [000, Corollary 2]
    [mathematics/000.md#corollary-2] It rests on the tolerance alone, so it holds for every `rule`.

    Memory is 16 n bytes for each repetition, and the record of the batches.

    Parameters
    ----------
    n : int
        Number of experts, at least 2.
    guarantee : GaussianDP
        The local guarantee of the reports.
    sensitivity : float, optional
        How far one person can move the gains of a round, in L2 distance, in the unit of `bounds`. The noise
        follows from it and the guarantee.
    noise_scale : float or iterable of float, optional
        In place of the sensitivity, the standard deviation of the noise in the reports: one number, or one
        for each round in turn. It is public. The first is also that of z_0, the perturbation before the first
        round. Batch sizes come from the largest. This is valid because Theorem 1 needs only an upper bound on
        the steps of the walk. So reports whose noise differs by expert are taken where none has more.
        [mathematics/000.md#own-counts-lead]
    noise : Noise
        Where z_0 comes from. If it is simulated, the guarantee says so, as it does once it hears such
        reports.
    alpha : float
        Tolerance, positive. Larger values give larger batches and a larger bound on the regret.
    repetitions : int
        Number of independent copies.
    horizon : int, optional
        Number of rounds. If given, the last batch ends there; if not, sizes are chosen as if play went on.
    rho : float
        The most by which true gains shrink the gap in a round: 1 for gains in [0, 1].
    rule : {"paper", "sharper", "exact"}
        How the probability that the leader changes is bounded: by Theorem 1, which is the paper's algorithm;
        by Levy's inequality; or by the probability itself, added up over the challengers, which needs noise
        of one scale. Batches are then larger at the same tolerance, and so at the same bound on the regret.
        [mathematics/000.md#exact-rule]
    record : bool
        Whether the batches are kept, 24 to 72 bytes for each. Without, memory does not grow with the rounds.
    bounds : (float, float), optional
        The least and the largest gain that is possible, as for `RWFTPL`.

    Raises
    ------
    InputError
        When the guarantee is not local Gaussian privacy, more rounds are played than the horizon says, the
        noise is not what the rule is for, or the batches are asked for and were not recorded.

    Examples
    --------
    As the leader gets ahead, the batches get longer:

    >>> import numpy as np
    >>> from private_experts.algorithms import RWAdaBatch
    >>> from private_experts.games import play
    >>> from private_experts.privacy import GaussianDP, SimulatedNoise
    >>> from private_experts.randomness import rng_for
    >>> guarantee, noise = GaussianDP(1.0, "local"), SimulatedNoise(rng_for(0, "reports"))
    >>> leader = RWAdaBatch(2, guarantee, sensitivity=0.5, noise=noise, horizon=100)
    >>> actions = play(leader, np.tile([0.1, 0.9], (100, 1)), noise=noise)
    >>> leader.batches[-6:, 2].tolist()  # sizes of the last batches; the last of all ends with the game
    [4, 6, 10, 14, 20, 27]
    """

    DERIVED = ("_tolerance",)
    STATE = ("total", "completed", "_buffer", "_leader", "_remaining", "_record", "_begun", "_quieter")

    def __init__(
        self,
        n: int,
        guarantee: GaussianDP,
        *,
        sensitivity: float | None = None,
        noise_scale: float | Iterable[float] | None = None,
        noise: Noise,
        alpha: float = 0.01,
        repetitions: int = 1,
        horizon: int | None = None,
        rho: float = 1.0,
        rule: Literal["paper", "sharper", "exact"] = "paper",
        record: bool = True,
        bounds: Bounds | None = None,
    ) -> None:
        n = whole(n, "RW-AdaBatch", "n")
        repetitions = whole(repetitions, "RW-AdaBatch", "repetitions")
        self.guarantee = attained(check_guarantee(guarantee, "RW-AdaBatch", GaussianDP, "local"), noise)
        self.alpha = checked_number("RW-AdaBatch: alpha", alpha, 0, ends=False)
        self.horizon = None if horizon is None else whole(horizon, "RW-AdaBatch", "horizon")
        self.rho = checked_number("RW-AdaBatch: rho", rho, 0)
        given, self.bounds = scale_or_sensitivity(
            "RW-AdaBatch", n, self.guarantee, noise_scale, sensitivity, bounds
        )
        scales_given = given if isinstance(given, Iterable) else [given]
        scales = [checked_number("RW-AdaBatch: noise_scale", number, 0) for number in scales_given]
        self.noise_scale = scales[0]
        self.eta = max(scales)
        check_word("RW-AdaBatch: rule", rule, "paper", "sharper", "exact")
        # The exact probability is tabled for one walk; a bound holds for all walks with smaller steps, a law
        # for its own.
        if rule == "exact" and min(scales) < self.eta:
            raise InputError("RW-AdaBatch: the exact rule is for noise of one scale; write rule='sharper'")
        self.rule = rule
        self._one_scale = min(scales) == self.eta
        self._quieter = False  # whether a report had less noise than that, of some expert
        self._tolerance = None if rule == "paper" else LeadTolerance(rule, self.eta, n, alpha, rho)
        self.shape = repetitions, n
        # At the beginning of the current batch.
        # z_0: without it the first leader would be expert 0 for certain, and the regret bound needs its
        # noise.
        self.total = checked_noise(noise, "RW-AdaBatch").perturb(np.zeros(n), scales[0], repetitions)
        self.completed = 0
        self._buffer = np.zeros_like(self.total)
        self._leader = np.zeros(repetitions, dtype=np.intp)
        self._remaining = np.zeros(repetitions, dtype=np.int64)
        self._record: Ints | None = np.zeros((0, 3), dtype=np.int64) if record else None
        self._begun = 0  # rows of the record that are filled

    def _begin(self) -> None:
        """Begin a batch in each repetition whose last batch has ended."""
        idle = np.flatnonzero(self._remaining == 0)
        if idle.size == 0:
            return
        totals = self.total[idle]
        # Only totals at the ends of batches are looked at: a size chosen from a buffer would depend on single
        # reports.
        gaps = leading_gap(totals)
        if self._tolerance is None:
            sizes = sizes_now(gaps, self.eta, totals.shape[-1], self.alpha, self.completed, self.rho)
        else:
            sizes = self._tolerance.sizes(gaps, self.completed)
        if self.horizon is not None:
            check_rounds_left("RW-AdaBatch", self.completed, self.horizon)
            # The horizon is public, so the cut tells nothing about the data.
            sizes = np.minimum(sizes, self.horizon - self.completed)
        # Leader and size from the same totals: the tolerance speaks of a change from this leader.
        self._leader[idle] = totals.argmax(axis=-1)
        self._remaining[idle] = sizes
        if self._record is not None:
            first, self._begun = self._begun, self._begun + idle.size
            # room for as many again, so that a row costs the same in the long run
            if self._begun > len(self._record):
                self._record = np.concatenate([self._record, np.zeros((self._begun, 3), dtype=np.int64)])
            rows = self._record[first : self._begun]
            rows[:, 0], rows[:, 1], rows[:, 2] = idle, self.completed, sizes

    def predict(self) -> Indices:
        """Return the leader at the beginning of each repetition's batch, shape (repetitions,).

        See `Algorithm.predict`.
        """
        self._begin()
        return self._leader.copy()

    def update(self, report: Reports) -> None:
        """Take in a round's noisy reports, which count once their batch has ended. See `Algorithm.update`."""
        names = check_report(report, self.guarantee, *self.shape).names
        self.check_sensitivity(report)
        self.check_names(names)
        self.guarantee = guarantee_for_reports(self.guarantee, report.guarantee)
        # More noise than the batches were chosen for makes changes of leader likelier than the tolerance
        # allows.
        if report.largest_scale > self.eta * (1 + _ROUNDING):
            raise InputError(
                f"RW-AdaBatch: a report has noise of scale {report.largest_scale:g}, and batches are chosen "
                f"for {self.eta:g}; write noise_scale as the reports have it"
            )
        quieter = report.least_scale < self.eta * (1 - _ROUNDING)
        if self.rule == "exact" and quieter:
            raise InputError(
                f"RW-AdaBatch: a report has noise of scale {report.least_scale:g}, and the exact rule is for "
                f"{self.eta:g} in every round and of every expert; write rule='sharper'"
            )
        # Less noise does no harm to batches, but the proxy law of sizes is that of walks with just this
        # noise.
        self._quieter |= quieter
        self._begin()
        self._buffer += report.values
        self._remaining -= 1
        self.completed += 1
        ended = np.flatnonzero(self._remaining == 0)
        # As one sum: single reports of a batch must leave no trace in what the actions depend on.
        self.total[ended] += self._buffer[ended]
        self._buffer[ended] = 0.0
        self.rounds_played += 1

    def amplified(self, t: int, delta: float) -> ApproximateDP:
        """Return what the actions promise to a person in the data of round t, whose batch hides more.

        It is ex ante, and holds for those who see the actions and no report: a mixture of Gaussian guarantees
        over the proxy law of batch sizes, which is smaller than the true law for all gains fixed before the
        noise. Reports must have noise of just `noise_scale`. [000, Corollary 3]
        [mathematics/000.md#proxy-law]

        Parameters
        ----------
        t : int
            The round, from 1 to the horizon.
        delta : float
            In [0, 1].

        Returns
        -------
        ApproximateDP
            Central. Epsilon is never above that of the reports.

        Raises
        ------
        InputError
            When the noise is 0 or not of one scale, as the settings or reports so far say, or the round is
            not in the game.

        Examples
        --------
        >>> from private_experts.algorithms import RWAdaBatch
        >>> from private_experts.privacy import GaussianDP, SimulatedNoise
        >>> guarantee = GaussianDP(1.0, "local")
        >>> noise = SimulatedNoise(0)
        >>> leader = RWAdaBatch(2, guarantee, noise_scale=1.0, noise=noise, alpha=0.1, horizon=3000)
        >>> round(guarantee.epsilon(1e-3), 2), round(leader.amplified(2000, 1e-3).epsilon, 2)
        (3.14, 2.45)
        """
        t = whole(t, "RW-AdaBatch", "t", most=self.horizon or COUNTED)
        if not self._one_scale or self._quieter or self.eta == 0:
            raise InputError(
                "RW-AdaBatch: amplification is known for noise of one positive scale alone, that of "
                "noise_scale in all rounds and of all experts; leave it out (t), or make reports of just "
                "that noise"
            )
        # The proxy law holds up to b = T - t: beyond, the end of the game cuts the batch.
        largest = _LARGEST if self.horizon is None else min(self.horizon - t, _LARGEST)
        if self._tolerance is None:
            survival = proxy_survival(t, self.eta, self.shape[1], self.alpha, largest, self.rho)
        else:
            survival = self._tolerance.proxy_survival(t, largest)
        levels = self.guarantee.mu / np.sqrt(np.arange(1, survival.size + 1))
        # A size's weight is the drop of the survival; the last one takes what is left, at the weakest level
        # of the tail.
        epsilon = float(mixture_epsilon(delta, -np.diff(survival, append=0.0), levels))
        return ApproximateDP(epsilon, delta, "central", simulated=self.guarantee.simulated)

    @property
    def batches(self) -> Ints:
        """All batches begun so far, in order of time, as rows (repetition, rounds completed before, size)."""
        if self._record is None:
            raise InputError("RW-AdaBatch: the batches were not recorded: write record=True")
        return self._record[: self._begun].copy()

    def containing_sizes(self) -> Ints:
        """Return the size of the batch that each round lies in.

        A batch that has not ended counts with its planned size. Shape (rounds completed, repetitions).
        """
        sizes = np.zeros((self.completed, self._leader.size), dtype=np.int64)
        repetition, start, size = self.batches.T
        begun = start < self.completed
        sizes[start[begun], repetition[begun]] = size[begun]
        return _carried_forward(sizes)


def _carried_forward(sizes: Ints) -> Ints:
    """Replace each zero by the last number above it in its column."""
    rows = np.where(sizes > 0, np.arange(sizes.shape[0])[:, None], 0)
    return np.take_along_axis(sizes, np.maximum.accumulate(rows, axis=0), axis=0)


def simulate_batches(
    n: int,
    eta: float,
    horizon: int,
    repetitions: int,
    alpha: float,
    rng: np.random.Generator | int,
    rho: float = 1.0,
    drift: ArrayLike | None = None,
    *,
    rounds: Sequence[int] | Ints,
) -> Ints:
    """Draw the sizes of the batches that contain given rounds, when every round has the same true gains.

    The law is that of `RWAdaBatch`. The sum of a batch of B reports is a single draw from N(B drift, eta^2 B
    I), so the cost grows with the number of batches and not of rounds. Most batches are single rounds, in
    long runs while no expert is far ahead; such runs are simulated many rounds at a time.
    [mathematics/000.md#rw-adabatch]

    Parameters
    ----------
    n : int
        Number of experts, at least 2.
    eta : float
        Standard deviation of the noise of a report.
    horizon : int
        Number of rounds; the last batch ends there.
    repetitions : int
        Number of independent copies.
    alpha : float
        Tolerance, positive; see `RWAdaBatch`.
    rng : numpy.random.Generator or int
        For the noise.
    rho : float
        The most by which true gains shrink the gap in a round; see `RWAdaBatch`.
    drift : array_like, shape (n,), optional
        True gains of each round; zero unless given.
    rounds : sequence of int
        The rounds in question, from 1 to `horizon`, in any order.

    Returns
    -------
    ndarray of int, shape (len(rounds), repetitions)

    Raises
    ------
    InputError
        When a round lies outside the game.

    Examples
    --------
    Mean size of the batches that contain rounds 10, 100 and 1000 when expert 0 is better:

    >>> from private_experts.algorithms import simulate_batches
    >>> from private_experts.randomness import rng_for
    >>> rng = rng_for(0, "batches")
    >>> sizes = simulate_batches(2, 0.5, 2000, 50, 0.01, rng, drift=[0.9, 0.1], rounds=[10, 100, 1000])
    >>> sizes.mean(axis=1).round(1).tolist()
    [1.7, 44.0, 556.2]
    """
    wanted, places = np.unique(np.asarray(rounds, dtype=np.int64), return_inverse=True)
    if wanted.size and not (wanted[0] >= 1 and wanted[-1] <= horizon):
        raise InputError(f"rounds {wanted[0]} to {wanted[-1]}: write rounds from 1 to {horizon}")
    rng = generator(rng, "batches")
    sizes = np.zeros((wanted.size, repetitions), dtype=np.int64)
    gains = np.zeros(n) if drift is None else np.asarray(drift, dtype=float)
    last = wanted[-1] if wanted.size else 0
    playing = np.arange(repetitions if wanted.size else 0)
    completed = np.zeros(playing.size, dtype=np.int64)
    total = eta * rng.standard_normal((playing.size, n))

    while playing.size:
        batch = np.minimum(
            compute_delay(leading_gap(total), eta, n, alpha, completed, rho), horizon - completed
        )
        total += batch[:, None] * gains + (eta * np.sqrt(batch))[:, None] * rng.standard_normal(total.shape)
        passed = batch.copy()
        # After a single round, go on: batches stay single until the gap allows two rounds.
        single = np.flatnonzero(batch == 1)
        if single.size:
            walk = gains + eta * rng.standard_normal((single.size, _RUN, n))
            walk[:, 0] = total[single]
            np.cumsum(walk, axis=1, out=walk)
            now = completed[single, None] + np.arange(1, _RUN + 1)
            stops = compute_delay(leading_gap(walk), eta, n, alpha, now, rho, largest=2) == 2
            # At the latest the run ends with its last simulated round, and the loop goes on from there.
            stops[:, -1] = True
            more = stops.argmax(axis=1)
            total[single] = walk[np.arange(single.size), more]
            passed[single] += more
        # the first round asked for after `completed`
        first = np.searchsorted(wanted, completed, side="right")
        completed += passed
        reached = wanted[first] <= completed
        sizes[first[reached], playing[reached]] = batch[reached]
        going = completed < last
        if not going.all():
            # Copies drop out as they pass the last round asked for, since a long batch may pass all of it at
            # once.
            playing, completed, total = playing[going], completed[going], total[going]
    return _carried_forward(sizes)[places]
