"""A curator's reports and sums, with noise that is correlated over the rounds as a strategy says.

[mathematics/000.md#correlated-reports]
"""

import numpy as np

from private_experts.arrays import Array
from private_experts.descriptions import Described
from private_experts.errors import InputError
from private_experts.privacy.factorization import checked_sensitivity, checked_strategy
from private_experts.privacy.guarantees import GaussianDP, check_guarantee, of_experts
from private_experts.privacy.noise import Noise, attained, checked_noise, perturbed_by_expert
from private_experts.privacy.reports import Reports
from private_experts.tabular import UNIT, Bounds, check_possible, check_within, checked_bounds
from private_experts.validation import checked_vector, whole


class CorrelatedReports(Described):
    """Reports of vectors, round by round: each is the vector plus noise that earlier reports help to cancel.

    In round t, row t of the strategy is applied to the data so far, each divided by its sensitivity, and N(0,
    1/mu^2) is added. Solved for the datum of round t, the released values give the report. All reports
    together are mu-GDP. With the identity as strategy they have the noise of local reports. Memory and time
    of a round grow with n T, and the strategy takes 16 T^2 bytes. `BandedSums` keeps what a few rounds need.
    [mathematics/000.md#correlated-reports]

    Parameters
    ----------
    n : int
        Length of the vectors.
    guarantee : GaussianDP
        A central guarantee, which all reports together have; its level is positive, and ``inf`` is no
        privacy.
    strategy : ndarray, shape (T, T)
        From `private_experts.privacy.factorization`.
    sensitivity : ndarray, shape (T,) or (T, n)
        L2 distance by which one person can change the vector of each round; positive and public. It is the
        caller's word. With one for each coordinate, each has a mechanism of its own, whose level is that of
        `guarantee`; what is stated is then for a person in the data of all n: ``sqrt(n) mu``. See
        `SideBySideReports` for one who can change a few.
    noise : Noise
        Where the noise comes from.
    repetitions : int
        Number of independent copies.
    bounds : (float, float), optional
        The least and the largest number of a vector that is possible, in the unit of the sensitivity, [0, 1]
        unless given. They must be public. Reports are in this unit.

    Raises
    ------
    InputError
        When the guarantee is not central Gaussian privacy of a positive level, a later round would enter an
        earlier release, a datum would cost more than mu, the sensitivities do not fit, `n` or `repetitions`
        is no whole number of at least 1, the bounds are not two numbers, or the noise is no source of noise.

    Examples
    --------
    Noise in one report is taken back in the next, so that sums of reports have less of it:

    >>> import numpy as np
    >>> from private_experts.privacy import CorrelatedReports, GaussianDP, SimulatedNoise
    >>> from private_experts.privacy.factorization import square_root
    >>> from private_experts.randomness import rng_for
    >>> noise, bounds = SimulatedNoise(rng_for(0, "reports")), np.full(3, 0.01)
    >>> curator = CorrelatedReports(
    ...     2, GaussianDP(1.0, "central"), strategy=square_root(3), sensitivity=bounds, noise=noise
    ... )
    >>> report = curator.report(np.array([0.25, 1.0]))
    >>> report.values.round(2).tolist(), str(report.guarantee), round(report.scale, 4)
    ([[0.27, 1.02]], '1-GDP (central, simulated noise)', 0.0118)
    """

    STATE = ("_count", "_data", "_released")

    def __init__(
        self,
        n: int,
        guarantee: GaussianDP,
        *,
        strategy: Array,
        sensitivity: Array,
        noise: Noise,
        repetitions: int = 1,
        bounds: Bounds | None = None,
    ) -> None:
        from scipy.linalg import solve_triangular  # few who import this room need it

        self.share = attained(check_guarantee(guarantee, "correlated reports", GaussianDP, "central"), noise)
        strategy = checked_strategy(strategy)
        self.n = n = whole(n, "correlated reports", "n")
        sensitivity = checked_sensitivity(sensitivity, len(strategy), n)
        self.bounds = UNIT if bounds is None else checked_bounds(bounds, "correlated reports")
        self.by_expert = sensitivity.ndim == 2
        self.guarantee = of_experts(self.share, n if self.by_expert else 1)
        repetitions = whole(repetitions, "correlated reports", "repetitions")
        self._scale = self.share.noise_scale(1.0)
        # Copies: a caller who changes the arrays during the game would change what was promised.
        self._strategy, self._sensitivity = strategy.copy(), sensitivity.copy()
        # Row t needs the reports up to t alone, as the inverse of a lower triangular matrix is one.
        self._inverse = solve_triangular(strategy, np.eye(len(strategy)), lower=True)
        self._noise, self._repetitions = checked_noise(noise, "correlated reports"), repetitions
        self._count = 0
        self._data = np.zeros((len(strategy), n))
        self._released = np.zeros((len(strategy), repetitions * n))

    def report(self, vector: Array) -> Reports:
        """Take in the vector of a round, and return its report. [mathematics/000.md#correlated-reports]

        Vectors (n,) hold numbers within the bounds. The report's guarantee is that of all reports together,
        and its scale the noise of this one by itself. More rounds than the strategy has are refused.
        """
        self.check(vector)
        return self.report_any(vector)

    def check(self, vector: Array) -> None:
        """Refuse a vector outside the bounds: the sensitivity would be of another unit than the data."""
        within = checked_vector(vector, self.n, "correlated reports")
        check_within(within, vector, "correlated reports", self.bounds)
        check_possible("correlated reports", self._sensitivity, self.n, self.bounds, self.share)

    def report_any(self, vector: Array) -> Reports:
        """Do what `report` does, for vectors of finite numbers of any size."""
        t, so_far = self._count, self._count + 1
        if t == len(self._strategy):
            raise InputError(
                f"correlated reports: the strategy has {t} rounds and all were played; give more"
            )
        vector = checked_vector(vector, self.n, "correlated reports")
        # Counted before noise is drawn: a failure below must not allow a second release of the same round.
        self._count = so_far
        if self._scale == 0:  # spares the rounding error of solving for what is known
            return Reports(np.tile(vector, (self._repetitions, 1)), self.guarantee, 0.0)
        self._data[t] = vector / self._sensitivity[t]
        protected = self._strategy[t, :so_far] @ self._data[:so_far]
        if self.by_expert:
            made = perturbed_by_expert(self._noise, protected[None], self._scale, self._repetitions)
        else:
            made = self._noise.perturb(protected, self._scale, self._repetitions)
        self._released[t] = made.ravel()
        solving, unit = self._inverse[t, :so_far], self._sensitivity[t]
        # The noise of this report by itself; together with others its noise is correlated, which the level
        # accounts for.
        scale = self._scale * unit * np.sqrt(solving @ solving)
        # Where a report takes back the last draws alone, older ones need not be read.
        used = slice(int((solving != 0).argmax()), so_far)
        values = (solving[used] @ self._released[used]).reshape(self._repetitions, -1) * unit
        return Reports(values, self.guarantee, scale if self.by_expert else float(scale))

    def gram(self, span: int) -> Array:
        """Return what each two rounds share, (T, T) whatever the span. See `level_in_rounds`."""
        # Data are divided by their sensitivity, so that a person shifts columns of the strategy.
        result: Array = self._strategy.T @ self._strategy
        return result

    def gram_by_expert(self, span: int) -> Array:
        """Return what each two rounds share of each expert, in units of `share`, (n, T, T)."""
        one = self.gram(span)
        return np.broadcast_to(one, (self.n, *one.shape))


