"""Adaptive adversaries: they choose a round's gains from what the learner has played before."""

from collections.abc import Sequence
from typing import Protocol

import numpy as np

from private_experts.algorithms.door import door
from private_experts.algorithms.interface import Algorithm
from private_experts.arrays import Array, Indices
from private_experts.descriptions import Described
from private_experts.errors import InputError
from private_experts.games.play import check_fresh, check_unit
from private_experts.ownership import alone
from private_experts.validation import generator


class Adversary(Protocol):
    """What an adaptive adversary does in each round of many games at once: any object with these methods.

    [mathematics/004.md#favourite-adversary]
    """

    def gains(self) -> Array:
        """Return the coming round's gains in [0, 1], (repetitions, n), from earlier plays alone."""
        ...

    def answer(self, actions: Indices) -> None:
        """Take in the experts that were played, shape (repetitions,)."""
        ...


class FavouriteAdversary(Described):
    """In each phase one expert, the one most played of late, gains nothing, and all others gain 1.

    A learner whose weights carry noise tells of this noise by its plays, and its weights change slowly. So
    the adversary turns against the expert that the noise favours. In the first phase it turns against expert
    0. [mathematics/004.md#favourite-adversary]

    Some sequence with a switch between two phases gains 1 in every round, so the dynamic regret is the number
    of rounds less what was earned.

    Parameters
    ----------
    n : int
        Number of experts, at least 2.
    starts : sequence of int
        Rounds, counted from 0, at which a phase begins after the first one.
    memory : float
        A play counts ``1 - 1 / memory`` times as much in each later round; at least 1.
    repetitions : int
        Number of independent games.

    Raises
    ------
    InputError
        When there is a single expert, or the memory is shorter than a round.

    Examples
    --------
    The second phase begins with round 2. The favourite was expert 1, and gains nothing from then on:

    >>> import numpy as np
    >>> from private_experts.games import FavouriteAdversary
    >>> adversary = FavouriteAdversary(3, starts=[2], memory=10.0)
    >>> for _ in range(3):
    ...     print(adversary.gains().tolist())
    ...     adversary.answer(np.array([1]))
    [[0.0, 1.0, 1.0]]
    [[0.0, 1.0, 1.0]]
    [[1.0, 0.0, 1.0]]
    """

    def __init__(self, n: int, starts: Sequence[int], memory: float, repetitions: int = 1) -> None:
        if n < 2 or not memory >= 1:
            raise InputError(
                f"favourite adversary: n = {n}, memory = {memory}: write at least 2 experts and 1 round"
            )
        self._starts = frozenset(starts)
        # A fading count: plays of long ago tell of noise that the learner has forgotten.
        self._keep = 1 - 1 / memory
        self._plays = np.zeros((repetitions, n))
        self._loser = np.zeros(repetitions, dtype=np.intp)
        self._round = 0

    def gains(self) -> Array:
        """Return the coming round's gains, shape (repetitions, n). See `Adversary.gains`."""
        # Only when a phase begins: a switch in every round would give the comparison sequence nothing to
        # compete with.
        if self._round in self._starts:
            self._loser = self._plays.argmax(axis=1)
        gains = np.ones_like(self._plays)
        gains[np.arange(self._loser.size), self._loser] = 0.0
        return gains

    def answer(self, actions: Indices) -> None:
        """Take in the experts that were played, shape (repetitions,). See `Adversary.answer`."""
        self._plays *= self._keep
        self._plays[np.arange(actions.size), actions] += 1.0
        self._round += 1


