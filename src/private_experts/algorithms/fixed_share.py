"""Fixed share: exponential weights with a floor, so that an expert that was bad can come back quickly.

[mathematics/004.md#fixed-share]
"""

import math
from collections.abc import Callable, Iterator

import numpy as np

from private_experts.algorithms.central import CentralAlgorithm
from private_experts.algorithms.clipped_simplex import follow, project
from private_experts.algorithms.inversion import experts_at
from private_experts.arrays import Array, Indices
from private_experts.errors import InputError
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import Ahead
from private_experts.validation import checked_number, generator, plain_numbers, whole

_LEAST = 1e-290  # used in place of a floor of 0, so that a weight that underflows can come back
_LARGEST_STEP = 500.0  # e^500 is still a floating-point number
_AT_ONCE = 2**15  # how many weights are computed at once; they fit into a processor's cache


@plain_numbers
def share_floor(n: int, horizon: int, switches: int) -> float:
    """Return the floor S / (N T) of the clipped simplex. [004, Section 5.2]"""
    if not 0 <= switches <= horizon:
        raise InputError(
            f"fixed share: switches = {switches}: write a whole number from 0 to the horizon {horizon}"
        )
    return switches / (n * horizon)


@plain_numbers
def tuned_step(n: int, horizon: int, switches: int) -> float:
    """Return the step with the least regret bound, for S >= 1. [mathematics/004.md#fixed-share-regret]"""
    return math.sqrt(2 * (switches + 1) * math.log(n * horizon / switches) / horizon)


@plain_numbers
def dynamic_regret_bound(n: int, horizon: int, switches: int, eta: float) -> float:
    """Return ``(S + 1) log(NT / S) / eta + eta T / 2 + S``, which bounds the dynamic regret of `FixedShare`.

    This is the bound of mirror descent with local norms on each interval on which the comparison sequence is
    constant. The comparison expert is mixed with S/T of the uniform law, which costs at most S in all. [004,
    proof of Theorem B.2 without noise; Lu and Zhang, 2019; mathematics/004.md#fixed-share-regret]

    S is at least 1, and the bound in units of the gains, which are in [0, 1].
    """
    return (switches + 1) * math.log(n * horizon / switches) / eta + eta * horizon / 2 + switches


