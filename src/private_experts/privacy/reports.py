"""Noisy reports, which carry what they promise. They are all that an algorithm of the local model ever gets.

A report is made from a true value by `privatize`. From the guarantee and the sensitivity follows the noise,
and the report keeps the guarantee and the noise scale, which may be one for each expert (`own_scales`). An
algorithm that takes reports and nothing else cannot be given a true value by mistake, and cannot state a
guarantee that its reports do not have.
"""

import contextlib
import itertools
import math
from collections.abc import Callable, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from private_experts.arrays import Array, Scale
from private_experts.errors import InputError, names_what_was_meant
from private_experts.privacy.guarantees import GaussianDP, check_guarantee
from private_experts.privacy.noise import (
    Noise,
    SecureNoise,
    SimulatedNoise,
    attained,
    checked_noise,
    keeps_finite,
)
from private_experts.privacy.own_counts import own_scales
from private_experts.tabular import (
    UNIT,
    Bounds,
    Names,
    check_possible,
    check_same_labels,
    check_whole,
    gains_of,
    names_of,
    numbers,
    tell_unit,
)
from private_experts.validation import as_float, bandit, checked_gains, is_array

# How many experts there are, where a report is of those that are awake: a sensitivity is for all.
_EXPERTS: ContextVar[int] = ContextVar("experts", default=0)
_FLOATS = np.dtype(np.float64)
_ABSURD = 1e100  # a scale from which on noise may be infinite
_PLAIN = 1e-3  # a scale from which on noise makes many numbers of each gain
_ALIKE = 1e-9  # relative; a sensitivity in another unit comes back with other last bits
_FAINT = 1e-15  # a scale up to which a gain plus noise may be the gain


@dataclass(frozen=True, eq=False, slots=True, repr=False)
class Reports:
    """The noisy reports of one round, in all copies of a game, with their guarantee. [000, Section 2.2]

    `privatize` makes reports from true gains. Write ``Reports(...)`` only for values that arrive with their
    noise already added, such as those that were sent over a network: nothing can check that. Noise of scale 0
    is no noise, and has no guarantee but that of an infinite level. Nor has noise so faint that it is lost in
    rounding.

    Parameters
    ----------
    values : array_like, shape (repetitions, n), or (n,) for one copy
        Gains plus noise; they are copied, and cannot be written to.
    guarantee : GaussianDP
        What the report promises to the person in the data of this round.
    scale : float or ndarray, shape (n,)
        Standard deviation of the noise: on each coordinate, or on each by itself. It is public.
    names : tuple of str, optional
        Of the experts; those of the columns where the values are a frame. An algorithm refuses other ones
        later.

    Raises
    ------
    InputError
        When the values are no finite array of two axes, or the scale is not a number of at least 0, or one
        for each expert, or 0 or lost in rounding (``value + scale == value``) where the guarantee is of a
        finite level.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.privacy import GaussianDP, Reports
    >>> report = Reports(np.array([[0.3, 1.7]]), GaussianDP(1.0, "local"), scale=1.0)
    >>> report
    <Reports: 1-GDP (local), n=2, scale=1, repetitions=1>
    """

    values: Array
    guarantee: GaussianDP
    scale: Scale
    names: Names = None
    # noise was drawn here, so that numbers do not tie
    smooth: bool = field(default=False, init=False, repr=False)

    def __post_init__(self) -> None:
        values = self.values
        if type(values) is not np.ndarray or values.ndim != 2 or values.dtype != _FLOATS:
            object.__setattr__(self, "names", self.names or names_of(values, "reports"))
            values = numbers(values, "reports")
            values = values[None] if isinstance(values, np.ndarray) and values.ndim == 1 else values
        if (
            not (type(values) is np.ndarray or is_array(values))
            or values.ndim != 2
            or values.dtype != _FLOATS
        ):
            shape = f"shape {values.shape}" if is_array(values) else f"a {type(values).__name__}"
            raise InputError(f"reports of {shape}: write an array of float64 of shape (repetitions, n)")
        # A sum of squares is finite if all numbers are, but for absurdly large ones. It sets off no warning.
        squares = np.vdot(values, values)
        if not (math.isfinite(squares) or np.isfinite(values).all()):
            raise InputError(
                "reports with a number that is infinite or missing: write numbers, or leave the round out"
            )
        check_guarantee(self.guarantee, "reports", GaussianDP)
        scale: Scale
        if isinstance(self.scale, np.ndarray):
            scale = np.array(self.scale, dtype=np.float64)
            if scale.shape != values.shape[1:] or not ((scale >= 0) & (scale < math.inf)).all():
                raise InputError(
                    f"reports with noise of scales {scale.shape}: write one of at least 0 for each expert"
                )
            scale = _fixed(scale)
        else:
            scale = as_float(self.scale)
            if not 0 <= scale < math.inf:
                raise InputError(f"reports with noise of scale {self.scale}: write a number of at least 0")
        least = scale if isinstance(scale, float) else float(scale.min(initial=math.inf))
        # True values with a guarantee would pass every later check, and no one could tell.
        if self.guarantee.mu < math.inf and not least > 0:
            raise InputError(
                f"reports of {self.guarantee} with noise of scale 0: true values have no such guarantee; "
                "make reports of them with privatize"
            )
        # First by the norm of all values: only where that is too large is each expert compared by itself.
        if self.guarantee.mu < math.inf and least <= _FAINT * max(1.0, math.sqrt(squares)):
            largest = np.abs(values).max(axis=0, initial=0.0)
            lost = (largest > 0) & (largest + scale == largest)
            if lost.any():
                raise InputError(
                    f"reports of {self.guarantee} with noise of scale {least:g}: beside values like "
                    f"{largest[lost][0]:g} it is lost in rounding, and true values have no such guarantee; "
                    "write a larger sensitivity or scale, or a smaller level"
                )
        object.__setattr__(self, "scale", scale)
        # A copy that cannot be written to: learners share it, and one that changed it would change what
        # others hear.
        object.__setattr__(self, "values", _fixed(np.array(values)))

    def __repr__(self) -> str:
        repetitions, n = self.values.shape
        least, largest = f"{self.least_scale:g}", f"{self.largest_scale:g}"
        scale = least if least == largest else f"{least} to {largest}"
        return f"<Reports: {self.guarantee}, n={n}, scale={scale}, repetitions={repetitions}>"

    @property
    def largest_scale(self) -> float:
        """The largest standard deviation of the noise on a coordinate."""
        return self.scale if isinstance(self.scale, float) else float(self.scale.max())

    @property
    def least_scale(self) -> float:
        """The smallest standard deviation of the noise on a coordinate."""
        return self.scale if isinstance(self.scale, float) else float(self.scale.min())


