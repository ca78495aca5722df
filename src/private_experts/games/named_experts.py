"""An algorithm with methods like River's: experts have names, and rounds come one at a time."""

import itertools
import math
from collections.abc import Callable, Hashable, Iterable, Mapping
from functools import partial
from numbers import Real
from typing import Any, Generic, TypeVar

import numpy as np

from private_experts.algorithms.base import BaseAlgorithm
from private_experts.algorithms.central import experts_of
from private_experts.algorithms.delayed import Delayed
from private_experts.algorithms.door import door, settings_inside
from private_experts.algorithms.interface import Algorithm
from private_experts.arrays import Array
from private_experts.descriptions import Described
from private_experts.errors import InputError
from private_experts.games.play import agreed_bounds, check_scale, rounds_played
from private_experts.ownership import bind
from private_experts.privacy.noise import Noise
from private_experts.privacy.participation import Participation, times_in
from private_experts.privacy.reports import Reports, some_of
from private_experts.privacy.reports import privatize as made_private
from private_experts.tabular import UNIT, Bounds, Tabular, is_tabular, labels_of, numbers
from private_experts.validation import as_float, bandit, refused_value

Name = TypeVar("Name", bound=Hashable)


class NamedExperts(Described, Generic[Name]):
    """Plays one copy of any algorithm by `predict_one` and `learn_one`, with experts called by name.

    Parameters
    ----------
    algorithm : Algorithm
        Of one repetition, and as many experts as there are names.
    names : iterable
        What the experts are called, in the order of their numbers; no set, which has no order.
    privatize : callable, optional
        For a local algorithm: what makes a report of an array of true gains before they leave their source,
        such as ``partial(privatize, guarantee=..., sensitivity=..., noise=...)``. Without it the algorithm is
        told the gains.
    noise : Noise, optional
        In place of it, for a local algorithm that was made with a sensitivity: where the noise of reports
        comes from.
    bounds : (float, float), optional
        For a central algorithm without a sensitivity of its own: the least and the largest gain that is
        possible, [0, 1] unless given. They must be public. Others have them where their sensitivity is.

    Attributes
    ----------
    algorithm : Algorithm
        As given.
    guarantee : GaussianDP, PureDP or ApproximateDP
        That of the algorithm.

    Raises
    ------
    InputError
        When a name occurs twice or names are a set, there are more or fewer names than experts, a local
        algorithm comes without `privatize` and `noise`, `bounds` are with them or others than those of the
        algorithm's sensitivity, or the algorithm was saved with other names.

    Examples
    --------
    >>> from private_experts.algorithms import FollowTheLeader
    >>> from private_experts.games import NamedExperts
    >>> model = NamedExperts(FollowTheLeader(2), ["north", "south"])
    >>> model.learn_one({"north": 0.2, "south": 0.9})
    >>> model.predict_one()
    'south'

    Guests of two rooms that have 50 seats, where nothing is private, and with private reports; one person
    moves a number by 1:

    >>> model = NamedExperts(FollowTheLeader(2), ["north", "south"], bounds=(0, 50))
    >>> model.learn_one({"north": 45, "south": 9})
    >>> model.predict_one()
    'north'

    >>> from private_experts.algorithms import RWFTPL
    >>> from private_experts.privacy import GaussianDP, SimulatedNoise
    >>> noise, reach = SimulatedNoise(7), {"sensitivity": 1, "bounds": (0, 50)}
    >>> leader = RWFTPL(2, GaussianDP(1.0, "local"), **reach, noise=noise)
    >>> model = NamedExperts(leader, ["north", "south"], noise=noise)
    >>> model.learn_one({"north": 45, "south": 9})
    >>> model.predict_one()
    'north'

    `private_experts.saving` saves it with its names.
    """

    STATE = ()

    def __init__(
        self,
        algorithm: Algorithm,
        names: Iterable[Name],
        privatize: Callable[[Array], Reports] | None = None,
        *,
        noise: Noise | None = None,
        bounds: Bounds | None = None,
    ) -> None:
        # The order of a set changes from process to process, and a saved game would play other experts.
        if isinstance(names, set | frozenset | type(iter(set()))):
            raise InputError(
                "named experts: names are a set, which has no order: write sorted(...), or a list"
            )
        self.names = tuple(self._listed("names", names))
        # A name that stands for two experts would credit one of them with the other's gain.
        if len(set(self.names)) < len(self.names):
            raise InputError(f"named experts: {list(self.names)!r:.80}: write each name once")
        # Refused when made: a true gain must not reach a local algorithm even in the first round.
        local = algorithm.guarantee.model == "local"
        sensitivity: Any = next((reach.value for reach in settings_inside(algorithm)), None)
        if local and privatize is None and (noise is None or sensitivity is None):
            raise InputError(
                "named experts: a local algorithm needs reports: write privatize, which makes them, or noise "
                "where it was made with a sensitivity"
            )
        if noise is not None and (privatize is not None or not local):
            raise InputError(
                "named experts: noise is for a local algorithm, in place of privatize: leave one of them out"
            )
        if bounds is not None and (privatize is not None or noise is not None):
            raise InputError(
                "named experts: bounds beside privatize or noise: write them there, "
                "partial(privatize, bounds=...), or where the algorithm is made"
            )
        agreed, unit = agreed_bounds("named experts", algorithm, bounds)
        if noise is not None:
            privatize = partial(
                made_private,
                guarantee=algorithm.guarantee,  # type: ignore[arg-type]  # another kind is refused there
                sensitivity=sensitivity,
                noise=noise,
                bounds=agreed,
            )
        n = experts_of(algorithm)
        if n not in (None, len(self.names)):
            who = type(algorithm).__name__
            raise InputError(
                f"named experts: {len(self.names)} names for {n} experts of {who}: write one for each"
            )
        self.algorithm = algorithm
        self._privatize = privatize
        # Reports are made where gains are, and what makes them looks at the gains.
        self._bounds = None if local else agreed
        self._rescaled = unit in (None, UNIT)  # others rescale by themselves

    @property
    def guarantee(self) -> object:
        """See `NamedExperts`."""
        return self.algorithm.guarantee

    def times_in(self, participation: Participation) -> float | None:
        """Return what a person in several rounds has of the algorithm. See `privacy_report`."""
        return times_in(self.algorithm, participation)

    @property
    def rounds_played(self) -> int:
        """How many rounds the algorithm has taken in."""
        return rounds_played(self.algorithm)

    def predict_one(self, awake: Iterable[Name] | None = None) -> Name:
        """Return the name of the expert to follow in the coming round.

        Parameters
        ----------
        awake : iterable, optional
            Names of those that are awake, for an algorithm of sleeping experts, from this round on.
        """
        if awake is not None:
            wake, chosen = getattr(self.algorithm, "wake", None), set(self._listed("awake", awake))
            if wake is None:
                who = type(self.algorithm).__name__
                raise InputError(
                    f"named experts: nobody sleeps in {who}: leave out awake, or take SleepingHedge"
                )
            for unknown in chosen - set(self.names):
                raise InputError(f"named experts: awake: {unknown!r} is none of {self._few(self.names)}")
            wake(np.array([name in chosen for name in self.names]))
        self._check_names()
        actions = self.algorithm.predict()
        if actions.shape != (1,):
            raise InputError(
                f"named experts: {actions.size} copies are played: make the algorithm with repetitions=1"
            )
        # Not every algorithm tells its number of experts when it is made.
        if actions[0] >= len(self.names):
            raise InputError(
                f"named experts: expert {actions[0]} was played: {len(self.names)} names are too few"
            )
        return self.names[int(actions[0])]

    def learn_one(self, gains: Mapping[Any, float] | Tabular) -> None:
        """Take in the round that was just played: the true gain of each expert that is awake, by its name.

        Parameters
        ----------
        gains : mapping of name to float, or series
            In any order. The gain of the played expert alone is bandit feedback, and refused.
        """
        door(self.algorithm)(self._feedback(gains, self.algorithm))

    def learn_late(self, arrived: Mapping[int, Mapping[Any, float] | Tabular]) -> None:
        """End a round of `Delayed`, and take in the gains that have arrived.

        Parameters
        ----------
        arrived : mapping of int to mapping or series
            By the round that they are of, the first being 1, gains of those that were awake in it; ``{}``
            when none arrived.

        Examples
        --------
        >>> from private_experts.algorithms import Delayed, FollowTheLeader
        >>> from private_experts.games import NamedExperts
        >>> model = NamedExperts(Delayed(lambda copy: FollowTheLeader(2), delay=1), ["north", "south"])
        >>> model.learn_late({})
        >>> model.learn_late({1: {"north": 0.2, "south": 0.9}})
        >>> model.predict_one()
        'south'
        """
        if not isinstance(self.algorithm, Delayed):
            raise InputError(
                f"named experts: nothing is late for {type(self.algorithm).__name__}: write learn_one, or "
                "make it copies of Delayed"
            )
        if not isinstance(arrived, Mapping):
            raise InputError(
                f"named experts: late gains {refused_value(arrived)}: write a dict, from rounds to gains"
            )
        # All rounds are looked at before the first report is made of one.
        players = {number: self.algorithm.player_of(number) for number in arrived}
        self.algorithm.update(
            {number: self._feedback(arrived[number], player) for number, player in players.items()}
        )

    def _feedback(self, gains: Any, player: Algorithm) -> Array | Reports:
        """Return what is told of a round that was played by the algorithm, or by one of its copies."""
        if is_tabular(gains) and not hasattr(gains, "columns"):
            gains = dict(zip(labels_of(gains), numbers(gains, "named experts"), strict=True))
        if not isinstance(gains, Mapping):
            kind, alone = type(gains).__name__, bandit(gains, len(self.names))
            raise InputError(
                f"named experts: gains of type {kind}: write a dict, from each name to its gain{alone}"
            )
        awake = getattr(player, "awake", itertools.repeat(True))
        names = [name for name, here in zip(self.names, awake, strict=False) if here]
        # All of them and no other: a missing gain read as 0 would be a report that nobody made.
        if set(gains) != set(names):
            alone = bandit(gains, len(names))
            raise InputError(
                f"named experts: gains of {self._few(gains)}: write those of {self._few(names)}{alone}"
            )
        self._check_names()
        values = np.array([self._gain(name, gains[name]) for name in names])
        return values if self._privatize is None else self._report(values)

    def _report(self, values: Array) -> Reports:
        """Return a report of gains; the first has the noise that the algorithm was made for."""
        with some_of(len(self.names)):
            report = self._privatize(values)  # type: ignore[misc]
        if not self.rounds_played and isinstance(report, Reports):
            check_scale("named experts", self.algorithm, report.scale)
        return report

    def _check_names(self) -> None:
        """Tell the algorithm the names of those awake, and refuse others than it was told or saved with."""
        bind(self.algorithm, self.algorithm)  # as `play` does
        awake = getattr(self.algorithm, "awake", None)
        # Copies that take turns know who sleeps, and not by which name.
        if isinstance(self.algorithm, BaseAlgorithm) and not (
            isinstance(self.algorithm, Delayed) and awake is not None
        ):
            here = itertools.repeat(True) if awake is None else awake
            self.algorithm.check_names(
                tuple(str(name) for name, present in zip(self.names, here, strict=False) if present)
            )

    def _gain(self, name: Name, gain: object) -> float:
        """Return a gain in [0, 1]. A refusal does not say the gain."""
        number = as_float(gain)
        # A local algorithm's reporter checks by itself, at the source.
        low, high = self._bounds or (-math.inf, math.inf)  # or those of whoever is told
        if not math.isfinite(number):
            found = (
                "is missing"
                if gain is None or (isinstance(gain, Real) and math.isnan(gain))
                else "is no number"
            )
            raise InputError(
                f"named experts: the gain of {name!r} {found}: write one, or leave the round out"
            )
        if not low <= number <= high:
            raise InputError(
                f"named experts: the gain of {name!r}: write a number from {low:g} to {high:g}, or other "
                "bounds"
            )
        return (number - low) / (high - low) if self._bounds and self._rescaled else number

    @staticmethod
    def _listed(what: str, names: Iterable[Name]) -> list[Name]:
        """Return names as a list."""
        if isinstance(names, str) or not isinstance(names, Iterable):
            raise InputError(f"named experts: {what} {refused_value(names)}: write a list of names")
        listed = list(names)
        try:
            set(listed)
        except TypeError as error:
            raise InputError(f"named experts: {what} {listed!r:.80}: write texts or numbers") from error
        return listed

    @staticmethod
    def _few(names: Iterable[Hashable]) -> str:
        """Return names in a line that is not too long."""
        return f"{[*names]!r:.80}"
