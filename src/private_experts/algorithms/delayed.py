"""Reports that arrive late: copies of an algorithm that take turns. [mathematics/extensions.md#delayed]"""

import math
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from private_experts.algorithms.base import BaseAlgorithm
from private_experts.algorithms.door import door, settings_inside, unit_of
from private_experts.algorithms.interface import Algorithm
from private_experts.arrays import Array, Bools, Indices
from private_experts.descriptions import draw_alike
from private_experts.errors import InputError
from private_experts.ownership import bind
from private_experts.privacy.guarantees import ApproximateDP, GaussianDP, PureDP
from private_experts.privacy.participation import Participation, times_in
from private_experts.validation import whole


class Delayed(BaseAlgorithm):
    """Plays any algorithm where a round's report arrives up to d rounds late.

    There are d + 1 copies. A round is played by the first copy that waits for nothing, and its report goes to
    that copy alone, whenever it arrives. (Weinberger and Ordentlich, 2002, for a fixed delay; Joulani, György
    and Szepesvári, 2013.) If the expected regret of the algorithm is at most R(T) on every stream of T
    rounds, with R concave, then that of the copies together is at most ``(d + 1) R(T / (d + 1))``: sqrt(d +
    1) times as much where R is of order sqrt(T). A round reaches one copy, so the guarantee for a person in
    one round is that of the algorithm. [mathematics/extensions.md#delayed]

    Parameters
    ----------
    make : callable
        ``make(copy)`` returns a new algorithm for each of the copies 0 to d. Give each noise of its own, as
        by ``rng_for(seed, "tree", copy)``: a guarantee of the central model does not cover two copies with
        the same noise.
    delay : int
        The most rounds d, at least 0, by which a report is late. Who is late, and by how much, is public: it
        must not depend on what the guarantee protects.

    Attributes
    ----------
    guarantee : GaussianDP, PureDP or ApproximateDP
        That of the copies.
    copies : tuple of Algorithm
        Those that take turns.
    waiting : tuple of int
        Rounds whose reports are to come, the first round being 1.

    Raises
    ------
    InputError
        When the copies are one object, state different guarantees, bounds or sensitivities, or are central
        ones whose generators are set alike.

    Examples
    --------
    Each report arrives two rounds late:

    >>> import numpy as np
    >>> from private_experts.algorithms import RWFTPL, Delayed
    >>> from private_experts.games import play, private_reports, static_regret
    >>> from private_experts.privacy import GaussianDP, SimulatedNoise
    >>> gains, guarantee, noise = np.tile([0.3, 0.8], (60, 1)), GaussianDP(1.0, "local"), SimulatedNoise(0)
    >>> def leader(copy):
    ...     return RWFTPL(2, guarantee, sensitivity=0.5, noise=noise, repetitions=1000)
    >>> for delay in (0, 2):
    ...     actions = play(Delayed(leader, delay=delay), gains, noise=noise, delays=delay)
    ...     print(round(float(static_regret(gains, actions).mean()), 1))
    0.8
    2.3

    It is told in each round which reports arrived, if any:

    >>> algorithm = Delayed(leader, delay=1)
    >>> report = next(private_reports(gains, guarantee, 0.5, noise, 1000))
    >>> algorithm.update({})
    >>> algorithm.update({1: report, 2: report})
    >>> algorithm.waiting
    ()
    """

    STATE = ("_round", "_copy", "_waiting", "_awake")

    def __init__(self, make: Callable[[int], Algorithm], delay: int) -> None:
        self.delay = whole(delay, "delayed", "delay", least=0)
        self._copies = [make(copy) for copy in range(self.delay + 1)]
        # One object twice would hear rounds of two copies, and the bound for d + 1 separate games would not
        # hold.
        if len(set(map(id, self._copies))) <= self.delay:
            raise InputError(
                "delayed: make returned the same algorithm twice: let it make a new one each time"
            )
        different = {str(copy.guarantee): copy.guarantee for copy in self._copies}
        if len(different) > 1:
            raise InputError(
                f"delayed: copies that state {' and '.join(different)}: make them with one guarantee"
            )
        # By identity first: copies may share one generator object, whose draws are independent. Equal states
        # are the danger.
        units = {unit_of("delayed", copy) for copy in self._copies}
        if len(units) > 1:
            raise InputError(
                f"delayed: copies of bounds {' and '.join(map(str, units))}: make them with the same"
            )
        # A person's round may reach any copy, and each has noise for what it was made for.
        reaches = {
            str([np.asarray(reach.value).tolist() for reach in settings_inside(copy)])
            for copy in self._copies
        }
        if len(reaches) > 1:
            raise InputError(
                "delayed: copies that were made for different sensitivities: make them with the same one"
            )
        self.bounds = next(iter(units), None)
        stated = self.guarantee
        private = (stated.mu if isinstance(stated, GaussianDP) else stated.epsilon) < math.inf
        if private and stated.model == "central" and draw_alike(self._copies):
            raise InputError(
                "delayed: two copies draw the same noise, which no central guarantee covers: write such as "
                'rng_for(seed, "noise", copy) in make(copy)'
            )
        self._round = 1
        self._copy: int | None = None  # who plays the coming round, once that is decided
        self._waiting: dict[int, int] = {}  # rounds without their report, and who played them
        self._awake: Bools | None = None  # which experts are, as was said last

    @property
    def guarantee(self) -> GaussianDP | PureDP | ApproximateDP:
        """That of the copies; of simulated noise, once one of them has heard such reports."""
        return max((copy.guarantee for copy in self._copies), key=lambda guarantee: guarantee.simulated)

    def times_in(self, participation: Participation) -> float | None:
        """Return what a person in several rounds has, whichever copies play them. See `privacy_report`.

        [mathematics/000.md#participation]
        """
        if not self.delay:
            return times_in(self._copies[0], participation)
        # By how many of the rounds the copies so far play. Of rounds that follow each other a copy's do so in
        # its own game, and of rounds apart nothing is known there.
        most = np.zeros(participation.rounds + 1)
        for copy in self._copies:
            of_copy = [0.0]
            for rounds in range(1, participation.rounds + 1):
                times = times_in(copy, Participation(rounds, in_a_row=participation.in_a_row))
                if times is None:
                    return None
                of_copy.append(times**2)
            most = np.array([np.max(most[: k + 1] + of_copy[k::-1]) for k in range(len(most))])
        return math.sqrt(most[-1])

    @property
    def copies(self) -> tuple[Algorithm, ...]:
        """See `Delayed`."""
        return tuple(self._copies)

    @property
    def waiting(self) -> tuple[int, ...]:
        """See `Delayed`."""
        return tuple(self._waiting)

    @property
    def awake(self) -> Bools:
        """Who is awake in the coming round, for an algorithm of sleeping experts; no attribute elsewhere."""
        awake: Bools = self._copies[self._turn()].awake  # type: ignore[attr-defined]
        return awake

    def wake(self, awake: Any) -> None:
        """Say which experts are awake, for an algorithm of sleeping experts. See `SleepingHedge`."""
        copy = self._copies[self._turn()]
        if not hasattr(copy, "wake"):
            raise InputError(
                f"delayed: no expert sleeps in {type(copy).__name__}: take SleepingHedge, or leave out wake"
            )
        copy.wake(awake)
        self._awake = np.array(awake)

    def predict(self) -> Indices:
        """Return the experts of the copy whose turn it is, shape (repetitions,). See `Algorithm.predict`."""
        copy = self._copies[self._turn()]
        bind(copy, self)
        return copy.predict()

    def probabilities(self) -> Array:
        """Return those of the copy whose turn it is, if it tells them. See `BaseAlgorithm.probabilities`."""
        copy = self._copies[self._turn()]
        if not hasattr(copy, "probabilities"):
            raise InputError(f"delayed: {type(copy).__name__} does not tell the law of its play")
        law: Array = copy.probabilities()
        return law

    def update(self, arrived: Any) -> None:
        """End the round, and pass on the reports that have arrived.

        Parameters
        ----------
        arrived : mapping of int to Reports or ndarray; or Reports or ndarray
            Reports, or for a central algorithm true gains, by the round that they are of; ``{}`` when none
            arrived. What is no mapping is the report of this round, which is not late.

        Raises
        ------
        InputError
            When it has the report of a round that is not waited for, or one that the algorithm refuses.
            Reports of rounds before the refused one were passed on, and the round has not ended.
        """
        reports = arrived if isinstance(arrived, Mapping) else {self._round: arrived}
        for number in reports:
            self.player_of(number)
        self._waiting[self._round] = self._turn()
        # In the order of the rounds, so that a result does not depend on how the caller filled the mapping.
        for number in sorted(reports):
            copy = self._copies[self._waiting[number]]
            bind(copy, self)
            if isinstance(copy, BaseAlgorithm):
                copy.names = self.names  # what one copy was told holds for all
            door(copy)(reports[number])
            self.names = getattr(copy, "names", None)
            # After the copy took it: a refused report is still waited for.
            del self._waiting[number]
        self._round += 1
        self.rounds_played += 1
        self._copy = None

    def player_of(self, number: int) -> Algorithm:
        """Return the copy that played a round whose report is to come, or that plays the coming round."""
        waiting = {**self._waiting, self._round: self._turn()}
        if number not in waiting:
            raise InputError(
                f"delayed: a report of round {number}: those that wait for theirs are {[*waiting]}"
            )
        return self._copies[waiting[number]]

    def _turn(self) -> int:
        """Return who plays the coming round."""
        if self._copy is None:
            # The first that is idle: without delays copy 0 plays always, and the game is the plain one.
            idle = [copy for copy in range(len(self._copies)) if copy not in self._waiting.values()]
            if not idle:
                raise InputError(
                    f"delayed: round {self._round} begins, and no report has come of the rounds "
                    f"{[*self._waiting]}: delay = {self.delay} is too small, write the most that a report is "
                    "late"
                )
            self._copy = idle[0]
            if self._awake is not None:  # it may have been said when another copy played
                self._copies[self._copy].wake(self._awake)  # type: ignore[attr-defined]
        return self._copy
