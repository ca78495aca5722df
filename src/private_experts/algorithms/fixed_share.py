"""Fixed share: exponential weights with a floor, so that an expert that was bad can come back quickly.

[mathematics/004.md#fixed-share]
"""

import functools
import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from private_experts.algorithms.central import CentralAlgorithm
from private_experts.errors import InputError
from private_experts.privacy.guarantees import PureDP
from private_experts.randomness import Ahead
from private_experts.refusals import generator, whole

Array = NDArray[np.float64]

_ROUNDING = 1e-12  # how far sums may be from 1; when the floor leaves less above it, the uniform law is returned
_SUMMED = 2.0**-50  # for each entry: what rounding may do to a sum
_LEAST = 1e-290  # used in place of a floor of 0, so that a weight that underflows can come back
_LARGEST_STEP = 500.0  # e^500 is still a floating-point number


def project(u: Array, floor: float, out: Array | None = None) -> Array:
    """Return the distribution nearest to u, in relative entropy, among those with all entries at least `floor`.

    It is ``max(floor, c u)``, where c makes the sum 1. [mathematics/004.md#projection] A step of the fixed point, from
    above, is as a rule enough. Otherwise Newton's steps follow, which only ever move entries to the floor. They end
    when the sum is 1 up to 1e-12, and at the exact c at the latest. Nothing is sorted.

    Parameters
    ----------
    u : ndarray, shape (..., n)
        Weights, at least 0, not all 0.
    floor : float
        In [0, 1/n].
    out : ndarray, shape (..., n), optional
        Where to write the result.

    Returns
    -------
    ndarray, shape (..., n)
        Each row sums to 1.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.algorithms.fixed_share import project
    >>> project(np.array([[6.0, 3.0, 0.0]]), floor=0.1).round(4).tolist()
    [[0.6, 0.3, 0.1]]
    """
    ones, lowest, spare, enough = _prepared(u.shape[-1], floor)
    w: Array = np.empty_like(u) if out is None else out
    if spare < _ROUNDING:
        w.fill(1 / u.shape[-1])
        return w
    # The sum of max(floor / c, u) is 1 / c. A step from 1 / c = sum(u) leaves less than n floor times the error.
    least = u.dot(ones)
    np.multiply(least, lowest, out=least)
    np.maximum(u, least, out=w)
    np.divide(u, w.dot(ones), out=w)
    np.maximum(w, lowest, out=w)
    while True:
        sums = w.dot(ones)
        if not sums.item(sums.argmax()) > enough:  # faster than the method max; nan ends it as well
            return w
        kept = (w > floor).astype(np.float64)
        np.multiply(u, (spare + floor * kept.dot(ones)) / np.vecdot(u, kept)[..., None], out=w)
        np.maximum(w, lowest, out=w)


@functools.lru_cache(maxsize=8)
def _prepared(n: int, floor: float) -> tuple[Array, Array, float, float]:
    """Return a column of ones, the floor, what is above it, and the sum that is close enough to 1.

    A product with the column is the fastest way to sum, and an array is taken in faster than a number.
    """
    ones, lowest = np.ones((n, 1)), np.array(floor)
    for shared in ones, lowest:
        shared.flags.writeable = False
    return ones, lowest, 1 - floor * n, 1 + _ROUNDING + n * _SUMMED


def share_floor(n: int, horizon: int, switches: int) -> float:
    """Return the floor S / (N T) of the clipped simplex. [004, Section 5.2]

    Parameters
    ----------
    n : int
        Number of experts N.
    horizon : int
        Number of rounds T.
    switches : int
        Number of switches S that the comparison sequence may make, 0 to T.

    Returns
    -------
    float
        The least weight of an expert, from 0 to 1/N.

    Raises
    ------
    InputError
        When the number of switches is below 0 or above T.

    Examples
    --------
    >>> from private_experts.algorithms.fixed_share import share_floor
    >>> share_floor(n=4, horizon=50, switches=2)
    0.01
    """
    if not 0 <= switches <= horizon:
        raise InputError(f"fixed share: switches = {switches}: write a whole number from 0 to the horizon {horizon}")
    return switches / (n * horizon)


def tuned_step(n: int, horizon: int, switches: int) -> float:
    """Return the step that makes `dynamic_regret_bound` least. [mathematics/004.md#fixed-share-regret]

    Parameters
    ----------
    n : int
        Number of experts N.
    horizon : int
        Number of rounds T.
    switches : int
        Number of switches S that the comparison sequence may make, at least 1.

    Returns
    -------
    float
        ``sqrt(2 (S + 1) log(NT / S) / T)``.

    Examples
    --------
    >>> from private_experts.algorithms.fixed_share import dynamic_regret_bound, tuned_step
    >>> step = tuned_step(n=4, horizon=1000, switches=3)
    >>> [round(dynamic_regret_bound(4, 1000, 3, eta), 1) for eta in (step / 2, step, 2 * step)]
    [302.9, 242.9, 302.9]
    """
    return math.sqrt(2 * (switches + 1) * math.log(n * horizon / switches) / horizon)


