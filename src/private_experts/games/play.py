"""Play an algorithm on a stream of gains."""

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, overload
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import ArrayLike, NDArray

from private_experts.algorithms.base import BaseAlgorithm
from private_experts.algorithms.baselines import Uniform
from private_experts.algorithms.central import experts_of, smallest, stretches
from private_experts.algorithms.credited_leader import Learner
from private_experts.algorithms.delayed import Delayed
from private_experts.algorithms.door import door, is_somebodys, settings_inside, unit_of
from private_experts.algorithms.interface import Algorithm
from private_experts.arrays import Actions, Array, Indices, Scale
from private_experts.errors import InputError, names_what_was_meant
from private_experts.games.late_reports import late
from private_experts.ownership import alone, bind
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.noise import Noise
from private_experts.privacy.reports import Reports, ReportsOfGains, reporter
from private_experts.tabular import (
    UNIT,
    Bounds,
    Tabular,
    check_goes_on,
    check_possible,
    check_same_labels,
    check_whole,
    checked_bounds,
    gains_of,
    is_tabular,
    names_of,
    on_losses,
    rows_of,
    tell_unit,
    with_labels,
)

_WIDE = 2**15  # experts of whom a report, its gains and totals are larger than the cache of a core


@names_what_was_meant
def private_reports(
    gains: ArrayLike,
    guarantee: GaussianDP,
    sensitivity: float | Sequence[float] | Array,
    noise: Noise,
    repetitions: int = 1,
    moved: int | None = None,
    *,
    bounds: Bounds | None = None,
    losses: bool = False,
) -> Iterator[Reports]:
    """Return the reports that leave the data's owner in each round, one by one: gains plus fresh noise.

    Parameters
    ----------
    gains : array_like or data frame, shape (T, n)
        True gains, in [0, 1] or within `bounds`. Reports of a frame have the names of its columns.
    guarantee : GaussianDP
        The local guarantee of each round's report.
    sensitivity : float or sequence of T floats; or ndarray, shape (n,) or (T, n)
        The largest L2 distance by which one person can change the gains of a round: one for all rounds, or
        one for each. Where `moved` is given: how far one person can move the gain of each expert, in all
        rounds or in each.
    noise : Noise
        Where the noise comes from.
    repetitions : int
        Number of independent copies.
    moved : int, optional
        How many experts' gains one person moves; for noise on each one's own count. See `privatize`.
    bounds, losses
        As for `play`. The sensitivity is then in the unit of the gains as well.

    Returns
    -------
    iterator of Reports
        Of shape (repetitions, n). Each is made when it is asked for.

    Raises
    ------
    InputError
        When the sensitivity is neither one number nor one for each round (or, with `moved`, not one for each
        expert) or larger than any two rounds are apart, the guarantee is not local, the noise is no source of
        noise, or a round's gains are not in [0, 1]. `privatize` says when a warning comes.

    Examples
    --------
    Reports of three rounds. In the last one person can change more, so that its noise is larger:

    >>> import numpy as np
    >>> from private_experts.games import private_reports
    >>> from private_experts.privacy import GaussianDP, SimulatedNoise
    >>> from private_experts.randomness import rng_for
    >>> noise = SimulatedNoise(rng_for(0, "reports"))
    >>> reports = private_reports(np.full((3, 2), 0.5), GaussianDP(0.5, "local"), [0.01, 0.01, 0.1], noise)
    >>> [(report.values.shape, report.scale) for report in reports]
    [((1, 2), 0.02), ((1, 2), 0.02), ((1, 2), 0.2)]
    """
    names = names_of(gains, "private_reports")
    check_same_labels(gains, sensitivity, "sensitivity", of_experts=moved is not None)
    array, unit = gains_of(gains, "private_reports", bounds, losses, guarantee=guarantee)
    reach = np.asarray(sensitivity, dtype=np.float64) / unit
    check_whole("private_reports", gains, reach * unit, bounds, guarantee)
    rows, wide = iter(array), repetitions == 1 and not reach.ndim and array.shape[-1] >= _WIDE
    report = reporter(guarantee, noise, repetitions=repetitions, moved=moved, names=names, bounds=bounds)
    if moved is not None:
        if reach.shape not in (array.shape, array.shape[1:]):
            raise InputError(
                f"sensitivity of shape {reach.shape}: write how far one person moves each gain, {array.shape}"
            )
        reaches = iter(np.broadcast_to(reach, array.shape))
    else:
        if reach.shape not in ((), (len(array),)):
            raise InputError(
                f"sensitivity of shape {reach.shape}: write one number, or one for each of the {len(array)} "
                "rounds; or moved= beside one for each expert"
            )
        # Plain numbers, which a report checks faster than it checks arrays of one.
        reaches = iter(np.broadcast_to(reach, len(array)).tolist())
    tell_unit(array, reach, guarantee)
    # Each round is looked at when it is reported, not before: between two rounds anyone may write to the
    # array.
    return ReportsOfGains(map(report, rows, reaches), noise, rows if wide else None)


