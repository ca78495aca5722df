"""Algorithms at several privacy levels on one stream: regrets, a summary with intervals, a picture.

The tables are pandas' and the picture is Matplotlib's, which are imported when a function is called that
needs them.
"""

import math
import textwrap
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from inspect import signature
from typing import TYPE_CHECKING, Any, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import stdtrit

from private_experts.algorithms.door import settings_inside
from private_experts.algorithms.interface import Algorithm
from private_experts.arrays import Array, Indices
from private_experts.descriptions import Described
from private_experts.errors import InputError, names_what_was_meant
from private_experts.games.play import (
    check_delays,
    check_unit,
    play,
    private_reports,
)
from private_experts.games.regret import static_regret
from private_experts.privacy.accountant import Guarantee
from private_experts.privacy.conversions import to_gaussian
from private_experts.privacy.guarantees import ApproximateDP, GaussianDP, PureDP, check_guarantee
from private_experts.privacy.noise import SimulatedNoise
from private_experts.randomness import rng_for
from private_experts.tabular import UNIT, Bounds, as_they_are, check_possible, check_whole, gains_of, numbers
from private_experts.validation import refused_value, whole

if TYPE_CHECKING:
    import pandas as pd
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

    class _Drawn(Axes):
        """Axes of a figure that can be saved; of axes of a part of a figure the type says too much."""

        @property
        def figure(self) -> Figure: ...


Made = TypeVar("Made")

_ROUNDING = 1e-9
_COLUMNS = ("algorithm", "model", "guarantee", "level", "repetition", "regret")
_LETTERS = 12  # of a legend that fit into an inch


@dataclass(frozen=True)
class Trial:
    """What an algorithm is made from for one level of an `experiment`.

    Parameters
    ----------
    level : float
        The privacy level mu.
    n, horizon, repetitions : int
        Numbers of experts, rounds and copies.
    sensitivity : float
        How far one person can move the gains of a round, which are in [0, 1] here, in L2 distance.
    noise : SimulatedNoise
        Where all Gaussian noise of this trial comes from.
    rng : numpy.random.Generator
        For other randomness of the algorithm.

    Examples
    --------
    >>> from private_experts.algorithms import RWFTPL
    >>> from private_experts.games import Trial
    >>> from private_experts.privacy import SimulatedNoise
    >>> from private_experts.randomness import rng_for
    >>> trial = Trial(0.5, 10, 300, 100, 0.1, SimulatedNoise(7), rng_for(0, "choice"))
    >>> trial.make(RWFTPL, trial.local)
    <RWFTPL: 0.5-GDP (local, simulated noise), n=10, sensitivity=0.1, noise=SimulatedNoise, repetitions=100>
    """

    level: float
    n: int
    horizon: int
    repetitions: int
    sensitivity: float
    noise: SimulatedNoise
    rng: np.random.Generator

    @property
    def local(self) -> GaussianDP:
        """The level as a guarantee of each report."""
        return GaussianDP(self.level, "local")

    @property
    def central(self) -> GaussianDP:
        """The level as a guarantee of a curator."""
        return GaussianDP(self.level, "central")

    @property
    def noise_scale(self) -> float:
        """Standard deviation of the noise in a report."""
        return self.local.noise_scale(self.sensitivity)

    def make(self, kind: Callable[..., Made], guarantee: GaussianDP | None = None, **settings: Any) -> Made:
        """Make an algorithm of a class, with these settings and those of the trial's that it names.

        Parameters
        ----------
        kind : class or function
            Such as `RWFTPL`.
        guarantee : GaussianDP, optional
            `local` or `central`, where it takes one.
        **settings
            Whatever else it is to be made with.

        Returns
        -------
        Algorithm
        """
        # The level is offered as a guarantee alone: a class that takes a plain number would not say of which
        # model it is.
        offered = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "level"}
        if guarantee is not None:
            offered["guarantee"] = guarantee
        return kind(
            **{name: offered[name] for name in signature(kind).parameters if name in offered} | settings
        )


