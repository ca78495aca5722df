"""Exponential weights among the experts that are awake. [mathematics/extensions.md#sleeping]"""

import math
from typing import Any, ClassVar

import numpy as np

from private_experts.algorithms.base import UNKNOWN, BaseAlgorithm
from private_experts.arrays import Array, Bools, Indices
from private_experts.errors import InputError
from private_experts.privacy.selection import exponential_law, exponential_mechanism
from private_experts.tabular import Names
from private_experts.validation import checked_number, generator, whole


class SleepingExperts(BaseAlgorithm):
    """What algorithms of sleeping experts share; they differ in what they credit to those awake."""

    STATE: ClassVar[tuple[str, ...]] = ("_totals", "_cost", "_awake", "_actions")

    def __init__(self, n: int, rate: float, rng: np.random.Generator | int, repetitions: int) -> None:
        self._who = type(self).__name__
        self.n = whole(n, self._who, "n")
        self.repetitions = whole(repetitions, self._who, "repetitions")
        self.rate = checked_number(f"{self._who}: rate", rate, 0, ends=False)
        self._rng = generator(rng, self._who)
        self._totals = np.zeros((self.repetitions, self.n))
        self._cost = np.zeros(self.n)
        self._awake: Bools = np.ones(self.n, dtype=np.bool_)
        self._actions: Indices | None = None  # of the coming round, once they are drawn

    @property
    def awake(self) -> Bools:
        """Who is awake in the coming round, shape (n,)."""
        return self._awake.copy()

    @property
    def bound(self) -> Array:
        """What bounds the expected regret so far against each expert over its rounds, shape (n,)."""
        return math.log(self._cost.size) / self.rate + self._cost

    @property
    def law(self) -> Array:
        """The probability with which each expert is played in the coming round, shape (repetitions, n)."""
        return exponential_law(self._scores(), self.rate)

    def probabilities(self) -> Array:
        """Return `law`. See `BaseAlgorithm.probabilities`."""
        return self.law

    def check_names(self, names: Names) -> None:
        """Keep the first names of those that are awake. See `BaseAlgorithm.check_names`."""
        if names is None:
            return
        before = self.names
        columns = [*(before or [UNKNOWN] * self.n)]
        for at, name in zip(np.flatnonzero(self._awake).tolist(), names, strict=True):
            columns[at] = name
        super().check_names(tuple(columns))
        known = [name for name in columns if name != UNKNOWN]
        if len(set(known)) < len(known):
            self.names = before
            raise InputError(f"{self._who}: a column of {', '.join(names)} stood for another expert before")

    def wake(self, awake: Any) -> None:
        """Say who is awake, from the coming round on until it is said again. Before it is, all are.

        Parameters
        ----------
        awake : array_like of bool, shape (n,)
            It is public: it must not depend on what the guarantee protects.

        Raises
        ------
        InputError
            When it is no such array, nobody is awake, or the experts of the round were drawn already.
        """
        given = np.asarray(awake)
        if given.dtype != np.bool_ or given.shape != self._awake.shape or not given.any():
            raise InputError(
                f"{self._who}: awake {given.tolist()!r:.60}: write true or false for each of the "
                f"{self._awake.size} experts, and true for at least one"
            )
        if self._actions is not None:
            raise InputError(
                f"{self._who}: this round was played: say who is awake before predict, or after update"
            )
        # A copy: who is awake is part of the round, and must not change when the caller's array does.
        self._awake = given.copy()

    def predict(self) -> Indices:
        """Return experts that are awake, drawn once a round, (repetitions,). See `Algorithm.predict`."""
        if self._actions is None:
            self._actions = exponential_mechanism(self._scores(), self.rate, self._rng)
        return self._actions.copy()

    def _scores(self) -> Array:
        # Minus infinity is a weight of 0, also in the exponential mechanism's noise.
        return np.where(self._awake, self._totals, -np.inf)

    def _credit(self, credits: Array, cost: float) -> None:
        """End a round: credit those awake, (repetitions, number awake), at a cost to their bounds."""
        self._totals[:, self._awake] += credits
        self._cost[self._awake] += cost
        self._actions = None
        self.rounds_played += 1