@overload
def play(
    algorithm: Algorithm | Learner,
    reports: NDArray[Any] | Iterable[Reports] | Sequence[Any] | Iterator[Any],
    *,
    sensitivity: float | Sequence[float] | Array | None = None,
    noise: Noise | None = None,
    bounds: Bounds | None = None,
    losses: bool = False,
    note: Callable[[Any], object] | None = None,
    delays: int | Sequence[int] | None = None,
    resume: bool = False,
) -> Actions: ...


@overload
def play(
    algorithm: Algorithm | Learner,
    reports: Tabular,
    *,
    sensitivity: float | Sequence[float] | Array | None = None,
    noise: Noise | None = None,
    bounds: Bounds | None = None,
    losses: bool = False,
    note: Callable[[Any], object] | None = None,
    delays: int | Sequence[int] | None = None,
    resume: bool = False,
) -> Any: ...


@names_what_was_meant
def play(
    algorithm: Algorithm | Learner,
    reports: Any,
    *,
    sensitivity: float | Sequence[float] | Array | None = None,
    noise: Noise | None = None,
    bounds: Bounds | None = None,
    losses: bool = False,
    note: Callable[[Any], object] | None = None,
    delays: int | Sequence[int] | None = None,
    resume: bool = False,
) -> Any:
    """Play one game: in each round the algorithm acts, then gets the report. [mathematics/000.md#setting]

    Parameters
    ----------
    algorithm : Algorithm or Learner
        A fresh algorithm; or learners, which need not be one.
    reports : iterable of T Reports or arrays, or a data frame
        What the algorithm is told after each action: `private_reports` for local algorithms, and the true
        gains (T, n) for central ones. In a frame rows are rounds, and columns are experts.
    sensitivity : float or sequence of T floats, optional
        The L2 distance by which one person can change the gains of a round, in their own unit; that of the
        algorithm, where it was made with one.
    noise : Noise, optional
        With it true gains are given for a local algorithm as well. Each round is made private before it is
        told: at the algorithm's guarantee, in as many copies as it has, with noise from here.
    bounds : (float, float), optional
        The least and the largest gain that is possible, in the unit of the gains, [0, 1] unless given. They
        must be public, and not computed from the gains. Algorithms play on ``(gain - lo) / (hi - lo)``, with
        noise on that scale: its standard deviation is ``sensitivity / mu`` in the unit of the gains. An
        algorithm with a sensitivity of its own has its bounds beside that: leave them out here.
    losses : bool
        Whether the numbers are losses, which are turned into gains ``(hi - loss) / (hi - lo)``. What is
        returned remembers it: `static_regret` and the like take the losses as they are.
    note : function, optional
        Called with the algorithm in each round, between its action and its report, such as to keep its
        `chosen` learner or its `probabilities`.
    delays : int or sequence of T int, optional
        For `Delayed`: how many rounds each report is late, as for `late`; 0 if none is.
    resume : bool
        Whether to go on with an algorithm that has played before, such as one that was loaded. A data frame
        then has the new rounds alone.

    Returns
    -------
    ndarray of int, shape (T, repetitions), or a data frame
        The actions, in the smallest signed integers that hold their numbers; of m learners (T, m,
        repetitions). Of a frame of gains a frame of the names that were
        played, with its rows, and a column for each repetition.

    Raises
    ------
    InputError
        When a local algorithm is told true gains, or anything else that its `update` refuses; when it has
        played before, unless it is to `resume`, or another call plays it, such as a thread's; when a frame
        has a column twice, words, rows whose dates or numbers (also those in words, such as week 9) do not
        rise, or a number that is missing or out of bounds; when the algorithm was made for gains of other
        bounds, or for another sensitivity; when reports are made for `Delayed` without `delays`; or when
        another algorithm is given some.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.algorithms import FollowTheLeader
    >>> from private_experts.games import play
    >>> play(FollowTheLeader(2, repetitions=3), np.tile([0.2, 0.9], (4, 1))).tolist()
    [[0, 0, 0], [1, 1, 1], [1, 1, 1], [1, 1, 1]]

    Guests of two rooms that have 50 seats, in a data frame; one person moves a number by 1:

    >>> import pandas as pd
    >>> from private_experts.algorithms import RWFTPL
    >>> from private_experts.privacy import GaussianDP, SimulatedNoise
    >>> guests, noise = pd.DataFrame({"North": [5, 9, 6], "South": [30, 41, 28]}), SimulatedNoise(7)
    >>> reach = {"sensitivity": 1, "bounds": (0, 50)}
    >>> leader = RWFTPL(2, GaussianDP(1.0, "local"), **reach, noise=noise, repetitions=2)
    >>> play(leader, guests, noise=noise)
           0      1
    0  South  South
    1  South  South
    2  South  South
    """
    with alone(algorithm):
        check_fresh("play", algorithm, resume)
        feedback = reports
        private = sensitivity is not None or noise is not None
        if (private or bounds is not None or losses) and isinstance(reports, Iterator):
            raise InputError(
                f"play: {type(reports).__name__} with sensitivity, noise, bounds or losses: these are for a "
                "frame or an array of gains. Write that in its place, and delays= where they are late"
            )
        rescaled = bounds is not None or losses
        bounds, own = agreed_bounds("play", algorithm, bounds)
        # Before any report is made: noise that was drawn for a refused game would shift that of the next.
        if private or delays is not None:
            check_delays("play", algorithm, delays)
        if private:
            feedback = _made_private(algorithm, reports, sensitivity, noise, bounds, losses)
        elif hears_reports(algorithm):
            if rescaled:
                raise InputError(
                    f"play: {type(algorithm).__name__} hears reports: write noise= and sensitivity= for "
                    "gains with bounds or losses, or private_reports(..., bounds=..., losses=...)"
                )
            feedback = _only_reports(algorithm, reports)
        elif rescaled or is_tabular(reports) or isinstance(reports, np.ndarray):
            stated, largest = getattr(algorithm, "guarantee", None), getattr(algorithm, "largest", 1.0)
            feedback, unit = gains_of(reports, "play", bounds, losses, largest, stated)
            if isinstance(algorithm, BaseAlgorithm) and feedback.shape[1:] == (
                getattr(algorithm, "n", feedback.shape[-1]),
            ):
                algorithm.check_names(names_of(reports, "play"))
            for reach in settings_inside(algorithm):
                if largest == 1:
                    check_possible("play", reach.value, feedback.shape[-1], reach.bounds, stated)
                check_whole("play", reports, reach.value, reach.bounds, stated)
                tell_unit(feedback, np.asarray(reach.value) / unit, stated)
            if own not in (None, UNIT):  # its `update` takes gains in its own unit
                feedback = own[0] + unit * feedback
        check_goes_on(reports, getattr(algorithm, "last_row", None), "play")
        before, parts = rounds_played(algorithm), []
        if delays is not None:  # by the round of the algorithm, which may go on
            arrivals = late(feedback, delays)
            feedback = ({before + number: received for number, received in some.items()} for some in arrivals)
        try:
            for rounds, played in (
                stretches(algorithm, feedback) if note is None else [(feedback, _noted(algorithm, note))]
            ):
                parts.append(smallest(algorithm, played(rounds)))
        finally:
            # Also of a game that was interrupted: its rounds were taken in.
            added = sum(map(len, parts))
            _count(algorithm, before + added)
            if added and is_tabular(reports) and isinstance(algorithm, BaseAlgorithm):
                algorithm.last_row = next((str(row) for row in rows_of(reports)[added - 1 :]), None)
        actions = with_labels(np.concatenate(parts), reports)
        return on_losses(actions) if losses else actions