@names_what_was_meant
def experiment(
    gains: ArrayLike,
    algorithms: Mapping[str, Callable[[Trial], Algorithm]],
    levels: Iterable[float | GaussianDP],
    sensitivity: float,
    repetitions: int,
    seed: int,
    *,
    bounds: Bounds | None = None,
    losses: bool = False,
    delays: int | Sequence[int] | None = None,
    regret: Callable[[Array, Indices], Array] = static_regret,
) -> "pd.DataFrame":
    """Play each algorithm at each privacy level on the same gains, and return the regret of every copy.

    Local algorithms get `private_reports` of the level, central ones the gains. Noise is simulated. Each
    algorithm has randomness of its own at each level, which depends on the seed, its name and the level
    alone: others can be added or left out without a change to its regrets. One without privacy is the same at
    all levels, and is played once.

    Parameters
    ----------
    gains : array_like or data frame, shape (T, n)
        True gains, in [0, 1] or within `bounds`.
    algorithms : mapping of str to function
        By name, what makes a fresh algorithm from a `Trial`.
    levels : iterable of float or GaussianDP
        Privacy levels mu; ``inf`` is no privacy.
    sensitivity : float
        How far one person can move the gains of a round, in L2 distance, in the unit of the gains.
    repetitions : int
        Number of independent copies.
    seed : int
        At least 0.
    bounds, losses
        As for `play`. Trials are about gains in [0, 1], and regrets in the unit of the gains.
    delays : int or sequence of T int, optional
        As for `play`. All algorithms are then `Delayed`.
    regret : function
        Of the gains (T, n), in their own unit, and the actions (T, repetitions): `static_regret`, or such as
        ``functools.partial(dynamic_regret, comparator=4)``. A loss is a negative gain.

    Returns
    -------
    pandas.DataFrame
        A row for each copy, with the columns algorithm, model (local, central or none), guarantee, level,
        repetition and regret. Without privacy the level is infinite.

    Raises
    ------
    InputError
        When pandas is missing, there is nothing to play or a level twice, `Delayed` is played without
        `delays`, or an algorithm is not of its trial. It has another number of copies, or was made for
        another `sensitivity` or for `bounds`, where it has these settings. Or it states another Gaussian
        level; or a pure one that implies no such level, see `pure_within`; or a guarantee with a delta, which
        implies none. No privacy at all with a curator may stand in the table, and so may an algorithm that
        reveals nothing.

    Examples
    --------
    >>> from private_experts.algorithms import RWFTPL, FollowTheLeader
    >>> from private_experts.games import experiment, regret_summary
    >>> from private_experts.randomness import rng_for
    >>> makers = {
    ...     "RW-FTPL": lambda trial: trial.make(RWFTPL, trial.local),
    ...     "leader": lambda trial: trial.make(FollowTheLeader),
    ... }
    >>> gains = rng_for(0, "gains").random((100, 3)) * [0.9, 0.9, 1.0]
    >>> frame = experiment(gains, makers, levels=[0.1, 1.0], sensitivity=0.2, repetitions=50, seed=0)
    >>> list(frame.columns), len(frame)
    (['algorithm', 'model', 'guarantee', 'level', 'repetition', 'regret'], 150)
    >>> print(regret_summary(frame).round(1).to_string(index=False))
    algorithm model  guarantee  level  repetitions  mean  low  high
      RW-FTPL local    0.1-GDP    0.1           50   4.7  3.7   5.7
      RW-FTPL local      1-GDP    1.0           50   2.6  2.1   3.0
       leader  none no privacy    inf           50   1.6  1.6   1.6
    """
    try:
        import pandas as pd
    except ImportError as error:
        raise InputError("experiment: pandas is missing: install it with pip install pandas") from error
    own = numbers(gains, "experiment")
    if not isinstance(own, np.ndarray) or own.ndim != 2 or not own.size:
        raise InputError(
            f"experiment: gains of shape {np.shape(own)}: write an array of shape (rounds, experts)"
        )
    array, unit = gains_of(gains, "experiment", bounds, losses)
    check_possible("experiment", sensitivity, array.shape[-1], bounds or UNIT)
    check_whole("experiment", gains, sensitivity, bounds, None)
    whole(repetitions, "experiment", "repetitions")
    whole(seed, "experiment", "seed", least=0)
    if not isinstance(levels, Iterable):
        raise InputError(
            f"experiment: levels {refused_value(levels)}: write a list of levels, such as [0.5, 1]"
        )
    chosen = [
        check_guarantee(
            level if isinstance(level, Guarantee) else GaussianDP(level, "central"), "experiment", GaussianDP
        ).mu
        for level in levels
    ]
    if not isinstance(algorithms, Mapping):
        raise InputError(
            f"experiment: algorithms of type {type(algorithms).__name__}: write a dict, name: function"
        )
    for name, make in algorithms.items():
        # An algorithm's class, which no trial alone is enough for.
        is_class = isinstance(make, type) and issubclass(make, Described)
        if is_class or not callable(make):
            kind = getattr(make, "__name__", type(make).__name__)
            raise InputError(
                f"experiment: {name} is a {kind}, and no function of a trial: write one that makes it anew, "
                f"such as lambda trial: trial.make({kind})"
            )
    if not algorithms or not chosen:
        raise InputError("experiment: there is nothing to play; write an algorithm and a level at least")
    # Equal levels would have equal names for their generators, and count one game twice.
    if len(set(chosen)) < len(chosen):
        raise InputError("experiment: a level is there twice; write each once")
    horizon, n = array.shape

    def trial_of(name: str, level: float) -> Trial:
        # Named by algorithm and level: another algorithm in the table changes nobody's numbers.
        noise = SimulatedNoise(rng_for(seed, "experiment: noise", name, level))
        rng = rng_for(seed, "experiment: choice", name, level)
        # In the unit of gains in [0, 1], in which algorithms play and noise is scaled.
        return Trial(float(level), n, horizon, repetitions, sensitivity / unit, noise, rng)

    parts = []
    for name, make in algorithms.items():
        frames: list[pd.DataFrame] = []
        for level in chosen:
            trial = trial_of(name, level)
            algorithm = make(trial)
            # A local algorithm that states none at a finite level is refused below.
            model: str = algorithm.guarantee.model
            if str(algorithm.guarantee) == "no privacy" and model == "central" and level < math.inf:
                frames, model, trial = [], "none", trial_of(name, math.inf)
                algorithm = make(trial)
            actions = _played(name, algorithm, trial, array, delays, bounds is not None)
            rows = {
                "algorithm": name,
                "model": model,
                "guarantee": str(algorithm.guarantee).partition(" (")[0],
                "level": trial.level,
                "repetition": np.arange(repetitions),
            }
            with as_they_are():
                rows["regret"] = regret(-own if losses else own, actions)
            frames.append(pd.DataFrame(rows))
            if model == "none":  # it is the same at all levels
                break
        parts += frames
    return pd.concat(parts, ignore_index=True)


