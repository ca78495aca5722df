"""The private shrinking dartboard: multiplicative weights with rare draws and a limit on their number.

Asi, Feldman, Koren, Talwar: Private online prediction from experts (COLT 2023), Algorithm 1.
[mathematics/001.md#shrinking-dartboard]
"""

import math

import numpy as np

from private_experts.algorithms.central import CentralAlgorithm
from private_experts.algorithms.dartboard_parameters import checked_parameters
from private_experts.algorithms.dartboard_privacy import dartboard_epsilon
from private_experts.arrays import Array, Indices
from private_experts.errors import InputError
from private_experts.privacy.guarantees import pure_or_approximate
from private_experts.validation import generator


class ShrinkingDartboard(CentralAlgorithm):
    """Keeps its expert with a probability that falls with the expert's loss, and otherwise draws by the weights.

    Weights are ``(1 - eta)^(total loss)``, and losses are ``1 - gain``. After each batch the expert is kept with
    probability ``(1 - p) w_new / w_old``. Otherwise one is drawn in proportion to the weights, as long as fewer than
    `budget` draws were made. The first expert counts as a draw. Without a budget (``math.inf``) the expert of each
    round has exactly the law of multiplicative weights.

    Parameters
    ----------
    n : int
        Number of experts.
    eta : float
        Step size, in (0, p].
    p : float
        Probability of a draw whatever the loss, below 1/2. With ``eta <= p`` a draw has probability at most 2p, which
        the regret bound needs.
    budget : float
        The largest number of draws, counted up to a whole number. Theorem 2 has ``4 T p / batch``. ``inf`` means no
        limit and no privacy.
    rng : numpy.random.Generator or int
        Seeded randomness is a simulation and protects nobody; see `private_experts.privacy.noise`.
    repetitions : int
        Number of independent copies.
    batch : int
        Whole, at least 1. Weights and lottery act after every `batch` rounds, with the mean loss of these rounds.
    delta : float
        The delta of the stated guarantee; 0 for pure differential privacy.

    Attributes
    ----------
    guarantee : PureDP or ApproximateDP
        Central. It follows from the settings; see `dartboard_epsilon`.
    draws : ndarray of int, shape (repetitions,)
        How many draws were made so far.

    Raises
    ------
    InputError
        When a parameter is outside its range.

    References
    ----------
    Algorithm 1 and Theorem 2 of Asi, Feldman, Koren and Talwar. [mathematics/001.md#dartboard-theorem]

    Examples
    --------
    The guarantee follows from the settings. Here it is stronger than the epsilon of 1 that Corollary 4 promises:

    >>> import numpy as np
    >>> from private_experts.algorithms import ShrinkingDartboard, pure_parameters
    >>> from private_experts.games import play, switches
    >>> from private_experts.randomness import rng_for
    >>> settings = pure_parameters(horizon=400, epsilon=1.0)._asdict()
    >>> algorithm = ShrinkingDartboard(2, rng=rng_for(0, "darts"), **settings)
    >>> round(algorithm.guarantee.epsilon, 2)
    0.44
    >>> actions = play(algorithm, np.tile([0.1, 0.9], (400, 1)))
    >>> algorithm.draws.tolist(), switches(actions).tolist()
    ([20], [8])
    """

    STATE = ("draws", "_log_weights", "_losses", "_seen", "_actions")

    def __init__(
        self,
        n: int,
        *,
        eta: float,
        p: float,
        budget: float,
        rng: np.random.Generator | int,
        repetitions: int = 1,
        batch: int = 1,
        delta: float = 0.0,
    ) -> None:
        super().__init__("shrinking dartboard", n, repetitions)
        eta, p, budget = checked_parameters(eta, p, budget)
        if not (1 <= batch < math.inf and batch == int(batch)):
            raise InputError(f"shrinking dartboard: batch = {batch}: write a whole number of at least 1")
        self.guarantee = pure_or_approximate(dartboard_epsilon(eta, p, budget, delta, batch), delta)
        self.draws = np.ones(repetitions, dtype=np.intp)  # made so far, in each repetition
        self._p, self._budget, self._batch = p, budget, batch
        self._step = math.log1p(-eta) / batch
        self._rng = generator(rng, "shrinking dartboard")
        self._log_weights: Array = np.zeros((1, n))  # (1, n) while all repetitions have seen the same gains
        self._losses: Array = np.zeros((1, n))
        self._seen = 0
        self._actions = self._rng.gumbel(size=(repetitions, n)).argmax(axis=1)

    def predict(self) -> Indices:
        """Return the experts of the coming round, shape (repetitions,). See `Algorithm.predict`."""
        result: Indices = self._actions.copy()
        return result

    def update_unchecked(self, gains: Array) -> None:
        """Take in the true gains of a round. See `CentralAlgorithm.update_unchecked`."""
        self._losses = self._losses + (1 - gains)
        self._seen += 1
        if self._seen == self._batch:
            self._draw(self._step * self._losses)
            self._losses = np.zeros((1, self._losses.shape[1]))
            self._seen = 0

    def _draw(self, change: Array) -> None:
        """Add a batch's change to the log-weights, and draw where the lottery says so."""
        self._log_weights = self._log_weights + change
        of_own = change[np.arange(self._actions.size) % len(change), self._actions]
        anew = self._rng.uniform(size=self._actions.size) >= (1 - self._p) * np.exp(of_own)
        where = (anew & (self.draws < self._budget)).nonzero()[0]
        if not where.size:
            return
        weights = self._log_weights[where % len(self._log_weights)]
        self._actions[where] = (weights + self._rng.gumbel(size=weights.shape)).argmax(axis=1)
        self.draws[where] += 1
