"""Multiplicative weights over sequences of experts with few switches: one is drawn in every round.

[mathematics/004.md#softmax-law]
"""

import math

import numpy as np

from private_experts.algorithms.central import CentralAlgorithm
from private_experts.algorithms.sequence_weights import SequenceWeights, count_sequences
from private_experts.arrays import Array, Indices
from private_experts.privacy.composition import advanced_epsilon, step_within
from private_experts.privacy.guarantees import (
    ApproximateDP,
    PureDP,
    central_delta,
    no_weaker,
    pure_or_approximate,
)
from private_experts.privacy.selection import exponential_mechanism
from private_experts.validation import check_rounds_left, checked_number, generator, plain_numbers, whole


@plain_numbers
def softmax_regret_bound(n: int, horizon: int, switches: int, rate: float) -> float:
    """Return ``log(number of sequences) / rate + rate T / 8``, which bounds the expected dynamic regret.

    In units of the gains. [mathematics/004.md#theorem-4-1]
    """
    return math.log(count_sequences(horizon, n, switches)) / rate + rate * horizon / 8


def rate_within(
    who: str, guarantee: PureDP | ApproximateDP, horizon: int, rate: float | None = None
) -> tuple[float, PureDP | ApproximateDP]:
    """Return the rate of a draw in each round that the guarantee allows, and what all draws promise.

    A draw is (2 rate)-DP, and T - 1 draws know a round. Another rate that promises less is refused.
    """
    delta = central_delta(who, guarantee)
    if rate is None:
        epsilon = checked_number(f"{who}: epsilon", guarantee.epsilon, 0)
        # T - 1: the draw of a round knows the rounds before it, so the last round's loss meets no draw.
        return step_within(epsilon=epsilon, count=horizon - 1, delta=delta) / 2, pure_or_approximate(
            epsilon, delta
        )
    rate = checked_number(f"{who}: rate", rate, 0)
    stated = pure_or_approximate(advanced_epsilon(epsilon=2 * rate, count=horizon - 1, delta=delta), delta)
    return rate, no_weaker(who, stated, guarantee)


class SwitchingSoftmax(CentralAlgorithm):
    """Draws a sequence in every round by the exponential mechanism, and plays its expert. [004, Theorem 4.1]

    A sequence with loss L so far has probability proportional to ``exp(-rate L)`` among all with at most S
    switches.

    There is one draw in a round, and at most T - 1 know a loss vector. Each is (2 rate)-DP, and they compose.
    This is the reduction with the simplest private algorithm, and it costs much privacy. `SwitchingDartboard`
    draws seldom. [mathematics/004.md#softmax-law]

    Parameters
    ----------
    n : int
        Number of experts.
    guarantee : PureDP or ApproximateDP
        A central guarantee. The rate follows from it.
    horizon : int
        Number of rounds T.
    switches : int
        Number of switches S of the sequences competed with, at least 0.
    rng : numpy.random.Generator or int
        Seeded noise is a simulation and protects nobody; see `private_experts.privacy.noise`.
    repetitions : int
        Number of independent copies.
    rate : float, optional
        Another rate, at least 0. One that promises less than the guarantee is refused.

    Attributes
    ----------
    guarantee : PureDP or ApproximateDP
        Central. What was asked for, or what follows from another rate.

    rate : float
        That of the exponential mechanism.

    Raises
    ------
    InputError
        When the guarantee, the rate or the number of switches is outside its range, or more rounds are played
        than the horizon says.

    Examples
    --------
    A little delta allows a much larger rate:

    >>> from private_experts.algorithms import SwitchingSoftmax
    >>> from private_experts.privacy import ApproximateDP, PureDP
    >>> from private_experts.randomness import rng_for
    >>> for guarantee in (PureDP(2.0, "central"), ApproximateDP(2.0, 1e-6, "central")):
    ...     softmax = SwitchingSoftmax(2, guarantee, horizon=1001, switches=1, rng=rng_for(0, "draws"))
    ...     print(f"{softmax.guarantee} at rate {softmax.rate:.5f}")
    2-DP (central, simulated noise) at rate 0.00100
    (2, 1e-06)-DP (central, simulated noise) at rate 0.00581
    """

    STATE = ("_actions",)

    def __init__(
        self,
        n: int,
        guarantee: PureDP | ApproximateDP,
        *,
        horizon: int,
        switches: int,
        rng: np.random.Generator | int,
        repetitions: int = 1,
        rate: float | None = None,
    ) -> None:
        super().__init__("switching softmax", n, repetitions)
        horizon = whole(horizon, "switching softmax", "horizon")
        self.rate, self.guarantee = rate_within("switching softmax", guarantee, horizon, rate)
        self._weights = SequenceWeights(n, horizon, switches)
        self._rng = generator(rng, "switching softmax")
        self._shape = repetitions, n
        self._horizon = horizon
        self._actions: Indices | None = None  # of the coming round, once they are drawn

    @property
    def law(self) -> Array:
        """The exact law of the coming round's expert, shape (1, n) or (repetitions, n)."""
        return np.exp(self._weights.log_law)

    def predict(self) -> Indices:
        """Return experts drawn from the law once in a round, shape (repetitions,). See `Algorithm.predict`.

        After the last round it refuses: the guarantee does not count a draw that knows the last loss.
        """
        check_rounds_left("switching softmax", self._weights.round - 1, self._horizon)
        if self._actions is None:
            self._actions = exponential_mechanism(
                np.broadcast_to(self._weights.log_law, self._shape), 1.0, self._rng
            )
        return self._actions.copy()

    def probabilities(self) -> Array:
        """Return `law`. See `BaseAlgorithm.probabilities`."""
        return self.law

    def update_unchecked(self, gains: Array) -> None:
        """Take in the true gains of a round. See `CentralAlgorithm.update_unchecked`."""
        self._weights.add(self.rate * (gains - 1))
        self._actions = None
