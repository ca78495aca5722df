"""An adaptive adversary: what the learner has played is worth nothing from then on."""

import numpy as np
from numpy.typing import NDArray

from private_experts.algorithms.interface import Algorithm
from private_experts.errors import InputError

Array = NDArray[np.float64]


class PairsAdversary:
    """An adversary of the shape that the lower bound for adaptive adversaries uses. [004, Theorem 5.1]

    Experts come in pairs, 2j and 2j + 1. In each of S + 1 phases a hidden coin for each pair says which of the two is
    right, in all rounds of the phase. An expert gains 1 if it is right and its pair has not yet been played in this
    phase, and 0 otherwise. To gain again, a learner needs to know the coin of another pair.

    With at least as many pairs as rounds in a phase, N >= 2T / (S + 1), some sequence with S switches gains 1 in every
    round. The dynamic regret is then the number of rounds less what was earned. [mathematics/004.md#pairs-adversary]
    The paper prints S for S + 1 in this condition. [mathematics/004.md#e004-9]

    The paper takes the adversary of a phase from the lower bound for one-way marginals. Its rows are drawn to be as
    hard as possible for the private algorithm at hand. Here all rows of a phase are alike, which is no harder.

    Parameters
    ----------
    n, horizon, shifts : int
        Number of experts, which is even; of rounds T, divisible by S + 1; and of shifts S.
    rng : numpy.random.Generator
        For the coins.
    repetitions : int
        Number of independent copies.

    Raises
    ------
    InputError
        When the phases are of unequal length or there are too few experts.
    """

    def __init__(self, n: int, horizon: int, shifts: int, rng: np.random.Generator, repetitions: int = 1) -> None:
        if horizon % (shifts + 1):
            raise InputError(f"horizon {horizon}: write a multiple of the {shifts + 1} phases")
        if n % 2 or n < 2 * (horizon // (shifts + 1)):
            raise InputError(f"n = {n}: write an even number of at least 2 T / (S + 1) = {2 * horizon // (shifts + 1)}")
        self._phase = horizon // (shifts + 1)
        self._rng = rng
        self._round = 0
        self._gains: Array = self._coins(repetitions, n)

    def gains(self) -> Array:
        """Return the coming round's gains, (repetitions, n). They depend only on the plays of earlier rounds."""
        return self._gains.copy()

    def answer(self, actions: NDArray[np.intp]) -> None:
        """Take in the experts that were played, shape (repetitions,)."""
        rows = np.arange(actions.size)
        self._gains[rows, actions] = 0.0
        self._gains[rows, actions ^ 1] = 0.0
        self._round += 1
        if self._round % self._phase == 0:
            self._gains = self._coins(*self._gains.shape)

    def _coins(self, repetitions: int, n: int) -> Array:
        """Return the gains of a phase's first round."""
        right = self._rng.integers(2, size=(repetitions, n // 2, 1)) == np.arange(2)
        return right.reshape(repetitions, n).astype(np.float64)


def play_adaptively(algorithm: Algorithm, adversary: PairsAdversary, horizon: int) -> Array:
    """Play against an adaptive adversary.

    Returns
    -------
    ndarray, shape (T, repetitions)
        The gain of the played expert in each round.
    """
    earnings = []
    for _ in range(horizon):
        actions = algorithm.predict()
        gains = adversary.gains()
        earnings.append(gains[np.arange(actions.size), actions])
        adversary.answer(actions)
        algorithm.update(gains)
    return np.array(earnings)