def _fixed(values: Array) -> Array:
    """Return a view that cannot be written to."""
    fixed = values.view()
    fixed.flags.writeable = False
    return fixed


@names_what_was_meant
def privatize(
    gains: ArrayLike,
    guarantee: GaussianDP,
    sensitivity: float | Array,
    noise: Noise,
    *,
    repetitions: int = 1,
    moved: int | None = None,
    bounds: Bounds | None = None,
    losses: bool = False,
) -> Reports:
    """Return what may leave the data's owner: gains plus just enough noise. [000, Section 2.2]

    Parameters
    ----------
    gains : array_like or series, shape (n,) or (repetitions, n)
        True gains of a round, in [0, 1].
    guarantee : GaussianDP
        A local guarantee; ``GaussianDP(inf, "local")`` adds no noise.
    sensitivity : float or ndarray, shape (n,)
        The largest L2 distance by which one person can change the gains of the round, for noise that is the
        same for all. Or how far one person can move the gain of each expert, for noise on each one's own
        count; a series with the labels of the gains.
    noise : Noise
        `SecureNoise` in earnest, `SimulatedNoise` in experiments.
    repetitions : int
        Number of independent copies, each with noise of its own.
    moved : int, optional
        How many experts' gains one person moves; for noise on each one's own count.
        [mathematics/000.md#own-counts]
    bounds : (float, float), optional
        The least and the largest gain that is possible, in the unit of the gains and of the sensitivity. They
        must be public. The report is on ``(gain - lo) / (hi - lo)``. Learners begin with reports on nothing,
        which are reports of gains that are all lo; or of losses that are all hi.
    losses : bool
        Whether the numbers are losses, which become gains ``(hi - loss) / (hi - lo)``.

    Returns
    -------
    Reports
        Of shape (repetitions, n), with the names of a series.

    Raises
    ------
    InputError
        When the guarantee is not local, the gains are not in [0, 1], or the sensitivity is no positive
        number, or not one for each expert where `moved` is given, or so small that the noise is lost in
        rounding, or larger than any two rounds are apart: ``sqrt(n) (hi - lo)``, or ``hi - lo`` of an expert;
        or below 1 for whole numbers (by their type) within bounds that are wider than 1.

    Warns
    -----
    UserWarning
        When ten gains or more differ by less than a thousandth of the sensitivity, or of the bounds, or are
        whole floats beside a sensitivity below 1; rounds of fewer are not looked at. Nothing else tells a
        sensitivity in patients from one in shares: both may be 1.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.privacy import GaussianDP, SimulatedNoise, privatize
    >>> from private_experts.randomness import rng_for
    >>> noise = SimulatedNoise(rng_for(0, "reports"))
    >>> report = privatize(np.array([0.2, 0.9]), GaussianDP(0.5, "local"), 0.01, noise, repetitions=3)
    >>> report.values.shape, report.scale
    ((3, 2), 0.02)

    Hospitals of 50 and 400 beds, and a person who may have gone to the other one. Each has noise for its own
    count:

    >>> reach = 1 / np.array([50, 400])
    >>> report = privatize(np.array([0.2, 0.9]), GaussianDP(0.5, "local"), reach, noise, moved=2)
    >>> report.scale.round(4).tolist()
    [0.0566, 0.0071]
    """
    names = names_of(gains, "gains")
    check_same_labels(gains, sensitivity, "sensitivity")
    # The sensitivity was given in the unit of the data, so it is scaled as the gains are.
    array, unit = gains_of(gains, "gains", bounds, losses, guarantee=guarantee)
    reach = sensitivity if bounds is None else np.asarray(sensitivity) / unit
    check_whole("gains", gains, sensitivity, bounds, guarantee)
    made = reporter(guarantee, noise, repetitions=repetitions, moved=moved, names=names, bounds=bounds)
    report = made(array, reach)
    tell_unit(array, reach, guarantee)
    return report