class FixedShare(CentralAlgorithm):
    """Exponential weights on the clipped simplex ``{w : w >= S / (N T)}``, without privacy.

    ``w_1`` is uniform, and ``w_{t+1} = argmin <w, eta l_t> + KL(w || w_t)`` over the clipped simplex. In
    every round an expert is drawn anew from ``w_t``. [004, Algorithm 3 without noise; Lu and Zhang, 2019]

    Parameters
    ----------
    n : int
        Number of experts N.
    horizon : int
        Number of rounds T.
    switches : int
        Number of switches S that the comparison sequence may make, 0 to T.
    eta : float
        Step size, from 0 to 500; see `tuned_step`.
    rng : numpy.random.Generator or int
        For the draws.
    repetitions : int
        Number of independent copies.

    Attributes
    ----------
    weights : ndarray, shape (1, n) or (repetitions, n)
        The law of the coming round's expert. There is one row as long as all repetitions saw the same gains.

    Raises
    ------
    InputError
        When the step or the number of switches is outside its range.

    Examples
    --------
    Expert 0 gains for 50 rounds, then expert 1. The floor lets expert 1 come back within a few rounds:

    >>> import numpy as np
    >>> from private_experts.algorithms import FixedShare
    >>> from private_experts.randomness import rng_for
    >>> share = FixedShare(2, horizon=100, switches=1, eta=1.0, rng=rng_for(0, "draws"))
    >>> for t in range(60):
    ...     share.update(np.array([1.0, 0.0] if t < 50 else [0.0, 1.0]))
    ...     if t in (49, 54, 59):
    ...         print(share.weights.round(3).tolist())
    [[0.995, 0.005]]
    [[0.573, 0.427]]
    [[0.009, 0.991]]
    """

    STATE = ("weights", "_actions")

    def __init__(
        self,
        n: int,
        *,
        horizon: int,
        switches: int,
        eta: float,
        rng: np.random.Generator | int,
        repetitions: int = 1,
    ) -> None:
        super().__init__("fixed share", n, repetitions)
        horizon = whole(horizon, "fixed share", "horizon")
        switches = whole(switches, "fixed share", "switches", least=0)
        eta = checked_number("fixed share: eta", eta, 0, _LARGEST_STEP)
        self.guarantee = PureDP(math.inf, "central")
        self.weights: Array = np.full((1, n), 1 / n)
        self._eta = eta
        # With S = 0 the floor would be 0, and a weight that underflowed to 0 would stay there.
        self._floor = max(share_floor(n, horizon, switches), _LEAST)
        self._uniforms = Ahead(generator(rng, "fixed share").random, (self.repetitions,))
        self._actions: Indices | None = None  # of the coming round, once they are drawn

    def predict(self) -> Indices:
        """Return experts drawn from the weights once a round, (repetitions,). See `Algorithm.predict`."""
        if self._actions is None:
            self._actions = experts_at(self.weights[None], next(self._uniforms)[None])[0]
        return self._actions.copy()

    def probabilities(self) -> Array:
        """Return the weights, shape (1, n) or (repetitions, n). See `BaseAlgorithm.probabilities`."""
        return self.weights.copy()

    def update_unchecked(self, gains: Array) -> None:
        """Take in the true gains of a round. See `CentralAlgorithm.update_unchecked`."""
        # Gains instead of losses: the factor e^(-eta) that differs is common to all, and the projection
        # removes it.
        self.tilt(np.exp(self._eta * gains))
        self._actions = None  # also where a derived class tilts otherwise

    def play_unchecked(self, rounds: Array) -> Indices:
        """Play many rounds at once. See `private_experts.algorithms.central.at_once`."""
        return self.play_tilted(rounds, self._uniforms.ready, lambda gains: np.exp(self._eta * gains))

    def play_tilted(
        self, rounds: Array, ready: Callable[[], int], factors: Callable[[Array], Array]
    ) -> Indices:
        """Play by `predict` and `tilt` in turn. All but the projections is done for many rounds at once.

        `ready` returns for how many rounds there are factors now, at least 1. Given the gains of so many
        rounds, shape (rounds, 1 or repetitions, n), `factors` returns the factors of `tilt`. Actions have
        shape (T, repetitions).
        """
        gains = rounds if rounds.ndim == 3 else rounds[:, None]
        actions = np.empty((len(gains), self.repetitions), dtype=np.intp)
        start = 0
        # `predict` was called before: its draw stands, or the round would be drawn twice.
        if self._actions is not None and len(gains):  # the first round's were asked for before
            ready()
            actions[0], start = self._actions, 1
            self.tilt(factors(gains[:1])[0])
        for weights in self.walk(gains[start:], lambda: min(self._uniforms.ready(), ready()), factors):
            stop = start + len(weights)
            uniforms = self._uniforms.take(len(weights))
            actions[start:stop] = experts_at(weights, uniforms)
            # Sums of one row and of equal rows round differently, and an action at the boundary could change.
            if len(self.weights) < weights.shape[1]:  # of one row, which `predict` would sum as one
                actions[start] = experts_at(self.weights[None], uniforms[:1])[0]
            start = stop
        return actions

    def laws(self, rounds: Array) -> Iterator[Array]:
        """Take in many rounds as `update` does, and yield the weights before them in parts (rounds, rows, n).

        Gains have shape (T, n) or (T, repetitions, n), and nobody looks at them. All of it has to be asked
        for.
        """
        gains = rounds if rounds.ndim == 3 else rounds[:, None]
        yield from self.walk(gains, lambda: len(gains), lambda part: np.exp(self._eta * part))

    def walk(
        self, gains: Array, ready: Callable[[], int], factors: Callable[[Array], Array]
    ) -> Iterator[Array]:
        """Tilt round after round, and yield the weights as `laws` does; for the rest see `play_tilted`."""
        # As many rounds as fit in the cache: beyond it, each pass waits for memory.
        most, start = max(1, _AT_ONCE // (self.repetitions * self.n)), 0
        while start < len(gains):
            tilts = factors(gains[start : start + min(most, ready())])
            weights = np.empty((len(tilts) + 1, max(len(self.weights), tilts.shape[1]), self.n))
            weights[0] = self.weights
            follow(weights, tilts, self._floor)
            yield weights[:-1]
            # A copy, or the whole block of weights would stay in memory for its last row.
            self.weights, self._actions = weights[-1].copy(), None
            start += len(tilts)

    def tilt(self, factors: Array) -> None:
        """Multiply the weights by factors, and project back to the clipped simplex. Factors are positive."""
        self.weights = project(self.weights * factors, self._floor)
        self._actions = None
