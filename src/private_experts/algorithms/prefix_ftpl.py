"""Follow the leader of private prefix sums, whatever releases them. [mathematics/000.md#central-sums]"""

from typing import ClassVar, Protocol

from private_experts.algorithms.central import CentralAlgorithm
from private_experts.algorithms.door import settings_inside
from private_experts.arrays import Array, Indices
from private_experts.ownership import bind
from private_experts.privacy.guarantees import GaussianDP
from private_experts.privacy.participation import Participation, times_in
from private_experts.tabular import UNIT, Bounds, check_possible, checked_bounds


class PrefixSums(Protocol):
    """Running sums that are released with noise, such as those of `private_experts.privacy`.

    [mathematics/000.md#central-sums]

    Attributes
    ----------
    n : int
        Length of the vectors.
    guarantee : GaussianDP
        What all releases together promise, in the central model.

    Examples
    --------
    Whatever has these four names will do, such as sums without noise:

    >>> import numpy as np
    >>> from private_experts.algorithms import PrefixFTPL
    >>> from private_experts.privacy import GaussianDP
    >>> class Open:
    ...     n, guarantee = 2, GaussianDP(np.inf, "central")
    ...     total = np.zeros((1, 2))
    ...     def add(self, vector):
    ...         self.total = self.total + vector
    ...     def release(self):
    ...         return self.total
    >>> leader = PrefixFTPL(Open())
    >>> leader.update(np.array([0.2, 0.9]))
    >>> leader.predict().tolist()
    [1]
    """

    n: int
    guarantee: GaussianDP

    def add(self, vector: Array) -> None:
        """Append a vector of finite numbers, shape (n,)."""
        ...

    def release(self) -> Array:
        """Return the noisy sum of all vectors so far, shape (repetitions, n)."""
        ...


class PrefixFTPL(CentralAlgorithm):
    """Plays the leader of released prefix sums; a trusted curator sees the true gains.

    [mathematics/000.md#central-sums]

    Parameters
    ----------
    sums : PrefixSums
        Where the sums are kept and released. What they promise is the guarantee of the play.
    bounds : (float, float), optional
        The least and the largest gain that is possible, in the unit of the sums' sensitivity, [0, 1] unless
        given. They must be public.

    Attributes
    ----------
    guarantee : GaussianDP
        That of the sums.
    bounds : (float, float)
        As given. `update` and `play` take gains in this unit.

    Raises
    ------
    InputError
        When the bounds are not two numbers, the lower one first, or no two rounds within them are as far
        apart as the sensitivity says.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.algorithms import PrefixFTPL
    >>> from private_experts.games import play, static_regret
    >>> from private_experts.privacy import GaussianDP, TreeSums, SimulatedNoise
    >>> from private_experts.randomness import rng_for
    >>> noise = SimulatedNoise(rng_for(0, "sums"))
    >>> sums = TreeSums(2, GaussianDP(1.0, "central"), horizon=50, sensitivity=0.5, noise=noise)
    >>> leader, gains = PrefixFTPL(sums), np.tile([0.2, 0.8], (50, 1))
    >>> print(leader.guarantee, static_regret(gains, play(leader, gains)).round(1).tolist())
    1-GDP (central, simulated noise) [1.8]

    Guests of two rooms that have 50 seats; one person moves a number by 1:

    >>> sums = TreeSums(2, GaussianDP(1.0, "central"), horizon=50, sensitivity=1, noise=noise)
    >>> play(PrefixFTPL(sums, bounds=(0, 50)), np.tile([9, 41], (50, 1)))[-1].tolist()
    [1]
    """

    STATE: ClassVar[tuple[str, ...]] = ("_actions",)

    def __init__(self, sums: PrefixSums, *, bounds: Bounds | None = None) -> None:
        super().__init__("leader of prefix sums", sums.n)
        low, high = UNIT if bounds is None else checked_bounds(bounds, "leader of prefix sums")
        self.bounds, self._width = (low, high), high - low
        self.guarantee = sums.guarantee
        self._sums = sums
        for reach in settings_inside(sums):
            check_possible("leader of prefix sums", reach.value, self.n, self.bounds, self.guarantee)
        # Released once a round at most: padding is drawn at each release, and their mean would be less noisy
        # than promised.
        self._actions: Indices | None = None  # of the coming round, once its prefix is released

    def times_in(self, participation: Participation) -> float | None:
        """Return what a person in several rounds has of the sums. See `privacy_report`."""
        return times_in(self._sums, participation)

    def predict(self) -> Indices:
        """Return the leader of the prefix, released once a round, (repetitions,). See `Algorithm.predict`."""
        if self._actions is None:
            bind(self._sums, self)
            self._actions = self._sums.release().argmax(axis=-1)
        return self._actions.copy()

    def update_unchecked(self, gains: Array) -> None:
        """Add the true gains of a round, shape (n,) or (1, n). See `CentralAlgorithm.update_unchecked`."""
        bind(self._sums, self)
        # Gains are in [0, 1] here, and the sums have noise for a person's reach in the unit of the bounds.
        gains = gains.reshape(self.n)
        self._sums.add(gains if self._width == 1 else gains * self._width)
        self._actions = None