class PairsAdversary(Described):
    """Rows of random bias, and what was played is worth nothing from then on. [004, Theorem 5.1]

    Experts come in pairs, 2j and 2j + 1. In each of S + 1 phases each pair has a bias p, uniform on [-1, 1].
    In each round the first of the pair is right with probability (1 + p) / 2, otherwise the second. An expert
    gains 1 if it is right and its pair has not yet been played in this phase, and 0 otherwise. To gain more
    than half of the rounds, a learner needs to know the biases of many pairs, and so what is common to the
    rows. [mathematics/004.md#pairs]

    This is the construction of the lower bound for one-way marginals, by which the theorem is proved.

    Parameters
    ----------
    n : int
        Number of experts, even, at least ``2 T / (S + 1)``.
    horizon : int
        Number of rounds T, divisible by S + 1.
    shifts : int
        Number of shifts S, at least 0.
    rng : numpy.random.Generator or int
        For biases and rows.
    repetitions : int
        Number of independent copies.

    Attributes
    ----------
    best : ndarray, shape (repetitions,)
        What the best expert of each phase that is over has earned, in all.

    Raises
    ------
    InputError
        When the phases are of unequal length, or some pair need not stay unplayed.

    Examples
    --------
    Once a pair is played, it gains no more in this phase:

    >>> import numpy as np
    >>> from private_experts.games import PairsAdversary
    >>> from private_experts.randomness import rng_for
    >>> adversary = PairsAdversary(6, horizon=3, shifts=0, rng=rng_for(0, "pairs"))
    >>> for pair in range(3):
    ...     print(adversary.gains().tolist())
    ...     adversary.answer(np.array([2 * pair]))
    [[1.0, 0.0, 0.0, 1.0, 1.0, 0.0]]
    [[0.0, 0.0, 0.0, 1.0, 1.0, 0.0]]
    [[0.0, 0.0, 0.0, 0.0, 1.0, 0.0]]
    """

    def __init__(
        self, n: int, horizon: int, shifts: int, rng: np.random.Generator | int, repetitions: int = 1
    ) -> None:
        if horizon % (shifts + 1):
            raise InputError(f"horizon {horizon}: write a multiple of the {shifts + 1} phases")
        self._phase = horizon // (shifts + 1)
        # A fresh pair has to be left in every round of a phase, or the best expert could be used up.
        if n % 2 or n < 2 * self._phase:
            raise InputError(f"n = {n}: write an even number of at least 2 T / (S + 1) = {2 * self._phase}")
        self.best = np.zeros(repetitions)
        self._rng = generator(rng, "PairsAdversary")
        self._round = 0
        self._begin((repetitions, n))

    def gains(self) -> Array:
        """Return the coming round's gains, shape (repetitions, n). See `Adversary.gains`."""
        return self._gains.copy()

    def answer(self, actions: Indices) -> None:
        """Take in the experts that were played, shape (repetitions,). See `Adversary.answer`."""
        self._totals += self._gains
        # The pair that was played is worth nothing from now on: what a play reveals cannot be used.
        self._fresh[np.arange(actions.size), actions // 2] = False
        self._round += 1
        if self._round % self._phase:
            self._draw()
        else:
            self.best += self._totals.max(axis=1)
            self._begin(self._gains.shape)

    def _begin(self, shape: tuple[int, ...]) -> None:
        """Begin a phase."""
        self._chances = self._rng.random((shape[0], shape[1] // 2))
        self._fresh = np.ones(self._chances.shape, dtype=np.bool_)
        self._totals: Array = np.zeros(shape)
        self._draw()

    def _draw(self) -> None:
        """Draw the coming row."""
        first = self._rng.random(self._chances.shape) < self._chances
        pairs = np.stack([first & self._fresh, ~first & self._fresh], axis=2)
        self._gains: Array = pairs.reshape(self._totals.shape).astype(np.float64)


def play_adaptively(algorithm: Algorithm, adversary: Adversary, horizon: int) -> Array:
    """Play against an adaptive adversary. [mathematics/004.md#setting]

    Parameters
    ----------
    algorithm : Algorithm
        A fresh algorithm of the central model.
    adversary : Adversary
        A fresh adversary of as many experts and repetitions.
    horizon : int
        Number of rounds T.

    Returns
    -------
    ndarray, shape (T, repetitions)
        The gain of the played expert in each round.

    Examples
    --------
    At first expert 0 gains nothing: the learner turns to expert 1, and after four rounds the adversary turns
    too:

    >>> from private_experts.algorithms import FollowTheLeader
    >>> from private_experts.games import FavouriteAdversary, play_adaptively
    >>> adversary = FavouriteAdversary(2, starts=[4], memory=10.0)
    >>> play_adaptively(FollowTheLeader(2), adversary, horizon=8).ravel().tolist()
    [0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]
    """
    with alone(algorithm):
        check_fresh("adaptive play", algorithm, resume=False)
        check_unit("adaptive play", algorithm)
        earnings, tell = [], door(algorithm)
        for _ in range(horizon):
            # The learner moves first, but the adversary answers from earlier plays alone: it must not see
            # this round's.
            actions = algorithm.predict()
            gains = adversary.gains()
            earnings.append(gains[np.arange(actions.size), actions])
            adversary.answer(actions)
            tell(gains)
        return np.array(earnings)