class MatrixSums(Described):
    """Running sums of correlated reports. [mathematics/000.md#correlated-reports]

    Before the first vector the sum is noise alone, of the first round's scale, so that a leader is drawn at
    random.

    Parameters
    ----------
    n, guarantee, strategy, sensitivity, noise, repetitions
        As for `CorrelatedReports`.

    Raises
    ------
    InputError
        As for `CorrelatedReports`.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.privacy import MatrixSums, GaussianDP, SimulatedNoise
    >>> from private_experts.privacy.factorization import square_root
    >>> from private_experts.randomness import rng_for
    >>> noise, bounds = SimulatedNoise(rng_for(0, "sums")), np.full(7, 0.01)
    >>> sums = MatrixSums(
    ...     2, GaussianDP(1.0, "central"), strategy=square_root(7), sensitivity=bounds, noise=noise
    ... )
    >>> for _ in range(7):
    ...     sums.add(np.array([0.25, 1.0]))
    >>> sums.release().round(2).tolist()  # near 1.75 and 7
    [[1.75, 7.02]]
    """

    STATE = ("_total", "_empty")

    def __init__(
        self,
        n: int,
        guarantee: GaussianDP,
        *,
        strategy: Array,
        sensitivity: Array,
        noise: Noise,
        repetitions: int = 1,
    ) -> None:
        self._reports = CorrelatedReports(
            n, guarantee, strategy=strategy, sensitivity=sensitivity, noise=noise, repetitions=repetitions
        )
        self.n, self.by_expert = self._reports.n, self._reports.by_expert
        self.guarantee, self.share = self._reports.guarantee, self._reports.share
        scale, nothing = self.share.noise_scale(1.0) * sensitivity[0], np.zeros(self.n)
        if self.by_expert:
            self._total: Array = perturbed_by_expert(noise, nothing[None], scale, repetitions)[0]
        else:
            self._total = noise.perturb(nothing, float(scale), repetitions)
        self._empty = True

    def add(self, vector: Array) -> None:
        """Append a vector of finite numbers of any size, shape (n,), in the unit of the sensitivity."""
        report = self._reports.report_any(vector).values
        # The noise before the first vector was for the first choice alone, and is no part of the sums.
        self._total = report if self._empty else self._total + report
        self._empty = False

    def release(self) -> Array:
        """Return the noisy sum of the vectors, (repetitions, n). [mathematics/000.md#correlated-reports]"""
        return self._total.copy()

    def gram(self, span: int) -> Array:
        """Return what each two rounds share. See `CorrelatedReports.gram`."""
        return self._reports.gram(span)

    def gram_by_expert(self, span: int) -> Array:
        """Return what each two rounds share of each expert. See `CorrelatedReports.gram_by_expert`."""
        return self._reports.gram_by_expert(span)