def reporter(
    guarantee: GaussianDP,
    noise: Noise,
    *,
    repetitions: int = 1,
    moved: int | None = None,
    names: Names = None,
    bounds: Bounds | None = None,
) -> Callable[[Array, float | Array], Reports]:
    """Return the function from a round's gains and sensitivity to `Reports`; it refuses as `privatize` does.

    What holds for all rounds is checked once. Gains and sensitivity are in units of the bounds' width.
    """
    guarantee = attained(check_guarantee(guarantee, "reports", GaussianDP, "local"), noise)
    perturb, finite = checked_noise(noise, "reports").perturb, keeps_finite(noise)
    seeded = type(noise) is SimulatedNoise
    low, high = bounds or UNIT

    def shared(sensitivity: float | Array, n: int) -> float:
        if isinstance(sensitivity, np.ndarray) and sensitivity.ndim:
            raise InputError(
                "a sensitivity for each expert: write moved, how many experts' gains one person moves"
            )
        scale = guarantee.noise_scale(sensitivity)  # type: ignore[arg-type]
        # A sensitivity of 0 would make a report of true values.
        if not scale < math.inf or (scale == 0 and guarantee.mu < math.inf):
            raise InputError(
                f"sensitivity {sensitivity} at {guarantee}: write how far one person can move the gains"
            )
        if sensitivity > 1:  # otherwise it is possible for any number of gains
            experts = max(n, _EXPERTS.get())
            check_possible("reports", sensitivity * (high - low), experts, (low, high), guarantee)
        return scale

    def own(reach: float | Array, n: int) -> Scale:
        if np.shape(reach) != (n,):
            raise InputError(
                f"sensitivity of shape {np.shape(reach)}: write how far one person moves each of {n} gains"
            )
        if 1 < max(n, _EXPERTS.get()) < (moved or 0):  # a single one may report for itself alone
            raise InputError(
                f"moved = {moved}: one person moves at most all {max(n, _EXPERTS.get())} experts' gains"
            )
        scales = own_scales(reach, guarantee, moved or 0)
        if not (np.isfinite(scales) & ((scales > 0) | (guarantee.mu == math.inf))).all():
            raise InputError(f"noise at {guarantee}: no finite noise attains it, write a larger level")
        check_possible("reports", np.asarray(reach) * (high - low), 1, (low, high), guarantee)
        return _fixed(scales) if guarantee.mu < math.inf else 0.0

    def report(gains: Array, sensitivity: float | Array) -> Reports:
        n = gains.shape[-1] if isinstance(gains, np.ndarray) and gains.ndim else 0
        scale = shared(sensitivity, n) if moved is None else own(sensitivity, n)
        values = perturb(checked_gains(gains, n, repetitions), scale, repetitions)
        least, most = (scale, scale) if isinstance(scale, float) else (float(scale.min()), float(scale.max()))
        audible = guarantee.mu == math.inf or least > _FAINT
        # Known to be finite and noisy: this is the path of all simulations, where a second look costs as much
        # as the noise.
        if finite and audible and 0 <= most < _ABSURD:
            return _sure(values, guarantee, scale, names, smooth=seeded and least > _PLAIN)
        return Reports(values, guarantee, scale, names)

    return report


@contextlib.contextmanager
def some_of(n: int) -> Iterator[None]:
    """Take gains that are reported as those of some of n experts, for all of whom a sensitivity is stated."""
    before = _EXPERTS.set(n)
    try:
        yield
    finally:
        _EXPERTS.reset(before)