def _noted(algorithm: Any, note: Callable[[Any], object]) -> Callable[[Any], list[Indices]]:
    """Return what plays rounds one by one, with a note between action and report."""

    def played(rounds: Iterable[Any]) -> list[Indices]:
        actions, tell = [], door(algorithm)
        for report in rounds:
            actions.append(algorithm.predict())
            note(algorithm)
            tell(report)
        return actions

    return played


# Rounds of algorithms that are not of the library and do not count them.
_COUNTED: WeakKeyDictionary[Any, int] = WeakKeyDictionary()


def rounds_played(algorithm: Any) -> int:
    """Return how many rounds an algorithm or a learner has played, as far as it or `play` counted them."""
    if isinstance(algorithm, BaseAlgorithm):
        return algorithm.rounds_played
    with contextlib.suppress(TypeError):  # what has no hash is not counted
        return _COUNTED.get(algorithm, 0)
    return 0


def _count(algorithm: Any, rounds: int) -> None:
    if isinstance(algorithm, BaseAlgorithm):
        algorithm.rounds_played = max(algorithm.rounds_played, rounds)
    else:
        with contextlib.suppress(TypeError):
            _COUNTED[algorithm] = rounds


def check_fresh(who: str, algorithm: Any, resume: bool) -> None:
    """Refuse an algorithm that has played before: its regret is that of two games, and it spends again."""
    rounds = rounds_played(algorithm)
    if rounds and not resume:
        raise InputError(
            f"{who}: {type(algorithm).__name__} has played {rounds} {'round' if rounds == 1 else 'rounds'}: "
            "make a new one, or write play(..., resume=True) to go on with it"
        )
    bind(algorithm, algorithm)