def _played(
    name: str,
    algorithm: Algorithm,
    trial: Trial,
    gains: Array,
    delays: int | Sequence[int] | None,
    rescaled: bool,
) -> Indices:
    """Return the actions of an algorithm, once it is certain that it is of the trial's level and copies."""
    check_delays("experiment", algorithm, delays)
    stated, local = algorithm.guarantee, algorithm.guarantee.model == "local"
    if not _may_state(stated, trial.level):
        raise InputError(
            f"experiment: {name} states {stated} at level {trial.level:g}; make it with trial.local or "
            "trial.central, or pure_within(trial.central) where it takes PureDP"
        )
    check_unit(f"experiment: {name}", algorithm, rescaled)
    for reach in settings_inside(algorithm):
        least, one = float(np.min(reach.value)), np.ndim(reach.value) == 0
        # Made for a smaller one, its noise would not give the level under which the table lists it; a larger
        # one is of another unit.
        if least < trial.sensitivity * (1 - _ROUNDING) or (
            one and least > trial.sensitivity * (1 + _ROUNDING)
        ):
            raise InputError(
                f"experiment: {name} was made for sensitivity {least:g}, and one person moves gains in "
                f"[0, 1] by {trial.sensitivity:g}; make it with sensitivity=trial.sensitivity"
            )
    # Central algorithms get none of these: they add noise of their own to the gains.
    reports = private_reports(gains, trial.local, trial.sensitivity, trial.noise, trial.repetitions)
    actions = play(algorithm, reports if local else gains, delays=delays)
    if actions.shape != (trial.horizon, trial.repetitions):
        copies = f"actions of shape {actions.shape}"
        raise InputError(f"experiment: {name} has {copies}; make it with repetitions=trial.repetitions")
    return actions


def _may_state(stated: Guarantee, level: float) -> bool:
    """Tell whether an algorithm may be in the table: it has the level, reveals nothing, or hides nothing.

    A pure level counts as the Gaussian one that it implies, and may imply less. With a delta it implies none.
    """
    if str(stated) == "no privacy":
        return stated.model == "central" or math.isinf(level)
    if isinstance(stated, GaussianDP):
        return stated.mu == 0 or math.isclose(stated.mu, level, rel_tol=_ROUNDING)
    if isinstance(stated, ApproximateDP) and stated.delta > 0:
        return False
    # At most the level: more privacy than the table says misleads nobody.
    return to_gaussian(PureDP(stated.epsilon, stated.model)).mu <= level * (1 + _ROUNDING)


