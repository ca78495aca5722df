"""A curator's exponential weights: experts come and go. [mathematics/extensions.md#sleeping-softmax]"""

from typing import Any

import numpy as np

from private_experts.algorithms.sleeping_experts import SleepingExperts
from private_experts.algorithms.switching_softmax import rate_within
from private_experts.arrays import Indices
from private_experts.privacy.guarantees import ApproximateDP, PureDP
from private_experts.tabular import names_of
from private_experts.validation import check_rounds_left, checked_gains, whole


class SleepingSoftmax(SleepingExperts):
    """Draws an awake expert in every round, by the exponential mechanism on regrets over rounds awake.

    An expert that is awake is credited with its gain, less that of the expert played, less ``rate / 4``. One
    that sleeps is credited with nothing. One person moves these credits in one round only, so that each draw
    is (2 rate)-DP; at most T - 1 draws know a round's gains, and they compose.

    Over the T_i rounds in which expert i is awake, the expected regret against it is at most ``log(n) / rate
    + rate * T_i / 4``; with probability 1 - b it is at most ``log(n / b) / rate + rate * T_i / 4`` against
    all experts at once. If nobody ever sleeps, it plays as `SwitchingSoftmax` does with no switches.
    [mathematics/extensions.md#sleeping-softmax]

    Parameters
    ----------
    n : int
        Number of all experts.
    guarantee : PureDP or ApproximateDP
        A central guarantee. The rate follows from it.
    horizon : int
        Number of rounds T.
    rng : numpy.random.Generator or int
        Seeded noise is a simulation and protects nobody; see `private_experts.privacy.noise`.
    repetitions : int
        Number of independent copies. The same experts are awake in all.
    rate : float, optional
        Another rate, positive. One that promises less than the guarantee is refused.

    Attributes
    ----------
    guarantee : PureDP or ApproximateDP
        Central. What was asked for, or what follows from another rate.
    rate : float
        That of the exponential mechanism.
    bound : ndarray, shape (n,)
        What bounds the expected regret so far against each expert, over its rounds.
    law : ndarray, shape (repetitions, n)
        The probability with which each expert is played in the coming round.

    Raises
    ------
    InputError
        When the guarantee or the rate is outside its range, or more rounds are played than the horizon says.

    Examples
    --------
    >>> import numpy as np
    >>> from private_experts.algorithms import SleepingSoftmax
    >>> from private_experts.privacy import ApproximateDP
    >>> softmax = SleepingSoftmax(3, ApproximateDP(2.0, 1e-6, "central"), horizon=1000, rng=0)
    >>> softmax.wake([True, True, False])
    >>> softmax.predict().tolist()
    [0]
    >>> softmax.update(np.array([0.2, 0.9]))  # of those that are awake
    >>> round(softmax.rate, 4), softmax.bound.round(1).tolist()
    (0.0058, [188.9, 188.9, 188.9])
    """

    STATE = ("_round",)

    def __init__(
        self,
        n: int,
        guarantee: PureDP | ApproximateDP,
        *,
        horizon: int,
        rng: np.random.Generator | int,
        repetitions: int = 1,
        rate: float | None = None,
    ) -> None:
        self._horizon = whole(horizon, "SleepingSoftmax", "horizon")
        rate, self.guarantee = rate_within("SleepingSoftmax", guarantee, self._horizon, rate)
        super().__init__(n, rate, rng, repetitions)
        self._round = 1

    def predict(self) -> Indices:
        """Return experts that are awake, drawn once a round, (repetitions,). See `Algorithm.predict`.

        After the last round it refuses: the guarantee does not count a draw that knows the last gains.
        """
        check_rounds_left("SleepingSoftmax", self._round - 1, self._horizon)
        return super().predict()

    def update(self, gains: Any) -> None:
        """Take in the true gains of those awake, in the order of their numbers. See `Algorithm.update`."""
        repetitions, present = len(self._totals), int(self._awake.sum())
        values = np.broadcast_to(checked_gains(gains, present, repetitions), (repetitions, present))
        self.check_names(names_of(gains, "gains"))
        place = (self._awake.cumsum() - 1)[self.predict()]  # of the expert played, among those that are awake
        played = np.take_along_axis(values, place[:, None], axis=-1)
        # Subtracted in rounds awake alone, so that each expert has its bound over its own rounds.
        cost = self.rate / 4
        self._credit(values - played - cost, cost)
        self._round += 1