def hears_reports(algorithm: Any) -> bool:
    """Return whether an algorithm is a local one; not the uniform choice, to which nothing is told."""
    model = getattr(getattr(algorithm, "guarantee", None), "model", None)
    parts = getattr(algorithm, "copies", [algorithm])
    return model == "local" and not all(isinstance(part, Uniform) for part in parts)


def _only_reports(algorithm: Any, reports: Any) -> Any:
    """Return what a local algorithm is told, and refuse whatever is no report."""
    who = type(algorithm).__name__

    def report(received: Any) -> Any:
        if all(
            isinstance(part, Reports)
            for part in (received.values() if isinstance(received, dict) else [received])
        ):
            return received
        raise InputError(
            f"play: true gains never reach {who}, which states {algorithm.guarantee}: write noise= and "
            "sensitivity=, so that reports are made of them, or make them with privatize or private_reports"
        )

    # As they are: what is known to be reports may be played many rounds at once.
    if isinstance(reports, ReportsOfGains) or (
        isinstance(reports, list | tuple) and all(isinstance(item, Reports) for item in reports)
    ):
        return reports
    return map(report, [reports] if is_tabular(reports) or isinstance(reports, np.ndarray) else reports)


def check_delays(who: str, algorithm: Any, delays: object) -> None:
    """Refuse delays where they mean nothing, or where `Delayed` would play as if nothing were late."""
    if delays is not None and not isinstance(algorithm, Delayed):
        kind = type(algorithm).__name__
        raise InputError(
            f"{who}: {kind} takes no late reports: leave out delays, or make it copies of Delayed"
        )
    if delays is None and isinstance(algorithm, Delayed) and algorithm.delay:
        raise InputError(
            f"{who}: nothing is late for Delayed: write delays=, by how many rounds reports are (0: none)"
        )