def dynamic_regret_bound(n: int, horizon: int, switches: int, eta: float) -> float:
    """Return ``(S + 1) log(NT / S) / eta + eta T / 2 + S``, which bounds the dynamic regret of `FixedShare`.

    This is the bound of mirror descent with local norms on each interval on which the comparison sequence is constant.
    The comparison expert is mixed with S/T of the uniform law, which costs at most S in all.
    [004, proof of Theorem B.2 without noise; Lu and Zhang, 2019; mathematics/004.md#fixed-share-regret]

    Parameters
    ----------
    n : int
        Number of experts N.
    horizon : int
        Number of rounds T.
    switches : int
        Number of switches S that the comparison sequence may make, at least 1.
    eta : float
        Step size, positive.

    Returns
    -------
    float
        In units of the gains, which are in [0, 1].

    Examples
    --------
    >>> from private_experts.algorithms.fixed_share import dynamic_regret_bound
    >>> round(dynamic_regret_bound(n=4, horizon=1000, switches=3, eta=0.25), 1)
    243.1
    """
    return (switches + 1) * math.log(n * horizon / switches) / eta + eta * horizon / 2 + switches


class FixedShare(CentralAlgorithm):
    """Exponential weights on the clipped simplex ``{w : w >= S / (N T)}``, without privacy.

    ``w_1`` is uniform, and ``w_{t+1} = argmin <w, eta l_t> + KL(w || w_t)`` over the clipped simplex. In every round
    an expert is drawn anew from ``w_t``. [004, Algorithm 3 without noise; Lu and Zhang, 2019]

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
    rng : numpy.random.Generator
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

    STATE = ("weights",)

    def __init__(
        self, n: int, *, horizon: int, switches: int, eta: float, rng: np.random.Generator, repetitions: int = 1
    ) -> None:
        super().__init__("fixed share", n, repetitions)
        whole(horizon, "fixed share", "horizon")
        whole(switches, "fixed share", "switches", least=0)
        if not 0 <= eta <= _LARGEST_STEP:
            raise InputError(f"fixed share: eta = {eta}: write a number from 0 to {_LARGEST_STEP:.0f}")
        self.guarantee = PureDP(math.inf, "central")
        self.weights: Array = np.full((1, n), 1 / n)
        self._eta = eta
        self._floor = max(share_floor(n, horizon, switches), _LEAST)
        self.clocks = Ahead(generator(rng, "fixed share").standard_exponential, (repetitions, n))

    def predict(self) -> NDArray[np.intp]:
        """Return experts drawn from the weights, shape (repetitions,). See `Algorithm.predict`."""
        # Independent exponential times with the weights as rates: the earliest one is expert i with probability w_i.
        result: NDArray[np.intp] = (self.weights / next(self.clocks)).argmax(axis=-1)
        return result

    def update_unchecked(self, gains: Array) -> None:
        """Take in the true gains of a round. See `CentralAlgorithm.update_unchecked`."""
        self.tilt(np.exp(self._eta * gains))

    def play_unchecked(self, rounds: Array) -> NDArray[np.intp]:
        """Play many rounds at once. See `private_experts.algorithms.central.at_once`."""
        return self.play_tilted(rounds, self.clocks.ready, lambda gains: np.exp(self._eta * gains))

    def play_tilted(
        self, rounds: Array, ready: Callable[[], int], factors: Callable[[Array], Array]
    ) -> NDArray[np.intp]:
        """Play by `predict` and `tilt` in turn. All but the projections is done for many rounds at once.

        Parameters
        ----------
        rounds : ndarray, shape (T, n) or (T, repetitions, n)
            Gains.
        ready : callable
            Returns how many rounds there are draws for, at most as many as `clocks` has ready.
        factors : callable
            Given the gains of so many rounds, shape (rounds, 1 or repetitions, n), it returns the factors of `tilt`.

        Returns
        -------
        ndarray of int, shape (T, repetitions)
        """
        gains = rounds if rounds.ndim == 3 else rounds[:, None]
        actions = np.empty((len(gains), self.repetitions), dtype=np.intp)
        start = 0
        while start < len(gains):
            tilts = factors(gains[start : start + ready()])
            stop = start + len(tilts)
            weights = np.empty((len(tilts) + 1, max(len(self.weights), tilts.shape[1]), self.n))
            weights[0] = self.weights
            for now, coming, tilt in zip(weights, weights[1:], tilts, strict=False):
                project(now * tilt, self._floor, out=coming)
            self.weights = weights[-1].copy()
            clocks = self.clocks.take(len(tilts))  # not used again, so they make room for the quotients
            np.divide(weights[:-1], clocks, out=clocks).argmax(axis=-1, out=actions[start:stop])
            start = stop
        return actions

    def tilt(self, factors: Array) -> None:
        """Multiply the weights by factors, and project back to the clipped simplex.

        Parameters
        ----------
        factors : ndarray, shape (n,) or (repetitions, n)
            Positive, such as ``exp(eta * gains)``.
        """
        self.weights = project(self.weights * factors, self._floor)