def regret_summary(frame: "pd.DataFrame", confidence: float = 0.95) -> "pd.DataFrame":
    """Return the mean regret of each algorithm at each level, with its confidence interval by Student's t.

    The interval is about noise and draws: the gains are the same in all copies. It is for one mean, not for
    all at once.

    Parameters
    ----------
    frame : pandas.DataFrame
        From `experiment`.
    confidence : float
        Between 0 and 1.

    Returns
    -------
    pandas.DataFrame
        The columns algorithm, model, guarantee, level, repetitions, mean, low and high; without an interval
        for a single copy.

    Raises
    ------
    InputError
        When a column is missing, or the confidence is not between 0 and 1.

    Examples
    --------
    >>> import pandas as pd
    >>> from private_experts.games import regret_summary
    >>> stated = {"algorithm": "leader", "model": "local", "guarantee": "1-GDP", "level": 1.0}
    >>> regrets = pd.DataFrame({**stated, "repetition": [0, 1, 2], "regret": [4.0, 5.0, 6.0]})
    >>> print(regret_summary(regrets).round(2).to_string(index=False))
    algorithm model guarantee  level  repetitions  mean  low  high
       leader local     1-GDP    1.0            3   5.0 2.52  7.48
    """
    missing = [column for column in _COLUMNS if column not in frame.columns]
    if missing:
        raise InputError(
            f"regret_summary: the frame has no column {missing[0]}; write what experiment returned"
        )
    if not 0 < confidence < 1:
        raise InputError(f"regret_summary: confidence = {confidence}: write a number between 0 and 1")
    groups = frame.groupby([*_COLUMNS[:4]], sort=False)["regret"]
    table = groups.agg(repetitions="count", mean="mean", deviation="std").reset_index()
    count = table["repetitions"].to_numpy()
    # Student's t, as the deviation is that of the same copies; with few of them the normal law is too narrow.
    half = stdtrit(count - 1.0, (1 + confidence) / 2) * table.pop("deviation") / np.sqrt(count)
    return table.assign(low=table["mean"] - half, high=table["mean"] + half)


def plot_regret(frame: "pd.DataFrame", axes: "Axes | None" = None, confidence: float = 0.95) -> "_Drawn":
    """Draw the mean regret of each algorithm over the levels, with the intervals of `regret_summary`.

    Parameters
    ----------
    frame : pandas.DataFrame
        From `experiment`.
    axes : matplotlib.axes.Axes, optional
        Where to draw; new ones unless given.
    confidence : float
        Of the intervals.

    Returns
    -------
    matplotlib.axes.Axes
        The levels stand at equal distances. What has no privacy is a line across all of them. The legend
        tells models and guarantees.

    Raises
    ------
    InputError
        When Matplotlib is missing, or what `regret_summary` refuses.

    Examples
    --------
    >>> import pandas as pd
    >>> from matplotlib.figure import Figure
    >>> from private_experts.games import plot_regret
    >>> stated = {"algorithm": "leader", "model": "local", "guarantee": "1-GDP", "level": 1.0}
    >>> regrets = pd.DataFrame({**stated, "repetition": [0, 1, 2], "regret": [4.0, 5.0, 6.0]})
    >>> plot_regret(regrets, Figure().subplots()).get_ylabel()
    'regret, in the unit of the gains'
    """
    table = regret_summary(frame, confidence)
    own = axes is None
    if axes is None:
        try:
            from matplotlib import pyplot
        except ImportError as error:
            raise InputError(
                "plot_regret: matplotlib is missing: install it with pip install matplotlib"
            ) from error
        axes = pyplot.subplots(layout="constrained")[1]
    private = table[table["model"] != "none"]
    levels, names = sorted(private["level"].unique()), [*private["algorithm"].unique()]
    letters = int(_LETTERS * axes.get_window_extent().width / axes.figure.dpi)
    for name, curve in table.groupby("algorithm", sort=False):
        curve = curve.sort_values("level")
        model, stated = curve["model"].iloc[0], dict.fromkeys(curve["guarantee"].iloc[[0, -1]])
        label = textwrap.fill(
            f"{name}: {' to '.join(stated)}{f' ({model})' if model != 'none' else ''}", letters
        )
        if model == "none":
            line = axes.axhline(
                curve["mean"].iloc[0], linestyle="--", label=label, color=f"C{len(axes.lines)}"
            )
            axes.axhspan(curve["low"].iloc[0], curve["high"].iloc[0], color=line.get_color(), alpha=0.15)
            continue
        # Side by side, so that intervals do not hide each other.
        x = np.searchsorted(levels, curve["level"]) + 0.3 * ((names.index(name) + 0.5) / len(names) - 0.5)
        axes.errorbar(x, curve["mean"], (curve["high"] - curve["low"]) / 2, fmt="o-", capsize=3, label=label)
    axes.set_xticks(range(len(levels)), ["∞" if math.isinf(level) else f"{level:g}" for level in levels])
    axes.set_xlabel("privacy level μ")
    axes.set_ylabel("regret, in the unit of the gains")
    if own:  # below the axes, where it hides no curve and makes room for itself
        cast("Figure", axes.figure).legend(loc="outside lower left")
    else:
        axes.legend()
    return cast("_Drawn", axes)