def agreed_bounds(who: str, algorithm: Any, bounds: Bounds | None) -> tuple[Bounds | None, Bounds | None]:
    """Return the bounds of the gains, and in which the algorithm takes them; refuse two that differ."""
    kind, given = type(algorithm).__name__, None if bounds is None else checked_bounds(bounds, who)
    if given is not None and getattr(algorithm, "largest", 1.0) > 1:
        raise InputError(
            f"{who}: {kind} is for gains that one person moves by at most 1, of any size: leave out bounds, "
            "or make it without moves_at_most_1"
        )
    own, guarantee = unit_of(who, algorithm), getattr(algorithm, "guarantee", None)
    if getattr(algorithm, "largest", 1.0) == 1:
        for reach in settings_inside(algorithm):
            check_possible(who, reach.value, experts_of(algorithm), reach.bounds, guarantee)
    # A curator's noise is for somebody's reach in some unit, and here nothing tells which one.
    if (
        own is None
        and given not in (None, UNIT)
        and getattr(guarantee, "model", None) == "central"
        and str(guarantee) != "no privacy"
        and any(is_somebodys(type(part)) for part in getattr(algorithm, "copies", [algorithm]))
    ):
        raise InputError(
            f"{who}: bounds = {bounds!r}, and nothing tells for which gains {kind} states {guarantee}: "
            "give it an attribute sensitivity (of gains in [0, 1], or in the unit of an attribute bounds)"
        )
    if given is None or own is None:
        # Without bounds of their own gains stay as they are: an algorithm may take some that are above 1.
        return (given if own in (None, UNIT) else own), own
    # One would speak of the data and the other of the noise, and nothing could tell which one is meant.
    if given != own:
        raise InputError(
            f"{who}: bounds = {bounds!r}, and the sensitivity of {kind} is for gains from {own[0]:g} to "
            f"{own[1]:g}: leave them out here, and write sensitivity and bounds where it is made, in one unit"
        )
    return given, own


def check_scale(who: str, algorithm: Any, scale: Scale) -> None:
    """Refuse a first report whose noise is not that with which an algorithm, or a part of it, begins."""
    for begins in settings_inside(algorithm, "noise_scale"):
        if np.ndim(scale) in (0, np.ndim(begins.value)) and not np.allclose(
            begins.value, scale, rtol=1e-9, atol=0
        ):
            raise InputError(
                f"{who}: {type(algorithm).__name__} begins with noise of scale {_few(begins.value)} for "
                f"gains in [0, 1], and its reports have {_few(scale)}: leave out sensitivity here, or "
                "make it with this one"
            )


def _few(numbers: Any) -> str:
    """Return a number in words, or the least and the largest of several."""
    least, most = f"{np.min(numbers):g}", f"{np.max(numbers):g}"
    return least if least == most else f"{least} to {most}"


def check_unit(who: str, algorithm: Any, rescaled: bool = False) -> None:
    """Refuse an algorithm that was made for another unit than that of gains in [0, 1]."""
    bounds, _ = agreed_bounds(who, algorithm, UNIT if rescaled else None)
    if bounds not in (None, UNIT):
        raise InputError(
            f"{who}: {type(algorithm).__name__} is for gains from {bounds[0]:g} to {bounds[1]:g}, and these "
            "are in [0, 1]: make it without bounds, and with a sensitivity of such gains"
        )


def _made_private(
    algorithm: Any, gains: Any, sensitivity: Any, noise: Noise | None, bounds: Bounds | None, losses: bool
) -> Iterator[Reports]:
    """Return reports of true gains, as private as a local algorithm says, in as many copies as it has."""
    who, guarantee = type(algorithm).__name__, getattr(algorithm, "guarantee", None)
    if not isinstance(guarantee, GaussianDP) or guarantee.model != "local":
        raise InputError(f"play: {who} hears no local reports: leave out sensitivity and noise")
    if sensitivity is None:
        sensitivity = next((reach.value for reach in settings_inside(algorithm)), None)
    if sensitivity is None or noise is None:
        raise InputError("play: noise for reports needs both: write sensitivity and noise, or neither")
    low, high = (0.0, 1.0) if bounds is None else checked_bounds(bounds, "play")
    first = guarantee.noise_scale(float(np.ravel(sensitivity)[0]) / (high - low))
    for reach, _ in settings_inside(algorithm):
        comparable = () in (np.shape(sensitivity), np.shape(reach)) or np.shape(sensitivity) == np.shape(
            reach
        )
        if not (comparable and np.allclose(reach, sensitivity, rtol=1e-9, atol=0)):
            raise InputError(
                f"play: {who} is made for a sensitivity of {_few(reach)}, and its reports would be for "
                f"{_few(sensitivity)}: leave out sensitivity here, or make it with this one"
            )
    if not rounds_played(algorithm):
        check_scale("play", algorithm, first)
    # Asked of the algorithm itself: each of its copies must hear noise of its own.
    copies = np.shape(algorithm.predict())[-1]
    return private_reports(gains, guarantee, sensitivity, noise, copies, bounds=bounds, losses=losses)
