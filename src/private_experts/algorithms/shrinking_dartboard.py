"""The private shrinking dartboard: multiplicative weights with rare draws and a limit on their number.

Asi, Feldman, Koren, Talwar: Private online prediction from experts (COLT 2023), Algorithm 1.
[mathematics/001.md#shrinking-dartboard]
"""

import math

import numpy as np

from private_experts.algorithms.central import CentralAlgorithm
from private_experts.algorithms.dartboard_parameters import DartboardParameters
from private_experts.algorithms.dartboard_privacy import settle
from private_experts.arrays import Array, Indices
from private_experts.privacy.guarantees import ApproximateDP, PureDP
from private_experts.privacy.selection import exponential_law
from private_experts.validation import generator


class ShrinkingDartboard(CentralAlgorithm):
    """Keeps its expert with a probability that falls with its loss, and otherwise draws by the weights.

    Weights are ``(1 - eta)^(total loss)``, and losses are ``1 - gain``. After each batch the expert is kept
    with probability ``(1 - p) w_new / w_old``. Otherwise one is drawn in proportion to the weights, as long
    as fewer than `budget` draws were made. The first expert counts as a draw. Without a budget (``math.inf``)
    the expert of each round has exactly the law of multiplicative weights.

    Parameters
    ----------
    n : int
        Number of experts.
    guarantee : PureDP or ApproximateDP
        A central guarantee. The parameters of the paper follow from it; see
        `DartboardParameters.for_guarantee`.
    horizon : int, optional
        Number of rounds T, more than 4, that the parameters are chosen for; it is not needed where these are
        given. More may be played. The guarantee holds for them too, as it rests on the budget; bounds on the
        regret do not, and the expert stays for good when the budget is used up.
    rng : numpy.random.Generator or int
        Seeded randomness is a simulation and protects nobody; see `private_experts.privacy.noise`.
    repetitions : int
        Number of independent copies.
    batched : bool
        Whether weights and lottery act after batches of rounds, with their mean loss, as in Corollary 6.
    parameters : DartboardParameters, optional
        Others than the paper's, such as those of `calibrated_parameters`. They are refused if they promise
        less than the guarantee.

    Attributes
    ----------
    guarantee : PureDP or ApproximateDP
        Central, and no weaker than what was asked for: what follows from the parameters, see
        `dartboard_epsilon`.
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
    The guarantee that follows is stronger here than the epsilon of 1 that was asked for:

    >>> import numpy as np
    >>> from private_experts.algorithms import ShrinkingDartboard
    >>> from private_experts.games import play, switches
    >>> from private_experts.privacy import PureDP
    >>> from private_experts.randomness import rng_for
    >>> algorithm = ShrinkingDartboard(2, PureDP(1.0, "central"), horizon=400, rng=rng_for(0, "darts"))
    >>> round(algorithm.guarantee.epsilon, 2)
    0.44
    >>> actions = play(algorithm, np.tile([0.1, 0.9], (400, 1)))
    >>> algorithm.draws.tolist(), switches(actions).tolist()
    ([20], [8])
    """

    STATE = ("draws", "_log_weights", "_losses", "_seen", "_actions", "_before", "_kept", "_open")

    def __init__(
        self,
        n: int,
        guarantee: PureDP | ApproximateDP,
        *,
        horizon: int | None = None,
        rng: np.random.Generator | int,
        repetitions: int = 1,
        batched: bool = False,
        parameters: DartboardParameters | None = None,
    ) -> None:
        super().__init__("shrinking dartboard", n, repetitions)
        settings, self.guarantee = settle("shrinking dartboard", guarantee, n, horizon, batched, parameters)
        eta, self._p, self._budget, self._batch = settings
        # The first expert is a draw too: it uses up a part of the budget, though it costs no privacy.
        self.draws = np.ones(repetitions, dtype=np.intp)  # made so far, in each repetition
        # Divided by the batch, as weights move by the mean loss of its rounds.
        self._step = math.log1p(-eta) / self._batch
        self._rng = generator(rng, "shrinking dartboard")
        self._log_weights: Array = np.zeros((1, n))  # (1, n) while all repetitions have seen the same gains
        self._losses: Array = np.zeros((1, n))
        self._seen = 0
        # Equal weights: a uniform draw, by the same means as all later draws.
        self._actions = self._rng.gumbel(size=(repetitions, n)).argmax(axis=1)
        # The last lottery: on what, with which chance to keep it, and where another draw was left.
        self._before, self._kept, self._open = (
            self._actions,
            np.zeros(repetitions),
            np.ones(repetitions, np.bool_),
        )

    def predict(self) -> Indices:
        """Return the experts of the coming round, shape (repetitions,). See `Algorithm.predict`."""
        result: Indices = self._actions.copy()
        return result

    def probabilities(self) -> Array:
        """Return the law (repetitions, n) of the coming round's expert, given the experts and draws before.

        See `BaseAlgorithm.probabilities`.
        """
        if self._seen:  # of a batch: no lottery is held
            certain: Array = np.eye(self.n)[self._actions]
            return certain
        kept = np.where(self._open, self._kept, 1.0)
        law: Array = (1 - kept)[:, None] * exponential_law(self._log_weights, 1.0)
        law[np.arange(kept.size), self._before] += kept
        return law

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
        # The lottery is about the expert's own loss in this batch: that is what keeps the law of
        # multiplicative weights.
        self._before, self._kept, self._open = (
            self._actions,
            (1 - self._p) * np.exp(of_own),
            self.draws < self._budget,
        )
        # Drawn for all copies, also for those out of budget, so that a budget does not shift the random
        # numbers of others.
        anew = self._rng.uniform(size=self._actions.size) >= self._kept
        where = (anew & self._open).nonzero()[0]
        if not where.size:
            return
        weights = self._log_weights[where % len(self._log_weights)]
        self._actions = self._actions.copy()
        self._actions[where] = (weights + self._rng.gumbel(size=weights.shape)).argmax(axis=1)
        self.draws[where] += 1