def _sure(values: Array, guarantee: GaussianDP, scale: Scale, names: Names, smooth: bool) -> Reports:
    """Make reports whose numbers are known to be finite, without another look at them."""
    report, put = object.__new__(Reports), object.__setattr__
    put(report, "values", _fixed(values))
    put(report, "guarantee", guarantee)
    put(report, "scale", scale)
    put(report, "names", names)
    put(report, "smooth", smooth)
    return report


class ReportsOfGains(Iterator[Reports]):
    """Reports of known gains, made when they are asked for, with noise from a source that is told.

    There are `rows` where the reports are of one copy and one scale, and larger than a cache: the gains.
    """

    def __init__(self, reports: Iterator[Reports], noise: Noise, rows: Iterator[Array] | None = None) -> None:
        self._reports, self.noise, self.rows = reports, noise, rows
        self.begun = 0

    def __next__(self) -> Reports:
        return next(self._reports)

    def add_all(self, totals: Array, before: Reports) -> Iterator[list[int]]:
        """Add what is left to one copy's totals (1, n), and yield who leads after each of some rounds.

        Of `before`, the last report that was made, they take the scale. To make none saves a tenth of the
        time. With noise from elsewhere, or of an odd scale, nothing is added. After an interrupt `begun` is
        how many rounds may be in the totals in part.
        """
        noise, scale, wrong = self.noise, before.scale, None
        if not (isinstance(noise, SimulatedNoise) and keeps_finite(noise) and isinstance(scale, float)):
            return
        while self.rows and _FAINT < scale < _ABSURD:
            rounds: list[Array] = []
            self.begun = 0
            try:
                for gains in itertools.islice(self.rows, noise.together(totals.size)):
                    rounds.append(checked_gains(gains, totals.size))
            except InputError as error:
                wrong = error  # the rounds before it are played
            self.begun = len(rounds)
            if rounds:
                yield noise.add(totals, rounds, scale)
            if wrong:
                raise wrong
            if not rounds:
                return


def foreseen(reports: object, rng: object) -> bool:
    """Return whether reports are the same when many are taken before they are played by a user of `rng`."""
    if isinstance(reports, ReportsOfGains):
        noise = reports.noise
        # Noise of the system's randomness has no order; seeded noise has, if it shares the learner's
        # generator.
        return type(noise) is SecureNoise or (type(noise) is SimulatedNoise and not noise.shares(rng))
    # A list cannot be changed by playing; an iterator may make reports in answer to the plays.
    return type(reports) in (list, tuple)


def check_reach(who: str, report: Reports, reach: Any) -> None:
    """Refuse a report with noise for another sensitivity than this one, of gains in [0, 1].

    Its noise for each expert's own count says nothing of the sensitivity of all of them, and must be enough.
    """
    mu, one = report.guarantee.mu, isinstance(reach, float)
    wanted = reach if one else float(np.min(reach))
    # With a sensitivity for each round nothing tells here which round it is of.
    most = wanted if one and isinstance(report.scale, float) else math.inf
    if mu < math.inf and not wanted * (1 - _ALIKE) <= report.least_scale * mu <= most * (1 + _ALIKE):
        raise InputError(
            f"{who}: it is for gains in [0, 1] that one person moves by {wanted:g}, and a report has noise "
            f"for {report.least_scale * mu:g}: write one sensitivity and one pair of bounds for both, or "
            "make it with noise_scale"
        )


def check_report(
    report: object, guarantee: GaussianDP | None, repetitions: int | None, n: int | None = None
) -> Reports:
    """Return a report as it is, once it is certain that an algorithm may use it and still keep its word.

    The report may be more private than `guarantee` states, but not less; None states nothing. A single row is
    for all repetitions, whose number is None where it is not known.
    """
    # Exactly what was expected, which is nearly always so: one comparison in place of all checks.
    if type(report) is Reports and report.guarantee == guarantee and report.values.shape == (repetitions, n):
        return report  # as a rule
    if not isinstance(report, Reports):
        alone = bandit(report, n)
        raise InputError(
            f"true gains never reach this algorithm: make a report of them with privatize{alone}"
        )
    given = report.guarantee
    # A more private report is fine, as post-processing keeps it; a less private one would break the
    # algorithm's word.
    if guarantee is not None and (given.model != guarantee.model or given.mu > guarantee.mu):
        raise InputError(
            f"a report of {given} for an algorithm that states {guarantee}: state what the reports have"
        )
    rows, width = report.values.shape
    if n not in (None, width) or rows not in (1, repetitions or rows):
        alone = bandit(report.values[:1], n) if n is not None else ""
        raise InputError(
            f"reports of shape {report.values.shape}: write shape ({repetitions}, {n or 'n'}), as the game "
            f"has{alone}"
        )
    return report
