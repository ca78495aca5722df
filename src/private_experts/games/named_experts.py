"""An algorithm with the methods that River's users know: experts have names, and rounds come one at a time."""

import itertools
from collections.abc import Callable, Hashable, Iterable, Mapping
from typing import Generic, TypeVar

import numpy as np

from private_experts.algorithms.interface import Algorithm
from private_experts.arrays import Array
from private_experts.descriptions import Described
from private_experts.errors import InputError
from private_experts.privacy.reports import Reports
from private_experts.tabular import numbers

Name = TypeVar("Name", bound=Hashable)


class NamedExperts(Described, Generic[Name]):
    """Plays one copy of any algorithm by `predict_one` and `learn_one`, with experts called by name.

    Parameters
    ----------
    algorithm : Algorithm
        Of one repetition, and as many experts as there are names.
    names : iterable
        What the experts are called, in the order of their numbers.
    privatize : callable, optional
        For a local algorithm: what makes a report of an array of true gains before they leave their source, such as
        ``partial(privatize, guarantee=..., sensitivity=..., noise=...)``. Without it the algorithm is told the gains.

    Attributes
    ----------
    algorithm : Algorithm
        As given. It has all that changes in play: save this.
    guarantee : GaussianDP, PureDP or ApproximateDP
        That of the algorithm.

    Raises
    ------
    InputError
        When a name occurs twice, or a local algorithm comes without `privatize`.

    Examples
    --------
    >>> from private_experts.algorithms import FollowTheLeader
    >>> from private_experts.games import NamedExperts
    >>> model = NamedExperts(FollowTheLeader(2), ["north", "south"])
    >>> model.learn_one({"north": 0.2, "south": 0.9})
    >>> model.predict_one()
    'south'
    """

    STATE = ()

    def __init__(
        self,
        algorithm: Algorithm,
        names: Iterable[Name],
        privatize: Callable[[Array], Reports] | None = None,
    ) -> None:
        self.names = tuple(names)
        if len(set(self.names)) < len(self.names):
            raise InputError(f"named experts: {list(self.names)!r:.80}: write each name once")
        if algorithm.guarantee.model == "local" and privatize is None:
            raise InputError("named experts: a local algorithm needs reports: write privatize, which makes them")
        self.algorithm = algorithm
        self._privatize = privatize

    @property
    def guarantee(self) -> object:
        """See `NamedExperts`."""
        return self.algorithm.guarantee

    def predict_one(self, awake: Iterable[Name] | None = None) -> Name:
        """Return the name of the expert to follow in the coming round.

        Parameters
        ----------
        awake : iterable, optional
            Names of those that are awake, for an algorithm of sleeping experts, from this round on.
        """
        if awake is not None:
            wake, chosen = getattr(self.algorithm, "wake", None), set(awake)
            if wake is None:
                who = type(self.algorithm).__name__
                raise InputError(f"named experts: nobody sleeps in {who}: leave out awake, or take SleepingHedge")
            for unknown in chosen - set(self.names):
                raise InputError(f"named experts: awake: {unknown!r} is none of {self._few(self.names)}")
            wake(np.array([name in chosen for name in self.names]))
        actions = self.algorithm.predict()
        if actions.shape != (1,):
            raise InputError(f"named experts: {actions.size} copies are played: make the algorithm with repetitions=1")
        if actions[0] >= len(self.names):
            raise InputError(f"named experts: expert {actions[0]} was played: {len(self.names)} names are too few")
        return self.names[int(actions[0])]

    def learn_one(self, gains: Mapping[Name, float]) -> None:
        """Take in the round that was just played: the true gain of each expert that is awake, by its name."""
        awake = getattr(self.algorithm, "awake", itertools.repeat(True))
        names = [name for name, here in zip(self.names, awake, strict=False) if here]
        if set(gains) != set(names):
            raise InputError(f"named experts: gains of {self._few(gains)}: write those of {self._few(names)}")
        values = numbers([gains[name] for name in names], "named experts")
        self.algorithm.update(values if self._privatize is None else self._privatize(values))

    @staticmethod
    def _few(names: Iterable[Hashable]) -> str:
        """Return names in a line that is not too long."""
        return f"{[*names]!r:.80}"
